/*
 * Products by AVX-512 with VNNI.
 *
 * One instruction multiplies four unsigned bytes of a token with four signed ones of each of 16
 * rows and adds them to 16 sums. Tokens are made unsigned by adding 128, and the sums begin at what
 * this adds too much. As many sums stay in registers as there are: each weight that is read serves
 * up to eight tokens, each value of a token three tiles.
 */
#include <immintrin.h>

#include "encode/product_path.h"

enum { TILE = KB_PRODUCT_TILE, STEP = KB_PRODUCT_STEP, MOST = 8, MOST_TILES = 3 };

static bool available(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
	       && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
}

struct place {
	const struct kb_product_matrix *m;
	const struct kb_product_in *in;
	float *out;
	size_t tile, tiles; /* the first of so many */
	size_t token;       /* the first of the block's */
};

static inline __attribute__((always_inline)) __m512i four(const uint8_t *values)
{
	int32_t bits;

	__builtin_memcpy(&bits, values, sizeof(bits));
	return _mm512_set1_epi32(bits);
}

/* What the sums begin at, and the tiles; where fewer than three are left, the last one again. */
static inline void begin(const struct place *at, const int8_t *tiles[MOST_TILES],
                         __m512i start[MOST_TILES])
{
	for (size_t k = 0; k < MOST_TILES; k++) {
		size_t tile = at->tile + KB_MIN(k, at->tiles - 1);
		__m512i row_sums = _mm512_loadu_si512(at->m->row_sums + tile * TILE);

		tiles[k] = kb_product_tile(at->m, tile);
		start[k] = _mm512_sub_epi32(_mm512_setzero_si512(), _mm512_slli_epi32(row_sums, 7));
	}
}

static inline void finish(const struct place *at, size_t token, const __m512i sums[MOST_TILES])
{
	const struct kb_product_matrix *m = at->m;
	const __m512 scale = _mm512_set1_ps(at->in->scales[token]);

	for (size_t k = 0; k < at->tiles; k++) {
		size_t row = (at->tile + k) * TILE;
		__m512 scales = _mm512_mul_ps(scale, _mm512_loadu_ps(m->scales + row));
		__m512 sum = _mm512_mul_ps(_mm512_cvtepi32_ps(sums[k]), scales);

		_mm512_storeu_ps(at->out + token * m->rows + row,
		                 _mm512_add_ps(sum, _mm512_loadu_ps(m->bias + row)));
	}
}

/* A token's values of one step, times the weights of three tiles. */
#define BEGIN(t) __m512i a##t = start[0], b##t = start[1], c##t = start[2];
#define ADD(t)                                                                                     \
	values = four(token + (t)*cols + col);                                                     \
	a##t = _mm512_dpbusd_epi32(a##t, values, a);                                               \
	b##t = _mm512_dpbusd_epi32(b##t, values, b);                                               \
	c##t = _mm512_dpbusd_epi32(c##t, values, c);
#define FINISH(t) finish(at, at->token + (t), (const __m512i[MOST_TILES]){ a##t, b##t, c##t });

#define TOKENS_1(F) F(0)
#define TOKENS_2(F) TOKENS_1(F) F(1)
#define TOKENS_3(F) TOKENS_2(F) F(2)
#define TOKENS_4(F) TOKENS_3(F) F(3)
#define TOKENS_5(F) TOKENS_4(F) F(4)
#define TOKENS_6(F) TOKENS_5(F) F(5)
#define TOKENS_7(F) TOKENS_6(F) F(6)
#define TOKENS_8(F) TOKENS_7(F) F(7)

/* Sums are variables of their own: what stands in an array goes to memory and back in every round.
 */
#define BLOCK(n)                                                                                   \
	static void block_##n(const struct place *at)                                              \
	{                                                                                          \
		const size_t cols = at->m->cols;                                                   \
		const uint8_t *token = (const uint8_t *)at->in->values + at->token * cols;         \
		const int8_t *tiles[MOST_TILES];                                                   \
		__m512i start[MOST_TILES], values, a, b, c;                                        \
                                                                                                   \
		begin(at, tiles, start);                                                           \
		TOKENS_##n(BEGIN) for (size_t col = 0; col < cols; col += STEP)                    \
		{                                                                                  \
			a = _mm512_loadu_si512(tiles[0] + col * TILE);                             \
			b = _mm512_loadu_si512(tiles[1] + col * TILE);                             \
			c = _mm512_loadu_si512(tiles[2] + col * TILE);                             \
			TOKENS_##n(ADD)                                                            \
		}                                                                                  \
		TOKENS_##n(FINISH)                                                                 \
	}
BLOCK(1)
BLOCK(2)
BLOCK(3)
BLOCK(4)
BLOCK(5)
BLOCK(6)
BLOCK(7)
BLOCK(8)

static void (*const blocks[MOST + 1])(const struct place *) = {
	NULL, block_1, block_2, block_3, block_4, block_5, block_6, block_7, block_8,
};

/* Tokens in groups of nearly one size. Three tiles at a time are read by all groups, so that their
 * weights come from the first cache. */
static void multiply(const struct kb_product_matrix *m, const struct kb_product_in *in, float *out)
{
	const size_t groups = (in->n + MOST - 1) / MOST, tiles = m->rows / TILE;

	for (size_t tile = 0; tile < tiles; tile += MOST_TILES)
		for (size_t g = 0; g < groups; g++) {
			size_t token = in->n * g / groups, end = in->n * (g + 1) / groups;

			blocks[end - token](
			        &(struct place){ m, in, out, tile,
			                         KB_MIN(tiles - tile, (size_t)MOST_TILES), token });
		}
}

const struct kb_product_path kb_product_avx512_vnni = { "AVX-512 VNNI", available, 1,
	                                                kb_product_round_unsigned, multiply };
