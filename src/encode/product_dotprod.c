/*
 * Products by the dot products of newer Arm processors: four bytes of a token times four of each of
 * four rows, in one instruction.
 */
#include <arm_neon.h>
#include <sys/auxv.h>

#include "encode/product_path.h"

enum { TILE = KB_PRODUCT_TILE, STEP = KB_PRODUCT_STEP, MOST = 4, PARTS = 4, ROWS = 4 };

static bool available(void)
{
	const unsigned long dot_products = 1UL << 20; /* HWCAP_ASIMDDP */

	return getauxval(AT_HWCAP) & dot_products;
}

static float round_token(const float *in, uint32_t cols, void *out)
{
	int8_t *values = out;
	float scale, factor = kb_product_factor(in, cols, &scale);

	for (uint32_t c = 0; c < cols; c++)
		values[c] = (int8_t)kb_product_whole(in[c] * factor);
	return scale;
}

struct place {
	const struct kb_product_matrix *m;
	const struct kb_product_in *in;
	float *out;
	size_t tile, token; /* the first of the block's tokens */
};

static inline int32_t four(const int8_t *values)
{
	int32_t bits;

	memcpy(&bits, values, sizeof(bits));
	return bits;
}

/* Four rows of one token. */
static inline void finish(const struct place *at, size_t token, size_t row, int32x4_t sums)
{
	const struct kb_product_matrix *m = at->m;
	float32x4_t scales = vmulq_n_f32(vld1q_f32(m->scales + row), at->in->scales[token]);
	float32x4_t out = vmulq_f32(vcvtq_f32_s32(sums), scales);

	vst1q_f32(at->out + token * m->rows + row, vaddq_f32(out, vld1q_f32(m->bias + row)));
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

const struct kb_product_path kb_product_dotprod = { "NEON dot products", available, 1, round_token,
	                                            multiply };
