/*
 * The ways of lanes.h: this file is compiled once for each kind of processor, with the compiler's
 * options for it and KB_LANES_WAY, its name (meson.build). The vectors are the compiler's own.
 *
 * All ways give the same bits: no multiplication is fused with an addition, and what is summed up
 * over lanes is summed up in sixteen places, however many a register has. A bit more or less would
 * round some value to another byte, which moves others in each layer that follows, until vectors of
 * two processors are as far from each other as either is from the exact one.
 */
#include "encode/lanes.h"

#include <math.h>
#include <string.h>

#if defined(__AVX512F__)
enum { LANES = 16, ROWS = 8 };
#elif defined(__AVX2__)
enum { LANES = 8, ROWS = 4 };
#else
enum { LANES = 4, ROWS = 4 };
#endif
static_assert(LANES <= (int)KB_LANES_MOST && ROWS <= (int)KB_LANES_ROWS,
              "what scratch is made for");
enum { PLACES = 16, VECTORS = PLACES / LANES }; /* of a sum */

typedef float vec __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t ints __attribute__((vector_size(LANES * sizeof(int32_t))));
typedef float quad __attribute__((vector_size(4 * sizeof(float))));

#define LEAST -1e30f /* less than any product */

#define INLINE static inline __attribute__((always_inline))

INLINE vec load(const float *p)
{
	vec v;

	memcpy(&v, p, sizeof(v));
	return v;
}

INLINE void store(float *p, vec v)
{
	memcpy(p, &v, sizeof(v));
}

INLINE vec all(float x)
{
	return x - (vec){ 0 };
}

INLINE vec choose(ints where, vec a, vec b)
{
	return (vec)(((ints)a & where) | ((ints)b & ~where));
}

INLINE vec larger(vec a, vec b)
{
	return choose(a > b, a, b);
}

/* Of all places; by quads, as taking out one after the other costs more than what is summed. */
INLINE float sum(const vec v[VECTORS])
{
	quad parts[PLACES / 4], total;

	memcpy(parts, v, sizeof(parts));
	total = parts[0];
	for (int i = 1; i < PLACES / 4; i++)
		total += parts[i];
	return total[0] + total[1] + (total[2] + total[3]);
}

INLINE float largest(vec v)
{
	float parts[LANES], most;

	memcpy(parts, &v, sizeof(v));
	for (int half = LANES / 2; half >= 4; half /= 2)
		for (int i = 0; i < half; i++)
			parts[i] = parts[i] > parts[i + half] ? parts[i] : parts[i + half];
	most = parts[0];
	for (int i = 1; i < 4; i++)
		most = parts[i] > most ? parts[i] : most;
	return most;
}

/* Two to x, where x is 0 or less; 2^-126 for what is smaller. Correct to 3e-6. The whole number is
 * found by adding one so large that what is behind the point falls off; a polynomial has the rest,
 * which lies within a half. */
INLINE vec power(vec x)
{
	const float large = 12582912; /* 1.5 * 2^23 */
	vec shifted, r, p;

	x = larger(x, all(-126));
	shifted = x + large;
	r = x - (shifted - large);
	p = r * 9.570096619e-3f + 5.591785908e-2f;
	p = p * r + 2.402474433e-1f;
	p = p * r + 6.931217909e-1f;
	p = p * r + 9.999992847e-1f;
	return (vec)((ints)p + ((ints)shifted << 23));
}

/* ---- norm ---- */

static void norm(float *x, const float *add, const float *weight, const float *bias, size_t width,
                 float eps)
{
	vec total[VECTORS] = { 0 }, squares[VECTORS] = { 0 };
	float mean, factor;

	for (size_t i = 0; i < width; i += PLACES)
		for (size_t k = 0; k < VECTORS; k++) {
			size_t at = i + k * LANES;
			vec v = load(x + at);

			if (add)
				v += load(add + at);
			store(x + at, v);
			total[k] += v;
		}
	mean = sum(total) / (float)width;
	for (size_t i = 0; i < width; i += PLACES)
		for (size_t k = 0; k < VECTORS; k++) {
			vec v = load(x + i + k * LANES) - mean;

			squares[k] += v * v;
		}
	factor = 1 / sqrtf(sum(squares) / (float)width + eps);
	for (size_t i = 0; i < width; i += LANES)
		store(x + i, (load(x + i) - mean) * factor * load(weight + i) + load(bias + i));
}

