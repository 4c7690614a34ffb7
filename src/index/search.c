/* The search the service uses. */
#include "index/search.h"
#include "index/rerank.h"

void kb_search(const struct kb_snapshot *snapshot, struct kb_arena *arena,
               const struct kb_query *query, struct kb_hit **hits, size_t *count)
{
	struct kb_query first = *query;

	first.limit = KB_MAX(query->limit, query->rerank);
	kb_search_exact(snapshot, arena, &first, hits, count);
	if (query->rerank)
		kb_rerank(snapshot, arena, &query->question, *hits, KB_MIN(*count, query->rerank));
	*count = KB_MIN(*count, query->limit);
}
