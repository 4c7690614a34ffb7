/* Pages as records: adding, finding, listing, deleting, what their owner says about them. Their
 * life in the queue is in queue.c. */
#include "store/pages.h"

#include "store/agents.h"
#include "store/store_impl.h"
#include "store/visits.h"

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

enum {
	ADD,
	BY_ID,
	BY_URL,
	FIND,
	LIST_DESC,
	LIST_ASC,
	LIST_COUNT,
	OF_SOURCE,
	DELETE,
	REQUEUE,
	METADATA
};
#define LIST_WHERE                                                                                 \
	" FROM pages WHERE agent_id = $1 "                                                         \
	"AND ($2 = '' OR url_key LIKE $2 ESCAPE '\\' OR filename_key LIKE $2 ESCAPE '\\') "        \
	"AND ($3 < 0 OR crawl_status = $3) AND ($4 < 0 OR index_status = $4) AND " KB_PAGE_SHOWN(  \
	        "$1")
#define LIST(order) "SELECT " KB_PAGE_COLUMNS LIST_WHERE " ORDER BY " order " LIMIT $5 OFFSET $6"
// clang-format off
static const struct kb_sql sql[] = {
	[ADD] = { "page_add", "iiittittttitiitiiti",
		"INSERT INTO pages (agent_id, id, source_id, url, url_key, is_file, is_file_kept, filename, "
		"filename_key, content_type, size, blob, text_blob, crawl_status, index_status, reason, "
		"title, description, image, lang, words, passages, state, due_at, attempts, lease_epoch, "
		"is_found, created_at, updated_at, host, to_fetch, listed_at, listed_image, seen) "
		"VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $8, $9, $11, $10, '', 0, 0, $12, "
		"'', '', '', '', 0, 0, 1, $13, 0, 0, 0, $14, $14, $15, $16, $17, $18, $19)" },
	[BY_ID] = { "page_by_id", "ii",
		"SELECT " KB_PAGE_COLUMNS " FROM pages WHERE agent_id = $1 AND id = $2 AND "
		KB_PAGE_SHOWN("$1") },
	[BY_URL] = { "page_by_url", "it",
		"SELECT " KB_PAGE_COLUMNS " FROM pages WHERE agent_id = $1 AND url = $2 AND is_file = 0 "
		"AND " KB_PAGE_SHOWN("$1") " ORDER BY id LIMIT 1" },
	[FIND] = { "page_find", "ii",
		"SELECT " KB_PAGE_COLUMNS " FROM pages WHERE id = $1 "
		"AND EXISTS (SELECT 1 FROM agents a WHERE a.id = pages.agent_id AND a.account_id = $2 "
		"AND a.state = 0) AND " KB_PAGE_SHOWN("pages.agent_id") },
	[LIST_DESC]  = { "page_list_desc",  "itiiii", LIST("id DESC") },
	[LIST_ASC]   = { "page_list_asc",   "itiiii", LIST("id") },
	[LIST_COUNT] = { "page_list_count", "itii", "SELECT count(*)" LIST_WHERE },
	[OF_SOURCE] = { "page_of_source", "iii",
		"SELECT " KB_PAGE_COLUMNS " FROM pages WHERE agent_id = $1 AND source_id = $2 "
		"ORDER BY id DESC LIMIT $3" },
	[DELETE] = { "page_delete", "ii", "DELETE FROM pages WHERE agent_id = $1 AND id = $2" },
	[REQUEUE] = { "page_requeue", "iiitti",
		"UPDATE pages SET state = 1, due_at = $3, crawl_status = 0, index_status = 0, reason = $4, "
		"attempts = 0, host = $5, to_fetch = CASE WHEN url = '' THEN 0 ELSE 1 END, updated_at = $6 "
		"WHERE agent_id = $1 AND id = $2" },
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
			.lang = kb_rows_text(rows, arena, 19),
			.words = kb_rows_int(rows, 20),
			.passages = kb_rows_int(rows, 21),
			.meta_title = kb_rows_text(rows, arena, 22),
			.meta_url = kb_rows_text(rows, arena, 23),
			.meta_description = kb_rows_text(rows, arena, 24),
			.meta_image = kb_rows_text(rows, arena, 25),
			.created_at = kb_rows_int(rows, 26),
			.updated_at = kb_rows_int(rows, 27),
			.etag = kb_rows_text(rows, arena, 31),
			.last_modified = kb_rows_text(rows, arena, 32),
			.text_hash = kb_rows_text(rows, arena, 33),
			.visited_at = kb_rows_int(rows, 34),
			.listed_at = kb_rows_int(rows, 35),
		},
		.due_at = kb_rows_int(rows, 15),
		.state = (enum kb_page_state)kb_rows_int(rows, 28),
		.lease_epoch = kb_rows_int(rows, 29),
		.is_found = kb_rows_bool(rows, 30),
		.own_image = kb_rows_text(rows, arena, 18),
		.listed_image = kb_rows_text(rows, arena, 36),
		.fetch = kb_rows_bool(rows, 37),
		.seen = kb_rows_int(rows, 38),
	};
	out->page.image = out->own_image.n ? out->own_image : out->listed_image;
	if (out->state == KB_PAGE_QUEUED && out->due_at != KB_DUE_NEVER)
		out->page.next_try_at = out->due_at;
}

