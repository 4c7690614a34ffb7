/* An agent that comes from another installation: it begins, its rows are put, it is there. */
#include <stdlib.h>

#include "store/agents_own.h"
#include "store/arrival_own.h"
#include "store/leases.h"

enum {
	SLICE_ROWS_MIN = 20,
	SLICE_ROWS_FIRST = 100,
	SLICE_ROWS_MAX = 1000,
	WAKE_ROWS = 200,
	SLICE_US = 4000, /* of the writer's time, to aim at */
};
#define SPAN_MOST  (INT64_C(1) << 40)
#define AHEAD_MOST (INT64_C(1) << 32) /* so far a counter is put forward for ids to stay */

enum { HOLD, SHOW, WAKE, TOTALS, TAKE_SLUG, SHARE, EXPIRE };
// clang-format off
static const struct kb_sql sql[] = {
	[HOLD] = { "arrival_hold", "ii",
		"UPDATE agents SET gone_at = $2 WHERE id = $1 AND state > 0 AND state = " KB_SQL(AGENT_ARRIVING)
		" AND gone_at > 0" },
	[SHOW] = { "arrival_show", "i",
		"UPDATE agents SET state = " KB_SQL(AGENT_THERE) ", gone_at = 0 WHERE id = $1 AND state > 0 "
		"AND state = " KB_SQL(AGENT_ARRIVING) " AND gone_at > 0" },
	[WAKE] = { "arrival_wake", "iiiiii",
		"UPDATE pages SET due_at = $2 WHERE agent_id = $1 AND id IN (SELECT id FROM pages "
		"WHERE agent_id = $1 AND state > 0 AND to_fetch = $4 AND is_slow = $5 AND due_at = $3 "
		"ORDER BY due_at, id LIMIT $6)" },
	[TOTALS] = { "arrival_totals", "i",
		"INSERT INTO agent_totals (agent_id, pages_found, pages_crawled, pages_indexed, "
		"words_indexed, storage_bytes, crawl_credits, query_credits, queries) "
		"VALUES ($1, 0, 0, 0, 0, 0, 0, 0, 0) ON CONFLICT (agent_id) DO NOTHING" },
	[TAKE_SLUG] = { "arrival_take_slug", "ti",
		"INSERT INTO agent_slugs (slug, agent_id) VALUES ($1, $2) ON CONFLICT (slug) DO NOTHING" },
	[SHARE] = { "arrival_share", "iti",
		"UPDATE agents SET shareable_slug = $2, is_shared = $3 WHERE id = $1" },
	[EXPIRE] = { "arrival_expire", "ii",
		"UPDATE agents SET gone_at = $2 WHERE id = $1 AND state > 0 AND state = " KB_SQL(AGENT_ARRIVING)
		" AND gone_at > $2" },
};
// clang-format on
const struct kb_sql_table kb_sql_arrival = { "arrival", sql, KB_COUNTOF(sql) };

struct kb_arrival *kb_arrival_new(const struct kb_arrival_config *config, struct kb_err *err)
{
	struct kb_arrival *a = kb_xcalloc(1, sizeof(*a));

	a->config = *config;
	a->slice = SLICE_ROWS_FIRST;
	if (kb_move_tables(config->store, config->store, &config->store->move_statements, &a->known,
	                   err))
		return a;
	kb_arrival_free(a);
	return NULL;
}

void kb_arrival_free(struct kb_arrival *a)
{
	if (!a)
		return;
	kb_arena_fini(&a->arena);
	free(a);
}

static void set(const struct kb_coming_table *table, struct kb_db_value *row, const char *column,
                struct kb_db_value value)
{
	int at = kb_coming_column(table->told.columns, table->told.count, kb_sv_str(column));

	if (at != KB_NO_COLUMN)
		row[at] = value;
}

/* ---- beginning ---- */

/* Room for the ids from low to high: themselves where the counter has not come to them. */
static bool take(struct kb_db_conn *conn, const char *sequence, int64_t low, int64_t high,
                 int64_t *shift, struct kb_err *err)
{
	int64_t next, first, count = high - low + 1;

	*shift = 0;
	if (!high)
		return true;
	if (!conn->driver->sequence_at(conn, sequence, 0, &next, err))
		return false;
	if (next <= low && high - next < AHEAD_MOST)
		count = high - next + 1;
	if (!kb_db_next_id(conn, sequence, count, &first, err))
		return false;
	if (first > low || first + count <= high)
		*shift = first - low;
	return true;
}

