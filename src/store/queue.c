/* The queue of ingestion: whose turn it is, and leases with epochs. Who gets a turn and who loses
 * it is in publish.c; how a lease ends is queue_finish.c. */
#include "store/queue.h"

#include <stdlib.h>

#include "store/crawls_own.h"
#include "store/leases.h"
#include "store/lists.h"
#include "store/store_own.h"

enum {
	VOID_LEASES,
	TURN_NEXT,
	TURN_TAKE,
	SHARE_NEXT,
	SHARE_CHARGE,
	SHARE_OF,
	SHARES_MOVE,
	NEXT_DUE,
	DYING,
	LEASE,
	HELD,
	HOLD,
	LENGTH,
};
/* $1: now, $2: whether slow ones count. */
#define DUE(agent)                                                                                 \
	"(EXISTS (SELECT 1 FROM pages p WHERE p.agent_id = " agent " AND p.state > 0 "             \
	"AND p.is_slow = 0 AND p.due_at <= $1 AND p.to_fetch = 0) OR ($2 > 0 AND "                 \
	"EXISTS (SELECT 1 FROM pages p WHERE p.agent_id = " agent " AND p.state > 0 "              \
	"AND p.is_slow = 1 AND p.due_at <= $1 AND p.to_fetch = 0)))"
// clang-format off
static const struct kb_sql sql[] = {
	[VOID_LEASES] = { "queue_void_leases", "iiii",
		"UPDATE pages SET state = " KB_SQL(PAGE_QUEUED) ", due_at = $3 "
		"WHERE state > 0 AND ((state = " KB_SQL(PAGE_LEASED) " AND lease_node NOT IN " KB_NODES_THERE("$1", "$2") ") "
		"OR (due_at = $4 AND agent_id NOT IN (SELECT a.id FROM agents a WHERE a.state > 0 "
		"AND (a.state = " KB_SQL(AGENT_ARRIVING) " OR (a.state = " KB_SQL(AGENT_COPIED)
		" AND a.lease_node IN " KB_NODES_THERE("$1", "$2") ")))))" },
	[TURN_NEXT] = { "queue_turn_next", "iii",
		"SELECT t.agent_id FROM turns t WHERE t.account_id = $3 AND " DUE("t.agent_id")
		" ORDER BY t.turn LIMIT 1" },
	[TURN_TAKE] = { "queue_turn_take", "ii", "UPDATE turns SET turn = $2 WHERE agent_id = $1" },
	[SHARE_NEXT] = { "queue_share_next", "ii",
		"SELECT s.account_id FROM shares s WHERE s.waiting > 0 AND EXISTS (SELECT 1 FROM turns t "
		"WHERE t.account_id = s.account_id AND " DUE("t.agent_id") ") ORDER BY s.used, s.account_id LIMIT 1" },
	[SHARE_CHARGE] = { "queue_share_charge", "ii",
		"UPDATE shares SET used = used + $2 WHERE account_id = $1" },
	[SHARE_OF] = { "queue_share_of", "i", "SELECT used FROM shares WHERE account_id = $1" },
	[SHARES_MOVE] = { "queue_shares_move", "i",
		"INSERT INTO shares (account_id, used, waiting) VALUES (0, $1, 0) "
		"ON CONFLICT (account_id) DO UPDATE SET "
		"used = CASE WHEN shares.used < excluded.used THEN excluded.used ELSE shares.used END" },
	[NEXT_DUE] = { "queue_next_due", "i",
		"SELECT coalesce(min(due), 0) FROM (SELECT (SELECT min(p.due_at) FROM pages p "
		"WHERE p.agent_id = t.agent_id AND p.state > 0 AND p.is_slow = 0 AND p.to_fetch = 0) AS due FROM turns t "
		"UNION ALL SELECT (SELECT min(p.due_at) FROM pages p WHERE p.agent_id = t.agent_id "
		"AND p.state > 0 AND p.is_slow = 1 AND p.to_fetch = 0) FROM turns t WHERE $1 > 0) w" },
	[DYING] = { "queue_dying", "i",
		"SELECT id FROM sources WHERE agent_id = $1 AND dead_version > 0" },
	[LEASE] = { "queue_lease", "iiiiii",
		"UPDATE pages SET state = " KB_SQL(PAGE_LEASED) ", due_at = $3, lease_node = $6, lease_epoch = lease_epoch + 1, "
		"attempts = attempts + 1 WHERE agent_id = $1 AND id IN (SELECT id FROM pages "
		"WHERE agent_id = $1 AND state > 0 AND is_slow = $5 AND to_fetch = 0 AND due_at <= $2 "
		"ORDER BY due_at, id LIMIT $4) "
		/* One that its owner has prolonged meanwhile stays its owner's. */
		"AND state > 0 AND is_slow = $5 AND to_fetch = 0 AND due_at <= $2 RETURNING " KB_NAMES(KB_PAGES) },
	[HELD] = { "queue_held", "iii",
		"SELECT count(*) FROM pages "
		"WHERE agent_id = $1 AND id = $2 AND lease_epoch = $3 AND state = " KB_SQL(PAGE_LEASED) },
	[HOLD] = { "queue_hold", "iiii",
		"UPDATE pages SET due_at = $4 WHERE agent_id = $1 AND id = $2 AND lease_epoch = $3 "
		"AND state = " KB_SQL(PAGE_LEASED) " RETURNING id" },
	[LENGTH] = { "queue_length", "", "SELECT count(*) FROM pages WHERE state > 0 AND " KB_AGENT_SHOWN("agent_id")
		" AND (agent_id, source_id) NOT IN "
		"(SELECT s.agent_id, s.id FROM sources s WHERE s.dead_version > 0)" },
};
// clang-format on
const struct kb_sql_table kb_sql_queue = { "queue", sql, KB_COUNTOF(sql) };

