/*
 * The language of a text by its function words alone, where they leave no doubt. Private to this
 * folder; pure, any thread.
 */
#ifndef KB_INDEX_LANGWORDS_H
#define KB_INDEX_LANGWORDS_H

#include "base/sv.h"
#include "index/lang.h"

/* The languages whose list of function words has this normalised word: a bit for each. */
uint64_t kb_lang_lists(struct kb_sv word);

enum { KB_LANG_HITS_MAX = 1024 }; /* later ones are not counted */

/* What a text has of the words in the lists of stopwords.c, for languages in Latin letters. */
struct kb_lang_words {
	uint32_t words;                   /* runs of two letters, digits and underscores or more */
	uint32_t high;                    /* bytes that are not ASCII */
	uint32_t foreign;                 /* bytes of characters that are of no Latin alphabet */
	uint32_t hits;                    /* words in any list */
	uint16_t found[KB_LANG_HITS_MAX]; /* which ones, as places in the table of all lists */
};

/* Adds a stretch of the text. It may begin and end anywhere, within a character too. */
void kb_lang_words_add(struct kb_lang_words *words, struct kb_sv text);

/* The language that nearly all hits agree on; KB_LANG_NONE: unclear. */
enum kb_lang kb_lang_words_verdict(const struct kb_lang_words *words);

#endif
