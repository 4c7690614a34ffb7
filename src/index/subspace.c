#include "index/subspace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { LANES = KB_SUB_LANES, CHUNK = 256 };

/* Sixteen floats: one register of AVX-512, two of AVX2, four of SSE; the compiler splits it. */
typedef float lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(4), may_alias));

static inline __attribute__((always_inline)) void gather(float *y, const float *tall,
                                                         unsigned width, const uint32_t *ids,
                                                         const float *w, size_t count)
{
	memset(y, 0, width * sizeof(*y));
	for (size_t i = 0; i < count; i++) {
		const float *row = tall + (size_t)ids[i] * width;

		for (unsigned k = 0; k < width; k += LANES)
			*(lanes *)(y + k) += *(const lanes *)(row + k) * w[i];
	}
}

static inline __attribute__((always_inline)) void scatter(float *tall, const float *y,
                                                          unsigned width, const uint32_t *ids,
                                                          const float *w, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		float *row = tall + (size_t)ids[i] * width;

		for (unsigned k = 0; k < width; k += LANES)
			*(lanes *)(row + k) += *(const lanes *)(y + k) * w[i];
	}
}

/* out = aT * b over at most CHUNK rows, in floats. */
static inline __attribute__((always_inline)) void cross(float *out, const float *a, const float *b,
                                                        size_t rows, unsigned width)
{
	for (unsigned i = 0; i < width; i++) {
		for (unsigned k = 0; k < width; k += LANES) {
			lanes sum = { 0 };

			for (size_t r = 0; r < rows; r++)
				sum += *(const lanes *)(b + r * width + k) * a[r * width + i];
			*(lanes *)(out + i * width + k) = sum;
		}
	}
}

/* row = row * square */
static inline __attribute__((always_inline)) void apply(float *row, const float *square,
                                                        unsigned width)
{
	float out[KB_SUB_WIDTH_MAX] __attribute__((aligned(64)));

	memset(out, 0, width * sizeof(*out));
	for (unsigned i = 0; i < width; i++)
		for (unsigned k = 0; k < width; k += LANES)
			*(lanes *)(out + k) += *(const lanes *)(square + i * width + k) * row[i];
	memcpy(row, out, width * sizeof(*out));
}

struct kernels {
	void (*gather)(float *, const float *, unsigned, const uint32_t *, const float *, size_t);
	void (*scatter)(float *, const float *, unsigned, const uint32_t *, const float *, size_t);
	void (*cross)(float *, const float *, const float *, size_t, unsigned);
	void (*apply)(float *, const float *, unsigned);
};

/* One set of kernels for each width of register. No fused multiply-add: see the header. */
#define KERNELS(name, attribute)                                                                   \
	attribute static void gather_##name(float *y, const float *tall, unsigned width,           \
	                                    const uint32_t *ids, const float *w, size_t count)     \
	{                                                                                          \
		gather(y, tall, width, ids, w, count);                                             \
	}                                                                                          \
	attribute static void scatter_##name(float *tall, const float *y, unsigned width,          \
	                                     const uint32_t *ids, const float *w, size_t count)    \
	{                                                                                          \
		scatter(tall, y, width, ids, w, count);                                            \
	}                                                                                          \
	attribute static void cross_##name(float *out, const float *a, const float *b,             \
	                                   size_t rows, unsigned width)                            \
	{                                                                                          \
		cross(out, a, b, rows, width);                                                     \
	}                                                                                          \
	attribute static void apply_##name(float *row, const float *square, unsigned width)        \
	{                                                                                          \
		apply(row, square, width);                                                         \
	}                                                                                          \
	static const struct kernels kernels_##name = { gather_##name, scatter_##name,              \
		                                       cross_##name, apply_##name };

KERNELS(plain, )
#ifdef __x86_64__
KERNELS(avx2, __attribute__((target("avx2"))))
KERNELS(avx512, __attribute__((target("avx512f"))))
#endif

static const struct kernels *kernels(void)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx512f"))
		return &kernels_avx512;
	if (__builtin_cpu_supports("avx2"))
		return &kernels_avx2;
#endif
	return &kernels_plain;
}

void kb_sub_gather(float *y, const float *tall, unsigned width, const uint32_t *ids, const float *w,
                   size_t count)
{
	kernels()->gather(y, tall, width, ids, w, count);
}

void kb_sub_scatter(float *tall, const float *y, unsigned width, const uint32_t *ids,
                    const float *w, size_t count)
{
	kernels()->scatter(tall, y, width, ids, w, count);
}

bool kb_sub_cross(double *out, const struct kb_tall *a, const struct kb_tall *b,
                  const struct kb_cancel *cancel, struct kb_err *err)
{
	unsigned width = a->width;
	float *part = kb_xcalloc((size_t)width * width, sizeof(*part));
	bool ok = true;

	memset(out, 0, (size_t)width * width * sizeof(*out));
	for (size_t at = 0; ok && at < a->rows; at += CHUNK) {
		ok = !kb_cancelled(cancel, err);
		kernels()->cross(part, a->v + at * width, b->v + at * width,
		                 KB_MIN(a->rows - at, (size_t)CHUNK), width);
		for (size_t i = 0; i < (size_t)width * width; i++)
			out[i] += (double)part[i];
	}
	free(part);
	return ok;
}

