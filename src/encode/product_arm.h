/*
 * What the two paths of 64-bit Arm share: a block's place, and how its sums become floats.
 */
#ifndef KB_ENCODE_PRODUCT_ARM_H
#define KB_ENCODE_PRODUCT_ARM_H

#include <arm_neon.h>

#include "encode/product_path.h"

struct place {
	const struct kb_product_matrix *m;
	const struct kb_product_in *in;
	float *out;
	size_t tile, token; /* the first of the block's tokens */
};

/* A token's values of one step. */
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

#endif
