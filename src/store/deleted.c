#include "store/deleted_own.h"

#include "store/lists.h"
#include "store/publish.h"
#include "store/store_own.h"

enum { IS_ANSWER, PARTS, KEEP, KEEP_LABELS, LIST, COUNT, ROWS, DROP_LABELS, DROP, OVERDUE };
#define WHOLE KB_NAMES(KB_PAGES_WHOLE)
// clang-format off
static const struct kb_sql sql[] = {
	[IS_ANSWER] = { "deleted_is_answer", "ii",
		"SELECT count(*) FROM verified_answers WHERE agent_id = $1 AND page_id = $2" },
	[PARTS] = { "deleted_parts", "ii",
		"SELECT id FROM pages WHERE agent_id = $1 AND parent_id = $2 AND parent_id <> 0" },
	[KEEP] = { "deleted_keep", "iiiii",
		"INSERT INTO deleted_pages (" WHOLE ", root_id, deleted_at, gone_at, cited) "
		"SELECT " WHOLE ", $3, $4, $5, coalesce((SELECT c.cited FROM cited_pages c "
		"WHERE c.agent_id = $1 AND c.page_id = $2), 0) FROM pages WHERE agent_id = $1 AND id = $2" },
	[KEEP_LABELS] = { "deleted_keep_labels", "ii",
		"INSERT INTO deleted_labels (agent_id, page_id, label_id) "
		"SELECT agent_id, page_id, label_id FROM page_labels WHERE agent_id = $1 AND page_id IN "
		"(SELECT id FROM deleted_pages WHERE agent_id = $1 AND root_id = $2)" },
	[LIST] = { "deleted_list", "iiii",
		"SELECT " KB_NAMES(KB_PAGES) ", deleted_at, gone_at, (SELECT count(*) - 1 FROM deleted_pages p "
		"WHERE p.agent_id = $1 AND p.root_id = deleted_pages.id) FROM deleted_pages "
		"WHERE agent_id = $1 AND id = root_id AND gone_at > $2 "
		"ORDER BY deleted_at DESC, id DESC LIMIT $3 OFFSET $4" },
	[COUNT] = { "deleted_count", "ii",
		"SELECT count(*) FROM deleted_pages WHERE agent_id = $1 AND id = root_id AND gone_at > $2" },
	[ROWS] = { "deleted_rows", "iii",
		"SELECT " KB_NAMES(KB_PAGES) ", cited FROM deleted_pages "
		"WHERE agent_id = $1 AND root_id = $2 AND gone_at > $3 ORDER BY id" },
	[DROP_LABELS] = { "deleted_drop_labels", "ii",
		"DELETE FROM deleted_labels WHERE agent_id = $1 AND page_id IN "
		"(SELECT id FROM deleted_pages WHERE agent_id = $1 AND root_id = $2)" },
	[DROP] = { "deleted_drop", "ii", "DELETE FROM deleted_pages WHERE agent_id = $1 AND root_id = $2" },
	[OVERDUE] = { "deleted_overdue", "i",
		"SELECT agent_id, root_id FROM deleted_pages WHERE gone_at <= $1 ORDER BY gone_at LIMIT 1" },
};
// clang-format on
const struct kb_sql_table kb_sql_deleted = { "deleted", sql, KB_COUNTOF(sql) };

bool kb_deleted_missing(struct kb_err *err, int64_t id)
{
	return kb_fail(err, KB_E_NOT_FOUND, "Deleted page with id %" PRId64 " not found", id);
}

/* ---- inside a write ---- */

struct ids {
	struct kb_arena arena;
	int64_t *v;
	size_t count;
};

static void add_id(struct ids *ids, int64_t id)
{
	KB_ROOM(&ids->arena, ids->v, ids->count)[ids->count] = id;
	ids->count++;
}

static bool add_parts(struct kb_db_conn *conn, int64_t agent_id, int64_t id, struct ids *ids,
                      struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[PARTS], KB_VALUES(kb_int(agent_id), kb_int(id)));
	while (kb_rows_next(&rows))
		add_id(ids, kb_rows_int(&rows, 0));
	return kb_rows_close(&rows, err);
}

/* The page, and behind it what is inside it, however deep. */
static bool keep_rows(struct kb_db_conn *conn, const struct kb_deleted_keep *keep,
                      struct kb_err *err)
{
	struct ids ids = { 0 };
	bool ok = true;

	add_id(&ids, keep->id);
	for (size_t i = 0; ok && i < ids.count; i++)
		ok = add_parts(conn, keep->agent_id, ids.v[i], &ids, err)
		     && kb_db_run(conn, &sql[KEEP],
		                  KB_VALUES(kb_int(keep->agent_id), kb_int(ids.v[i]),
		                            kb_int(keep->id), kb_int(keep->now),
		                            kb_int(keep->gone_at)),
		                  NULL, err);
	kb_arena_fini(&ids.arena);
	return ok;
}

bool kb_deleted_keep(struct kb_db_conn *conn, const struct kb_deleted_keep *keep,
                     struct kb_err *err)
{
	const struct kb_db_values page = KB_VALUES(kb_int(keep->agent_id), kb_int(keep->id));
	int64_t is_answer;

