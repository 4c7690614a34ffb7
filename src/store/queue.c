/* The queue of ingestion: whose turn it is, leases with epochs, and the commit point. Who gets a
 * turn and who loses it is in publish.c. */
#include "store/queue.h"

#include <stdlib.h>

#include "store/agents_own.h"
#include "store/chores_own.h"
#include "store/crawls_own.h"
#include "store/leases.h"
#include "store/lists.h"
#include "store/paths.h"
#include "store/segments_own.h"
#include "store/store_own.h"

enum {
	VOID_LEASES,
	TURN_NEXT,
	TURN_TAKE,
	SHARE_NEXT,
	SHARE_CHARGE,
	SHARE_OF,
	SHARES_MOVE,
	NEXT_DUE,
	DYING,
	LEASE,
	HELD,
	HOLD,
	FINISH,
	LENGTH,
};
/* $1: now, $2: whether slow ones count. */
#define DUE(agent)                                                                                 \
	"(EXISTS (SELECT 1 FROM pages p WHERE p.agent_id = " agent " AND p.state > 0 "             \
	"AND p.is_slow = 0 AND p.due_at <= $1 AND p.to_fetch = 0) OR ($2 > 0 AND "                 \
	"EXISTS (SELECT 1 FROM pages p WHERE p.agent_id = " agent " AND p.state > 0 "              \
	"AND p.is_slow = 1 AND p.due_at <= $1 AND p.to_fetch = 0)))"
/* What the end of a lease writes. */
#define FINISHED(FIRST, NEXT)                                                                      \
	KB_PAGE_TURN(FIRST, NEXT)                                                                  \
	KB_PAGE_RESULT(NEXT, NEXT)                                                                 \
	NEXT(t, title_key, title_key)                                                              \
	NEXT(i, to_fetch, fetch)                                                                   \
	KB_PAGE_CHANGED(NEXT, NEXT)
// clang-format off
static const struct kb_sql sql[] = {
	[VOID_LEASES] = { "queue_void_leases", "iiii",
		"UPDATE pages SET state = " KB_SQL(PAGE_QUEUED) ", due_at = $3 "
		"WHERE state > 0 AND ((state = " KB_SQL(PAGE_LEASED) " AND lease_node NOT IN " KB_NODES_THERE("$1", "$2") ") "
		"OR (due_at = $4 AND agent_id NOT IN (SELECT a.id FROM agents a WHERE a.state > 0 AND a.state = "
		KB_SQL(AGENT_COPIED) " AND a.lease_node IN " KB_NODES_THERE("$1", "$2") ")))" },
	[TURN_NEXT] = { "queue_turn_next", "iii",
		"SELECT t.agent_id FROM turns t WHERE t.account_id = $3 AND " DUE("t.agent_id")
		" ORDER BY t.turn LIMIT 1" },
	[TURN_TAKE] = { "queue_turn_take", "ii", "UPDATE turns SET turn = $2 WHERE agent_id = $1" },
	[SHARE_NEXT] = { "queue_share_next", "ii",
		"SELECT s.account_id FROM shares s WHERE s.waiting > 0 AND EXISTS (SELECT 1 FROM turns t "
		"WHERE t.account_id = s.account_id AND " DUE("t.agent_id") ") ORDER BY s.used, s.account_id LIMIT 1" },
	[SHARE_CHARGE] = { "queue_share_charge", "ii",
		"UPDATE shares SET used = used + $2 WHERE account_id = $1" },
	[SHARE_OF] = { "queue_share_of", "i", "SELECT used FROM shares WHERE account_id = $1" },
	[SHARES_MOVE] = { "queue_shares_move", "i",
		"INSERT INTO shares (account_id, used, waiting) VALUES (0, $1, 0) "
		"ON CONFLICT (account_id) DO UPDATE SET "
		"used = CASE WHEN shares.used < excluded.used THEN excluded.used ELSE shares.used END" },
	[NEXT_DUE] = { "queue_next_due", "i",
		"SELECT coalesce(min(due), 0) FROM (SELECT (SELECT min(p.due_at) FROM pages p "
		"WHERE p.agent_id = t.agent_id AND p.state > 0 AND p.is_slow = 0 AND p.to_fetch = 0) AS due FROM turns t "
		"UNION ALL SELECT (SELECT min(p.due_at) FROM pages p WHERE p.agent_id = t.agent_id "
		"AND p.state > 0 AND p.is_slow = 1 AND p.to_fetch = 0) FROM turns t WHERE $1 > 0) w" },
	[DYING] = { "queue_dying", "i",
		"SELECT id FROM sources WHERE agent_id = $1 AND dead_version > 0" },
	[LEASE] = { "queue_lease", "iiiiii",
		"UPDATE pages SET state = " KB_SQL(PAGE_LEASED) ", due_at = $3, lease_node = $6, lease_epoch = lease_epoch + 1, "
		"attempts = attempts + 1 WHERE agent_id = $1 AND id IN (SELECT id FROM pages "
		"WHERE agent_id = $1 AND state > 0 AND is_slow = $5 AND to_fetch = 0 AND due_at <= $2 "
		"ORDER BY due_at, id LIMIT $4) "
		/* One that its owner has prolonged meanwhile stays its owner's. */
		"AND state > 0 AND is_slow = $5 AND to_fetch = 0 AND due_at <= $2 RETURNING " KB_NAMES(KB_PAGES) },
	[HELD] = { "queue_held", "iii",
		"SELECT count(*) FROM pages "
		"WHERE agent_id = $1 AND id = $2 AND lease_epoch = $3 AND state = " KB_SQL(PAGE_LEASED) },
	[HOLD] = { "queue_hold", "iiii",
		"UPDATE pages SET due_at = $4 WHERE agent_id = $1 AND id = $2 AND lease_epoch = $3 "
		"AND state = " KB_SQL(PAGE_LEASED) " RETURNING id" },
	/* Unless somebody took it since it was read: what is written has the epoch of then. */
	[FINISH] = { "queue_finish", "ii" KB_TYPES(FINISHED),
		KB_UPDATE("pages", FINISHED) "WHERE agent_id = $1 AND id = $2 AND lease_epoch = $6 AND state = "
		KB_SQL(PAGE_LEASED) },
	[LENGTH] = { "queue_length", "", "SELECT count(*) FROM pages WHERE state > 0 AND " KB_AGENT_SHOWN("agent_id")
		" AND (agent_id, source_id) NOT IN "
		"(SELECT s.agent_id, s.id FROM sources s WHERE s.dead_version > 0)" },
};
// clang-format on
const struct kb_sql_table kb_sql_queue = { "queue", sql, KB_COUNTOF(sql) };

