/*
 * Bytes that grow up to a limit.
 *
 * The limit is an argument of init and the error is sticky: a writer appends freely and asks once,
 * at the end, with kb_buf_done(). The memory is the buffer's own until fini. One thread at a time
 * uses a buffer.
 */
#ifndef KB_BASE_BUF_H
#define KB_BASE_BUF_H

#include "base/err.h"
#include "base/sv.h"

struct kb_buf {
	char *p;
	size_t n, capacity, max;
	bool failed; /* something did not fit; what is there ends before it */
};

void kb_buf_init(struct kb_buf *buf, size_t max_bytes);
void kb_buf_fini(struct kb_buf *buf);
void kb_buf_clear(struct kb_buf *buf); /* keeps the memory, forgets the error */

void kb_buf_add(struct kb_buf *buf, const void *p, size_t n);
void kb_buf_sv(struct kb_buf *buf, struct kb_sv text);
void kb_buf_str(struct kb_buf *buf, const char *text);
void kb_buf_byte(struct kb_buf *buf, char byte);
void kb_buf_int(struct kb_buf *buf, int64_t n);
void kb_buf_printf(struct kb_buf *buf, const char *fmt, ...) KB_PRINTF(2, 3);

/* Little-endian and variable-length integers, for our own files and messages. */
void kb_buf_u32(struct kb_buf *buf, uint32_t n);
void kb_buf_u64(struct kb_buf *buf, uint64_t n);
void kb_buf_varint(struct kb_buf *buf, uint64_t n); /* LEB128 */

/* Room for n more bytes at the end, to be filled by the caller and counted by kb_buf_advance();
 * NULL when they do not fit. */
char *kb_buf_room(struct kb_buf *buf, size_t n);
void kb_buf_advance(struct kb_buf *buf, size_t n);

/* The bytes, while the buffer lives and is not changed; false when something did not fit. */
bool kb_buf_done(const struct kb_buf *buf, struct kb_sv *out, struct kb_err *err) KB_MUST_CHECK;
struct kb_sv kb_buf_view(const struct kb_buf *buf);

#endif
