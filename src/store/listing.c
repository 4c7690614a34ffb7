/* What the reading of a source brings: new pages, dates and pictures of those that are there, and
 * which are no longer listed. */
#include "store/crawls_own.h"
#include "store/lists.h"
#include "store/sources_own.h"
#include "store/store_own.h"

enum { SEEN, UNSEEN, FINISH, FAIL_PAGE };
// clang-format off
static const struct kb_sql sql[] = {
	[SEEN] = { "listing_seen", "iiiti",
		"UPDATE pages SET listed_at = $3, listed_image = $4, seen = $5 "
		"WHERE agent_id = $1 AND id = $2" },
	[UNSEEN] = { "listing_unseen", "iiiii",
		"SELECT " KB_NAMES(KB_PAGES) " FROM pages WHERE agent_id = $1 AND source_id = $2 AND id > $5 "
		"AND seen <> $3 AND parent_id = 0 ORDER BY id LIMIT $4" },
	[FINISH] = { "listing_finish", "iiitiii",
		"UPDATE sources SET state = 0, status = $3, reason = $4, due_at = $5, attempts = $6, "
		"synced_at = $7 WHERE agent_id = $1 AND id = $2" },
	[FAIL_PAGE] = { "listing_fail_page", "iiti",
		"UPDATE pages SET state = " KB_SQL(PAGE_DONE) ", due_at = 0, to_fetch = 0, "
		"crawl_status = " KB_SQL(STATUS_FAILED) ", index_status = " KB_SQL(STATUS_NA) ", "
		"reason = $3, updated_at = $4 WHERE agent_id = $1 AND id = $2" },
};
// clang-format on
const struct kb_sql_table kb_sql_listing = { "listing", sql, KB_COUNTOF(sql) };

/* ---- what is listed ---- */

struct found {
	struct kb_arena arena;
	const struct kb_source_lease *lease;
	const struct kb_listing *listing;
	int64_t now, queued;
	struct kb_totals totals;
};

static int64_t next_fetch(struct found *in)
{
	return in->now + (in->listing->planned + in->queued++) * in->listing->pause_us;
}

static bool add_new(struct kb_db_conn *conn, struct found *in, const struct kb_listed *listed,
                    struct kb_err *err)
{
	struct kb_page_row_new row = {
		.agent_id = in->lease->source.agent_id,
		.source_id = in->lease->source.id,
		.now = in->now,
		.page = &(struct kb_page_new){ .url = listed->url, .depth = in->listing->depth },
		.reason = kb_page_waits_for_host(),
		.listed_at = listed->modified_at,
		.listed_image = listed->image,
		.seen = in->lease->epoch,
	};

	row.due_at = next_fetch(in);
	in->totals.pages_found++;
	return kb_db_next_id(conn, "page", 1, &row.id, err)
	       && kb_page_insert(conn, &in->arena, &row, err);
}

/* The same of what a sitemap of a website lists, by the same rules as its links. */
static bool add_to_crawl(struct kb_db_conn *conn, struct found *in, const struct kb_listed *listed,
                         struct kb_err *err)
{
	const struct kb_source *source = &in->lease->source;
	struct kb_page_row from = { .page = { .agent_id = source->agent_id,
		                              .source_id = source->id,
		                              .depth = in->listing->depth - 1 } };
	struct kb_page_link link = { .url = listed->url,
		                     .listed_at = listed->modified_at,
		                     .image = listed->image,
		                     .seen = in->lease->epoch };
	int64_t before = in->totals.pages_found;

	if (!in->listing->add_new
	    || !kb_crawl_follow(
	            conn, &(struct kb_crawl_write){ &in->arena, in->now, &in->totals }, &from,
	            &(struct kb_page_found){
	                    .links = &link, .count = 1, .pages_most = in->listing->pages_most },
	            err))
		return !in->listing->add_new;
	in->queued += in->totals.pages_found - before;
	return true;
}

/* Whether a page that is done goes back to the queue. */
static bool is_fetched_again(const struct kb_listing *listing, const struct kb_page_row *row,
                             const struct kb_listed *listed)
{
	if (row->state != KB_PAGE_DONE)
		return false;
	if (!row->is_found && row->page.index != KB_STATUS_OK)
		return listing->add_new;
	switch (listing->refetch) {
	case KB_REFETCH_NEVER:
		return false;
	case KB_REFETCH_ALWAYS:
		return true;
	case KB_REFETCH_IF_UPDATED:
		break;
	}
	/* A date without a time may mean the end of that day. */
	return listed->modified_at == 0 || row->page.crawl != KB_STATUS_OK
	       || listed->modified_at + KB_DAY_US > row->page.answered_at;
}

