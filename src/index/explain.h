/*
 * Why a passage has its score: each term's part in the first step, each figure of the second.
 *
 * The figures come from the code that ranks (score.c, rerank.c), passage by passage; nothing is
 * computed a second way. first + second + later is the hit's score but for the last bits of a
 * float. Any thread; what is found lives in the caller's arena.
 */
#ifndef KB_INDEX_EXPLAIN_H
#define KB_INDEX_EXPLAIN_H

#include "index/rerank.h"

struct kb_explained_term {
	struct kb_sv term;
	float weight; /* in the query */
	int64_t df;   /* passages of the snapshot that hold it */
	double idf;
	uint32_t body, title, heading; /* how often the passage's fields hold it */
	float part;                    /* of the score */
};

struct kb_explanation {
	struct kb_explained_term *terms; /* all of the query's, in its order */
	size_t term_count;
	float first; /* the first step's score: the terms' parts together */
	bool reranked;
	struct kb_rerank_parts second; /* zeros where the second step did not run */
	/* What further steps (factors.h, meaning_rank.h) did to the score of the first two; 0 where
	 * none ran. */
	float later;
	float score;
};

/* hits: those that kb_search() gave for the query and the snapshot; out[i] is of hits[i]. */
void kb_explain(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                const struct kb_query *query, const struct kb_hit *hits, size_t count,
                struct kb_explanation *out);

/* Gives any passages the scores of the first two steps, as if kb_search() had listed them there;
 * leaves their order. */
void kb_explain_scores(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                       const struct kb_query *query, struct kb_hit *hits, size_t count);

#endif
