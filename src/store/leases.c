#include "store/leases.h"

#include <string.h>

#include "store/store_own.h"

struct voiding {
	const struct kb_sql *sql;
	int64_t me, now;
};

static bool void_leases(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct voiding *in = arg;
	const struct kb_db_value values[] = { kb_int(in->me), kb_int(in->now - KB_NODE_ALIVE_US),
		                              kb_int(in->now), kb_int(KB_DUE_NEVER) };

	return kb_db_run(conn, in->sql, (struct kb_db_values){ values, strlen(in->sql->types) },
	                 NULL, err);
}

bool kb_leases_void(struct kb_store *store, const struct kb_sql *statement, int64_t me,
                    struct kb_err *err)
{
	struct voiding in = { statement, me, kb_store_now(store) };

	return kb_db_write(store->db, void_leases, &in, err);
}

bool kb_lease_write(struct kb_store *store, kb_write_fn *fn, void *arg, struct kb_err *err)
{
	struct kb_err why;

	if (kb_db_write(store->db, fn, arg, &why))
		return true;
	if (why.code == KB_E_UNCERTAIN)
		atomic_store(&store->lease_unheard, true);
	return kb_fail(err, why.code, "%s", why.msg);
}