	if (keep->gone_at <= keep->now)
		return true;
	return kb_db_int(conn, &sql[IS_ANSWER], page, 0, &is_answer, err)
	       && (is_answer
	           || (keep_rows(conn, keep, err)
	               && kb_db_run(conn, &sql[KEEP_LABELS], page, NULL, err)));
}

bool kb_deleted_read(struct kb_db_conn *conn, struct kb_arena *arena,
                     const struct kb_deleted_keep *what, struct kb_deleted_rows *out,
                     struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_deleted_rows){ 0 };
	kb_rows_open(&rows, conn, &sql[ROWS],
	             KB_VALUES(kb_int(what->agent_id), kb_int(what->id), kb_int(what->now)));
	while (kb_rows_next(&rows)) {
		kb_page_read(&rows, arena, &KB_ROOM(arena, out->v, out->count)[out->count]);
		KB_ROOM(arena, out->cited, out->count)
		[out->count] = kb_rows_int(&rows, (int)kb_page_read_columns());
		out->count++;
	}
	return kb_rows_close(&rows, err);
}

bool kb_deleted_drop(struct kb_db_conn *conn, int64_t agent_id, int64_t id, bool *found,
                     struct kb_err *err)
{
	const struct kb_db_values page = KB_VALUES(kb_int(agent_id), kb_int(id));
	int64_t changed = 0;

	if (!kb_db_run(conn, &sql[DROP_LABELS], page, NULL, err)
	    || !kb_db_run(conn, &sql[DROP], page, &changed, err))
		return false;
	*found = changed > 0;
	return true;
}

bool kb_deleted_overdue(struct kb_db_conn *conn, int64_t now, int64_t *agent_id, int64_t *id,
                        struct kb_err *err)
{
	struct kb_db_rows rows;

	*agent_id = *id = 0;
	kb_rows_open(&rows, conn, &sql[OVERDUE], KB_VALUES(kb_int(now)));
	while (kb_rows_next(&rows)) {
		*agent_id = kb_rows_int(&rows, 0);
		*id = kb_rows_int(&rows, 1);
	}
	return kb_rows_close(&rows, err);
}

/* ---- for owners ---- */

static bool list(struct kb_db_conn *conn, struct kb_arena *arena, struct kb_db_values values,
                 struct kb_deleted_list *out, struct kb_err *err)
{
	int at = (int)kb_page_read_columns();
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[LIST], values);
	while (kb_rows_next(&rows)) {
		struct kb_page_row row;

		kb_page_read(&rows, arena, &row);
		KB_ROOM(arena, out->v, out->count)
		[out->count] = (struct kb_deleted){
			.page = row.page,
			.deleted_at = kb_rows_int(&rows, at),
			.gone_at = kb_rows_int(&rows, at + 1),
			.parts = kb_rows_int(&rows, at + 2),
		};
		out->count++;
	}
	return kb_rows_close(&rows, err);
}

bool kb_store_deleted_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                           const struct kb_list *of, struct kb_deleted_list *out,
                           struct kb_err *err)
{
	int64_t now = kb_store_now(store);
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	bool ok;

	*out = (struct kb_deleted_list){ 0 };
	if (!conn)
		return false;
	ok = list(conn, arena,
	          KB_VALUES(kb_int(agent_id), kb_int(now), kb_int(kb_list_limit(of)),
	                    kb_int(kb_list_offset(of))),
	          out, err)
	     && kb_db_int(conn, &sql[COUNT], KB_VALUES(kb_int(agent_id), kb_int(now)), 0,
	                  &out->total, err);
	kb_db_give(store->db, conn);
	return ok;
}

bool kb_store_deleted_pages(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                            int64_t id, struct kb_page_list *out, struct kb_err *err)
{
	const struct kb_deleted_keep what = { .agent_id = agent_id,
		                              .id = id,
		                              .now = kb_store_now(store) };
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	struct kb_deleted_rows rows;
	bool ok;

	*out = (struct kb_page_list){ 0 };
	if (!conn)
		return false;
	ok = kb_deleted_read(conn, arena, &what, &rows, err)
	     && (rows.count || kb_deleted_missing(err, id));
	kb_db_give(store->db, conn);
	if (!ok)
		return false;
	out->v = KB_NEW_ARRAY(arena, rows.count, struct kb_page);
	for (; out->count < rows.count; out->count++)
		out->v[out->count] = rows.v[out->count].page;
	return true;
}

struct forget {
	int64_t agent_id, id;
};

static bool forget(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct forget *in = arg;
	int64_t version;
	bool found;

	return kb_agent_lock(conn, in->agent_id, &version, err)
	       && kb_deleted_drop(conn, in->agent_id, in->id, &found, err)
	       && (found || kb_deleted_missing(err, in->id));
}

bool kb_store_deleted_forget(struct kb_store *store, int64_t agent_id, int64_t id,
                             struct kb_err *err)
{
	return kb_db_write(store->db, forget, &(struct forget){ agent_id, id }, err);
}
