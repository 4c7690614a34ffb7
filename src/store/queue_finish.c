/* The commit point of ingestion: what was read of pages becomes true, all of it or nothing. */
#include "store/queue.h"

#include "store/agents_own.h"
#include "store/chores_own.h"
#include "store/crawls_own.h"
#include "store/lists.h"
#include "store/paths.h"
#include "store/segments_own.h"
#include "store/store_own.h"

enum { FINISH };

/* What the end of a lease writes. */
#define FINISHED(FIRST, NEXT)                                                                      \
	KB_PAGE_TURN(FIRST, NEXT)                                                                  \
	KB_PAGE_RESULT(NEXT, NEXT)                                                                 \
	NEXT(t, title_key, title_key)                                                              \
	NEXT(i, to_fetch, fetch)                                                                   \
	KB_PAGE_CHANGED(NEXT, NEXT)
// clang-format off
static const struct kb_sql sql[] = {
	/* Unless somebody took it since it was read: what is written has the epoch of then. */
	[FINISH] = { "queue_finish", "ii" KB_TYPES(FINISHED),
		KB_UPDATE("pages", FINISHED) "WHERE agent_id = $1 AND id = $2 AND lease_epoch = $6 AND state = "
		KB_SQL(PAGE_LEASED) },
};
// clang-format on
const struct kb_sql_table kb_sql_queue_finish = { "queue_finish", sql, KB_COUNTOF(sql) };

static const struct kb_db_columns finished_columns =
        KB_COLUMNS(struct kb_page_row, FINISHED(KB_PAGE_COLUMN, KB_PAGE_COLUMN));

struct finish {
	struct kb_arena arena;
	int64_t agent_id, now;
	const struct kb_page_result *results;
	size_t count;
	const struct kb_segment_new *segment; /* NULL: none */
	bool chores;

	/* What has come of it so far; it may be run again. */
	struct outcome {
		int64_t version; /* of the new segment, if there will be one */
		struct kb_totals totals;
		int64_t *refused; /* pages in the segment that must be dead there */
		size_t refused_count;
		bool died;      /* older passages did */
		bool indexed;   /* a page became OK */
		bool has_alive; /* the segment holds something that can be found */
	} so_far;
};

/* A result that comes too late: the page is gone (its row is zeroed), or somebody else's. */
static bool refuse(struct finish *in, const struct kb_page_result *result,
                   const struct kb_page_row *row, struct kb_err *err)
{
	if (!in->segment || result->index != KB_STATUS_OK || result->passages == 0
	    || result->unchanged)
		return true;
	if (row->is_found)
		return kb_fail(err, KB_E_CONFLICT,
		               "page %" PRId64 " is no longer leased with epoch %" PRId64
		               " and has newer passages than the segment",
		               result->page_id, result->epoch);
	KB_ROOM(&in->arena, in->so_far.refused, in->so_far.refused_count)
	[in->so_far.refused_count] = result->page_id;
	in->so_far.refused_count++;
	return true;
}

/* A day that is yet to come is a template's, or a slip. */
static int64_t dated_at(const struct kb_page_result *result, int64_t now)
{
	return result->dated_at > now + 86400 * KB_SECOND_US ? 0 : result->dated_at;
}

