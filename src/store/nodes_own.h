/* A node comes and goes, for open.c. */
#ifndef KB_STORE_NODES_OWN_H
#define KB_STORE_NODES_OWN_H

#include "db/db.h"
#include "store/nodes.h"

/* From now on the process is a node of that name, until it leaves. */
bool kb_nodes_join(struct kb_store *store, const char *name, const struct kb_store_config *config,
                   struct kb_err *err) KB_MUST_CHECK;
void kb_nodes_leave(struct kb_store *store);
/* KB_E_CONFLICT while a node is there. */
bool kb_nodes_none(struct kb_store *store, struct kb_err *err) KB_MUST_CHECK;
/* All kinds of leases. */
bool kb_store_void_leases(struct kb_store *store, int64_t me, struct kb_err *err) KB_MUST_CHECK;

/* Sets the store's clock by the database's, where that is shared. */
bool kb_nodes_read_clock(struct kb_store *store, struct kb_db_conn *conn,
                         struct kb_err *err) KB_MUST_CHECK;

#endif
