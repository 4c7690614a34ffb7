/*
 * The weights of a query's terms in a snapshot, and the score of one passage by them. Private to
 * this folder.
 *
 * Scores are summed as integers: each term's part is rounded to a multiple of 1 / scale, a power of
 * two chosen for the query, so that a sum does not depend on the order of its terms. That is what
 * lets the pruning search (search.c) and the exhaustive one (search_exact.c) give the same figures
 * and the same order, bit by bit.
 */
#ifndef KB_INDEX_SCORE_H
#define KB_INDEX_SCORE_H

#include "index/snapshot.h"

/* The query as its terms count in this snapshot: only those that some passage holds. */
struct kb_scorer {
	size_t count;
	struct kb_sv *terms;
	float *gains; /* weight * idf * scale */
	float unit;   /* 1 / scale */
};
void kb_scorer_init(struct kb_scorer *scorer, const struct kb_snapshot *snapshot,
                    struct kb_arena *arena, const struct kb_query_term *terms, size_t count);

double kb_scorer_idf(const struct kb_snapshot *snapshot, int64_t df);

/* A term's part of a passage's score, in units; `gain` is its scorer's. 0: the passage does not
 * hold it. counts, which may be NULL: how often it does, by field. */
uint32_t kb_scorer_term(const struct kb_snapshot *snapshot, uint32_t part, uint32_t doc,
                        struct kb_sv term, float gain, uint32_t counts[KB_FIELDS]);

/* The snapshot's parts, the one with most passages first: it brings the worst of the best up
 * soonest. */
uint32_t *kb_parts_by_size(const struct kb_snapshot *snapshot, struct kb_arena *arena);

static inline uint32_t kb_scorer_part(float gain, float part)
{
	return (uint32_t)(gain * part + .5f);
}

#endif
