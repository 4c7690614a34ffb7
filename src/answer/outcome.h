/*
 * What came of a question, in the one word that every way out says it in.
 *
 *   answer   something is asserted, from the documents or by the agent itself, and cited where it
 *            stands on documents
 *   closest  nothing answers for sure, but the documents speak of the subject: the closest passages
 *            are shown (closest.h) and nothing is asserted
 *   nothing  neither: the subject is not in the documents, or there is no answer at all
 *
 * Pure functions; any thread.
 */
#ifndef KB_ANSWER_OUTCOME_H
#define KB_ANSWER_OUTCOME_H

#include "answer/named.h"
#include "answer/select.h"

enum kb_outcome { KB_OUTCOME_ANSWER, KB_OUTCOME_CLOSEST, KB_OUTCOME_NOTHING };

/* "answer", "closest", "nothing". */
const char *kb_outcome_name(enum kb_outcome outcome);

/* Of one search: what was selected, and whether it holds what the question names. */
enum kb_outcome kb_outcome_of(const struct kb_selection *selection,
                              const struct kb_named_things *named, enum kb_named_verdict verdict);

#endif
