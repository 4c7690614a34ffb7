/*
 * Products by NEON, which every 64-bit Arm has: bytes are multiplied to 16 bits, and neighbours
 * added to sums of 32. A register of sums has two rows, each as two halves that are added in the
 * end.
 */
#include "encode/product_arm.h"

enum { TILE = KB_PRODUCT_TILE, STEP = KB_PRODUCT_STEP, MOST = 2, PARTS = 8, ROWS = 2 };

static bool available(void)
{
	return true;
}

/* One tile for T tokens, a constant. */
static inline __attribute__((always_inline)) void block(const struct place *at, const int T)
{
	const struct kb_product_matrix *m = at->m;
	const int8_t *token = (const int8_t *)at->in->values + at->token * m->cols;
	const int8_t *tile = kb_product_tile(m, at->tile);
	int32x4_t sums[MOST][PARTS];
	int8x8_t values[MOST];

	for (int t = 0; t < T; t++)
		for (int p = 0; p < PARTS; p++)
			sums[t][p] = vdupq_n_s32(0);
	for (size_t c = 0; c < m->cols; c += STEP) {
		for (int t = 0; t < T; t++)
			values[t] = vreinterpret_s8_s32(
			        vdup_n_s32(four(token + (size_t)t * m->cols + c)));
		for (int p = 0; p < PARTS; p++) {
			int8x8_t weights = vld1_s8(tile + c * TILE + (size_t)p * ROWS * STEP);

			for (int t = 0; t < T; t++)
				sums[t][p] = vpadalq_s16(sums[t][p], vmull_s8(weights, values[t]));
		}
	}
	for (int t = 0; t < T; t++)
		for (int p = 0; p < PARTS; p += 2)
			finish(at, at->token + t, at->tile * TILE + (size_t)p * ROWS,
			       vpaddq_s32(sums[t][p], sums[t][p + 1]));
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

const struct kb_product_path kb_product_neon = { "NEON", available, 1, kb_product_round_signed,
	                                         multiply };
