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

static inline __attribute__((always_inline)) __m256i four(const uint8_t *values)
{
	int32_t bits;

	__builtin_memcpy(&bits, values, sizeof(bits));
	return _mm256_set1_epi32(bits);
}

/* T tokens by H halves of tiles, constants both. */
static inline __attribute__((always_inline)) void block(const struct place *at, const int T,
                                                        const int H)
{
	const struct kb_product_matrix *m = at->m;
	const uint8_t *token = (const uint8_t *)at->in->values + at->token * m->cols;
	const int8_t *half[4];
	__m256i sums[MOST][4], weights[4];

	for (int h = 0; h < H; h++) {
		size_t row = at->tile * TILE + (size_t)h * HALF;
		__m256i row_sums = _mm256_loadu_si256((const __m256i *)(m->row_sums + row));

		half[h] = kb_product_tile(m, at->tile + h / 2) + h % 2 * HALF * STEP;
		for (int t = 0; t < T; t++)
			sums[t][h] = _mm256_sub_epi32(_mm256_setzero_si256(),
			                              _mm256_slli_epi32(row_sums, 7));
	}
	for (size_t c = 0; c < m->cols; c += STEP) {
		for (int h = 0; h < H; h++)
			weights[h] = _mm256_loadu_si256((const __m256i *)(half[h] + c * TILE));
		for (int t = 0; t < T; t++) {
			__m256i values = four(token + (size_t)t * m->cols + c);

			for (int h = 0; h < H; h++)
				sums[t][h] =
				        _mm256_dpbusd_avx_epi32(sums[t][h], values, weights[h]);
		}
	}
	for (int h = 0; h < H; h++) {
		size_t row = at->tile * TILE + (size_t)h * HALF;
		__m256 scales = _mm256_loadu_ps(m->scales + row);
		__m256 bias = _mm256_loadu_ps(m->bias + row);

		for (int t = 0; t < T; t++) {
			__m256 scale = _mm256_mul_ps(_mm256_set1_ps(at->in->scales[at->token + t]),
			                             scales);
			__m256 sum = _mm256_mul_ps(_mm256_cvtepi32_ps(sums[t][h]), scale);

			_mm256_storeu_ps(at->out + (at->token + t) * m->rows + row,
			                 _mm256_add_ps(sum, bias));
		}
	}
}

#define SHAPE(T, H)                                                                                \
	static void block_##T##_##H(const struct place *at)                                        \
	{                                                                                          \
		block(at, T, H);                                                                   \
	}
// clang-format off
SHAPE(1, 2) SHAPE(2, 2) SHAPE(3, 2) SHAPE(4, 2) SHAPE(5, 2) SHAPE(6, 2)
        // clang-format on

        static void (*const shapes[MOST + 1])(const struct place *) = {
	        NULL, block_1_2, block_2_2, block_3_2, block_4_2, block_5_2, block_6_2,
        };

static void multiply(const struct kb_product_matrix *m, const struct kb_product_in *in, float *out)
{
	const size_t groups = (in->n + MOST - 1) / MOST;

	for (size_t tile = 0; tile < m->rows / TILE; tile++)
		for (size_t g = 0; g < groups; g++) {
			size_t token = in->n * g / groups, end = in->n * (g + 1) / groups;

			shapes[end - token](&(struct place){ m, in, out, tile, token });
		}
}

const struct kb_product_path kb_product_avx_vnni = { "AVX-VNNI", available, 1, round_token,
	                                             multiply };
