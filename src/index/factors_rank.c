#include "index/factors_rank.h"

#include <stdlib.h>

#include "index/factors_file.h"
#include "index/score.h"
#include "index/snapshot.h"

static float max_score(const struct kb_hit *hits, size_t count)
{
	float max = 0;

	for (size_t i = 0; i < count; i++)
		max = KB_MAX(max, hits[i].score);
	return max;
}

struct ranking {
	struct kb_factors_info model;
	const struct kb_snapshot *snapshot;
	const struct kb_vectors **columns; /* by part; NULL: none of this model */
	float question[KB_FACTORS_DIMS_MAX], v[KB_FACTORS_DIMS_MAX]; /* q, q' */
};

/* The question in the model's space; false: none of its words is known there. The model may know
 * words of passages that are dead or hidden by now: they count for nothing. */
static bool place_question(struct ranking *ranking, struct kb_arena *arena,
                           const struct kb_query *query)
{
	struct kb_query_term *terms = KB_NEW_ARRAY(arena, query->term_count, struct kb_query_term);
	size_t count = 0;

	for (size_t i = 0; i < query->term_count; i++)
		if (kb_snapshot_df(ranking->snapshot, query->terms[i].term))
			terms[count++] = query->terms[i];
	return kb_factors_place(ranking->snapshot->factors, terms, count, ranking->question);
}

/* false: nothing to rank by. */
static bool begin(struct ranking *ranking, struct kb_arena *arena, const struct kb_query *query)
{
	const struct kb_snapshot *snapshot = ranking->snapshot;
	bool any = false;

	ranking->columns = KB_NEW_ARRAY(arena, snapshot->part_count, const struct kb_vectors *);
	for (uint32_t i = 0; i < snapshot->part_count; i++) {
		struct kb_vectors_info info;
		const struct kb_vectors *column =
		        kb_snapshot_vectors(snapshot, i, KB_FACTORS_COLUMN, ranking->model.mark);

		if (!column)
			continue;
		kb_vectors_info(column, &info);
		if (info.dims != ranking->model.dims)
			continue;
		ranking->columns[i] = column;
		any = true;
	}
	return any && place_question(ranking, arena, query);
}

/* q' = q + FEEDBACK * mean of the best hits' vectors */
static void feed_back(struct ranking *ranking, const struct kb_hit *hits, size_t count)
{
	enum { BEST = 3 };
	const float feedback = .6f;
	uint32_t dims = ranking->model.dims;
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
		.model = ranking->model.mark,
		.v = ranking->v,
		.dims = ranking->model.dims,
		.limit = KB_FACTORS_RERANK,
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
		qsort(sorted, known, sizeof(*sorted), kb_hit_by_place);
	for (size_t i = 0; i < n && *count < known + room; i++) {
		if (found[i].score < KB_FACTORS_NEAR)
			break;
		if (known && bsearch(&found[i], sorted, known, sizeof(*sorted), kb_hit_by_place))
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

void kb_factors_rerank(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                       const struct kb_query *query, struct kb_rerank *second, struct kb_hit **hits,
                       size_t *count)
{
	struct ranking *ranking = KB_NEW(arena, struct ranking);
	float weight = query->factors, max = max_score(*hits, *count);
	size_t read = KB_MIN(*count, query->rerank);
	const struct kb_vector *question;
	struct nearness *all;

	kb_factors_info(snapshot->factors, &ranking->model);
	ranking->snapshot = snapshot;
	if (!begin(ranking, arena, query))
		return;
	feed_back(ranking, *hits, *count);
	if (*count < KB_FACTORS_RERANK || snapshot->alive <= KB_FACTORS_SCAN_MAX)
		add_near(ranking, arena, query, hits, count);
	if (!(max > 0))
		max = 1;
	question = kb_vector_new(arena, ranking->v, ranking->model.dims);
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
		qsort(*hits, *count, sizeof(**hits), kb_hit_by_score);
}
