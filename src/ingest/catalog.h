/*
 * The catalog: every agent's searchable state, open and current.
 *
 * It turns rows of the store (segments, dead pages) and blobs into index snapshots and keeps the
 * ones in use open. A snapshot that kb_catalog_get() gives is the agent's present index version:
 * what this process committed before the call is in it. Agents are opened at their first question
 * and closed by least use. Any worker may call; a call may block.
 */
#ifndef KB_INGEST_CATALOG_H
#define KB_INGEST_CATALOG_H

#include "blob/blob.h"
#include "index/index.h"
#include "store/segments.h"

struct kb_catalog;

/* agents_max: how many agents stay open. */
struct kb_catalog *kb_catalog_open(struct kb_store *store, struct kb_blobs *blobs,
                                   size_t agents_max, const struct kb_log *log);
void kb_catalog_close(struct kb_catalog *catalog);

/* The caller releases it with kb_snapshot_release(). An agent without segments has an empty one. */
struct kb_snapshot *kb_catalog_get(struct kb_catalog *catalog, int64_t agent_id,
                                   struct kb_err *err) KB_MUST_CHECK;
/* Forgets the agent (it was deleted, or its memory is wanted). */
void kb_catalog_forget(struct kb_catalog *catalog, int64_t agent_id);
size_t kb_catalog_agents(struct kb_catalog *catalog); /* open now, for metrics */

/* Opens the segment in that blob, mapped; the first time with all its checksums. */
struct kb_segment *kb_catalog_segment(struct kb_catalog *catalog, struct kb_sv blob,
                                      struct kb_err *err) KB_MUST_CHECK;

#endif
