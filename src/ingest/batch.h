/*
 * One batch: leased pages of one agent, from their bytes to the commit. Internal to ingest.
 *
 * A batch belongs to the thread that leased it. When kb_batch_run() returns, each page has its
 * result in the store, or is given back, or is left to the end of its lease.
 */
#ifndef KB_INGEST_BATCH_H
#define KB_INGEST_BATCH_H

#include <stdatomic.h>

#include "index/index.h"
#include "ingest/ingest.h"
#include "store/pages.h"

enum { KB_BATCH_PAGES = 16, KB_BATCH_LEASE_S = 600 };

/* Of all threads together. */
struct kb_batch_counts {
	_Atomic int64_t unchanged, indexed, failed, retried, passages;
};

struct kb_batcher {
	const struct kb_ingest_config *config;
	const struct kb_cancel *cancel;
	struct kb_segment_writer *writer; /* it remembers words from one batch to the next */
	struct kb_batch_counts *counts;
};

/* leases: at least one, at most KB_BATCH_PAGES. */
void kb_batch_run(const struct kb_batcher *batcher, struct kb_lease *leases, size_t count);

#endif
