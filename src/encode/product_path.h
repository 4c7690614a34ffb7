/*
 * What the paths of product.h are made of. Private to them and product.c.
 */
#ifndef KB_ENCODE_PRODUCT_PATH_H
#define KB_ENCODE_PRODUCT_PATH_H

#include <math.h>
#include <string.h>

#include "encode/product_matrix.h"

/* Tokens as a path wants them. */
struct kb_product_in {
	const void *values;  /* n rows of cols values, `width` bytes each */
	const float *scales; /* a token */
	size_t n;
};

struct kb_product_path {
	const char *name;
	bool (*available)(void);
	unsigned width; /* bytes of a value: at most 2 */
	/* Rounds one token to such values, and returns its scale. */
	float (*round)(const float *in, uint32_t cols, void *out);
	void (*multiply)(const struct kb_product_matrix *m, const struct kb_product_in *in,
	                 float *out);
};

extern const struct kb_product_path kb_product_plain;
#if defined(__x86_64__)
extern const struct kb_product_path kb_product_sse2, kb_product_avx2, kb_product_avx_vnni,
        kb_product_avx512_vnni, kb_product_amx;
#elif defined(__aarch64__)
extern const struct kb_product_path kb_product_neon, kb_product_dotprod;
#endif

/*
 * Rounding is plain C that each path has compiled for its own registers: the largest magnitude of a
 * token, then every value's nearest whole number.
 */

/* Bits of floats without their sign are ordered as the floats are, infinity and what is no number
 * above all; and of integers the compiler may take the maximum in any order. */
static inline float kb_product_largest(const float *in, uint32_t cols)
{
	uint32_t max = 0, bits;
	float out;

	for (uint32_t c = 0; c < cols; c++) {
		memcpy(&bits, in + c, sizeof(bits));
		bits &= UINT32_C(0x7fffffff);
		max = KB_MAX(bits, max);
	}
	memcpy(&out, &max, sizeof(out));
	return out;
}

/* What a token's values are multiplied with before they are rounded, and its scale. */
static inline float kb_product_factor(const float *in, uint32_t cols, float *scale)
{
	const float nothing = 1e-30f;
	float max = kb_product_largest(in, cols);

	*scale = max < nothing ? 0 : isfinite(max) ? max / 127 : NAN;
	return max < nothing || !isfinite(max) ? 0 : 127 / max;
}

/* The nearest whole number, halves going to the even one: added to 3 * 2^22 it stands in the low
 * bits. Of what is not finite come any bits; the token's scale says so. */
static inline int32_t kb_product_whole(float value)
{
	const float shift = 12582912;
	uint32_t bits, none;

	value += shift;
	memcpy(&bits, &value, sizeof(bits));
	memcpy(&none, &shift, sizeof(none));
	return (int32_t)(bits - none);
}

/* kb_product_path.round for values of each width; a path has its own copy, in its own instructions.
 */
static inline float kb_product_round_signed(const float *in, uint32_t cols, void *out)
{
	int8_t *values = out;
	float scale, factor = kb_product_factor(in, cols, &scale);

	for (uint32_t c = 0; c < cols; c++)
		values[c] = (int8_t)kb_product_whole(in[c] * factor);
	return scale;
}

/* Each more by 128. */
static inline float kb_product_round_unsigned(const float *in, uint32_t cols, void *out)
{
	uint8_t *values = out;
	float scale, factor = kb_product_factor(in, cols, &scale);

	for (uint32_t c = 0; c < cols; c++)
		values[c] = (uint8_t)(kb_product_whole(in[c] * factor) + 128);
	return scale;
}

static inline float kb_product_round_wide(const float *in, uint32_t cols, void *out)
{
	int16_t *values = out;
	float scale, factor = kb_product_factor(in, cols, &scale);

	for (uint32_t c = 0; c < cols; c++)
		values[c] = (int16_t)kb_product_whole(in[c] * factor);
	return scale;
}

/* The first weights of a tile: its columns follow, 64 bytes for every four. */
static inline const int8_t *kb_product_tile(const struct kb_product_matrix *m, size_t tile)
{
	return m->tiles + tile * KB_PRODUCT_TILE * m->cols;
}

#endif
