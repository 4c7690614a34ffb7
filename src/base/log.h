/*
 * Log lines: constant words first, then key=value.
 *
 *   kb_info(log, "document indexed id=%" PRId64 " chunks=%zu took_ms=%" PRId64, ...);
 *
 * error: someone must act; warn: we worked round it; info: one line a finished unit of work; debug:
 * off. A logger is a small value that points at its parent: the child adds a context ("request=17")
 * to each line. Bytes from outside are escaped on the way out; keys and tokens are never passed in,
 * visitors' words only at debug. Any thread may log; a line is one write(2).
 */
#ifndef KB_BASE_LOG_H
#define KB_BASE_LOG_H

#include "base/common.h"

enum kb_log_level { KB_LOG_DEBUG, KB_LOG_INFO, KB_LOG_WARN, KB_LOG_ERROR, KB_LOG_OFF };
enum kb_log_format { KB_LOG_TEXT, KB_LOG_JSON };

struct kb_log {
	const struct kb_log *parent; /* NULL: the root, which holds the three fields below */
	const char *context;         /* "request=17"; lives as long as the logger; NULL: none */
	enum kb_log_level level;
	enum kb_log_format format;
	int fd;
};

void kb_log_init(struct kb_log *log, enum kb_log_level level, enum kb_log_format format, int fd);
/* context is not copied. */
void kb_log_child(struct kb_log *log, const struct kb_log *parent, const char *context);

/* A NULL log swallows the line. */
void kb_log_write(const struct kb_log *log, enum kb_log_level level, const char *fmt, ...)
        KB_PRINTF(3, 4);

#define kb_debug(log, ...)     kb_log_write((log), KB_LOG_DEBUG, __VA_ARGS__)
#define kb_info(log, ...)      kb_log_write((log), KB_LOG_INFO, __VA_ARGS__)
#define kb_warn(log, ...)      kb_log_write((log), KB_LOG_WARN, __VA_ARGS__)
#define kb_error_log(log, ...) kb_log_write((log), KB_LOG_ERROR, __VA_ARGS__)

/* "debug", "info", "warn", "error", "off", each with an optional ",json" or ",text". */
bool kb_log_parse(const char *text, enum kb_log_level *level,
                  enum kb_log_format *format) KB_MUST_CHECK;

#endif
