/*
 * A snapshot's insides and its tables of statistics. Private to this folder.
 *
 * Whatever a search tells or ranks by is counted over the living passages: a word of a dead or
 * hidden passage must not be told from one that was never there. Only the frequencies of letter
 * pieces are those of the files where nothing is hidden (rerank.c), dead passages too.
 */
#ifndef KB_INDEX_SNAPSHOT_H
#define KB_INDEX_SNAPSHOT_H

#include "index/dict.h"
#include "index/scoring.h"

struct kb_part {
	struct kb_segment *segment;
	int64_t version;
	int64_t page_shift; /* what a page id of the file is short of */
	uint64_t *dead;     /* a bit a passage; NULL: all live */
	uint32_t alive;
	/* Some of the dead are only hidden from this snapshot's reader: kb_snapshot_hiding(). */
	bool hides;
	struct kb_vectors **vectors; /* held; those whose passages are as many as the segment's */
	size_t vectors_count;
};

/* Frequencies of words over parts with dead passages take a walk through their lists, and a
 * question asks for the same ones a few times. A slot holds what is left of the term's hash above
 * and its frequency below; 0 is free. */
struct kb_df_memo {
	_Atomic uint64_t slots[512];
};

struct kb_snapshot {
	atomic_int count;
	size_t part_count;
	struct kb_part *parts;
	uint64_t passages; /* dead ones too */
	uint64_t alive;
	struct kb_scoring scoring;  /* for its average lengths */
	struct kb_factors *factors; /* of the third step; NULL: none */
	struct kb_df_memo *dfs;     /* NULL: nothing is dead */
};

/* Average lengths of the living passages' fields; 1 where a field is empty everywhere. */
void kb_snapshot_averages(const struct kb_snapshot *snapshot, float averages[KB_FIELDS]);
/* Living passages of the part that hold the term. */
uint32_t kb_part_df(const struct kb_part *part, struct kb_sv term);
/* Adds the part's living passages by language, from a sample. */
void kb_part_langs(const struct kb_part *part, uint64_t langs[KB_LANG_COUNT]);

static inline int64_t kb_part_page(const struct kb_part *part, uint32_t doc)
{
	return kb_page_shifted(kb_segment_page(part->segment, doc), part->page_shift);
}

static inline bool kb_part_alive(const struct kb_part *part, uint32_t doc)
{
	return !part->dead || !(part->dead[doc / 64] >> doc % 64 & 1);
}

#endif
