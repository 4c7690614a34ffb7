/*
 * One batch: leased pages of one agent, from their bytes to the commit. Internal to ingest.
 *
 * A batch belongs to the thread that leased it and is one turn of the agent: after some seconds, or
 * enough text, what was read is committed and the rest is given back.
 *
 * A commit that fails for the world's reason (no room, a busy or vanished store) loses nothing: the
 * pages are given back, and this was no attempt of theirs. One that fails for any other reason is
 * a document's fault: the pages are committed one by one, and the one that cannot be fails with the
 * sentence, at once or after the usual attempts. When the agent was deleted meanwhile, its pages
 * are let go.
 */
#ifndef KB_INGEST_BATCH_H
#define KB_INGEST_BATCH_H

#include "ingest/batcher.h"

/* leases: at least one, at most KB_BATCH_PAGES. False: the world has failed, and will not be better
 * at once. */
bool kb_batch_run(const struct kb_batcher *batcher, const struct kb_lease *leases, size_t count);

#endif
