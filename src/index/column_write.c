/* Writing a vector column. */
#include "index/column.h"

#include <math.h>
#include <stdlib.h>

#include "index/build.h"

/* ---- the pre-filter's bits ---- */

enum { ROTATIONS = 2 };

/* Bits that look random, from a counter (Steele, Lea, Flood 2014). */
static uint64_t splitmix(uint64_t n)
{
	n = (n + 1) * UINT64_C(0x9e3779b97f4a7c15);
	n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);
	return n ^ n >> 31;
}

static void hadamard(float *v, uint32_t n)
{
	float norm = 1 / sqrtf((float)n);

	for (uint32_t half = 1; half < n; half *= 2)
		for (uint32_t i = 0; i < n; i += 2 * half)
			for (uint32_t k = i; k < i + half; k++) {
				float a = v[k], b = v[k + half];

				v[k] = a + b;
				v[k + half] = a - b;
			}
	for (uint32_t i = 0; i < n; i++)
		v[i] *= norm;
}

void kb_rotate(float *v, uint32_t dims)
{
	uint32_t n = 1;

	while (n * 2 <= dims)
		n *= 2;
	for (uint32_t round = 0; round < ROTATIONS; round++) {
		for (uint32_t i = 0; i < dims; i++)
			if (splitmix(round * (uint64_t)KB_VECTOR_DIMS_MAX + i) >> 63)
				v[i] = -v[i];
		hadamard(v, n);
		if (n < dims)
			hadamard(v + dims - n, n);
	}
}

void kb_signs(const float *v, const float *centre, uint32_t dims, uint64_t *out)
{
	for (uint32_t i = 0; i < dims; i += 64) {
		uint64_t word = 0;

		for (uint32_t k = i; k < KB_MIN(i + 64, dims); k++)
			word |= (uint64_t)(v[k] > centre[k]) << (k - i);
		out[i / 64] = word;
	}
}

/* ---- the file ---- */

struct write {
	const struct kb_column_source *source;
	struct kb_builder *builder;
	uint32_t filled, lane;
	double *sum;   /* of the vectors */
	float *centre; /* turned */
	float *v;
	uint64_t *words; /* of one passage */
	uint64_t *group; /* of KB_SIGNS_LANES passages */
};

static void take_scale(void *to, const int8_t *row, float scale)
{
	struct write *write = to;

	if (!(scale > 0))
		scale = 0; /* a damaged one too */
	kb_builder_add(write->builder, &scale, sizeof(scale));
	if (scale <= 0)
		return;
	write->filled++;
	for (uint32_t i = 0; i < write->source->dims; i++)
		write->sum[i] += (double)row[i] * (double)scale;
}

static void take_row(void *to, const int8_t *row, float scale)
{
	struct write *write = to;

	(void)scale;
	kb_builder_add(write->builder, row, kb_row_stride(write->source->dims));
}

static void end_group(struct write *write)
{
	size_t n = kb_sign_words(write->source->dims) * KB_SIGNS_LANES * sizeof(*write->group);

	kb_builder_add(write->builder, write->group, n);
	memset(write->group, 0, n);
	write->lane = 0;
}

static void take_signs(void *to, const int8_t *row, float scale)
{
	struct write *write = to;
	uint32_t dims = write->source->dims;

	if (scale > 0) {
		for (uint32_t i = 0; i < dims; i++)
			write->v[i] = (float)row[i] * scale;
		kb_rotate(write->v, dims);
		kb_signs(write->v, write->centre, dims, write->words);
		for (size_t w = 0; w < kb_sign_words(dims); w++)
			write->group[w * KB_SIGNS_LANES + write->lane] = write->words[w];
	}
	if (++write->lane == KB_SIGNS_LANES)
		end_group(write);
}

static void put_signs(struct write *write)
{
	const struct kb_column_source *source = write->source;

	for (uint32_t i = 0; i < source->dims; i++)
		write->centre[i] = (float)(write->sum[i] / KB_MAX(write->filled, UINT32_C(1)));
	kb_builder_put(write->builder, KB_VEC_CENTRE, write->centre,
	               source->dims * sizeof(*write->centre));
	kb_rotate(write->centre, source->dims);
	kb_builder_section(write->builder, KB_VEC_SIGNS);
	source->each(source->arg, take_signs, write);
	if (write->lane)
		end_group(write);
}

