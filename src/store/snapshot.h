/*
 * One state of a store that is being served, copied into a directory as a store of SQLite's,
 * whatever database it comes from. store.h's rules hold.
 *
 * Nobody who writes waits for it. From SQLite its pages are copied as they are; from a server the
 * rows are read, in one transaction, and written with their ids and times; what belongs to the
 * server and not to the installation is left out (move.h). Memory does not grow with the store.
 */
#ifndef KB_STORE_SNAPSHOT_H
#define KB_STORE_SNAPSHOT_H

#include "store/store.h"

/* `from` was opened for this (KB_STORE_TOOL): on a server it keeps statements until it is closed.
 * The directory is there, and has no database. */
bool kb_store_snapshot(struct kb_store *from, const char *directory, const struct kb_cancel *cancel,
                       struct kb_err *err) KB_MUST_CHECK;

/* Ids go on a good deal behind those of the store's last life, so that what that life gave out
 * after this state was copied (nodes, messages, keys) is not given to anything else. */
bool kb_store_skip_ids(struct kb_store *store, struct kb_err *err) KB_MUST_CHECK;

#endif
