#include "store/crawls.h"

#include "base/simhash.h"
#include "store/crawls_own.h"
#include "store/sources_own.h"
#include "store/store_own.h"

enum { REQUEUED_AT_ONCE = 500 };

enum {
	GET,
	WAITING,
	PAGES,
	BEGIN,
	STALE,
	FORGET,
	SEEDED,
	START,
	RUNNING,
	ADD,
	ENDED,
	FETCHED,
	ALIAS,
	IS_ALIAS,
	SHAPE,
	SHAPE_ADD,
	DROP_ALIASES,
	DROP_SHAPES,
	DROP,
};
// clang-format off
static const struct kb_sql sql[] = {
	[GET] = { "crawl_get", "ii",
		"SELECT url, start, state, seeded, began_at, pages, bytes, deep, alike, crowded, forbidden "
		"FROM crawls WHERE agent_id = $1 AND source_id = $2" },
	[WAITING] = { "crawl_waiting", "ii",
		"SELECT count(*) FROM pages WHERE agent_id = $1 AND source_id = $2 AND state > 0" },
	[PAGES] = { "crawl_pages", "iii",
		"SELECT count(*) FROM (SELECT 1 FROM pages WHERE agent_id = $1 AND source_id = $2 LIMIT $3) w" },
	/* What the source has pages for is counted once, here. */
	[BEGIN] = { "crawl_begin", "iiti",
		"INSERT INTO crawls (agent_id, source_id, url, start, state, seeded, began_at, pages, bytes, "
		"deep, alike, crowded, forbidden) VALUES ($1, $2, $3, '', 1, 0, $4, 1, 0, 0, 0, 0, 0) "
		"ON CONFLICT (agent_id, source_id) DO UPDATE SET "
		"start = CASE WHEN crawls.url = excluded.url THEN crawls.start ELSE '' END, "
		"url = excluded.url, state = 1, seeded = 0, "
		"began_at = excluded.began_at, bytes = 0, deep = 0, alike = 0, crowded = 0, forbidden = 0" },
	[STALE] = { "crawl_stale", "iiii",
		"SELECT " KB_NAMES(KB_PAGES) " FROM pages WHERE agent_id = $1 AND source_id = $2 "
		"AND id > $3 ORDER BY id LIMIT $4" },
	[FORGET] = { "crawl_forget", "iii",
		"UPDATE pages SET etag = '', last_modified = '', depth = CASE WHEN depth = 0 THEN $3 ELSE depth END "
		"WHERE agent_id = $1 AND id = $2" },
	[SEEDED] = { "crawl_seeded", "ii",
		"UPDATE crawls SET seeded = 1 WHERE agent_id = $1 AND source_id = $2" },
	[START] = { "crawl_start", "iit",
		"UPDATE crawls SET start = $3 WHERE agent_id = $1 AND source_id = $2" },
	[RUNNING] = { "crawl_running", "ii",
		"SELECT pages FROM crawls WHERE agent_id = $1 AND source_id = $2 AND state = 1" },
	[ADD] = { "crawl_add", "iiiiiii",
		"UPDATE crawls SET pages = pages + $3, deep = deep + $4, alike = alike + $5, "
		"crowded = crowded + $6, forbidden = forbidden + $7 WHERE agent_id = $1 AND source_id = $2" },
	[ENDED] = { "crawl_ended", "ii",
		"UPDATE crawls SET state = 0 WHERE agent_id = $1 AND source_id = $2 AND state = 1" },
	[FETCHED] = { "crawl_fetched", "iii",
		"UPDATE crawls SET bytes = bytes + $3 WHERE agent_id = $1 AND source_id = $2 AND state = 1" },
	[ALIAS] = { "crawl_alias", "iti",
		"INSERT INTO crawl_aliases (agent_id, url, source_id) VALUES ($1, $2, $3) "
		"ON CONFLICT (agent_id, url) DO NOTHING" },
	[IS_ALIAS] = { "crawl_is_alias", "it",
		"SELECT count(*) FROM crawl_aliases WHERE agent_id = $1 AND url = $2" },
	[SHAPE] = { "crawl_shape", "iit",
		"SELECT addresses FROM crawl_shapes WHERE agent_id = $1 AND source_id = $2 AND shape = $3" },
	[SHAPE_ADD] = { "crawl_shape_add", "iit",
		"INSERT INTO crawl_shapes (agent_id, source_id, shape, addresses) VALUES ($1, $2, $3, 1) "
		"ON CONFLICT (agent_id, source_id, shape) DO UPDATE SET addresses = crawl_shapes.addresses + 1" },
	[DROP_ALIASES] = { "crawl_drop_aliases", "ii",
		"DELETE FROM crawl_aliases WHERE agent_id = $1 AND source_id = $2" },
	[DROP_SHAPES] = { "crawl_drop_shapes", "ii",
		"DELETE FROM crawl_shapes WHERE agent_id = $1 AND source_id = $2" },
	[DROP] = { "crawl_drop", "ii", "DELETE FROM crawls WHERE agent_id = $1 AND source_id = $2" },
};
// clang-format on
const struct kb_sql_table kb_sql_crawls = { "crawls", sql, KB_COUNTOF(sql) };

