#include "store/takeback.h"

#include "store/deleted_own.h"
#include "store/paths.h"
#include "store/segments_own.h"
#include "store/store_own.h"

enum { HAS_SOURCE, HAS_PART, PUT, PUT_LABELS, WAIT, CITED, LEANT_ON };
#define WHOLE KB_NAMES(KB_PAGES_WHOLE)
// clang-format off
static const struct kb_sql sql[] = {
	[HAS_SOURCE] = { "takeback_has_source", "ii",
		"SELECT count(*) FROM sources WHERE agent_id = $1 AND id = $2 AND dead_version = 0" },
	[HAS_PART] = { "takeback_has_part", "iit",
		"SELECT count(*) FROM pages WHERE agent_id = $1 AND parent_id = $2 AND parent_id <> 0 AND path = $3" },
	[PUT] = { "takeback_put", "ii",
		"INSERT INTO pages (" WHOLE ") SELECT " WHOLE " FROM deleted_pages WHERE agent_id = $1 AND root_id = $2" },
	[PUT_LABELS] = { "takeback_put_labels", "ii",
		"INSERT INTO page_labels (agent_id, page_id, label_id) "
		"SELECT agent_id, page_id, label_id FROM deleted_labels WHERE agent_id = $1 AND page_id IN "
		"(SELECT id FROM deleted_pages WHERE agent_id = $1 AND root_id = $2)" },
	/* Whoever had it leased has not any more. */
	[WAIT] = { "takeback_wait", "iii",
		"UPDATE pages SET state = " KB_SQL(PAGE_QUEUED) ", due_at = $3, attempts = 0, lease_node = 0, "
		"lease_epoch = lease_epoch + 1 WHERE agent_id = $1 AND id = $2" },
	[CITED] = { "takeback_cited", "iii",
		"INSERT INTO cited_pages (agent_id, page_id, cited) VALUES ($1, $2, $3) "
		"ON CONFLICT (agent_id, page_id) DO UPDATE SET cited = cited_pages.cited + $3" },
	[LEANT_ON] = { "takeback_leant_on", "ii",
		"UPDATE verified_cites SET gone = 0 WHERE agent_id = $1 AND cited_id = $2" },
};
// clang-format on
const struct kb_sql_table kb_sql_takeback = { "takeback", sql, KB_COUNTOF(sql) };

struct back {
	const struct kb_takeback *what;
	struct kb_arena *arena;
	int64_t now, version;
	struct kb_totals totals;
	bool is_found;
};

/* ---- whether there is a place for it ---- */

static bool has_source(struct kb_db_conn *conn, const struct kb_page *page, struct kb_err *err)
{
	int64_t count;

	return kb_db_int(conn, &sql[HAS_SOURCE],
	                 KB_VALUES(kb_int(page->agent_id), kb_int(page->source_id)), 0, &count, err)
	       && (count
	           || kb_fail(err, KB_E_CONFLICT, "the source of document %" PRId64 " was deleted",
	                      page->id));
}

static bool has_container(struct kb_db_conn *conn, struct back *in, const struct kb_page *page,
                          struct kb_err *err)
{
	struct kb_page_row container = { 0 };
	int64_t count;

	return kb_page_load(conn, in->arena, page->agent_id, page->parent_id, &container, err)
	       && (container.page.id
	           || kb_fail(err, KB_E_CONFLICT,
	                      "document %" PRId64 ", which document %" PRId64
	                      " is a part of, was deleted",
	                      page->parent_id, page->id))
	       && kb_db_int(conn, &sql[HAS_PART],
	                    KB_VALUES(kb_int(page->agent_id), kb_int(page->parent_id),
	                              kb_text(page->path)),
	                    0, &count, err)
	       && (!page->path.n || !count
	           || kb_fail(err, KB_E_CONFLICT,
	                      "document %" PRId64 " was found in document %" PRId64 " again",
	                      page->id, page->parent_id));
}

static bool has_path(struct kb_db_conn *conn, const struct kb_page *page, struct kb_err *err)
{
	int64_t there;

	return !page->path.n
	       || (kb_page_at_path(conn, page->agent_id, page->path, &there, err)
	           && (there == 0
	               || kb_fail(err, KB_E_CONFLICT,
	                          "document %" PRId64 " is at the path %.*s now", there,
	                          KB_SV_ARG(page->path))));
}

