/* A search by vectors on one path of the inner loops. Private to this folder. */
#ifndef KB_INDEX_VECTOR_SEARCH_H
#define KB_INDEX_VECTOR_SEARCH_H

#include "index/vector_scan.h"

/* kb_vector_search() on one path. */
void kb_vector_search_by(const struct kb_vector_path *path, const struct kb_snapshot *snapshot,
                         struct kb_arena *arena, const struct kb_vector_query *query,
                         struct kb_hit **hits, size_t *count);

#endif