/* The row as the result leaves it. */
static void apply(const struct kb_page_result *result, int64_t now, struct kb_page_row *row)
{
	struct kb_page *page = &row->page;
	bool waits = result->crawl == KB_STATUS_QUEUED || result->index == KB_STATUS_QUEUED;
	bool ok = result->index == KB_STATUS_OK;

	page->crawl = result->crawl;
	page->index = result->index;
	page->reason = result->reason;
	page->copy_of = result->copy_of;
	row->state = waits ? KB_PAGE_QUEUED : KB_PAGE_DONE;
	row->due_at = waits ? result->next_try_at : 0;
	row->is_slow = waits && result->is_slow;
	page->parsed_blob = waits ? result->parsed_blob : KB_SV("");
	if (waits && result->untried)
		page->attempts = KB_MAX(page->attempts - 1, 0);
	page->updated_at = now;
	if (waits && result->wants_browser) {
		page->rendering = KB_RENDERING_WANTED;
		page->attempts = 0;
		row->fetch = true;
	}
	if (result->drop_original) {
		page->blob = KB_SV("");
		page->is_file_kept = false;
	}
	/* What could not be used must not come back as "not modified". */
	if (!ok && !waits)
		page->etag = page->last_modified = KB_SV("");
	if (result->unchanged) {
		page->likeness = result->likeness;
		page->dated_at = dated_at(result, now);
	}
	if (result->unchanged || (!ok && row->is_found))
		return;
	page->text_blob = result->text_blob;
	page->title = result->title;
	page->description = result->description;
	row->page.own_image = result->image;
	page->text_hash = result->text_hash;
	page->likeness = result->likeness;
	page->dated_at = dated_at(result, now);
	page->lang = result->lang;
	page->words = result->words;
	page->passages = result->passages;
	row->is_found = ok && result->passages > 0;
}

static bool follow(struct kb_db_conn *conn, struct finish *in, const struct kb_page_result *result,
                   struct kb_page_row *row, struct kb_err *err)
{
	return kb_crawl_follow(conn,
	                       &(struct kb_crawl_write){ &in->arena, in->now, &in->so_far.totals },
	                       row, result->found, err);
}

/* The documents within it, and the subtitles of its films. */
static bool set_parts(struct kb_db_conn *conn, struct finish *in,
                      const struct kb_page_result *result, const struct kb_page *page,
                      bool was_found, struct kb_err *err)
{
	const struct kb_parts_write write = { .arena = &in->arena,
		                              .version = in->so_far.version,
		                              .now = in->now,
		                              .totals = &in->so_far.totals,
		                              .died = &in->so_far.died };

	if (page->parent_id || page->index != KB_STATUS_OK)
		return true;
	if (page->is_ours)
		return kb_parts_set(conn, &write, page, result, err);
	/* A new page has none that could go. */
	return (!result->track_count && !was_found)
	       || kb_tracks_set(conn, &write, page, result, err);
}

/* The page is only a signpost: its row goes, its address stays known, and its link takes its place.
 */
static bool move_on(struct kb_db_conn *conn, struct finish *in, const struct kb_page_result *result,
                    struct kb_page_row *row, struct kb_err *err)
{
	const struct kb_page *page = &row->page;

	in->so_far.died |= row->is_found;
	return follow(conn, in, result, row, err)
	       && kb_page_remove(conn, row, in->so_far.version, &in->so_far.totals, err)
	       && kb_crawl_add_alias(conn, page->agent_id, page->source_id, page->url, err);
}

/* What the new segment has of the page is dead. */
static void leave_out(struct finish *in, const struct kb_page_row *row)
{
	if (!in->segment)
		return;
	KB_ROOM(&in->arena, in->so_far.refused, in->so_far.refused_count)
	[in->so_far.refused_count] = row->page.id;
	in->so_far.refused_count++;
}

/* A page of a website whose text another one has already is limited, and says so. That is judged
 * here, where nobody else can bring the same text meanwhile. */
static bool unless_twin(struct kb_db_conn *conn, struct finish *in,
                        const struct kb_page_result **result, struct kb_page_result *twin,
                        const struct kb_page_row *row, struct kb_err *err)
{
	struct kb_twin other;

	if (!(*result)->found || (*result)->index != KB_STATUS_OK || row->is_found)
		return true;
	if (!kb_crawl_twin(conn, &in->arena, &row->page, *result, &other, err))
		return false;
	if (other.url.n == 0)
		return true;
	*twin = (struct kb_page_result){
		.page_id = (*result)->page_id,
		.epoch = (*result)->epoch,
		.crawl = KB_STATUS_OK,
		.index = KB_STATUS_LIMITED,
		.reason = kb_arena_printf(&in->arena, "it says %s as %.*s",
		                          other.is_exact ? "the same" : "nearly the same",
		                          KB_SV_ARG(other.url)),
		.copy_of = other.url,
		.drop_original = true,
		.found = (*result)->found,
	};
	leave_out(in, row);
	*result = twin;
	return true;
}

