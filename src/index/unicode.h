/*
 * What the analysis asks about characters: which kind of word they belong to, their compatibility
 * form, their lower case. Pure functions; any thread.
 */
#ifndef KB_INDEX_UNICODE_H
#define KB_INDEX_UNICODE_H

#include "base/sv.h"

enum kb_char_kind {
	KB_CHAR_BREAK,   /* ends a word */
	KB_CHAR_LETTER,  /* letters, and the marks on them */
	KB_CHAR_DIGIT,   /* decimal digits and other numbers */
	KB_CHAR_CJK,     /* Han, kana, Hangul, Bopomofo: words are not divided by blanks */
	KB_CHAR_SEA,     /* Thai, Lao, Khmer, Burmese: words come from a dictionary */
	KB_CHAR_IGNORED, /* joiners, soft hyphens, variation selectors: no break, no content */
};

enum kb_char_kind kb_char_kind(uint32_t cp);
bool kb_char_is_capital(uint32_t cp); /* upper and title case */
bool kb_char_is_small(uint32_t cp);   /* lower case */
uint32_t kb_char_lower(uint32_t cp);
/* Whether the two stand as one on the page (a letter and its mark, parts of a syllable or of a
 * picture), so that a text is not cut between them. *state is 0 at the start of a text and kept
 * from pair to pair. */
bool kb_char_joins(uint32_t before, uint32_t cp, int32_t *state);

/* NFKC and lower case of a short text of letters, digits and marks; digits of any script become
 * ASCII, ignored characters go. Writes at most max bytes (whole characters), returns how many. With
 * `turkish`, I is lowered to dotless i and dotted I to i. */
size_t kb_fold(struct kb_sv text, bool turkish, char *out, size_t max);

#endif
