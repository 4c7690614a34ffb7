/*
 * Ranked search: the steps in their order.
 *
 * By words: the first step finds (search.h), the second looks at the best word by word (rerank.h),
 * the third lifts what speaks of the same thing in other words (factors.h), the fourth what the
 * words of the language at large say is near (meaning_rank.h), and changelogs and their like step
 * back (prior.h). Beside them stand the passages that a question's vector finds (vectors.h) and
 * what a model says of the best; fusion.h makes one list of these. The steps do not know each
 * other's order, only this file does.
 *
 * Any thread; what is found lives in the caller's arena.
 */
#ifndef KB_INDEX_RANK_H
#define KB_INDEX_RANK_H

#include "index/fusion.h"
#include "index/vectors.h"

/* The best `limit` passages by words, best first; equal scores by (part, doc). BM25F over title,
 * heading and body (Robertson, Zaragoza 2009), and the further steps that the query asks for. */
void kb_search(const struct kb_snapshot *snapshot, struct kb_arena *arena,
               const struct kb_query *query, struct kb_hit **hits, size_t *count);

struct kb_hybrid_query {
	const struct kb_query *words;          /* its limit is the result's */
	const struct kb_vector_query *vectors; /* NULL: none. Its limit is taken from words */
	float word_weight, vector_weight;      /* both 0: those of fusion.h */
	const struct kb_reranker *reranker;    /* NULL: none */
	struct kb_hybrid_trace *trace;         /* filled; NULL: nobody asks */
};
/* Where no passage is found by vectors, for want of a column or a question's vector, and without a
 * reranker, it gives what kb_search() gives. Returns false when the reranker was asked and failed;
 * the hits are then those without it. */
bool kb_hybrid_search(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                      const struct kb_hybrid_query *query, struct kb_hit **hits, size_t *count);

/* What each of some hits of the query's search would count with what its table of meanings says of
 * them (meaning_rank.h); without a table, their scores. In the arena. */
float *kb_search_meant(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                       const struct kb_query *query, const struct kb_hit *hits, size_t count);

#endif
