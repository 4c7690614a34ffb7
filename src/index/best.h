/*
 * The best passages so far, by whole numbers: a heap with the worst in front. What searches by
 * words and by vectors gather their hits in. Private to this folder; one thread.
 */
#ifndef KB_INDEX_BEST_H
#define KB_INDEX_BEST_H

#include "index/snapshot.h"

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

#endif
