/* Pages as records: adding, finding, listing, deleting, what their owner says about them. Their
 * life in the queue is in queue.c. */
#include "store/pages.h"

#include "store/agents_own.h"
#include "store/crawls_own.h"
#include "store/errands.h"
#include "store/labels_own.h"
#include "store/lists.h"
#include "store/paths.h"
#include "store/segments_own.h"
#include "store/sources_own.h"
#include "store/store_own.h"
#include "store/texts.h"

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

/* Lists of pages that an index names are read along it: they are few, and others may be many. */
enum { ALL, WAITING, AMISS, LISTS };
enum { DESC, ASC, COUNT, LIST_SHAPES };
enum { IDS_AT_ONCE = 8 };
enum {
	ADD,
	BY_ID,
	BY_IDS,
	BY_URL,
	HAS_URL,
	FIND,
	LIST,
	OF_SOURCE = LIST + LISTS * LIST_SHAPES,
};
/* Of the pages of `from`, which are those of agent $1. */
#define LIST_WHERE(from)                                                                           \
	" FROM " from " WHERE agent_id = $1 "                                                      \
	"AND ($2 = '' OR url_key LIKE $2 ESCAPE '\\' OR filename_key LIKE $2 ESCAPE '\\') "        \
	"AND ($3 < 0 OR crawl_status = $3) AND ($4 < 0 OR index_status = $4) "                     \
	"AND ($5 = 0 OR id NOT IN (" KB_PAGES_LABELLED ")) AND " KB_PAGE_SHOWN("$1")
#define LIST_OF(which, name, from, where)                                                          \
	[LIST + which * LIST_SHAPES +                                                              \
	        DESC] = { "page_list_" name "desc", "itiiiii",                                     \
		          "SELECT " KB_NAMES(KB_PAGES) LIST_WHERE(from) where                      \
		          " ORDER BY id DESC LIMIT $6 OFFSET $7" },                                \
	        [LIST + which * LIST_SHAPES + ASC] = { "page_list_" name "asc", "itiiiii",         \
		                                       "SELECT " KB_NAMES(KB_PAGES)                \
		                                               LIST_WHERE(from) where              \
		                                       " ORDER BY id LIMIT $6 OFFSET $7" },        \
	        [LIST + which * LIST_SHAPES + COUNT] = { "page_list_" name "count", "itiii",       \
		                                         "SELECT count(*)" LIST_WHERE(from)        \
		                                                 where }
/* Those that wait, each by its id: of an agent's pages SQLite would read all, in their order. */
#define WAITING_PAGES                                                                              \
	"(SELECT w.id AS waiting_id FROM pages w "                                                 \
	"WHERE w.agent_id = $1 AND w.state > 0 AND w.to_fetch IN (0, 1)) w CROSS JOIN pages"
// clang-format off
static const struct kb_sql sql[] = {
	[ADD] = { "page_add", KB_TYPES(KB_PAGES_WHOLE), KB_INSERT("pages", KB_PAGES_WHOLE) },
	[BY_ID] = { "page_by_id", "ii",
		"SELECT " KB_NAMES(KB_PAGES) " FROM pages WHERE agent_id = $1 AND id = $2 AND "
		KB_PAGE_SHOWN("$1") },
	/* IDS_AT_ONCE of them. */
	[BY_IDS] = { "page_by_ids", "iiiiiiiii",
		"WITH w (of_agent, of_id) AS (VALUES ($1, $2), ($1, $3), ($1, $4), ($1, $5), ($1, $6), ($1, $7), ($1, $8), "
		"($1, $9)) SELECT " KB_NAMES(KB_PAGES) " FROM w JOIN pages ON agent_id = of_agent AND id = of_id "
		"WHERE " KB_PAGE_SHOWN("$1") },
	[BY_URL] = { "page_by_url", "it",
		"SELECT " KB_NAMES(KB_PAGES) " FROM pages WHERE agent_id = $1 AND url = $2 AND url <> '' "
		"AND " KB_PAGE_SHOWN("$1") " ORDER BY id LIMIT 1" },
	[HAS_URL] = { "page_has_url", "it",
		"SELECT count(*) FROM pages WHERE agent_id = $1 AND url = $2 AND url <> '' AND "
		KB_PAGE_SHOWN("$1") },
	[FIND] = { "page_find", "ii",
		"SELECT " KB_NAMES(KB_PAGES) " FROM pages WHERE id = $1 "
		"AND EXISTS (SELECT 1 FROM agents a WHERE a.id = pages.agent_id AND +a.account_id = $2 "
		"AND a.state = " KB_SQL(AGENT_THERE) ") AND " KB_PAGE_SHOWN("pages.agent_id") },
	LIST_OF(ALL, "", "pages", ""),
	LIST_OF(WAITING, "waiting_", WAITING_PAGES, " AND id = waiting_id AND state > 0"),
	LIST_OF(AMISS, "amiss_", "pages", " AND index_status > " KB_SQL(STATUS_OK)),
	[OF_SOURCE] = { "page_of_source", "iii",
		"SELECT " KB_NAMES(KB_PAGES) " FROM pages WHERE agent_id = $1 AND source_id = $2 "
		"ORDER BY id DESC LIMIT $3" },
};
// clang-format on
const struct kb_sql_table kb_sql_pages = { "pages", sql, KB_COUNTOF(sql) };

