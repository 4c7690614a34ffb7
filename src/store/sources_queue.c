/* The queue of readings: which source is due, and who has it. */
#include "store/leases.h"
#include "store/lists.h"
#include "store/publish.h"
#include "store/sources_own.h"
#include "store/store_own.h"

enum { NEXT_DUE, NEXT, LEASE, RENEW, VOID_LEASES };
// clang-format off
static const struct kb_sql sql[] = {
	[NEXT_DUE] = { "source_next_due", "",
		"SELECT due_at FROM sources WHERE due_at > 0 AND " KB_AGENT_SHOWN("agent_id") " ORDER BY due_at LIMIT 1" },
	[NEXT] = { "source_next", "",
		"SELECT " KB_NAMES(KB_SOURCES) " FROM sources WHERE due_at > 0 AND "
		KB_AGENT_SHOWN("agent_id") " ORDER BY due_at LIMIT 1" },
	/* Unless somebody else took it since it was read. */
	[LEASE] = { "source_lease", "iitiiii",
		"UPDATE sources SET state = 1, due_at = $4, status = 0, reason = $3, lease_node = $5, "
		"lease_epoch = lease_epoch + 1, attempts = attempts + 1 "
		"WHERE agent_id = $1 AND id = $2 AND lease_epoch = $6 AND due_at = $7" },
	[RENEW] = { "source_renew", "iiii",
		"UPDATE sources SET due_at = $4 "
		"WHERE agent_id = $1 AND id = $2 AND lease_epoch = $3 AND state = 1" },
	[VOID_LEASES] = { "source_void_leases", "iii",
		"UPDATE sources SET state = 0, due_at = $3 WHERE state = 1 "
		"AND lease_node NOT IN " KB_NODES_THERE("$1", "$2") },
};
// clang-format on
const struct kb_sql_table kb_sql_sources_queue = { "sources_queue", sql, KB_COUNTOF(sql) };

struct lease {
	struct kb_arena *arena;
	int64_t node, now, until, next_due_at;
	struct kb_source_lease *out;
};

static bool lease(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct lease *in = arg;
	struct kb_sv reason = KB_SV("its address is being read");
	struct kb_source_row row;
	int64_t changed;

	*in->out = (struct kb_source_lease){ 0 };
	if (!kb_source_load(conn, in->arena, &sql[NEXT], KB_NO_VALUES, &row, err))
		return false;
	in->next_due_at = row.source.due_at;
	if (row.source.id == 0 || row.source.due_at > in->now)
		return true;
	if (!kb_db_run(conn, &sql[LEASE],
	               KB_VALUES(kb_int(row.source.agent_id), kb_int(row.source.id),
	                         kb_text(reason), kb_int(in->until), kb_int(in->node),
	                         kb_int(row.epoch), kb_int(row.source.due_at)),
	               &changed, err))
		return false;
	if (changed)
		*in->out = (struct kb_source_lease){
			.source = row.source,
			.epoch = row.epoch + 1,
			.attempts = row.attempts + 1,
		};
	return true;
}

bool kb_store_source_lease(struct kb_store *store, struct kb_arena *arena, int64_t lease_us,
                           struct kb_source_lease *out, int64_t *next_due_at, struct kb_err *err)
{
	struct lease in = {
		.arena = arena, .node = store->node, .now = kb_store_now(store), .out = out
	};
	struct kb_db_conn *conn;
	bool ok;

	*out = (struct kb_source_lease){ 0 };
	/* Mostly nothing is due: a reader finds that out without the writer. */
	conn = kb_db_take(store->db, false, err);
	if (!conn)
		return false;
	ok = kb_db_int(conn, &sql[NEXT_DUE], KB_NO_VALUES, 0, next_due_at, err);
	kb_db_give(store->db, conn);
	if (!ok || *next_due_at == 0 || *next_due_at > in.now)
		return ok;
	in.until = in.now + lease_us;
	if (!kb_lease_write(store, lease, &in, err))
		return false;
	*next_due_at = out->source.id ? 0 : in.next_due_at;
	return true;
}

struct renew {
	const struct kb_source_lease *lease;
	int64_t until;
};

static bool renew(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct renew *in = arg;
	int64_t changed;

	return kb_db_run(conn, &sql[RENEW],
	                 KB_VALUES(kb_int(in->lease->source.agent_id), kb_int(in->lease->source.id),
	                           kb_int(in->lease->epoch), kb_int(in->until)),
	                 &changed, err)
	       && (changed == 1
	           || kb_fail(err, KB_E_CONFLICT,
	                      "source %" PRId64 " is gone or read by somebody else now",
	                      in->lease->source.id));
}

bool kb_store_source_renew(struct kb_store *store, const struct kb_source_lease *lease,
                           int64_t lease_us, struct kb_err *err)
{
	struct renew in = { lease, kb_store_now(store) + lease_us };

	return kb_db_write(store->db, renew, &in, err);
}

bool kb_sources_void_leases(struct kb_store *store, int64_t me, struct kb_err *err)
{
	return kb_leases_void(store, &sql[VOID_LEASES], me, err);
}
