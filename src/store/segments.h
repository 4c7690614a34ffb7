/* The segments an agent's index version consists of, and the pages dead in them. store.h's rules
 * hold.
 *
 * A segment's version is the index version it was committed at. A dead page row (page, v) says that
 * the page's passages in segments of a version below v are gone. */
#ifndef KB_STORE_SEGMENTS_H
#define KB_STORE_SEGMENTS_H

#include "store/index_state.h"
#include "store/pages.h"

/* KB_E_NOT_FOUND where the agent is gone. */
bool kb_store_index_state(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                          struct kb_index_state *out, struct kb_err *err) KB_MUST_CHECK;
/* The agent's present index version: read-your-writes after every commit of this process. */
bool kb_store_index_version(struct kb_store *store, int64_t agent_id, int64_t *version,
                            struct kb_err *err) KB_MUST_CHECK;

/* What has come of a merge. */
struct kb_vectors_new;
struct kb_merged {
	int64_t version;        /* of the state that was read */
	const int64_t *old_ids; /* of the segments that were merged */
	size_t old_count;
	struct kb_segment_new segment;        /* an empty blob: nothing was alive in them */
	const struct kb_vectors_new *columns; /* of the new segment, whose id they get */
	size_t column_count;
};
/* Puts the new segment in place of the old ones, in one transaction; dead rows that no segment
 * needs any more go. KB_E_CONFLICT when one of the old ones is no longer there or got a column
 * since. */
bool kb_store_segments_merge(struct kb_store *store, int64_t agent_id,
                             const struct kb_merged *merged, struct kb_err *err) KB_MUST_CHECK;
/* An agent with at least min_segments segments, or 0. */
bool kb_store_merge_candidate(struct kb_store *store, int64_t min_segments, int64_t *agent_id,
                              struct kb_err *err) KB_MUST_CHECK;

/*
 * Every blob name any row refers to, for the sweep: sorted, without doubles, in the arena. *in_flux
 * (or NULL): an agent is being copied, and the copy may name blobs later that nothing names now. A
 * copy that begins after this call names only what is named now, or was put later.
 */
bool kb_store_blob_names(struct kb_store *store, struct kb_arena *arena, struct kb_sv **names,
                         size_t *count, bool *in_flux, struct kb_err *err) KB_MUST_CHECK;

/* Looks for orphans and contradictions (children without parents, leases without pages, segments of
 * no agent, messages without conversations, …); calls say once for each. */
bool kb_store_verify(struct kb_store *store, void (*say)(void *arg, const char *finding), void *arg,
                     int64_t *findings, struct kb_err *err) KB_MUST_CHECK;

#endif
