#include "store/views.h"

#include "store/days.h"
#include "store/store_own.h"

enum { FIND, USED, PUT, FORGET };
// clang-format off
static const struct kb_sql sql[] = {
	[FIND] = { "view_find", "tii",
		"SELECT blob, width, height, used_on FROM page_views "
		"WHERE source = $1 AND page_no = $2 AND kind = $3" },
	[USED] = { "view_used", "tiii",
		"UPDATE page_views SET used_on = $4 WHERE source = $1 AND page_no = $2 AND kind = $3" },
	[PUT] = { "view_put", "tiitiii",
		"INSERT INTO page_views (source, page_no, kind, blob, width, height, used_on) "
		"VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (source, page_no, kind) "
		"DO UPDATE SET blob = excluded.blob, width = excluded.width, height = excluded.height, "
		"used_on = excluded.used_on" },
	[FORGET] = { "view_forget", "i",
		"DELETE FROM page_views WHERE used_on < $1 "
		"OR source NOT IN (SELECT blob FROM pages WHERE blob <> '')" },
};
// clang-format on
const struct kb_sql_table kb_sql_views = { "views", sql, KB_COUNTOF(sql) };

struct found {
	struct kb_arena *arena;
	struct kb_view_row *row;
};

static void read_row(struct kb_db_rows *rows, void *arg)
{
	const struct found *found = arg;
	struct kb_view_row *row = found->row;

	row->blob = kb_rows_text(rows, found->arena, 0);
	row->width = kb_rows_int(rows, 1);
	row->height = kb_rows_int(rows, 2);
}

bool kb_store_view_find(struct kb_store *store, struct kb_arena *arena, struct kb_view_row *row,
                        struct kb_err *err)
{
	struct found in = { arena, row };
	const struct kb_days_look look = {
		.find = &sql[FIND],
		.used = &sql[USED],
		.key = KB_VALUES(kb_text(row->source), kb_int(row->page_no), kb_int(row->kind)),
		.day_at = 3,
		.read = read_row,
		.arg = &in
	};
	bool found;

	return kb_days_find(store, &look, &found, err)
	       && (found
	           || kb_fail(err, KB_E_NOT_FOUND, "page %" PRId64 " was not looked at yet",
	                      row->page_no));
}

struct putting {
	const struct kb_view_row *row;
	int64_t day;
};

static bool put(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct putting *in = arg;
	const struct kb_view_row *row = in->row;

	return kb_db_run(conn, &sql[PUT],
	                 KB_VALUES(kb_text(row->source), kb_int(row->page_no), kb_int(row->kind),
	                           kb_text(row->blob), kb_int(row->width), kb_int(row->height),
	                           kb_int(in->day)),
	                 NULL, err);
}

bool kb_store_view_put(struct kb_store *store, const struct kb_view_row *row, struct kb_err *err)
{
	return kb_db_write(store->db, put, &(struct putting){ row, kb_store_today(store) }, err);
}

bool kb_store_views_forget(struct kb_store *store, int64_t unused_days, int64_t *gone,
                           struct kb_err *err)
{
	return kb_days_forget(store, &sql[FORGET], unused_days, gone, err);
}
