/* The exhaustive search: passage after passage, no pruning. What search.c is compared with. */
#include "index/search.h"

struct list {
	struct kb_cursor cursor;
	float gain;
};

static void search_part(const struct kb_snapshot *snapshot, uint32_t number,
                        const struct kb_scorer *scorer, struct list *lists, struct kb_best *best)
{
	const struct kb_part *part = &snapshot->parts[number];
	const struct kb_segment *segment = part->segment;
	uint32_t doc = 0;
	size_t count = 0;

	for (size_t i = 0; i < scorer->count; i++) {
		struct kb_dict_entry entry;

		if (!kb_dict_find(segment, scorer->terms[i], &entry))
			continue;
		kb_cursor_init(&lists[count].cursor, entry.list, entry.df);
		lists[count++].gain = scorer->gains[i];
	}
	for (;;) {
		uint32_t next = KB_DOC_END, score = 0;

		for (size_t i = 0; i < count; i++)
			next = KB_MIN(next, kb_cursor_seek(&lists[i].cursor, doc));
		if (next >= segment->passages)
			return;
		for (size_t i = 0; i < count; i++) {
			struct kb_cursor *cursor = &lists[i].cursor;

			if (kb_cursor_doc(cursor) != next)
				continue;
			kb_cursor_counts(cursor);
			score += kb_scorer_part(lists[i].gain,
			                        kb_posting_part(&snapshot->scoring, segment, cursor,
			                                        cursor->at, next));
		}
		if (kb_part_alive(part, next))
			kb_best_offer(best, score, number, next);
		doc = next + 1;
	}
}

void kb_search_exact(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                     const struct kb_query *query, struct kb_hit **hits, size_t *count)
{
	struct kb_scorer scorer;
	struct kb_best best;
	struct list *lists;

	kb_scorer_init(&scorer, snapshot, arena, query->terms, query->term_count);
	kb_best_init(&best, arena, snapshot, query->limit);
	lists = KB_NEW_ARRAY(arena, scorer.count, struct list);
	for (uint32_t i = 0; i < snapshot->part_count && best.limit; i++)
		search_part(snapshot, i, &scorer, lists, &best);
	kb_best_take(&best, arena, scorer.unit, hits, count);
}
