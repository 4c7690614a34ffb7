#include "index/bound.h"

#include "index/score.h"

uint32_t kb_bound_part(float gain, float part)
{
	uint32_t n = kb_scorer_part(gain, part);

	return n + (n >> 20) + 2; /* the floats' last bits may differ */
}

static uint32_t bound_any(float gain)
{
	return kb_bound_part(gain, 1);
}

static uint32_t bound(const struct kb_scoring *scoring, float gain, const struct kb_maxima *maxima)
{
	float t = 0;

	for (int f = 0; f < KB_FIELDS; f++) {
		float best = 0;

		for (unsigned i = 0; i < maxima->n[f]; i++) {
			uint8_t tf = maxima->pairs[f][2 * i];

			if (tf == UINT8_MAX) /* that or more */
				return bound_any(gain);
			best = KB_MAX(best,
			              (float)tf
			                      * scoring->per_count[f][maxima->pairs[f][2 * i + 1]]);
		}
		t += best;
	}
	return kb_bound_part(gain, kb_saturate(t));
}

uint32_t kb_bound_of(const struct kb_scoring *scoring, float gain, const struct kb_cursor *cursor,
                     int64_t block)
{
	struct kb_maxima maxima;

	return kb_cursor_maxima(cursor, block, &maxima) ? bound(scoring, gain, &maxima)
	                                                : bound_any(gain);
}

static void sink(struct kb_bounds *places, uint32_t i)
{
	const uint32_t *figures = places->figures;
	uint32_t *heap = places->heap, place = heap[i];

	for (uint32_t child; (child = 2 * i + 1) < places->count; i = child) {
		if (child + 1 < places->count && figures[heap[child + 1]] > figures[heap[child]])
			child++;
		if (figures[heap[child]] <= figures[place])
			break;
		heap[i] = heap[child];
	}
	heap[i] = place;
}

void kb_bounds_order(struct kb_bounds *places)
{
	for (uint32_t i = places->count / 2; i-- > 0;)
		sink(places, i);
}

uint32_t kb_bounds_take(struct kb_bounds *places)
{
	uint32_t place = places->heap[0];

	places->heap[0] = places->heap[--places->count];
	if (places->count)
		sink(places, 0);
	return place;
}