bool kb_sub_apply(const struct kb_tall *tall, const double *square, const struct kb_cancel *cancel,
                  struct kb_err *err)
{
	unsigned width = tall->width;
	float *narrow = kb_xcalloc((size_t)width * width, sizeof(*narrow));
	bool ok = true;

	for (size_t i = 0; i < (size_t)width * width; i++)
		narrow[i] = (float)square[i];
	for (size_t r = 0; ok && r < tall->rows; r++) {
		ok = r % CHUNK || !kb_cancelled(cancel, err);
		kernels()->apply(tall->v + r * width, narrow, width);
	}
	free(narrow);
	return ok;
}

/* Upper triangular R with RT * R = matrix, and its inverse in place of the matrix. A pivot that is
 * nothing beside its column's own length gives a column of zeros. */
static void inverse_cholesky(double *m, unsigned width)
{
	const double nothing = 1e-6; /* the sums are of floats */
	double *r = kb_xcalloc((size_t)width * width, sizeof(*r));

	for (unsigned j = 0; j < width; j++) {
		double pivot = m[j * width + j];

		for (unsigned k = 0; k < j; k++)
			pivot -= r[k * width + j] * r[k * width + j];
		if (!(pivot > nothing * m[j * width + j]))
			continue;
		r[j * width + j] = sqrt(pivot);
		for (unsigned i = j + 1; i < width; i++) {
			double sum = m[j * width + i];

			for (unsigned k = 0; k < j; k++)
				sum -= r[k * width + j] * r[k * width + i];
			r[j * width + i] = sum / r[j * width + j];
		}
	}
	memset(m, 0, (size_t)width * width * sizeof(*m));
	for (unsigned j = 0; j < width; j++) {
		if (r[j * width + j] == 0)
			continue;
		m[j * width + j] = 1 / r[j * width + j];
		for (unsigned i = j; i-- > 0;) {
			double sum = 0;

			if (r[i * width + i] == 0)
				continue;
			for (unsigned k = i + 1; k <= j; k++)
				sum += r[i * width + k] * m[k * width + j];
			m[i * width + j] = -sum / r[i * width + i];
		}
	}
	free(r);
}

bool kb_sub_orthonormal(const struct kb_tall *tall, const struct kb_cancel *cancel,
                        struct kb_err *err)
{
	double *gram = kb_xcalloc((size_t)tall->width * tall->width, sizeof(*gram));
	bool ok = true;

	/* Twice: once loses digits where the columns are nearly parallel. */
	for (int round = 0; ok && round < 2; round++) {
		ok = kb_sub_cross(gram, tall, tall, cancel, err);
		inverse_cholesky(gram, tall->width);
		ok = ok && kb_sub_apply(tall, gram, cancel, err);
	}
	free(gram);
	return ok;
}

/* One Jacobi rotation that makes a[p][q] zero. */
static void rotate(double *a, double *v, unsigned width, unsigned p, unsigned q)
{
	double theta = (a[q * width + q] - a[p * width + p]) / (2 * a[p * width + q]);
	double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
	double c = 1 / sqrt(t * t + 1), s = t * c;

	for (unsigned k = 0; k < width; k++) {
		double x = a[k * width + p], y = a[k * width + q];

		a[k * width + p] = c * x - s * y;
		a[k * width + q] = s * x + c * y;
	}
	for (unsigned k = 0; k < width; k++) {
		double x = a[p * width + k], y = a[q * width + k];

		a[p * width + k] = c * x - s * y;
		a[q * width + k] = s * x + c * y;
	}
	for (unsigned k = 0; k < width; k++) {
		double x = v[k * width + p], y = v[k * width + q];

		v[k * width + p] = c * x - s * y;
		v[k * width + q] = s * x + c * y;
	}
}

static void swap_columns(double *v, double *values, unsigned width, unsigned a, unsigned b)
{
	double t = values[a];

	values[a] = values[b];
	values[b] = t;
	for (unsigned k = 0; k < width; k++) {
		t = v[k * width + a];
		v[k * width + a] = v[k * width + b];
		v[k * width + b] = t;
	}
}

void kb_sub_eigen(double *a, double *v, double *values, unsigned width)
{
	enum { SWEEPS = 30 };
	const double nothing = 1e-22; /* of the squares beside the diagonal, to all */

	memset(v, 0, (size_t)width * width * sizeof(*v));
	for (unsigned i = 0; i < width; i++)
		v[i * width + i] = 1;
	for (int sweep = 0; sweep < SWEEPS; sweep++) {
		double beside = 0, all = 0;

		for (unsigned i = 0; i < width; i++)
			for (unsigned k = 0; k < width; k++) {
				double square = a[i * width + k] * a[i * width + k];

				all += square;
				beside += i == k ? 0 : square;
			}
		if (!(beside > nothing * all))
			break;
		for (unsigned p = 0; p < width; p++)
			for (unsigned q = p + 1; q < width; q++)
				if (fabs(a[p * width + q]) > 0)
					rotate(a, v, width, p, q);
	}
	for (unsigned i = 0; i < width; i++)
		values[i] = a[i * width + i];
	for (unsigned i = 0; i < width; i++) {
		unsigned best = i;

		for (unsigned k = i + 1; k < width; k++)
			if (values[k] > values[best])
				best = k;
		if (best != i)
			swap_columns(v, values, width, i, best);
	}
}
