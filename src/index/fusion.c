#include "index/fusion.h"

#include <math.h>
#include <stdlib.h>

#define RANK_CONSTANT 5
#define LEAD          4.0f

struct range {
	float least, greatest;
};

static struct range range_of(const struct kb_hit *hits, size_t count)
{
	struct range range = { INFINITY, -INFINITY };

	for (size_t i = 0; i < count; i++) {
		range.least = KB_MIN(range.least, hits[i].score);
		range.greatest = KB_MAX(range.greatest, hits[i].score);
	}
	return range;
}

static float within(struct range range, float score)
{
	return range.greatest > range.least ? (score - range.least) / (range.greatest - range.least)
	                                    : 1;
}

/* Of the list's hit at that place, from 0. */
static float part_of(const struct kb_hit_list *list, size_t place)
{
	const struct kb_hit *hits = list->hits;
	float part = list->weight / (float)(RANK_CONSTANT + place + 1), lead;

	if (place > 0 || !list->leads || !(hits[0].score > 0))
		return part;
	lead = list->count > 1 ? 1 - KB_MAX(hits[1].score, 0.0f) / hits[0].score : 1;
	return part * (1 + LEAD * KB_MAX(lead, 0.0f));
}

float kb_fuse_part(const struct kb_hit_list *list, const struct kb_hit *hit)
{
	for (size_t k = 0; k < list->count; k++)
		if (kb_hit_by_place(&list->hits[k], hit) == 0)
			return part_of(list, k);
	return NAN;
}

void kb_fuse(struct kb_arena *arena, const struct kb_hit_list *lists, size_t list_count,
             size_t limit, struct kb_hit **hits, size_t *count)
{
	size_t n = 0, kept = 0;
	struct kb_hit *all;

	for (size_t i = 0; i < list_count; i++)
		n += lists[i].count;
	all = KB_NEW_ARRAY(arena, n, struct kb_hit);
	n = 0;
	for (size_t i = 0; i < list_count; i++)
		for (size_t k = 0; k < lists[i].count; k++) {
			all[n] = lists[i].hits[k];
			all[n++].score = part_of(&lists[i], k);
		}
	if (n)
		qsort(all, n, sizeof(*all), kb_hit_by_place);
	for (size_t i = 0; i < n; i++) {
		if (kept && kb_hit_by_place(&all[kept - 1], &all[i]) == 0)
			all[kept - 1].score += all[i].score;
		else
			all[kept++] = all[i];
	}
	if (kept)
		qsort(all, kept, sizeof(*all), kb_hit_by_score);
	*hits = all;
	*count = KB_MIN(kept, limit);
}

bool kb_rerank_by(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                  const struct kb_reranker *reranker, struct kb_hit *hits, size_t count,
                  struct kb_hybrid_trace *trace)
{
	size_t top = KB_MIN(reranker->top, count);
	struct kb_passage *passages = KB_NEW_ARRAY(arena, top, struct kb_passage);
	float *scores = KB_NEW_ARRAY(arena, top, float);
	struct range fused = range_of(hits, top), own = { INFINITY, -INFINITY };

	if (!top)
		return true;
	for (size_t i = 0; i < top; i++)
		if (!kb_snapshot_passage(snapshot, arena, hits[i].part, hits[i].doc, &passages[i],
		                         NULL))
			return false;
	if (!reranker->score(reranker->arg, reranker->question, passages, top, scores))
		return false;
	for (size_t i = 0; i < top; i++) {
		if (!isfinite(scores[i]))
			return false;
		own.least = KB_MIN(own.least, scores[i]);
		own.greatest = KB_MAX(own.greatest, scores[i]);
	}
	if (trace) {
		struct kb_hit *judged = kb_arena_copy(arena, hits, top * sizeof(*hits));

		for (size_t i = 0; i < top; i++)
			judged[i].score = scores[i];
		trace->judged = judged;
		trace->judged_count = top;
	}
	for (size_t i = 0; i < count; i++)
		hits[i].score =
		        i < top ? 1 + reranker->weight * within(own, scores[i])
		                          + (1 - reranker->weight) * within(fused, hits[i].score)
		        : fused.greatest > 0 ? KB_MAX(hits[i].score, 0.0f) / fused.greatest
		                             : 0;
	qsort(hits, top, sizeof(*hits), kb_hit_by_score);
	return true;
}
