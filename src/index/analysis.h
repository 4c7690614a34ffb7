/*
 * Text to terms: the one analysis that documents and questions share.
 *
 * NFKC and lower case; a word is a run of letters, digits and marks; '.' and ',' between digits
 * stay in ("1,000" joins to 1000, "12.4.1" stays); 's is dropped; Snowball stems by language; words
 * that mix letters and digits also give their pieces; Chinese, Japanese and Korean give single
 * characters and pairs; Thai, Lao, Khmer and Burmese give dictionary words and runs of three. No
 * accent folding. The method and its measurements are in docs/search.md.
 *
 * An analyzer holds stemmers and break iterators: one thread at a time uses one; make one a thread.
 * What a call returns lives in the caller's arena; terms are views into it.
 */
#ifndef KB_INDEX_ANALYSIS_H
#define KB_INDEX_ANALYSIS_H

#include "base/arena.h"

/* Languages we know more of than their letters. */
enum kb_lang {
	KB_LANG_NONE, /* unknown: no stemming, no stop words */
	KB_LANG_EN,
	KB_LANG_DE,
	KB_LANG_FR,
	KB_LANG_ES,
	KB_LANG_IT,
	KB_LANG_PT,
	KB_LANG_NL,
	KB_LANG_SV,
	KB_LANG_DA,
	KB_LANG_NO,
	KB_LANG_FI,
	KB_LANG_HU,
	KB_LANG_RO,
	KB_LANG_TR,
	KB_LANG_RU,
	KB_LANG_UK,
	KB_LANG_PL,
	KB_LANG_CS,
	KB_LANG_EL,
	KB_LANG_AR,
	KB_LANG_FA,
	KB_LANG_HE,
	KB_LANG_HI,
	KB_LANG_VI,
	KB_LANG_ID,
	KB_LANG_TH,
	KB_LANG_LO,
	KB_LANG_KM,
	KB_LANG_MY,
	KB_LANG_ZH,
	KB_LANG_JA,
	KB_LANG_KO,
	KB_LANG_CA,
	KB_LANG_LT,
	KB_LANG_HY,
	KB_LANG_EU,
	KB_LANG_GA,
	KB_LANG_SR,
	KB_LANG_NE,
	KB_LANG_TA,
	KB_LANG_YI,
	KB_LANG_COUNT
};

const char *kb_lang_code(enum kb_lang lang);       /* "en"; "und" for NONE */
enum kb_lang kb_lang_from_code(struct kb_sv code); /* "pt-BR" is pt */

/* Of a whole document: statistics over a long text. */
enum kb_lang kb_lang_of_text(struct kb_sv text);
/* Of a question: script first, then function words and telling letters; short texts are hard. */
enum kb_lang kb_lang_of_question(struct kb_sv text);

struct kb_lang_guess {
	enum kb_lang lang;
	int points; /* KB_LANG_WORD_POINTS for each function word, twice that for a telling letter
	             */
};
enum { KB_LANG_WORD_POINTS = 4 };
/* The languages of the question's script, the likeliest first: kb_lang_of_question() takes that.
 * Returns how many, 1 or more. */
size_t kb_lang_guesses(struct kb_sv text, struct kb_lang_guess out[KB_LANG_COUNT]);

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

struct kb_analyzer;
struct kb_analyzer *kb_analyzer_new(void);
void kb_analyzer_free(struct kb_analyzer *analyzer);

/* Any bytes are fine: ill-formed UTF-8 separates words. */
void kb_analyze(struct kb_analyzer *analyzer, struct kb_arena *arena, enum kb_lang lang,
                struct kb_sv text, struct kb_terms *out);

/* The same for one text after another: what is returned lives in the analyzer, until its next use,
 * and nothing is copied. KB_WORD_SLACK bytes (bytes.h) behind a term or word may be read. */
void kb_analyze_passing(struct kb_analyzer *analyzer, enum kb_lang lang, struct kb_sv text,
                        struct kb_terms *out);

/* The stem of a normalised word without digits: a view, until the analyzer's next call. */
struct kb_sv kb_stem(struct kb_analyzer *analyzer, enum kb_lang lang, struct kb_sv word);

#endif
