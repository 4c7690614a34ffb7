/*
 * Words are short: comparing and copying them by calls of the C library costs more than the work.
 * Private to this folder; pure.
 */
#ifndef KB_INDEX_BYTES_H
#define KB_INDEX_BYTES_H

#include <string.h>

#include "base/common.h"

/* Bytes that must be readable behind the source of kb_copy_short(), and writable behind its target.
 */
enum { KB_WORD_SLACK = 16 };

static inline uint64_t kb_load64(const char *p)
{
	uint64_t n;

	memcpy(&n, p, sizeof(n));
	return n;
}

static inline uint32_t kb_load32(const char *p)
{
	uint32_t n;

	memcpy(&n, p, sizeof(n));
	return n;
}

/* The first eight bytes, zeros where there are fewer, the first one lowest. */
static inline uint64_t kb_prefix64(const char *p, size_t n)
{
	uint64_t prefix = 0;

	if (n == 0)
		return 0;
	if (n >= 8)
		return kb_load64(p);
	if (n >= 4)
		return kb_load32(p) | (uint64_t)kb_load32(p + n - 4) << (8 * (n - 4));
	for (size_t i = 0; i < n; i++)
		prefix |= (uint64_t)(unsigned char)p[i] << (8 * i);
	return prefix;
}

static inline bool kb_same_bytes(const char *a, const char *b, size_t n)
{
	if (n == 0)
		return true;
	if (n > 16)
		return memcmp(a, b, n) == 0;
	if (n >= 8)
		return kb_load64(a) == kb_load64(b) && kb_load64(a + n - 8) == kb_load64(b + n - 8);
	return kb_prefix64(a, n) == kb_prefix64(b, n);
}

/* Copies n bytes, and up to KB_WORD_SLACK - 1 more that mean nothing. */
static inline void kb_copy_short(char *to, const char *from, size_t n)
{
	for (size_t i = 0; i < n; i += KB_WORD_SLACK)
		memcpy(to + i, from + i, KB_WORD_SLACK);
}

#endif
