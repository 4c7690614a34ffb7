#include "store/days.h"

#include "store/store_own.h"

int64_t kb_store_today(struct kb_store *store)
{
	return kb_store_now(store) / KB_DAY_US;
}

struct using
{
	const struct kb_days_look *look;
	int64_t day;
};

static bool note_use(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct using *using = arg;
	struct kb_db_value values[KB_SQL_PARAMS];
	size_t n = 0;

	for (; n < using->look->key.count; n++)
		values[n] = using->look->key.v[n];
	values[n++] = kb_int(using->day);
	return kb_db_run(conn, using->look->used, (struct kb_db_values){ values, n }, NULL, err);
}

bool kb_days_find(struct kb_store *store, const struct kb_days_look *look, bool *found,
                  struct kb_err *err)
{
	struct using using = { look, kb_store_today(store) };
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	struct kb_db_rows rows;
	int64_t used_on = 0;
	bool ok;

	*found = false;
	if (!conn)
		return false;
	kb_rows_open(&rows, conn, look->find, look->key);
	while (kb_rows_next(&rows)) {
		*found = true;
		look->read(&rows, look->arg);
		used_on = kb_rows_int(&rows, look->day_at);
	}
	ok = kb_rows_close(&rows, err);
	kb_db_give(store->db, conn);
	if (!ok || !*found || used_on == using.day)
		return ok;
	return kb_db_write(store->db, note_use, &using, err);
}

bool kb_days_forget(struct kb_store *store, const struct kb_sql *statement, int64_t unused_days,
                    int64_t *gone, struct kb_err *err)
{
	int64_t before = kb_store_today(store) - unused_days;

	return kb_db_write_run(store->db, statement, KB_VALUES(kb_int(before)), gone, err);
}
