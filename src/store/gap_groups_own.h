/* What other families do to gaps. The store's own. */
#ifndef KB_STORE_GAP_GROUPS_OWN_H
#define KB_STORE_GAP_GROUPS_OWN_H

#include "store/store_own.h"

/* enum kb_reaction's, in a statement. */
#define KB_SQL_REACTION_DISLIKED 2

struct kb_gap_message {
	int64_t agent_id, conversation_id, message_id;
};
/* The message is to be looked at, for that reason too (gaps.h). */
bool kb_gap_note(struct kb_db_conn *conn, const struct kb_gap_message *message, int64_t why,
                 struct kb_err *err) KB_MUST_CHECK;
/* Messages of the conversation are gone: so are they from gaps. */
bool kb_gap_forget(struct kb_db_conn *conn, int64_t agent_id, int64_t conversation_id,
                   struct kb_err *err) KB_MUST_CHECK;

#endif