bool kb_store_crawl_get(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                        int64_t source_id, struct kb_crawl *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_crawl){ 0 };
	kb_rows_take(&rows, store->db, &sql[GET], KB_VALUES(kb_int(agent_id), kb_int(source_id)));
	while (kb_rows_next(&rows))
		*out = (struct kb_crawl){
			.url = kb_rows_text(&rows, arena, 0),
			.start = kb_rows_text(&rows, arena, 1),
			.is_running = kb_rows_int(&rows, 2) == 1,
			.is_seeded = kb_rows_int(&rows, 3) == 1,
			.began_at = kb_rows_int(&rows, 4),
			.pages = kb_rows_int(&rows, 5),
			.bytes = kb_rows_int(&rows, 6),
			.deep = kb_rows_int(&rows, 7),
			.alike = kb_rows_int(&rows, 8),
			.crowded = kb_rows_int(&rows, 9),
			.forbidden = kb_rows_int(&rows, 10),
		};
	return kb_rows_close(&rows, err);
}

bool kb_store_crawl_waiting(struct kb_store *store, int64_t agent_id, int64_t source_id,
                            int64_t *count, struct kb_err *err)
{
	return kb_db_read_int(store->db, &sql[WAITING],
	                      KB_VALUES(kb_int(agent_id), kb_int(source_id)), 0, count, err);
}

bool kb_store_crawl_pages(struct kb_store *store, int64_t agent_id, int64_t source_id,
                          int64_t limit, int64_t *count, struct kb_err *err)
{
	return kb_db_read_int(store->db, &sql[PAGES],
	                      KB_VALUES(kb_int(agent_id), kb_int(source_id), kb_int(limit)), 0,
	                      count, err);
}

/* ---- its reading ---- */

bool kb_crawl_begin(struct kb_db_conn *conn, int64_t agent_id, int64_t source_id, struct kb_sv url,
                    int64_t now, struct kb_err *err)
{
	return kb_db_run(conn, &sql[BEGIN],
	                 KB_VALUES(kb_int(agent_id), kb_int(source_id), kb_text(url), kb_int(now)),
	                 NULL, err);
}

struct step {
	struct kb_arena arena;
	const struct kb_source_lease *lease;
	enum { STEP_BEGIN, STEP_SEEDED } what;
	int64_t now;
};

static bool step(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct step *in = arg;
	const struct kb_source *source = &in->lease->source;
	struct kb_source now;
	int64_t version;

	if (!kb_source_held(conn, &in->arena, in->lease, &now, &version, err))
		return false;
	return in->what == STEP_BEGIN
	               ? kb_crawl_begin(conn, source->agent_id, source->id, source->url, in->now,
	                                err)
	               : kb_db_run(conn, &sql[SEEDED],
	                           KB_VALUES(kb_int(source->agent_id), kb_int(source->id)), NULL,
	                           err);
}

static bool take_step(struct kb_store *store, struct step in, struct kb_err *err)
{
	bool ok;

	in.now = kb_store_now(store);
	ok = kb_db_write(store->db, step, &in, err);
	kb_arena_fini(&in.arena);
	return ok;
}

bool kb_store_crawl_begin(struct kb_store *store, const struct kb_source_lease *lease,
                          struct kb_err *err)
{
	return take_step(store, (struct step){ .lease = lease, .what = STEP_BEGIN }, err);
}

bool kb_store_crawl_seeded(struct kb_store *store, const struct kb_source_lease *lease,
                           struct kb_err *err)
{
	return take_step(store, (struct step){ .lease = lease, .what = STEP_SEEDED }, err);
}

struct requeue {
	struct kb_arena arena;
	const struct kb_crawl_again *again;
	int64_t now, last;
	size_t count;
};

