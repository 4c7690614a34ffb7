/* Sums for the reports. Times are UTC; a day is 24 hours. */
#include "store/reports.h"

#include "db/columns.h"
#include "store/lists.h"
#include "store/store_own.h"

enum {
	SOURCES,
	SUMS,
	MESSAGE_BUCKETS,
	CONVERSATION_BUCKETS,
	MESSAGES_DESC,
	MESSAGES_ASC,
	MESSAGES_COUNT,
	MODELS,
	WEEK,
};
#define IN_TIME         " FROM messages WHERE agent_id = $1 AND created_at >= $2 AND created_at < $3"
#define LISTED          IN_TIME " AND ($4 = 0 OR answered = 0 OR failed = 1)"
#define MESSAGES(order) "SELECT " KB_NAMES(REPORTED) LISTED " ORDER BY " order " LIMIT $5 OFFSET $6"
// clang-format off
/* What is read of messages (columns.h). */
#define REPORTED(FIRST, NEXT) \
	FIRST(i, agent_id,        agent_id) \
	NEXT (i, id,              id) \
	NEXT (i, conversation_id, conversation_id) \
	NEXT (t, query,           query) \
	NEXT (t, response,        response) \
	NEXT (i, answered,        answered) \
	NEXT (i, failed,          failed) \
	NEXT (t, user_agent,      user_agent) \
	NEXT (t, source,          source) \
	NEXT (t, details,         details) \
	NEXT (t, insight,         insight) \
	NEXT (i, reaction,        reaction) \
	NEXT (i, closest,         closest) \
	NEXT (i, found_page_id,   found_page_id) \
	NEXT (i, created_at,      created_at)

static const struct kb_sql sql[] = {
	[SOURCES] = { "report_sources", "i",
		"SELECT source, count(*) FROM messages WHERE agent_id = $1 GROUP BY source "
		"ORDER BY count(*) DESC, source" },
	[SUMS] = { "report_sums", "i",
		"SELECT (SELECT count(*) FROM conversations c WHERE c.agent_id = $1), count(*), "
		"count(DISTINCT conversation_id), "
		"coalesce(sum(CASE WHEN failed = 1 OR answered = 0 THEN 1 ELSE 0 END), 0), "
		"coalesce(sum(CASE WHEN closest = 0 THEN 0 ELSE 1 END), 0), "
		"coalesce(sum(CASE WHEN found_page_id = 0 THEN 0 ELSE 1 END), 0) "
		"FROM messages WHERE agent_id = $1" },
	[MESSAGE_BUCKETS] = { "report_message_buckets", "iiii",
		"SELECT (created_at - $2) / $4, count(*), count(DISTINCT conversation_id)" IN_TIME
		" GROUP BY 1" },
	[CONVERSATION_BUCKETS] = { "report_conversation_buckets", "iiii",
		"SELECT (created_at - $2) / $4, count(*) FROM conversations "
		"WHERE agent_id = $1 AND created_at >= $2 AND created_at < $3 GROUP BY 1" },
	[MESSAGES_DESC] = { "report_messages_desc", "iiiiii", MESSAGES("created_at DESC, id DESC") },
	[MESSAGES_ASC] = { "report_messages_asc", "iiiiii", MESSAGES("created_at, id") },
	[MESSAGES_COUNT] = { "report_messages_count", "iiii", "SELECT count(*)" LISTED },
	[MODELS] = { "report_models", "ii",
		"SELECT model, sum(answers), sum(prompt_tokens), sum(completion_tokens), sum(cost) "
		"FROM model_usage WHERE agent_id = $1 AND day >= $2 GROUP BY model "
		"ORDER BY sum(cost) DESC, sum(prompt_tokens) DESC, model" },
	[WEEK] = { "report_week", "iii",
		"SELECT count(*), coalesce(sum(CASE WHEN failed = 1 OR answered = 0 THEN 0 ELSE 1 END), 0), "
		"(SELECT count(*) FROM verified_versions v WHERE v.agent_id = $1 AND v.checked_at >= $2 AND v.checked_at < $3), "
		"(SELECT count(*) FROM gaps g WHERE g.agent_id = $1 AND g.state = 1 AND g.closed_at >= $2 AND g.closed_at < $3), "
		"(SELECT count(*) FROM gaps g WHERE g.agent_id = $1 AND g.first_at < $3 AND (g.state = 0 OR g.closed_at >= $3)) "
		"FROM messages WHERE agent_id = $1 AND created_at >= $2 AND created_at < $3" },
};
// clang-format on
const struct kb_sql_table kb_sql_reports = { "reports", sql, KB_COUNTOF(sql) };

bool kb_store_report_sources(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                             struct kb_report_source **out, size_t *count, struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = NULL;
	*count = 0;
	kb_rows_take(&rows, store->db, &sql[SOURCES], KB_VALUES(kb_int(agent_id)));
	while (kb_rows_next(&rows)) {
		KB_ROOM(arena, *out, *count)
		[*count] = (struct kb_report_source){ .source = kb_rows_text(&rows, arena, 0),
			                              .queries = kb_rows_int(&rows, 1) };
		++*count;
	}
	return kb_rows_close(&rows, err);
}

