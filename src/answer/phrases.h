/* What the agent says by itself, without a document or a model, in the visitor's language. */
#ifndef KB_ANSWER_PHRASES_H
#define KB_ANSWER_PHRASES_H

#include "index/analysis.h"

enum kb_phrase {
	KB_PHRASE_GREETING,
	KB_PHRASE_HOW_ARE_YOU,
	KB_PHRASE_THANKS,
	KB_PHRASE_BYE,
	KB_PHRASE_ACK,
	KB_PHRASE_ABILITY,  /* who the agent is and what it does; a title may follow */
	KB_PHRASE_TOPICS,   /* before a list of document titles */
	KB_PHRASE_EXAMPLES, /* before a list of example questions */
	KB_PHRASE_COUNTS,   /* before the numbers {} of documents and {} of passages */
	KB_PHRASE_NAME,     /* the asker's name is {} */
	KB_PHRASE_MISSING,  /* of what is compared, the documents have nothing about {} */
	KB_PHRASE_COUNT
};

/* English where the language has none. Never empty. */
struct kb_sv kb_phrase(enum kb_lang lang, enum kb_phrase phrase);

/* The phrase with its {} replaced by the values, in order. */
struct kb_sv kb_phrase_with(struct kb_arena *arena, enum kb_lang lang, enum kb_phrase phrase,
                            const struct kb_sv *values, size_t count);

#endif