static bool requeue_one(struct kb_db_conn *conn, struct requeue *in, struct kb_page_row *row,
                        struct kb_totals *totals, struct kb_err *err)
{
	/* A page of before it was a website has not said yet what it leads to. */
	if ((in->again->anew || row->page.depth == 0)
	    && !kb_db_run(conn, &sql[FORGET],
	                  KB_VALUES(kb_int(row->page.agent_id), kb_int(row->page.id),
	                            kb_int(in->again->depth)),
	                  NULL, err))
		return false;
	if (row->state != KB_PAGE_DONE)
		return true;
	kb_totals_count(totals, row, -1);
	if (!kb_page_queue(conn, row, in->now, in->now, err))
		return false;
	kb_totals_count(totals, row, 1);
	return true;
}

static bool requeue(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct requeue *in = arg;
	const struct kb_source_lease *lease = in->again->lease;
	const struct kb_source *source = &lease->source;
	struct kb_totals totals = { 0 };
	struct kb_page_row *pages;
	struct kb_source held;
	struct kb_db_rows rows;
	int64_t version;

	in->count = 0; /* it may be run again */
	in->last = in->again->after;
	if (!kb_source_held(conn, &in->arena, lease, &held, &version, err))
		return false;
	pages = KB_NEW_ARRAY(&in->arena, REQUEUED_AT_ONCE, struct kb_page_row);
	kb_rows_open(&rows, conn, &sql[STALE],
	             KB_VALUES(kb_int(source->agent_id), kb_int(source->id), kb_int(in->last),
	                       kb_int(REQUEUED_AT_ONCE)));
	while (kb_rows_next(&rows)) {
		kb_page_read(&rows, &in->arena, &pages[in->count++]);
	}
	if (!kb_rows_close(&rows, err))
		return false;
	for (size_t i = 0; i < in->count; i++)
		if (!requeue_one(conn, in, &pages[i], &totals, err))
			return false;
	if (in->count)
		in->last = pages[in->count - 1].page.id;
	return kb_totals_add(conn, source->agent_id, &totals, err)
	       && kb_turn_settle(conn, source->agent_id, err);
}

bool kb_store_crawl_requeue(struct kb_store *store, struct kb_crawl_again *again, bool *more,
                            struct kb_err *err)
{
	struct requeue in = { .again = again, .now = kb_store_now(store) };
	bool ok = kb_db_write(store->db, requeue, &in, err);

	if (ok)
		again->after = in.last;
	*more = ok && in.count == REQUEUED_AT_ONCE;
	kb_arena_fini(&in.arena);
	return ok;
}

struct start {
	int64_t agent_id, source_id;
	struct kb_sv start;
};

static bool set_start(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct start *in = arg;

	return kb_db_run(conn, &sql[START],
	                 KB_VALUES(kb_int(in->agent_id), kb_int(in->source_id), kb_text(in->start)),
	                 NULL, err);
}

bool kb_store_crawl_set_start(struct kb_store *store, int64_t agent_id, int64_t source_id,
                              struct kb_sv start, struct kb_err *err)
{
	struct start in = { agent_id, source_id, start };

	return kb_db_write(store->db, set_start, &in, err);
}

bool kb_crawl_ended(struct kb_db_conn *conn, int64_t agent_id, int64_t source_id,
                    struct kb_err *err)
{
	return kb_db_run(conn, &sql[ENDED], KB_VALUES(kb_int(agent_id), kb_int(source_id)), NULL,
	                 err);
}

bool kb_crawl_fetched(struct kb_db_conn *conn, int64_t agent_id, int64_t source_id, int64_t bytes,
                      struct kb_err *err)
{
	return kb_db_run(conn, &sql[FETCHED],
	                 KB_VALUES(kb_int(agent_id), kb_int(source_id), kb_int(bytes)), NULL, err);
}

bool kb_crawl_drop(struct kb_db_conn *conn, int64_t agent_id, int64_t source_id, struct kb_err *err)
{
	for (int i = DROP_ALIASES; i <= DROP; i++)
		if (!kb_db_run(conn, &sql[i], KB_VALUES(kb_int(agent_id), kb_int(source_id)), NULL,
		               err))
			return false;
	return true;
}

/* ---- what its pages lead to ---- */

bool kb_crawl_add_alias(struct kb_db_conn *conn, int64_t agent_id, int64_t source_id,
                        struct kb_sv url, struct kb_err *err)
{
	return kb_db_run(conn, &sql[ALIAS],
	                 KB_VALUES(kb_int(agent_id), kb_text(url), kb_int(source_id)), NULL, err);
}

bool kb_crawl_knows(struct kb_db_conn *conn, int64_t agent_id, struct kb_sv url, bool *known,
                    struct kb_err *err)
{
	int64_t aliases, pages = 0;

