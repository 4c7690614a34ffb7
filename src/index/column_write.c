/* Writing a vector column. */
#include "index/column.h"

#include <math.h>
#include <stdlib.h>

#include "index/build.h"

/* ---- the pre-filter's bits ---- */

enum { ROTATIONS = 2 };

/* Steps of a normal value, in deviations, whose four levels lose least. */
#define PART_STEP 0.9957F

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
	uint32_t filled, lane, parts;
	double *sum;   /* of the vectors */
	float *centre; /* turned */
	float *v;
	uint64_t *words; /* of one passage */
	uint64_t *group; /* of KB_SIGNS_LANES passages */
};

static void take_scale(void *to, const struct kb_column_row *row)
{
	struct write *write = to;
	float scale = row->scale > 0 ? row->scale : 0; /* of a damaged one too */

	kb_builder_add(write->builder, &scale, sizeof(scale));
	write->parts += row->part_count;
	if (scale <= 0)
		return;
	write->filled++;
	for (uint32_t i = 0; i < write->source->dims; i++)
		write->sum[i] += (double)row->row[i] * (double)scale;
}

static void take_row(void *to, const struct kb_column_row *row)
{
	struct write *write = to;

	kb_builder_add(write->builder, row->row, kb_row_stride(write->source->dims));
}

static void take_end(void *to, const struct kb_column_row *row)
{
	struct write *write = to;

	write->parts += row->part_count;
	kb_builder_add(write->builder, &write->parts, sizeof(write->parts));
}

static void take_parts(void *to, const struct kb_column_row *row)
{
	struct write *write = to;

	kb_builder_add(write->builder, row->parts,
	               row->part_count * kb_part_stride(write->source->dims));
}

static void put_parts(struct write *write)
{
	const struct kb_column_source *source = write->source;

	write->parts = 0;
	kb_builder_section(write->builder, KB_VEC_ENDS);
	source->each(source->arg, take_end, write);
	kb_builder_section(write->builder, KB_VEC_PARTS);
	source->each(source->arg, take_parts, write);
}

static void end_group(struct write *write)
{
	size_t n = kb_sign_words(write->source->dims) * KB_SIGNS_LANES * sizeof(*write->group);

	kb_builder_add(write->builder, write->group, n);
	memset(write->group, 0, n);
	write->lane = 0;
}

