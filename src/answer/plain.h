/*
 * The plain answer with what it was made of: for who writes another answer from the same passages.
 */
#ifndef KB_ANSWER_PLAIN_H
#define KB_ANSWER_PLAIN_H

#include "answer/answer.h"
#include "answer/steps.h"

struct kb_plain {
	struct kb_answer answer;
	struct kb_steps steps; /* count 0: nothing was searched for, the answer is what is said */
	struct kb_live live;   /* what was searched, until kb_plain_release() */
};
/* listener: NULL where nobody waits for fragments. After a failure nothing is to be released. */
bool kb_answer_plain(struct kb_answerer *answerer, struct kb_arena *arena,
                     const struct kb_answer_request *request,
                     const struct kb_answer_listener *listener, struct kb_plain *out,
                     struct kb_err *err) KB_MUST_CHECK;
void kb_plain_release(struct kb_plain *plain);

#endif
