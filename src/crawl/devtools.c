#include "crawl/devtools.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { LOOK_MS = 100, PIECE = 256 << 10, SENT_MAX = 1 << 20 };

void kb_devtools_init(struct kb_devtools *tools, int to, int from)
{
	*tools = (struct kb_devtools){ .to = to, .from = from };
	kb_buf_init(&tools->in, KB_DEVTOOLS_MESSAGE_MAX);
}

void kb_devtools_fini(struct kb_devtools *tools)
{
	kb_buf_fini(&tools->in);
}

/* ---- out ---- */

/* The pipe is read by a browser that does little else: it is full only where that hangs. */
static bool write_all(struct kb_devtools *tools, struct kb_sv bytes, struct kb_err *err)
{
	while (bytes.n) {
		struct pollfd wanted = { .fd = tools->to, .events = POLLOUT };
		ssize_t n;

		if (!tools->goes_on(tools->arg, err))
			return false;
		if (poll(&wanted, 1, LOOK_MS) <= 0)
			continue;
		n = write(tools->to, bytes.p, KB_MIN(bytes.n, (size_t)4096));
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return kb_fail(err, KB_E_UPSTREAM, "the browser has ended");
		bytes = kb_sv_from(bytes, n > 0 ? (size_t)n : 0);
	}
	return true;
}

bool kb_devtools_send(struct kb_devtools *tools, const char *method, struct kb_sv params,
                      int64_t *id, struct kb_err *err)
{
	struct kb_sv text;
	struct kb_buf buf;
	struct kb_jw jw;
	bool ok;

	kb_buf_init(&buf, SENT_MAX);
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "id", *id = ++tools->last_id);
	kb_jw_key_str(&jw, "method", method);
	if (params.n) {
		kb_jw_key(&jw, "params");
		kb_jw_raw(&jw, params);
	}
	if (tools->session.n)
		kb_jw_key_sv(&jw, "sessionId", tools->session);
	kb_jw_end(&jw);
	kb_buf_byte(&buf, '\0');
	ok = kb_buf_done(&buf, &text, err) && write_all(tools, text, err);
	kb_buf_fini(&buf);
	return ok;
}

/* ---- in ---- */

static int hex4(const char *p)
{
	int n = 0;

	for (int i = 0; i < 4; i++) {
		char c = p[i];

		if (c >= '0' && c <= '9')
			n = n * 16 + (c - '0');
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			n = n * 16 + ((c | 32) - 'a' + 10);
		else
			return -1;
	}
	return n;
}

/* "\uXXXX" at p, of n bytes; else -1. */
static int escaped(const char *p, size_t n)
{
	return n >= 6 && p[0] == '\\' && p[1] == 'u' ? hex4(p + 2) : -1;
}

void kb_devtools_mend(char *json, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++) {
		int unit;

		if (json[i] != '\\')
			continue;
		unit = escaped(json + i, n - i);
		if (unit < 0) {
			i++; /* of another kind: "\\" */
			continue;
		}
		if (unit >= 0xd800 && unit < 0xdc00) {
			int next = escaped(json + i + 6, n - i - 6);

			if (next >= 0xdc00 && next < 0xe000) {
				i += 11;
				continue;
			}
		}
		if (unit == 0 || (unit >= 0xd800 && unit < 0xe000))
			for (size_t k = 0; k < 4; k++)
				json[i + 2 + k] = "fffd"[k];
		i += 5;
	}
}

/* The message that is there as a whole. */
static bool take(struct kb_devtools *tools, struct kb_arena *arena, json_t **message, bool *taken,
                 struct kb_err *err)
{
	struct kb_sv left = kb_sv_from(kb_buf_view(&tools->in), tools->taken);
	const char *end = left.n ? memchr(left.p, '\0', left.n) : NULL;
	char *text;
	size_t n;

	*taken = end != NULL;
	if (!end)
		return true;
	n = (size_t)(end - left.p);
	text = kb_arena_bytes(arena, n + 1);
	memcpy(text, left.p, n);
	kb_devtools_mend(text, n);
	tools->taken += n + 1;
	if (tools->taken == tools->in.n) {
		kb_buf_clear(&tools->in);
		tools->taken = 0;
	}
	*message = kb_json_parse(arena, kb_sv(text, n), err);
	return *message || kb_fail(err, KB_E_UPSTREAM, "the browser says what nobody can read");
}

static bool read_more(struct kb_devtools *tools, struct kb_err *err)
{
	struct pollfd wanted = { .fd = tools->from, .events = POLLIN };
	char *room;
	ssize_t n;

	if (!tools->goes_on(tools->arg, err))
		return false;
	if (poll(&wanted, 1, LOOK_MS) <= 0)
		return true;
	if (tools->taken) {
		memmove(tools->in.p, tools->in.p + tools->taken, tools->in.n - tools->taken);
		tools->in.n -= tools->taken;
		tools->taken = 0;
	}
	room = kb_buf_room(&tools->in, PIECE);
	if (!room) {
		return kb_fail(err, KB_E_TOO_LARGE, "the page has grown to more than %d MB",
		               KB_DEVTOOLS_MESSAGE_MAX >> 20);
	}
	n = read(tools->from, room, PIECE);
	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
		return kb_fail(err, KB_E_UPSTREAM, "the browser has ended");
	kb_buf_advance(&tools->in, n > 0 ? (size_t)n : 0);
	return true;
}

bool kb_devtools_next(struct kb_devtools *tools, struct kb_arena *arena, json_t **message,
                      struct kb_err *err)
{
	bool taken;

	for (;;) {
		if (!take(tools, arena, message, &taken, err))
			return false;
		if (taken)
			return true;
		if (!read_more(tools, err))
			return false;
	}
}
