/* Pages as records: adding, finding, listing, deleting, what their owner says about them. Their
 * life in the queue is in queue.c. */
#include "store/pages.h"

#include "store/agents.h"
#include "store/store_impl.h"

static const char *const status_names[] = {
	[KB_STATUS_QUEUED] = "queued",   [KB_STATUS_OK] = "ok",
	[KB_STATUS_FAILED] = "failed",   [KB_STATUS_NA] = "n/a",
	[KB_STATUS_LIMITED] = "limited",
};

const char *kb_status_name(enum kb_status status)
{
	KB_ASSERT((unsigned)status < KB_COUNTOF(status_names));
	return status_names[status];
}

bool kb_status_parse(struct kb_sv name, enum kb_status *status)
{
	for (size_t i = 0; i < KB_COUNTOF(status_names); i++) {
		if (!kb_sv_eq_str(name, status_names[i]))
			continue;
		*status = (enum kb_status)i;
		return true;
	}
	return false;
}

enum { ADD, BY_ID, FIND, LIST_DESC, LIST_ASC, LIST_COUNT, DELETE, REQUEUE, METADATA };
#define LIST_WHERE                                                                                 \
	" FROM pages WHERE agent_id = $1 "                                                         \
	"AND ($2 = '' OR url_key LIKE $2 ESCAPE '\\' OR filename_key LIKE $2 ESCAPE '\\') "        \
	"AND ($3 < 0 OR crawl_status = $3) AND ($4 < 0 OR index_status = $4)"
#define LIST(order) "SELECT " KB_PAGE_COLUMNS LIST_WHERE " ORDER BY " order " LIMIT $5 OFFSET $6"
// clang-format off
static const struct kb_sql sql[] = {
	[ADD] = { "page_add", "iiittittttiti",
		"INSERT INTO pages (agent_id, id, source_id, url, url_key, is_file, is_file_kept, filename, "
		"filename_key, content_type, size, blob, text_blob, crawl_status, index_status, reason, "
		"title, description, image, lang, words, passages, state, due_at, attempts, lease_epoch, "
		"is_found, created_at, updated_at) "
		"VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $8, $9, $11, $10, '', 0, 0, $12, "
		"'', '', '', '', 0, 0, 1, $13, 0, 0, 0, $13, $13)" },
	[BY_ID] = { "page_by_id", "ii",
		"SELECT " KB_PAGE_COLUMNS " FROM pages WHERE agent_id = $1 AND id = $2" },
	[FIND] = { "page_find", "ii",
		"SELECT " KB_PAGE_COLUMNS " FROM pages WHERE id = $1 "
		"AND EXISTS (SELECT 1 FROM agents a WHERE a.id = pages.agent_id AND a.account_id = $2)" },
	[LIST_DESC]  = { "page_list_desc",  "itiiii", LIST("id DESC") },
	[LIST_ASC]   = { "page_list_asc",   "itiiii", LIST("id") },
	[LIST_COUNT] = { "page_list_count", "itii", "SELECT count(*)" LIST_WHERE },
	[DELETE] = { "page_delete", "ii", "DELETE FROM pages WHERE agent_id = $1 AND id = $2" },
	[REQUEUE] = { "page_requeue", "iii",
		"UPDATE pages SET state = 1, due_at = $3, crawl_status = 0, index_status = 0, reason = '', "
		"attempts = 0, updated_at = $3 WHERE agent_id = $1 AND id = $2" },
	[METADATA] = { "page_metadata", "iinnnni",
		"UPDATE pages SET meta_title = $3, meta_url = $4, meta_description = $5, meta_image = $6, "
		"updated_at = $7 WHERE agent_id = $1 AND id = $2" },
};
// clang-format on
const struct kb_sql_table kb_sql_pages = { "pages", sql, KB_COUNTOF(sql) };