static bool load(struct kb_conn *conn, struct kb_arena *arena, const struct kb_sql *what,
                 const struct kb_value *values, size_t count, struct kb_page_row *out, bool *found,
                 struct kb_err *err)
{
	struct kb_rows rows;

	*found = false;
	kb_rows_open(&rows, conn, what, values, count);
	while (kb_rows_next(&rows)) {
		kb_page_read(&rows, arena, out);
		*found = true;
	}
	return kb_rows_close(&rows, err);
}

bool kb_page_load(struct kb_conn *conn, struct kb_arena *arena, int64_t agent_id, int64_t id,
                  struct kb_page_row *out, bool *found, struct kb_err *err)
{
	return load(conn, arena, &sql[BY_ID], KB_VALUES(kb_int(agent_id), kb_int(id)), out, found,
	            err);
}

bool kb_page_load_url(struct kb_conn *conn, struct kb_arena *arena, int64_t agent_id,
                      struct kb_sv url, struct kb_page_row *out, bool *found, struct kb_err *err)
{
	return load(conn, arena, &sql[BY_URL], KB_VALUES(kb_int(agent_id), kb_text(url)), out,
	            found, err);
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
	struct kb_agent *agent;   /* NULL: it exists */
	struct kb_source *source; /* new too; NULL: none */
	int64_t agent_id;
	const struct kb_page_new *pages;
	size_t count;
	int64_t first_id, now;
};

struct kb_sv kb_page_host(struct kb_sv url)
{
	ptrdiff_t scheme = kb_sv_find(url, KB_SV("://"));
	struct kb_sv host = scheme < 0 ? KB_SV("") : kb_sv_from(url, (size_t)scheme + 3);
	size_t end = 0, user = 0;

	while (end < host.n && host.p[end] != '/' && host.p[end] != '?' && host.p[end] != '#') {
		if (host.p[end] == '@')
			user = end + 1;
		end++;
	}
	return kb_sv_sub(host, user, end - user);
}

bool kb_page_insert(struct kb_conn *conn, struct kb_arena *arena, const struct kb_page_row_new *row,
                    struct kb_err *err)
{
	const struct kb_page_new *page = row->page;
	struct kb_sv url_key = kb_store_fold(arena, page->url);
	struct kb_sv filename_key = kb_store_fold(arena, page->filename);

	return kb_db_run(conn, &sql[ADD],
	                 KB_VALUES(kb_int(row->agent_id), kb_int(row->id), kb_int(row->source_id),
	                           kb_text(page->url), kb_text(url_key), kb_int(page->is_file),
	                           kb_text(page->filename), kb_text(filename_key),
	                           kb_text(page->content_type), kb_text(page->blob),
	                           kb_int(page->size), kb_text(row->reason), kb_int(row->due_at),
	                           kb_int(row->now), kb_text(kb_page_host(page->url)),
	                           kb_int(page->url.n > 0), kb_int(row->listed_at),
	                           kb_text(row->listed_image), kb_int(row->seen)),
	                 NULL, err);
}

static bool add_page(struct kb_conn *conn, struct add *in, size_t i, int64_t upload_source,
                     struct kb_totals *totals, struct kb_err *err)
{
	const struct kb_page_new *page = &in->pages[i];
	struct kb_page_row_new row = {
		.agent_id = in->agent_id,
		.id = in->first_id + (int64_t)i,
		.source_id = page->source_id             ? page->source_id
		             : page->url.n && in->source ? in->source->id
		                                         : upload_source,
		.due_at = in->now,
		.now = in->now,
		.page = page,
		.reason = page->url.n ? kb_page_waits_for_host() : KB_SV("waiting for its turn"),
	};
	struct kb_page_row other;
	bool found = false;

	if (page->url.n
	    && !kb_page_load_url(conn, &in->arena, in->agent_id, page->url, &other, &found, err))
		return false;
	if (found)
		return true;
	totals->pages_found++;
	totals->storage_bytes += page->size;
	return kb_page_insert(conn, &in->arena, &row, err);
}

