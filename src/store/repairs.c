#include "store/repairs.h"

#include "store/leases.h"
#include "store/lists.h"
#include "store/pages_own.h"
#include "store/repairs_own.h"
#include "store/segments_own.h"
#include "store/store_own.h"

enum {
	DAMAGED,
	REPAIR_ADD,
	NEXT,
	TAKE,
	RENEW,
	HELD,
	PAGES,
	HEAL,
	NEWER_DEAD,
	UNFIND,
	FAIL,
	LEFT,
	DONE,
	AGAIN,
	COUNT,
	PLACES,
	VOID_LEASES,
};
// clang-format off
static const struct kb_sql sql[] = {
	[DAMAGED] = { "repair_damaged", "iiti",
		"UPDATE segments SET damaged_at = $4 "
		"WHERE agent_id = $1 AND id = $2 AND blob = $3 AND damaged_at = 0" },
	[REPAIR_ADD] = { "repair_add", "ii",
		"INSERT INTO repairs (agent_id, due_at, lease_epoch, attempts, created_at) "
		"VALUES ($1, $2, 0, 0, $2) ON CONFLICT (agent_id) DO NOTHING" },
	[NEXT] = { "repair_next", "i",
		"SELECT agent_id FROM repairs WHERE due_at <= $1 AND " KB_AGENT_SHOWN("agent_id") " ORDER BY due_at LIMIT 1" },
	/* By its key, not by the time. */
	[TAKE] = { "repair_take", "iiii",
		"UPDATE repairs SET due_at = $3, lease_node = $4, lease_epoch = lease_epoch + 1, attempts = attempts + 1 "
		"WHERE agent_id = $1 AND +due_at <= $2 RETURNING lease_epoch, attempts" },
	[RENEW] = { "repair_renew", "iii",
		"UPDATE repairs SET due_at = $3 WHERE agent_id = $1 AND lease_epoch = $2" },
	[HELD] = { "repair_held", "ii",
		"SELECT count(*) FROM repairs WHERE agent_id = $1 AND lease_epoch = $2" },
	[PAGES] = { "repair_pages", "i",
		"SELECT " KB_NAMES(KB_PAGES) " FROM pages WHERE agent_id = $1 AND is_found = 1 AND "
		KB_PAGE_SHOWN("$1") " ORDER BY id" },
	[HEAL] = { "repair_heal", "ii",
		"UPDATE segments SET damaged_at = 0 WHERE agent_id = $1 AND id = $2" },
	[NEWER_DEAD] = { "repair_newer_dead", "iii",
		"SELECT count(*) FROM dead_pages WHERE agent_id = $1 AND page_id = $2 AND version > $3" },
	[UNFIND] = { "repair_unfind", "iii",
		"UPDATE pages SET is_found = 0, passages = 0, words = 0, text_blob = '', text_hash = '', "
		"etag = '', last_modified = '', updated_at = $3 WHERE agent_id = $1 AND id = $2" },
	[FAIL] = { "repair_fail", "iiit",
		"UPDATE pages SET index_status = $3, reason = $4 WHERE agent_id = $1 AND id = $2" },
	[LEFT] = { "repair_left", "i",
		"SELECT count(*) FROM segments WHERE agent_id = $1 AND damaged_at > 0" },
	[DONE] = { "repair_done", "i", "DELETE FROM repairs WHERE agent_id = $1" },
	[AGAIN] = { "repair_again", "ii",
		"UPDATE repairs SET due_at = $2, lease_node = 0, attempts = 0 WHERE agent_id = $1" },
	[COUNT] = { "repair_count", "",
		"SELECT count(*) FROM repairs WHERE " KB_AGENT_SHOWN("agent_id") },
	[PLACES] = { "repair_places", "iii",
		"SELECT agent_id, id, blob, damaged_at FROM segments WHERE (agent_id, id) > ($1, $2) AND "
		KB_AGENT_SHOWN("agent_id") " ORDER BY agent_id, id LIMIT $3" },
	[VOID_LEASES] = { "repair_void_leases", "iii",
		"UPDATE repairs SET due_at = $3, lease_node = 0 "
		"WHERE lease_node > 0 AND lease_node NOT IN " KB_NODES_THERE("$1", "$2") },
};
// clang-format on
const struct kb_sql_table kb_sql_repairs = { "repairs", sql, KB_COUNTOF(sql) };

/* ---- what is damaged ---- */

struct damaged {
	int64_t agent_id, segment_id, now;
	struct kb_sv blob;
};

static bool damaged(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct damaged *in = arg;
	int64_t changed, version;

	/* Who merges finds either the segment, or that it is damaged. */
	return kb_agent_lock(conn, in->agent_id, &version, err)
	       && kb_db_run(conn, &sql[DAMAGED],
	                    KB_VALUES(kb_int(in->agent_id), kb_int(in->segment_id),
	                              kb_text(in->blob), kb_int(in->now)),
	                    &changed, err)
	       && (!changed
	           || (kb_db_run(conn, &sql[REPAIR_ADD],
	                         KB_VALUES(kb_int(in->agent_id), kb_int(in->now)), NULL, err)
	               && kb_db_notify(conn, KB_TOPIC_AGENT, in->agent_id, err)));
}

