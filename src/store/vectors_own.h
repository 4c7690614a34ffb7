/* Rows of vectors and factors, for segments.c. */
#ifndef KB_STORE_VECTORS_OWN_H
#define KB_STORE_VECTORS_OWN_H

#include "db/columns.h"
#include "store/vectors.h"

// clang-format off
/* The columns of vectors and factors (columns.h). */
#define KB_VECTORS_KEY(FIRST, NEXT) \
	FIRST(i, segment_id, column.segment_id) \
	NEXT (t, name,       column.name)
#define KB_VECTORS_MADE(FIRST, NEXT) \
	FIRST(t, model,      column.model) \
	NEXT (t, blob,       column.blob) \
	NEXT (i, bytes,      column.bytes) \
	NEXT (i, filled,     column.filled) \
	NEXT (i, pending,    column.pending) \
	NEXT (i, version,    version) \
	NEXT (i, created_at, created_at)
#define KB_VECTORS_COPIED(FIRST, NEXT) KB_VECTORS_KEY(FIRST, NEXT) KB_VECTORS_MADE(NEXT, NEXT)
#define KB_VECTORS(FIRST, NEXT) FIRST(i, agent_id, agent_id) KB_VECTORS_COPIED(NEXT, NEXT)
#define KB_FACTORS_COPIED(FIRST, NEXT) \
	FIRST(t, mark,       factors.mark) \
	NEXT (t, blob,       factors.blob) \
	NEXT (i, bytes,      factors.bytes) \
	NEXT (i, passages,   factors.passages) \
	NEXT (i, created_at, created_at)
#define KB_FACTORS(FIRST, NEXT) FIRST(i, agent_id, agent_id) KB_FACTORS_COPIED(NEXT, NEXT)
// clang-format on

/* Fills the columns and factors of the state. */
bool kb_vectors_state(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                      struct kb_index_state *out, struct kb_err *err) KB_MUST_CHECK;
bool kb_vectors_insert(struct kb_db_conn *conn, int64_t agent_id,
                       const struct kb_vectors_new *column, int64_t version, int64_t now,
                       struct kb_err *err) KB_MUST_CHECK;
/* KB_E_CONFLICT when the segment got a column after `version`. */
bool kb_vectors_check_segment(struct kb_db_conn *conn, int64_t agent_id, int64_t segment_id,
                              int64_t version, struct kb_err *err) KB_MUST_CHECK;
bool kb_vectors_drop_segment(struct kb_db_conn *conn, int64_t agent_id, int64_t segment_id,
                             struct kb_err *err) KB_MUST_CHECK;

#endif
