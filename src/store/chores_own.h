/* Chores, for who stores what they are about. */
#ifndef KB_STORE_CHORES_OWN_H
#define KB_STORE_CHORES_OWN_H

#include "db/db.h"
#include "store/chores.h"

/* Adds it; one that is there begins anew, and who has it leased does it in vain. */
bool kb_chore_add(struct kb_db_conn *conn, const struct kb_chore *chore, int64_t due_at,
                  struct kb_err *err) KB_MUST_CHECK;
bool kb_chores_void_leases(struct kb_store *store, int64_t me, struct kb_err *err) KB_MUST_CHECK;

#endif
