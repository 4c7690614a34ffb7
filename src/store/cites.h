/* What checked answers (verified.h) lean on, and what goes with a page of theirs: inside a write,
 * for pages.c and verified.c. */
#ifndef KB_STORE_CITES_H
#define KB_STORE_CITES_H

#include "db/db.h"

/* Before a page's row goes: with it goes what was checked, and answers that cite it know. */
bool kb_cites_drop_page(struct kb_db_conn *conn, int64_t agent_id, int64_t page_id,
                        struct kb_err *err) KB_MUST_CHECK;
/* The answer leans on nothing any more. */
bool kb_cites_clear(struct kb_db_conn *conn, int64_t agent_id, int64_t page_id,
                    struct kb_err *err) KB_MUST_CHECK;

#endif