static void times(const float *x, const float *by, float *out, size_t width)
{
	for (size_t i = 0; i < width; i += LANES)
		store(out + i, load(x + i) * load(by + i));
}

/* ---- gelu ---- */

/* The share below v is 1/2 + v * P(v^2), correct to 2e-5 for the product with v, up to 4.5; beyond
 * it is 0 or 1. What comes of it is rounded to a hundredth or more. */
static void gelu(float *x, size_t count)
{
	const float end = 4.5f;

	for (size_t i = 0; i < count; i += LANES) {
		vec v = load(x + i), near = larger(-larger(-v, all(-end)), all(-end));
		vec square = near * near;
		vec p = square * -8.639388033e-13f + 1.172089508e-10f;

		p = p * square - 7.016713433e-9f;
		p = p * square + 2.462072359e-7f;
		p = p * square - 5.684992175e-6f;
		p = p * square + 9.216237231e-5f;
		p = p * square - 1.093917876e-3f;
		p = p * square + 9.751830250e-3f;
		p = p * square - 6.622527540e-2f;
		p = p * square + 3.988315165e-1f;
		store(x + i, v * (p * near + .5f));
	}
}

/* ---- attention ----
 *
 * A head's keys and values lie a long way apart, in the same few lines of the cache, so they are
 * gathered: values one behind the other, keys in blocks that are turned, so that a register holds
 * one of their values for as many keys. Then a few queries at a time are multiplied with all keys,
 * and their weights with all values: what is loaded once serves all of them, and the weights never
 * leave the nearest cache.
 */

enum { BLOCK = 2 * LANES }; /* keys */

struct head {
	const struct kb_attention *a;
	size_t padded;  /* tokens, in whole blocks */
	float *keys;    /* [padded / BLOCK][width][BLOCK] */
	float *values;  /* [tokens][width] */
	float *queries; /* [width][ROWS]: those in hand, times what makes their products powers of 2
	                 */
	float *weights; /* [ROWS][padded]: theirs */
	float most[ROWS];   /* of a query's products */
	float totals[ROWS]; /* of its weights */
};

static void gather(struct head *head)
{
	const struct kb_attention *a = head->a;
	size_t width = a->width;

	for (size_t j = 0; j < head->padded; j++) {
		const float *key = a->key + j * a->stride;
		float *turned = head->keys + j / BLOCK * BLOCK * width + j % BLOCK;

		for (size_t d = 0; d < width; d++)
			turned[d * BLOCK] = j < a->tokens ? key[d] : 0;
		if (j < a->tokens)
			memcpy(head->values + j * width, a->value + j * a->stride,
			       width * sizeof(*head->values));
	}
}

/* Takes the queries from `first` on; the last one stands in for those that are not there. */
static void turn(const struct head *head, size_t first, size_t rows)
{
	const float log2_e = 1.44269504f;
	const struct kb_attention *a = head->a;
	float factor = log2_e / sqrtf((float)a->width);

	for (size_t r = 0; r < ROWS; r++) {
		const float *query = a->query + (first + KB_MIN(r, rows - 1)) * a->stride;

		for (size_t d = 0; d < a->width; d++)
			head->queries[d * ROWS + r] = query[d] * factor;
	}
}

/* What is added to the products of the last keys: those behind the tokens are none. */
INLINE vec padding(const struct head *head, size_t at)
{
	float pad[LANES];

	for (size_t i = 0; i < LANES; i++)
		pad[i] = at + i < head->a->tokens ? 0 : LEAST;
	return load(pad);
}

