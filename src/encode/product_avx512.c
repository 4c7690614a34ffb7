/*
 * Products by AVX-512 with VNNI.
 *
 * One instruction multiplies four unsigned bytes of a token with four signed ones of each of 16
 * rows and adds them to 16 sums. Tokens are made unsigned by adding 128, and the sums begin at what
 * this adds too much. As many sums stay in registers as there are: each weight that is read serves
 * up to eight tokens, each value of a token up to eight tiles.
 */
#include <immintrin.h>

#include "encode/product_path.h"

enum { TILE = KB_PRODUCT_TILE, STEP = KB_PRODUCT_STEP, MOST = 8 };

static bool available(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
	       && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
}

static float round_token(const float *in, uint32_t cols, void *out)
{
	uint8_t *values = out;
	float scale, factor = kb_product_factor(in, cols, &scale);

	for (uint32_t c = 0; c < cols; c++)
		values[c] = (uint8_t)(kb_product_whole(in[c] * factor) + 128);
	return scale;
}

struct place {
	const struct kb_product_matrix *m;
	const struct kb_product_in *in;
	float *out;
	size_t tile, token; /* the first ones */
};

static inline __attribute__((always_inline)) __m512i four(const uint8_t *values)
{
	int32_t bits;

	__builtin_memcpy(&bits, values, sizeof(bits));
	return _mm512_set1_epi32(bits);
}

/* T tokens by B tiles. Both are constants where it is called, and all loops over them vanish. */
static inline __attribute__((always_inline)) void block(const struct place *at, const int T,
                                                        const int B)
{
	const struct kb_product_matrix *m = at->m;
	const uint8_t *token = (const uint8_t *)at->in->values + at->token * m->cols;
	const int8_t *tile = kb_product_tile(m, at->tile);
	const size_t next = (size_t)TILE * m->cols;
	__m512i sums[MOST][MOST], weights[MOST];

	for (int b = 0; b < B; b++) {
		__m512i row_sums = _mm512_loadu_si512(m->row_sums + (at->tile + b) * TILE);

		for (int t = 0; t < T; t++)
			sums[t][b] = _mm512_sub_epi32(_mm512_setzero_si512(),
			                              _mm512_slli_epi32(row_sums, 7));
	}
	for (size_t c = 0; c < m->cols; c += STEP) {
		for (int b = 0; b < B; b++)
			weights[b] = _mm512_loadu_si512(tile + b * next + c * TILE);
		for (int t = 0; t < T; t++) {
			__m512i values = four(token + (size_t)t * m->cols + c);

			for (int b = 0; b < B; b++)
				sums[t][b] = _mm512_dpbusd_epi32(sums[t][b], values, weights[b]);
		}
	}
	for (int b = 0; b < B; b++) {
		size_t row = (at->tile + b) * TILE;
		__m512 scales = _mm512_loadu_ps(m->scales + row);
		__m512 bias = _mm512_loadu_ps(m->bias + row);

		for (int t = 0; t < T; t++) {
			__m512 scale = _mm512_mul_ps(_mm512_set1_ps(at->in->scales[at->token + t]),
			                             scales);
			__m512 sum = _mm512_mul_ps(_mm512_cvtepi32_ps(sums[t][b]), scale);

			_mm512_storeu_ps(at->out + (at->token + t) * m->rows + row,
			                 _mm512_add_ps(sum, bias));
		}
	}
}

#define SHAPE(T, B)                                                                                \
	static void block_##T##_##B(const struct place *at)                                        \
	{                                                                                          \
		block(at, T, B);                                                                   \
	}
// clang-format off
SHAPE(1, 1) SHAPE(2, 1) SHAPE(3, 1) SHAPE(4, 1) SHAPE(5, 1) SHAPE(6, 1) SHAPE(7, 1) SHAPE(8, 1)
SHAPE(1, 8) SHAPE(2, 8) SHAPE(3, 6) SHAPE(4, 6) SHAPE(5, 4) SHAPE(6, 4)
SHAPE(4, 3) SHAPE(5, 3) SHAPE(6, 3) SHAPE(7, 3) SHAPE(8, 3)

/* By how many tokens there are: a few alone, a group of many, and what is left of the tiles. */
static const struct {
	size_t tiles;
	void (*alone)(const struct place *), (*grouped)(const struct place *),
		(*one_tile)(const struct place *);
} shapes[MOST + 1] = {
	[1] = { 8, block_1_8, NULL, block_1_1 },
	[2] = { 8, block_2_8, NULL, block_2_1 },
	[3] = { 6, block_3_6, NULL, block_3_1 },
	[4] = { 6, block_4_6, block_4_3, block_4_1 },
	[5] = { 4, block_5_4, block_5_3, block_5_1 },
	[6] = { 4, block_6_4, block_6_3, block_6_1 },
	[7] = { 3, block_7_3, block_7_3, block_7_1 },
	[8] = { 3, block_8_3, block_8_3, block_8_1 },
};
// clang-format on

/* Tokens in groups of nearly one size, 4 to 8 where there are more than 8. Some tiles at a time are
 * read by all groups, so that their weights come from the first cache. */
static void multiply(const struct kb_product_matrix *m, const struct kb_product_in *in, float *out)
{
	const size_t groups = (in->n + MOST - 1) / MOST, tiles = m->rows / TILE;
	const size_t step = groups == 1 ? shapes[in->n].tiles : shapes[MOST].tiles;
	size_t count = 0;

	for (size_t tile = 0; tile < tiles; tile += count) {
		count = tiles - tile < step ? 1 : step;
		for (size_t g = 0; g < groups; g++) {
			size_t token = in->n * g / groups, end = in->n * (g + 1) / groups;
			struct place at = { m, in, out, tile, token };

			(count == 1    ? shapes[end - token].one_tile
			 : groups == 1 ? shapes[end - token].alone
			               : shapes[end - token].grouped)(&at);
		}
	}
}

const struct kb_product_path kb_product_avx512_vnni = { "AVX-512 VNNI", available, 1, round_token,
	                                                multiply };
