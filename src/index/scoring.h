/*
 * BM25F (Robertson, Zaragoza 2009): what a posting counts, by tables for the average lengths of the
 * fields. Private to this folder; pure.
 */
#ifndef KB_INDEX_SCORING_H
#define KB_INDEX_SCORING_H

#include "index/postings.h"

enum { KB_SATURATION_TF = 17 }; /* body counts below this have their part in the table */

/* BM25F's constants by count and length code. */
struct kb_scoring {
	float per_count[KB_FIELDS][256]; /* weight / (1 - b + b * length / average) */
	/* t / (k1 + t) of a posting in the body alone */
	float saturation[KB_SATURATION_TF][256];
};
void kb_scoring_init(struct kb_scoring *scoring, const float averages[KB_FIELDS]);

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

#endif
