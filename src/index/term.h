/* What analysis makes of a text: its terms. */
#ifndef KB_INDEX_TERM_H
#define KB_INDEX_TERM_H

#include "base/sv.h"

/* A longer run of letters and digits is cut into words of at most so many bytes. */
enum { KB_WORD_BYTES = 120, KB_WORD_HINTS = 1 << 17 };

enum kb_term_flag {
	KB_TERM_STOP = 1, /* one of the few words that are not indexed, but counted in positions */
	KB_TERM_FUNCTION = 2, /* a function or question word of its language */
	KB_TERM_PIECE =
	        4, /* part of the word before: a code's piece, a CJK single beside its pair */
	KB_TERM_CAPITAL = 8, /* began with a capital letter */
	KB_TERM_NUMBER = 16, /* has a digit */
	KB_TERM_CJK = 32,    /* a character or pair of characters, or a Thai-like run */
};

struct kb_term {
	struct kb_sv term;   /* normalised, stemmed */
	struct kb_sv word;   /* normalised, unstemmed; for CJK the same as term */
	uint32_t start, end; /* bytes of the source text it came from */
	uint32_t position;   /* of the word in the text; pieces share their word's */
	uint32_t flags : 8;
	/* A hint to whoever keeps something about words: below KB_WORD_HINTS, and mostly the same
	 * for the same word and for it alone. 0: none. */
	uint32_t hint : 24;
};

struct kb_terms {
	struct kb_term *v;
	size_t count;
	uint32_t positions; /* the next free position */
};

#endif
