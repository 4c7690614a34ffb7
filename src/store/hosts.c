#include "store/hosts.h"

#include "store/store_impl.h"

enum { KEPT_S = 86400, DROPPED_AT_ONCE = 50 };
#define ASK_AGAIN_US (250 * INT64_C(1000)) /* while another process holds the host */

enum { GET, ENTER, LEAVE, DROP, VOID_HOLDS };
// clang-format off
static const struct kb_sql sql[] = {
	[GET] = { "host_get", "t", "SELECT free_at, holder, lines, held_until FROM hosts WHERE host = $1" },
	[ENTER] = { "host_enter", "ttii",
		"INSERT INTO hosts (host, free_at, holder, lines, held_until) VALUES ($1, 0, $2, $3, $4) "
		"ON CONFLICT (host) DO UPDATE SET holder = excluded.holder, lines = excluded.lines, "
		"held_until = excluded.held_until" },
	[LEAVE] = { "host_leave", "tti",
		"UPDATE hosts SET lines = lines - 1, holder = CASE WHEN lines = 1 THEN '' ELSE holder END, "
		"free_at = CASE WHEN free_at < $3 THEN $3 ELSE free_at END WHERE host = $1 AND holder = $2" },
	[DROP] = { "host_drop", "ii",
		"DELETE FROM hosts WHERE host IN (SELECT host FROM hosts WHERE free_at < $1 AND holder = '' "
		"ORDER BY free_at LIMIT $2)" },
	[VOID_HOLDS] = { "host_void_holds", "", "UPDATE hosts SET holder = '', lines = 0, held_until = 0 WHERE holder <> ''" },
};
// clang-format on
const struct kb_sql_table kb_sql_hosts = { "hosts", sql, KB_COUNTOF(sql) };

struct entry {
	const struct kb_host_hold *hold;
	int64_t now, hold_us, pause_us, wait_us;
};

/* When the process may enter: 0 is now. *lines: how many it holds already. */
static bool look(struct kb_db_conn *conn, const struct entry *in, int64_t *wait_us, int64_t *lines,
                 struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_db_rows rows;

	*wait_us = *lines = 0;
	kb_rows_open(&rows, conn, &sql[GET], KB_VALUES(kb_text(in->hold->host)));
	while (kb_rows_next(&rows)) {
		struct kb_sv holder = kb_rows_text(&rows, &arena, 1);
		bool ours = kb_sv_eq(holder, in->hold->holder);
		int64_t held_for = kb_rows_int(&rows, 3) - in->now;

		*wait_us = KB_MAX(kb_rows_int(&rows, 0) - in->now, INT64_C(0));
		*lines = ours ? kb_rows_int(&rows, 2) : 0;
		if (!ours && holder.n && held_for > 0)
			*wait_us = KB_MAX(*wait_us, KB_MIN(held_for, ASK_AGAIN_US));
	}
	kb_arena_fini(&arena);
	return kb_rows_close(&rows, err);
}

static bool enter(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct entry *in = arg;
	int64_t lines;

	if (!look(conn, in, &in->wait_us, &lines, err))
		return false;
	return in->wait_us
	       || kb_db_run(conn, &sql[ENTER],
	                    KB_VALUES(kb_text(in->hold->host), kb_text(in->hold->holder),
	                              kb_int(lines + 1), kb_int(in->now + in->hold_us)),
	                    NULL, err);
}

bool kb_store_host_enter(struct kb_store *store, const struct kb_host_hold *hold, int64_t hold_us,
                         int64_t *wait_us, struct kb_err *err)
{
	struct entry in = { .hold = hold, .now = kb_store_now(store), .hold_us = hold_us };
	bool ok = kb_db_write(store->db, enter, &in, err);

	*wait_us = in.wait_us;
	return ok;
}

static bool leave(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct entry *in = arg;

	return kb_db_run(conn, &sql[LEAVE],
	                 KB_VALUES(kb_text(in->hold->host), kb_text(in->hold->holder),
	                           kb_int(in->now + in->pause_us)),
	                 NULL, err)
	       && kb_db_run(
	               conn, &sql[DROP],
	               KB_VALUES(kb_int(in->now - KEPT_S * KB_SECOND_US), kb_int(DROPPED_AT_ONCE)),
	               NULL, err);
}

bool kb_store_host_leave(struct kb_store *store, const struct kb_host_hold *hold, int64_t pause_us,
                         struct kb_err *err)
{
	struct entry in = { .hold = hold, .now = kb_store_now(store), .pause_us = pause_us };

	return kb_db_write(store->db, leave, &in, err);
}

static bool void_holds(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	(void)arg;
	return kb_db_run(conn, &sql[VOID_HOLDS], KB_NO_VALUES, NULL, err);
}

bool kb_hosts_void_holds(struct kb_store *store, struct kb_err *err)
{
	return kb_db_write(store->db, void_holds, NULL, err);
}