const struct kb_db_columns kb_page_columns =
        KB_COLUMNS(struct kb_page_row, KB_PAGES_WHOLE(KB_PAGE_COLUMN, KB_PAGE_COLUMN));
static const struct kb_db_columns read_columns =
        KB_COLUMNS(struct kb_page_row, KB_PAGES(KB_PAGE_COLUMN, KB_PAGE_COLUMN));

size_t kb_page_read_columns(void)
{
	return read_columns.count;
}

void kb_page_read(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_page_row *out)
{
	kb_columns_read(&read_columns, rows, 0, arena, out);
	out->page.image = out->page.own_image.n ? out->page.own_image : out->page.listed_image;
	if (out->state == KB_PAGE_QUEUED && out->due_at != KB_DUE_NEVER)
		out->page.next_try_at = out->due_at;
}

static bool load(struct kb_db_conn *conn, struct kb_arena *arena, const struct kb_sql *what,
                 struct kb_db_values values, struct kb_page_row *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_page_row){ 0 };
	kb_rows_open(&rows, conn, what, values);
	while (kb_rows_next(&rows))
		kb_page_read(&rows, arena, out);
	return kb_rows_close(&rows, err);
}

bool kb_page_load(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id, int64_t id,
                  struct kb_page_row *out, struct kb_err *err)
{
	return load(conn, arena, &sql[BY_ID], KB_VALUES(kb_int(agent_id), kb_int(id)), out, err);
}

bool kb_page_load_url(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                      struct kb_sv url, struct kb_page_row *out, struct kb_err *err)
{
	return load(conn, arena, &sql[BY_URL], KB_VALUES(kb_int(agent_id), kb_text(url)), out, err);
}

bool kb_pages_read(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_page_list *out,
                   struct kb_err *err)
{
	*out = (struct kb_page_list){ 0 };
	while (kb_rows_next(rows)) {
		struct kb_page_row row;

		kb_page_read(rows, arena, &row);
		KB_ROOM(arena, out->v, out->count)[out->count] = row.page;
		out->count++;
	}
	return kb_rows_close(rows, err);
}

bool kb_page_has_url(struct kb_db_conn *conn, int64_t agent_id, struct kb_sv url, int64_t *count,
                     struct kb_err *err)
{
	return kb_db_int(conn, &sql[HAS_URL], KB_VALUES(kb_int(agent_id), kb_text(url)), 0, count,
	                 err);
}

void kb_totals_count(struct kb_totals *totals, const struct kb_page_row *row, int sign)
{
	totals->pages_found += sign;
	totals->pages_crawled += sign * (row->page.crawl == KB_STATUS_OK);
	totals->pages_indexed += sign * (row->page.index == KB_STATUS_OK);
	totals->words_indexed += sign * (row->is_found ? row->page.words : 0);
	totals->storage_bytes += sign * row->page.size;
}

bool kb_page_not_found(struct kb_err *err, int64_t id)
{
	return kb_fail(err, KB_E_NOT_FOUND, "Page with id %" PRId64 " not found", id);
}

struct kb_sv kb_page_waits_for_host(void)
{
	return KB_SV("waiting for its host, which is asked for one page at a time");
}

/* ---- adding ----
 *
 * An agent, its source and its pages come in one transaction: whoever can read the agent finds its
 * pages too. Ids are taken in one block; an address that the agent has already leaves its id
 * unused, which is cheaper than to look before.
 */

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

