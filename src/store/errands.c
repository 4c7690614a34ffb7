/* Errands to addresses: the lines of hosts, leases, and what an errand leaves behind. */
#include "store/errands.h"

#include "store/crawls_own.h"
#include "store/hosts_own.h"
#include "store/lists.h"
#include "store/store_own.h"
#include "store/texts.h"

enum { HIDDEN_AT_ONCE = 100 };

enum { LINES, AGENT, NEXT, SHOWN, LEASE, RELEASE, AGAIN, FETCHED, UNCHANGED, ENDED, RENAME };
// clang-format off
static const struct kb_sql sql[] = {
	/* From one host to the next by the index, however long their lines are. */
	[LINES] = { "errand_lines", "iii",
		"WITH RECURSIVE h (host) AS ("
		"SELECT min(host) FROM pages WHERE state > 0 AND to_fetch = 1 UNION ALL "
		"SELECT (SELECT min(p.host) FROM pages p WHERE p.state > 0 AND p.to_fetch = 1 AND p.host > h.host) "
		"FROM h WHERE h.host IS NOT NULL) "
		"SELECT h.host, (SELECT min(p.due_at) FROM pages p "
		"WHERE p.state > 0 AND p.to_fetch = 1 AND p.host = h.host) AS due, r.host, " KB_HOST_NAMES("r", "$2", "$3")
		" FROM h LEFT JOIN hosts r ON r.host = h.host WHERE h.host IS NOT NULL ORDER BY due LIMIT $1" },
	/* The same, from one agent to the next; it ends at the first that has something due. */
	[AGENT] = { "errand_agent", "tiii",
		"WITH RECURSIVE h (agent_id) AS ("
		"SELECT min(agent_id) FROM pages WHERE state > 0 AND to_fetch = 1 AND host = $1 AND agent_id > $3 UNION ALL "
		"SELECT (SELECT min(p.agent_id) FROM pages p WHERE p.state > 0 AND p.to_fetch = 1 AND p.host = $1 "
		"AND p.agent_id > h.agent_id) FROM h WHERE h.agent_id IS NOT NULL) "
		"SELECT h.agent_id FROM h WHERE h.agent_id IS NOT NULL AND h.agent_id <> $4 AND EXISTS ("
		"SELECT 1 FROM pages p WHERE p.state > 0 AND p.to_fetch = 1 AND p.host = $1 "
		"AND p.agent_id = h.agent_id AND p.due_at <= $2) LIMIT 1" },
	[NEXT] = { "errand_next", "tii",
		"SELECT " KB_NAMES(KB_PAGES) " FROM pages WHERE state > 0 AND to_fetch = 1 AND host = $1 "
		"AND agent_id = $2 AND due_at <= $3 ORDER BY due_at, id LIMIT 1" },
	[SHOWN] = { "errand_shown", "ii",
		"SELECT count(*) FROM sources s JOIN agents a ON a.id = s.agent_id "
		"WHERE s.agent_id = $1 AND s.id = $2 AND s.dead_version = 0 AND a.state = " KB_SQL(AGENT_THERE) },
	/* Unless somebody else took it since it was read. */
	[LEASE] = { "errand_lease", "iiiiii",
		"UPDATE pages SET state = " KB_SQL(PAGE_LEASED) ", due_at = $3, lease_node = $4, lease_epoch = lease_epoch + 1, "
		"attempts = attempts + 1 WHERE agent_id = $1 AND id = $2 AND state > 0 AND lease_epoch = $5 AND due_at = $6" },
	[RELEASE] = { "errand_release", "iii",
		"UPDATE pages SET state = " KB_SQL(PAGE_QUEUED) ", due_at = $3, attempts = attempts - 1 "
		"WHERE agent_id = $1 AND id = $2" },
	[AGAIN] = { "errand_again", "iiitiii",
		"UPDATE pages SET state = " KB_SQL(PAGE_QUEUED) ", due_at = $3, reason = $4, visited_at = $5, updated_at = $6, "
		"rendering = $7 WHERE agent_id = $1 AND id = $2" },
	[FETCHED] = { "errand_fetched", "iittttitiii",
		"UPDATE pages SET state = " KB_SQL(PAGE_QUEUED) ", due_at = $9, to_fetch = 0, attempts = 0, "
		"crawl_status = " KB_SQL(STATUS_OK) ", index_status = " KB_SQL(STATUS_QUEUED) ", "
		"blob = $3, content_type = $4, etag = $5, last_modified = $6, size = $7, "
		"reason = $8, visited_at = $9, updated_at = $9, robots = $10, rendering = $11 WHERE agent_id = $1 AND id = $2" },
	[UNCHANGED] = { "errand_unchanged", "iii",
		"UPDATE pages SET state = " KB_SQL(PAGE_DONE) ", due_at = 0, to_fetch = 0, attempts = 0, "
		"crawl_status = " KB_SQL(STATUS_OK) ", index_status = " KB_SQL(STATUS_OK) ", reason = '', visited_at = $3, updated_at = $3 "
		"WHERE agent_id = $1 AND id = $2" },
	[ENDED] = { "errand_ended", "iiiitii",
		"UPDATE pages SET state = " KB_SQL(PAGE_DONE) ", due_at = 0, to_fetch = 0, attempts = 0, crawl_status = $3, "
		"index_status = $4, reason = $5, visited_at = $6, updated_at = $7 "
		"WHERE agent_id = $1 AND id = $2" },
	[RENAME] = { "errand_rename", "iittt",
		"UPDATE pages SET url = $3, url_key = $4, host = $5 WHERE agent_id = $1 AND id = $2" },
};
// clang-format on
const struct kb_sql_table kb_sql_errands = { "errands", sql, KB_COUNTOF(sql) };

