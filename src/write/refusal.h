/*
 * Whether a model's text says that it has no answer: in the words it was told to say, or in its own
 * in one of ten languages. It is only asked of a text that no source supports, so that an answer
 * that speaks of what is not known is not taken for one. Pure; any thread.
 */
#ifndef KB_WRITE_REFUSAL_H
#define KB_WRITE_REFUSAL_H

#include "base/sv.h"

enum { KB_REFUSAL_BYTES = 400 }; /* of the text's beginning that are looked at */

/* no_answer: what the model was told to say. */
bool kb_refuses(struct kb_sv text, struct kb_sv no_answer);

#endif
