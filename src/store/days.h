/* What may be made again keeps the day of its last use. The store's own. */
#ifndef KB_STORE_DAYS_H
#define KB_STORE_DAYS_H

#include "db/db.h"
#include "store/store.h"

/* Days since 1970. */
int64_t kb_store_today(struct kb_store *store);
/* Looks for a row by its key. `find` ends with the day of its last use; read() is given the rest of
 * it. On the first use of a day `used` notes that, whose parameters are the key and the day: so
 * looking is mostly reading. *found: whether there is a row. */
struct kb_days_look {
	const struct kb_sql *find, *used;
	struct kb_db_values key;
	int day_at; /* the column of the day */
	void (*read)(struct kb_db_rows *rows, void *arg);
	void *arg;
};
bool kb_days_find(struct kb_store *store, const struct kb_days_look *look, bool *found,
                  struct kb_err *err) KB_MUST_CHECK;
/* Runs a statement that removes what was last used before the day $1; *gone: how many rows. */
bool kb_days_forget(struct kb_store *store, const struct kb_sql *statement, int64_t unused_days,
                    int64_t *gone, struct kb_err *err) KB_MUST_CHECK;

#endif