void kb_page_read(struct kb_rows *rows, struct kb_arena *arena, struct kb_page_row *out)
{
	*out = (struct kb_page_row){
		.page = {
			.agent_id = kb_rows_int(rows, 0),
			.id = kb_rows_int(rows, 1),
			.source_id = kb_rows_int(rows, 2),
			.url = kb_rows_text(rows, arena, 3),
			.is_file = kb_rows_bool(rows, 4),
			.is_file_kept = kb_rows_bool(rows, 5),
			.filename = kb_rows_text(rows, arena, 6),
			.content_type = kb_rows_text(rows, arena, 7),
			.size = kb_rows_int(rows, 8),
			.blob = kb_rows_text(rows, arena, 9),
			.text_blob = kb_rows_text(rows, arena, 10),
			.crawl = (enum kb_status)kb_rows_int(rows, 11),
			.index = (enum kb_status)kb_rows_int(rows, 12),
			.reason = kb_rows_text(rows, arena, 13),
			.attempts = kb_rows_int(rows, 14),
			.title = kb_rows_text(rows, arena, 16),
			.description = kb_rows_text(rows, arena, 17),
			.image = kb_rows_text(rows, arena, 18),
			.lang = kb_rows_text(rows, arena, 19),
			.words = kb_rows_int(rows, 20),
			.passages = kb_rows_int(rows, 21),
			.meta_title = kb_rows_text(rows, arena, 22),
			.meta_url = kb_rows_text(rows, arena, 23),
			.meta_description = kb_rows_text(rows, arena, 24),
			.meta_image = kb_rows_text(rows, arena, 25),
			.created_at = kb_rows_int(rows, 26),
			.updated_at = kb_rows_int(rows, 27),
		},
		.due_at = kb_rows_int(rows, 15),
		.state = (enum kb_page_state)kb_rows_int(rows, 28),
		.lease_epoch = kb_rows_int(rows, 29),
		.is_found = kb_rows_bool(rows, 30),
	};
	if (out->state == KB_PAGE_QUEUED)
		out->page.next_try_at = out->due_at;
}

static bool load(struct kb_conn *conn, struct kb_arena *arena, const struct kb_sql *what,
                 int64_t first, int64_t second, struct kb_page_row *out, bool *found,
                 struct kb_err *err)
{
	struct kb_rows rows;

	*found = false;
	kb_rows_open(&rows, conn, what, KB_VALUES(kb_int(first), kb_int(second)));
	while (kb_rows_next(&rows)) {
		kb_page_read(&rows, arena, out);
		*found = true;
	}
	return kb_rows_close(&rows, err);
}

bool kb_page_load(struct kb_conn *conn, struct kb_arena *arena, int64_t agent_id, int64_t id,
                  struct kb_page_row *out, bool *found, struct kb_err *err)
{
	return load(conn, arena, &sql[BY_ID], agent_id, id, out, found, err);
}

void kb_totals_count(struct kb_totals *totals, const struct kb_page_row *row, int sign)
{
	totals->pages_found += sign;
	totals->pages_crawled += sign * (row->page.crawl == KB_STATUS_OK);
	totals->pages_indexed += sign * (row->page.index == KB_STATUS_OK);
	totals->words_indexed += sign * (row->is_found ? row->page.words : 0);
	totals->storage_bytes += sign * row->page.size;
}

static bool not_found(struct kb_err *err, int64_t id)
{
	return kb_fail(err, KB_E_NOT_FOUND, "Page with id %" PRId64 " not found", id);
}

/* ---- adding ---- */

struct add {
	struct kb_arena arena;
	struct kb_agent *agent; /* NULL: it exists */
	int64_t agent_id;
	const struct kb_page_new *pages;
	size_t count;
	int64_t first_id, now;
};

static bool add_page(struct kb_conn *conn, struct add *in, size_t i, int64_t upload_source,
                     struct kb_err *err)
{
	const struct kb_page_new *page = &in->pages[i];
	struct kb_sv url_key = kb_store_fold(&in->arena, page->url);
	struct kb_sv filename_key = kb_store_fold(&in->arena, page->filename);

	return kb_db_run(conn, &sql[ADD],
	                 KB_VALUES(kb_int(in->agent_id), kb_int(in->first_id + (int64_t)i),
	                           kb_int(page->source_id ? page->source_id : upload_source),
	                           kb_text(page->url), kb_text(url_key), kb_int(page->is_file),
	                           kb_text(page->filename), kb_text(filename_key),
	                           kb_text(page->content_type), kb_text(page->blob),
	                           kb_int(page->size), kb_text(KB_SV("waiting for its turn")),
	                           kb_int(in->now)),
	                 NULL, err);
}