static bool begin(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct kb_arrival *a = arg;
	const struct kb_coming_table *table = &a->tables[0];
	size_t count = table->told.count;
	struct kb_arena arena = { 0 };
	struct kb_db_value *row = KB_NEW_ARRAY(&arena, count, struct kb_db_value);
	int64_t now = kb_store_now(a->config.store), shift;
	bool ok = take(conn, "agent", a->from, a->from, &shift, err);

	for (size_t i = 0; ok && i < KB_PARCEL_IDS; i++)
		ok = take(conn, kb_parcel_sequences[i], a->ids[i].low, a->ids[i].high,
		          &a->ids[i].shift, err);
	a->agent_id = a->from + shift;
	a->table = &a->tables[0];
	for (size_t i = 0; i < count; i++)
		row[i] = kb_coming_value(a, &arena, a->own.values, i);
	set(table, row, "state", kb_int(KB_AGENT_ARRIVING));
	set(table, row, "gone_at", kb_int(now + KB_ARRIVAL_US));
	set(table, row, "shareable_slug", kb_nullable((struct kb_sv){ 0 }));
	set(table, row, "is_shared", kb_int(0));
	ok = ok && kb_db_run(conn, table->insert, (struct kb_db_values){ row, count }, NULL, err);
	kb_arena_fini(&arena);
	return ok;
}

bool kb_arrival_begin(struct kb_arrival *a, int64_t account_id, struct kb_err *err)
{
	bool ok;

	if (!a->own.values)
		return kb_fail(err, KB_E_CORRUPT, "it holds no agent");
	if (kb_coming_column(a->tables[0].told.columns, a->tables[0].told.count, KB_SV("state"))
	            == KB_NO_COLUMN
	    || kb_coming_column(a->tables[0].told.columns, a->tables[0].told.count,
	                        KB_SV("gone_at"))
	               == KB_NO_COLUMN)
		return kb_fail(err, KB_E_CORRUPT, "its agent has no state");
	for (size_t i = 0; i < KB_PARCEL_IDS; i++)
		if (a->ids[i].high - a->ids[i].low > SPAN_MOST)
			return kb_fail(err, KB_E_CORRUPT, "its ids of a %s are too far apart",
			               kb_parcel_sequences[i]);
	a->account_id = account_id;
	ok = kb_db_write(a->config.store->db, begin, a, err);
	if (!ok)
		a->agent_id = 0;
	return ok;
}

/* ---- putting ---- */

static bool hold(struct kb_db_conn *conn, const struct kb_arrival *a, struct kb_err *err)
{
	int64_t held;

	return kb_db_run(conn, &sql[HOLD],
	                 KB_VALUES(kb_int(a->agent_id),
	                           kb_int(kb_store_now(a->config.store) + KB_ARRIVAL_US)),
	                 &held, err)
	       && (held
	           || kb_fail(err, KB_E_CONFLICT,
	                      "what had come of it was removed meanwhile: import it again"));
}

static bool hold_alone(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	return hold(conn, arg, err);
}

bool kb_arrival_hold(struct kb_arrival *a, struct kb_err *err)
{
	return kb_db_write(a->config.store->db, hold_alone, a, err);
}

struct slice {
	struct kb_arrival *arrival;
	const struct kb_db_value *values;
	size_t count;
	int64_t took_us;
};

static bool put_slice(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct slice *in = arg;
	const struct kb_coming_table *table = in->arrival->table;
	size_t columns = table->told.count;
	int64_t began = kb_clock_mono_us();

	if (!hold(conn, in->arrival, err))
		return false;
	for (size_t i = 0; i < in->count; i++)
		if (!kb_db_defer(conn, table->insert,
		                 (struct kb_db_values){ in->values + i * columns, columns }, err))
			return false;
	in->took_us = kb_clock_mono_us() - began;
	return true;
}

/* As many rows next time as take SLICE_US. */
static void fit_slice(struct kb_arrival *a, int64_t took_us)
{
	if (took_us > SLICE_US)
		a->slice = KB_MAX(a->slice / 2, (int64_t)SLICE_ROWS_MIN);
	else if (took_us < SLICE_US / 2)
		a->slice = KB_MIN(a->slice * 2, (int64_t)SLICE_ROWS_MAX);
}

bool kb_arrival_put(struct kb_arrival *a, const struct kb_parcel_rows *rows, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	size_t columns = a->table->told.count, total = rows->count * columns;
	struct kb_db_value *values;
	bool ok = true;

	if (a->table == &a->tables[0])
		return true; /* its own row is there */
	values = KB_NEW_ARRAY(&arena, total, struct kb_db_value);
	for (size_t i = 0; i < total; i++)
		values[i] = kb_coming_value(a, &arena, rows->values + i - i % columns, i % columns);
	for (size_t at = 0; ok && at < rows->count;) {
		struct slice slice = { a, values + at * columns,
			               KB_MIN((size_t)a->slice, rows->count - at), 0 };

		ok = kb_db_write(a->config.store->db, put_slice, &slice, err);
		fit_slice(a, slice.took_us);
		at += slice.count;
	}
	a->table->rows += ok ? (int64_t)rows->count : 0;
	kb_arena_fini(&arena);
	return ok;
}