static bool add(struct kb_conn *conn, void *arg, struct kb_err *err)
{
	struct add *in = arg;
	struct kb_totals totals = { 0 };
	int64_t version, upload;

	if (in->agent) {
		in->agent->is_active = in->agent->sitemap_path.n == 0 && in->count == 0;
		if (!kb_agent_insert(conn, in->agent, in->now, err))
			return false;
		in->agent_id = in->agent->id;
	}
	if (!kb_agent_lock(conn, in->agent_id, &version, err)
	    || (in->source && !kb_source_insert(conn, in->source, in->agent_id, in->now, err)))
		return false;
	if (in->count == 0)
		return true;
	if (!kb_source_upload_id(conn, in->agent_id, &upload, err)
	    || !kb_db_next_id(conn, "page", (int64_t)in->count, &in->first_id, err))
		return false;
	for (size_t i = 0; i < in->count; i++)
		if (!add_page(conn, in, i, upload, &totals, err))
			return false;
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
                                      struct kb_source *source, const struct kb_page_new *pages,
                                      size_t count, int64_t *first_id, struct kb_err *err)
{
	struct add in = { .agent = agent, .source = source, .pages = pages, .count = count };

	return add_all(store, &in, first_id, err);
}

bool kb_store_source_add(struct kb_store *store, struct kb_source *source,
                         const struct kb_page_new *page, struct kb_err *err)
{
	struct add in = {
		.source = source, .agent_id = source->agent_id, .pages = page, .count = page != NULL
	};
	int64_t first;

	return add_all(store, &in, &first, err);
}

/* ---- reading ---- */

static bool read_one(struct kb_store *store, struct kb_arena *arena, const struct kb_sql *what,
                     const struct kb_value *values, size_t count, int64_t id, struct kb_page *out,
                     struct kb_err *err)
{
	struct kb_conn *conn = kb_db_take(store->db, false, err);
	struct kb_page_row row;
	bool ok, found;

	if (!conn)
		return false;
	ok = load(conn, arena, what, values, count, &row, &found, err);
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
	return read_one(store, arena, &sql[BY_ID], KB_VALUES(kb_int(agent_id), kb_int(id)), id, out,
	                err);
}

bool kb_store_page_find(struct kb_store *store, struct kb_arena *arena, int64_t account_id,
                        int64_t id, struct kb_page *out, struct kb_err *err)
{
	return read_one(store, arena, &sql[FIND], KB_VALUES(kb_int(id), kb_int(account_id)), id,
	                out, err);
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

bool kb_store_source_pages(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                           int64_t source_id, int64_t max, struct kb_page **pages, size_t *count,
                           struct kb_err *err)
{
	struct kb_conn *conn = kb_db_take(store->db, false, err);
	struct kb_rows rows;
	bool ok;

	*pages = NULL;
	*count = 0;
	if (!conn)
		return false;
	kb_rows_open(&rows, conn, &sql[OF_SOURCE],
	             KB_VALUES(kb_int(agent_id), kb_int(source_id), kb_int(max)));
	while (kb_rows_next(&rows)) {
		struct kb_page_row row;

		kb_page_read(&rows, arena, &row);
		KB_ROOM(arena, *pages, *count)[*count] = row.page;
		++*count;
	}
	ok = kb_rows_close(&rows, err);
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

bool kb_page_remove(struct kb_conn *conn, const struct kb_page_row *row, int64_t version,
                    struct kb_totals *totals, struct kb_err *err)
{
	int64_t agent_id = row->page.agent_id, id = row->page.id;

	kb_totals_count(totals, row, -1);
	return kb_labels_drop_page(conn, agent_id, id, err)
	       && kb_db_run(conn, &sql[DELETE], KB_VALUES(kb_int(agent_id), kb_int(id)), NULL, err)
	       && (!row->is_found || kb_dead_add(conn, agent_id, id, version, err));
}

static bool delete_page(struct kb_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;
	struct kb_totals totals = { 0 };
	struct kb_page_row row = { 0 };
	int64_t version = 0;

	return begin_change(conn, in, in->arena, &row, &version, err)
	       && kb_page_remove(conn, &row, version + 1, &totals, err)
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

struct kb_sv kb_page_waits_for_host(void)
{
	return KB_SV("waiting for its host, which is asked for one page at a time");
}

bool kb_page_queue(struct kb_conn *conn, struct kb_page_row *row, int64_t due_at, int64_t now,
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

static bool requeue_page(struct kb_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;
	struct kb_totals totals = { 0 };
	struct kb_page_row row = { 0 };
	int64_t version = 0;

	if (!begin_change(conn, in, in->arena, &row, &version, err))
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
	struct kb_page_row row = { 0 };
	int64_t version = 0;

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
