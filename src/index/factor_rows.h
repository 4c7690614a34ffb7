/*
 * Passages as sparse rows of words, for the latent factors. Private to this folder.
 *
 * A row is read from the passage's sequence of words (forward.h), so function words are no part of
 * it. Words are their index terms; Chinese, Japanese and Korean give single characters and, where
 * two stand side by side, their pair. Terms are known by the hash of their bytes (a vocabulary of a
 * million has one chance in ten million of two that look alike).
 */
#ifndef KB_INDEX_FACTOR_ROWS_H
#define KB_INDEX_FACTOR_ROWS_H

#include "base/hash.h"
#include "index/dict.h"
#include "index/scoring.h"

#define KB_ROW_NONE UINT32_MAX

struct kb_row_term {
	uint32_t id; /* of the vocabulary */
	uint32_t tf[KB_FIELDS];
};

struct kb_factor_rows {
	const struct kb_segment *segment;
	/* A term's number in the vocabulary, or KB_ROW_NONE. */
	uint32_t (*find)(void *arg, uint64_t key);
	void *arg;
	struct kb_row_word {
		uint32_t id;
		bool cjk;
	} * words; /* by word number */
	uint32_t word_count;
	/* The row in hand. */
	struct kb_row_term *terms;
	size_t count, capacity;
	uint32_t *slots; /* by hash of the id: place + 1 */
	size_t slot_count, slot_capacity;
};

static inline uint64_t kb_row_key(struct kb_sv term)
{
	return kb_hash64(kb_term_key(term));
}

/* Looks up the words of the segment. `term` is called for each term of the dictionary with its key
 * and document frequency; may be NULL. */
void kb_rows_init(struct kb_factor_rows *rows, const struct kb_segment *segment,
                  uint32_t (*find)(void *arg, uint64_t key), void *arg,
                  void (*term)(void *arg, uint64_t key, uint32_t df));
void kb_rows_fini(struct kb_factor_rows *rows);
void kb_rows_read(struct kb_factor_rows *rows, uint32_t passage);

/* idf * t / (k1 + t), as BM25F counts the term in the passage. */
static inline float kb_row_weight(const struct kb_scoring *scoring,
                                  const struct kb_segment *segment, uint32_t passage,
                                  const struct kb_row_term *term, float idf)
{
	float t = 0;

	for (int f = 0; f < KB_FIELDS; f++)
		t += (float)term->tf[f] * scoring->per_count[f][segment->lengths[f][passage]];
	return idf * kb_saturate(t);
}

#endif
