#include "store/content.h"

#include "store/agents_own.h"
#include "store/lists.h"
#include "store/pages_own.h"
#include "store/sources_own.h"
#include "store/store_own.h"
#include "store/texts.h"

/* Lists that an index names are read along it: few documents wait or are amiss, others may be
 * many. */
enum { ALL, WAITING, AMISS, DUE, FAMILIES };
/* An order and its reverse for each sort, and the length. */
enum { COUNT = KB_CONTENT_SORTS * 2, SHAPES };
enum {
	LIST,
	STATES = LIST + FAMILIES * SHAPES,
	WAITS,
	CITED,
};
static_assert(KB_CONTENT_READY == 1 && KB_CONTENT_WAITING == 2 && KB_CONTENT_AMISS == 3
                      && KB_CONTENT_UNREAD == 4 && KB_CONTENT_ALL == 5,
              "a state is another number in SQL");
#define IS_UNREAD "(index_status = " KB_SQL(STATUS_NA) " AND is_file = 0)"
#define REVIEW                                                                                     \
	"CASE WHEN review_at > 0 THEN review_at ELSE coalesce((SELECT s.review_at FROM sources s " \
	"WHERE s.agent_id = pages.agent_id AND s.id = pages.source_id), 0) END"
#define TIMES                                                                                      \
	"coalesce((SELECT c.cited FROM cited_pages c WHERE c.agent_id = pages.agent_id "           \
	"AND c.page_id = pages.id), 0)"
/* $1 agent, $2 pattern, $3 source, $4 state, $5 whether it has an address, $6 to $9 endings,
 * $10 never cited, $11 after, $12 when a review is over. */
#define WHERE                                                                                      \
	" FROM pages WHERE agent_id = $1 "                                                         \
	"AND ($2 = '' OR title_key LIKE $2 ESCAPE '\\' OR filename_key LIKE $2 ESCAPE '\\' "       \
	"OR url_key LIKE $2 ESCAPE '\\') AND ($3 = 0 OR source_id = $3) AND ($4 = 5 "              \
	"OR ($4 = 0 AND NOT " IS_UNREAD ") OR ($4 = 4 AND " IS_UNREAD ") "                         \
	"OR ($4 = 1 AND index_status = " KB_SQL(                                                   \
	        STATUS_OK) ") "                                                                    \
	                   "OR ($4 = 2 AND index_status = " KB_SQL(                                \
	                           STATUS_QUEUED) ") "                                             \
	                                          "OR ($4 = 3 AND index_status > " KB_SQL(         \
	                                                  STATUS_OK) " AND NOT " IS_UNREAD ")) "   \
	                                                             "AND ($5 = 0 OR is_file = "   \
	                                                             "0) AND ($6 = '' OR "         \
	                                                             "(is_file = 1 AND ("          \
	                                                             "filename_key LIKE $6 OR "    \
	                                                             "filename_key LIKE $7 OR "    \
	                                                             "filename_key LIKE $8 "       \
	                                                             "OR filename_key LIKE $9))) " \
	                                                             "AND ($10 = 0 OR NOT EXISTS " \
	                                                             "(SELECT 1 FROM cited_pages " \
	                                                             "c "                          \
	                                                             "WHERE c.agent_id = $1 AND "  \
	                                                             "c.page_id = pages.id)) AND " \
	                                                             "id > $11 AND "               \
	                                                             "($12 = 0 OR review_at <= "   \
	                                                             "$12) "                       \
	                                                             "AND " KB_PAGE_SHOWN("$1")
#define TYPES "itiiittttiii"
#define ORDERED(which, sort, name, where, up, down)                                                \
	[LIST + which * SHAPES                                                                     \
	        + sort * 2] = { "content_list_" name "_down", TYPES "ii",                          \
		                "SELECT " KB_NAMES(KB_PAGES) ", " REVIEW ", " TIMES                \
		                                             " AS times" WHERE where               \
		                                             " ORDER BY " down                     \
		                                             " LIMIT $13 OFFSET $14" },            \
	                 [LIST + which * SHAPES + sort * 2                                         \
	                         + 1] = { "content_list_" name "_up", TYPES "ii",                  \
		                          "SELECT " KB_NAMES(KB_PAGES) ", " REVIEW ", " TIMES      \
		                                                       " AS times" WHERE where     \
		                                                       " ORDER BY " up             \
		                                                       " LIMIT $13 OFFSET $14" }
#define FAMILY(which, name, where)                                                                 \
	ORDERED(which, KB_CONTENT_NEWEST, name "newest", where, "id", "id DESC"),                  \
	        ORDERED(which, KB_CONTENT_BY_TITLE, name "title", where, "title_key, id",          \
	                "title_key DESC, id DESC"),                                                \
	        ORDERED(which, KB_CONTENT_BY_CHANGE, name "change", where, "updated_at, id",       \
	                "updated_at DESC, id DESC"),                                               \
	        ORDERED(which, KB_CONTENT_BY_CITED, name "cited", where, "times, id",              \
	                "times DESC, id DESC"),                                                    \
	        ORDERED(which, KB_CONTENT_BY_WORDS, name "words", where, "words, id",              \
	                "words DESC, id DESC"),                                                    \
	        [LIST + which * SHAPES + COUNT] = { "content_list_" name "count", TYPES,           \
		                                    "SELECT count(*)" WHERE where }
