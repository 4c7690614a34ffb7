/* Rows of agents inside a write. */
#ifndef KB_STORE_AGENTS_OWN_H
#define KB_STORE_AGENTS_OWN_H

#include "db/columns.h"
#include "store/agents.h"
#include "store/publish.h"

extern const struct kb_db_columns kb_agent_columns;
/* KB_E_NOT_FOUND where the account has no such agent. */
bool kb_agent_load(struct kb_db_conn *conn, struct kb_arena *arena, int64_t account_id, int64_t id,
                   struct kb_agent *out, struct kb_err *err) KB_MUST_CHECK;
/* Inside a write: the agent's row alone, with its id and times. */
bool kb_agent_insert_row(struct kb_db_conn *conn, struct kb_agent *agent, int64_t now,
                         struct kb_err *err) KB_MUST_CHECK;
bool kb_agent_insert_totals(struct kb_db_conn *conn, int64_t agent_id,
                            struct kb_err *err) KB_MUST_CHECK;
/* kb_store_agent_update() inside a write. */
bool kb_agent_change(struct kb_db_conn *conn, struct kb_arena *arena,
                     const struct kb_agent_edit *edit, int64_t now, struct kb_agent *after,
                     struct kb_err *err) KB_MUST_CHECK;
bool kb_agent_set_state(struct kb_db_conn *conn, int64_t agent_id, enum kb_agent_state state,
                        struct kb_err *err) KB_MUST_CHECK;
bool kb_agent_stats(struct kb_db_conn *conn, int64_t agent_id, struct kb_agent_stats *out,
                    struct kb_err *err) KB_MUST_CHECK;

/* The agent is a copy that this node makes. */
bool kb_agent_make_copy(struct kb_db_conn *conn, int64_t agent_id, int64_t node,
                        struct kb_err *err) KB_MUST_CHECK;
/* The copy is whole: its row becomes what it is here, and it is there. */
bool kb_agent_show_copy(struct kb_db_conn *conn, struct kb_arena *arena, struct kb_agent *copy,
                        struct kb_err *err) KB_MUST_CHECK;
/* Copies that an earlier life of this node was making, or a node that is gone, are deleted. */
bool kb_agents_void_copies(struct kb_store *store, int64_t me, struct kb_err *err) KB_MUST_CHECK;

/* What ahead.c and visitors.c read in one trip: begun here, ended in the same order. An id of 0: it
 * is not there. */
void kb_agent_read_begin(struct kb_db_conn *conn, int64_t id, struct kb_db_rows *rows);
/* The same of the one that the public address leads to; it may be closed since. */
void kb_agent_read_public_begin(struct kb_db_conn *conn, struct kb_sv slug,
                                struct kb_db_rows *rows);
bool kb_agent_read_end(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_agent *out,
                       struct kb_err *err) KB_MUST_CHECK;

#endif
