/*
 * What no posting of a block, or of a list, counts more than; and the places with the greatest of
 * such figures first. Private to this folder; pure.
 */
#ifndef KB_INDEX_BOUND_H
#define KB_INDEX_BOUND_H

#include "index/scoring.h"

/* In the units of score.h, of a term of that gain. Of a list with a directory: of its block, or
 * KB_WHOLE_LIST; whatever it may be where the maxima are damaged. */
uint32_t kb_bound_of(const struct kb_scoring *scoring, float gain, const struct kb_cursor *cursor,
                     int64_t block);
/* Above every part whose t / (k1 + t) is not greater than this in exact numbers. */
uint32_t kb_bound_part(float gain, float part);

/* A heap of places: the one with the greatest figure is in front, of equal ones the first. */
struct kb_bounds {
	const uint32_t *figures; /* of each place */
	uint32_t *heap;
	uint32_t count;
};
/* Orders what stands in heap[0 .. count - 1]. */
void kb_bounds_order(struct kb_bounds *places);
/* Takes the place in front away; count is not 0. */
uint32_t kb_bounds_take(struct kb_bounds *places);

#endif