struct kb_sv kb_page_title_key(struct kb_arena *arena, const struct kb_page *page)
{
	return kb_store_fold(arena, kb_page_title(page));
}

bool kb_page_insert(struct kb_db_conn *conn, struct kb_arena *arena,
                    const struct kb_page_row_new *row, struct kb_err *err)
{
	const struct kb_page_new *new = row->page;
	struct kb_page_row page = {
		.page = {
			.agent_id = row->agent_id,
			.id = row->id,
			.source_id = row->source_id,
			.parent_id = new->parent_id,
			.url = new->url,
			.is_ours = new->is_ours,
			.is_file_kept = true,
			.filename = new->filename,
			.content_type = new->content_type,
			.path = new->path,
			.content_hash = new->blob,
			.size = new->size,
			.blob = new->blob,
			.meta_url = new->meta_url,
			.reason = row->reason,
			.listed_at = row->listed_at,
			.listed_image = row->listed_image,
			.depth = new->depth,
			.created_at = row->now,
			.updated_at = row->now,
		},
		.state = KB_PAGE_QUEUED,
		.due_at = row->due_at,
		.fetch = new->url.n > 0,
		.seen = row->seen,
		.url_key = kb_store_fold(arena, new->url),
		.filename_key = kb_store_fold(arena, new->filename),
		.host = kb_page_host(new->url),
	};

	page.title_key = kb_page_title_key(arena, &page.page);
	return kb_columns_write(&kb_page_columns, conn, &sql[ADD], KB_NO_VALUES, &page, err);
}

static bool add_page(struct kb_db_conn *conn, struct kb_pages_coming *in, size_t i,
                     int64_t upload_source, struct kb_totals *totals, struct kb_err *err)
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
	struct kb_page_row other = { 0 };

	if (page->url.n
	    && !kb_page_load_url(conn, &in->arena, in->agent_id, page->url, &other, err))
		return false;
	if (other.page.id)
		return true;
	totals->pages_found++;
	totals->storage_bytes += page->size;
	return kb_page_insert(conn, &in->arena, &row, err)
	       && (page->depth == 0
	           || kb_crawl_begin(conn, in->agent_id, row.source_id, page->url, in->now, err));
}

bool kb_pages_come(struct kb_db_conn *conn, struct kb_pages_coming *in, struct kb_err *err)
{
	struct kb_totals totals = { 0 };
	int64_t version, upload;

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

static bool add(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	return kb_pages_come(conn, arg, err);
}

static bool add_all(struct kb_store *store, struct kb_pages_coming *in, int64_t *first_id,
                    struct kb_err *err)
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
	struct kb_pages_coming in = { .agent_id = agent_id, .pages = pages, .count = count };

	return add_all(store, &in, first_id, err);
}

bool kb_store_source_add(struct kb_store *store, struct kb_source *source,
                         const struct kb_page_new *page, struct kb_err *err)
{
	struct kb_pages_coming in = {
		.source = source, .agent_id = source->agent_id, .pages = page, .count = page != NULL
	};
	int64_t first;

	return add_all(store, &in, &first, err);
}

/* ---- reading ---- */

static bool read_one(struct kb_store *store, struct kb_arena *arena, const struct kb_sql *what,
                     struct kb_db_values values, struct kb_page *out, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	struct kb_page_row row;
	bool ok;

	if (!conn)
		return false;
	ok = load(conn, arena, what, values, &row, err);
	kb_db_give(store->db, conn);
	if (ok)
		*out = row.page;
	return ok;
}

bool kb_store_page_get(struct kb_store *store, struct kb_arena *arena, int64_t agent_id, int64_t id,
                       struct kb_page *out, struct kb_err *err)
{
	return read_one(store, arena, &sql[BY_ID], KB_VALUES(kb_int(agent_id), kb_int(id)), out,
	                err)
	       && (out->id || kb_page_not_found(err, id));
}

/* Up to IDS_AT_ONCE; 0 stands for no page. */
static bool read_some(struct kb_store *store, struct kb_arena *arena, const struct kb_page_ids *ids,
                      struct kb_page_list *out, struct kb_err *err)
{
	struct kb_db_value values[1 + IDS_AT_ONCE] = { kb_int(ids->agent_id) };
	struct kb_db_rows rows;

