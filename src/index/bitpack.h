/*
 * 128 integers packed to a common width, and back: the inner loop of reading postings.
 *
 * The layout is vertical (Lemire, Boytsov 2015): integer i belongs to lane i % 4, each lane is a
 * stream of 32-bit words, and the four lanes' words lie side by side. One vector register of four
 * words is unpacked at a time; the code is written with the compilers' portable vectors, so that it
 * becomes SSE2 or NEON where there is one and plain code elsewhere. Pure; any thread.
 */
#ifndef KB_INDEX_BITPACK_H
#define KB_INDEX_BITPACK_H

#include "base/common.h"

enum { KB_BLOCK = 128 };

/* How many bits the number needs: 0 to 32. */
unsigned kb_bits(uint32_t n);

/* Bytes a block of this width takes. */
static inline size_t kb_packed_size(unsigned bits)
{
	return (size_t)bits * (KB_BLOCK / 8);
}

/* Every number must fit the width, at most 32. Writes kb_packed_size(bits) bytes. */
void kb_pack(const uint32_t in[KB_BLOCK], unsigned bits, uint8_t *out);
void kb_unpack(const uint8_t *in, unsigned bits, uint32_t out[KB_BLOCK]);

/* Unpacks gaps and sums them: out[i] = before + 1 + in[0] + ... + 1 + in[i], modulo 2^32. */
void kb_unpack_gaps(const uint8_t *in, unsigned bits, uint32_t before, uint32_t out[KB_BLOCK]);

#endif
