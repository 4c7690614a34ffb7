/*
 * Leases of background work that has no row of its own: which node does it, and until when. Pages,
 * sources and repairs have theirs in their rows. store.h's rules hold.
 *
 * A lease keeps others from doing the same work at the same time. It is free again when it ends,
 * when its node falls silent, and when its node starts anew. What the work makes true has to be
 * right without it: a worker that comes too late finds the agent at another version.
 */
#ifndef KB_STORE_WORK_H
#define KB_STORE_WORK_H

#include "store/store.h"

#define KB_WORK_MERGE     "merge"
#define KB_WORK_FACTORS   "factors"
#define KB_WORK_VECTORS   "vectors"
#define KB_WORK_NOTES     "notes"
#define KB_WORK_PURGE     "purge"
#define KB_WORK_REMOVE    "remove"
#define KB_WORK_OPENING   "opening"
#define KB_WORK_GAPS      "gaps"
#define KB_WORK_KEPT      "kept"
#define KB_WORK_CONFLICTS "conflicts"
#define KB_WORK_AUDIT     "audit"

struct kb_work {
	const char *kind;
	int64_t agent_id; /* 0: of all agents */
	int64_t epoch;
};

/* Takes it for lease_us; false in *taken when another node has it. Within a node nobody else may do
 * the same: whoever asks twice gets it twice. */
bool kb_store_work_take(struct kb_store *store, struct kb_work *work, int64_t lease_us, bool *taken,
                        struct kb_err *err) KB_MUST_CHECK;
/* Gives it back; too late, and nothing happens. What cannot be given back ends by itself. */
void kb_store_work_done(struct kb_store *store, const struct kb_work *work);

#endif
