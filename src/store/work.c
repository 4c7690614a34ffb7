#include "store/work.h"

#include "store/store_own.h"
#include "store/work_own.h"

enum { TAKE, DONE };
// clang-format off
static const struct kb_sql sql[] = {
	[TAKE] = { "work_take", "itiiii",
		"INSERT INTO work (agent_id, kind, lease_node, lease_epoch, lease_until) VALUES ($1, $2, $3, 1, $5) "
		"ON CONFLICT (agent_id, kind) DO UPDATE SET lease_node = $3, lease_epoch = work.lease_epoch + 1, "
		"lease_until = $5 WHERE work.lease_until <= $4 OR work.lease_node NOT IN " KB_NODES_THERE("$3", "$6")
		" RETURNING lease_epoch" },
	[DONE] = { "work_done", "iti",
		"UPDATE work SET lease_until = 0 WHERE agent_id = $1 AND kind = $2 AND lease_epoch = $3" },
};
// clang-format on
const struct kb_sql_table kb_sql_work = { "work", sql, KB_COUNTOF(sql) };

bool kb_work_take(struct kb_db_conn *conn, const struct kb_work_want *want, int64_t *epoch,
                  struct kb_err *err)
{
	return kb_db_int(conn, &sql[TAKE],
	                 KB_VALUES(kb_int(want->agent_id), kb_text(kb_sv_str(want->kind)),
	                           kb_int(want->store->node), kb_int(want->now),
	                           kb_int(want->now + want->lease_us),
	                           kb_int(want->now - KB_NODE_ALIVE_US)),
	                 0, epoch, err);
}

struct take {
	struct kb_work_want want;
	int64_t epoch;
};

static bool take(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct take *in = arg;

	return kb_work_take(conn, &in->want, &in->epoch, err);
}

bool kb_store_work_take(struct kb_store *store, struct kb_work *work, int64_t lease_us, bool *taken,
                        struct kb_err *err)
{
	struct take in = { .want = { .store = store,
		                     .kind = work->kind,
		                     .agent_id = work->agent_id,
		                     .now = kb_store_now(store),
		                     .lease_us = lease_us } };

	if (!kb_db_write(store->db, take, &in, err))
		return false;
	work->epoch = in.epoch;
	*taken = in.epoch != 0;
	return true;
}

static bool done(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct kb_work *work = arg;

	return kb_db_run(conn, &sql[DONE],
	                 KB_VALUES(kb_int(work->agent_id), kb_text(kb_sv_str(work->kind)),
	                           kb_int(work->epoch)),
	                 NULL, err);
}

void kb_store_work_done(struct kb_store *store, const struct kb_work *work)
{
	struct kb_work in = *work;
	struct kb_err err;

	if (!kb_db_write(store->db, done, &in, &err))
		kb_warn(store->log, "work not given back kind=%s agent=%" PRId64 " error=%s",
		        work->kind, work->agent_id, err.msg);
}