struct kb_sv kb_page_over_plan(struct kb_arena *arena, int64_t pages_most)
{
	return kb_arena_printf(arena, "the plan allows %" PRId64 " documents an agent", pages_most);
}

/* A page that is one too many for the plan is limited: that is judged here as well, where nobody
 * else can take the last place meanwhile. */
static bool unless_full(struct kb_db_conn *conn, struct finish *in,
                        const struct kb_page_result **result, struct kb_page_result *full,
                        const struct kb_page_row *row, struct kb_err *err)
{
	int64_t most = (*result)->pages_most;
	struct kb_agent_stats stats;

	if (!most || (*result)->index != KB_STATUS_OK || row->is_found
	    || row->page.index == KB_STATUS_OK)
		return true;
	if (!kb_agent_stats(conn, in->agent_id, &stats, err))
		return false;
	if (stats.pages_indexed + in->so_far.totals.pages_indexed < most)
		return true;
	*full = (struct kb_page_result){
		.page_id = (*result)->page_id,
		.epoch = (*result)->epoch,
		.crawl = KB_STATUS_LIMITED,
		.index = KB_STATUS_LIMITED,
		.reason = kb_page_over_plan(&in->arena, most),
		.drop_original = !row->page.is_ours,
	};
	leave_out(in, row);
	*result = full;
	return true;
}

/* A document that does not describe itself is described by a model, if there is one. */
static bool add_chore(struct kb_db_conn *conn, const struct finish *in,
                      const struct kb_page_result *result, const struct kb_page_row *row,
                      struct kb_err *err)
{
	const struct kb_chore chore = { .agent_id = in->agent_id,
		                        .kind = KB_CHORE_DESCRIPTION,
		                        .subject = row->page.id };

	return !in->chores || !result->plain_description || result->unchanged || !row->is_found
	       || kb_chore_add(conn, &chore, in->now, err);
}

/* One that was leased anew since it was read is not written: all is run anew, and finds that. */
static bool write_finished(struct kb_db_conn *conn, struct finish *in, struct kb_page_row *row,
                           struct kb_err *err)
{
	struct kb_db_value values[KB_SQL_PARAMS];
	int64_t changed;

	row->title_key = kb_page_title_key(&in->arena, &row->page);
	if (!kb_db_run(conn, &sql[FINISH],
	               kb_columns_values(&finished_columns,
	                                 KB_VALUES(kb_int(in->agent_id), kb_int(row->page.id)), row,
	                                 values),
	               &changed, err))
		return false;
	if (changed)
		return true;
	conn->again = KB_AGAIN_OFTEN;
	return kb_fail(err, KB_E_BUSY, "page %" PRId64 " was leased anew meanwhile", row->page.id);
}

static bool accept(struct kb_db_conn *conn, struct finish *in, const struct kb_page_result *result,
                   struct kb_page_row *row, struct kb_err *err)
{
	struct kb_page *page = &row->page;
	struct kb_page_result twin, full;
	struct kb_page_row before = *row;
	bool was_found = row->is_found;