static void take_signs(void *to, const struct kb_column_row *row)
{
	struct write *write = to;
	uint32_t dims = write->source->dims;

	if (row->scale > 0) {
		for (uint32_t i = 0; i < dims; i++)
			write->v[i] = (float)row->row[i] * row->scale;
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
	if (write.parts)
		put_parts(&write);
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

/* Of a passage that has parts. */
struct parts {
	uint8_t *v; /* as in the file */
	uint32_t count;
};

struct kb_vectors_writer {
	struct kb_sv name, model; /* copies */
	char names[KB_VECTORS_NAME_MAX + KB_VECTORS_MODEL_MAX];
	uint32_t dims, passages;
	int8_t *rows;
	float *scales;
	struct parts *parts;
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
	writer->parts = kb_xcalloc(passages, sizeof(*writer->parts));
	return writer;
}

void kb_vectors_writer_free(struct kb_vectors_writer *writer)
{
	if (!writer)
		return;
	for (uint32_t i = 0; i < writer->passages; i++)
		free(writer->parts[i].v);
	free(writer->parts);
	free(writer->rows);
	free(writer->scales);
	free(writer);
}

static void clear(struct kb_vectors_writer *writer, uint32_t passage)
{
	KB_ASSERT(passage < writer->passages);
	memset(writer->rows + passage * kb_row_stride(writer->dims), 0,
	       kb_row_stride(writer->dims));
	writer->scales[passage] = 0;
	free(writer->parts[passage].v);
	writer->parts[passage] = (struct parts){ 0 };
}

void kb_vectors_writer_set(struct kb_vectors_writer *writer, uint32_t passage, const float *v)
{
	int8_t *row = writer->rows + passage * kb_row_stride(writer->dims);
	double length = 0, along = 0;
	float max = 0;

	clear(writer, passage);
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

/* The part as it lies in the file; beside the row that is its passage's. */
static void put_part(const int8_t *row, float row_scale, const float *part, uint32_t dims,
                     float *rest, uint8_t *out)
{
	uint8_t *codes = out + 2 * sizeof(float);
	double length = 0, along = 0, square = 0, kept = 0;
	float factors[2] = { 1, 0 }, step;

	for (uint32_t i = 0; i < dims; i++) {
		double own = (double)row[i] * (double)row_scale;

		length += (double)part[i] * (double)part[i];
		along += (double)part[i] * own;
		square += own * own;
	}
	/* One without a vector is taken for its passage. */
	if (!isfinite(length) || !(length > 0)) {
		memcpy(out, factors, sizeof(factors));
		return;
	}
	factors[0] = (float)(along / square / sqrt(length));
	for (uint32_t i = 0; i < dims; i++)
		rest[i] = (float)((double)part[i] / sqrt(length))
		          - factors[0] * ((float)row[i] * row_scale);
	kb_rotate(rest, dims);
	square = 0;
	for (uint32_t i = 0; i < dims; i++)
		square += (double)rest[i] * (double)rest[i];
	step = PART_STEP * (float)sqrt(square / dims);
	for (uint32_t i = 0; i < dims; i++) {
		unsigned code = rest[i] < 0 ? rest[i] > -step : 2 + (rest[i] >= step);

		codes[i / 4] |= (uint8_t)(code << i % 4 * 2);
		kept += (double)rest[i] * (2 * (int)code - 3);
	}
	factors[1] = kept > 0 ? (float)(square / kept) : 0;
	memcpy(out, factors, sizeof(factors));
}

void kb_vectors_writer_parts(struct kb_vectors_writer *writer, uint32_t passage, const float *parts,
                             uint32_t count)
{
	size_t stride = kb_part_stride(writer->dims);
	struct parts *to = &writer->parts[passage];
	float *rest;

	KB_ASSERT(passage < writer->passages && !to->count);
	if (!(writer->scales[passage] > 0) || !count)
		return;
	to->v = kb_xcalloc(count, stride);
	to->count = count;
	rest = kb_xcalloc(writer->dims, sizeof(*rest));
	for (uint32_t i = 0; i < count; i++)
		put_part(writer->rows + passage * kb_row_stride(writer->dims),
		         writer->scales[passage], parts + (size_t)i * writer->dims, writer->dims,
		         rest, to->v + i * stride);
	free(rest);
}

bool kb_vectors_writer_take(struct kb_vectors_writer *writer, uint32_t passage,
                            const struct kb_vectors *from, uint32_t from_passage)
{
	struct kb_column_row row;
	size_t bytes;

	clear(writer, passage);
	if (from->info.dims != writer->dims || from_passage >= from->info.passages
	    || !(from->scales[from_passage] > 0))
		return false;
	row = kb_column_row(from, from_passage);
	memcpy(writer->rows + passage * from->stride, row.row, from->stride);
	writer->scales[passage] = row.scale;
	bytes = row.part_count * from->part_stride;
	if (bytes) {
		writer->parts[passage] = (struct parts){ kb_xmalloc(bytes), row.part_count };
		memcpy(writer->parts[passage].v, row.parts, bytes);
	}
	return true;
}

static void each_written(void *arg, void (*take)(void *to, const struct kb_column_row *row),
                         void *to)
{
	const struct kb_vectors_writer *writer = arg;

	for (uint32_t i = 0; i < writer->passages; i++)
		take(to, &(struct kb_column_row){ writer->rows + i * kb_row_stride(writer->dims),
		                                  writer->scales[i], writer->parts[i].v,
		                                  writer->parts[i].count });
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