/* ---- leases ---- */

bool kb_queue_void_leases(struct kb_store *store, int64_t me, struct kb_err *err)
{
	return kb_leases_void(store, &sql[VOID_LEASES], me, err);
}

struct lease {
	int64_t node;
	struct kb_arena *arena;
	const struct kb_lease_want *want;
	int64_t now, account_id, agent_id; /* whose turn it is; 0: nobody's */
	struct kb_leases *out;
};

static int by_page(const void *a, const void *b)
{
	const struct kb_lease *one = a, *two = b;

	return (one->page.id > two->page.id) - (one->page.id < two->page.id);
}

/* Takes pages of deleted sources out of the leases: their rows are about to go. That of a source of
 * uploads or of a whole website may have many, so the lease takes them as they come: so it is
 * bounded, and they are out of the way. */
static bool drop_dying(struct kb_db_conn *conn, struct lease *in, int64_t agent_id,
                       struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[DYING], KB_VALUES(kb_int(agent_id)));
	while (kb_rows_next(&rows)) {
		int64_t source_id = kb_rows_int(&rows, 0);
		size_t kept = 0;

		for (size_t i = 0; i < in->out->count; i++)
			if (in->out->v[i].page.source_id != source_id)
				in->out->v[kept++] = in->out->v[i];
		if (kept < in->out->count)
			in->out->next_due_at = in->now; /* if none is left: come again */
		in->out->count = kept;
	}
	return kb_rows_close(&rows, err);
}

/* Takes pages of that speed, if some are due. */
static bool take(struct kb_db_conn *conn, struct lease *in, bool slow, struct kb_err *err)
{
	size_t max = slow ? 1 : KB_MIN(in->want->max, (size_t)INT32_MAX);
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[LEASE],
	             KB_VALUES(kb_int(in->agent_id), kb_int(in->now),
	                       kb_int(in->now + in->want->lease_us), kb_int((int64_t)max),
	                       kb_int(slow), kb_int(in->node)));
	while (kb_rows_next(&rows)) {
		struct kb_page_row row;

		kb_page_read(&rows, in->arena, &row);
		KB_ROOM(in->arena, in->out->v, in->out->count)
		[in->out->count] = (struct kb_lease){ .page = row.page,
			                              .epoch = row.lease_epoch,
			                              .account_id = in->account_id,
			                              .is_slow = slow };
		in->out->count++;
	}
	return kb_rows_close(&rows, err);
}

/* The sharing has come to where the account was before its turn. Its row is every lease's first: so
 * no two wait for each other. */
