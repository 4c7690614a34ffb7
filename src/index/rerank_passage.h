/*
 * What the two halves of the second step share: rerank.c asks and weighs, rerank_passage.c reads
 * passages. Private to them.
 */
#ifndef KB_INDEX_RERANK_PASSAGE_H
#define KB_INDEX_RERANK_PASSAGE_H

#include "base/utf8.h"
#include "index/forward.h"
#include "index/rerank_figures.h"
#include "index/snapshot.h"
#include "index/unicode.h"

enum {
	WORDS_MAX = 64,   /* different words of a question that are looked for: bits of a mask */
	PIECES_MAX = 512, /* different pieces */
	PAIR_REACH = 3,
	NEAR_REACH = 8,
	RECENT = 16,        /* last places remembered; a power of two above the reaches */
	SENTENCES_MAX = 24, /* of a passage, that have words of the question */
	FULL_LENGTH = 6,    /* words; longer questions get less of P, U, F */
	PIECE_SLOTS = 1 << 11,
};
#define NO_WORD 255

struct tally;
struct seen;

struct kb_rerank {
	const struct kb_snapshot *snapshot;

	/* The question. */
	struct kb_sv words[WORDS_MAX]; /* terms, each once */
	float idf[WORDS_MAX];
	size_t word_count;
	float pairs[WORDS_MAX][WORDS_MAX]; /* weight of a followed by b */
	bool any_pair[WORDS_MAX];          /* by b */
	size_t length;                     /* n */
	float weights[KB_RERANK_FIGURES];  /* in this question */
	float telling[WORDS_MAX];          /* how well a word tells the best passages apart */
	float telling_sum;
	struct tally *tally;
	uint32_t pieces[PIECES_MAX];
	float piece_gain[PIECES_MAX];
	/* Passages read that have it, and the pieces of all that were read. */
	uint32_t piece_seen[PIECES_MAX];
	struct kb_piece_sums seen_sums;
	size_t piece_count;
	uint16_t piece_slots[PIECE_SLOTS]; /* by hash: place + 1 */
	float body_average, title_average;

	/* The part in hand. */
	const struct kb_segment *segment;
	uint32_t terms[WORDS_MAX]; /* term numbers there; UINT32_MAX: it has no such term */
	uint16_t *slots;           /* by hash: place in seen + 1; 0: free */
	struct seen *seen;         /* words of its passages so far */
	size_t seen_count;
	uint16_t *hits;
	size_t hit_count;
};

/* What a passage has of the question. */
struct found {
	struct kb_rerank_parts parts; /* without those of sentences, and the sum */
	uint64_t words;               /* bits */
	uint64_t sentences[SENTENCES_MAX];
	uint32_t sentence_count;
};

static inline uint16_t *kb_rerank_slot(struct kb_rerank *r, uint32_t piece)
{
	uint32_t slot = piece % PIECE_SLOTS;

	while (r->piece_slots[slot] && r->pieces[r->piece_slots[slot] - 1] != piece)
		slot = (slot + 1) % PIECE_SLOTS;
	return &r->piece_slots[slot];
}

static inline bool kb_rerank_is_cjk(struct kb_sv word)
{
	uint32_t cp;

	kb_utf8_decode(word, &cp);
	return cp != KB_UTF8_BAD && kb_char_kind(cp) == KB_CHAR_CJK;
}

/* Of the words whose bits are set. */
static inline float kb_rerank_sum(const float *weights, uint64_t words)
{
	float sum = 0;

	for (; words; words &= words - 1)
		sum += weights[__builtin_ctzll(words)];
	return sum;
}

/* Makes room for reading. */
void kb_rerank_ready(struct kb_rerank *r, struct kb_arena *arena);
/* The passages that are read from now on are of this segment. */
void kb_rerank_enter(struct kb_rerank *r, const struct kb_segment *segment);
/* Fills found. */
void kb_rerank_look_at(struct kb_rerank *r, uint32_t doc, struct found *found);

#endif
