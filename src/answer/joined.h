/*
 * The rest of a list, of steps or of code that its passage's end has cut: from the line that leads
 * to it to its last item, as far as there is room. It is read of the passages right before and
 * behind, which the search need not have found. Where a list has no room whole, its first and its
 * last part know that it goes on.
 *
 * Belongs to the step's worker.
 */
#ifndef KB_ANSWER_JOINED_H
#define KB_ANSWER_JOINED_H

#include "answer/parts.h"

/* What is said of what was found: of candidates, behind which so many more come to stand. */
struct kb_joined {
	struct kb_candidate *candidates;
	size_t count, joined;
	struct kb_answer_part *parts;
	size_t part_count;
};

/* Puts what was cut around the parts, a part a line, and says nothing twice. */
void kb_answer_join(struct kb_arena *arena, const struct kb_snapshot *snapshot, enum kb_shape shape,
                    struct kb_joined *io);

#endif
