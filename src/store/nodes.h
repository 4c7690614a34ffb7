/*
 * The processes that serve one database, each under a name of its own. store.h's rules hold.
 *
 * A node says every KB_NODE_BEAT_US that it is there; nothing else is membership. Leases carry the
 * node's number: at its start a node voids what its earlier life held; while it goes on, what nodes
 * held that have fallen silent. Their rows say whether that has been done. A process that finds
 * another one under its name has been replaced, and has to end. Where a database is one process's
 * own there is one node, which has no row.
 */
#ifndef KB_STORE_NODES_H
#define KB_STORE_NODES_H

#include "store/store.h"

#define KB_NODE_BEAT_US (2 * KB_SECOND_US)

/* How many are there, this one included. From memory, as of the last beat. */
int64_t kb_store_nodes(const struct kb_store *store);
/* This one's name, for as long as the store is open; NULL where the database is one process's own.
 */
const char *kb_store_node_name(const struct kb_store *store);

/* Where it was not heard whether a lease was taken or given back, because the database went away
 * just then, nobody works on it: now this node gives up all it holds of pages, sources, hosts,
 * chores and copies. What it has in hand of them is refused as it ends, and done again. Upkeep asks
 * for it every second; mostly there is nothing to do. */
void kb_store_unheard_free(struct kb_store *store);

#endif
