/* Messages inside a write, for answers.c and chores.c; and how ahead.c reads them. */
#ifndef KB_STORE_MESSAGES_OWN_H
#define KB_STORE_MESSAGES_OWN_H

#include "store/conversations_own.h"

struct kb_history_want;
struct kb_model_spent;
struct kb_month_use;

extern const struct kb_db_columns kb_message_columns;
/* kb_store_message_add() inside a write, at message->created_at. */
bool kb_message_insert(struct kb_db_conn *conn, struct kb_arena *arena,
                       const struct kb_message_coming *coming, struct kb_conversation *conversation,
                       struct kb_err *err) KB_MUST_CHECK;
struct kb_spender {
	int64_t agent_id, now;
};
/* Counts what a model was asked for beside the answers, at the end of the transaction. */
void kb_spent_add(struct kb_db_conn *conn, const struct kb_spender *by,
                  const struct kb_model_spent *spent);

/* Begun here, ended in the same order. */
void kb_history_read_begin(struct kb_db_conn *conn, const struct kb_session *session,
                           const struct kb_history_want *want, struct kb_db_rows *rows);
bool kb_history_read_end(struct kb_db_rows *rows, struct kb_arena *arena,
                         struct kb_message_list *out, struct kb_err *err) KB_MUST_CHECK;
void kb_month_read_begin(struct kb_db_conn *conn, int64_t account_id, int64_t now,
                         struct kb_db_rows *rows);
bool kb_month_read_end(struct kb_db_rows *rows, struct kb_month_use *out,
                       struct kb_err *err) KB_MUST_CHECK;

#endif