// clang-format off
static const struct kb_sql sql[] = {
	FAMILY(ALL, "", ""),
	FAMILY(WAITING, "waiting_", " AND state > 0"),
	FAMILY(AMISS, "amiss_", " AND index_status > " KB_SQL(STATUS_OK)),
	FAMILY(DUE, "due_", " AND review_at > 0"),
	[STATES] = { "content_states", "i",
		"SELECT source_id, sum(CASE WHEN " IS_UNREAD " THEN 0 ELSE 1 END), "
		"sum(CASE WHEN " IS_UNREAD " THEN 1 ELSE 0 END), 0 FROM pages "
		"WHERE agent_id = $1 AND index_status > " KB_SQL(STATUS_OK) " AND " KB_PAGE_SHOWN("$1") " GROUP BY source_id" },
	[WAITS] = { "content_waits", "i",
		"SELECT source_id, 0, 0, count(*) FROM pages WHERE agent_id = $1 AND state > 0 AND "
		KB_PAGE_SHOWN("$1") " GROUP BY source_id" },
	[CITED] = { "content_cited", "i",
		"SELECT count(*) FROM cited_pages c WHERE c.agent_id = $1 AND EXISTS (SELECT 1 FROM pages p "
		"WHERE p.agent_id = $1 AND p.id = c.page_id AND p.index_status = " KB_SQL(STATUS_OK) ")" },
};
// clang-format on
const struct kb_sql_table kb_sql_content = { "content", sql, KB_COUNTOF(sql) };

/* ---- looking ---- */

static int family_of(const struct kb_content_filter *filter)
{
	return filter->review_due                                                        ? DUE
	       : filter->state == KB_CONTENT_WAITING                                     ? WAITING
	       : filter->state == KB_CONTENT_AMISS || filter->state == KB_CONTENT_UNREAD ? AMISS
	                                                                                 : ALL;
}

enum { NOW = 11, LIMIT, OFFSET, VALUES };

static bool read_filter(struct kb_arena *arena, int64_t agent_id, int64_t now,
                        const struct kb_content_filter *filter, struct kb_db_value *values,
                        struct kb_err *err)
{
	struct kb_sv pattern;

	if (!kb_like_pattern(arena, filter->search, true, &pattern, err))
		return false;
	values[0] = kb_int(agent_id);
	values[1] = kb_text(pattern);
	values[2] = kb_int(filter->source_id);
	values[3] = kb_int(filter->state);
	values[4] = kb_int(filter->is_address);
	for (size_t i = 0; i < KB_CONTENT_ENDINGS; i++)
		values[5 + i] = kb_text(filter->endings[i].n ? kb_arena_printf(
		                                arena, "%%%.*s", KB_SV_ARG(filter->endings[i]))
		                                             : KB_SV(""));
	values[9] = kb_int(filter->never_cited);
	values[10] = kb_int(filter->after);
	values[NOW] = kb_int(filter->review_due ? now : 0);
	values[LIMIT] = kb_int(kb_list_limit(&filter->list));
	values[OFFSET] = kb_int(kb_list_offset(&filter->list));
	return true;
}

bool kb_store_content_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                           const struct kb_content_filter *filter, struct kb_content_list *out,
                           struct kb_err *err)
{
	const struct kb_sql *first = &sql[LIST + family_of(filter) * SHAPES];
	const int64_t now = kb_store_now(store);
	struct kb_db_value values[VALUES];
	struct kb_db_conn *conn;
	struct kb_db_rows rows;
	bool ok;

	*out = (struct kb_content_list){ 0 };
	if (!read_filter(arena, agent_id, now, filter, values, err))
		return false;
	conn = kb_db_take(store->db, true, err);
	if (!conn)
		return false;
	kb_rows_open(&rows, conn, first + filter->sort * 2 + (filter->list.ascending ? 1 : 0),
	             (struct kb_db_values){ values, VALUES });
	while (kb_rows_next(&rows)) {
		const int behind = (int)kb_page_read_columns();
		int64_t review_at = kb_rows_int(&rows, behind);
		struct kb_page_row row;

		kb_page_read(&rows, arena, &row);
		KB_ROOM(arena, out->v, out->count)
		[out->count] = (struct kb_content_row){ .page = row.page,
			                                .cited = kb_rows_int(&rows, behind + 1),
			                                .review_at = review_at,
			                                .is_due = review_at && review_at <= now };
		out->count++;
	}
	ok = kb_rows_close(&rows, err)
	     && kb_db_int(conn, first + COUNT, (struct kb_db_values){ values, LIMIT }, 0,
	                  &out->total, err);
	kb_db_give(store->db, conn);
	return ok;
}

