/* A snapshot's insides and its tables of statistics. Private to this folder. */
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
	struct kb_vectors **vectors; /* held; those whose passages are as many as the segment's */
	size_t vectors_count;
};

struct kb_snapshot {
	atomic_int count;
	size_t part_count;
	struct kb_part *parts;
	uint64_t passages; /* dead ones too */
	uint64_t alive;
	struct kb_scoring scoring;  /* for its average lengths */
	struct kb_factors *factors; /* of the third step; NULL: none */
};

/* Average lengths of the fields; 1 where a field is empty everywhere. */
void kb_snapshot_averages(const struct kb_snapshot *snapshot, float averages[KB_FIELDS]);

static inline int64_t kb_part_page(const struct kb_part *part, uint32_t doc)
{
	return kb_page_shifted(kb_segment_page(part->segment, doc), part->page_shift);
}

static inline bool kb_part_alive(const struct kb_part *part, uint32_t doc)
{
	return !part->dead || !(part->dead[doc / 64] >> doc % 64 & 1);
}

#endif
