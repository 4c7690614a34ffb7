/*
 * Damaged segments and their repair: leased work, a row an agent. store.h's rules hold.
 *
 *   kb_store_segment_damaged    whoever opens a segment that is damaged or gone says so; from then
 *                               on the agent is without it and has a repair
 *   kb_store_repair_lease       one worker takes the repair, with an epoch and for a time
 *   kb_store_repair_finish      in one transaction, the segments made anew of the pages' texts take
 *                               the place of the damaged ones
 *
 * A worker that dies loses its lease, and its late result is refused. The rows of segments do not
 * say which pages are in them: a page that can be found and is in none of the whole segments must
 * be in a damaged one.
 */
#ifndef KB_STORE_REPAIRS_H
#define KB_STORE_REPAIRS_H

#include "store/segments.h"

/* Nothing happens where the agent has no such segment any more, or it is known. */
bool kb_store_segment_damaged(struct kb_store *store, int64_t agent_id, int64_t segment_id,
                              struct kb_sv blob, struct kb_err *err) KB_MUST_CHECK;

struct kb_repair {
	int64_t agent_id, epoch, attempts; /* attempts: this one included */
};
/* The next one that is due; agent_id 0: none. */
bool kb_store_repair_lease(struct kb_store *store, int64_t lease_us, struct kb_repair *out,
                           struct kb_err *err) KB_MUST_CHECK;
/* It is due again in lease_us: prolongs it, or gives it up for that long. KB_E_CONFLICT when it is
 * somebody else's. */
bool kb_store_repair_renew(struct kb_store *store, const struct kb_repair *repair, int64_t lease_us,
                           struct kb_err *err) KB_MUST_CHECK;

/* Pages that can be found, as they are at the version of the state: both of one snapshot. */
bool kb_store_repair_read(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                          struct kb_index_state *state, struct kb_page_list *pages,
                          struct kb_err *err) KB_MUST_CHECK;

/* A page whose text is gone too: it is read anew, from its original or its address, or it fails
 * with that reason. */
struct kb_page_lost {
	int64_t page_id;
	struct kb_sv text_blob; /* as it was read */
	bool again;
	struct kb_sv reason;
};
struct kb_repaired {
	int64_t version;        /* of the state that was read */
	const int64_t *damaged; /* ids of segments that go */
	size_t damaged_count;
	const int64_t *healed; /* ids of segments that are whole again as they are */
	size_t healed_count;
	const struct kb_segment_new *segments; /* that come in their place */
	size_t segment_count;
	const struct kb_page_lost *lost;
	size_t lost_count;
};
/*
 * The commit point of a repair. The new segments have the version that was read: what was deleted
 * or indexed anew since is dead in them. A segment that was found damaged in the meantime leaves
 * the repair due. KB_E_CONFLICT when the lease has passed or a damaged segment is not there any
 * more.
 */
bool kb_store_repair_finish(struct kb_store *store, const struct kb_repair *repair,
                            const struct kb_repaired *done, struct kb_err *err) KB_MUST_CHECK;

/* Agents that are without some of their segments now. */
bool kb_store_repair_count(struct kb_store *store, int64_t *agents,
                           struct kb_err *err) KB_MUST_CHECK;

/* Every segment of every agent, for a check of their files. */
struct kb_segment_place {
	int64_t agent_id, segment_id;
	struct kb_sv blob;
	bool is_damaged; /* known as such */
};
struct kb_segment_places {
	struct kb_segment_place *v;
	size_t count;
};
/* The next `limit` after the place (agent_id, segment_id) of `after`. */
bool kb_store_segment_places(struct kb_store *store, struct kb_arena *arena,
                             const struct kb_segment_place *after, size_t limit,
                             struct kb_segment_places *out, struct kb_err *err) KB_MUST_CHECK;

#endif
