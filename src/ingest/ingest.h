/*
 * Ingestion: queued pages become searchable passages.
 *
 * Threads lease pages from the store (the queue is the pages table), parse them in the sandbox, cut
 * them into passages, write one segment a batch and commit it with the pages' results in one
 * transaction. Until that commit nothing has happened; after it everything has. A page that fails
 * says why in a sentence; what may go better later is tried again with growing pauses. A
 * housekeeping thread folds new segments into their agent's factors, merges segments, sweeps blobs
 * that no row names, and purges conversations that were kept long enough; another one learns the
 * factors of agents that have grown (learn.h), and with a model server configured a third gives
 * passages its vectors (vectorize.h). Pages of addresses are fetched first, by threads of
 * their own (web.h), which also read the sources they come from.
 */
#ifndef KB_INGEST_INGEST_H
#define KB_INGEST_INGEST_H

#include "ingest/repair.h"
#include "ingest/sweep.h"
#include "ingest/vectorize.h"
#include "live/catalog.h"
#include "out/fetch.h"
#include "parse/parse.h"
#include "store/agents.h"

struct kb_ingest;

/* What the plan of an agent's account allows; 0: no limit. */
struct kb_ingest_limits {
	int64_t pages_per_agent, words;
};

struct kb_ingest_config {
	struct kb_store *store;
	struct kb_blobs *blobs;
	struct kb_catalog *catalog;
	struct kb_parser *parser;
	const struct kb_log *log;
	const struct kb_clock *clock;
	struct kb_fetcher *fetcher; /* the one way out; cancelled before ingestion is stopped */
	const char *temp_dir;       /* for segments in the making; on the blobs' file system */
	int threads; /* that read documents; one more is in reserve for what is read quickly */
	/* May be NULL. From an ingest thread; may block. */
	bool (*limits)(void *arg, const struct kb_agent *agent, struct kb_ingest_limits *out,
	               struct kb_err *err);
	void *limits_arg;
	/* How many days an agent's conversations are kept; 0: for ever. May be NULL. From the
	 * housekeeping thread; may block. */
	bool (*keep_days)(void *arg, const struct kb_agent *agent, int64_t *days,
	                  struct kb_err *err);
	void *keep_arg;
	struct kb_sweep_limits sweep;
	/* Makes vectors of passages. NULL: nobody does. */
	const struct kb_vectorizer *vectorizer;
};

struct kb_ingest *kb_ingest_start(const struct kb_ingest_config *config);
/* Finishes or gives back what is in hand, ends the threads. NULL is fine. */
void kb_ingest_stop(struct kb_ingest *ingest);

/* Pages were queued, or something was deleted: look now rather than at the next poll. Never blocks.
 */
void kb_ingest_wake(struct kb_ingest *ingest);

struct kb_ingest_stats {
	int64_t indexed, failed, retried, passages, merges, learned, folded;
	int64_t swept, discarded, recalled, in_trash, unnamed; /* blobs; the last two: right now */
	int64_t unchanged; /* documents whose text was the one that could be found already */
	int64_t fetched, not_modified, fetch_failed, fetch_retried, sources_read;
	int64_t purged_messages, purged_conversations;
	int64_t removed; /* rows of what was deleted */
	struct kb_vectorize_stats vectorize;
	struct kb_repair_stats repair;
};
void kb_ingest_stats(struct kb_ingest *ingest, struct kb_ingest_stats *out);

/* What `docent check` and housekeeping use. */
/* Merges segments of an agent that has many; false with *err when it failed. *merged tells whether
 * something was merged. */
bool kb_merge_agent(struct kb_catalog *catalog, struct kb_store *store, struct kb_blobs *blobs,
                    const char *temp_dir, int64_t agent_id, const struct kb_cancel *cancel,
                    bool *merged, struct kb_err *err) KB_MUST_CHECK;
/* Removes the conversations of all agents that are older than their agents keep them, in bounded
 * transactions, and logs how many of each agent. Ends early when cancelled. What failed
 * for one agent is logged and left for the next time. */
struct kb_purge_sum {
	int64_t messages, conversations;
};
void kb_purge_conversations(const struct kb_ingest_config *config, const struct kb_cancel *cancel,
                            struct kb_purge_sum *out);

#endif
