#include "store/hosts.h"

#include "store/store_impl.h"

enum { KEPT_S = 86400, DROPPED_AT_ONCE = 50 };
#define ASK_AGAIN_US (250 * INT64_C(1000)) /* while another process holds the host */

enum { GET, ENTER, LEAVE, DROP, VOID_HOLDS };
// clang-format off
static const struct kb_sql sql[] = {
	[GET] = { "host_get", "t", "SELECT free_at, holder, held_until FROM hosts WHERE host = $1" },
	/* Unless somebody else entered since it was read. */
	[ENTER] = { "host_enter", "ttiii",
		"INSERT INTO hosts (host, free_at, holder, lines, held_until, lease_node) VALUES ($1, 0, $2, 1, $3, $4) "
		"ON CONFLICT (host) DO UPDATE SET "
		"lines = CASE WHEN hosts.holder = excluded.holder THEN hosts.lines + 1 ELSE 1 END, "
		"holder = excluded.holder, held_until = excluded.held_until, lease_node = excluded.lease_node "
		"WHERE hosts.free_at <= $5 AND (hosts.holder = excluded.holder OR hosts.holder = '' OR hosts.held_until <= $5)" },
	[LEAVE] = { "host_leave", "tti",
		"UPDATE hosts SET lines = lines - 1, holder = CASE WHEN lines = 1 THEN '' ELSE holder END, "
		"free_at = CASE WHEN free_at < $3 THEN $3 ELSE free_at END WHERE host = $1 AND holder = $2" },
	[DROP] = { "host_drop", "ii",
		"DELETE FROM hosts WHERE host IN (SELECT host FROM hosts WHERE free_at < $1 AND holder = '' "
		"ORDER BY free_at LIMIT $2)" },
	[VOID_HOLDS] = { "host_void_holds", "ii",
		"UPDATE hosts SET holder = '', lines = 0, held_until = 0 "
		"WHERE holder <> '' AND lease_node NOT IN " KB_NODES_THERE("$1", "$2") },
};
// clang-format on
const struct kb_sql_table kb_sql_hosts = { "hosts", sql, KB_COUNTOF(sql) };

struct entry {
	const struct kb_host_hold *hold;
	int64_t node, now, hold_us, pause_us, wait_us;
};

/* When the process may enter: 0 is now. */
static bool look(struct kb_db_conn *conn, const struct entry *in, int64_t *wait_us,
                 struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_db_rows rows;

	*wait_us = 0;
	kb_rows_open(&rows, conn, &sql[GET], KB_VALUES(kb_text(in->hold->host)));
	while (kb_rows_next(&rows)) {
		struct kb_sv holder = kb_rows_text(&rows, &arena, 1);
		bool ours = kb_sv_eq(holder, in->hold->holder);
		int64_t held_for = kb_rows_int(&rows, 2) - in->now;

		*wait_us = KB_MAX(kb_rows_int(&rows, 0) - in->now, INT64_C(0));
		if (!ours && holder.n && held_for > 0)
			*wait_us = KB_MAX(*wait_us, KB_MIN(held_for, ASK_AGAIN_US));
	}
	kb_arena_fini(&arena);
	return kb_rows_close(&rows, err);
}

static bool enter(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct entry *in = arg;
	int64_t changed = 1;

	if (!look(conn, in, &in->wait_us, err))
		return false;
	if (in->wait_us == 0
	    && !kb_db_run(conn, &sql[ENTER],
	                  KB_VALUES(kb_text(in->hold->host), kb_text(in->hold->holder),
	                            kb_int(in->now + in->hold_us), kb_int(in->node),
	                            kb_int(in->now)),
	                  &changed, err))
		return false;
	if (!changed)
		in->wait_us = ASK_AGAIN_US;
	return true;
}

bool kb_store_host_enter(struct kb_store *store, const struct kb_host_hold *hold, int64_t hold_us,
                         int64_t *wait_us, struct kb_err *err)
{
	struct entry in = {
		.hold = hold, .node = store->node, .now = kb_store_now(store), .hold_us = hold_us
	};
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
	const struct kb_store *store = arg;

	return kb_db_run(
	        conn, &sql[VOID_HOLDS],
	        KB_VALUES(kb_int(store->node), kb_int(kb_store_now(store) - KB_NODE_ALIVE_US)),
	        NULL, err);
}

bool kb_hosts_void_holds(struct kb_store *store, struct kb_err *err)
{
	return kb_db_write(store->db, void_holds, store, err);
}