static bool add(struct kb_conn *conn, void *arg, struct kb_err *err)
{
	struct add *in = arg;
	struct kb_totals totals = { .pages_found = (int64_t)in->count };
	int64_t version, upload;

	if (in->agent) {
		in->agent->is_active = in->agent->sitemap_path.n == 0 && in->count == 0;
		if (!kb_agent_insert(conn, in->agent, in->now, err))
			return false;
		in->agent_id = in->agent->id;
	}
	if (!kb_agent_lock(conn, in->agent_id, &version, err))
		return false;
	if (in->count == 0)
		return true;
	if (!kb_source_upload_id(conn, in->agent_id, &upload, err)
	    || !kb_db_next_id(conn, "page", (int64_t)in->count, &in->first_id, err))
		return false;
	for (size_t i = 0; i < in->count; i++) {
		totals.storage_bytes += in->pages[i].size;
		if (!add_page(conn, in, i, upload, err))
			return false;
	}
	return kb_totals_add(conn, in->agent_id, &totals, err)
	       && kb_turn_settle(conn, in->agent_id, err);
}

static bool add_all(struct kb_store *store, struct add *in, int64_t *first_id, struct kb_err *err)
{
	bool ok;

	in->now = kb_store_now(store);
	ok = kb_db_write(store->db, add, in, err);
	*first_id = ok ? in->first_id : 0;
	kb_arena_fini(&in->arena);
	return ok;
}

bool kb_store_pages_add(struct kb_store *store, int64_t agent_id, const struct kb_page_new *pages,
                        size_t count, int64_t *first_id, struct kb_err *err)
{
	struct add in = { .agent_id = agent_id, .pages = pages, .count = count };

	return add_all(store, &in, first_id, err);
}

bool kb_store_agent_create_with_pages(struct kb_store *store, struct kb_agent *agent,
                                      const struct kb_page_new *pages, size_t count,
                                      int64_t *first_id, struct kb_err *err)
{
	struct add in = { .agent = agent, .pages = pages, .count = count };

	return add_all(store, &in, first_id, err);
}

/* ---- reading ---- */

static bool read_one(struct kb_store *store, struct kb_arena *arena, const struct kb_sql *what,
                     int64_t first, int64_t second, int64_t id, struct kb_page *out,
                     struct kb_err *err)
{
	struct kb_conn *conn = kb_db_take(store->db, false, err);
	struct kb_page_row row;
	bool ok, found;

	if (!conn)
		return false;
	ok = load(conn, arena, what, first, second, &row, &found, err);
	kb_db_give(store->db, conn);
	if (!ok)
		return false;
	if (!found)
		return not_found(err, id);
	*out = row.page;
	return true;
}

bool kb_store_page_get(struct kb_store *store, struct kb_arena *arena, int64_t agent_id, int64_t id,
                       struct kb_page *out, struct kb_err *err)
{
	return read_one(store, arena, &sql[BY_ID], agent_id, id, id, out, err);
}

bool kb_store_page_find(struct kb_store *store, struct kb_arena *arena, int64_t account_id,
                        int64_t id, struct kb_page *out, struct kb_err *err)
{
	return read_one(store, arena, &sql[FIND], id, account_id, id, out, err);
}

bool kb_store_page_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                        const struct kb_page_filter *filter, struct kb_page **pages, size_t *count,
                        int64_t *total, struct kb_err *err)
{
	struct kb_sv pattern;
	struct kb_conn *conn;
	struct kb_rows rows;
	bool ok;

	*pages = NULL;
	*count = 0;
	if (!kb_like_pattern(arena, filter->search, true, &pattern, err))
		return false;
	conn = kb_db_take(store->db, true, err);
	if (!conn)
		return false;
	kb_rows_open(&rows, conn, &sql[filter->list.ascending ? LIST_ASC : LIST_DESC],
	             KB_VALUES(kb_int(agent_id), kb_text(pattern), kb_int(filter->crawl),
	                       kb_int(filter->index), kb_int(kb_list_limit(&filter->list)),
	                       kb_int(kb_list_offset(&filter->list))));
	while (kb_rows_next(&rows)) {
		struct kb_page_row row;

		kb_page_read(&rows, arena, &row);
		KB_ROOM(arena, *pages, *count)[*count] = row.page;
		++*count;
	}
	ok = kb_rows_close(&rows, err)
	     && kb_db_int(conn, &sql[LIST_COUNT],
	                  KB_VALUES(kb_int(agent_id), kb_text(pattern), kb_int(filter->crawl),
	                            kb_int(filter->index)),
	                  0, total, err);
	kb_db_give(store->db, conn);
	return ok;
}

