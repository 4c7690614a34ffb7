/*
 * Products by the dot products of newer Arm processors: four bytes of a token times four of each of
 * four rows, in one instruction.
 */
#include <sys/auxv.h>

#include "encode/product_arm.h"

enum { TILE = KB_PRODUCT_TILE, STEP = KB_PRODUCT_STEP, MOST = 4, PARTS = 4, ROWS = 4 };

static bool available(void)
{
	const unsigned long dot_products = 1UL << 20; /* HWCAP_ASIMDDP */

	return getauxval(AT_HWCAP) & dot_products;
}

/* One tile for T tokens, a constant. */
static inline __attribute__((always_inline)) void block(const struct place *at, const int T)
{
	const struct kb_product_matrix *m = at->m;
	const int8_t *token = (const int8_t *)at->in->values + at->token * m->cols;
	const int8_t *tile = kb_product_tile(m, at->tile);
	int32x4_t sums[MOST][PARTS];
	int8x16_t weights[PARTS];

	for (int t = 0; t < T; t++)
		for (int p = 0; p < PARTS; p++)
			sums[t][p] = vdupq_n_s32(0);
	for (size_t c = 0; c < m->cols; c += STEP) {
		for (int p = 0; p < PARTS; p++)
			weights[p] = vld1q_s8(tile + c * TILE + (size_t)p * ROWS * STEP);
		for (int t = 0; t < T; t++) {
			int8x16_t values = vreinterpretq_s8_s32(
			        vdupq_n_s32(four(token + (size_t)t * m->cols + c)));

			for (int p = 0; p < PARTS; p++)
				sums[t][p] = vdotq_s32(sums[t][p], weights[p], values);
		}
	}
	for (int t = 0; t < T; t++)
		for (int p = 0; p < PARTS; p++)
			finish(at, at->token + t, at->tile * TILE + (size_t)p * ROWS, sums[t][p]);
}

static void multiply(const struct kb_product_matrix *m, const struct kb_product_in *in, float *out)
{
	for (size_t tile = 0; tile < m->rows / TILE; tile++)
		for (size_t token = 0; token < in->n; token += MOST) {
			struct place at = { m, in, out, tile, token };

			if (in->n - token >= MOST)
				block(&at, MOST);
			else
				for (; at.token < in->n; at.token++)
					block(&at, 1);
		}
}

const struct kb_product_path kb_product_dotprod = { "NEON dot products", available, 1,
	                                            kb_product_round_signed, multiply };