/* What is kept of the host; zeros where nothing is. */
static void read_host(struct kb_db_rows *rows, struct kb_arena *arena, int at,
                      struct kb_host_row *out)
{
	*out = (struct kb_host_row){ 0 };
	if (kb_rows_text(rows, arena, at).p)
		kb_host_row_read(rows, at + 1, out);
}

bool kb_store_host_lines(struct kb_store *store, struct kb_arena *arena, size_t max,
                         struct kb_host_line **lines, size_t *count, struct kb_err *err)
{
	int64_t now = kb_store_now(store);
	struct kb_db_rows rows;

	*lines = NULL;
	*count = 0;
	kb_rows_take(&rows, store->db, &sql[LINES],
	             KB_VALUES(kb_int((int64_t)max), kb_int(store->node),
	                       kb_int(now - KB_NODE_ALIVE_US)));
	while (kb_rows_next(&rows)) {
		struct kb_host_row row;

		read_host(&rows, arena, 2, &row);
		KB_ROOM(arena, *lines, *count)
		[*count] = (struct kb_host_line){ .host = kb_rows_text(&rows, arena, 0),
			                          .due_at = kb_rows_int(&rows, 1),
			                          .wait_us = kb_host_page_in(&row, now),
			                          .is_failing = kb_host_is_failing(&row, now) };
		++*count;
	}
	return kb_rows_close(&rows, err);
}

struct lease {
	struct kb_arena *arena;
	struct kb_host_moment at;
	int64_t until;
	struct kb_host_row host;
	struct kb_errand_lease *out;
};

/* Whose turn it is; 0: nobody's. */
static bool next_agent(struct kb_db_conn *conn, const struct lease *in, int64_t *agent,
                       struct kb_err *err)
{
	int64_t but = kb_host_held_by(&in->host, in->at.now);

	for (int64_t after = in->host.last_agent;; after = 0) {
		if (!kb_db_int(conn, &sql[AGENT],
		               KB_VALUES(kb_text(in->at.host), kb_int(in->at.now), kb_int(after),
		                         kb_int(but)),
		               0, agent, err))
			return false;
		if (*agent || after == 0)
			return true;
	}
}

/* Leases the next page of the line. */
static bool lease_one(struct kb_db_conn *conn, struct lease *in, bool *any, int64_t *shown,
                      struct kb_err *err)
{
	struct kb_page_row row = { 0 };
	struct kb_db_rows rows;
	int64_t agent, changed;

	*any = false;
	if (!next_agent(conn, in, &agent, err))
		return false;
	if (agent == 0)
		return true;
	kb_rows_open(&rows, conn, &sql[NEXT],
	             KB_VALUES(kb_text(in->at.host), kb_int(agent), kb_int(in->at.now)));
	while (kb_rows_next(&rows)) {
		kb_page_read(&rows, in->arena, &row);
		*any = true;
	}
	if (!kb_rows_close(&rows, err) || !*any)
		return !rows.failed;
	row.page.attempts++;
	in->out->page = (struct kb_lease){ .page = row.page, .epoch = row.lease_epoch + 1 };
	if (!kb_db_int(conn, &sql[SHOWN],
	               KB_VALUES(kb_int(row.page.agent_id), kb_int(row.page.source_id)), 0, shown,
	               err)
	    || !kb_db_run(conn, &sql[LEASE],
	                  KB_VALUES(kb_int(row.page.agent_id), kb_int(row.page.id),
	                            kb_int(in->until), kb_int(in->at.node), kb_int(row.lease_epoch),
	                            kb_int(row.due_at)),
	                  &changed, err))
		return false;
	*shown *= changed; /* a page that is somebody else's now is as if it were hidden */
	return true;
}