/* The source's place among those that have any. */
static struct kb_content_origin *origin_of(struct kb_arena *arena, struct kb_content_summary *out,
                                           int64_t source_id)
{
	for (size_t i = 0; i < out->origin_count; i++)
		if (out->origins[i].source_id == source_id)
			return &out->origins[i];
	KB_ROOM(arena, out->origins, out->origin_count)
	[out->origin_count] = (struct kb_content_origin){ .source_id = source_id };
	return &out->origins[out->origin_count++];
}

static bool read_origins(struct kb_db_conn *conn, struct kb_arena *arena, const struct kb_sql *what,
                         int64_t agent_id, struct kb_content_summary *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, what, KB_VALUES(kb_int(agent_id)));
	while (kb_rows_next(&rows)) {
		struct kb_content_origin *origin = origin_of(arena, out, kb_rows_int(&rows, 0));

		origin->amiss += kb_rows_int(&rows, 1);
		origin->unread += kb_rows_int(&rows, 2);
		origin->waiting += kb_rows_int(&rows, 3);
	}
	return kb_rows_close(&rows, err);
}

bool kb_store_content_summary(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                              struct kb_content_summary *out, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	struct kb_agent_stats stats;
	bool ok;

	*out = (struct kb_content_summary){ 0 };
	if (!conn)
		return false;
	ok = kb_agent_stats(conn, agent_id, &stats, err)
	     && kb_source_upload_id(conn, agent_id, &out->uploads, err)
	     && kb_db_int(conn, &sql[CITED], KB_VALUES(kb_int(agent_id)), 0, &out->cited, err)
	     && read_origins(conn, arena, &sql[STATES], agent_id, out, err)
	     && read_origins(conn, arena, &sql[WAITS], agent_id, out, err);
	kb_db_give(store->db, conn);
	if (ok) {
		out->total = stats.pages_found;
		out->ready = stats.pages_indexed;
	}
	return ok;
}

/* ---- doing the same to many ---- */

struct many {
	struct kb_arena arena;
	const struct kb_page_ids *ids;
	int64_t now, gone_at; /* gone_at: until when those that are deleted can be taken back */
};

/* One of them, within the transaction; a page that is gone has no id. */
typedef bool one_fn(struct kb_db_conn *conn, struct kb_page_row *row, struct kb_totals *totals,
                    int64_t version, const struct many *in, struct kb_err *err);

static bool each(struct kb_db_conn *conn, struct many *in, one_fn *one, bool publishes,
                 struct kb_err *err)
{
	int64_t agent_id = in->ids->agent_id, version;
	struct kb_totals totals = { 0 };

	if (!kb_agent_lock(conn, agent_id, &version, err))
		return false;
	for (size_t i = 0; i < in->ids->count; i++) {
		struct kb_page_row row;

		if (!kb_page_load(conn, &in->arena, agent_id, in->ids->v[i], &row, err)
		    || (row.page.id && !one(conn, &row, &totals, version + 1, in, err)))
			return false;
	}
	return (!publishes || kb_agent_publish(conn, agent_id, version + 1, false, err))
	       && kb_totals_add(conn, agent_id, &totals, err)
	       && kb_turn_settle(conn, agent_id, err);
}

static bool delete_one(struct kb_db_conn *conn, struct kb_page_row *row, struct kb_totals *totals,
                       int64_t version, const struct many *in, struct kb_err *err)
{
	return kb_page_delete(conn, row,
	                      &(struct kb_page_deleting){ .version = version,
	                                                  .now = in->now,
	                                                  .gone_at = in->gone_at,
	                                                  .totals = totals },
	                      err);
}

static bool requeue_one(struct kb_db_conn *conn, struct kb_page_row *row, struct kb_totals *totals,
                        int64_t version, const struct many *in, struct kb_err *err)
{
	(void)version;
	kb_totals_count(totals, row, -1);
	if (!kb_page_queue(conn, row, in->now, in->now, err))
		return false;
	kb_totals_count(totals, row, 1);
	return true;
}

static bool delete_each(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	return each(conn, arg, delete_one, true, err);
}

static bool requeue_each(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	return each(conn, arg, requeue_one, false, err);
}

static bool write_each(struct kb_store *store, const struct kb_page_ids *ids, kb_write_fn *fn,
                       struct kb_err *err)
{
	int64_t now = kb_store_now(store);
	struct many in = { .ids = ids, .now = now, .gone_at = now + store->keep_deleted_us };
	bool ok = ids->count == 0 || kb_db_write(store->db, fn, &in, err);

	kb_arena_fini(&in.arena);
	return ok;
}

bool kb_store_content_delete(struct kb_store *store, const struct kb_page_ids *ids,
                             struct kb_err *err)
{
	return write_each(store, ids, delete_each, err);
}

bool kb_store_content_requeue(struct kb_store *store, const struct kb_page_ids *ids,
                              struct kb_err *err)
{
	return write_each(store, ids, requeue_each, err);
}
