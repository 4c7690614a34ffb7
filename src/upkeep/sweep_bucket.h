/*
 * The sweep of a bucket: by the ledger of its blobs (store/blobs.h), never by a listing.
 *
 * A round goes through the ledger by name, a page at a time; each page is a lease of its own, so
 * that whatever node is there goes on with the next. A blob that no row names, and that nobody has
 * put for a day, is leaving: it stays where it is, and what names it or puts it brings it back. So
 * for some days, and it is removed. What the index made waits minutes only, twice. A blob that has
 * no row is nobody's to remove: a store that is of yesterday, or another one, ends nothing that it
 * does not know.
 */
#ifndef KB_UPKEEP_SWEEP_BUCKET_H
#define KB_UPKEEP_SWEEP_BUCKET_H

#include "upkeep/sweep.h"

/* From now on a row of the store stands for each blob that is put. Before the first put; without
 * effect for a directory. */
void kb_sweep_keep_ledger(struct kb_blobs *blobs, struct kb_store *store);

/* Rows for all blobs that a listing of the bucket finds: an operator has said that they are this
 * store's. */
bool kb_sweep_enter_all(struct kb_blobs *blobs, struct kb_store *store,
                        struct kb_err *err) KB_MUST_CHECK;

/* One page, whenever it is called. *more: the round goes on. None while an agent is copied. */
bool kb_sweep_bucket(struct kb_store *store, struct kb_blobs *blobs,
                     const struct kb_sweep_limits *limits, struct kb_sweep *out, bool *more,
                     struct kb_err *err) KB_MUST_CHECK;

#endif
