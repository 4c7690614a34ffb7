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
	float *turned = KB_NEW_ARRAY(arena, dims, float);
	double sum = 0, integers = 0;
	int8_t *high, *low;

	*vector = (struct kb_vector){
		.dims = dims, .stride = kb_row_stride(dims), .v = unit, .turned = turned
	};
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
		turned[i] = unit[i] = (float)((double)v[i] / (double)max / sqrt(sum));
	kb_rotate(turned, dims);
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

/* The sum of a vector's values times the part's codes; four sums, always in the same order. */
static float by_codes(const uint8_t *codes, const float *v, uint32_t dims)
{
	float sums[4] = { 0 };

	for (uint32_t i = 0; i < dims; i += 4)
		for (uint32_t k = 0; k < KB_MIN(dims - i, UINT32_C(4)); k++)
			sums[k] += v[i + k] * (float)(2 * (codes[i / 4] >> 2 * k & 3) - 3);
	return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

const float *kb_vectors_part_cosines(const struct kb_vectors *vectors, struct kb_arena *arena,
                                     uint32_t passage, const struct kb_vector *vector,
                                     size_t *count)
{
	float own = kb_vectors_cosine(vectors, passage, vector), *out;
	struct kb_column_row row;

	*count = 0;
	if (own < -1)
		return NULL;
	row = kb_column_row(vectors, passage);
	out = KB_NEW_ARRAY(arena, row.part_count, float);
	*count = row.part_count;
	for (size_t i = 0; i < row.part_count; i++) {
		const uint8_t *part = row.parts + i * vectors->part_stride;
		float factors[2], cosine;

		memcpy(factors, part, sizeof(factors));
		cosine = factors[0] * own
		         + factors[1]
		                   * by_codes(part + sizeof(factors), vector->turned, vector->dims);
		out[i] = cosine >= -1 && cosine <= 1 ? cosine : own; /* damaged ones too */
	}
	return out;
}
