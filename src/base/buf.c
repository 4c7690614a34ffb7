#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

void kb_buf_init(struct kb_buf *buf, size_t max_bytes)
{
	*buf = (struct kb_buf){ .max = max_bytes };
}

void kb_buf_fini(struct kb_buf *buf)
{
	if (!buf)
		return;
	free(buf->p);
	kb_buf_init(buf, buf->max);
}

void kb_buf_clear(struct kb_buf *buf)
{
	buf->n = 0;
	buf->failed = false;
}

char *kb_buf_room(struct kb_buf *buf, size_t n)
{
	if (buf->failed || n > buf->max || buf->n > buf->max - n) {
		buf->failed = true;
		return NULL;
	}
	if (buf->n + n > buf->capacity)
		KB_GROW(buf->p, buf->capacity, KB_MAX(buf->n + n, (size_t)64));
	return buf->p + buf->n;
}

void kb_buf_advance(struct kb_buf *buf, size_t n)
{
	KB_ASSERT(buf->n + n <= buf->capacity);
	buf->n += n;
}

void kb_buf_add(struct kb_buf *buf, const void *p, size_t n)
{
	char *room = n ? kb_buf_room(buf, n) : NULL;

	if (!room)
		return;
	memcpy(room, p, n);
	buf->n += n;
}

void kb_buf_sv(struct kb_buf *buf, struct kb_sv text)
{
	kb_buf_add(buf, text.p, text.n);
}

void kb_buf_str(struct kb_buf *buf, const char *text)
{
	kb_buf_add(buf, text, strlen(text));
}

void kb_buf_byte(struct kb_buf *buf, char byte)
{
	kb_buf_add(buf, &byte, 1);
}

void kb_buf_int(struct kb_buf *buf, int64_t n)
{
	char digits[24];
	char *at = digits + sizeof(digits);
	uint64_t rest = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;

	do
		*--at = (char)('0' + rest % 10);
	while (rest /= 10);
	if (n < 0)
		*--at = '-';
	kb_buf_add(buf, at, (size_t)(digits + sizeof(digits) - at));
}

void kb_buf_printf(struct kb_buf *buf, const char *fmt, ...)
{
	char none[1];
	va_list ap;
	char *room;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(none, sizeof(none), fmt, ap);
	va_end(ap);
	KB_ASSERT(n >= 0);
	room = kb_buf_room(buf, (size_t)n + 1);
	if (!room)
		return;
	va_start(ap, fmt);
	vsnprintf(room, (size_t)n + 1, fmt, ap);
	va_end(ap);
	buf->n += (size_t)n;
}

static void little_endian(struct kb_buf *buf, uint64_t n, int bytes)
{
	char out[8];

	for (int i = 0; i < bytes; i++)
		out[i] = (char)(n >> (8 * i));
	kb_buf_add(buf, out, (size_t)bytes);
}

void kb_buf_u32(struct kb_buf *buf, uint32_t n)
{
	little_endian(buf, n, 4);
}

void kb_buf_u64(struct kb_buf *buf, uint64_t n)
{
	little_endian(buf, n, 8);
}

void kb_buf_varint(struct kb_buf *buf, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		kb_buf_byte(buf, (char)(n | 0x80));
	kb_buf_byte(buf, (char)n);
}

struct kb_sv kb_buf_view(const struct kb_buf *buf)
{
	return kb_sv(buf->p ? buf->p : "", buf->n);
}

bool kb_buf_done(const struct kb_buf *buf, struct kb_sv *out, struct kb_err *err)
{
	if (buf->failed)
		return kb_fail(err, KB_E_TOO_LARGE, "the result is larger than %zu bytes",
		               buf->max);
	*out = kb_buf_view(buf);
	return true;
}