/* ---- changing ---- */

struct change {
	struct kb_arena *arena;
	int64_t agent_id, id, now;
	const struct kb_page *metadata;
	struct kb_page *out;
};

/* Holds the agent and reads the page. */
static bool begin_change(struct kb_conn *conn, struct change *in, struct kb_arena *arena,
                         struct kb_page_row *row, int64_t *version, struct kb_err *err)
{
	bool found;

	if (!kb_agent_lock(conn, in->agent_id, version, err)
	    || !kb_page_load(conn, arena, in->agent_id, in->id, row, &found, err))
		return false;
	return found || not_found(err, in->id);
}

static bool delete_page(struct kb_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;
	struct kb_totals totals = { 0 };
	struct kb_page_row row;
	int64_t version;

	if (!begin_change(conn, in, in->arena, &row, &version, err))
		return false;
	kb_totals_count(&totals, &row, -1);
	return kb_db_run(conn, &sql[DELETE], KB_VALUES(kb_int(in->agent_id), kb_int(in->id)), NULL,
	                 err)
	       && (!row.is_found || kb_dead_add(conn, in->agent_id, in->id, version + 1, err))
	       && kb_agent_publish(conn, in->agent_id, version + 1, false, err)
	       && kb_totals_add(conn, in->agent_id, &totals, err)
	       && kb_turn_settle(conn, in->agent_id, err);
}

bool kb_store_page_delete(struct kb_store *store, int64_t agent_id, int64_t id, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct change in = { .arena = &arena, .agent_id = agent_id, .id = id };
	bool ok = kb_db_write(store->db, delete_page, &in, err);

	kb_arena_fini(&arena);
	return ok;
}

static bool requeue_page(struct kb_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;
	struct kb_totals totals = { 0 };
	struct kb_page_row row;
	int64_t version;

	if (!begin_change(conn, in, in->arena, &row, &version, err))
		return false;
	kb_totals_count(&totals, &row, -1);
	row.page.crawl = row.page.index = KB_STATUS_QUEUED;
	kb_totals_count(&totals, &row, 1);
	return kb_db_run(conn, &sql[REQUEUE],
	                 KB_VALUES(kb_int(in->agent_id), kb_int(in->id), kb_int(in->now)), NULL,
	                 err)
	       && kb_totals_add(conn, in->agent_id, &totals, err)
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

/* NULL leaves the field alone, an empty text takes it away. */
static struct kb_sv edited(struct kb_arena *arena, struct kb_sv before, struct kb_sv given)
{
	if (!given.p)
		return before;
	return given.n ? kb_arena_sv(arena, given) : (struct kb_sv){ NULL, 0 };
}

static bool set_metadata(struct kb_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;
	struct kb_page_row row;
	int64_t version;

	if (!begin_change(conn, in, in->arena, &row, &version, err))
		return false;
	*in->out = row.page;
	in->out->meta_title = edited(in->arena, row.page.meta_title, in->metadata->meta_title);
	in->out->meta_url = edited(in->arena, row.page.meta_url, in->metadata->meta_url);
	in->out->meta_description =
	        edited(in->arena, row.page.meta_description, in->metadata->meta_description);
	in->out->meta_image = edited(in->arena, row.page.meta_image, in->metadata->meta_image);
	in->out->updated_at = in->now;
	return kb_db_run(conn, &sql[METADATA],
	                 KB_VALUES(kb_int(in->agent_id), kb_int(in->id),
	                           kb_nullable(in->out->meta_title), kb_nullable(in->out->meta_url),
	                           kb_nullable(in->out->meta_description),
	                           kb_nullable(in->out->meta_image), kb_int(in->now)),
	                 NULL, err);
}

bool kb_store_page_set_metadata(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                                int64_t id, const struct kb_page *metadata, struct kb_page *out,
                                struct kb_err *err)
{
	struct change in = {
		.arena = arena,
		.agent_id = agent_id,
		.id = id,
		.now = kb_store_now(store),
		.metadata = metadata,
		.out = out,
	};

	return kb_db_write(store->db, set_metadata, &in, err);
}