	if (result->found && result->found->moved) {
		in->so_far.totals.finished++;
		return move_on(conn, in, result, row, err);
	}
	if (!unless_twin(conn, in, &result, &twin, row, err)
	    || !unless_full(conn, in, &result, &full, row, err))
		return false;
	kb_totals_count(&in->so_far.totals, row, -1);
	apply(result, in->now, row);
	kb_totals_count(&in->so_far.totals, row, 1);
	in->so_far.totals.finished += row->state == KB_PAGE_DONE;
	/* The fetch of an address has been counted already (errands.c). */
	in->so_far.totals.crawl_credits += page->url.n == 0 && page->crawl == KB_STATUS_OK;
	if (page->index == KB_STATUS_OK && !result->unchanged) {
		if (row->is_found && !in->segment)
			return kb_fail(err, KB_E_INVALID,
			               "page %" PRId64 " has %" PRId64 " passages but no segment",
			               page->id, page->passages);
		in->so_far.indexed = true;
		in->so_far.has_alive |= row->is_found;
		in->so_far.died |= was_found;
		if (was_found
		    && (!kb_dead_add(conn, in->agent_id, page->id, in->so_far.version, err)
		        || !kb_crawl_free_copies(conn, &before, &in->so_far.totals, err)))
			return false;
	}
	/* Subtitles that are linked, too, are those of the film. */
	if (!set_parts(conn, in, result, page, was_found, err)
	    || (result->found && !follow(conn, in, result, row, err)))
		return false;
	return write_finished(conn, in, row, err) && add_chore(conn, in, result, row, err);
}

static bool finish_one(struct kb_db_conn *conn, struct finish *in,
                       const struct kb_page_result *result, struct kb_err *err)
{
	struct kb_page_row row;

	if (!kb_page_load(conn, &in->arena, in->agent_id, result->page_id, &row, err))
		return false;
	if (row.state == KB_PAGE_LEASED && row.lease_epoch == result->epoch)
		return accept(conn, in, result, &row, err);
	return refuse(in, result, &row, err);
}

/*
 * The new segment has version v, and a page accepted into it is dead below v. A refused page must
 * be dead in it, that is below v + 1; then v + 1 is the index version, so that no dead row is ever
 * newer than the index it belongs to.
 */
static bool publish(struct kb_db_conn *conn, struct finish *in, struct kb_err *err)
{
	bool kept = in->segment && in->so_far.has_alive; /* else nobody could find anything in it */
	int64_t version = in->so_far.version;

	if (kept
	    && !kb_segment_insert(conn,
	                          &(struct kb_segment_row_new){ .agent_id = in->agent_id,
	                                                        .version = version,
	                                                        .now = in->now,
	                                                        .segment = in->segment },
	                          NULL, err))
		return false;
	if (kept && in->so_far.refused_count)
		version++;
	for (size_t i = 0; kept && i < in->so_far.refused_count; i++)
		if (!kb_dead_add(conn, in->agent_id, in->so_far.refused[i], version, err))
			return false;
	/* Who reads the text of a page that came to nothing for a search has to know what keeps it.
	 */
	return !(kept || in->so_far.died || in->so_far.indexed)
	       || kb_agent_publish(conn, in->agent_id, version, in->so_far.indexed, err);
}

static bool finish(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct finish *in = arg;
	int64_t version;

	if (!kb_agent_lock(conn, in->agent_id, &version, err))
		return false;
	in->so_far = (struct outcome){ .version = version + 1, .totals = { .now = in->now } };
	for (size_t i = 0; i < in->count; i++)
		if (!finish_one(conn, in, &in->results[i], err))
			return false;
	return publish(conn, in, err) && kb_totals_add(conn, in->agent_id, &in->so_far.totals, err)
	       && kb_turn_settle(conn, in->agent_id, err);
}

bool kb_store_pages_finish(struct kb_store *store, int64_t agent_id,
                           const struct kb_page_result *results, size_t count,
                           const struct kb_segment_new *segment, struct kb_err *err)
{
	struct finish in = {
		.agent_id = agent_id,
		.now = kb_store_now(store),
		.results = results,
		.count = count,
		.segment = segment && segment->blob.n ? segment : NULL,
		.chores = atomic_load(&store->chores_wanted),
	};
	bool ok = kb_db_write(store->db, finish, &in, err);

	kb_arena_fini(&in.arena);
	return ok;
}