bool kb_store_segment_damaged(struct kb_store *store, int64_t agent_id, int64_t segment_id,
                              struct kb_sv blob, struct kb_err *err)
{
	struct damaged in = { agent_id, segment_id, kb_store_now(store), blob };
	struct kb_err why;

	if (kb_db_write(store->db, damaged, &in, &why) || why.code == KB_E_NOT_FOUND)
		return true;
	if (err)
		*err = why;
	return false;
}

/* ---- leases ---- */

struct lease {
	struct kb_repair repair;
	int64_t now, until, node;
};

static bool lease(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct lease *in = arg;
	struct kb_db_rows rows;
	int64_t agent_id;

	in->repair = (struct kb_repair){ 0 };
	if (!kb_db_int(conn, &sql[NEXT], KB_VALUES(kb_int(in->now)), 0, &agent_id, err))
		return false;
	if (!agent_id)
		return true;
	kb_rows_open(
	        &rows, conn, &sql[TAKE],
	        KB_VALUES(kb_int(agent_id), kb_int(in->now), kb_int(in->until), kb_int(in->node)));
	while (kb_rows_next(&rows))
		in->repair = (struct kb_repair){
			.agent_id = agent_id,
			.epoch = kb_rows_int(&rows, 0),
			.attempts = kb_rows_int(&rows, 1),
		};
	return kb_rows_close(&rows, err);
}

bool kb_store_repair_lease(struct kb_store *store, int64_t lease_us, struct kb_repair *out,
                           struct kb_err *err)
{
	struct lease in = { .now = kb_store_now(store), .node = store->node };
	/* Mostly there is nothing: a reader finds that out without the writer. */
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	int64_t agent_id;
	bool ok;

	*out = (struct kb_repair){ 0 };
	if (!conn)
		return false;
	ok = kb_db_int(conn, &sql[NEXT], KB_VALUES(kb_int(in.now)), 0, &agent_id, err);
	kb_db_give(store->db, conn);
	if (!ok || !agent_id)
		return ok;
	in.until = in.now + lease_us;
	if (!kb_db_write(store->db, lease, &in, err))
		return false;
	*out = in.repair;
	return true;
}

static bool not_held(struct kb_err *err, int64_t agent_id)
{
	return kb_fail(err, KB_E_CONFLICT, "the repair of agent %" PRId64 " is somebody else's",
	               agent_id);
}

static bool renew(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct lease *in = arg;
	int64_t changed;

	return kb_db_run(conn, &sql[RENEW],
	                 KB_VALUES(kb_int(in->repair.agent_id), kb_int(in->repair.epoch),
	                           kb_int(in->until)),
	                 &changed, err)
	       && (changed || not_held(err, in->repair.agent_id));
}

bool kb_store_repair_renew(struct kb_store *store, const struct kb_repair *repair, int64_t lease_us,
                           struct kb_err *err)
{
	struct lease in = { *repair, .until = kb_store_now(store) + lease_us };

	return kb_db_write(store->db, renew, &in, err);
}

bool kb_repairs_void_leases(struct kb_store *store, int64_t me, struct kb_err *err)
{
	return kb_leases_void(store, &sql[VOID_LEASES], me, err);
}

/* ---- what there is ---- */

static bool read_pages(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                       struct kb_page_list *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[PAGES], KB_VALUES(kb_int(agent_id)));
	return kb_pages_read(&rows, arena, out, err);
}

bool kb_store_repair_read(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                          struct kb_index_state *state, struct kb_page_list *pages,
                          struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	bool ok;

	if (!conn)
		return false;
	ok = kb_index_state_read(conn, arena, agent_id, state, err)
	     && read_pages(conn, arena, agent_id, pages, err);
	kb_db_give(store->db, conn);
	return ok;
}

bool kb_store_repair_count(struct kb_store *store, int64_t *agents, struct kb_err *err)
{
	return kb_db_read_int(store->db, &sql[COUNT], KB_NO_VALUES, 0, agents, err);
}

bool kb_store_segment_places(struct kb_store *store, struct kb_arena *arena,
                             const struct kb_segment_place *after, size_t limit,
                             struct kb_segment_places *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_segment_places){ 0 };
	kb_rows_take(&rows, store->db, &sql[PLACES],
	             KB_VALUES(kb_int(after->agent_id), kb_int(after->segment_id),
	                       kb_int((int64_t)KB_MIN(limit, (size_t)INT32_MAX))));
	while (kb_rows_next(&rows)) {
		KB_ROOM(arena, out->v, out->count)
		[out->count] = (struct kb_segment_place){
			.agent_id = kb_rows_int(&rows, 0),
			.segment_id = kb_rows_int(&rows, 1),
			.blob = kb_rows_text(&rows, arena, 2),
			.is_damaged = kb_rows_int(&rows, 3) > 0,
		};
		out->count++;
	}
	return kb_rows_close(&rows, err);
}

/* ---- the commit point ---- */

