/*
 * Products by AVX2.
 *
 * The instruction that multiplies bytes stops at 16 bits where two products need 17, so everything
 * is widened to 16 bits first: tokens once, weights for every two tokens that they serve. A
 * register of sums has four rows, each as two halves that are added in the end.
 */
#include <immintrin.h>

#include "encode/product_path.h"

enum { TILE = KB_PRODUCT_TILE, STEP = KB_PRODUCT_STEP, MOST = 2, PARTS = 4, ROWS = 4 };

static bool available(void)
{
	return __builtin_cpu_supports("avx2");
}

struct place {
	const struct kb_product_matrix *m;
	const struct kb_product_in *in;
	float *out;
	size_t tile, token; /* the first ones */
};

static inline __attribute__((always_inline)) __m256i four(const int16_t *values)
{
	int64_t bits;

	__builtin_memcpy(&bits, values, sizeof(bits));
	return _mm256_set1_epi64x(bits);
}

/* Eight rows of one token. */
static inline __attribute__((always_inline)) void finish(const struct place *at, size_t token,
                                                         size_t row, __m256i low, __m256i high)
{
	const struct kb_product_matrix *m = at->m;
	__m256i sums = _mm256_permute4x64_epi64(_mm256_hadd_epi32(low, high), 0xd8);
	__m256 scale = _mm256_mul_ps(_mm256_set1_ps(at->in->scales[token]),
	                             _mm256_loadu_ps(m->scales + row));

	_mm256_storeu_ps(at->out + token * m->rows + row,
	                 _mm256_add_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(sums), scale),
	                               _mm256_loadu_ps(m->bias + row)));
}

/* One tile for T tokens, a constant. */
static inline __attribute__((always_inline)) void block(const struct place *at, const int T)
{
	const struct kb_product_matrix *m = at->m;
	const int16_t *token = (const int16_t *)at->in->values + at->token * m->cols;
	const int8_t *tile = kb_product_tile(m, at->tile);
	__m256i sums[MOST][PARTS], values[MOST];

	for (int t = 0; t < T; t++)
		for (int p = 0; p < PARTS; p++)
			sums[t][p] = _mm256_setzero_si256();
	for (size_t c = 0; c < m->cols; c += STEP) {
		const __m128i *bytes = (const void *)(tile + c * TILE);

		for (int t = 0; t < T; t++)
			values[t] = four(token + (size_t)t * m->cols + c);
		for (int p = 0; p < PARTS; p++) {
			__m256i weights = _mm256_cvtepi8_epi16(_mm_loadu_si128(bytes + p));

			for (int t = 0; t < T; t++)
				sums[t][p] = _mm256_add_epi32(
				        sums[t][p], _mm256_madd_epi16(weights, values[t]));
		}
	}
	for (int t = 0; t < T; t++)
		for (int p = 0; p < PARTS; p += 2)
			finish(at, at->token + t, at->tile * TILE + (size_t)p * ROWS, sums[t][p],
			       sums[t][p + 1]);
}

static void multiply(const struct kb_product_matrix *m, const struct kb_product_in *in, float *out)
{
	for (size_t tile = 0; tile < m->rows / TILE; tile++)
		for (size_t token = 0; token < in->n; token += MOST) {
			struct place at = { m, in, out, tile, token };

			if (in->n - token >= MOST)
				block(&at, MOST);
			else
				block(&at, 1);
		}
}

const struct kb_product_path kb_product_avx2 = { "AVX2", available, 2, kb_product_round_wide,
	                                         multiply };
