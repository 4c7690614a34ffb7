/*
 * The first ranking step: the best passages by their words alone, found in two ways. Private to
 * this folder; what is found lives in the arena.
 */
#ifndef KB_INDEX_SEARCH_H
#define KB_INDEX_SEARCH_H

#include "index/best.h"
#include "index/score.h"

/* The query's best `limit` by its terms; its other members do not count. */
void kb_search_first(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                     const struct kb_query *query, struct kb_hit **hits, size_t *count);

/* For tests and benches: the same result, by scoring every passage that holds a term. */
void kb_search_exact(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                     const struct kb_query *query, struct kb_hit **hits, size_t *count);

/* Offers the passages of a part that hold the term, of this gain: those that may be among the best.
 */
void kb_search_one(const struct kb_snapshot *snapshot, struct kb_arena *arena, uint32_t part,
                   struct kb_sv term, float gain, struct kb_best *best);

#endif
