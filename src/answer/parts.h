/*
 * From a selection to an answer that reads well. Pure but for the arena; any thread.
 */
#ifndef KB_ANSWER_PARTS_H
#define KB_ANSWER_PARTS_H

#include "answer/select.h"

/* A sentence of the answer; its citation is its candidate's page. */
struct kb_answer_part {
	uint32_t candidate;
	uint32_t start, end; /* bytes of its passage's text: verbatim, without debris at its end */
	bool more_before, more_behind; /* its list has items there that are not said (joined.h) */
};

/*
 * The answer's sentences, place by place, the best one first; each place in reading order. Empty
 * when the selection is not answered, or where its best sentences say nothing: debris, questions
 * alone.
 *
 * It is up to three places, each of sentences that stand together in a passage: where the answer
 * most likely is, made whole (blocks.h). A paragraph is said from its beginning to its end where
 * these are near, a list, steps or code with the line that leads to them, of a table the rows that
 * matter. A fact has small places; of a section, whole paragraphs follow as far as there is room. A
 * short section's passage goes on behind the next heading: a place does not, and a heading is no
 * part of any. Nothing is said twice.
 */
void kb_answer_parts(struct kb_arena *arena, const struct kb_candidate *candidates,
                     const struct kb_selection *selection, struct kb_answer_part **out,
                     size_t *count);

#endif
