/* Rows of pages inside a write: for the queue, errands, listings, crawls and copies. */
#ifndef KB_STORE_PAGES_OWN_H
#define KB_STORE_PAGES_OWN_H

#include "db/columns.h"
#include "store/page_status.h"
#include "store/pages.h"
#include "store/publish.h"

#define KB_SQL_PAGE_DONE   0
#define KB_SQL_PAGE_QUEUED 1
#define KB_SQL_PAGE_LEASED 2
enum kb_page_state {
	KB_PAGE_DONE = KB_SQL_PAGE_DONE, /* the indexes have the others: state > 0 */
	KB_PAGE_QUEUED = KB_SQL_PAGE_QUEUED,
	KB_PAGE_LEASED = KB_SQL_PAGE_LEASED,
};

static_assert(KB_STATUS_QUEUED == KB_SQL_STATUS_QUEUED && KB_STATUS_OK == KB_SQL_STATUS_OK
                      && KB_STATUS_FAILED == KB_SQL_STATUS_FAILED
                      && KB_STATUS_NA == KB_SQL_STATUS_NA,
              "a status is another number in SQL");

/* A row of pages with what only the store knows. */
struct kb_page_row {
	struct kb_page page;
	enum kb_page_state state;
	int64_t due_at, lease_epoch, lease_node, seen;
	bool is_found, is_slow, fetch;
	struct kb_sv url_key, filename_key, title_key, host; /* only written */
};

// clang-format off
/* The columns of pages (columns.h). A copy of the page has an id and a turn of its own. */
#define KB_PAGE_ID(FIRST, NEXT) \
	FIRST(i, agent_id,         page.agent_id) \
	NEXT (i, id,               page.id) \
	NEXT (i, source_id,        page.source_id) \
	NEXT (i, parent_id,        page.parent_id)
#define KB_SQL_RENDERING_WANTED 1
static_assert(KB_RENDERING_WANTED == KB_SQL_RENDERING_WANTED, "a rendering is another number in SQL");
/* Of a page that is fetched again: what needed a browser needs one again. */
#define KB_RENDER_AGAIN \
	"rendering = CASE WHEN rendering > " KB_SQL(RENDERING_WANTED) " THEN " KB_SQL(RENDERING_WANTED) " ELSE rendering END"

/* Where it stands in the queue. */
#define KB_PAGE_TURN(FIRST, NEXT) \
	FIRST(i, state,            state) \
	NEXT (i, due_at,           due_at) \
	NEXT (i, attempts,         page.attempts) \
	NEXT (i, lease_epoch,      lease_epoch) \
	NEXT (i, lease_node,       lease_node)
/* What it was when it came, or its host said since; visited_at is when that last said something. */
#define KB_PAGE_ORIGIN(FIRST, NEXT) \
	FIRST(t, url,              page.url) \
	NEXT (i, is_file,          page.is_ours) \
	NEXT (t, filename,         page.filename) \
	NEXT (t, content_type,     page.content_type) \
	NEXT (i, size,             page.size) \
	NEXT (i, created_at,       page.created_at) \
	NEXT (i, to_fetch,         fetch) \
	NEXT (i, visited_at,       page.answered_at) \
	NEXT (i, listed_at,        page.listed_at) \
	NEXT (t, listed_image,     page.listed_image) \
	NEXT (i, seen,             seen) \
	NEXT (i, depth,            page.depth) \
	NEXT (i, robots,           page.robots) \
	NEXT (t, path,             page.path) \
	NEXT (t, content_hash,     page.content_hash)
/* What working on it leaves behind. */
#define KB_PAGE_RESULT(FIRST, NEXT) \
	FIRST(i, crawl_status,     page.crawl) \
	NEXT (i, index_status,     page.index) \
	NEXT (t, reason,           page.reason) \
	NEXT (t, blob,             page.blob) \
	NEXT (i, is_file_kept,     page.is_file_kept) \
	NEXT (t, text_blob,        page.text_blob) \
	NEXT (t, parsed_blob,      page.parsed_blob) \
	NEXT (t, title,            page.title) \
	NEXT (t, description,      page.description) \
	NEXT (t, image,            page.own_image) \
	NEXT (t, lang,             page.lang) \
	NEXT (i, words,            page.words) \
	NEXT (i, passages,         page.passages) \
	NEXT (i, is_found,         is_found) \
	NEXT (t, etag,             page.etag) \
	NEXT (t, last_modified,    page.last_modified) \
	NEXT (t, text_hash,        page.text_hash) \
	NEXT (i, likeness,         page.likeness) \
	NEXT (t, copy_of,          page.copy_of) \
	NEXT (i, rendering,        page.rendering) \
	NEXT (i, is_slow,          is_slow) \
	NEXT (i, dated_at,         page.dated_at)
#define KB_PAGE_META(FIRST, NEXT) \
	FIRST(n, meta_title,       page.meta_title) \
	NEXT (n, meta_url,         page.meta_url) \
	NEXT (n, meta_description, page.meta_description) \
	NEXT (n, meta_image,       page.meta_image) \
	NEXT (i, review_at,        page.review_at)
