/*
 * Products by AVX-VNNI: what product_avx512.c does, in half as wide registers and half as many.
 */
#include <cpuid.h>
#include <immintrin.h>

#include "encode/product_path.h"

enum { TILE = KB_PRODUCT_TILE, STEP = KB_PRODUCT_STEP, MOST = 6, HALF = 8 };

/* The compiler's list of what one may ask for has it only in later versions. */
static bool available(void)
{
	unsigned a, b, c, d;

	return __builtin_cpu_supports("avx2") && __get_cpuid_count(7, 1, &a, &b, &c, &d)
	       && (a >> 4 & 1);
}

struct place {
	const struct kb_product_matrix *m;
	const struct kb_product_in *in;
	float *out;
	size_t tile, token; /* the first of the block's tokens */
};

static inline __attribute__((always_inline)) __m256i four(const uint8_t *values)
{
	int32_t bits;

	__builtin_memcpy(&bits, values, sizeof(bits));
	return _mm256_set1_epi32(bits);
}

/* Eight rows of one token. */
static inline void finish(const struct place *at, size_t token, size_t row, __m256i sums)
{
	const struct kb_product_matrix *m = at->m;
	__m256 scales = _mm256_mul_ps(_mm256_set1_ps(at->in->scales[token]),
	                              _mm256_loadu_ps(m->scales + row));

	_mm256_storeu_ps(at->out + token * m->rows + row,
	                 _mm256_add_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(sums), scales),
	                               _mm256_loadu_ps(m->bias + row)));
}

/* What the sums begin at. */
static inline __m256i begin(const int32_t *row_sums)
{
	return _mm256_sub_epi32(_mm256_setzero_si256(),
	                        _mm256_slli_epi32(_mm256_loadu_si256((const void *)row_sums), 7));
}

/* A token's values of one step, times the weights of the tile's two halves. */
#define BEGIN(t) __m256i a##t = start_a, b##t = start_b;
#define ADD(t)                                                                                     \
	values = four(token + (t)*cols + col);                                                     \
	a##t = _mm256_dpbusd_avx_epi32(a##t, values, a);                                           \
	b##t = _mm256_dpbusd_avx_epi32(b##t, values, b);
#define FINISH(t)                                                                                  \
	finish(at, at->token + (t), at->tile * TILE, a##t);                                        \
	finish(at, at->token + (t), at->tile * TILE + HALF, b##t);

#define TOKENS_1(F) F(0)
#define TOKENS_2(F) TOKENS_1(F) F(1)
#define TOKENS_3(F) TOKENS_2(F) F(2)
#define TOKENS_4(F) TOKENS_3(F) F(3)
#define TOKENS_5(F) TOKENS_4(F) F(4)
#define TOKENS_6(F) TOKENS_5(F) F(5)

/* Sums are variables of their own: what stands in an array goes to memory and back in every round.
 */
#define BLOCK(n)                                                                                   \
	static void block_##n(const struct place *at)                                              \
	{                                                                                          \
		const size_t cols = at->m->cols;                                                   \
		const uint8_t *token = (const uint8_t *)at->in->values + at->token * cols;         \
		const int8_t *tile = kb_product_tile(at->m, at->tile);                             \
		const __m256i start_a = begin(at->m->row_sums + at->tile * TILE);                  \
		const __m256i start_b = begin(at->m->row_sums + at->tile * TILE + HALF);           \
		__m256i values, a, b;                                                              \
                                                                                                   \
		TOKENS_##n(BEGIN) for (size_t col = 0; col < cols; col += STEP)                    \
		{                                                                                  \
			a = _mm256_loadu_si256((const void *)(tile + col * TILE));                 \
			b = _mm256_loadu_si256((const void *)(tile + col * TILE + HALF * STEP));   \
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

static void (*const blocks[MOST + 1])(const struct place *) = {
	NULL, block_1, block_2, block_3, block_4, block_5, block_6,
};

static void multiply(const struct kb_product_matrix *m, const struct kb_product_in *in, float *out)
{
	const size_t groups = (in->n + MOST - 1) / MOST;

	for (size_t tile = 0; tile < m->rows / TILE; tile++)
		for (size_t g = 0; g < groups; g++) {
			size_t token = in->n * g / groups, end = in->n * (g + 1) / groups;

			blocks[end - token](&(struct place){ m, in, out, tile, token });
		}
}

const struct kb_product_path kb_product_avx_vnni = { "AVX-VNNI", available, 1,
	                                             kb_product_round_unsigned, multiply };
