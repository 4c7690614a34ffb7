/*
 * Merging: an agent's small segments become one, so that a question has few to look through.
 *
 * Calls block and are for a thread of the background.
 */
#ifndef KB_UPKEEP_MERGE_H
#define KB_UPKEEP_MERGE_H

#include "live/catalog.h"

/* Where an agent's segments are. */
struct kb_merge_places {
	struct kb_catalog *catalog;
	struct kb_store *store;
	struct kb_blobs *blobs;
	const char *temp_dir; /* on the file system of the blobs */
};

/* Merges segments of an agent that has many; false with *err when it failed. *merged tells whether
 * something was merged. cancel may be NULL. */
bool kb_merge_agent(const struct kb_merge_places *places, int64_t agent_id,
                    const struct kb_cancel *cancel, bool *merged, struct kb_err *err) KB_MUST_CHECK;

#endif
