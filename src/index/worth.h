/*
 * What a term's postings in the body alone count, by count and length code: the products that a
 * search would make for each posting are made once. Private to this folder; one thread.
 */
#ifndef KB_INDEX_WORTH_H
#define KB_INDEX_WORTH_H

#include "index/score.h"

struct kb_worth {
	float gain;
	uint32_t rows; /* counts that are filled in */
	uint32_t (*v)[256];
};

/* Fills rows 0 to tf_limit - 1; the table is made in the arena when it is first wanted. */
void kb_worth_fill(struct kb_worth *worth, const struct kb_scoring *scoring, struct kb_arena *arena,
                   uint32_t tf_limit);

/* Whether the block in hand, its counts unpacked, can be told by the table alone. */
static inline bool kb_worth_of_block(struct kb_worth *worth, const struct kb_scoring *scoring,
                                     struct kb_arena *arena, const struct kb_cursor *cursor)
{
	if (!cursor->body_only || cursor->tf_limit > KB_SATURATION_TF)
		return false;
	if (cursor->tf_limit > worth->rows)
		kb_worth_fill(worth, scoring, arena, cursor->tf_limit);
	return true;
}

#endif
