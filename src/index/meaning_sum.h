/*
 * Vectors of texts by a table of word vectors (meaning.h), read word by word, and how near they are
 * to a question's.
 *
 * Words are terms of an analysis. Function words are left out; a word counts once a text; of
 * ideographs that follow one another their pairs count too. Everything lives in the
 * caller's arena; one thread at a time.
 */
#ifndef KB_INDEX_MEANING_SUM_H
#define KB_INDEX_MEANING_SUM_H

#include "base/arena.h"
#include "index/meaning_table.h"
#include "index/term.h"

/* A question's vector. */
struct kb_meaning_question {
	const struct kb_meaning *meaning;
	struct kb_meaning_words words;
	float v[KB_MEANING_DIMS]; /* length 1 */
	uint32_t length;          /* words of it that are no function words */
};

/* A text's vector in the making. */
struct kb_meaning_sum {
	float v[KB_MEANING_DIMS];
	uint32_t *seen; /* by row: the text it was added to last */
	uint32_t text, rows;
	struct kb_sv before; /* an ideograph that the next may make a pair with */
};

/* false: the table knows no word of it. `sum` is used, and free again. */
bool kb_meaning_question(const struct kb_meaning *meaning, const struct kb_terms *terms,
                         struct kb_meaning_sum *sum, struct kb_meaning_question *question);

/* Of one table; made once, begun for each text. */
void kb_meaning_sum_init(struct kb_arena *arena, const struct kb_meaning *meaning,
                         struct kb_meaning_sum *sum);
void kb_meaning_sum_begin(struct kb_meaning_sum *sum);
/* Adds a row that the text does not have yet; KB_MEANING_NONE is none. */
void kb_meaning_sum_row(const struct kb_meaning *meaning, struct kb_meaning_sum *sum, uint32_t row);
/* Reads the next term of the text; any, in order. `whole`, of which the text is a part, may be
 * NULL. */
void kb_meaning_sum_term(const struct kb_meaning_question *question, const struct kb_term *term,
                         struct kb_meaning_sum *own, struct kb_meaning_sum *whole);
/* The vector of one word, or of two ideographs, of length 1; false: the table does not know it. */
bool kb_meaning_word(const struct kb_meaning_question *question, struct kb_sv word,
                     float v[KB_MEANING_DIMS]);
float kb_meaning_dot(const float a[KB_MEANING_DIMS], const float b[KB_MEANING_DIMS]);

/* The cosine of the text and the question; 0 where the table knows no word of the text. */
float kb_meaning_near(const struct kb_meaning_question *question, const struct kb_meaning_sum *sum);

#endif
