/* What may be made again keeps the day of its last use. The store's own. */
#ifndef KB_STORE_DAYS_H
#define KB_STORE_DAYS_H

#include "db/db.h"
#include "store/store.h"

/* Days since 1970. */
int64_t kb_store_today(struct kb_store *store);
/* Runs a statement that removes what was last used before the day $1; *gone: how many rows. */
bool kb_days_forget(struct kb_store *store, const struct kb_sql *statement, int64_t unused_days,
                    int64_t *gone, struct kb_err *err) KB_MUST_CHECK;

#endif