	if (!kb_db_int(conn, &sql[IS_ALIAS], KB_VALUES(kb_int(agent_id), kb_text(url)), 0, &aliases,
	               err)
	    || (aliases == 0 && !kb_page_has_url(conn, agent_id, url, &pages, err)))
		return false;
	*known = aliases + pages > 0;
	return true;
}

bool kb_store_crawl_new_links(struct kb_store *store, int64_t agent_id, struct kb_page_link *links,
                              size_t *count, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	size_t kept = 0;
	bool ok = conn != NULL;

	for (size_t i = 0; ok && i < *count; i++) {
		bool known = false;

		ok = kb_crawl_knows(conn, agent_id, links[i].url, &known, err);
		if (!known)
			links[kept++] = links[i];
	}
	if (conn)
		kb_db_give(store->db, conn);
	*count = kept;
	return ok;
}

/* Whether there may be one more of its shape, which is counted then. */
static bool take_shape(struct kb_db_conn *conn, const struct kb_page_row *from,
                       const struct kb_page_link *link, bool *taken, struct kb_err *err)
{
	const struct kb_page *page = &from->page;
	int64_t addresses = 0;

	*taken = true;
	if (link->shape.n == 0 || link->most == 0)
		return true;
	if (!kb_db_int(conn, &sql[SHAPE],
	               KB_VALUES(kb_int(page->agent_id), kb_int(page->source_id),
	                         kb_text(link->shape)),
	               0, &addresses, err))
		return false;
	*taken = addresses < link->most;
	return !*taken
	       || kb_db_run(conn, &sql[SHAPE_ADD],
	                    KB_VALUES(kb_int(page->agent_id), kb_int(page->source_id),
	                              kb_text(link->shape)),
	                    NULL, err);
}

struct follow {
	const struct kb_crawl_write *write;
	const struct kb_page_row *from;
	const struct kb_page_found *found;
	int64_t pages; /* of the crawl */
	int64_t added, alike, crowded;
};

static bool follow_link(struct kb_db_conn *conn, struct follow *in, const struct kb_page_link *link,
                        struct kb_err *err)
{
	const struct kb_page *page = &in->from->page;
	struct kb_page_row_new row = {
		.agent_id = page->agent_id,
		.source_id = page->source_id,
		.due_at = in->write->now,
		.now = in->write->now,
		.page = &(struct kb_page_new){ .url = link->url,
		                               .depth = page->depth + !in->found->moved },
		.reason = kb_page_waits_for_host(),
		.listed_at = link->listed_at,
		.listed_image = link->image,
		.seen = link->seen,
	};
	bool known, taken;

	if (!kb_crawl_knows(conn, page->agent_id, link->url, &known, err))
		return false;
	if (known)
		return true;
	if (in->pages + in->added >= in->found->pages_most) {
		in->crowded++;
		return true;
	}
	if (!take_shape(conn, in->from, link, &taken, err))
		return false;
	if (!taken) {
		in->alike++;
		return true;
	}
	in->added++;
	return kb_db_next_id(conn, "page", 1, &row.id, err)
	       && kb_page_insert(conn, in->write->arena, &row, err);
}

bool kb_crawl_follow(struct kb_db_conn *conn, const struct kb_crawl_write *write,
                     struct kb_page_row *from, const struct kb_page_found *found,
                     struct kb_err *err)
{
	struct follow in = { .write = write, .from = from, .found = found };
	struct kb_db_value agent = kb_int(from->page.agent_id);
	struct kb_db_value source = kb_int(from->page.source_id);

	if (!kb_db_int(conn, &sql[RUNNING], KB_VALUES(agent, source), 0, &in.pages, err))
		return false;
	/* Nobody reads its website now. */
	if (in.pages == 0)
		in.crowded = (int64_t)found->count;
	for (size_t i = 0; in.pages && i < found->count; i++)
		if (!follow_link(conn, &in, &found->links[i], err))
			return false;
	/* "Not modified" would hide from the next reading what this one has left out. */
	if (in.crowded || found->deep)
		from->page.etag = from->page.last_modified = KB_SV("");
	write->totals->pages_found += in.added;
	return in.pages == 0
	       || in.added + in.alike + in.crowded + found->deep + found->endless + found->forbidden
	                  == 0
	       || kb_db_run(conn, &sql[ADD],
	                    KB_VALUES(agent, source, kb_int(in.added), kb_int(found->deep),
	                              kb_int(in.alike + found->endless), kb_int(in.crowded),
	                              kb_int(found->forbidden)),
	                    NULL, err);
}
