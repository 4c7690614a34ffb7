/*
 * Pages that are changed: deleted, read again, described.
 *
 * Whoever changes a page holds its agent first: totals, turn and index version change with it, and
 * no batch commits in between. A page that could be found is not taken out of its segment; it is
 * dead there from the next version on, and the merge leaves it out.
 */
#include "store/pages.h"

#include "store/agents_own.h"
#include "store/cites.h"
#include "store/crawls_own.h"
#include "store/deleted_own.h"
#include "store/labels_own.h"
#include "store/pages_own.h"
#include "store/paths.h"
#include "store/segments_own.h"
#include "store/store_own.h"

enum { DELETE, REQUEUE, SWAP, METADATA, DROP_CITED };

/* What the owner says of it. */
#define METADATA_COLUMNS(FIRST, NEXT)                                                              \
	KB_PAGE_META(FIRST, NEXT) NEXT(t, title_key, title_key) KB_PAGE_CHANGED(NEXT, NEXT)
// clang-format off
static const struct kb_sql sql[] = {
	[DELETE] = { "page_delete", "ii", "DELETE FROM pages WHERE agent_id = $1 AND id = $2" },
	[REQUEUE] = { "page_requeue", "iiitti",
		"UPDATE pages SET state = " KB_SQL(PAGE_QUEUED) ", due_at = $3, reason = $4, "
		"crawl_status = " KB_SQL(STATUS_QUEUED) ", index_status = " KB_SQL(STATUS_QUEUED) ", "
		"attempts = 0, host = $5, to_fetch = CASE WHEN url = '' THEN 0 ELSE 1 END, " KB_RENDER_AGAIN ", updated_at = $6 "
		"WHERE agent_id = $1 AND id = $2" },
	[SWAP] = { "page_swap", "iiti",
		"UPDATE pages SET blob = $3, size = $4, parsed_blob = '', is_slow = 0 WHERE agent_id = $1 AND id = $2" },
	[DROP_CITED] = { "page_drop_cited", "ii", "DELETE FROM cited_pages WHERE agent_id = $1 AND page_id = $2" },
	[METADATA] = { "page_metadata", "ii" KB_TYPES(METADATA_COLUMNS),
		KB_UPDATE("pages", METADATA_COLUMNS) "WHERE agent_id = $1 AND id = $2" },
};
// clang-format on
const struct kb_sql_table kb_sql_pages_change = { "pages_change", sql, KB_COUNTOF(sql) };

static const struct kb_db_columns metadata_columns =
        KB_COLUMNS(struct kb_page_row, METADATA_COLUMNS(KB_PAGE_COLUMN, KB_PAGE_COLUMN));

struct change {
	struct kb_arena *arena;
	int64_t agent_id, id, now;
	int64_t gone_at; /* of a page that is deleted: until when it can be taken back */
	const struct kb_page_metadata *metadata;
	const struct kb_page_swap *swap;
	struct kb_page *out;
};

/* Holds the agent and reads the page. */
static bool begin_change(struct kb_db_conn *conn, struct change *in, struct kb_arena *arena,
                         struct kb_page_row *row, int64_t *version, struct kb_err *err)
{
	return kb_agent_lock(conn, in->agent_id, version, err)
	       && kb_page_load(conn, arena, in->agent_id, in->id, row, err)
	       && (row->page.id || kb_page_not_found(err, in->id));
}

/* However deep: a part without its container would be kept by nothing. */
static bool remove_parts(struct kb_db_conn *conn, const struct kb_page *page, int64_t version,
                         struct kb_totals *totals, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	bool ok = kb_parts_remove(conn, &arena, page, version, totals, err);

	kb_arena_fini(&arena);
	return ok;
}

bool kb_page_remove(struct kb_db_conn *conn, const struct kb_page_row *row, int64_t version,
                    struct kb_totals *totals, struct kb_err *err)
{
	int64_t agent_id = row->page.agent_id, id = row->page.id;

	kb_totals_count(totals, row, -1);
	return remove_parts(conn, &row->page, version, totals, err)
	       && kb_cites_drop_page(conn, agent_id, id, err)
	       && kb_crawl_free_copies(conn, row, totals, err)
	       && kb_labels_drop_page(conn, agent_id, id, err)
	       && kb_db_run(conn, &sql[DROP_CITED], KB_VALUES(kb_int(agent_id), kb_int(id)), NULL,
	                    err)
	       && kb_db_run(conn, &sql[DELETE], KB_VALUES(kb_int(agent_id), kb_int(id)), NULL, err)
	       && (!row->is_found || kb_dead_add(conn, agent_id, id, version, err));
}

bool kb_page_delete(struct kb_db_conn *conn, const struct kb_page_row *row,
                    const struct kb_page_deleting *deleting, struct kb_err *err)
{
	return kb_deleted_keep(conn,
	                       &(struct kb_deleted_keep){ .agent_id = row->page.agent_id,
	                                                  .id = row->page.id,
	                                                  .now = deleting->now,
	                                                  .gone_at = deleting->gone_at },
	                       err)
	       && kb_page_remove(conn, row, deleting->version, deleting->totals, err);
}

