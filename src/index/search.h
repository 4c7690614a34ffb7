/*
 * The first ranking step: the best passages by their words alone, found in two ways. Private to
 * this folder; what is found lives in the arena.
 */
#ifndef KB_INDEX_SEARCH_H
#define KB_INDEX_SEARCH_H

#include "index/best.h"
#include "index/score.h"

/* Whether a passage may be found at all: it lives, and the query allows its page. */
struct kb_index_gate {
	const struct kb_query *query;
	const struct kb_part *part;
	uint32_t run; /* the last one asked about */
	bool run_allowed;
};
static inline bool kb_gate_open(struct kb_index_gate *gate, uint32_t doc)
{
	uint32_t run;

	if (!kb_part_alive(gate->part, doc))
		return false;
	if (!gate->query->allow)
		return true;
	run = kb_segment_run(gate->part->segment, doc);
	if (run != gate->run) {
		gate->run = run;
		gate->run_allowed =
		        gate->query->allow(gate->query->allow_arg, kb_part_page(gate->part, doc));
	}
	return gate->run_allowed;
}

/* The query's best `limit` by its terms; of its other members only the filter counts. */
void kb_search_first(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                     const struct kb_query *query, struct kb_hit **hits, size_t *count);

/* The same result, by scoring every passage that holds a term. */
void kb_search_exact(const struct kb_snapshot *snapshot, struct kb_arena *arena,
                     const struct kb_query *query, struct kb_hit **hits, size_t *count);

#endif
