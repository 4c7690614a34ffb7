#include "store/robots.h"

#include "store/store_own.h"

enum { KEPT_DAYS = 60, DROPPED_AT_ONCE = 100 };

enum { GET, PUT, DROP };
// clang-format off
static const struct kb_sql sql[] = {
	[GET] = { "robots_get", "t", "SELECT text, read_at, good_until FROM robots WHERE origin = $1" },
	[PUT] = { "robots_put", "ttii",
		"INSERT INTO robots (origin, text, read_at, good_until) VALUES ($1, $2, $3, $4) "
		"ON CONFLICT (origin) DO UPDATE SET text = excluded.text, read_at = excluded.read_at, "
		"good_until = excluded.good_until" },
	[DROP] = { "robots_drop", "ii",
		"DELETE FROM robots WHERE origin IN (SELECT origin FROM robots WHERE good_until < $1 "
		"ORDER BY good_until LIMIT $2)" },
};
// clang-format on
const struct kb_sql_table kb_sql_robots = { "robots", sql, KB_COUNTOF(sql) };

bool kb_store_robots_get(struct kb_store *store, struct kb_arena *arena, struct kb_sv origin,
                         struct kb_robots_file *out, bool *found, struct kb_err *err)
{
	struct kb_db_rows rows;

	*found = false;
	kb_rows_take(&rows, store->db, &sql[GET], KB_VALUES(kb_text(origin)));
	while (kb_rows_next(&rows)) {
		*found = true;
		*out = (struct kb_robots_file){ .text = kb_rows_text(&rows, arena, 0),
			                        .read_at = kb_rows_int(&rows, 1),
			                        .good_until = kb_rows_int(&rows, 2) };
	}
	return kb_rows_close(&rows, err);
}

struct put {
	struct kb_sv origin;
	const struct kb_robots_file *file;
	int64_t now;
};

static bool put(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct put *in = arg;

	return kb_db_run(conn, &sql[PUT],
	                 KB_VALUES(kb_text(in->origin), kb_text(in->file->text),
	                           kb_int(in->file->read_at), kb_int(in->file->good_until)),
	                 NULL, err)
	       && kb_db_run(
	               conn, &sql[DROP],
	               KB_VALUES(kb_int(in->now - KEPT_DAYS * KB_DAY_US), kb_int(DROPPED_AT_ONCE)),
	               NULL, err);
}

bool kb_store_robots_put(struct kb_store *store, struct kb_sv origin,
                         const struct kb_robots_file *file, struct kb_err *err)
{
	struct put in = { origin, file, kb_store_now(store) };

	return kb_db_write(store->db, put, &in, err);
}