static bool see_again(struct kb_db_conn *conn, struct found *in, const struct kb_listed *listed,
                      struct kb_page_row *row, struct kb_err *err)
{
	const struct kb_listing *listing = in->listing;
	struct kb_sv image = row->page.listed_image;

	/* A page that a link led to is new to the list that names it for the first time. */
	if (listed->image.n
	    && (image.n ? listing->replace_images : listing->add_images || row->seen == 0))
		image = listed->image;
	if (!kb_db_run(conn, &sql[SEEN],
	               KB_VALUES(kb_int(row->page.agent_id), kb_int(row->page.id),
	                         kb_int(listed->modified_at), kb_text(image),
	                         kb_int(in->lease->epoch)),
	               NULL, err))
		return false;
	if (!is_fetched_again(listing, row, listed))
		return true;
	kb_totals_count(&in->totals, row, -1);
	if (!kb_page_queue(conn, row, next_fetch(in), in->now, err))
		return false;
	kb_totals_count(&in->totals, row, 1);
	return true;
}

static bool found_all(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct found *in = arg;
	const struct kb_source_lease *lease = in->lease;
	struct kb_source source;
	int64_t version;

	in->queued = 0; /* it may be run again */
	in->totals = (struct kb_totals){ 0 };
	if (!kb_source_held(conn, &in->arena, lease, &source, &version, err))
		return false;
	for (size_t i = 0; i < in->listing->count; i++) {
		const struct kb_listed *listed = &in->listing->v[i];
		struct kb_page_row row;
		bool ok = true;

		if (!kb_page_load_url(conn, &in->arena, lease->source.agent_id, listed->url, &row,
		                      err))
			return false;
		if (!row.page.id && in->listing->depth)
			ok = add_to_crawl(conn, in, listed, err);
		else if (!row.page.id && in->listing->add_new)
			ok = add_new(conn, in, listed, err);
		else if (row.page.id && row.page.source_id == lease->source.id
		         && row.seen != lease->epoch) /* not twice in one reading */
			ok = see_again(conn, in, listed, &row, err);
		if (!ok)
			return false;
	}
	return kb_totals_add(conn, lease->source.agent_id, &in->totals, err)
	       && kb_turn_settle(conn, lease->source.agent_id, err);
}

bool kb_store_source_found(struct kb_store *store, const struct kb_source_lease *lease,
                           const struct kb_listing *listing, int64_t *queued, struct kb_err *err)
{
	struct found in = { .lease = lease, .listing = listing, .now = kb_store_now(store) };
	bool ok = kb_db_write(store->db, found_all, &in, err);

	*queued = ok ? in.queued : 0;
	kb_arena_fini(&in.arena);
	return ok;
}

/* ---- what is not ---- */

struct drop {
	struct kb_arena arena;
	const struct kb_source_lease *lease;
	size_t max;
	int64_t after, last, removed;
};

