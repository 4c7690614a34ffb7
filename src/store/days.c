#include "store/days.h"

#include "store/store_own.h"

int64_t kb_store_today(struct kb_store *store)
{
	return kb_store_now(store) / KB_DAY_US;
}

struct forgetting {
	const struct kb_sql *sql;
	int64_t before, gone;
};

static bool forget(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct forgetting *in = arg;

	return kb_db_run(conn, in->sql, KB_VALUES(kb_int(in->before)), &in->gone, err);
}

bool kb_days_forget(struct kb_store *store, const struct kb_sql *statement, int64_t unused_days,
                    int64_t *gone, struct kb_err *err)
{
	struct forgetting in = { statement, kb_store_today(store) - unused_days, 0 };
	bool ok = kb_db_write(store->db, forget, &in, err);

	*gone = in.gone;
	return ok;
}
