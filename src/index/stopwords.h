/*
 * Words that say little about what a text is about, by language. Pure; any thread.
 */
#ifndef KB_INDEX_STOPWORDS_H
#define KB_INDEX_STOPWORDS_H

#include "base/sv.h"
#include "index/lang.h"

/* KB_TERM_STOP and KB_TERM_FUNCTION of a normalised, unstemmed word (or a Thai-like word). */
uint8_t kb_stopword_flags(enum kb_lang lang, struct kb_sv word);

/* The function words as one text, each between single blanks, a blank at both ends; "" for
 * languages without a list. For Chinese, Japanese and Korean these are what is cut out of a run. */
struct kb_sv kb_stopword_list(enum kb_lang lang);

/* The words of a Chinese, Japanese or Korean list by their first character, for finding them in a
 * run. NULL for other languages. One object may be read by any thread. */
struct kb_stopword_cuts;
struct kb_stopword_cuts *kb_stopword_cuts_new(enum kb_lang lang);
void kb_stopword_cuts_free(struct kb_stopword_cuts *cuts);

/* Length in bytes of the longest word that the text starts with, else 0; 0 without a list. */
size_t kb_stopword_at(const struct kb_stopword_cuts *cuts, struct kb_sv text);

#endif
