/*
 * Asking a test that is kept (store/kept.h), and judging what is said to it as docent eval does,
 * without a model: what the documents, labels, checked answers and settings make of the question.
 * A call belongs to a thread that may block.
 */
#ifndef KB_ANSWER_KEPT_H
#define KB_ANSWER_KEPT_H

#include "answer/anew.h"
#include "store/kept.h"

/* "passed", "not found", … */
const char *kb_kept_why_name(enum kb_kept_why why);

/* Fills why and answer of *out; the answer lives in the arena. */
bool kb_kept_ask(const struct kb_anew_with *with, struct kb_arena *arena,
                 const struct kb_agent *agent, const struct kb_kept_test *test,
                 struct kb_kept_result *out, struct kb_err *err) KB_MUST_CHECK;

#endif
