/* Whose leases count, for all families whose rows have leases. The store's own. */
#ifndef KB_STORE_LEASES_H
#define KB_STORE_LEASES_H

#include "db/db.h"
#include "store/store.h"

#define KB_NODE_ALIVE_US (10 * KB_SECOND_US) /* silent for longer, a node counts as gone */
/* Nodes that are there, but `me`: since when a beat counts is `since`. A lease of any other node
 * is nobody's. Where the database is one process's own there are none. */
#define KB_NODES_THERE(me, since)                                                                  \
	"(SELECT n.id FROM nodes n WHERE n.id <> " me " AND n.beat_at > " since ")"

/* Runs a statement that frees leases: its parameters are the first of me, the `since` of
 * KB_NODES_THERE, now and KB_DUE_NEVER. `me` is the node that starts, whose earlier life has ended;
 * 0: it goes on, and leases of others that are gone are meant. */
bool kb_leases_void(struct kb_store *store, const struct kb_sql *statement, int64_t me,
                    struct kb_err *err) KB_MUST_CHECK;
/* As kb_db_write(), for what takes a lease: kb_store_unheard_free() knows when nobody heard whether
 * it was taken. */
bool kb_lease_write(struct kb_store *store, kb_write_fn *fn, void *arg,
                    struct kb_err *err) KB_MUST_CHECK;

#endif