struct finish {
	const struct kb_repair *repair;
	const struct kb_repaired *done;
	struct kb_arena *arena;
	int64_t now;
	struct kb_totals totals;
	bool changed; /* a page did */
};

/* Unless it was deleted or indexed anew meanwhile: then it is found by what is newer. */
static bool lose_page(struct kb_db_conn *conn, struct finish *in, const struct kb_page_lost *lost,
                      struct kb_err *err)
{
	int64_t agent_id = in->repair->agent_id, newer;
	struct kb_page_row row;

	if (!kb_page_load(conn, in->arena, agent_id, lost->page_id, &row, err)
	    || !kb_db_int(
	            conn, &sql[NEWER_DEAD],
	            KB_VALUES(kb_int(agent_id), kb_int(lost->page_id), kb_int(in->done->version)),
	            0, &newer, err))
		return false;
	if (!row.is_found || newer || !kb_sv_eq(row.page.text_blob, lost->text_blob))
		return true;
	in->changed = true;
	kb_totals_count(&in->totals, &row, -1);
	row.is_found = false;
	row.page.words = row.page.passages = 0;
	if (!kb_db_run(conn, &sql[UNFIND],
	               KB_VALUES(kb_int(agent_id), kb_int(row.page.id), kb_int(in->now)), NULL,
	               err))
		return false;
	/* One that is in the queue is read anew in any case. */
	if (row.state == KB_PAGE_DONE && lost->again) {
		if (!kb_page_queue(conn, &row, in->now, in->now, err))
			return false;
	} else if (row.state == KB_PAGE_DONE) {
		row.page.index = KB_STATUS_FAILED;
		if (!kb_db_run(conn, &sql[FAIL],
		               KB_VALUES(kb_int(agent_id), kb_int(row.page.id),
		                         kb_int(KB_STATUS_FAILED), kb_text(lost->reason)),
		               NULL, err))
			return false;
	}
	kb_totals_count(&in->totals, &row, 1);
	return true;
}

static bool replace(struct kb_db_conn *conn, struct finish *in, struct kb_err *err)
{
	const struct kb_repaired *done = in->done;
	int64_t agent_id = in->repair->agent_id;

	for (size_t i = 0; i < done->damaged_count; i++)
		if (!kb_segment_drop(conn, agent_id, done->damaged[i], err))
			return false;
	for (size_t i = 0; i < done->healed_count; i++)
		if (!kb_db_run(conn, &sql[HEAL],
		               KB_VALUES(kb_int(agent_id), kb_int(done->healed[i])), NULL, err))
			return false;
	for (size_t i = 0; i < done->segment_count; i++)
		if (!kb_segment_insert(
		            conn,
		            &(struct kb_segment_row_new){ .agent_id = agent_id,
		                                          .version = done->version,
		                                          .now = in->now,
		                                          .segment = &done->segments[i] },
		            NULL, err))
			return false;
	for (size_t i = 0; i < done->lost_count; i++)
		if (!lose_page(conn, in, &done->lost[i], err))
			return false;
	return kb_dead_sweep(conn, agent_id, err);
}

/* The repair is done, or goes on with what was found damaged since. */
static bool close_repair(struct kb_db_conn *conn, const struct finish *in, struct kb_err *err)
{
	int64_t agent_id = in->repair->agent_id, left;

	if (!kb_db_int(conn, &sql[LEFT], KB_VALUES(kb_int(agent_id)), 0, &left, err))
		return false;
	return left ? kb_db_run(conn, &sql[AGAIN], KB_VALUES(kb_int(agent_id), kb_int(in->now)),
	                        NULL, err)
	            : kb_db_run(conn, &sql[DONE], KB_VALUES(kb_int(agent_id)), NULL, err);
}

static bool finish(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct finish *in = arg;
	int64_t agent_id = in->repair->agent_id, version, held;

	in->totals = (struct kb_totals){ 0 }; /* it may be run again */
	in->changed = false;
	if (!kb_agent_lock(conn, agent_id, &version, err)
	    || !kb_db_int(conn, &sql[HELD], KB_VALUES(kb_int(agent_id), kb_int(in->repair->epoch)),
	                  0, &held, err))
		return false;
	if (!held)
		return not_held(err, agent_id);
	if (in->done->version > version)
		return kb_fail(err, KB_E_INVALID,
		               "the repair is of version %" PRId64 ", the index of %" PRId64,
		               in->done->version, version);
	return replace(conn, in, err) && close_repair(conn, in, err)
	       && (in->changed ? kb_agent_publish(conn, agent_id, version + 1, false, err)
	                       : kb_agent_raise(conn, agent_id, version + 1, err))
	       && kb_totals_add(conn, agent_id, &in->totals, err)
	       && kb_turn_settle(conn, agent_id, err);
}

bool kb_store_repair_finish(struct kb_store *store, const struct kb_repair *repair,
                            const struct kb_repaired *done, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct finish in = {
		.repair = repair, .done = done, .arena = &arena, .now = kb_store_now(store)
	};
	bool ok = kb_db_write(store->db, finish, &in, err);

	kb_arena_fini(&arena);
	return ok;
}
