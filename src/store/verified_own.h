/* Checked answers as other families see them. */
#ifndef KB_STORE_VERIFIED_OWN_H
#define KB_STORE_VERIFIED_OWN_H

#include "db/db.h"

/* Before a page's row goes: with it goes what was checked, and answers that cite it know. */
bool kb_verified_drop_page(struct kb_db_conn *conn, int64_t agent_id, int64_t page_id,
                           struct kb_err *err) KB_MUST_CHECK;

#endif
