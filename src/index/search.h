/*
 * What the two ways of finding the best passages share. Private to this folder.
 *
 * Scores are summed as integers: each term's part is rounded to a multiple of 1 / scale, a power of
 * two chosen for the query, so that a sum does not depend on the order of its terms. That is what
 * lets the pruning search (search.c) and the exhaustive one (search_exact.c) give the same figures
 * and the same order, bit by bit.
 */
#ifndef KB_INDEX_SEARCH_H
#define KB_INDEX_SEARCH_H

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

static inline uint32_t kb_scorer_part(float gain, float part)
{
	return (uint32_t)(gain * part + .5f);
}

/* The best so far: a heap with the worst in front. */
struct kb_best {
	size_t limit, count;
	struct kb_best_hit {
		uint32_t score, part, doc;
	} * v;
};
void kb_best_init(struct kb_best *best, struct kb_arena *arena, const struct kb_snapshot *snapshot,
                  size_t limit);
/* What a passage must exceed: one that counts as much as the worst may stand before it. */
static inline uint32_t kb_best_bar(const struct kb_best *best)
{
	return best->count < best->limit ? 0 : best->v[0].score - 1;
}
/* Passages are offered in any order, each once; a score of 0 is none. */
void kb_best_offer(struct kb_best *best, uint32_t score, uint32_t part, uint32_t doc);
void kb_best_take(struct kb_best *best, struct kb_arena *arena, float unit, struct kb_hit **hits,
                  size_t *count);

/* Whether a passage may be found at all: it lives, and the query allows its page. */
struct kb_gate {
	const struct kb_query *query;
	const struct kb_part *part;
	uint32_t run; /* the last one asked about */
	bool run_allowed;
};
static inline bool kb_gate_open(struct kb_gate *gate, uint32_t doc)
{
	uint32_t run;

	if (!kb_part_alive(gate->part, doc))
		return false;
	if (!gate->query->allow)
		return true;
	run = kb_segment_run(gate->part->segment, doc);
	if (run != gate->run) {
		gate->run = run;
		gate->run_allowed =
		        gate->query->allow(gate->query->allow_arg, kb_part_page(gate->part, doc));
	}
	return gate->run_allowed;
}

/* The same result as kb_search(), by scoring every passage that holds a term. */
void kb_search_exact(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                     const struct kb_query *query, struct kb_hit **hits, size_t *count);

#endif
