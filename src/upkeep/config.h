/* What all threads of upkeep are given. */
#ifndef KB_UPKEEP_CONFIG_H
#define KB_UPKEEP_CONFIG_H

#include "index/vectorizer.h"
#include "live/catalog.h"
#include "store/agents.h"
#include "upkeep/sweep.h"
#include "upstream/models.h"

struct kb_upkeep_config {
	struct kb_store *store;
	struct kb_blobs *blobs;
	struct kb_catalog *catalog;
	const struct kb_log *log;
	const struct kb_clock *clock;
	const char *temp_dir; /* for segments in the making; on the blobs' file system */
	/* How many days an agent's conversations are kept; 0: for ever. May be NULL. From the
	 * housekeeping thread; may block. */
	bool (*keep_days)(void *arg, const struct kb_agent *agent, int64_t *days,
	                  struct kb_err *err);
	void *keep_arg;
	int64_t audit_days;    /* as many the audit log's rows are kept; 0: for ever */
	const char *audit_log; /* where its lines go (audit_lines.h); NULL: nowhere */
	struct kb_sweep_limits sweep;
	/* Makes vectors of passages. NULL: nobody does. */
	const struct kb_vectorizer *vectorizer;
	/* What finds the passages that chores tell of, and asks what visitors are greeted with;
	 * NULL: none are told, nobody is greeted. */
	struct kb_answerer *answerer;
	/* Who does the chores; NULL: nobody. Outlives the threads, but may be cancelled before. */
	struct kb_models *models;
	/* Another figure where other models answer, or find; never 0. NULL: they are always the
	 * same. Any thread. */
	int64_t (*models_mark)(void *arg);
	void *models_mark_arg;
	/* Whether the account may have a model asked for more. May be NULL. */
	bool (*may_spend)(void *arg, const struct kb_agent *agent, bool *may, struct kb_err *err);
	void *may_spend_arg;
	/* Documents wait to be read anew. */
	void (*requeued)(void *arg);
	void *requeued_arg;
};

#endif
