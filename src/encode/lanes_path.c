/*
 * The ways of lanes.h: this file is compiled once for each kind of processor, with the compiler's
 * options for it and KB_LANES_WAY, its name (meson.build). The vectors are the compiler's own.
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

typedef float vec __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t ints __attribute__((vector_size(LANES * sizeof(int32_t))));

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

INLINE float sum(vec v)
{
	float total = 0;

	for (int i = 0; i < LANES; i++)
		total += v[i];
	return total;
}

/* e to x, where x is 0 or less; e^-87 for what is smaller. Correct to some 2^-22. The power of two
 * is taken out by adding a number so large that what is behind the point falls off; a polynomial
 * has the rest, which lies within half a power of two (Cephes' coefficients). */
INLINE vec power(vec x)
{
	const float large = 12582912; /* 1.5 * 2^23 */
	vec shifted, n, r, p;

	x = larger(x, all(-87));
	shifted = x * 1.44269504f + large;
	n = shifted - large;
	r = x - n * .693359375f + n * 2.12194440e-4f;
	p = r * 1.9875691500e-4f + 1.3981999507e-3f;
	p = p * r + 8.3334519073e-3f;
	p = p * r + 4.1665795894e-2f;
	p = p * r + 1.6666665459e-1f;
	p = p * r + 5.0000001201e-1f;
	p = p * r * r + r + 1;
	return p * (vec)(((ints)shifted + (127 - 0x4b400000)) << 23);
}

/* ---- norm ---- */

static void norm(float *x, const float *add, const float *weight, const float *bias, size_t width,
                 float eps)
{
	vec total = { 0 }, squares = { 0 };
	float mean, factor;

	for (size_t i = 0; i < width; i += LANES) {
		vec v = load(x + i);

		if (add)
			v += load(add + i);
		store(x + i, v);
		total += v;
	}
	mean = sum(total) / (float)width;
	for (size_t i = 0; i < width; i += LANES) {
		vec v = load(x + i) - mean;

		squares += v * v;
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

/* The normal distribution by its error function, for which Abramowitz and Stegun, 7.1.26, has a
 * formula that is correct to 1.5e-7. */
static void gelu(float *x, size_t count)
{
	for (size_t i = 0; i < count; i += LANES) {
		vec v = load(x + i);
		vec half = v * .70710678f;
		vec size = larger(half, -half);
		vec t = 1 / (size * .3275911f + 1);
		vec p = t * 1.061405429f - 1.453152027f;
		vec tail; /* the share beyond |v|, half of it */

		p = p * t + 1.421413741f;
		p = p * t - .284496736f;
		p = p * t + .254829592f;
		tail = p * t * power(-half * half) * .5f;
		store(x + i, v * choose(v > 0, 1 - tail, tail));
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
	float *weights; /* [ROWS][padded]: of the queries in hand */
	const float *queries[ROWS];
	float totals[ROWS]; /* of a query's weights */
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

/* The queries times all keys. */
static void multiply(const struct head *head)
{
	size_t width = head->a->width;
	float factor = 1 / sqrtf((float)width);

	for (size_t j = 0; j < head->padded; j += BLOCK) {
		const float *keys = head->keys + j * width;
		vec sums[ROWS][2] = { 0 };

		for (size_t d = 0; d < width; d++) {
			vec near = load(keys + d * BLOCK), far = load(keys + d * BLOCK + LANES);

			for (int r = 0; r < ROWS; r++) {
				sums[r][0] += near * head->queries[r][d];
				sums[r][1] += far * head->queries[r][d];
			}
		}
		for (int r = 0; r < ROWS; r++) {
			store(head->weights + r * head->padded + j, sums[r][0] * factor);
			store(head->weights + r * head->padded + j + LANES, sums[r][1] * factor);
		}
	}
}

/* A query's products become powers of e; returns their sum. */
static float soften(float *weights, size_t tokens, size_t padded)
{
	vec most = all(LEAST), total = { 0 };
	float best;

	for (size_t j = tokens; j < padded; j++)
		weights[j] = LEAST;
	for (size_t j = 0; j < padded; j += LANES)
		most = larger(load(weights + j), most);
	best = most[0];
	for (int i = 1; i < LANES; i++)
		best = most[i] > best ? most[i] : best;
	for (size_t j = 0; j < padded; j += LANES) {
		vec v = power(load(weights + j) - best);

		store(weights + j, v);
		total += v;
	}
	return sum(total);
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
			      sums[r][c] / head->totals[r]);
}

static void attend(const struct kb_attention *a)
{
	struct head head = { .a = a, .padded = (a->tokens + BLOCK - 1) / BLOCK * BLOCK };

	head.keys = a->scratch;
	head.values = head.keys + head.padded * a->width;
	head.weights = head.values + head.padded * a->width;
	gather(&head);
	for (size_t i = 0; i < a->tokens; i += ROWS) {
		size_t rows = KB_MIN(a->tokens - i, (size_t)ROWS), d = 0;
		float *out = a->out + i * a->out_stride;

		for (size_t r = 0; r < ROWS;
		     r++) /* the last one stands in for those that are not there */
			head.queries[r] = a->query + (i + KB_MIN(r, rows - 1)) * a->stride;
		multiply(&head);
		for (size_t r = 0; r < ROWS; r++)
			head.totals[r] =
			        soften(head.weights + r * head.padded, a->tokens, head.padded);
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
