/* Reading a vector column: its file, its vectors one by one. */
#include "index/column.h"

#include <stdlib.h>

#include "index/segment.h"

enum { INFO_BYTES = 5 * 4 };

static const char *const names[KB_VEC_COUNT] = {
	[KB_VEC_INFO] = "info",     [KB_VEC_SCALES] = "scales", [KB_VEC_ROWS] = "rows",
	[KB_VEC_CENTRE] = "centre", [KB_VEC_SIGNS] = "signs",   [KB_VEC_ENDS] = "ends",
	[KB_VEC_PARTS] = "parts",
};

const struct kb_form kb_column_form = {
	.magic = "KBVEC\r\n\x1a",
	.what = "vector column",
	.version = 1,
	.sections = KB_VEC_COUNT,
	.names = names,
};

static bool read_info(struct kb_vectors *vectors, struct kb_err *err)
{
	struct kb_sv info = vectors->sections[KB_VEC_INFO];
	struct kb_vectors_info *out = &vectors->info;
	uint32_t name, model;

	if (info.n < INFO_BYTES)
		return kb_container_damaged(&vectors->file, KB_VEC_INFO, err);
	out->dims = kb_get32(info.p);
	out->passages = kb_get32(info.p + 4);
	out->filled = kb_get32(info.p + 8);
	name = kb_get32(info.p + 12);
	model = kb_get32(info.p + 16);
	if (!out->dims || out->dims > KB_VECTOR_DIMS_MAX || out->passages >= KB_PASSAGES_MAX
	    || out->filled > out->passages || name > KB_VECTORS_NAME_MAX
	    || model > KB_VECTORS_MODEL_MAX || info.n - INFO_BYTES < (size_t)name + model)
		return kb_container_damaged(&vectors->file, KB_VEC_INFO, err);
	out->name = kb_sv(info.p + INFO_BYTES, name);
	out->model = kb_sv(info.p + INFO_BYTES + name, model);
	out->bytes = (int64_t)vectors->file.map_bytes;
	vectors->stride = kb_row_stride(out->dims);
	vectors->sign_words = kb_sign_words(out->dims);
	vectors->part_stride = kb_part_stride(out->dims);
	return true;
}

/* The section, if it has that many bytes and begins where a scan can read it. */
static const void *place(struct kb_vectors *vectors, enum kb_column_section id, size_t count,
                         size_t size, struct kb_err *err)
{
	struct kb_sv section = vectors->sections[id];

	if (section.n / size < count || (uintptr_t)section.p % KB_CONTAINER_ALIGN) {
		kb_container_damaged(&vectors->file, id, err);
		return NULL;
	}
	/* A column of no passages has sections of no bytes. */
	return section.p ? (const void *)section.p : (const void *)"";
}

static bool read_parts(struct kb_vectors *vectors, struct kb_err *err)
{
	uint32_t passages = vectors->info.passages;

	if (!vectors->sections[KB_VEC_PARTS].n || !passages)
		return true;
	vectors->part_ends = place(vectors, KB_VEC_ENDS, passages, sizeof(uint32_t), err);
	if (!vectors->part_ends)
		return false;
	for (uint32_t i = 1; i < passages; i++)
		if (vectors->part_ends[i] < vectors->part_ends[i - 1])
			return kb_container_damaged(&vectors->file, KB_VEC_ENDS, err);
	vectors->parts = place(vectors, KB_VEC_PARTS, vectors->part_ends[passages - 1],
	                       vectors->part_stride, err);
	return vectors->parts != NULL;
}

static bool read_values(struct kb_vectors *vectors, struct kb_err *err)
{
	const struct kb_vectors_info *info = &vectors->info;
	size_t groups = ((size_t)info->passages + KB_SIGNS_LANES - 1) / KB_SIGNS_LANES;

	vectors->scales = place(vectors, KB_VEC_SCALES, info->passages, sizeof(float), err);
	if (!vectors->scales)
		return false;
	vectors->rows = place(vectors, KB_VEC_ROWS, info->passages, vectors->stride, err);
	if (!vectors->rows)
		return false;
	if (!vectors->sections[KB_VEC_SIGNS].n)
		return true;
	vectors->signs = place(vectors, KB_VEC_SIGNS, groups,
	                       vectors->sign_words * KB_SIGNS_LANES * sizeof(uint64_t), err);
	if (!vectors->signs)
		return false;
	vectors->centre = place(vectors, KB_VEC_CENTRE, info->dims, sizeof(float), err);
	return vectors->centre != NULL;
}

struct kb_vectors *kb_vectors_open(const char *path, bool verify, struct kb_err *err)
{
	struct kb_vectors *vectors = kb_xcalloc(1, sizeof(*vectors));

	atomic_init(&vectors->count, 1);
	if (kb_container_open(&vectors->file, &kb_column_form, path, verify, vectors->sections, err)
	    && read_info(vectors, err) && read_values(vectors, err) && read_parts(vectors, err))
		return vectors;
	kb_vectors_release(vectors);
	return NULL;
}

struct kb_vectors *kb_vectors_hold(struct kb_vectors *vectors)
{
	atomic_fetch_add(&vectors->count, 1);
	return vectors;
}

void kb_vectors_release(struct kb_vectors *vectors)
{
	if (!vectors || atomic_fetch_sub(&vectors->count, 1) > 1)
		return;
	kb_container_close(&vectors->file);
	free(vectors);
}

void kb_vectors_info(const struct kb_vectors *vectors, struct kb_vectors_info *out)
{
	*out = vectors->info;
}

bool kb_vectors_get(const struct kb_vectors *vectors, uint32_t passage, float *v)
{
	const int8_t *row;

	if (passage >= vectors->info.passages || !(vectors->scales[passage] > 0))
		return false;
	row = vectors->rows + passage * vectors->stride;
	for (uint32_t i = 0; i < vectors->info.dims; i++)
		v[i] = (float)row[i] * vectors->scales[passage];
	return true;
}

struct kb_column_row kb_column_row(const struct kb_vectors *vectors, uint32_t passage)
{
	const uint32_t *ends = vectors->part_ends;
	struct kb_column_row row = { .row = vectors->rows + passage * vectors->stride,
		                     .scale = vectors->scales[passage] };
	uint32_t begin = ends && passage ? ends[passage - 1] : 0;

	if (ends) {
		row.parts = vectors->parts + begin * vectors->part_stride;
		row.part_count = ends[passage] - begin;
	}
	return row;
}