static bool has_address(struct kb_db_conn *conn, const struct kb_page *page, struct kb_err *err)
{
	int64_t count = 0;

	return !page->url.n
	       || (kb_page_has_url(conn, page->agent_id, page->url, &count, err)
	           && (!count
	               || kb_fail(err, KB_E_CONFLICT,
	                          "the agent has a document of that address again")));
}

static bool has_place(struct kb_db_conn *conn, struct back *in, const struct kb_deleted_rows *rows,
                      struct kb_err *err)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct kb_page *page = &rows->v[i].page;
		bool is_root = page->id == in->what->id;

		if (!has_source(conn, page, err) || !has_address(conn, page, err))
			return false;
		if (is_root
		    && !(page->parent_id ? has_container(conn, in, page, err)
		                         : has_path(conn, page, err)))
			return false;
	}
	return true;
}

/* ---- taking it back ---- */

/* One that another stood for may be alone now: its address is read again. */
static bool set_waiting(struct kb_db_conn *conn, struct back *in, struct kb_page_row *row,
                        struct kb_err *err)
{
	if (row->state != KB_PAGE_DONE)
		return kb_db_run(conn, &sql[WAIT],
		                 KB_VALUES(kb_int(row->page.agent_id), kb_int(row->page.id),
		                           kb_int(in->now)),
		                 NULL, err);
	return !row->page.copy_of.n || kb_page_queue(conn, row, in->now, in->now, err);
}

static bool put_row(struct kb_db_conn *conn, struct back *in, struct kb_page_row *row,
                    int64_t cited, struct kb_err *err)
{
	int64_t agent_id = row->page.agent_id, id = row->page.id;

	if (!set_waiting(conn, in, row, err)
	    || (cited
	        && !kb_db_run(conn, &sql[CITED],
	                      KB_VALUES(kb_int(agent_id), kb_int(id), kb_int(cited)), NULL, err))
	    || !kb_db_run(conn, &sql[LEANT_ON], KB_VALUES(kb_int(agent_id), kb_int(id)), NULL, err))
		return false;
	in->is_found |= row->is_found;
	kb_totals_count(&in->totals, row, 1);
	return true;
}

static bool put(struct kb_db_conn *conn, struct back *in, const struct kb_deleted_rows *rows,
                struct kb_err *err)
{
	const struct kb_db_values what =
	        KB_VALUES(kb_int(in->what->agent_id), kb_int(in->what->id));
	bool found;

	if (!kb_db_run(conn, &sql[PUT], what, NULL, err)
	    || !kb_db_run(conn, &sql[PUT_LABELS], what, NULL, err))
		return false;
	for (size_t i = 0; i < rows->count; i++)
		if (!put_row(conn, in, &rows->v[i], rows->cited[i], err))
			return false;
	for (size_t i = 0; i < in->what->segment_count; i++)
		if (!kb_segment_insert(
		            conn,
		            &(struct kb_segment_row_new){ .agent_id = in->what->agent_id,
		                                          .version = in->version + 1,
		                                          .now = in->now,
		                                          .segment = &in->what->segments[i] },
		            NULL, err))
			return false;
	return kb_deleted_drop(conn, in->what->agent_id, in->what->id, &found, err);
}

static bool take_back(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct back *in = arg;
	const struct kb_deleted_keep what = { .agent_id = in->what->agent_id,
		                              .id = in->what->id,
		                              .now = in->now };
	struct kb_deleted_rows rows;

	in->totals = (struct kb_totals){ 0 }; /* it may be run again */
	in->is_found = false;
	return kb_agent_lock(conn, what.agent_id, &in->version, err)
	       && kb_deleted_read(conn, in->arena, &what, &rows, err)
	       && (rows.count || kb_deleted_missing(err, what.id))
	       && has_place(conn, in, &rows, err) && put(conn, in, &rows, err)
	       && kb_agent_publish(conn, what.agent_id, in->version + 1, in->is_found, err)
	       && kb_totals_add(conn, what.agent_id, &in->totals, err)
	       && kb_turn_settle(conn, what.agent_id, err);
}

bool kb_store_page_take_back(struct kb_store *store, const struct kb_takeback *back,
                             struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct back in = { .what = back, .arena = &arena, .now = kb_store_now(store) };
	bool ok = kb_db_write(store->db, take_back, &in, err);

	kb_arena_fini(&arena);
	return ok;
}