/* ---- leases ---- */

bool kb_queue_void_leases(struct kb_store *store, int64_t me, struct kb_err *err)
{
	return kb_leases_void(store, &sql[VOID_LEASES], me, err);
}

struct lease {
	int64_t node;
	struct kb_arena *arena;
	const struct kb_lease_want *want;
	int64_t now, account_id, agent_id; /* whose turn it is; 0: nobody's */
	struct kb_leases *out;
};

static int by_page(const void *a, const void *b)
{
	const struct kb_lease *one = a, *two = b;

	return (one->page.id > two->page.id) - (one->page.id < two->page.id);
}

/* Takes pages of deleted sources out of the leases: their rows are about to go. That of a source of
 * uploads or of a whole website may have many, so the lease takes them as they come: so it is
 * bounded, and they are out of the way. */
static bool drop_dying(struct kb_db_conn *conn, struct lease *in, int64_t agent_id,
                       struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[DYING], KB_VALUES(kb_int(agent_id)));
	while (kb_rows_next(&rows)) {
		int64_t source_id = kb_rows_int(&rows, 0);
		size_t kept = 0;

		for (size_t i = 0; i < in->out->count; i++)
			if (in->out->v[i].page.source_id != source_id)
				in->out->v[kept++] = in->out->v[i];
		if (kept < in->out->count)
			in->out->next_due_at = in->now; /* if none is left: come again */
		in->out->count = kept;
	}
	return kb_rows_close(&rows, err);
}

/* Takes pages of that speed, if some are due. */
static bool take(struct kb_db_conn *conn, struct lease *in, bool slow, struct kb_err *err)
{
	size_t max = slow ? 1 : KB_MIN(in->want->max, (size_t)INT32_MAX);
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[LEASE],
	             KB_VALUES(kb_int(in->agent_id), kb_int(in->now),
	                       kb_int(in->now + in->want->lease_us), kb_int((int64_t)max),
	                       kb_int(slow), kb_int(in->node)));
	while (kb_rows_next(&rows)) {
		struct kb_page_row row;

		kb_page_read(&rows, in->arena, &row);
		KB_ROOM(in->arena, in->out->v, in->out->count)
		[in->out->count] = (struct kb_lease){ .page = row.page,
			                              .epoch = row.lease_epoch,
			                              .account_id = in->account_id,
			                              .is_slow = slow };
		in->out->count++;
	}
	return kb_rows_close(&rows, err);
}

/* The sharing has come to where the account was before its turn. Its row is every lease's first: so
 * no two wait for each other. */
