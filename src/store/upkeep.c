#include "store/upkeep.h"

#include <stdio.h>

#include "store/lists.h"
#include "store/store_own.h"

enum {
	INSTALLATION,
	INSTALLATION_ADD,
	INSTALLATION_SET,
	WORK_NOT_DUE,
	WORK_ADD,
	WORK_TAKE,
	WORK_DONE,
	STRAYS,
	STRAY_ADD,
	STRAY_DROP,
};
// clang-format off
static const struct kb_sql sql[] = {
	[INSTALLATION] = { "installation", "", "SELECT mark, bound FROM installation WHERE id = 1" },
	[INSTALLATION_ADD] = { "installation_add", "ti",
		"INSERT INTO installation (id, mark, bound) VALUES (1, $1, $2) "
		"ON CONFLICT (id) DO NOTHING" },
	[INSTALLATION_SET] = { "installation_set", "ti",
		"INSERT INTO installation (id, mark, bound) VALUES (1, $1, $2) "
		"ON CONFLICT (id) DO UPDATE SET mark = $1, bound = $2" },
	[WORK_NOT_DUE] = { "upkeep_not_due", "ti",
		"SELECT count(*) FROM upkeep WHERE kind = $1 AND due_at > $2" },
	[WORK_ADD] = { "upkeep_add", "ti",
		"INSERT INTO upkeep (kind, due_at, lease_epoch) VALUES ($1, $2, 0) "
		"ON CONFLICT (kind) DO NOTHING" },
	[WORK_TAKE] = { "upkeep_take", "tii",
		"UPDATE upkeep SET due_at = $3, lease_epoch = lease_epoch + 1 "
		"WHERE kind = $1 AND due_at <= $2 RETURNING lease_epoch" },
	[WORK_DONE] = { "upkeep_done", "tii",
		"UPDATE upkeep SET due_at = $3 WHERE kind = $1 AND lease_epoch = $2" },
	[STRAYS] = { "strays", "", "SELECT blob, since FROM strays ORDER BY blob" },
	[STRAY_ADD] = { "stray_add", "ti",
		"INSERT INTO strays (blob, since) VALUES ($1, $2) ON CONFLICT (blob) DO NOTHING" },
	[STRAY_DROP] = { "stray_drop", "t", "DELETE FROM strays WHERE blob = $1" },
};
// clang-format on
const struct kb_sql_table kb_sql_upkeep = { "upkeep", sql, KB_COUNTOF(sql) };

/* ---- the installation ---- */

static bool read_installation(struct kb_db_rows *rows, struct kb_installation *out,
                              struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	bool ok;

	*out = (struct kb_installation){ 0 };
	while (kb_rows_next(rows)) {
		snprintf(out->mark, sizeof(out->mark), "%s", kb_rows_text(rows, &arena, 0).p);
		out->bound = kb_rows_bool(rows, 1);
	}
	ok = kb_rows_close(rows, err);
	kb_arena_fini(&arena);
	return ok;
}

bool kb_store_installation(struct kb_store *store, struct kb_installation *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_take(&rows, store->db, &sql[INSTALLATION], KB_NO_VALUES);
	return read_installation(&rows, out, err);
}

static bool begin_installation(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct kb_installation *inout = arg;
	struct kb_db_rows rows;

	if (!kb_db_run(conn, &sql[INSTALLATION_ADD],
	               KB_VALUES(kb_text(kb_sv_str(inout->mark)), kb_int(inout->bound)), NULL, err))
		return false;
	kb_rows_open(&rows, conn, &sql[INSTALLATION], KB_NO_VALUES);
	return read_installation(&rows, inout, err);
}

bool kb_store_installation_begin(struct kb_store *store, struct kb_installation *inout,
                                 struct kb_err *err)
{
	return kb_db_write(store->db, begin_installation, inout, err);
}

static bool set_installation(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct kb_installation *in = arg;

	return kb_db_run(conn, &sql[INSTALLATION_SET],
	                 KB_VALUES(kb_text(kb_sv_str(in->mark)), kb_int(in->bound)), NULL, err);
}

bool kb_store_installation_set(struct kb_store *store, const struct kb_installation *installation,
                               struct kb_err *err)
{
	struct kb_installation in = *installation;