bool kb_store_report_models(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                            int64_t since, struct kb_report_models *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_report_models){ 0 };
	kb_rows_take(&rows, store->db, &sql[MODELS],
	             KB_VALUES(kb_int(agent_id), kb_int(since / KB_DAY_US)));
	while (kb_rows_next(&rows)) {
		KB_ROOM(arena, out->v, out->count)
		[out->count] = (struct kb_report_model){ .model = kb_rows_text(&rows, arena, 0),
			                                 .answers = kb_rows_int(&rows, 1),
			                                 .prompt_tokens = kb_rows_int(&rows, 2),
			                                 .completion_tokens = kb_rows_int(&rows, 3),
			                                 .cost = kb_rows_int(&rows, 4) };
		out->count++;
	}
	return kb_rows_close(&rows, err);
}

bool kb_store_report_sums(struct kb_store *store, int64_t agent_id, struct kb_report_sums *out,
                          struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_report_sums){ 0 };
	kb_rows_take(&rows, store->db, &sql[SUMS], KB_VALUES(kb_int(agent_id)));
	while (kb_rows_next(&rows))
		*out = (struct kb_report_sums){ .conversations = kb_rows_int(&rows, 0),
			                        .queries = kb_rows_int(&rows, 1),
			                        .asking = kb_rows_int(&rows, 2),
			                        .failed_queries = kb_rows_int(&rows, 3),
			                        .closest = kb_rows_int(&rows, 4),
			                        .found = kb_rows_int(&rows, 5) };
	return kb_rows_close(&rows, err);
}

static bool read_buckets(struct kb_db_conn *conn, struct kb_db_values values,
                         const struct kb_report_series *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[MESSAGE_BUCKETS], values);
	while (kb_rows_next(&rows)) {
		size_t i = (size_t)kb_rows_int(&rows, 0);

		KB_ASSERT(i < out->count);
		out->v[i].queries = kb_rows_int(&rows, 1);
		out->v[i].asking = kb_rows_int(&rows, 2);
	}
	if (!kb_rows_close(&rows, err))
		return false;
	kb_rows_open(&rows, conn, &sql[CONVERSATION_BUCKETS], values);
	while (kb_rows_next(&rows)) {
		size_t i = (size_t)kb_rows_int(&rows, 0);

		KB_ASSERT(i < out->count);
		out->v[i].conversations = kb_rows_int(&rows, 1);
	}
	return kb_rows_close(&rows, err);
}

bool kb_store_report_buckets(struct kb_store *store, int64_t agent_id,
                             const struct kb_report_series *series, struct kb_err *err)
{
	int64_t end = series->start + (int64_t)series->count * series->width_us;
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	bool ok;

	if (!conn)
		return false;
	for (size_t i = 0; i < series->count; i++)
		series->v[i] = (struct kb_report_bucket){ 0 };
	ok = read_buckets(conn,
	                  KB_VALUES(kb_int(agent_id), kb_int(series->start), kb_int(end),
	                            kb_int(series->width_us)),
	                  series, err);
	kb_db_give(store->db, conn);
	return ok;
}

#define MESSAGE(letter, column, member) KB_COLUMN(struct kb_message, letter, column, member)
static const struct kb_db_columns message_columns =
        KB_COLUMNS(struct kb_message, REPORTED(MESSAGE, MESSAGE));

bool kb_store_report_messages(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                              const struct kb_report_filter *filter, struct kb_message_list *out,
                              struct kb_err *err)
{
	const struct kb_list *list = &filter->list;
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	struct kb_db_rows rows;
	bool ok;

	*out = (struct kb_message_list){ 0 };
	if (!conn)
		return false;
	kb_rows_open(&rows, conn, &sql[list->ascending ? MESSAGES_ASC : MESSAGES_DESC],
	             KB_VALUES(kb_int(agent_id), kb_int(filter->from), kb_int(filter->until),
	                       kb_int(filter->unanswered), kb_int(kb_list_limit(list)),
	                       kb_int(kb_list_offset(list))));
	while (kb_rows_next(&rows)) {
		kb_columns_read(&message_columns, &rows, 0, arena,
		                &KB_ROOM(arena, out->v, out->count)[out->count]);
		out->count++;
	}
	ok = kb_rows_close(&rows, err)
	     && kb_db_int(conn, &sql[MESSAGES_COUNT],
	                  KB_VALUES(kb_int(agent_id), kb_int(filter->from), kb_int(filter->until),
	                            kb_int(filter->unanswered)),
	                  0, &out->total, err);
	kb_db_give(store->db, conn);
	return ok;
}

bool kb_store_report_week(struct kb_store *store, int64_t agent_id, struct kb_report_week *week,
                          struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_take(&rows, store->db, &sql[WEEK],
	             KB_VALUES(kb_int(agent_id), kb_int(week->from), kb_int(week->until)));
	while (kb_rows_next(&rows)) {
		week->asked = kb_rows_int(&rows, 0);
		week->answered = kb_rows_int(&rows, 1);
		week->checked = kb_rows_int(&rows, 2);
		week->mended = kb_rows_int(&rows, 3);
		week->open = kb_rows_int(&rows, 4);
	}
	return kb_rows_close(&rows, err);
}