static bool next_turn(struct kb_db_conn *conn, struct lease *in, struct kb_err *err)
{
	int64_t any = !in->want->not_slow, used, turn;

	if (!kb_db_int(conn, &sql[SHARE_NEXT], KB_VALUES(kb_int(in->now), kb_int(any)), 0,
	               &in->account_id, err))
		return false;
	if (in->account_id == 0)
		return true;
	return kb_db_int(conn, &sql[SHARE_OF], KB_VALUES(kb_int(in->account_id)), 0, &used, err)
	       && kb_db_run(conn, &sql[SHARES_MOVE], KB_VALUES(kb_int(used)), NULL, err)
	       && kb_db_run(conn, &sql[SHARE_CHARGE],
	                    KB_VALUES(kb_int(in->account_id), kb_int(in->want->charge_us)), NULL,
	                    err)
	       && kb_db_int(conn, &sql[TURN_NEXT],
	                    KB_VALUES(kb_int(in->now), kb_int(any), kb_int(in->account_id)), 0,
	                    &in->agent_id, err)
	       && kb_db_next_id(conn, "turn", 1, &turn, err)
	       && kb_db_run(conn, &sql[TURN_TAKE], KB_VALUES(kb_int(in->agent_id), kb_int(turn)),
	                    NULL, err);
}

static bool lease(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct lease *in = arg;
	const struct kb_lease_want *want = in->want;
	struct kb_leases *out = in->out;

	*out = (struct kb_leases){ 0 };
	if (!next_turn(conn, in, err))
		return false;
	if (in->agent_id == 0)
		return kb_db_int(conn, &sql[NEXT_DUE], KB_VALUES(kb_int(!want->not_slow)), 0,
		                 &out->next_due_at, err);
	if (!take(conn, in, false, err)
	    || (!out->count && !want->not_slow && !take(conn, in, true, err))
	    || !drop_dying(conn, in, in->agent_id, err))
		return false;
	if (out->count)
		qsort(out->v, out->count, sizeof(*out->v), by_page);
	return true;
}

bool kb_store_pages_lease(struct kb_store *store, struct kb_arena *arena,
                          const struct kb_lease_want *want, struct kb_leases *out,
                          struct kb_err *err)
{
	struct lease in = { .node = store->node,
		            .arena = arena,
		            .want = want,
		            .now = kb_store_now(store),
		            .out = out };

	if (kb_lease_write(store, lease, &in, err))
		return true;
	*out = (struct kb_leases){ 0 }; /* it may have come half way */
	return false;
}

struct settle {
	int64_t account_id, us;
};

static bool settle(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct settle *in = arg;

	return kb_db_run(conn, &sql[SHARE_CHARGE],
	                 KB_VALUES(kb_int(in->account_id), kb_int(in->us)), NULL, err);
}

bool kb_store_turn_settle(struct kb_store *store, int64_t account_id, int64_t us,
                          struct kb_err *err)
{
	struct settle in = { account_id, us };

	return kb_db_write(store->db, settle, &in, err);
}

bool kb_store_pages_held(struct kb_store *store, const struct kb_lease *leases, size_t count,
                         bool *held, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	bool ok = conn != NULL;

	for (size_t i = 0; ok && i < count; i++) {
		int64_t n;

		ok = kb_db_int(conn, &sql[HELD],
		               KB_VALUES(kb_int(leases[i].page.agent_id), kb_int(leases[i].page.id),
		                         kb_int(leases[i].epoch)),
		               0, &n, err);
		held[i] = ok && n;
	}
	if (conn)
		kb_db_give(store->db, conn);
	return ok;
}

struct hold {
	const struct kb_lease *lease;
	int64_t until;
	int64_t id; /* 0: not held */
};

static bool hold(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct hold *in = arg;

	return kb_db_int(conn, &sql[HOLD],
	                 KB_VALUES(kb_int(in->lease->page.agent_id), kb_int(in->lease->page.id),
	                           kb_int(in->lease->epoch), kb_int(in->until)),
	                 0, &in->id, err);
}

bool kb_store_page_hold(struct kb_store *store, const struct kb_lease *lease, int64_t lease_us,
                        bool *held, struct kb_err *err)
{
	struct hold in = { .lease = lease, .until = kb_store_now(store) + lease_us };
	bool ok = kb_db_write(store->db, hold, &in, err);

	*held = ok && in.id;
	return ok;
}

bool kb_store_queue_length(struct kb_store *store, int64_t *count, struct kb_err *err)
{
	return kb_db_read_int(store->db, &sql[LENGTH], KB_NO_VALUES, 0, count, err);
}
