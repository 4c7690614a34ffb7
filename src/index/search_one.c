/*
 * The search for one term: the blocks of its list, the one with the greatest bound first, until no
 * block is left that can lift a passage over the worst of the best. A list of one term needs
 * neither sums nor windows (search.c); of a frequent one few blocks are unpacked.
 */
#include "index/bound.h"
#include "index/search.h"

struct one {
	const struct kb_snapshot *snapshot;
	struct kb_best *best;
	const struct kb_part *at;
	uint32_t part; /* the same */
	float gain;
	struct kb_cursor cursor;
};

static void offer_block(struct one *s)
{
	const struct kb_segment *segment = s->at->segment;
	struct kb_cursor *cursor = &s->cursor;

	if (!cursor->count)
		return; /* damaged */
	kb_cursor_counts(cursor);
	for (uint32_t i = 0; i < cursor->count; i++) {
		uint32_t doc = cursor->docs[i], score;

		if (doc >= segment->passages) /* only in a damaged list */
			break;
		score = kb_scorer_part(
		        s->gain, kb_posting_part(&s->snapshot->scoring, segment, cursor, i, doc));
		if (score > kb_best_bar(s->best) && kb_part_alive(s->at, doc))
			kb_best_offer(s->best, score, s->part, doc);
	}
}

static void search_blocks(struct one *s, struct kb_arena *arena)
{
	uint32_t blocks = s->cursor.blocks;
	uint32_t *bounds = KB_NEW_ARRAY(arena, blocks, uint32_t);
	struct kb_bounds left = { .figures = bounds,
		                  .heap = KB_NEW_ARRAY(arena, blocks, uint32_t) };

	for (uint32_t b = 0; b < blocks; b++) {
		bounds[b] = kb_bound_of(&s->snapshot->scoring, s->gain, &s->cursor, b);
		/* What an earlier part has found leaves many out. */
		if (bounds[b] > kb_best_bar(s->best))
			left.heap[left.count++] = b;
	}
	kb_bounds_order(&left);
	while (left.count && bounds[left.heap[0]] > kb_best_bar(s->best)) {
		kb_cursor_go(&s->cursor, kb_bounds_take(&left));
		offer_block(s);
	}
}

void kb_search_one(const struct kb_snapshot *snapshot, struct kb_arena *arena, uint32_t part,
                   struct kb_sv term, float gain, struct kb_best *best)
{
	struct one *s = KB_NEW(arena, struct one);
	struct kb_dict_entry entry;

	s->snapshot = snapshot;
	s->best = best;
	s->part = part;
	s->at = &snapshot->parts[part];
	s->gain = gain;
	if (!kb_dict_find(s->at->segment, term, &entry))
		return;
	kb_cursor_init(&s->cursor, entry.list, entry.df);
	if (entry.df < KB_BLOCK)
		offer_block(s);
	else
		search_blocks(s, arena);
}
