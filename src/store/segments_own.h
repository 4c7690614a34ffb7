/* Rows of segments and of dead pages inside a write. */
#ifndef KB_STORE_SEGMENTS_OWN_H
#define KB_STORE_SEGMENTS_OWN_H

#include "db/columns.h"
#include "store/segments.h"

// clang-format off
/* The columns of segments (columns.h). A copy keeps its id under another agent. */
#define KB_SEGMENT_ID(FIRST, NEXT) \
	FIRST(i, agent_id,   agent_id) \
	NEXT (i, id,         segment.id) \
	NEXT (i, page_shift, segment.page_shift) \
	NEXT (i, damaged_at, damaged_at)
#define KB_SEGMENTS_COPIED(FIRST, NEXT) \
	FIRST(i, version,    segment.version) \
	NEXT (t, blob,       segment.blob) \
	NEXT (i, bytes,      segment.bytes) \
	NEXT (i, passages,   segment.passages) \
	NEXT (i, pages,      pages) \
	NEXT (i, created_at, created_at)
#define KB_SEGMENTS(FIRST, NEXT) KB_SEGMENT_ID(FIRST, NEXT) KB_SEGMENTS_COPIED(NEXT, NEXT)
// clang-format on
extern const struct kb_db_columns kb_segment_columns;

/* All dead pages of agent $1, (page_id, version): those of deleted sources that still have their
 * rows too. A page may be in it twice. */
#define KB_DEAD_PAGES                                                                              \
	"SELECT page_id, version FROM dead_pages WHERE agent_id = $1 UNION ALL "                   \
	"SELECT p.id, s.dead_version FROM sources s CROSS JOIN pages p WHERE s.agent_id = $1 "     \
	"AND s.dead_version > 0 AND p.agent_id = $1 AND p.source_id = s.id AND p.is_found = 1"
bool kb_dead_add(struct kb_db_conn *conn, int64_t agent_id, int64_t page_id, int64_t version,
                 struct kb_err *err) KB_MUST_CHECK;
/* Dead pages that no segment needs any more go. */
bool kb_dead_sweep(struct kb_db_conn *conn, int64_t agent_id, struct kb_err *err) KB_MUST_CHECK;

/* One more segment of the agent, of that version. */
struct kb_segment_row_new {
	int64_t agent_id, version, now;
	const struct kb_segment_new *segment;
};
/* *id: the one it gets; may be NULL. */
bool kb_segment_insert(struct kb_db_conn *conn, const struct kb_segment_row_new *new, int64_t *id,
                       struct kb_err *err) KB_MUST_CHECK;
/* The segment and its columns, whoever made them. KB_E_CONFLICT when it is not there. */
bool kb_segment_drop(struct kb_db_conn *conn, int64_t agent_id, int64_t id,
                     struct kb_err *err) KB_MUST_CHECK;
bool kb_index_state_read(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                         struct kb_index_state *out, struct kb_err *err) KB_MUST_CHECK;

/* Names of blobs that rows have, behind `after` and up to `until`; sorted, without doubles. */
#define KB_BLOB_NAMES_END "zz" /* behind all of them, in every collation */
struct kb_blob_names {
	struct kb_sv *v;
	size_t count;
	bool in_flux; /* as in kb_store_blob_names() */
};
bool kb_blob_names(struct kb_db_conn *conn, struct kb_arena *arena, struct kb_sv after,
                   struct kb_sv until, struct kb_blob_names *out, struct kb_err *err) KB_MUST_CHECK;

#endif
