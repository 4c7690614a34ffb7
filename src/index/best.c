#include "index/best.h"

#include <stdlib.h>

void kb_best_init(struct kb_best *best, struct kb_arena *arena, const struct kb_snapshot *snapshot,
                  size_t limit)
{
	*best = (struct kb_best){ .limit = KB_MIN(limit, (size_t)snapshot->alive) };
	best->v = KB_NEW_ARRAY(arena, best->limit, struct kb_best_hit);
}

/* Less than zero: a is found before b. */
static int order(const void *a, const void *b)
{
	const struct kb_best_hit *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return x->doc < y->doc ? -1 : x->doc > y->doc;
}

static void swap(struct kb_best_hit *a, struct kb_best_hit *b)
{
	struct kb_best_hit t = *a;

	*a = *b;
	*b = t;
}

void kb_best_offer(struct kb_best *best, uint32_t score, uint32_t part, uint32_t doc)
{
	struct kb_best_hit hit = { score, part, doc };
	size_t i, child;

	if (!best->limit || score <= kb_best_bar(best))
		return;
	if (best->count < best->limit) {
		i = best->count++;
		best->v[i] = hit;
		for (; i && order(&best->v[i], &best->v[(i - 1) / 2]) > 0; i = (i - 1) / 2)
			swap(&best->v[i], &best->v[(i - 1) / 2]);
		return;
	}
	if (order(&hit, &best->v[0]) > 0)
		return;
	best->v[0] = hit;
	for (i = 0; (child = 2 * i + 1) < best->count; i = child) {
		if (child + 1 < best->count && order(&best->v[child + 1], &best->v[child]) > 0)
			child++;
		if (order(&best->v[child], &best->v[i]) <= 0)
			break;
		swap(&best->v[child], &best->v[i]);
	}
}

void kb_best_take(struct kb_best *best, struct kb_arena *arena, float unit, struct kb_hit **hits,
                  size_t *count)
{
	if (best->count)
		qsort(best->v, best->count, sizeof(*best->v), order);
	*count = best->count;
	*hits = KB_NEW_ARRAY(arena, best->count, struct kb_hit);
	for (size_t i = 0; i < best->count; i++)
		(*hits)[i] = (struct kb_hit){ .part = best->v[i].part,
			                      .doc = best->v[i].doc,
			                      .score = (float)best->v[i].score * unit };
}
