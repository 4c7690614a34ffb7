#include "index/rank.h"

#include "index/factors_rank.h"
#include "index/meaning_rank.h"
#include "index/prior.h"
#include "index/search.h"
#include "index/snapshot.h"

#define WORD_WEIGHT   .5f
#define VECTOR_WEIGHT 1

enum { DEPTH = 60 }; /* hits of each list that are fused, or the limit if that is more */

void kb_search(const struct kb_snapshot *snapshot, struct kb_arena *arena,
               const struct kb_query *query, struct kb_hit **hits, size_t *count)
{
	struct kb_query first = *query;
	struct kb_rerank *second = NULL;
	bool factors = snapshot->factors && query->factors > 0;
	bool meaning = query->meaning && query->rerank;

	first.limit = KB_MAX(query->limit, query->rerank);
	if (factors)
		first.limit = KB_MAX(first.limit, (size_t)KB_FACTORS_RERANK);
	if (meaning)
		first.limit = KB_MAX(first.limit, (size_t)KB_MEANING_BEST);
	kb_search_first(snapshot, arena, &first, hits, count);
	if (query->rerank)
		second = kb_rerank(snapshot, arena, query, *hits, KB_MIN(*count, query->rerank));
	if (factors)
		kb_factors_rerank(snapshot, arena, query, second, hits, count);
	if (meaning && query->purpose == KB_FOR_SEARCH)
		kb_meaning_rerank(snapshot, arena, query, *hits, *count);
	else if (meaning)
		*count = kb_meaning_choose(snapshot, arena, query, *hits, *count, query->limit);
	if (query->rerank && query->purpose == KB_FOR_SEARCH)
		kb_prior_rank(snapshot, query, *hits, *count);
	*count = KB_MIN(*count, query->limit);
}

float *kb_search_meant(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                       const struct kb_query *query, const struct kb_hit *hits, size_t count)
{
	float *out = KB_NEW_ARRAY(arena, count, float);

	for (size_t i = 0; i < count; i++)
		out[i] = hits[i].score;
	if (query->meaning)
		kb_meaning_add_scores(snapshot, arena, query, hits, count, out);
	return out;
}

/* By words and by vectors, the best `limit`. */
static void find(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                 const struct kb_hybrid_query *query, size_t limit, struct kb_hit **hits,
                 size_t *count)
{
	struct kb_hybrid_trace *trace = query->trace;
	struct kb_query words = *query->words;
	struct kb_vector_query vectors;
	struct kb_hit_list lists[2] = { { .weight = query->word_weight, .leads = true },
		                        { .weight = query->vector_weight } };
	struct kb_hit *by_words, *by_vectors;

	if (query->vectors) {
		vectors = *query->vectors;
		vectors.limit = KB_MAX(limit, (size_t)DEPTH);
		kb_vector_search(snapshot, arena, &vectors, &by_vectors, &lists[1].count);
		lists[1].hits = by_vectors;
	}
	words.limit = lists[1].count ? KB_MAX(limit, (size_t)DEPTH) : limit;
	kb_search(snapshot, arena, &words, &by_words, &lists[0].count);
	lists[0].hits = by_words;
	if (query->word_weight <= 0 && query->vector_weight <= 0) {
		lists[0].weight = WORD_WEIGHT;
		lists[1].weight = VECTOR_WEIGHT;
	}
	if (trace)
		*trace = (struct kb_hybrid_trace){ .lists = { lists[0], lists[1] } };
	if (!lists[1].count) {
		/* A copy: the reranker writes into it. */
		*count = KB_MIN(lists[0].count, limit);
		*hits = kb_arena_copy(arena, by_words, *count * sizeof(**hits));
		return;
	}
	kb_fuse(arena, lists, KB_COUNTOF(lists), limit, hits, count);
	if (trace) {
		trace->fused = kb_arena_copy(arena, *hits, *count * sizeof(**hits));
		trace->fused_count = *count;
	}
}

bool kb_hybrid_search(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                      const struct kb_hybrid_query *query, struct kb_hit **hits, size_t *count)
{
	size_t limit = query->words->limit;
	bool ok = true;

	find(snapshot, arena, query, query->reranker ? KB_MAX(limit, query->reranker->top) : limit,
	     hits, count);
	if (query->reranker)
		ok = kb_rerank_by(snapshot, arena, query->reranker, *hits, *count, query->trace);
	*count = KB_MIN(*count, limit);
	return ok;
}
