/*
 * Vector columns of segments and the factor model of an agent: which blobs they are. store.h's
 * rules hold.
 *
 * Both are made in the background from what the segments hold and may be lost without loss: then
 * they are made again. Each change raises the agent's index version in its own transaction, so that
 * open snapshots switch; kb_store_index_state() reads them together with the segments. A column
 * dies with its segment; a merge brings the merged one along (kb_store_segments_merge()).
 */
#ifndef KB_STORE_VECTORS_H
#define KB_STORE_VECTORS_H

#include "store/store.h"

enum { KB_SEGMENT_COLUMNS_MAX = 8 };

struct kb_vectors_new {
	int64_t segment_id;
	struct kb_sv name, model; /* the column's, as its file has them */
	struct kb_sv blob;
	int64_t bytes, filled;
	/* Passages whose vectors are still to be made: the column came from a merge of segments of
	 * which not all had it. Whoever makes vectors finds it as missing until this is 0. */
	int64_t pending;
	/* Beginning of the names of columns that take each other's place; empty: none. The segment
	 * keeps the newest of those before this one, for whoever goes back to it. */
	struct kb_sv family;
};
/* Adds the column or replaces the segment's of that name. KB_E_CONFLICT: there is no such segment
 * any more (it was merged or its agent is gone), the work is void. KB_E_INVALID: more columns than
 * a segment may have. */
bool kb_store_vectors_put(struct kb_store *store, int64_t agent_id,
                          const struct kb_vectors_new *column, struct kb_err *err) KB_MUST_CHECK;
/* Forgets a column whose file is damaged or gone, if it still has that blob, so that it is missing
 * and made again. The index version stays. Anything else is no mistake. */
bool kb_store_vectors_drop(struct kb_store *store, int64_t agent_id, int64_t segment_id,
                           struct kb_sv name, struct kb_sv blob, struct kb_err *err) KB_MUST_CHECK;

struct kb_factors_new {
	struct kb_sv mark, blob;
	int64_t bytes;
	int64_t passages; /* that the agent's segments held when it was trained, dead ones too */
};
/* Makes this the agent's model, with the columns folded with it already, all in one transaction:
 * no question sees the new model beside the old one's columns. Columns of segments that are gone
 * are left out. KB_E_NOT_FOUND: no such agent. */
bool kb_store_factors_put(struct kb_store *store, int64_t agent_id,
                          const struct kb_factors_new *factors,
                          const struct kb_vectors_new *columns, size_t count,
                          struct kb_err *err) KB_MUST_CHECK;
/* As kb_store_vectors_drop(). Columns that need the model stay; they are of no use without it. */
bool kb_store_factors_drop(struct kb_store *store, int64_t agent_id, struct kb_sv blob,
                           struct kb_err *err) KB_MUST_CHECK;

/* ---- work to do ---- */

/* A segment without the column, or with one that is not complete. */
struct kb_vectors_missing {
	int64_t agent_id, segment_id;
	struct kb_sv segment_blob;
	int64_t passages;
	struct kb_sv model; /* asked for, or the mark of the agent's factors */
	struct kb_sv blob;  /* the incomplete column of that model, whose vectors stand; or empty */
	int64_t pending; /* of the passages without a vector there, the last so many wait for one */
};
struct kb_vectors_want {
	struct kb_sv name;
	struct kb_sv model; /* empty: the mark of each agent's factors; agents without any are left
	                       out */
	int64_t agent_id;   /* 0: of all agents */
	/* Where to go on, by agent and segment: the last row had. */
	int64_t after_agent_id, after_segment_id;
	size_t limit; /* at most KB_VECTORS_MISSING_MAX */
};
enum { KB_VECTORS_MISSING_MAX = 1000 };
/* With a model, agents with the least to do first, of each the newest segments first; else by agent
 * and segment. */
bool kb_store_vectors_missing(struct kb_store *store, struct kb_arena *arena,
                              const struct kb_vectors_want *want, struct kb_vectors_missing **out,
                              size_t *count, struct kb_err *err) KB_MUST_CHECK;

/* How far an agent's column is, in passages as the segments hold them: deleted ones count until a
 * merge leaves them out, in both figures. Of the want, name and model. */
struct kb_vectors_ready {
	int64_t passages, ready;
};
bool kb_store_vectors_ready(struct kb_store *store, int64_t agent_id,
                            const struct kb_vectors_want *want, struct kb_vectors_ready *out,
                            struct kb_err *err) KB_MUST_CHECK;

struct kb_factors_want {
	int64_t after_agent_id;
	int64_t min_passages;   /* an agent of fewer (dead ones count) is not learned from */
	int64_t exact_passages; /* one of at most so many is learned from exactly as it rests */
};
/* An agent that has no factors; or whose passages are by now more than three halves, or less than
 * half, of those they were trained on; or just not as many, while none of its pages waits to be
 * indexed and it is small enough to be exact about. 0: none. */
bool kb_store_factors_due(struct kb_store *store, const struct kb_factors_want *want,
                          int64_t *agent_id, struct kb_err *err) KB_MUST_CHECK;

#endif
