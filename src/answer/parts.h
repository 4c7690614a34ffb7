/*
 * From a selection to an answer that reads well. Pure but for the arena; any thread.
 */
#ifndef KB_ANSWER_PARTS_H
#define KB_ANSWER_PARTS_H

#include "answer/select.h"

/* A sentence of the answer; its citation is its candidate's page. */
struct kb_answer_part {
	uint32_t candidate;
	uint32_t start, end; /* bytes of its passage's text: a verbatim span */
};

/*
 * The answer's sentences in reading order, grouped by passage, the best one's first. Empty when the
 * selection is not answered.
 *
 * It is up to three windows, each a run of sentences that stand together in a passage: where the
 * answer most likely is, with the sentence that a pronoun at its start refers to, the line that
 * leads to it, lists and code as far as there is room. A fact has small windows, of a sentence or a
 * few. A short section's passage goes on behind the next heading: a window does not, and a heading
 * is no part of any. Nothing is said twice.
 */
void kb_answer_parts(struct kb_arena *arena, const struct kb_candidate *candidates,
                     const struct kb_selection *selection, struct kb_answer_part **out,
                     size_t *count);

#endif
