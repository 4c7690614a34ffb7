#include "index/bitpack.h"

#include <string.h>

enum { LANES = 4, ROWS = KB_BLOCK / LANES, WORD = 32 };

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the file's words are little-endian");

typedef uint32_t vec __attribute__((vector_size(LANES * sizeof(uint32_t))));

#if defined(__GNUC__) && !defined(__clang__)
#define UNROLL_ROWS _Pragma("GCC unroll 32")
#elif defined(__clang__) && __has_feature(address_sanitizer)
/* A sanitizer's checks in a thousand copies take ten seconds to compile. */
#define UNROLL_ROWS
#else
#define UNROLL_ROWS _Pragma("clang loop unroll(full)")
#endif

/* SSE2 or NEON everywhere. Unpacking by AVX2 where there is one, chosen at run time, saved a search
 * 1.5 % of its cycles, for a second path to trust; it was dropped. */
static inline vec load(const void *p)
{
	vec v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline void store(uint32_t *p, vec v)
{
	memcpy(p, &v, sizeof(v));
}

unsigned kb_bits(uint32_t n)
{
	return n ? WORD - (unsigned)__builtin_clz(n) : 0;
}

/* Plain: the inner loop is the way back. */
void kb_pack(const uint32_t in[KB_BLOCK], unsigned bits, uint8_t *out)
{
	uint32_t words[KB_BLOCK] = { 0 };

	KB_ASSERT(bits <= WORD);
	for (unsigned i = 0; i < KB_BLOCK && bits; i++) {
		unsigned bit = i / LANES * bits, lane = i % LANES;
		unsigned word = bit / WORD, shift = bit % WORD;

		words[word * LANES + lane] |= in[i] << shift;
		if (shift + bits > WORD)
			words[(word + 1) * LANES + lane] |= in[i] >> (WORD - shift);
	}
	memcpy(out, words, kb_packed_size(bits));
}

/* One copy of this is compiled for each width, so that every shift is a constant. */
static inline __attribute__((always_inline)) void unpack(const uint8_t *in, uint32_t *out,
                                                         unsigned bits)
{
	const vec mask = (vec){ 0 } + (bits == WORD ? UINT32_MAX : (UINT32_C(1) << bits) - 1);

	UNROLL_ROWS
	for (unsigned row = 0; row < ROWS; row++) {
		unsigned word = row * bits / WORD, shift = row * bits % WORD;
		vec v = load(in + word * sizeof(vec)) >> shift;

		if (shift + bits > WORD)
			v |= load(in + (word + 1) * sizeof(vec)) << ((WORD - shift) % WORD);
		store(out + row * LANES, v & mask);
	}
}

// clang-format off
#define WIDTH(n) case n: unpack(in, out, n); break;
#define WIDTHS(a, b, c, d, e, f, g, h) \
	WIDTH(a) WIDTH(b) WIDTH(c) WIDTH(d) WIDTH(e) WIDTH(f) WIDTH(g) WIDTH(h)
// clang-format on

void kb_unpack(const uint8_t *in, unsigned bits, uint32_t out[KB_BLOCK])
{
	switch (bits) {
		WIDTHS(1, 2, 3, 4, 5, 6, 7, 8)
		WIDTHS(9, 10, 11, 12, 13, 14, 15, 16)
		WIDTHS(17, 18, 19, 20, 21, 22, 23, 24)
		WIDTHS(25, 26, 27, 28, 29, 30, 31, 32)
	default:
		memset(out, 0, KB_BLOCK * sizeof(*out));
		break;
	}
}

/* The sum runs through a row of four in two shifted additions; the row's last sum goes on to all
 * four places of the next. */
void kb_unpack_gaps(const uint8_t *in, unsigned bits, uint32_t before, uint32_t out[KB_BLOCK])
{
	const vec zero = { 0 };
	vec sum = zero + before;

	kb_unpack(in, bits, out);
	for (unsigned row = 0; row < ROWS; row++) {
		vec v = load(out + row * LANES) + 1;

		v += __builtin_shufflevector(zero, v, 0, 4, 5, 6);
		v += __builtin_shufflevector(zero, v, 0, 1, 4, 5);
		v += sum;
		store(out + row * LANES, v);
		sum = __builtin_shufflevector(v, v, 3, 3, 3, 3);
	}
}
