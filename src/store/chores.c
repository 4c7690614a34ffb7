#include "store/chores.h"

#include "store/chores_own.h"
#include "store/leases.h"
#include "store/messages_own.h"
#include "store/starters_own.h"
#include "store/store_own.h"

enum {
	ADD,
	NEXT,
	TAKE,
	GO,
	WAIT,
	DESCRIBE,
	NOTE,
	INSIGHT,
	COUNT,
	VOID_LEASES,
};
// clang-format off
static const struct kb_sql sql[] = {
	[ADD] = { "chore_add", "iiiii",
		"INSERT INTO chores (agent_id, kind, subject, within, due_at, lease_epoch, attempts) "
		"VALUES ($1, $2, $3, $4, $5, 0, 0) ON CONFLICT (agent_id, kind, subject) DO UPDATE SET "
		"due_at = $5, lease_epoch = chores.lease_epoch + 1, attempts = 0, lease_node = 0" },
	[NEXT] = { "chore_next", "i",
		"SELECT agent_id, kind, subject FROM chores WHERE due_at <= $1 AND " KB_AGENT_SHOWN("agent_id") " ORDER BY due_at LIMIT 1" },
	/* By its key, not by the time. */
	[TAKE] = { "chore_take", "iiiiii",
		"UPDATE chores SET due_at = $5, lease_node = $6, lease_epoch = lease_epoch + 1, attempts = attempts + 1 "
		"WHERE agent_id = $1 AND kind = $2 AND subject = $3 AND +due_at <= $4 "
		"RETURNING within, lease_epoch, attempts" },
	[GO] = { "chore_go", "iiii",
		"DELETE FROM chores WHERE agent_id = $1 AND kind = $2 AND subject = $3 AND lease_epoch = $4" },
	[WAIT] = { "chore_wait", "iiiii",
		"UPDATE chores SET due_at = $5, lease_node = 0 "
		"WHERE agent_id = $1 AND kind = $2 AND subject = $3 AND lease_epoch = $4" },
	[DESCRIBE] = { "chore_describe", "iitt",
		"UPDATE pages SET description = $3 WHERE agent_id = $1 AND id = $2 AND text_blob = $4" },
	[NOTE] = { "chore_note", "iitti",
		"UPDATE sub_personas SET instructions = $4, updated_at = $5 "
		"WHERE agent_id = $1 AND version = $2 AND slug = $3" },
	[INSIGHT] = { "chore_insight", "iiit",
		"UPDATE messages SET insight = $4 WHERE agent_id = $1 AND conversation_id = $2 AND id = $3" },
	[COUNT] = { "chore_count", "",
		"SELECT count(*) FROM chores WHERE " KB_AGENT_SHOWN("agent_id") },
	[VOID_LEASES] = { "chore_void_leases", "iii",
		"UPDATE chores SET due_at = $3, lease_node = 0 "
		"WHERE lease_node > 0 AND lease_node NOT IN " KB_NODES_THERE("$1", "$2") },
};
// clang-format on
const struct kb_sql_table kb_sql_chores = { "chores", sql, KB_COUNTOF(sql) };

void kb_store_chores_wanted(struct kb_store *store)
{
	atomic_store(&store->chores_wanted, true);
}

bool kb_chore_add(struct kb_db_conn *conn, const struct kb_chore *chore, int64_t due_at,
                  struct kb_err *err)
{
	return kb_db_defer(conn, &sql[ADD],
	                   KB_VALUES(kb_int(chore->agent_id), kb_int(chore->kind),
	                             kb_int(chore->subject), kb_int(chore->within), kb_int(due_at)),
	                   err);
}

/* ---- leases ---- */

struct lease {
	struct kb_chore chore;
	int64_t now, until, node;
};

static bool next(struct kb_db_conn *conn, struct lease *in, struct kb_err *err)
{
	struct kb_db_rows rows;

	in->chore = (struct kb_chore){ 0 };
	kb_rows_open(&rows, conn, &sql[NEXT], KB_VALUES(kb_int(in->now)));
	while (kb_rows_next(&rows))
		in->chore = (struct kb_chore){
			.agent_id = kb_rows_int(&rows, 0),
			.kind = (enum kb_chore_kind)kb_rows_int(&rows, 1),
			.subject = kb_rows_int(&rows, 2),
		};
	return kb_rows_close(&rows, err);
}

