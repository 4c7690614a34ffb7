#include "store/blobs.h"

#include "store/lists.h"
#include "store/segments_own.h"
#include "store/store_own.h"

/* A put of what was put within this time is not noted again: the sweep lets it be for a day. */
#define FRESH_US (3600 * KB_SECOND_US)

static_assert(KB_BLOB_HERE == 0 && KB_BLOB_GOING == 2, "the numbers in the statements");

enum { FIND, ADD, RENEW, PAGE, AFTER, TURN, STEP, GONE };
// clang-format off
static const struct kb_sql sql[] = {
	[FIND] = { "blob_find", "ti", "SELECT count(*) FROM blobs WHERE name = $1 AND state = 0 AND at > $2" },
	[ADD] = { "blob_add", "tiii",
		"INSERT INTO blobs (name, state, at, bytes, made) VALUES ($1, 0, $2, $3, $4) "
		"ON CONFLICT (name) DO NOTHING" },
	[RENEW] = { "blob_renew", "tii",
		"UPDATE blobs SET state = 0, at = $2 WHERE name = $1 AND (state <> 2 OR at < $3)" },
	[PAGE] = { "blob_page", "ti",
		"SELECT name, state, at, made FROM blobs WHERE name > $1 ORDER BY name LIMIT $2" },
	[AFTER] = { "blob_after", "", "SELECT after FROM blob_sweep WHERE id = 1" },
	[TURN] = { "blob_turn", "t",
		"INSERT INTO blob_sweep (id, after) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET after = $1" },
	[STEP] = { "blob_step", "tiiii",
		"UPDATE blobs SET state = $4, at = $5 WHERE name = $1 AND state = $2 AND at = $3" },
	[GONE] = { "blob_gone", "ti", "DELETE FROM blobs WHERE name = $1 AND state = 2 AND at = $2" },
};
// clang-format on
const struct kb_sql_table kb_sql_blobs = { "blobs", sql, KB_COUNTOF(sql) };

/* ---- puts ---- */

struct note {
	const struct kb_blob_note *v;
	size_t count;
	int64_t now;
	bool known;
};

static bool add(struct kb_db_conn *conn, const struct kb_blob_note *v, int64_t now, bool *added,
                struct kb_err *err)
{
	int64_t changed;

	if (!kb_db_run(conn, &sql[ADD],
	               KB_VALUES(kb_text(v->name), kb_int(now), kb_int(v->bytes), kb_int(v->made)),
	               &changed, err))
		return false;
	*added = changed > 0;
	return true;
}

static bool note(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct note *in = arg;
	int64_t changed;
	bool added;

	if (!add(conn, in->v, in->now, &added, err))
		return false;
	in->known = !added;
	if (added)
		return true;
	return kb_db_run(conn, &sql[RENEW],
	                 KB_VALUES(kb_text(in->v->name), kb_int(in->now),
	                           kb_int(in->now - KB_BLOB_GOING_US)),
	                 &changed, err)
	       && (changed > 0
	           || kb_fail(err, KB_E_BUSY,
	                      "this content is being removed right now; it can be stored again in "
	                      "a moment"));
}

bool kb_store_blob_note(struct kb_store *store, const struct kb_blob_note *v, bool *known,
                        struct kb_err *err)
{
	struct note in = { .v = v, .now = kb_store_now(store) };
	int64_t fresh;

	*known = true;
	if (!kb_db_read_int(store->db, &sql[FIND],
	                    KB_VALUES(kb_text(v->name), kb_int(in.now - FRESH_US)), 0, &fresh, err))
		return false;
	if (fresh)
		return true;
	if (!kb_db_write_alone(store->db, note, &in, err))
		return false;
	*known = in.known;
	return true;
}

static bool enter(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct note *in = arg;
	bool added;

	for (size_t i = 0; i < in->count; i++)
		if (!add(conn, &in->v[i], in->now, &added, err))
			return false;
	return true;
}

bool kb_store_blobs_enter(struct kb_store *store, const struct kb_blob_note *notes, size_t count,
                          struct kb_err *err)
{
	enum { AT_ONCE = 500 };