/* ---- the end ---- */

struct end {
	struct kb_arrival *arrival;
	struct kb_arrived *out;
};

static bool share(struct kb_db_conn *conn, struct end *in, struct kb_err *err)
{
	const struct kb_arrival *a = in->arrival;
	int64_t taken;

	in->out->lost_address = false;
	if (!a->own.slug.p)
		return true;
	if (!kb_db_run(conn, &sql[TAKE_SLUG], KB_VALUES(kb_text(a->own.slug), kb_int(a->agent_id)),
	               &taken, err))
		return false;
	in->out->lost_address = !taken && a->own.is_shared;
	return !taken
	       || kb_db_run(conn, &sql[SHARE],
	                    KB_VALUES(kb_int(a->agent_id), kb_text(a->own.slug),
	                              kb_int(a->own.is_shared)),
	                    NULL, err);
}

static bool end(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct end *in = arg;
	struct kb_arrival *a = in->arrival;
	int64_t shown;

	return hold(conn, a, err)
	       && kb_db_run(conn, &sql[TOTALS], KB_VALUES(kb_int(a->agent_id)), NULL, err)
	       && share(conn, in, err)
	       && kb_db_run(conn, &sql[SHOW], KB_VALUES(kb_int(a->agent_id)), &shown, err)
	       && kb_turn_settle(conn, a->agent_id, err)
	       && kb_db_notify(conn, KB_TOPIC_AGENT, a->agent_id, err);
}

struct wake {
	const struct kb_arrival *arrival;
	bool to_fetch, is_slow; /* as the queue has them */
	int64_t woken;
};

static bool wake(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct wake *in = arg;

	return kb_db_run(conn, &sql[WAKE],
	                 KB_VALUES(kb_int(in->arrival->agent_id),
	                           kb_int(kb_store_now(in->arrival->config.store)),
	                           kb_int(KB_DUE_NEVER), kb_int(in->to_fetch), kb_int(in->is_slow),
	                           kb_int(WAKE_ROWS)),
	                 &in->woken, err);
}

/* The agent is there. What fails here is made good when the next server starts. */
static void wake_all(const struct kb_arrival *a)
{
	struct kb_err err;
	bool ok = true;

	for (int i = 0; ok && i < 4; i++) {
		struct wake some = { a, i & 1, i & 2, WAKE_ROWS };

		while (ok && some.woken == WAKE_ROWS)
			ok = kb_db_write_alone(a->config.store->db, wake, &some, &err);
	}
}

static int64_t rows_of(struct kb_arrival *a, const char *name)
{
	const struct kb_coming_table *table = kb_coming_find(a, kb_sv_str(name));

	return table ? table->rows : 0;
}

bool kb_arrival_end(struct kb_arrival *a, struct kb_arrived *out, struct kb_err *err)
{
	struct end in = { a, out };
	const struct kb_coming_table *own = &a->tables[0];
	int name = kb_coming_column(own->told.columns, own->told.count, KB_SV("name"));

	*out = (struct kb_arrived){ .agent_id = a->agent_id,
		                    .was = a->from,
		                    .name = name == KB_NO_COLUMN ? KB_SV("")
		                                                 : a->own.values[name].text,
		                    .pages = rows_of(a, "pages"),
		                    .answers = rows_of(a, "verified_answers"),
		                    .talks = rows_of(a, "conversations"),
		                    .labels = rows_of(a, "labels"),
		                    .sources = rows_of(a, "sources"),
		                    .lost_children = a->own.is_master };
	if (!kb_db_write(a->config.store->db, end, &in, err))
		return false;
	wake_all(a);
	return true;
}

int64_t kb_arrival_agent(const struct kb_arrival *a)
{
	return a->agent_id;
}

static bool expire(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct kb_arrival *a = arg;

	return kb_db_run(conn, &sql[EXPIRE],
	                 KB_VALUES(kb_int(a->agent_id), kb_int(kb_store_now(a->config.store))),
	                 NULL, err);
}

void kb_arrival_drop(struct kb_arrival *a)
{
	struct kb_err err;

	/* Where this fails it ends by itself. */
	if (a->agent_id)
		(void)!kb_db_write_alone(a->config.store->db, expire, a, &err);
}