	for (size_t i = 0; i < IDS_AT_ONCE; i++)
		values[1 + i] = kb_int(i < ids->count ? ids->v[i] : 0);
	kb_rows_take(&rows, store->db, &sql[BY_IDS],
	             (struct kb_db_values){ values, KB_COUNTOF(values) });
	return kb_pages_read(&rows, arena, out, err);
}

bool kb_store_pages_get(struct kb_store *store, struct kb_arena *arena,
                        const struct kb_page_ids *ids, struct kb_page *out, struct kb_err *err)
{
	for (size_t i = 0; i < ids->count; i++)
		out[i] = (struct kb_page){ 0 };
	for (size_t from = 0; from < ids->count; from += IDS_AT_ONCE) {
		const struct kb_page_ids some = { ids->agent_id, ids->v + from,
			                          KB_MIN(ids->count - from, (size_t)IDS_AT_ONCE) };
		struct kb_page_list found;

		if (!read_some(store, arena, &some, &found, err))
			return false;
		for (size_t i = 0; i < some.count; i++)
			for (size_t k = 0; k < found.count; k++)
				if (found.v[k].id == some.v[i])
					out[from + i] = found.v[k];
	}
	return true;
}

bool kb_store_page_find(struct kb_store *store, struct kb_arena *arena, int64_t account_id,
                        int64_t id, struct kb_page *out, struct kb_err *err)
{
	return read_one(store, arena, &sql[FIND], KB_VALUES(kb_int(id), kb_int(account_id)), out,
	                err)
	       && (out->id || kb_page_not_found(err, id));
}

static int list_of(const struct kb_page_filter *filter)
{
	return filter->index > KB_STATUS_OK        ? AMISS
	       : filter->index == KB_STATUS_QUEUED ? WAITING
	                                           : ALL;
}

/* All of them, or all that may be found, are a figure of the agent's. */
static bool count_list(struct kb_db_conn *conn, int64_t agent_id,
                       const struct kb_page_filter *filter, struct kb_sv pattern, int64_t *out,
                       struct kb_err *err)
{
	struct kb_agent_stats stats;

	if (pattern.n || filter->unlabelled || filter->crawl >= 0
	    || (filter->index >= 0 && filter->index != KB_STATUS_OK))
		return kb_db_int(conn, &sql[LIST + list_of(filter) * LIST_SHAPES + COUNT],
		                 KB_VALUES(kb_int(agent_id), kb_text(pattern),
		                           kb_int(filter->crawl), kb_int(filter->index),
		                           kb_int(filter->unlabelled)),
		                 0, out, err);
	*out = 0;
	if (!kb_agent_stats(conn, agent_id, &stats, err))
		return err->code == KB_E_NOT_FOUND; /* no agent, no pages */
	*out = filter->index < 0 ? stats.pages_found : stats.pages_indexed;
	return true;
}

bool kb_store_page_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                        const struct kb_page_filter *filter, struct kb_page_list *out,
                        struct kb_err *err)
{
	int shape = filter->list.ascending ? ASC : DESC;
	struct kb_sv pattern;
	struct kb_db_conn *conn;
	struct kb_db_rows rows;
	bool ok;

	*out = (struct kb_page_list){ 0 };
	if (!kb_like_pattern(arena, filter->search, true, &pattern, err))
		return false;
	conn = kb_db_take(store->db, true, err);
	if (!conn)
		return false;
	kb_rows_open(&rows, conn, &sql[LIST + list_of(filter) * LIST_SHAPES + shape],
	             KB_VALUES(kb_int(agent_id), kb_text(pattern), kb_int(filter->crawl),
	                       kb_int(filter->index), kb_int(filter->unlabelled),
	                       kb_int(kb_list_limit(&filter->list)),
	                       kb_int(kb_list_offset(&filter->list))));
	ok = kb_pages_read(&rows, arena, out, err)
	     && count_list(conn, agent_id, filter, pattern, &out->total, err);
	kb_db_give(store->db, conn);
	return ok;
}

bool kb_store_source_pages(struct kb_store *store, struct kb_arena *arena,
                           const struct kb_source *source, int64_t max, struct kb_page_list *out,
                           struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_take(&rows, store->db, &sql[OF_SOURCE],
	             KB_VALUES(kb_int(source->agent_id), kb_int(source->id), kb_int(max)));
	return kb_pages_read(&rows, arena, out, err);
}