	return kb_db_write(store->db, set_installation, &in, err);
}

/* ---- turns ---- */

struct work {
	const char *kind;
	int64_t epoch, now, until;
};

static bool take(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct work *in = arg;
	struct kb_sv kind = kb_sv_str(in->kind);

	return kb_db_run(conn, &sql[WORK_ADD], KB_VALUES(kb_text(kind), kb_int(in->now)), NULL, err)
	       && kb_db_int(conn, &sql[WORK_TAKE],
	                    KB_VALUES(kb_text(kind), kb_int(in->now), kb_int(in->until)), 0,
	                    &in->epoch, err);
}

bool kb_store_upkeep_take(struct kb_store *store, const char *kind, int64_t lease_us,
                          int64_t *epoch, struct kb_err *err)
{
	int64_t now = kb_store_now(store), not_due;
	struct work in = { .kind = kind, .now = now, .until = now + lease_us };
	/* Mostly there is nothing: a reader finds that out without the writer. */
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	bool ok;

	*epoch = 0;
	if (!conn)
		return false;
	ok = kb_db_int(conn, &sql[WORK_NOT_DUE], KB_VALUES(kb_text(kb_sv_str(kind)), kb_int(now)),
	               0, &not_due, err);
	kb_db_give(store->db, conn);
	if (!ok || not_due)
		return ok;
	if (!kb_db_write(store->db, take, &in, err))
		return false;
	*epoch = in.epoch;
	return true;
}

static bool done(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct work *in = arg;

	return kb_db_run(
	        conn, &sql[WORK_DONE],
	        KB_VALUES(kb_text(kb_sv_str(in->kind)), kb_int(in->epoch), kb_int(in->until)), NULL,
	        err);
}

bool kb_store_upkeep_done(struct kb_store *store, const char *kind, int64_t epoch, int64_t pause_us,
                          struct kb_err *err)
{
	struct work in = { .kind = kind, .epoch = epoch, .until = kb_store_now(store) + pause_us };

	return kb_db_write(store->db, done, &in, err);
}

/* ---- strays ---- */

struct strays {
	const struct kb_sv *names;
	size_t count;
	int64_t *age_us, now;
	struct kb_sv *known; /* sorted */
	int64_t *since;
	size_t known_count;
};

static bool read_known(struct kb_store *store, struct kb_arena *arena, struct strays *in,
                       struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_take(&rows, store->db, &sql[STRAYS], KB_NO_VALUES);
	while (kb_rows_next(&rows)) {
		KB_ROOM(arena, in->known, in->known_count)
		[in->known_count] = kb_rows_text(&rows, arena, 0);
		KB_ROOM(arena, in->since, in->known_count)
		[in->known_count] = kb_rows_int(&rows, 1);
		in->known_count++;
	}
	return kb_rows_close(&rows, err);
}

/* Goes through both lists in their order. */
static bool note(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct strays *in = arg;
	size_t i = 0, k = 0, added = 0;

	while (i < in->count || k < in->known_count) {
		int order = i == in->count         ? 1
		            : k == in->known_count ? -1
		                                   : kb_sv_cmp(in->names[i], in->known[k]);

		if (order == 0) {
			in->age_us[i++] = KB_MAX(in->now - in->since[k], INT64_C(0));
			k++;
		} else if (order > 0) {
			if (!kb_db_run(conn, &sql[STRAY_DROP], KB_VALUES(kb_text(in->known[k])),
			               NULL, err))
				return false;
			k++;
		} else {
			in->age_us[i] = 0;
			if (added++ < KB_STRAYS_NEW
			    && !kb_db_run(conn, &sql[STRAY_ADD],
			                  KB_VALUES(kb_text(in->names[i]), kb_int(in->now)), NULL,
			                  err))
				return false;
			i++;
		}
	}
	return true;
}

bool kb_store_strays_note(struct kb_store *store, const struct kb_sv *names, size_t count,
                          int64_t *age_us, struct kb_err *err)
{
	struct strays in = {
		.names = names,
		.count = count,
		.age_us = age_us,
		.now = kb_store_now(store),
	};
	struct kb_arena arena = { 0 };
	bool ok = read_known(store, &arena, &in, err) && kb_db_write(store->db, note, &in, err);

	kb_arena_fini(&arena);
	return ok;
}
