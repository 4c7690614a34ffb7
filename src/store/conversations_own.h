/* Conversations inside a write, for messages.c, answers.c and chores.c; and how ahead.c reads them.
 */
#ifndef KB_STORE_CONVERSATIONS_OWN_H
#define KB_STORE_CONVERSATIONS_OWN_H

#include "db/columns.h"
#include "store/conversations.h"

extern const struct kb_db_columns kb_conversation_columns;
/* KB_E_NOT_FOUND where the agent has no such session. */
bool kb_conversation_load(struct kb_db_conn *conn, struct kb_arena *arena,
                          const struct kb_session *session, struct kb_conversation *out,
                          struct kb_err *err) KB_MUST_CHECK;
/* Nobody else changes the row until the end of the write; not held: it has gone. */
bool kb_conversation_hold(struct kb_db_conn *conn, int64_t agent_id, int64_t id, bool *held,
                          struct kb_err *err) KB_MUST_CHECK;
bool kb_conversation_set_child(struct kb_db_conn *conn, int64_t agent_id, int64_t id,
                               int64_t child_id, struct kb_err *err) KB_MUST_CHECK;

/* A message that comes in. */
struct kb_message_coming {
	const struct kb_session *session;
	struct kb_message *message;
	struct kb_db_append *asked; /* by kb_conversation_ask(); NULL: nothing was asked before */
};
/* Finds the session or makes it, names it after its first query, and marks it as used when the
 * message was created. */
bool kb_conversation_use(struct kb_db_conn *conn, struct kb_arena *arena,
                         const struct kb_message_coming *coming, struct kb_conversation *out,
                         struct kb_err *err) KB_MUST_CHECK;
/* The same of a session that is new, under that id: fails where it no longer is. Nothing is waited
 * for.
 */
bool kb_conversation_begin(struct kb_db_conn *conn, struct kb_arena *arena,
                           const struct kb_message_coming *coming, int64_t id,
                           struct kb_conversation *out, struct kb_err *err) KB_MUST_CHECK;
/* The same of one whose row is known, and has a name. */
bool kb_conversation_touch(struct kb_db_conn *conn, const struct kb_conversation *conversation,
                           struct kb_err *err) KB_MUST_CHECK;
/* What kb_conversation_use() has to know of a message that comes at `now`. Fills agent, session and
 * question of out; the values are its own. */
struct kb_conversation_asking {
	struct kb_db_append append;
	struct kb_db_value values[4];
};
void kb_conversation_ask(const struct kb_session *session, int64_t now,
                         struct kb_conversation_asking *out);

/* Whether the prompt gave it its name. */
bool kb_conversation_is_named_after(const struct kb_conversation *conversation,
                                    struct kb_arena *arena, struct kb_sv prompt);
/* Unless a person has named it. */
bool kb_conversation_name(struct kb_db_conn *conn, struct kb_arena *arena,
                          const struct kb_conversation *named, struct kb_err *err) KB_MUST_CHECK;

/* Begun here, ended in the same order. */
void kb_conversation_read_begin(struct kb_db_conn *conn, const struct kb_session *session,
                                struct kb_db_rows *rows);
bool kb_conversation_read_end(struct kb_db_rows *rows, struct kb_arena *arena,
                              struct kb_conversation *out, bool *has_name,
                              struct kb_err *err) KB_MUST_CHECK;

#endif
