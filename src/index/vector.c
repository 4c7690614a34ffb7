/* One vector: a question's, as bytes, and its cosine with a passage's. */
#include <math.h>

#include "index/vector_scan.h"

static int8_t *aligned_row(struct kb_arena *arena, size_t stride)
{
	char *p = kb_arena_alloc(arena, stride + KB_ROW_ALIGN);

	return (int8_t *)(p + -(uintptr_t)p % KB_ROW_ALIGN);
}

const struct kb_vector *kb_vector_new(struct kb_arena *arena, const float *v, uint32_t dims)
{
	const int steps = KB_ROW_MAX * KB_VECTOR_RADIX;
	struct kb_vector *vector = KB_NEW(arena, struct kb_vector);
	float *unit = KB_NEW_ARRAY(arena, dims, float), max = 0;
	double sum = 0, integers = 0;
	int8_t *high, *low;

	*vector = (struct kb_vector){ .dims = dims, .stride = kb_row_stride(dims), .v = unit };
	vector->high = high = aligned_row(arena, vector->stride);
	vector->low = low = aligned_row(arena, vector->stride);
	for (uint32_t i = 0; i < dims; i++) {
		if (!isfinite(v[i]))
			return vector; /* of length 0: its cosine with all is 0 */
		max = KB_MAX(max, fabsf(v[i]));
	}
	if (max <= 0)
		return vector;
	for (uint32_t i = 0; i < dims; i++) {
		double part = (double)v[i] / (double)max;
		int n = (int)lround(part * steps);

		high[i] = (int8_t)lround((double)n / KB_VECTOR_RADIX);
		low[i] = (int8_t)(n - high[i] * KB_VECTOR_RADIX);
		integers += (double)n * n;
		sum += part * part;
	}
	vector->scale = (float)(1 / sqrt(integers));
	for (uint32_t i = 0; i < dims; i++)
		unit[i] = (float)((double)v[i] / (double)max / sqrt(sum));
	return vector;
}

float kb_vectors_cosine(const struct kb_vectors *vectors, uint32_t passage,
                        const struct kb_vector *vector)
{
	const struct kb_vector_path *path = kb_vector_path();
	int32_t high, low;

	if (passage >= vectors->info.passages || vectors->info.dims != vector->dims
	    || !(vectors->scales[passage] > 0))
		return -2;
	path->dots(vectors->rows, vectors->stride, &passage, 1, vector->high, &high);
	path->dots(vectors->rows, vectors->stride, &passage, 1, vector->low, &low);
	return kb_cosine_float(kb_cosine_fixed(high, low, vectors->scales[passage], vector->scale));
}