static bool drop_unseen(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct drop *in = arg;
	int64_t agent_id = in->lease->source.agent_id, version;
	struct kb_totals totals = { 0 };
	struct kb_page_row *pages = NULL;
	struct kb_source source;
	struct kb_db_rows rows;
	size_t count = 0;

	if (!kb_source_held(conn, &in->arena, in->lease, &source, &version, err))
		return false;
	kb_rows_open(&rows, conn, &sql[UNSEEN],
	             KB_VALUES(kb_int(agent_id), kb_int(in->lease->source.id),
	                       kb_int(in->lease->epoch), kb_int((int64_t)in->max),
	                       kb_int(in->after)));
	while (kb_rows_next(&rows)) {
		KB_ROOM(&in->arena, pages, count);
		kb_page_read(&rows, &in->arena, &pages[count++]);
	}
	if (!kb_rows_close(&rows, err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!kb_page_remove(conn, &pages[i], version + 1, &totals, err))
			return false;
	in->removed = (int64_t)count;
	in->last = count ? pages[count - 1].page.id : in->after;
	return count == 0
	       || (kb_agent_publish(conn, agent_id, version + 1, false, err)
	           && kb_totals_add(conn, agent_id, &totals, err)
	           && kb_turn_settle(conn, agent_id, err));
}

bool kb_store_source_drop_unseen(struct kb_store *store, const struct kb_source_lease *lease,
                                 size_t max, int64_t *after, int64_t *removed, struct kb_err *err)
{
	struct drop in = { .lease = lease, .max = max, .after = *after };
	bool ok = kb_db_write(store->db, drop_unseen, &in, err);

	*removed = ok ? in.removed : 0;
	*after = ok ? in.last : *after;
	kb_arena_fini(&in.arena);
	return ok;
}

/* ---- the end ---- */

struct finish {
	struct kb_arena arena;
	const struct kb_source_lease *lease;
	const struct kb_source_result *result;
	int64_t now;
};

/* The page that stands for the source's own address: there while the source has failed. */
static bool mark_page(struct kb_db_conn *conn, struct finish *in, int64_t version,
                      struct kb_err *err)
{
	const struct kb_source *source = &in->lease->source;
	bool failed = in->result->status == KB_STATUS_FAILED, found;
	struct kb_page_row_new new = {
		.agent_id = source->agent_id,
		.source_id = source->id,
		.due_at = in->now,
		.now = in->now,
		.page = &(struct kb_page_new){ .url = source->url },
		.seen = in->lease->epoch,
	};
	struct kb_totals totals = { 0 };
	struct kb_page_row row;

	if (!kb_page_load_url(conn, &in->arena, source->agent_id, source->url, &row, err))
		return false;
	found = row.page.id != 0;
	if (found && (row.page.source_id != source->id || row.is_found))
		return true;
	if (!failed)
		/* One that this reading has listed is a page like others. */
		return !found || row.seen == in->lease->epoch
		       || (kb_page_remove(conn, &row, version + 1, &totals, err)
		           && kb_totals_add(conn, source->agent_id, &totals, err)
		           && kb_turn_settle(conn, source->agent_id, err));
	if (!found) {
		totals.pages_found = 1;
		if (!kb_db_next_id(conn, "page", 1, &new.id, err)
		    || !kb_page_insert(conn, &in->arena, &new, err)
		    || !kb_totals_add(conn, source->agent_id, &totals, err))
			return false;
	} else {
		new.id = row.page.id;
		kb_totals_count(&totals, &row, -1);
		row.page.crawl = KB_STATUS_FAILED;
		row.page.index = KB_STATUS_NA;
		kb_totals_count(&totals, &row, 1);
		if (!kb_totals_add(conn, source->agent_id, &totals, err))
			return false;
	}
	return kb_db_run(conn, &sql[FAIL_PAGE],
	                 KB_VALUES(kb_int(source->agent_id), kb_int(new.id),
	                           kb_text(in->result->reason), kb_int(in->now)),
	                 NULL, err)
	       && kb_turn_settle(conn, source->agent_id, err);
}

static bool finish(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct finish *in = arg;
	const struct kb_source_result *result = in->result;
	const struct kb_source *source = &in->lease->source;
	bool again = result->status == KB_STATUS_QUEUED, changed;
	struct kb_source now;
	int64_t version;

	if (!kb_source_held(conn, &in->arena, in->lease, &now, &version, err)
	    || (!again && !result->is_crawl && !mark_page(conn, in, version, err))
	    || (!again && !kb_crawl_ended(conn, source->agent_id, source->id, err)))
		return false;
	changed = !kb_sv_eq(now.settings, source->settings) || !kb_sv_eq(now.url, source->url);
	return kb_db_run(
	        conn, &sql[FINISH],
	        KB_VALUES(kb_int(source->agent_id), kb_int(source->id),
	                  kb_int(changed ? KB_STATUS_QUEUED : result->status),
	                  kb_text(result->reason), kb_int(changed ? in->now : result->due_at),
	                  kb_int(again && !result->is_no_try ? in->lease->attempts : 0),
	                  kb_int(result->status == KB_STATUS_OK ? in->now : now.synced_at)),
	        NULL, err);
}

bool kb_store_source_finish(struct kb_store *store, const struct kb_source_lease *lease,
                            const struct kb_source_result *result, struct kb_err *err)
{
	struct finish in = { .lease = lease, .result = result, .now = kb_store_now(store) };
	bool ok = kb_db_write(store->db, finish, &in, err);

	kb_arena_fini(&in.arena);
	return ok;
}