static bool lease(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct lease *in = arg;
	struct kb_chore *chore = &in->chore;
	struct kb_db_rows rows;
	bool taken = false;

	if (!next(conn, in, err))
		return false;
	if (!chore->agent_id)
		return true;
	kb_rows_open(&rows, conn, &sql[TAKE],
	             KB_VALUES(kb_int(chore->agent_id), kb_int(chore->kind), kb_int(chore->subject),
	                       kb_int(in->now), kb_int(in->until), kb_int(in->node)));
	while (kb_rows_next(&rows)) {
		taken = true;
		chore->within = kb_rows_int(&rows, 0);
		chore->epoch = kb_rows_int(&rows, 1);
		chore->attempts = kb_rows_int(&rows, 2);
	}
	if (!taken)
		chore->agent_id = 0;
	return kb_rows_close(&rows, err);
}

bool kb_store_chore_lease(struct kb_store *store, int64_t lease_us, struct kb_chore *out,
                          struct kb_err *err)
{
	struct lease in = { .now = kb_store_now(store), .node = store->node };
	/* Mostly there is nothing: a reader finds that out without the writer. */
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	bool ok;

	*out = (struct kb_chore){ 0 };
	if (!conn)
		return false;
	ok = next(conn, &in, err);
	kb_db_give(store->db, conn);
	if (!ok || !in.chore.agent_id)
		return ok;
	in.until = in.now + lease_us;
	if (!kb_lease_write(store, lease, &in, err))
		return false;
	*out = in.chore;
	return true;
}

bool kb_store_chore_count(struct kb_store *store, int64_t *count, struct kb_err *err)
{
	return kb_db_read_int(store->db, &sql[COUNT], KB_NO_VALUES, 0, count, err);
}

bool kb_chores_void_leases(struct kb_store *store, int64_t me, struct kb_err *err)
{
	return kb_leases_void(store, &sql[VOID_LEASES], me, err);
}

/* ---- the end ---- */

struct end {
	struct kb_arena *arena;
	const struct kb_chore *chore;
	const struct kb_chore_end *end;
	int64_t now;
};

static bool put_text(struct kb_db_conn *conn, const struct end *in, struct kb_err *err)
{
	const struct kb_chore *chore = in->chore;
	struct kb_db_value agent = kb_int(chore->agent_id), subject = kb_int(chore->subject);
	struct kb_db_value text = kb_text(in->end->text);

	switch (chore->kind) {
	case KB_CHORE_NAME:
		return kb_conversation_name(conn, in->arena,
		                            &(struct kb_conversation){ .agent_id = chore->agent_id,
		                                                       .id = chore->subject,
		                                                       .name = in->end->text },
		                            err);
	case KB_CHORE_INSIGHT:
		return kb_db_run(conn, &sql[INSIGHT],
		                 KB_VALUES(agent, kb_int(chore->within), subject, text), NULL, err);
	case KB_CHORE_DESCRIPTION:
		return kb_db_run(conn, &sql[DESCRIBE],
		                 KB_VALUES(agent, subject, text, kb_text(in->end->of)), NULL, err);
	case KB_CHORE_SUMMARY:
	case KB_CHORE_PLANNER:
		return kb_db_run(
		        conn, &sql[NOTE],
		        KB_VALUES(agent, subject, kb_text(in->end->slug), text, kb_int(in->now)),
		        NULL, err);
	case KB_CHORE_STARTERS:
		return kb_starters_put(conn, chore, in->end->text, err);
	case KB_CHORE_KINDS:
		break;
	}
	return true;
}

static bool end(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct end *in = arg;
	const struct kb_chore *chore = in->chore;
	struct kb_db_value key[] = { kb_int(chore->agent_id), kb_int(chore->kind),
		                     kb_int(chore->subject), kb_int(chore->epoch) };
	int64_t changed;
	bool ok;

	ok = in->end->again_us
	             ? kb_db_run(conn, &sql[WAIT],
	                         KB_VALUES(key[0], key[1], key[2], key[3],
	                                   kb_int(in->now + in->end->again_us)),
	                         &changed, err)
	             : kb_db_run(conn, &sql[GO], KB_VALUES(key[0], key[1], key[2], key[3]),
	                         &changed, err);
	if (!ok)
		return false;
	if (!changed)
		return kb_fail(err, KB_E_CONFLICT, "the chore is somebody else's");
	if (in->end->spent.model.n)
		kb_spent_add(conn, &(struct kb_spender){ chore->agent_id, in->now },
		             &in->end->spent);
	return !in->end->text.p || put_text(conn, in, err);
}

bool kb_store_chore_end(struct kb_store *store, struct kb_arena *arena,
                        const struct kb_chore *chore, const struct kb_chore_end *how,
                        struct kb_err *err)
{
	struct end in = { arena, chore, how, kb_store_now(store) };

	return kb_db_write(store->db, end, &in, err);
}
