/*
 * A plan that a model made: the searches that a question needs.
 *
 * Read strictly: one JSON object with an array "searches" of texts, perhaps in a code fence, and
 * nothing beside it. Whatever is more than asked for is left out, blank and doubled searches too.
 *
 * Pure but for the arena; any thread.
 */
#ifndef KB_ANSWER_PLANNED_H
#define KB_ANSWER_PLANNED_H

#include "answer/plan.h"

/* What stands in a code fence, where the whole text is one; else the text. Models like fences. */
struct kb_sv kb_unfenced(struct kb_sv text);

enum { KB_SEARCH_CHARS = 300 }; /* of one search */

/* Fills searches[0 .. n - 1] and returns n, at most max; 0: the text is no plan. */
size_t kb_planned_read(struct kb_arena *arena, struct kb_sv text, size_t max,
                       struct kb_sv searches[KB_PLAN_PARTS_MAX]);

#endif
