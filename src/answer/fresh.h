/*
 * Which of several documents that say the same is believed: one whose review is over comes behind
 * the others, and of those the newer before the older. What the others say of it with another
 * figure is not said, but told beside the answer (conflict.h).
 *
 * Two sentences say the same where statement.h tells so, and nothing that the question asks for
 * stands in the title or heading of only one of them: the warranty of one product is no other
 * product's. A sentence of many documents is one of a form, and says the same of none.
 */
#ifndef KB_ANSWER_FRESH_H
#define KB_ANSWER_FRESH_H

#include "answer/answerer_impl.h"
#include "answer/conflict.h"
#include "answer/select.h"

struct kb_fresh {
	const struct kb_answer_job *job;
	int64_t agent_id;
	const struct kb_question *question;
};

/* Puts the selection's sentences into that order; `conflicts`: what is told beside them. */
bool kb_fresh_sentences(const struct kb_fresh *with, const struct kb_candidate *candidates,
                        struct kb_selection *selection, struct kb_conflict_list *conflicts,
                        struct kb_err *err) KB_MUST_CHECK;

/* Passages, best first, by their statements. */
struct kb_fresh_passages {
	const struct kb_passage **v;
	size_t count;
};
/* *order: that of the first *count of them, each by its place; NULL: they stand well. */
bool kb_fresh_order(const struct kb_fresh *with, const struct kb_fresh_passages *passages,
                    size_t **order, size_t *count, struct kb_err *err) KB_MUST_CHECK;

#endif
