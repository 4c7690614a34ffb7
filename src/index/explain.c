#include "index/explain.h"

#include <math.h>

#include "index/search.h"

/* Sums of some dozen floats in another order differ by less of their size. */
#define ROUNDING 1e-4f

/* The gain of a term in the scorer, 0 where no passage holds it. */
static float gain_of(const struct kb_scorer *scorer, struct kb_sv term)
{
	for (size_t i = 0; i < scorer->count; i++)
		if (kb_sv_eq(scorer->terms[i], term))
			return scorer->gains[i];
	return 0;
}

static void explain_first(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                          const struct kb_query *query, const struct kb_scorer *scorer,
                          const struct kb_hit *hit, struct kb_explanation *out)
{
	uint32_t sum = 0;

	out->terms = KB_NEW_ARRAY(arena, query->term_count, struct kb_explained_term);
	out->term_count = query->term_count;
	for (size_t i = 0; i < query->term_count; i++) {
		struct kb_explained_term *term = &out->terms[i];
		uint32_t counts[KB_FIELDS] = { 0 }, part;

		*term = (struct kb_explained_term){ .term = query->terms[i].term,
			                            .weight = query->terms[i].weight };
		term->df = kb_snapshot_df(snapshot, term->term);
		term->idf = kb_scorer_idf(snapshot, term->df);
		part = kb_scorer_term(snapshot, hit->part, hit->doc, term->term,
		                      gain_of(scorer, term->term), counts);
		term->body = counts[KB_FIELD_BODY];
		term->title = counts[KB_FIELD_TITLE];
		term->heading = counts[KB_FIELD_HEADING];
		term->part = (float)part * scorer->unit;
		sum += part;
	}
	out->first = (float)sum * scorer->unit;
}

/* What the second step adds to each; zeros without it. */
static struct kb_rerank_parts *explain_second(const struct kb_snapshot *snapshot,
                                              struct kb_arena *arena, const struct kb_query *query,
                                              const struct kb_hit *hits, size_t count)
{
	struct kb_rerank_parts *parts = KB_NEW_ARRAY(arena, count, struct kb_rerank_parts);
	struct kb_query first = *query;
	struct kb_arena scratch = { 0 };
	struct kb_rerank *second;
	struct kb_hit *best;
	size_t best_count;

	if (!query->rerank)
		return parts;
	/* The second step learns from the first one's best. */
	first.limit = KB_MIN(query->rerank, (size_t)KB_RERANK_BEST);
	kb_search_first(snapshot, &scratch, &first, &best, &best_count);
	second = kb_rerank_learn(snapshot, &scratch, query, best, best_count);
	kb_rerank_explain(second, hits, count, parts);
	kb_arena_fini(&scratch);
	return parts;
}

void kb_explain_scores(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                       const struct kb_query *query, struct kb_hit *hits, size_t count)
{
	struct kb_rerank_parts *second = explain_second(snapshot, arena, query, hits, count);

	for (size_t i = 0; i < count; i++)
		hits[i].score = second[i].sum
		                + kb_score(snapshot, hits[i].part, hits[i].doc, query->terms,
		                           query->term_count);
}

void kb_explain(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                const struct kb_query *query, const struct kb_hit *hits, size_t count,
                struct kb_explanation *out)
{
	struct kb_rerank_parts *second = explain_second(snapshot, arena, query, hits, count);
	struct kb_scorer scorer;

	kb_scorer_init(&scorer, snapshot, arena, query->terms, query->term_count);
	for (size_t i = 0; i < count; i++) {
		out[i] = (struct kb_explanation){ .score = hits[i].score,
			                          .reranked = query->rerank > 0,
			                          .second = second[i] };
		explain_first(snapshot, arena, query, &scorer, &hits[i], &out[i]);
		/* A third step changes the sum as a whole: its share is what the two do not
		 * explain. */
		out[i].later = hits[i].score - out[i].first - second[i].sum;
		if (fabsf(out[i].later) <= ROUNDING * KB_MAX(fabsf(hits[i].score), 1.0f))
			out[i].later = 0;
	}
}
