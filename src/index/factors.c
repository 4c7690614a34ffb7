/* A model in use: its file, the vectors of passages and questions, the third ranking step. The form
 * stands in factors_file.h, learning in factors_train.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "index/factors_file.h"
#include "index/score.h"

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
	struct kb_rows rows;
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

/* ---- the third step ---- */

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

/* The question in the model's space; false: none of its words is known there. */
static bool place_question(const struct kb_factors *factors, const struct kb_query_term *terms,
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

static int by_score(const void *a, const void *b)
{
	const struct kb_hit *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return x->doc < y->doc ? -1 : x->doc > y->doc;
}

static float max_score(const struct kb_hit *hits, size_t count)
{
	float max = 0;

	for (size_t i = 0; i < count; i++)
		max = KB_MAX(max, hits[i].score);
	return max;
}

struct ranking {
	const struct kb_factors *factors;
	const struct kb_snapshot *snapshot;
	const struct kb_vectors **columns; /* by part; NULL: none of this model */
	float question[KB_FACTORS_DIMS_MAX], v[KB_FACTORS_DIMS_MAX]; /* q, q' */
};

/* false: nothing to rank by. */
static bool begin(struct ranking *ranking, struct kb_arena *arena, const struct kb_query *query)
{
	const struct kb_factors *factors = ranking->factors;
	const struct kb_snapshot *snapshot = ranking->snapshot;
	bool any = false;

	ranking->columns = KB_NEW_ARRAY(arena, snapshot->part_count, const struct kb_vectors *);
	for (uint32_t i = 0; i < snapshot->part_count; i++) {
		struct kb_vectors_info info;
		const struct kb_vectors *column = kb_snapshot_vectors(
		        snapshot, i, KB_FACTORS_COLUMN, kb_sv_str(factors->mark));

		if (!column)
			continue;
		kb_vectors_info(column, &info);
		if (info.dims != factors->head.dims)
			continue;
		ranking->columns[i] = column;
		any = true;
	}
	return any && place_question(factors, query->terms, query->term_count, ranking->question);
}

/* q' = q + FEEDBACK * mean of the best hits' vectors */
static void feed_back(struct ranking *ranking, const struct kb_hit *hits, size_t count)
{
	enum { BEST = 3 };
	const float feedback = .6f;
	uint32_t dims = ranking->factors->head.dims;
	float sum[KB_FACTORS_DIMS_MAX] = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < KB_MIN(count, (size_t)BEST); i++) {
		const struct kb_vectors *column = ranking->columns[hits[i].part];
		float d[KB_FACTORS_DIMS_MAX];

		if (!column || !kb_vectors_get(column, hits[i].doc, d))
			continue;
		n++;
		for (uint32_t k = 0; k < dims; k++)
			sum[k] += d[k];
	}
	for (uint32_t k = 0; k < dims; k++)
		ranking->v[k] = ranking->question[k] + (n ? feedback * sum[k] / (float)n : 0);
}

static int by_place(const void *a, const void *b)
{
	const struct kb_hit *x = a, *y = b;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return x->doc < y->doc ? -1 : x->doc > y->doc;
}

/* The first step's scores of hits that it did not find. */
static void score_words(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                        const struct kb_query *query, struct kb_hit *hits, size_t count)
{
	struct kb_scorer scorer;

	if (!count)
		return;
	kb_scorer_init(&scorer, snapshot, arena, query->terms, query->term_count);
	for (size_t i = 0; i < count; i++) {
		uint32_t sum = 0;

		for (size_t k = 0; k < scorer.count; k++)
			sum += kb_scorer_term(snapshot, hits[i].part, hits[i].doc, scorer.terms[k],
			                      scorer.gains[k], NULL);
		hits[i].score = (float)sum * scorer.unit;
	}
}

/* Adds passages near the question that are not among the hits. */
static void add_near(struct ranking *ranking, struct kb_arena *arena, const struct kb_query *query,
                     struct kb_hit **hits, size_t *count)
{
	struct kb_vector_query near = {
		.name = KB_FACTORS_COLUMN,
		.model = kb_sv_str(ranking->factors->mark),
		.v = ranking->v,
		.dims = ranking->factors->head.dims,
		.limit = KB_FACTORS_RERANK,
		.allow = query->allow,
		.allow_arg = query->allow_arg,
	};
	size_t n, known = *count, room = KB_FACTORS_READ;
	struct kb_hit *sorted, *found, *all;

