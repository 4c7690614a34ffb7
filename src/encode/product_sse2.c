/*
 * Products by SSE2, which every x86-64 has: what product_avx2.c does, for half a tile at a time.
 */
#include <emmintrin.h>

#include "encode/product_path.h"

enum { TILE = KB_PRODUCT_TILE, STEP = KB_PRODUCT_STEP, MOST = 2, PARTS = 4, HALF = 8, ROWS = 2 };

static bool available(void)
{
	return true;
}

struct place {
	const struct kb_product_matrix *m;
	const struct kb_product_in *in;
	float *out;
	size_t row, token; /* the first ones */
};

/* Four rows of one token. */
static inline __attribute__((always_inline)) void finish(const struct place *at, size_t token,
                                                         size_t row, __m128i low, __m128i high)
{
	const struct kb_product_matrix *m = at->m;
	__m128 a = _mm_castsi128_ps(low), b = _mm_castsi128_ps(high);
	__m128i sums = _mm_add_epi32(_mm_castps_si128(_mm_shuffle_ps(a, b, 0x88)),
	                             _mm_castps_si128(_mm_shuffle_ps(a, b, 0xdd)));
	__m128 scale =
	        _mm_mul_ps(_mm_set1_ps(at->in->scales[token]), _mm_loadu_ps(m->scales + row));

	_mm_storeu_ps(
	        at->out + token * m->rows + row,
	        _mm_add_ps(_mm_mul_ps(_mm_cvtepi32_ps(sums), scale), _mm_loadu_ps(m->bias + row)));
}

/* Eight rows for T tokens, a constant. */
static inline __attribute__((always_inline)) void block(const struct place *at, const int T)
{
	const struct kb_product_matrix *m = at->m;
	const int16_t *token = (const int16_t *)at->in->values + at->token * m->cols;
	const int8_t *half = kb_product_tile(m, at->row / TILE) + at->row % TILE * STEP;
	__m128i sums[MOST][PARTS], values[MOST];

	for (int t = 0; t < T; t++)
		for (int p = 0; p < PARTS; p++)
			sums[t][p] = _mm_setzero_si128();
	for (size_t c = 0; c < m->cols; c += STEP) {
		const __m128i *bytes = (const void *)(half + c * TILE);

		for (int t = 0; t < T; t++) {
			__m128i v =
			        _mm_loadl_epi64((const void *)(token + (size_t)t * m->cols + c));

			values[t] = _mm_unpacklo_epi64(v, v);
		}
		for (int p = 0; p < PARTS; p++) {
			__m128i b = _mm_loadu_si128(bytes + p / 2);
			__m128i twice = p % 2 ? _mm_unpackhi_epi8(b, b) : _mm_unpacklo_epi8(b, b);
			__m128i weights = _mm_srai_epi16(twice, 8);

			for (int t = 0; t < T; t++)
				sums[t][p] = _mm_add_epi32(sums[t][p],
				                           _mm_madd_epi16(weights, values[t]));
		}
	}
	for (int t = 0; t < T; t++)
		for (int p = 0; p < PARTS; p += 2)
			finish(at, at->token + t, at->row + (size_t)p * ROWS, sums[t][p],
			       sums[t][p + 1]);
}

static void multiply(const struct kb_product_matrix *m, const struct kb_product_in *in, float *out)
{
	for (size_t row = 0; row < m->rows; row += HALF)
		for (size_t token = 0; token < in->n; token += MOST) {
			struct place at = { m, in, out, row, token };

			if (in->n - token >= MOST)
				block(&at, MOST);
			else
				block(&at, 1);
		}
}

const struct kb_product_path kb_product_sse2 = { "SSE2", available, 2, kb_product_round_wide,
	                                         multiply };
