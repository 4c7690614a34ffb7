/* What a chore has made, for chores.c. */
#ifndef KB_STORE_STARTERS_OWN_H
#define KB_STORE_STARTERS_OWN_H

#include "db/db.h"
#include "store/starters.h"

struct kb_chore;

/* What a model has written for a page around the agent. */
bool kb_starters_put(struct kb_db_conn *conn, const struct kb_chore *chore, struct kb_sv questions,
                     struct kb_err *err) KB_MUST_CHECK;

#endif
