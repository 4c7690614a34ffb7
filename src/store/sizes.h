/* How much a store holds, table by table: for who looks at one from outside. store.h's rules hold.
 */
#ifndef KB_STORE_SIZES_H
#define KB_STORE_SIZES_H

#include "store/store.h"

struct kb_table_size {
	struct kb_sv table;
	int64_t rows;
};
/* By name. Each table is read as a whole, so nobody who serves calls this. */
bool kb_store_sizes(struct kb_store *store, struct kb_arena *arena, struct kb_table_size **out,
                    size_t *count, struct kb_err *err) KB_MUST_CHECK;

#endif