bool kb_column_write(const struct kb_column_source *source, const char *path, int64_t *bytes,
                     struct kb_err *err)
{
	size_t words = kb_sign_words(source->dims);
	struct write write = {
		.source = source,
		.builder = kb_builder_new(&kb_column_form, path),
		.sum = kb_xcalloc(source->dims, sizeof(*write.sum)),
		.centre = kb_xcalloc(source->dims, sizeof(*write.centre)),
		.v = kb_xcalloc(source->dims, sizeof(*write.v)),
		.words = kb_xcalloc(words, sizeof(*write.words)),
		.group = kb_xcalloc(words * KB_SIGNS_LANES, sizeof(*write.group)),
	};
	uint32_t info[5] = { source->dims, source->passages };
	bool ok;

	kb_builder_section(write.builder, KB_VEC_SCALES);
	source->each(source->arg, take_scale, &write);
	kb_builder_section(write.builder, KB_VEC_ROWS);
	source->each(source->arg, take_row, &write);
	if (source->passages >= KB_SIGNS_MIN)
		put_signs(&write);
	info[2] = write.filled;
	info[3] = (uint32_t)source->name.n;
	info[4] = (uint32_t)source->model.n;
	kb_builder_put(write.builder, KB_VEC_INFO, info, sizeof(info));
	kb_builder_add(write.builder, source->name.p, source->name.n);
	kb_builder_add(write.builder, source->model.p, source->model.n);
	ok = kb_builder_finish(write.builder, bytes, err);
	kb_builder_free(write.builder);
	free(write.sum);
	free(write.centre);
	free(write.v);
	free(write.words);
	free(write.group);
	return ok;
}

/* ---- from vectors ---- */

struct kb_vectors_writer {
	struct kb_sv name, model; /* copies */
	char names[KB_VECTORS_NAME_MAX + KB_VECTORS_MODEL_MAX];
	uint32_t dims, passages;
	int8_t *rows;
	float *scales;
};

struct kb_vectors_writer *kb_vectors_writer_new(struct kb_sv name, struct kb_sv model,
                                                uint32_t dims, uint32_t passages)
{
	struct kb_vectors_writer *writer = kb_xcalloc(1, sizeof(*writer));

	KB_ASSERT(dims && dims <= KB_VECTOR_DIMS_MAX && passages < KB_PASSAGES_MAX);
	KB_ASSERT(name.n <= KB_VECTORS_NAME_MAX && model.n <= KB_VECTORS_MODEL_MAX);
	memcpy(writer->names, name.p, name.n);
	memcpy(writer->names + name.n, model.p, model.n);
	writer->name = kb_sv(writer->names, name.n);
	writer->model = kb_sv(writer->names + name.n, model.n);
	writer->dims = dims;
	writer->passages = passages;
	writer->rows = kb_xcalloc(passages, kb_row_stride(dims));
	writer->scales = kb_xcalloc(passages, sizeof(*writer->scales));
	return writer;
}

void kb_vectors_writer_free(struct kb_vectors_writer *writer)
{
	if (!writer)
		return;
	free(writer->rows);
	free(writer->scales);
	free(writer);
}

void kb_vectors_writer_set(struct kb_vectors_writer *writer, uint32_t passage, const float *v)
{
	size_t stride = kb_row_stride(writer->dims);
	int8_t *row = writer->rows + passage * stride;
	double length = 0, along = 0;
	float max = 0;

	KB_ASSERT(passage < writer->passages);
	memset(row, 0, stride);
	writer->scales[passage] = 0;
	for (uint32_t i = 0; i < writer->dims; i++) {
		if (!isfinite(v[i]))
			return;
		max = KB_MAX(max, fabsf(v[i]));
	}
	if (max <= 0)
		return;
	for (uint32_t i = 0; i < writer->dims; i++) {
		row[i] = (int8_t)lround((double)v[i] / (double)max * KB_ROW_MAX);
		length += (double)v[i] * (double)v[i];
		along += (double)v[i] * row[i];
	}
	/* The row is so long that along the vector it is the vector: what rounding it did to its
	 * length is no error then, and for questions close to it that is the larger part. */
	writer->scales[passage] = (float)(sqrt(length) / along);
}

static void each_written(void *arg, void (*take)(void *to, const int8_t *row, float scale),
                         void *to)
{
	const struct kb_vectors_writer *writer = arg;

	for (uint32_t i = 0; i < writer->passages; i++)
		take(to, writer->rows + i * kb_row_stride(writer->dims), writer->scales[i]);
}

bool kb_vectors_writer_finish(struct kb_vectors_writer *writer, const char *path, int64_t *bytes,
                              struct kb_err *err)
{
	const struct kb_column_source source = {
		.name = writer->name,
		.model = writer->model,
		.dims = writer->dims,
		.passages = writer->passages,
		.each = each_written,
		.arg = writer,
	};

	return kb_column_write(&source, path, bytes, err);
}
