/*
 * Whether a checked answer (store/verified.h) is what is to be said to a question.
 *
 * It is found as any document is. It wins, and is said as it stands, where the question is one of
 * its own but for case, marks and blanks; or where it leads the other checked answers and is near
 * enough to the question, by the encoder's vectors or without one by its words, and one of its
 * questions is bound to the same things: numbers, codes and words of negation the same, names and
 * units in the question or the answer, and no single word put in another's place. Else its passage
 * is one among others. Past the date of its review it does not win either.
 *
 * Figures and sets: bench/verified.mjs. A call belongs to a worker: it reads the store once, and
 * only where an answer is about to win.
 */
#ifndef KB_ANSWER_VERIFIED_H
#define KB_ANSWER_VERIFIED_H

#include "answer/answer.h"
#include "answer/steps.h"

/* Fills kind, quotes, citations and `checked` of *out and gives the text to be said; an empty one:
 * none wins, and *out is as it was. */
bool kb_verified_answer(const struct kb_answer_job *job, const struct kb_answer_request *request,
                        const struct kb_steps *steps, struct kb_answer *out, struct kb_sv *text,
                        struct kb_err *err) KB_MUST_CHECK;

#endif