#define KB_PAGE_CHANGED(FIRST, NEXT) \
	FIRST(i, updated_at,       page.updated_at)
/* Made from others, to find it by; never read. */
#define KB_PAGE_KEYS(FIRST, NEXT) \
	FIRST(t, url_key,          url_key) \
	NEXT (t, filename_key,     filename_key) \
	NEXT (t, title_key,        title_key) \
	NEXT (t, host,             host)

/* What is read, what the table has, and what a copy takes over as it is. */
#define KB_PAGES(FIRST, NEXT) \
	KB_PAGE_ID(FIRST, NEXT) KB_PAGE_TURN(NEXT, NEXT) KB_PAGE_ORIGIN(NEXT, NEXT) \
	KB_PAGE_RESULT(NEXT, NEXT) KB_PAGE_META(NEXT, NEXT) KB_PAGE_CHANGED(NEXT, NEXT)
#define KB_PAGES_WHOLE(FIRST, NEXT) \
	KB_PAGES(FIRST, NEXT) KB_PAGE_KEYS(NEXT, NEXT)
#define KB_PAGES_COPIED(FIRST, NEXT) \
	KB_PAGE_ORIGIN(FIRST, NEXT) KB_PAGE_RESULT(NEXT, NEXT) KB_PAGE_META(NEXT, NEXT) \
	KB_PAGE_CHANGED(NEXT, NEXT) KB_PAGE_KEYS(NEXT, NEXT)
/* A row of theirs as a struct kb_db_column. */
#define KB_PAGE_COLUMN(letter, column, member) KB_COLUMN(struct kb_page_row, letter, column, member)
// clang-format on
extern const struct kb_db_columns kb_page_columns; /* KB_PAGES_WHOLE */
void kb_page_read(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_page_row *out);
size_t kb_page_read_columns(void); /* how many it reads; what else a row has comes behind them */
/* Zeroed where there is no such page: it has no id. */
bool kb_page_load(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id, int64_t id,
                  struct kb_page_row *out, struct kb_err *err) KB_MUST_CHECK;
/* The key of what it is called, made anew where its title or its name is another. */
struct kb_sv kb_page_title_key(struct kb_arena *arena, const struct kb_page *page);
/* One more page; an id of the sequence "page" is the caller's. */
struct kb_page_row_new {
	int64_t agent_id, id, source_id, due_at, now;
	const struct kb_page_new *page;
	struct kb_sv reason;
	int64_t listed_at, seen;
	struct kb_sv listed_image;
};
bool kb_page_insert(struct kb_db_conn *conn, struct kb_arena *arena,
                    const struct kb_page_row_new *row, struct kb_err *err) KB_MUST_CHECK;
/* The agent's page for that address; zeroed where it has none. */
bool kb_page_load_url(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                      struct kb_sv url, struct kb_page_row *out, struct kb_err *err) KB_MUST_CHECK;
/* All rows of the open statement, which it closes. */
bool kb_pages_read(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_page_list *out,
                   struct kb_err *err) KB_MUST_CHECK;
/* How many pages it has for that address. */
bool kb_page_has_url(struct kb_db_conn *conn, int64_t agent_id, struct kb_sv url, int64_t *count,
                     struct kb_err *err) KB_MUST_CHECK;
/* Pages that are new, and perhaps their source, inside a write that has the agent. */
struct kb_pages_coming {
	struct kb_arena arena;    /* the caller's to end */
	struct kb_source *source; /* new too; NULL: none */
	int64_t agent_id;
	const struct kb_page_new *pages;
	size_t count;
	int64_t first_id, now;
};
bool kb_pages_come(struct kb_db_conn *conn, struct kb_pages_coming *in,
                   struct kb_err *err) KB_MUST_CHECK;
struct kb_sv kb_page_waits_for_host(void);
/* KB_E_NOT_FOUND in the interface's words. */
bool kb_page_not_found(struct kb_err *err, int64_t id);
/* Back to the queue at due_at; both statuses too. The caller counts the totals. */
bool kb_page_queue(struct kb_db_conn *conn, struct kb_page_row *row, int64_t due_at, int64_t now,
                   struct kb_err *err) KB_MUST_CHECK;
/* The row, its labels, its passages (dead below `version`) and all its parts, within a transaction
 * that publishes that version and adds the totals. */
bool kb_page_remove(struct kb_db_conn *conn, const struct kb_page_row *row, int64_t version,
                    struct kb_totals *totals, struct kb_err *err) KB_MUST_CHECK;

/* The same where an owner deletes it: until gone_at it can be taken back (deleted.h). */
struct kb_page_deleting {
	int64_t version, now, gone_at;
	struct kb_totals *totals;
};
bool kb_page_delete(struct kb_db_conn *conn, const struct kb_page_row *row,
                    const struct kb_page_deleting *deleting, struct kb_err *err) KB_MUST_CHECK;

/* Adds (sign 1) or takes away (-1) what the page is worth in its agent's totals. */
void kb_totals_count(struct kb_totals *totals, const struct kb_page_row *row, int sign);

#endif
