/* The ends of visits, for messages.c and talklinks.c. */
#ifndef KB_STORE_VISITORS_OWN_H
#define KB_STORE_VISITORS_OWN_H

#include "db/db.h"
#include "store/visitors.h"

/* The answer of the visitor that was under way. */
bool kb_visit_end(struct kb_db_conn *conn, int64_t visitor_id, struct kb_err *err) KB_MUST_CHECK;
/* Those of the agent's visitors whom a site has signed. */
bool kb_visits_end_signed(struct kb_db_conn *conn, int64_t agent_id, int64_t now,
                          struct kb_err *err) KB_MUST_CHECK;

#endif
