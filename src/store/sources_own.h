/* Rows of sources inside a write. */
#ifndef KB_STORE_SOURCES_OWN_H
#define KB_STORE_SOURCES_OWN_H

#include "db/columns.h"
#include "store/sources.h"

/* A row of sources with what only the store knows. */
struct kb_source_row {
	struct kb_source source;
	int64_t epoch, node, attempts, asked_at, dead_version;
};
// clang-format off
/* The columns of sources that are set from here (columns.h). A copy has an id and a turn of its own. */
#define KB_SOURCE_ID(FIRST, NEXT) \
	FIRST(i, agent_id,    source.agent_id) \
	NEXT (i, id,          source.id)
#define KB_SOURCE_TURN(FIRST, NEXT) \
	FIRST(i, state,       source.is_read) \
	NEXT (i, due_at,      source.due_at) \
	NEXT (i, attempts,    attempts) \
	NEXT (i, lease_node,  node) \
	NEXT (i, asked_at,    asked_at) \
	NEXT (i, dead_version, dead_version)
#define KB_SOURCES_COPIED(FIRST, NEXT) \
	FIRST(t, type,        source.type) \
	NEXT (t, settings,    source.settings) \
	NEXT (t, url,         source.url) \
	NEXT (i, status,      source.status) \
	NEXT (t, reason,      source.reason) \
	NEXT (i, synced_at,   source.synced_at) \
	NEXT (i, lease_epoch, epoch) \
	NEXT (i, created_at,  source.created_at) \
	NEXT (i, updated_at,  source.updated_at) \
	NEXT (i, review_at,   source.review_at)
#define KB_SOURCES(FIRST, NEXT) \
	KB_SOURCE_ID(FIRST, NEXT) KB_SOURCE_TURN(NEXT, NEXT) KB_SOURCES_COPIED(NEXT, NEXT)
#define KB_SOURCE_COLUMN(letter, column, member) KB_COLUMN(struct kb_source_row, letter, column, member)
// clang-format on
extern const struct kb_db_columns kb_source_columns;
/* The one row of a statement; zeroed where it has none: the source has no id. */
bool kb_source_load(struct kb_db_conn *conn, struct kb_arena *arena, const struct kb_sql *what,
                    struct kb_db_values values, struct kb_source_row *out,
                    struct kb_err *err) KB_MUST_CHECK;

/* Fills id, agent_id and times of a source of an address. */
bool kb_source_insert(struct kb_db_conn *conn, struct kb_source *source, int64_t agent_id,
                      int64_t now, struct kb_err *err) KB_MUST_CHECK;
/* after: the one whose place it takes, and whose labels; NULL: it is the agent's first. */
bool kb_source_insert_upload(struct kb_db_conn *conn, int64_t agent_id, int64_t now,
                             const struct kb_source *after, struct kb_err *err) KB_MUST_CHECK;
/* 0: the agent has none. */
bool kb_source_upload_id(struct kb_db_conn *conn, int64_t agent_id, int64_t *id,
                         struct kb_err *err) KB_MUST_CHECK;
/* Holds the agent for this transaction and checks that the lease still stands. KB_E_CONFLICT. */
bool kb_source_held(struct kb_db_conn *conn, struct kb_arena *arena,
                    const struct kb_source_lease *lease, struct kb_source *now,
                    int64_t *index_version, struct kb_err *err) KB_MUST_CHECK;

bool kb_sources_void_leases(struct kb_store *store, int64_t me, struct kb_err *err) KB_MUST_CHECK;

#endif
