/* Weights of a query's terms, and the score of one passage. */
#include "index/score.h"

#include <math.h>

/* Sums stay below 2^31: every part is below its gain, and the gains' sum below 2^SUM_BITS. */
enum { SUM_BITS = 30 };
#define WEIGHT_MAX 1e6f

double kb_scorer_idf(const struct kb_snapshot *snapshot, int64_t df)
{
	double n = (double)KB_MAX(snapshot->alive, (uint64_t)KB_WEIGHED_LEAST);

	return log(1 + (n - (double)df + .5) / ((double)df + .5));
}

void kb_scorer_init(struct kb_scorer *scorer, const struct kb_snapshot *snapshot,
                    struct kb_arena *arena, const struct kb_query_term *terms, size_t count)
{
	double sum = 0, scale;
	int exponent;

	*scorer = (struct kb_scorer){ .terms = KB_NEW_ARRAY(arena, count, struct kb_sv),
		                      .gains = KB_NEW_ARRAY(arena, count, float) };
	for (size_t i = 0; i < count; i++) {
		double weight = (double)KB_MIN(terms[i].weight, WEIGHT_MAX);
		int64_t df;

		if (!(terms[i].weight > 0) || !(df = kb_snapshot_df(snapshot, terms[i].term)))
			continue;
		weight *= kb_scorer_idf(snapshot, df);
		scorer->terms[scorer->count] = terms[i].term;
		scorer->gains[scorer->count++] = (float)weight;
		sum += weight;
	}
	frexp(sum, &exponent);
	scale = ldexp(1, SUM_BITS - exponent);
	scorer->unit = (float)(1 / scale);
	for (size_t i = 0; i < scorer->count; i++)
		scorer->gains[i] = (float)((double)scorer->gains[i] * scale);
}

uint32_t kb_scorer_term(const struct kb_snapshot *snapshot, uint32_t part, uint32_t doc,
                        struct kb_sv term, float gain, uint32_t counts[KB_FIELDS])
{
	const struct kb_segment *segment = snapshot->parts[part].segment;
	struct kb_dict_entry entry;
	struct kb_cursor cursor;

	if (!kb_dict_find(segment, term, &entry))
		return 0;
	kb_cursor_init(&cursor, entry.list, entry.df);
	if (kb_cursor_seek(&cursor, doc) != doc)
		return 0;
	kb_cursor_counts(&cursor);
	for (int f = 0; counts && f < KB_FIELDS; f++)
		counts[f] = cursor.tf[f][cursor.at];
	return kb_scorer_part(
	        gain, kb_posting_part(&snapshot->scoring, segment, &cursor, cursor.at, doc));
}

float kb_score(const struct kb_snapshot *snapshot, uint32_t part, uint32_t doc,
               const struct kb_query_term *terms, size_t term_count)
{
	struct kb_arena arena = { 0 };
	struct kb_scorer scorer;
	uint32_t sum = 0;

	if (part >= snapshot->part_count || doc >= snapshot->parts[part].segment->passages)
		return 0;
	kb_scorer_init(&scorer, snapshot, &arena, terms, term_count);
	for (size_t i = 0; i < scorer.count; i++)
		sum += kb_scorer_term(snapshot, part, doc, scorer.terms[i], scorer.gains[i], NULL);
	kb_arena_fini(&arena);
	return (float)sum * scorer.unit;
}

float kb_score_bound(const struct kb_snapshot *snapshot, const struct kb_query_term *terms,
                     size_t term_count)
{
	double sum = 0;

	for (size_t i = 0; i < term_count; i++) {
		int64_t df = kb_snapshot_df(snapshot, terms[i].term);

		if (df && terms[i].weight > 0)
			sum += (double)terms[i].weight * kb_scorer_idf(snapshot, df);
	}
	return (float)sum;
}

uint32_t *kb_parts_by_size(const struct kb_snapshot *snapshot, struct kb_arena *arena)
{
	uint32_t *parts = KB_NEW_ARRAY(arena, snapshot->part_count, uint32_t);

	for (uint32_t i = 0; i < snapshot->part_count; i++) {
		uint32_t at = i, passages = snapshot->parts[i].segment->passages;

		for (; at && snapshot->parts[parts[at - 1]].segment->passages < passages; at--)
			parts[at] = parts[at - 1];
		parts[at] = i;
	}
	return parts;
}