	for (size_t i = 0; i < count; i += AT_ONCE) {
		struct note in = { .v = notes + i,
			           .count = KB_MIN(count - i, (size_t)AT_ONCE),
			           .now = kb_store_now(store) };

		if (!kb_db_write_alone(store->db, enter, &in, err))
			return false;
	}
	return true;
}

/* ---- the sweep ---- */

static bool read_rows(struct kb_db_conn *conn, struct kb_arena *arena, struct kb_sv after,
                      size_t max, struct kb_blob_page *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[PAGE], KB_VALUES(kb_text(after), kb_int((int64_t)max)));
	while (kb_rows_next(&rows)) {
		KB_ROOM(arena, out->rows, out->count)
		[out->count] = (struct kb_blob_row){
			.name = kb_rows_text(&rows, arena, 0),
			.state = (enum kb_blob_state)kb_rows_int(&rows, 1),
			.at = kb_rows_int(&rows, 2),
			.made = kb_rows_bool(&rows, 3),
		};
		out->count++;
	}
	return kb_rows_close(&rows, err);
}

static bool read_after(struct kb_db_conn *conn, struct kb_arena *arena, struct kb_sv *out,
                       struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = KB_SV("");
	kb_rows_open(&rows, conn, &sql[AFTER], KB_NO_VALUES);
	while (kb_rows_next(&rows))
		*out = kb_rows_text(&rows, arena, 0);
	return kb_rows_close(&rows, err);
}

bool kb_store_blobs_page(struct kb_store *store, struct kb_arena *arena, size_t max,
                         struct kb_blob_page *out, struct kb_err *err)
{
	/* Rows and names of one moment. */
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	struct kb_blob_names named = { 0 };
	struct kb_sv after;
	bool ok;

	*out = (struct kb_blob_page){ .now = kb_store_now(store) };
	if (!conn)
		return false;
	ok = read_after(conn, arena, &after, err) && read_rows(conn, arena, after, max, out, err);
	if (ok && out->count == max)
		out->after = out->rows[out->count - 1].name;
	ok = ok
	     && kb_blob_names(conn, arena, after,
	                      out->after.n ? out->after : KB_SV(KB_BLOB_NAMES_END), &named, err);
	out->named = named.v;
	out->named_count = named.count;
	out->in_flux = named.in_flux;
	kb_db_give(store->db, conn);
	return ok;
}

static bool turn(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct kb_sv *after = arg;

	return kb_db_run(conn, &sql[TURN], KB_VALUES(kb_text(*after)), NULL, err);
}

bool kb_store_blobs_turn(struct kb_store *store, struct kb_sv after, struct kb_err *err)
{
	return kb_db_write_alone(store->db, turn, &after, err);
}

struct steps {
	struct kb_blob_step *v;
	size_t count;
};

static bool step(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct steps *in = arg;

	for (size_t i = 0; i < in->count; i++) {
		struct kb_blob_step *one = &in->v[i];
		int64_t changed;

		if (!kb_db_run(conn, &sql[STEP],
		               KB_VALUES(kb_text(one->from->name), kb_int(one->from->state),
		                         kb_int(one->from->at), kb_int(one->to), kb_int(one->at)),
		               &changed, err))
			return false;
		one->done = changed > 0;
	}
	return true;
}

bool kb_store_blobs_step(struct kb_store *store, struct kb_blob_step *steps, size_t count,
                         struct kb_err *err)
{
	enum { AT_ONCE = 500 };

	for (size_t i = 0; i < count; i += AT_ONCE) {
		struct steps in = { steps + i, KB_MIN(count - i, (size_t)AT_ONCE) };

		if (!kb_db_write_alone(store->db, step, &in, err))
			return false;
	}
	return true;
}

struct gone {
	struct kb_sv name;
	int64_t at;
};

static bool gone(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct gone *in = arg;

	return kb_db_run(conn, &sql[GONE], KB_VALUES(kb_text(in->name), kb_int(in->at)), NULL, err);
}

bool kb_store_blob_gone(struct kb_store *store, struct kb_sv name, int64_t at, struct kb_err *err)
{
	return kb_db_write_alone(store->db, gone, &(struct gone){ name, at }, err);
}
