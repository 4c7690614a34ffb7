/* What a conversation takes along as it goes. */
#ifndef KB_STORE_TALKLINKS_OWN_H
#define KB_STORE_TALKLINKS_OWN_H

#include "db/db.h"
#include "store/talklinks.h"

bool kb_talk_link_drop(struct kb_db_conn *conn, int64_t agent_id, int64_t conversation_id,
                       struct kb_err *err) KB_MUST_CHECK;

#endif
