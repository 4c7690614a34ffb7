/* A model in use: its file, the vectors of passages, the place of a question. The form stands in
 * factors_file.h, learning in factors_train.c, ranking in factors_rank.c. */
#include "index/factors.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "index/factor_rows.h"
#include "index/factors_file.h"

enum {
	MARK_BYTES = 24,
	ASK_EVERY = 256, /* passages */
};

static const char *const section_names[] = {
	[KB_FAC_INFO] = "info",     [KB_FAC_KEYS] = "keys", [KB_FAC_IDFS] = "idfs",
	[KB_FAC_SCALES] = "scales", [KB_FAC_ROWS] = "rows",
};
const struct kb_form kb_factors_form = {
	.magic = "KBFAC\r\n\x1a",
	.what = "model of factors",
	.version = 1,
	.sections = KB_FAC_COUNT,
	.names = section_names,
};

struct kb_factors {
	atomic_int count;
	struct kb_container file;
	struct kb_sv sections[KB_FAC_COUNT];
	struct kb_factors_head head;
	const char *keys, *idfs, *scales;
	const int8_t *rows;
	struct kb_scoring scoring; /* of the snapshot it was trained on */
	char mark[MARK_BYTES];
};

static bool take_sections(struct kb_factors *factors, struct kb_err *err)
{
	const struct kb_sv *sections = factors->sections;
	struct kb_factors_head *head = &factors->head;
	const size_t sizes[] = { sizeof(uint64_t), sizeof(float), sizeof(float), 0 };

	if (sections[KB_FAC_INFO].n != sizeof(*head))
		return kb_container_damaged(&factors->file, KB_FAC_INFO, err);
	memcpy(head, sections[KB_FAC_INFO].p, sizeof(*head));
	if (!head->dims || head->dims > KB_FACTORS_DIMS_MAX || !head->terms
	    || head->terms > KB_FACTORS_TERMS_MAX)
		return kb_container_damaged(&factors->file, KB_FAC_INFO, err);
	for (uint32_t id = KB_FAC_KEYS; id < KB_FAC_COUNT; id++) {
		size_t size = id == KB_FAC_ROWS ? head->dims : sizes[id - KB_FAC_KEYS];

		if (sections[id].n != size * head->terms)
			return kb_container_damaged(&factors->file, id, err);
	}
	factors->keys = sections[KB_FAC_KEYS].p;
	factors->idfs = sections[KB_FAC_IDFS].p;
	factors->scales = sections[KB_FAC_SCALES].p;
	factors->rows = (const int8_t *)sections[KB_FAC_ROWS].p;
	return true;
}

struct kb_factors *kb_factors_open(const char *path, struct kb_err *err)
{
	struct kb_factors *factors = kb_xcalloc(1, sizeof(*factors));

	atomic_init(&factors->count, 1);
	if (!kb_container_open(&factors->file, &kb_factors_form, path, true, factors->sections, err)
	    || !take_sections(factors, err)) {
		kb_factors_release(factors);
		return NULL;
	}
	kb_scoring_init(&factors->scoring, factors->head.averages);
	snprintf(factors->mark, sizeof(factors->mark), "lsi-%016" PRIx64,
	         kb_get64(factors->file.map + 24));
	return factors;
}

struct kb_factors *kb_factors_hold(struct kb_factors *factors)
{
	if (factors)
		atomic_fetch_add(&factors->count, 1);
	return factors;
}

void kb_factors_release(struct kb_factors *factors)
{
	if (!factors || atomic_fetch_sub(&factors->count, 1) > 1)
		return;
	kb_container_close(&factors->file);
	free(factors);
}

void kb_factors_info(const struct kb_factors *factors, struct kb_factors_info *out)
{
	*out = (struct kb_factors_info){ .mark = kb_sv_str(factors->mark),
		                         .dims = factors->head.dims,
		                         .terms = factors->head.terms,
		                         .passages = factors->head.passages,
		                         .bytes = (int64_t)factors->file.map_bytes };
}

static uint32_t find(void *arg, uint64_t key)
{
	const struct kb_factors *factors = arg;
	size_t low = 0, high = factors->head.terms;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (kb_get64(factors->keys + middle * sizeof(key)) < key)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == factors->head.terms || kb_get64(factors->keys + low * sizeof(key)) != key)
		return KB_ROW_NONE;
	return (uint32_t)low;
}

static float float_at(const char *floats, uint32_t i)
{
	float f;

	memcpy(&f, floats + (size_t)i * sizeof(f), sizeof(f));
	return f;
}

/* v += weight * the term's row */
static void add_term(const struct kb_factors *factors, float *v, uint32_t term, float weight)
{
	const int8_t *row = factors->rows + (size_t)term * factors->head.dims;

	weight *= float_at(factors->scales, term);
	for (uint32_t k = 0; k < factors->head.dims; k++)
		v[k] += weight * row[k];
}

bool kb_factors_fold(const struct kb_factors *factors, const struct kb_segment *segment,
                     const struct kb_cancel *cancel, const char *path, int64_t *bytes,
                     struct kb_err *err)
{
	struct kb_factors_info info;
	struct kb_vectors_writer *writer;
	struct kb_factor_rows rows;
	bool ok = true;

	kb_factors_info(factors, &info);
	writer = kb_vectors_writer_new(KB_FACTORS_COLUMN, info.mark, info.dims, segment->passages);
	/* find() does not change it. */
	kb_rows_init(&rows, segment, find, (void *)(uintptr_t)factors, NULL);
	for (uint32_t doc = 0; ok && doc < segment->passages; doc++) {
		float v[KB_FACTORS_DIMS_MAX] = { 0 };

		ok = doc % ASK_EVERY || !kb_cancelled(cancel, err);
		kb_rows_read(&rows, doc);
		for (size_t i = 0; i < rows.count; i++)
			add_term(factors, v, rows.terms[i].id,
			         kb_row_weight(&factors->scoring, segment, doc, &rows.terms[i],
			                       float_at(factors->idfs, rows.terms[i].id)));
		kb_vectors_writer_set(writer, doc, v);
	}
	ok = ok && kb_vectors_writer_finish(writer, path, bytes, err);
	kb_vectors_writer_free(writer);
	kb_rows_fini(&rows);
	return ok;
}

/* ---- a question ---- */

/* Makes v's length 1; false where it has none. */
static bool normalise(float *v, uint32_t dims)
{
	float sum = 0;

	for (uint32_t k = 0; k < dims; k++)
		sum += v[k] * v[k];
	if (!(sum > 0) || !isfinite(sum))
		return false;
	sum = 1 / sqrtf(sum);
	for (uint32_t k = 0; k < dims; k++)
		v[k] *= sum;
	return true;
}

bool kb_factors_place(const struct kb_factors *factors, const struct kb_query_term *terms,
                      size_t count, float *v)
{
	for (size_t i = 0; i < count; i++) {
		/* find() does not change it. */
		uint32_t term = find((void *)(uintptr_t)factors, kb_row_key(terms[i].term));

		if (term != KB_ROW_NONE)
			add_term(factors, v, term, terms[i].weight * float_at(factors->idfs, term));
	}
	return normalise(v, factors->head.dims);
}
