/* Numbers that are written otherwise than in digits. Pure; any thread. */
#ifndef KB_ANSWER_NUMERALS_H
#define KB_ANSWER_NUMERALS_H

#include "base/sv.h"
#include "index/lang.h"

/* 1 to 12 for the word of that language, in lower case; 0: none of them. */
int kb_numeral_word(enum kb_lang lang, struct kb_sv word);

/* 1 to 89 for a numeral of I, V, X and L, in capitals or not; 0: it is none. */
int kb_numeral_roman(struct kb_sv word);

/* The Chinese numeral that the text begins with, up to 99 or digit by digit: its length in bytes,
 * *value what it says; 0: there is none. */
size_t kb_numeral_chinese(struct kb_sv text, int *value);

#endif
