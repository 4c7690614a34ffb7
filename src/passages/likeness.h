/*
 * How a text reads, in 64 bits: copies of one text that differ in a word here and there are near
 * each other (base/simhash.h), in whatever markup they came. Pure; any thread.
 */
#ifndef KB_PASSAGES_LIKENESS_H
#define KB_PASSAGES_LIKENESS_H

#include "parse/parse.h"

enum { KB_LIKENESS_WORDS_MIN = 50 };

/*
 * Of rows of three words. What tells one page of a kind from the next (their headings, else their
 * title, and their figures) has to be the same in both: texts that differ in one of these are as
 * far from each other as any two. 0: it has too few words to be told from its like.
 */
uint64_t kb_likeness(const struct kb_parsed *parsed);

#endif
