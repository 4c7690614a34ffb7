/*
 * What the analyzer remembers of a word: its normalised form, its stem, its flags. A dictionary's
 * worth of work instead of a text's. One cache a language; one thread.
 */
#ifndef KB_INDEX_ANALYSIS_CACHE_H
#define KB_INDEX_ANALYSIS_CACHE_H

#include "index/analysis.h"

struct kb_word {
	/* Normalised; views into the cache, until the next look-up, KB_WORD_SLACK bytes behind them
	 * may be read. */
	struct kb_sv word;
	struct kb_sv stem;
	uint8_t flags; /* STOP, FUNCTION, NUMBER */
	bool mixed;    /* letters and digits */
	uint16_t hint; /* place in the cache */
};

struct kb_word_cache;
struct kb_word_cache *kb_word_cache_new(enum kb_lang lang);
void kb_word_cache_free(struct kb_word_cache *cache);

/* The word of raw letters, digits and marks (of at most KB_WORD_BYTES), as they stand in the text
 * or in ASCII lower case. It may be empty: nothing but marks. */
struct kb_word kb_word_cache_get(struct kb_word_cache *cache, struct kb_sv raw);

/* The stem of a normalised word, without remembering either: a view into the stemmer or the word,
 * until the next call. */
struct kb_sv kb_word_cache_stem(struct kb_word_cache *cache, struct kb_sv word);

#endif