/* A page whose agent or source is deleted is leased for nobody: so it is out of the line until its
 * row goes. A source of a whole website may have many, so it is some of them at a time. */
static bool find_page(struct kb_db_conn *conn, struct lease *in, bool *found, struct kb_err *err)
{
	*found = false;
	for (int i = 0; i < HIDDEN_AT_ONCE && !*found; i++) {
		int64_t shown = 0;
		bool any;

		if (!lease_one(conn, in, &any, &shown, err))
			return false;
		if (!any)
			break;
		*found = shown > 0;
	}
	return true;
}

static bool lease(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct lease *in = arg;
	struct kb_errand_lease *out = in->out;
	bool found = false;

	*out = (struct kb_errand_lease){ 0 };
	if (!kb_host_lock(conn, &in->at, &in->host, err))
		return false;
	if (kb_host_page_in(&in->host, in->at.now))
		return true;
	if (!find_page(conn, in, &found, err))
		return false;
	if (found) {
		int64_t agent = out->page.page.agent_id;

		out->hold = (struct kb_host_hold){ kb_arena_sv(in->arena, in->at.host), agent,
			                           in->at.now };
		return kb_host_hold(conn, &in->at, agent, true, &in->host, err);
	}
	out->page = (struct kb_lease){ 0 };
	return !kb_host_held_by(&in->host, in->at.now)
	       || kb_host_has_no_other(conn, &in->at, &in->host, err);
}

bool kb_store_errand_lease(struct kb_store *store, struct kb_arena *arena, struct kb_sv host,
                           int64_t lease_us, struct kb_errand_lease *out, struct kb_err *err)
{
	struct lease in = { .arena = arena,
		            .at = { host, store->node, kb_store_now(store) },
		            .out = out };

	in.until = in.at.now + lease_us;
	if (kb_lease_write(store, lease, &in, err))
		return true;
	*out = (struct kb_errand_lease){ 0 }; /* it may have come half way */
	return false;
}

/* ---- what comes of it ---- */

struct done {
	struct kb_arena arena;
	const struct kb_errand *errand;
	int64_t now;
};

/* The statuses of an errand without a document. What can be found is still indexed. */
static bool end(struct kb_db_conn *conn, struct done *in, struct kb_page_row *row,
                struct kb_totals *totals, struct kb_err *err)
{
	const struct kb_errand *errand = in->errand;
	struct kb_page *page = &row->page;

	page->crawl = errand->outcome == KB_ERRAND_LIMITED ? KB_STATUS_LIMITED : KB_STATUS_FAILED;
	page->index = row->is_found                          ? KB_STATUS_OK
	              : errand->outcome == KB_ERRAND_LIMITED ? KB_STATUS_LIMITED
	                                                     : KB_STATUS_NA;
	kb_totals_count(totals, row, 1);
	return kb_db_run(conn, &sql[ENDED],
	                 KB_VALUES(kb_int(page->agent_id), kb_int(page->id), kb_int(page->crawl),
	                           kb_int(page->index), kb_text(errand->reason),
	                           kb_int(errand->outcome == KB_ERRAND_LIMITED ? page->answered_at
	                                                                       : in->now),
	                           kb_int(in->now)),
	                 NULL, err);
}

static bool remove_page(struct kb_db_conn *conn, const struct kb_errand *errand,
                        const struct kb_page_row *row, int64_t version, struct kb_totals *totals,
                        struct kb_err *err)
{
	const struct kb_page *page = &row->page;

	return kb_page_remove(conn, row, version + 1, totals, err)
	       && kb_agent_publish(conn, page->agent_id, version + 1, false, err)
	       && ((errand->name.n == 0 && !errand->is_alias)
	           || kb_crawl_add_alias(conn, page->agent_id, page->source_id, page->url, err));
}

/* The page is where its redirects end, and known by that alone. *gone: the agent has that page. */
static bool take_name(struct kb_db_conn *conn, struct done *in, struct kb_page_row *row,
                      struct kb_totals *totals, bool *gone, struct kb_err *err)
{
	const struct kb_page *page = &row->page;
	struct kb_sv name = in->errand->name;

