/*
 * Text to sentences, as byte ranges into it: what an answer quotes is always a range of the source.
 *
 * A sentence ends at a stop that fits its script, never after an abbreviation or an initial; a line
 * of a list, table or code block is a sentence of its own and is never cut. Thai and its like have
 * no stop and are cut at blanks once they are long. Pure; any thread.
 */
#ifndef KB_INDEX_SENTENCE_H
#define KB_INDEX_SENTENCE_H

#include "index/analysis.h"

struct kb_sentence {
	uint32_t start, end; /* bytes of the text, without blanks at either end; end > start */
};

/* In order, without overlap; what lies between is blank. The array lives in the arena. */
void kb_sentences(struct kb_arena *arena, struct kb_sv text, struct kb_sentence **out,
                  size_t *count);

/* Whether the text ends in a stop, of any script; a heading does not. */
bool kb_ends_in_stop(struct kb_sv text);

/* Whether it ends in a colon: "To install a version:" says nothing without what follows. */
bool kb_introduces(struct kb_sv text);

/* Whether it ends in a question mark, of any script. */
bool kb_asks(struct kb_sv text);

/* Whether a line without a stop is a sentence, by its verb: "The shop is closed on Sunday". Of the
 * languages that the list of verbs has; false says little. */
bool kb_states(struct kb_sv line);

#endif
