/* The search the service uses. */
#include "index/search.h"

void kb_search(const struct kb_snapshot *snapshot, struct kb_arena *arena,
               const struct kb_query *query, struct kb_hit **hits, size_t *count)
{
	kb_search_exact(snapshot, arena, query, hits, count);
}