	*gone = false;
	if (name.n == 0 || kb_sv_eq(name, page->url))
		return true;
	if (!kb_crawl_knows(conn, page->agent_id, name, gone, err))
		return false;
	return *gone
	       || (kb_crawl_free_copies(conn, row, totals, err)
	           && kb_crawl_add_alias(conn, page->agent_id, page->source_id, page->url, err)
	           && kb_db_run(conn, &sql[RENAME],
	                        KB_VALUES(kb_int(page->agent_id), kb_int(page->id), kb_text(name),
	                                  kb_text(kb_store_fold(&in->arena, name)),
	                                  kb_text(kb_page_host(name))),
	                        NULL, err));
}

static bool apply(struct kb_db_conn *conn, struct done *in, struct kb_page_row *row,
                  int64_t version, struct kb_totals *totals, struct kb_err *err)
{
	const struct kb_errand *errand = in->errand;
	struct kb_page *page = &row->page;
	struct kb_db_value agent_id = kb_int(page->agent_id), id = kb_int(page->id);
	bool gone;

	switch (errand->outcome) {
	case KB_ERRAND_RELEASED:
		return kb_db_run(conn, &sql[RELEASE],
		                 KB_VALUES(agent_id, id, kb_int(errand->next_try_at)), NULL, err);
	case KB_ERRAND_AGAIN:
		return kb_db_run(conn, &sql[AGAIN],
		                 KB_VALUES(agent_id, id, kb_int(errand->next_try_at),
		                           kb_text(errand->reason), kb_int(in->now),
		                           kb_int(in->now), kb_int(errand->rendering)),
		                 NULL, err);
	case KB_ERRAND_GONE:
		return remove_page(conn, errand, row, version, totals, err);
	case KB_ERRAND_FETCHED:
		if (!take_name(conn, in, row, totals, &gone, err))
			return false;
		if (gone)
			return remove_page(conn, errand, row, version, totals, err);
		kb_totals_count(totals, row, -1);
		page->crawl = KB_STATUS_OK;
		page->index = KB_STATUS_QUEUED;
		page->size = errand->size;
		kb_totals_count(totals, row, 1);
		totals->crawl_credits++;
		return kb_db_run(conn, &sql[FETCHED],
		                 KB_VALUES(agent_id, id, kb_text(errand->blob),
		                           kb_text(errand->content_type), kb_text(errand->etag),
		                           kb_text(errand->last_modified), kb_int(errand->size),
		                           kb_text(KB_SV("fetched, waiting to be read")),
		                           kb_int(in->now), kb_int(errand->robots),
		                           kb_int(errand->rendering)),
		                 NULL, err)
		       && (!errand->is_of_crawl
		           || kb_crawl_fetched(conn, page->agent_id, page->source_id, errand->size,
		                               err));
	case KB_ERRAND_UNCHANGED:
		kb_totals_count(totals, row, -1);
		page->crawl = page->index = KB_STATUS_OK;
		kb_totals_count(totals, row, 1);
		return kb_db_run(conn, &sql[UNCHANGED], KB_VALUES(agent_id, id, kb_int(in->now)),
		                 NULL, err);
	case KB_ERRAND_FAILED:
	case KB_ERRAND_LIMITED:
		kb_totals_count(totals, row, -1);
		return end(conn, in, row, totals, err);
	}
	return kb_fail(err, KB_E_INVALID, "an errand of no known outcome");
}

/* After these the page is on its way still. */
#define BIT(outcome) (1U << (outcome))
#define STAYS        (BIT(KB_ERRAND_FETCHED) | BIT(KB_ERRAND_AGAIN) | BIT(KB_ERRAND_RELEASED))

static bool done(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct done *in = arg;
	const struct kb_errand *errand = in->errand;
	struct kb_totals totals = { 0 };
	struct kb_page_row row;
	int64_t version;

	if (!kb_agent_lock(conn, errand->agent_id, &version, err)
	    || !kb_page_load(conn, &in->arena, errand->agent_id, errand->page_id, &row, err))
		return false;
	if (!row.page.id || row.state != KB_PAGE_LEASED || row.lease_epoch != errand->epoch)
		return true;
	totals.now = in->now;
	totals.finished = !(BIT(errand->outcome) & STAYS);
	return apply(conn, in, &row, version, &totals, err)
	       && kb_totals_add(conn, errand->agent_id, &totals, err)
	       && kb_turn_settle(conn, errand->agent_id, err);
}

bool kb_store_errand_done(struct kb_store *store, const struct kb_errand *errand,
                          struct kb_err *err)
{
	struct done in = { .errand = errand, .now = kb_store_now(store) };
	bool ok = kb_db_write(store->db, done, &in, err);

	kb_arena_fini(&in.arena);
	/* The agent was deleted meanwhile. */
	return ok || err->code == KB_E_NOT_FOUND;
}
