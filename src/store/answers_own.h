/* Answers under way as their messages and conversations see them. */
#ifndef KB_STORE_ANSWERS_OWN_H
#define KB_STORE_ANSWERS_OWN_H

#include "db/columns.h"
#include "store/answers.h"

/* KB_E_CANCELLED where the message's writer has no row any more. */
bool kb_answer_ends(struct kb_db_conn *conn, const struct kb_message *message,
                    struct kb_err *err) KB_MUST_CHECK;
bool kb_answers_drop(struct kb_db_conn *conn, int64_t agent_id, int64_t conversation_id,
                     struct kb_err *err) KB_MUST_CHECK;
bool kb_answers_void_leases(struct kb_store *store, int64_t me, struct kb_err *err) KB_MUST_CHECK;

#endif