static bool delete_page(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;
	struct kb_totals totals = { 0 };
	struct kb_page_row row = { 0 };
	int64_t version = 0;

	return begin_change(conn, in, in->arena, &row, &version, err)
	       && kb_page_delete(conn, &row,
	                         &(struct kb_page_deleting){ .version = version + 1,
	                                                     .now = in->now,
	                                                     .gone_at = in->gone_at,
	                                                     .totals = &totals },
	                         err)
	       && kb_agent_publish(conn, in->agent_id, version + 1, false, err)
	       && kb_totals_add(conn, in->agent_id, &totals, err)
	       && kb_turn_settle(conn, in->agent_id, err);
}

bool kb_store_page_delete(struct kb_store *store, int64_t agent_id, int64_t id, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	int64_t now = kb_store_now(store);
	struct change in = { .arena = &arena,
		             .agent_id = agent_id,
		             .id = id,
		             .now = now,
		             .gone_at = now + store->keep_deleted_us };
	bool ok = kb_db_write(store->db, delete_page, &in, err);

	kb_arena_fini(&arena);
	return ok;
}

bool kb_page_queue(struct kb_db_conn *conn, struct kb_page_row *row, int64_t due_at, int64_t now,
                   struct kb_err *err)
{
	row->page.crawl = row->page.index = KB_STATUS_QUEUED;
	return kb_db_run(conn, &sql[REQUEUE],
	                 KB_VALUES(kb_int(row->page.agent_id), kb_int(row->page.id), kb_int(due_at),
	                           kb_text(row->page.url.n == 0 ? KB_SV("waiting for its turn")
	                                                        : kb_page_waits_for_host()),
	                           kb_text(kb_page_host(row->page.url)), kb_int(now)),
	                 NULL, err);
}

static bool swap_bytes(struct kb_db_conn *conn, const struct kb_page_swap *swap,
                       const struct kb_page_row *row, struct kb_err *err)
{
	if (row->state != KB_PAGE_DONE || !kb_sv_eq(row->page.blob, swap->was))
		return kb_fail(err, KB_E_CONFLICT, "page %" PRId64 " has changed meanwhile",
		               swap->id);
	return kb_db_run(conn, &sql[SWAP],
	                 KB_VALUES(kb_int(swap->agent_id), kb_int(swap->id), kb_text(swap->blob),
	                           kb_int(swap->size)),
	                 NULL, err);
}

static bool requeue_page(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;
	struct kb_totals totals = { 0 };
	struct kb_page_row row = { 0 };
	int64_t version = 0;

	if (!begin_change(conn, in, in->arena, &row, &version, err))
		return false;
	if (in->swap && !swap_bytes(conn, in->swap, &row, err))
		return false;
	kb_totals_count(&totals, &row, -1);
	if (!kb_page_queue(conn, &row, in->now, in->now, err))
		return false;
	kb_totals_count(&totals, &row, 1);
	return kb_totals_add(conn, in->agent_id, &totals, err)
	       && kb_turn_settle(conn, in->agent_id, err);
}

bool kb_store_page_requeue(struct kb_store *store, int64_t agent_id, int64_t id, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct change in = {
		.arena = &arena,
		.agent_id = agent_id,
		.id = id,
		.now = kb_store_now(store),
	};
	bool ok = kb_db_write(store->db, requeue_page, &in, err);

	kb_arena_fini(&arena);
	return ok;
}

bool kb_store_page_swap(struct kb_store *store, const struct kb_page_swap *swap, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct change in = { .arena = &arena,
		             .agent_id = swap->agent_id,
		             .id = swap->id,
		             .now = kb_store_now(store),
		             .swap = swap };
	bool ok = kb_db_write(store->db, requeue_page, &in, err);

	kb_arena_fini(&arena);
	return ok;
}

/* NULL leaves the field alone, an empty text takes it away. */
static struct kb_sv edited(struct kb_arena *arena, struct kb_sv before, struct kb_sv given)
{
	if (!given.p)
		return before;
	return given.n ? kb_arena_sv(arena, given) : (struct kb_sv){ NULL, 0 };
}

static bool set_metadata(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;
	struct kb_page_row row = { 0 };
	struct kb_page *page = &row.page;
	int64_t version = 0;

	if (!begin_change(conn, in, in->arena, &row, &version, err))
		return false;
	page->meta_title = edited(in->arena, page->meta_title, in->metadata->title);
	page->meta_url = edited(in->arena, page->meta_url, in->metadata->url);
	page->meta_description =
	        edited(in->arena, page->meta_description, in->metadata->description);
	page->meta_image = edited(in->arena, page->meta_image, in->metadata->image);
	if (in->metadata->has_review && page->review_at != in->metadata->review_at) {
		/* What is past its date stands behind others: answers may be others now. */
		if (!kb_agent_raise(conn, in->agent_id, version + 1, err))
			return false;
		page->review_at = in->metadata->review_at;
	}
	page->updated_at = in->now;
	row.title_key = kb_page_title_key(in->arena, page);
	*in->out = *page;
	return kb_columns_write(&metadata_columns, conn, &sql[METADATA],
	                        KB_VALUES(kb_int(in->agent_id), kb_int(in->id)), &row, err);
}

bool kb_store_page_set_metadata(struct kb_store *store, struct kb_arena *arena,
                                const struct kb_page_metadata *metadata, struct kb_page *out,
                                struct kb_err *err)
{
	struct change in = {
		.arena = arena,
		.agent_id = metadata->agent_id,
		.id = metadata->page_id,
		.now = kb_store_now(store),
		.metadata = metadata,
		.out = out,
	};

	return kb_db_write(store->db, set_metadata, &in, err);
}
