/*
 * What a thread of ingestion reads with, and the batch that it has in hand: what batch.c and the
 * steps of a page (taking.h) share. Internal to ingest.
 */
#ifndef KB_INGEST_BATCHER_H
#define KB_INGEST_BATCHER_H

#include <stdatomic.h>

#include "base/bell.h"
#include "base/histogram.h"
#include "index/index.h"
#include "ingest/config.h"
#include "settings/options.h"
#include "store/agents.h"
#include "store/pages.h"

enum {
	KB_BATCH_PAGES = 16,
	KB_BATCH_LEASE_S = 600, /* more than a turn can take */
};

/* Of all threads together. */
struct kb_batch_counts {
	_Atomic int64_t parsed, unchanged, indexed, failed, retried, passages;
	/* Time in a child, by the format (kb_parse_format_place()); what was not read is unknown.
	 */
	struct kb_histogram readings[KB_PARSE_FORMATS];
};

struct kb_batcher {
	const struct kb_ingest_config *config;
	const struct kb_cancel *cancel;
	struct kb_bell *bell;             /* stops when that says so */
	struct kb_segment_writer *writer; /* it remembers words from one batch to the next */
	struct kb_batch_counts *counts;
	/* In the reserve: when a page has been parsed for quick_ms (0: it may take its time),
	 * whether another thread takes over the reserve's work, so that this one goes on; else the
	 * page is left to others, as a slow one. */
	int quick_ms;
	bool (*hand_on)(void *arg);
	void *hand_on_arg;
};

/* One batch in the making. */
struct kb_batch {
	const struct kb_batcher *by;
	struct kb_arena arena;
	int64_t agent_id, account_id;
	const struct kb_lease *leases;
	size_t leased;
	bool one_by_one; /* each of them is committed alone */
	struct kb_page_result results[KB_BATCH_PAGES];
	size_t count;
	int64_t text_bytes, passages, pages, started_us;
	int64_t all_bytes; /* of text, of all commits */
	struct kb_agent agent;
	struct kb_agent_options options;
	struct kb_ingest_limits limits;
	struct kb_batch_room {
		int64_t pages, words;
	} used, taken; /* of the agent's plan: committed, and by the results in hand */
	/* That looks at pictures within documents; NULL: nobody does. */
	const struct kb_model *seer;
	struct kb_err outage; /* that ended the reading; KB_OK: none has */
};

int64_t kb_batch_now_us(const struct kb_batch *batch);
/* Its agent is. */
bool kb_batch_is_deleted(const struct kb_batch *batch);
/* The page waits for another turn. */
void kb_batch_again(const struct kb_batch *batch, const struct kb_lease *lease, int64_t pause_s,
                    struct kb_page_result *result);

#endif
