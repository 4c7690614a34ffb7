/*
 * Ingestion: queued pages become searchable passages.
 *
 * Threads lease pages from the store (the queue is the pages table), parse them in the sandbox, cut
 * them into passages, write one segment a batch and commit it with the pages' results in one
 * transaction. Until that commit nothing has happened; after it everything has. A page that fails
 * says why in a sentence; what may go better later is tried again with growing pauses.
 *
 * Pages of addresses are fetched first (crawl/crawler.h); what is done to an index afterwards is
 * upkeep/upkeep.h.
 */
#ifndef KB_INGEST_INGEST_H
#define KB_INGEST_INGEST_H

#include "ingest/config.h"

struct kb_ingest;

struct kb_ingest *kb_ingest_start(const struct kb_ingest_config *config);
/* Finishes or gives back what is in hand, ends the threads. NULL is fine. */
void kb_ingest_stop(struct kb_ingest *ingest);

/* Pages were queued: look now rather than at the next poll. Never blocks. */
void kb_ingest_wake(struct kb_ingest *ingest);

struct kb_ingest_stats {
	int64_t indexed, failed, retried, passages;
	int64_t parsed;    /* documents given to a child, each time that one was */
	int64_t unchanged; /* documents whose text was the one that could be found already */
};
void kb_ingest_stats(struct kb_ingest *ingest, struct kb_ingest_stats *out);
/* How long documents were read, of each format of kb_parse_format_place(). */
struct kb_histogram *kb_ingest_readings(struct kb_ingest *ingest);

#endif
