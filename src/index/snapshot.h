/* A snapshot's insides and its tables of statistics. Private to this folder. */
#ifndef KB_INDEX_SNAPSHOT_H
#define KB_INDEX_SNAPSHOT_H

#include "index/dict.h"
#include "index/postings.h"

enum { KB_SATURATION_TF = 17 }; /* body counts below this have their part in the table */

struct kb_part {
	struct kb_segment *segment;
	int64_t version;
	int64_t page_shift; /* what a page id of the file is short of */
	uint64_t *dead;     /* a bit a passage; NULL: all live */
	uint32_t alive;
	struct kb_vectors **vectors; /* held; those whose passages are as many as the segment's */
	size_t vectors_count;
};

/* BM25F's constants for the average lengths of this snapshot, by count and length code. */
struct kb_scoring {
	float per_count[KB_FIELDS][256]; /* weight / (1 - b + b * length / average) */
	/* t / (k1 + t) of a posting in the body alone */
	float saturation[KB_SATURATION_TF][256];
};

struct kb_snapshot;
/* Average lengths of the fields; 1 where a field is empty everywhere. */
void kb_scoring_averages(const struct kb_snapshot *snapshot, float averages[KB_FIELDS]);
void kb_scoring_init(struct kb_scoring *scoring, const float averages[KB_FIELDS]);

struct kb_snapshot {
	atomic_int count;
	size_t part_count;
	struct kb_part *parts;
	uint64_t passages; /* dead ones too */
	uint64_t alive;
	struct kb_scoring scoring;
	struct kb_factors *factors; /* of the third step; NULL: none */
};

#define KB_BM25_K1 1.2f

static inline float kb_saturate(float t)
{
	return t / (KB_BM25_K1 + t);
}

/* t / (k1 + t) of the posting at place i of the cursor's block, for passage doc. */
static inline float kb_posting_part(const struct kb_scoring *scoring,
                                    const struct kb_segment *segment,
                                    const struct kb_cursor *cursor, uint32_t i, uint32_t doc)
{
	uint32_t body = cursor->tf[KB_FIELD_BODY][i];
	uint8_t length = segment->lengths[KB_FIELD_BODY][doc];
	float t;

	if (cursor->body_only && body < KB_SATURATION_TF)
		return scoring->saturation[body][length];
	t = (float)body * scoring->per_count[KB_FIELD_BODY][length];
	if (!cursor->body_only)
		for (int f = KB_FIELD_TITLE; f < KB_FIELDS; f++)
			t += (float)cursor->tf[f][i]
			     * scoring->per_count[f][segment->lengths[f][doc]];
	return kb_saturate(t);
}

static inline int64_t kb_part_page(const struct kb_part *part, uint32_t doc)
{
	return kb_page_shifted(kb_segment_page(part->segment, doc), part->page_shift);
}

static inline bool kb_part_alive(const struct kb_part *part, uint32_t doc)
{
	return !part->dead || !(part->dead[doc / 64] >> doc % 64 & 1);
}

#endif