	/* Most of the nearest are known, so more are asked for than there is room for. */
	if (known < KB_FACTORS_RERANK)
		room = KB_MAX(room, KB_FACTORS_RERANK - known);
	else
		near.limit = 4 * KB_FACTORS_READ;
	kb_vector_search(ranking->snapshot, arena, &near, &found, &n);
	sorted = KB_NEW_ARRAY(arena, known, struct kb_hit);
	all = KB_NEW_ARRAY(arena, known + n, struct kb_hit);
	for (size_t i = 0; i < known; i++)
		sorted[i] = all[i] = (*hits)[i];
	if (known)
		qsort(sorted, known, sizeof(*sorted), by_place);
	for (size_t i = 0; i < n && *count < known + room; i++) {
		if (found[i].score < KB_FACTORS_NEAR)
			break;
		if (known && bsearch(&found[i], sorted, known, sizeof(*sorted), by_place))
			continue;
		all[(*count)++] = found[i];
	}
	score_words(ranking->snapshot, arena, query, all + known, *count - known);
	*hits = all;
}

/* A hit's place among the others, and how near the question it is. */
struct nearness {
	float cosine; /* -2: no vector */
	uint32_t place;
	uint32_t part, doc;
};

static int by_nearness(const void *a, const void *b)
{
	const struct nearness *x = a, *y = b;

	if (x->cosine != y->cosine)
		return x->cosine > y->cosine ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static int by_file(const void *a, const void *b)
{
	const struct nearness *x = a, *y = b;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return x->doc < y->doc ? -1 : x->doc > y->doc;
}

/* Has the second step read the nearest of those that it has not: all but the first `read`. */
static void read_nearest(struct kb_arena *arena, struct kb_rerank *second, struct kb_hit *hits,
                         const struct nearness *all, size_t read, size_t count)
{
	size_t n = count - read, some = KB_MIN(n, (size_t)KB_FACTORS_READ);
	struct nearness *unread;

	if (!second || !n)
		return;
	unread = KB_NEW_ARRAY(arena, n, struct nearness);
	memcpy(unread, all + read, n * sizeof(*unread));
	qsort(unread, n, sizeof(*unread), by_nearness);
	qsort(unread, some, sizeof(*unread), by_file);
	for (size_t i = 0; i < some; i++)
		kb_rerank_more(second, &hits[unread[i].place], 1);
}

void kb_factors_rerank(const struct kb_factors *factors, const struct kb_snapshot *snapshot,
                       struct kb_arena *arena, const struct kb_query *query,
                       struct kb_rerank *second, struct kb_hit **hits, size_t *count)
{
	struct ranking *ranking = KB_NEW(arena, struct ranking);
	float weight = query->factors, max = max_score(*hits, *count);
	size_t read = KB_MIN(*count, query->rerank);
	const struct kb_vector *question;
	struct nearness *all;

	ranking->factors = factors;
	ranking->snapshot = snapshot;
	if (!begin(ranking, arena, query))
		return;
	feed_back(ranking, *hits, *count);
	if (*count < KB_FACTORS_RERANK || snapshot->alive <= KB_FACTORS_SCAN_MAX)
		add_near(ranking, arena, query, hits, count);
	if (!(max > 0))
		max = 1;
	question = kb_vector_new(arena, ranking->v, factors->head.dims);
	all = KB_NEW_ARRAY(arena, *count, struct nearness);
	for (size_t i = 0; i < *count; i++) {
		const struct kb_hit *hit = &(*hits)[i];
		const struct kb_vectors *column = ranking->columns[hit->part];

		all[i] = (struct nearness){
			.cosine = column ? kb_vectors_cosine(column, hit->doc, question) : -2,
			.place = (uint32_t)i,
			.part = hit->part,
			.doc = hit->doc,
		};
	}
	read_nearest(arena, second, *hits, all, read, *count);
	for (size_t i = 0; i < *count; i++) {
		struct kb_hit *hit = &(*hits)[i];

		/* A passage that has no vector yet is taken at its words. */
		if (all[i].cosine >= -1)
			hit->score = (1 - weight) * hit->score
			             + weight * max * KB_MAX(all[i].cosine, 0.f);
	}
	if (*count)
		qsort(*hits, *count, sizeof(**hits), by_score);
}