static bool next_turn(struct kb_db_conn *conn, struct lease *in, struct kb_err *err)
{
	int64_t any = !in->want->not_slow, used, turn;

	if (!kb_db_int(conn, &sql[SHARE_NEXT], KB_VALUES(kb_int(in->now), kb_int(any)), 0,
	               &in->account_id, err))
		return false;
	if (in->account_id == 0)
		return true;
	return kb_db_int(conn, &sql[SHARE_OF], KB_VALUES(kb_int(in->account_id)), 0, &used, err)
	       && kb_db_run(conn, &sql[SHARES_MOVE], KB_VALUES(kb_int(used)), NULL, err)
	       && kb_db_run(conn, &sql[SHARE_CHARGE],
	                    KB_VALUES(kb_int(in->account_id), kb_int(in->want->charge_us)), NULL,
	                    err)
	       && kb_db_int(conn, &sql[TURN_NEXT],
	                    KB_VALUES(kb_int(in->now), kb_int(any), kb_int(in->account_id)), 0,
	                    &in->agent_id, err)
	       && kb_db_next_id(conn, "turn", 1, &turn, err)
	       && kb_db_run(conn, &sql[TURN_TAKE], KB_VALUES(kb_int(in->agent_id), kb_int(turn)),
	                    NULL, err);
}

static bool lease(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct lease *in = arg;
	const struct kb_lease_want *want = in->want;
	struct kb_leases *out = in->out;

	*out = (struct kb_leases){ 0 };
	if (!next_turn(conn, in, err))
		return false;
	if (in->agent_id == 0)
		return kb_db_int(conn, &sql[NEXT_DUE], KB_VALUES(kb_int(!want->not_slow)), 0,
		                 &out->next_due_at, err);
	if (!take(conn, in, false, err)
	    || (!out->count && !want->not_slow && !take(conn, in, true, err))
	    || !drop_dying(conn, in, in->agent_id, err))
		return false;
	if (out->count)
		qsort(out->v, out->count, sizeof(*out->v), by_page);
	return true;
}

bool kb_store_pages_lease(struct kb_store *store, struct kb_arena *arena,
                          const struct kb_lease_want *want, struct kb_leases *out,
                          struct kb_err *err)
{
	struct lease in = { .node = store->node,
		            .arena = arena,
		            .want = want,
		            .now = kb_store_now(store),
		            .out = out };

	if (kb_lease_write(store, lease, &in, err))
		return true;
	*out = (struct kb_leases){ 0 }; /* it may have come half way */
	return false;
}

struct settle {
	int64_t account_id, us;
};

static bool settle(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct settle *in = arg;

	return kb_db_run(conn, &sql[SHARE_CHARGE],
	                 KB_VALUES(kb_int(in->account_id), kb_int(in->us)), NULL, err);
}

bool kb_store_turn_settle(struct kb_store *store, int64_t account_id, int64_t us,
                          struct kb_err *err)
{
	struct settle in = { account_id, us };

	return kb_db_write(store->db, settle, &in, err);
}

bool kb_store_pages_held(struct kb_store *store, const struct kb_lease *leases, size_t count,
                         bool *held, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	bool ok = conn != NULL;

	for (size_t i = 0; ok && i < count; i++) {
		int64_t n;

		ok = kb_db_int(conn, &sql[HELD],
		               KB_VALUES(kb_int(leases[i].page.agent_id), kb_int(leases[i].page.id),
		                         kb_int(leases[i].epoch)),
		               0, &n, err);
		held[i] = ok && n;
	}
	if (conn)
		kb_db_give(store->db, conn);
	return ok;
}

struct hold {
	const struct kb_lease *lease;
	int64_t until;
	int64_t id; /* 0: not held */
};

static bool hold(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct hold *in = arg;

	return kb_db_int(conn, &sql[HOLD],
	                 KB_VALUES(kb_int(in->lease->page.agent_id), kb_int(in->lease->page.id),
	                           kb_int(in->lease->epoch), kb_int(in->until)),
	                 0, &in->id, err);
}

bool kb_store_page_hold(struct kb_store *store, const struct kb_lease *lease, int64_t lease_us,
                        bool *held, struct kb_err *err)
{
	struct hold in = { .lease = lease, .until = kb_store_now(store) + lease_us };
	bool ok = kb_db_write(store->db, hold, &in, err);

	*held = ok && in.id;
	return ok;
}

/* ---- the commit point ---- */

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
	if (result->unchanged)
		page->likeness = result->likeness;
	if (result->unchanged || (!ok && row->is_found))
		return;
	page->text_blob = result->text_blob;
	page->title = result->title;
	page->description = result->description;
	row->page.own_image = result->image;
	page->text_hash = result->text_hash;
	page->likeness = result->likeness;
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

bool kb_store_queue_length(struct kb_store *store, int64_t *count, struct kb_err *err)
{
	return kb_db_read_int(store->db, &sql[LENGTH], KB_NO_VALUES, 0, count, err);
}
