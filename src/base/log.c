#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"

enum { LINE_MAX_BYTES = 8192 };

static const char *const names[] = { "debug", "info", "warn", "error", "off" };

void kb_log_init(struct kb_log *log, enum kb_log_level level, enum kb_log_format format, int fd)
{
	*log = (struct kb_log){ .level = level, .format = format, .fd = fd };
}

void kb_log_child(struct kb_log *log, const struct kb_log *parent, const char *context)
{
	*log = (struct kb_log){ .parent = parent, .context = context };
}

/* Contexts from the root down, each followed by a blank. */
static void add_contexts(struct kb_buf *line, const struct kb_log *log)
{
	if (log->parent)
		add_contexts(line, log->parent);
	if (log->context) {
		kb_buf_byte(line, ' ');
		kb_buf_str(line, log->context);
	}
}

/* Control characters and lone bytes of a broken sequence must not reach a terminal. */
static void add_escaped(struct kb_buf *line, struct kb_sv text)
{
	static const char hex[] = "0123456789abcdef";

	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (c >= 0x20 && c != 0x7f && !(c >= 0x80 && c < 0xa0)) {
			kb_buf_byte(line, (char)c);
		} else if (c >= 0x80) {
			kb_buf_byte(line,
			            (char)c); /* continuation byte: C1 comes as c2 80..9f, below */
			if (line->n >= 2 && (unsigned char)line->p[line->n - 2] == 0xc2)
				line->p[line->n - 1] = line->p[line->n - 2] = '?';
		} else {
			kb_buf_str(line, "\\x");
			kb_buf_byte(line, hex[c >> 4]);
			kb_buf_byte(line, hex[c & 15]);
		}
	}
}

void kb_log_write(const struct kb_log *log, enum kb_log_level level, const char *fmt, ...)
{
	const struct kb_log *root = log;
	char stamp[KB_TIME_TEXT];
	char text[LINE_MAX_BYTES / 2];
	struct kb_buf line, context;
	va_list ap;
	int n;

	while (root && root->parent)
		root = root->parent;
	if (!root || level < root->level || root->level == KB_LOG_OFF)
		return;
	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	kb_time_format(stamp, kb_clock_now_us(NULL));
	kb_buf_init(&line, (size_t)LINE_MAX_BYTES * 4);
	kb_buf_init(&context, LINE_MAX_BYTES);
	add_contexts(&context, log);
	if (root->format == KB_LOG_JSON) {
		struct kb_jw jw;

		kb_jw_init(&jw, &line);
		kb_jw_object(&jw);
		kb_jw_key_str(&jw, "time", stamp);
		kb_jw_key_str(&jw, "level", names[level]);
		kb_jw_key_str(&jw, "message", text);
		if (context.n)
			kb_jw_key_sv(&jw, "context", kb_sv_from(kb_buf_view(&context), 1));
		kb_jw_end(&jw);
	} else {
		kb_buf_printf(&line, "%s %-5s ", stamp, names[level]);
		add_escaped(&line, kb_sv_str(text));
		add_escaped(&line, kb_buf_view(&context));
	}
	kb_buf_byte(&line, '\n');
	if (write(root->fd, line.p, line.n) < 0) {
		/* Nowhere to say it. */
	}
	kb_buf_fini(&context);
	kb_buf_fini(&line);
}

bool kb_log_parse(const char *text, enum kb_log_level *level, enum kb_log_format *format)
{
	const char *comma = strchr(text, ',');
	size_t n = comma ? (size_t)(comma - text) : strlen(text);
	enum kb_log_format form = KB_LOG_TEXT;

	if (comma && strcmp(comma, ",json") == 0)
		form = KB_LOG_JSON;
	else if (comma && strcmp(comma, ",text") != 0)
		return false;
	for (size_t i = 0; i < KB_COUNTOF(names); i++)
		if (strlen(names[i]) == n && memcmp(names[i], text, n) == 0) {
			*level = (enum kb_log_level)i;
			*format = form;
			return true;
		}
	return false;
}