/* The queries times all keys. */
static void multiply(struct head *head)
{
	size_t width = head->a->width;
	vec most[ROWS];

	for (int r = 0; r < ROWS; r++)
		most[r] = all(LEAST);
	for (size_t j = 0; j < head->padded; j += BLOCK) {
		const float *keys = head->keys + j * width;
		vec sums[ROWS][2] = { 0 };

		for (size_t d = 0; d < width; d++) {
			vec near = load(keys + d * BLOCK), far = load(keys + d * BLOCK + LANES);
			const float *queries = head->queries + d * ROWS;

			for (int r = 0; r < ROWS; r++) {
				sums[r][0] += near * queries[r];
				sums[r][1] += far * queries[r];
			}
		}
		if (j + BLOCK > head->a->tokens)
			for (int r = 0; r < ROWS; r++) {
				sums[r][0] += padding(head, j);
				sums[r][1] += padding(head, j + LANES);
			}
		for (int r = 0; r < ROWS; r++) {
			float *weights = head->weights + r * head->padded + j;

			store(weights, sums[r][0]);
			store(weights + LANES, sums[r][1]);
			most[r] = larger(sums[r][0], larger(sums[r][1], most[r]));
		}
	}
	for (int r = 0; r < ROWS; r++)
		head->most[r] = largest(most[r]);
}

/* A query's products become powers, and have a sum. Those of keys that are none, which are as many
 * as fill a block, are lost in it: the largest power is 1. */
static void soften(struct head *head, size_t r)
{
	float *weights = head->weights + r * head->padded;
	vec total[VECTORS] = { 0 };

	for (size_t j = 0; j < head->padded; j += LANES) {
		vec v = power(load(weights + j) - head->most[r]);

		store(weights + j, v);
		total[j / LANES % VECTORS] += v;
	}
	head->totals[r] = sum(total);
}

/* `vectors` registers of each query's mean, from column d on, of the first `rows` queries. */
INLINE void weigh(const struct head *head, float *out, size_t rows, size_t d, const int vectors)
{
	vec sums[ROWS][2] = { 0 };

	for (size_t j = 0; j < head->a->tokens; j++) {
		const float *value = head->values + j * head->a->width + d;

		for (int c = 0; c < vectors; c++) {
			vec v = load(value + c * LANES);

			for (int r = 0; r < ROWS; r++)
				sums[r][c] += v * head->weights[r * head->padded + j];
		}
	}
	for (size_t r = 0; r < rows; r++)
		for (int c = 0; c < vectors; c++)
			store(out + r * head->a->out_stride + d + c * LANES,
			      sums[r][c] * (1 / head->totals[r]));
}

static void attend(const struct kb_attention *a)
{
	struct head head = { .a = a, .padded = (a->tokens + BLOCK - 1) / BLOCK * BLOCK };

	head.keys = a->scratch;
	head.values = head.keys + head.padded * a->width;
	head.queries = head.values + head.padded * a->width;
	head.weights = head.queries + ROWS * a->width;
	gather(&head);
	for (size_t i = 0; i < a->tokens; i += ROWS) {
		size_t rows = KB_MIN(a->tokens - i, (size_t)ROWS), d = 0;
		float *out = a->out + i * a->out_stride;

		turn(&head, i, rows);
		multiply(&head);
		for (size_t r = 0; r < ROWS; r++)
			soften(&head, r);
		for (; d + BLOCK <= a->width; d += BLOCK)
			weigh(&head, out, rows, d, 2);
		for (; d < a->width; d += LANES)
			weigh(&head, out, rows, d, 1);
	}
}

/* ---- */

static bool available(void)
{
#if defined(__AVX512F__)
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")
	       && __builtin_cpu_supports("avx512dq");
#elif defined(__AVX2__)
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
	return true;
#endif
}

#define JOIN(a, b)   a##b
#define WAY(name)    JOIN(kb_lanes_, name)
#define STRING(name) #name
#define NAME(name)   STRING(name)

extern const struct kb_lanes WAY(KB_LANES_WAY);
const struct kb_lanes WAY(KB_LANES_WAY) = {
	.name = NAME(KB_LANES_WAY),
	.available = available,
	.norm = norm,
	.times = times,
	.gelu = gelu,
	.attend = attend,
};
