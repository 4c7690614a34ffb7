/*
 * The table's file (version 1) and its rows. For this folder and for the trainer.
 *
 * The frame is that of every file of sections (base/container.h), its magic "KBMEAN\r\n". Sections:
 *
 *   INFO    u32 dimensions, u32 words, u32 groups, u32 zero.
 *   KEYS    u32 a word: the upper half of its hash, ascending.
 *   SCALES  f32 a row: what the integers of its row are multiplied with.
 *   ROWS    i8, dimensions a row: those of the words in the order of KEYS, then those of groups.
 *
 * A word that the table lacks is cut into known words of four letters or more, from left to right,
 * the longest first ("festplattenverschlüsselung"); letters between them are read in groups of
 * four, each of which has a row by its hash. Numbers and single ideographs have their own row or
 * none; two ideographs in a row are looked up as a pair besides.
 */
#ifndef KB_INDEX_MEANING_TABLE_H
#define KB_INDEX_MEANING_TABLE_H

#include "base/container.h"
#include "index/meaning.h"

enum kb_meaning_section {
	KB_MEAN_INFO = 1,
	KB_MEAN_KEYS,
	KB_MEAN_SCALES,
	KB_MEAN_ROWS,
	KB_MEAN_COUNT
};

enum {
	KB_MEANING_WORDS_MAX = 1 << 20,
	KB_MEANING_GROUPS_MAX = 1 << 16,
	KB_MEANING_PIECES_MAX = 12, /* rows of one word */
};
#define KB_MEANING_NONE UINT32_MAX

extern const struct kb_form kb_meaning_form;

struct kb_meaning_head {
	uint32_t dims, words, groups, zero;
};

uint32_t kb_meaning_key(struct kb_sv word);

/* Which words have a row. */
struct kb_meaning_words {
	uint32_t (*find)(const void *arg, uint32_t key); /* KB_MEANING_NONE: it has none */
	const void *arg;
	uint32_t count, groups;
};
void kb_meaning_words(const struct kb_meaning *meaning, struct kb_meaning_words *out);

/* The rows of a normalised word; returns how many, 0 where nothing is known of it. */
size_t kb_meaning_rows(const struct kb_meaning_words *words, struct kb_sv word,
                       uint32_t out[KB_MEANING_PIECES_MAX]);
/* The row of two ideographs that follow one another. */
uint32_t kb_meaning_pair(const struct kb_meaning_words *words, struct kb_sv a, struct kb_sv b);
/* Whether the word is one ideograph, kana or syllable. */
bool kb_meaning_is_single(struct kb_sv word);

/* v += the row */
void kb_meaning_add(const struct kb_meaning *meaning, uint32_t row, float v[KB_MEANING_DIMS]);

#endif
