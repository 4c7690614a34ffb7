/*
 * Latent factors of agents (index/factors.h), made in the background. Private to this folder.
 *
 * A model belongs to an agent, its columns to the agent's segments; both are blobs that rows name
 * (store/vectors.h). They may be lost without loss. Calls block and are for a thread of their own.
 */
#ifndef KB_UPKEEP_LEARN_H
#define KB_UPKEEP_LEARN_H

#include "live/catalog.h"

struct kb_learn {
	struct kb_catalog *catalog;
	struct kb_store *store;
	struct kb_blobs *blobs;
	const struct kb_log *log;
	const char *temp_dir;
	const struct kb_cancel *cancel;
};

/* Learns a model from the agent's passages, folds all its segments and makes both true at once. */
bool kb_learn_agent(const struct kb_learn *learn, int64_t agent_id,
                    struct kb_err *err) KB_MUST_CHECK;
/* Folds segments that have no column of their agent's model yet; *folded: how many. */
bool kb_learn_fold(const struct kb_learn *learn, int64_t *folded, struct kb_err *err) KB_MUST_CHECK;

#endif
