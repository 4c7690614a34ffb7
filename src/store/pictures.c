#include "store/pictures.h"

#include "store/days.h"
#include "store/store_own.h"

enum { FIND, USED, PUT, FORGET };
// clang-format off
static const struct kb_sql sql[] = {
	[FIND] = { "picture_find", "it",
		"SELECT blob, type, fetched_at, used_on FROM web_pictures WHERE agent_id = $1 AND hash = $2" },
	[USED] = { "picture_used", "iti",
		"UPDATE web_pictures SET used_on = $3 WHERE agent_id = $1 AND hash = $2" },
	[PUT] = { "picture_put", "itttii",
		"INSERT INTO web_pictures (agent_id, hash, blob, type, fetched_at, used_on) "
		"VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (agent_id, hash) "
		"DO UPDATE SET blob = excluded.blob, type = excluded.type, "
		"fetched_at = excluded.fetched_at, used_on = excluded.used_on" },
	[FORGET] = { "picture_forget", "i", "DELETE FROM web_pictures WHERE used_on < $1" },
};
// clang-format on
const struct kb_sql_table kb_sql_pictures = { "pictures", sql, KB_COUNTOF(sql) };

struct found {
	struct kb_arena *arena;
	struct kb_picture_row *row;
};

static void read_row(struct kb_db_rows *rows, void *arg)
{
	const struct found *found = arg;
	struct kb_picture_row *row = found->row;

	row->blob = kb_rows_text(rows, found->arena, 0);
	row->type = kb_rows_text(rows, found->arena, 1);
	row->fetched_at = kb_rows_int(rows, 2);
}

bool kb_store_picture_find(struct kb_store *store, struct kb_arena *arena,
                           struct kb_picture_row *row, struct kb_err *err)
{
	struct found in = { arena, row };
	const struct kb_days_look look = { .find = &sql[FIND],
		                           .used = &sql[USED],
		                           .key = KB_VALUES(kb_int(row->agent_id),
		                                            kb_text(row->hash)),
		                           .day_at = 3,
		                           .read = read_row,
		                           .arg = &in };
	bool found;

	return kb_days_find(store, &look, &found, err)
	       && (found || kb_fail(err, KB_E_NOT_FOUND, "the picture was not looked at yet"));
}

struct putting {
	const struct kb_picture_row *row;
	int64_t day;
};

static bool put(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct putting *in = arg;
	const struct kb_picture_row *row = in->row;

	return kb_db_run(conn, &sql[PUT],
	                 KB_VALUES(kb_int(row->agent_id), kb_text(row->hash), kb_text(row->blob),
	                           kb_text(row->type), kb_int(row->fetched_at), kb_int(in->day)),
	                 NULL, err);
}

bool kb_store_picture_put(struct kb_store *store, struct kb_picture_row *row, struct kb_err *err)
{
	row->fetched_at = kb_store_now(store);
	return kb_db_write(store->db, put, &(struct putting){ row, kb_store_today(store) }, err);
}

bool kb_store_pictures_forget(struct kb_store *store, int64_t unused_days, int64_t *gone,
                              struct kb_err *err)
{
	return kb_days_forget(store, &sql[FORGET], unused_days, gone, err);
}
