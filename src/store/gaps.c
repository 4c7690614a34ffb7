#include "store/gaps.h"

#include "db/columns.h"
#include "store/gaps_own.h"
#include "store/lists.h"
#include "store/store_own.h"

enum { HEADS, STALE, DUE, QUESTIONS, TRIED, TURN, LIST, LIST_COUNT, COUNTS, GET, SET };
// clang-format off
#define GAPS(FIRST, NEXT) \
	FIRST(i, agent_id,        agent_id) \
	NEXT (i, id,              id) \
	NEXT (i, conversation_id, conversation_id) \
	NEXT (i, message_id,      message_id) \
	NEXT (i, state,           state) \
	NEXT (t, owner,           owner) \
	NEXT (i, answer_id,       answer_id) \
	NEXT (i, asked,           asked) \
	NEXT (i, people,          people) \
	NEXT (i, unanswered,      unanswered) \
	NEXT (i, disliked,        disliked) \
	NEXT (i, shaky,           shaky) \
	NEXT (i, first_at,        first_at) \
	NEXT (i, last_at,         last_at) \
	NEXT (i, answers,         answers) \
	NEXT (i, tried,           tried) \
	NEXT (i, tried_version,   tried_version) \
	NEXT (i, tried_at,        tried_at) \
	NEXT (i, by_itself,       by_itself) \
	NEXT (i, closed_at,       closed_at) \
	NEXT (i, created_at,      created_at) \
	NEXT (i, updated_at,      updated_at)
/* With the words of the question that it is shown by; without them it is not shown. */
#define G_NAME_FIRST(letter, column, member) "g." #column
#define G_NAME_NEXT(letter, column, member)  ", g." #column
#define GAP "SELECT " GAPS(G_NAME_FIRST, G_NAME_NEXT) ", (SELECT m.query FROM messages m " \
	"WHERE m.agent_id = g.agent_id AND m.conversation_id = g.conversation_id AND m.id = g.message_id) " \
	"FROM gaps g WHERE g.agent_id = $1 "
#define LISTED "AND ($2 < 0 OR g.state = $2) AND g.people >= $3"

static const struct kb_sql sql[] = {
	[HEADS] = { "gap_heads", "ii", GAP "ORDER BY g.last_at DESC, g.id DESC LIMIT $2" },
	[STALE] = { "gap_stale", "ii",
		"SELECT t.agent_id FROM gap_turns t WHERE t.agent_id > $1 AND t.tried_at < $2 AND t.tried_version <> "
		"(SELECT a.index_version FROM agents a WHERE a.id = t.agent_id) AND " KB_AGENT_SHOWN("t.agent_id")
		" ORDER BY t.agent_id LIMIT 1" },
	[DUE] = { "gap_due", "iiii",
		GAP "AND g.tried_version <> $2 AND (g.state = " KB_SQL(GAP_OPEN) " OR (g.state = " KB_SQL(GAP_ANSWERED)
		" AND g.answer_id <> 0 AND g.closed_at >= $3)) ORDER BY g.people DESC, g.last_at DESC, g.id DESC LIMIT $4" },
	[QUESTIONS] = { "gap_questions_of", "iii",
		"SELECT m.id, m.conversation_id, m.query, " KB_GAP_BEFORE ", m.response, q.why, q.asked_at FROM gap_questions q "
		"JOIN messages m ON m.agent_id = q.agent_id AND m.conversation_id = q.conversation_id AND m.id = q.message_id "
		"WHERE q.agent_id = $1 AND q.gap_id = $2 ORDER BY m.id DESC LIMIT $3" },
	[TRIED] = { "gap_tried", "iiiiiii",
		"UPDATE gaps SET answers = $3, tried = $4, tried_version = $5, tried_at = $6, "
		"by_itself = CASE WHEN state = 0 AND $7 = 1 THEN 1 ELSE by_itself END, "
		"closed_at = CASE WHEN state = 0 AND $7 = 1 THEN $6 ELSE closed_at END, "
		"state = CASE WHEN state = 0 AND $7 = 1 THEN " KB_SQL(GAP_ANSWERED) " ELSE state END "
		"WHERE agent_id = $1 AND id = $2" },
	[TURN] = { "gap_turn", "iii",
		"UPDATE gap_turns SET tried_version = $2, tried_at = $3 WHERE agent_id = $1" },
	[LIST] = { "gap_list", "iiiii", GAP LISTED " ORDER BY g.people DESC, g.last_at DESC, g.id DESC LIMIT $4 OFFSET $5" },
	[LIST_COUNT] = { "gap_list_count", "iii", "SELECT count(*) FROM gaps g WHERE g.agent_id = $1 " LISTED },
	[COUNTS] = { "gap_counts", "i",
		"SELECT coalesce(sum(CASE WHEN state = 0 THEN 1 ELSE 0 END), 0), "
		"coalesce(sum(CASE WHEN state = 1 THEN 1 ELSE 0 END), 0), "
		"coalesce(sum(CASE WHEN state = 2 THEN 1 ELSE 0 END), 0), "
		"coalesce(sum(CASE WHEN state = 1 AND by_itself = 1 THEN 1 ELSE 0 END), 0), "
		"CAST(coalesce(sum(CASE WHEN state = 0 THEN asked ELSE 0 END), 0) AS BIGINT) "
		"FROM gaps WHERE agent_id = $1" },
	[GET] = { "gap_get", "ii", GAP "AND g.id = $2" },
	[SET] = { "gap_set", "iiitiii",
		"UPDATE gaps SET state = $3, owner = $4, answer_id = $5, by_itself = CASE WHEN state = $3 THEN by_itself ELSE 0 END, "
		"closed_at = CASE WHEN $3 = 0 THEN 0 WHEN state = $3 AND answer_id = $5 THEN closed_at ELSE $6 END, "
		"tried_version = CASE WHEN answer_id = $5 THEN tried_version ELSE 0 END, updated_at = $7 "
		"WHERE agent_id = $1 AND id = $2" },
};
// clang-format on
const struct kb_sql_table kb_sql_gaps = { "gaps", sql, KB_COUNTOF(sql) };

#define MEMBER(letter, column, member) KB_COLUMN(struct kb_gap, letter, column, member)
static const struct kb_db_columns gap_columns = KB_COLUMNS(struct kb_gap, GAPS(MEMBER, MEMBER));

/* ---- reading ---- */

static void read_gap(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_gap *out)
{
	kb_columns_read(&gap_columns, rows, 0, arena, out);
	out->question = kb_rows_text(rows, arena, (int)gap_columns.count);
}

static bool read_gaps(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_gap_list *out,
                      struct kb_err *err)
{
	*out = (struct kb_gap_list){ 0 };
	while (kb_rows_next(rows)) {
		read_gap(rows, arena, &KB_ROOM(arena, out->v, out->count)[out->count]);
		out->count += out->v[out->count].question.p != NULL;
	}
	return kb_rows_close(rows, err);
}

bool kb_store_gap_heads(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                        int64_t limit, struct kb_gap_list *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_take(&rows, store->db, &sql[HEADS], KB_VALUES(kb_int(agent_id), kb_int(limit)));
	return read_gaps(&rows, arena, out, err);
}

bool kb_store_gap_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                       const struct kb_gap_filter *filter, struct kb_gap_list *out,
                       struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_take(&rows, store->db, &sql[LIST],
	             KB_VALUES(kb_int(agent_id), kb_int(filter->state), kb_int(filter->people),
	                       kb_int(kb_list_limit(&filter->list)),
	                       kb_int(kb_list_offset(&filter->list))));
	return read_gaps(&rows, arena, out, err)
	       && kb_db_read_int(
	               store->db, &sql[LIST_COUNT],
	               KB_VALUES(kb_int(agent_id), kb_int(filter->state), kb_int(filter->people)),
	               0, &out->total, err);
}

bool kb_store_gap_counts(struct kb_store *store, int64_t agent_id, struct kb_gap_counts *out,
                         struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_gap_counts){ 0 };
	kb_rows_take(&rows, store->db, &sql[COUNTS], KB_VALUES(kb_int(agent_id)));
	while (kb_rows_next(&rows))
		*out = (struct kb_gap_counts){ kb_rows_int(&rows, 0), kb_rows_int(&rows, 1),
			                       kb_rows_int(&rows, 2), kb_rows_int(&rows, 3),
			                       kb_rows_int(&rows, 4) };
	return kb_rows_close(&rows, err);
}

static bool no_gap(int64_t id, struct kb_err *err)
{
	return kb_fail(err, KB_E_NOT_FOUND, "Gap with id %" PRId64 " not found", id);
}

bool kb_store_gap_get(struct kb_store *store, struct kb_arena *arena, int64_t agent_id, int64_t id,
                      struct kb_gap *out, struct kb_err *err)
{
	struct kb_db_rows rows;
	bool found = false;

	kb_rows_take(&rows, store->db, &sql[GET], KB_VALUES(kb_int(agent_id), kb_int(id)));
	while (kb_rows_next(&rows)) {
		read_gap(&rows, arena, out);
		found = out->question.p != NULL;
	}
	return kb_rows_close(&rows, err) && (found || no_gap(id, err));
}

/* ---- asking anew ---- */

bool kb_store_gap_stale(struct kb_store *store, int64_t after, int64_t before, int64_t *agent_id,
                        struct kb_err *err)
{
	return kb_db_read_int(store->db, &sql[STALE], KB_VALUES(kb_int(after), kb_int(before)), 0,
	                      agent_id, err);
}

bool kb_store_gap_due(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                      const struct kb_gap_due *due, struct kb_gap_list *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_take(&rows, store->db, &sql[DUE],
	             KB_VALUES(kb_int(agent_id), kb_int(due->version), kb_int(due->since),
	                       kb_int(due->limit)));
	return read_gaps(&rows, arena, out, err);
}

bool kb_store_gap_questions(struct kb_store *store, struct kb_arena *arena,
                            const struct kb_gap *gap, int64_t limit, struct kb_gap_questions *out,
                            struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_gap_questions){ 0 };
	kb_rows_take(&rows, store->db, &sql[QUESTIONS],
	             KB_VALUES(kb_int(gap->agent_id), kb_int(gap->id), kb_int(limit)));
	while (kb_rows_next(&rows)) {
		KB_ROOM(arena, out->v, out->count)
		[out->count] = (struct kb_gap_question){ .message_id = kb_rows_int(&rows, 0),
			                                 .conversation_id = kb_rows_int(&rows, 1),
			                                 .question = kb_rows_text(&rows, arena, 2),
			                                 .before = kb_rows_text(&rows, arena, 3),
			                                 .response = kb_rows_text(&rows, arena, 4),
			                                 .why = kb_rows_int(&rows, 5),
			                                 .asked_at = kb_rows_int(&rows, 6) };
		out->count++;
	}
	return kb_rows_close(&rows, err);
}

bool kb_store_gap_tried(struct kb_store *store, const struct kb_gap_tried *tried,
                        struct kb_err *err)
{
	return kb_db_write_run(store->db, &sql[TRIED],
	                       KB_VALUES(kb_int(tried->agent_id), kb_int(tried->gap_id),
	                                 kb_int(tried->answers), kb_int(tried->tried),
	                                 kb_int(tried->version), kb_int(kb_store_now(store)),
	                                 kb_int(tried->closes)),
	                       NULL, err);
}

bool kb_store_gap_turn(struct kb_store *store, int64_t agent_id, int64_t version,
                       struct kb_err *err)
{
	return kb_db_write_run(
	        store->db, &sql[TURN],
	        KB_VALUES(kb_int(agent_id), kb_int(version), kb_int(kb_store_now(store))), NULL,
	        err);
}

bool kb_store_gap_set(struct kb_store *store, const struct kb_gap *gap, struct kb_err *err)
{
	int64_t now = kb_store_now(store);
	int64_t changed;

	return kb_db_write_run(store->db, &sql[SET],
	                       KB_VALUES(kb_int(gap->agent_id), kb_int(gap->id), kb_int(gap->state),
	                                 kb_text(gap->owner), kb_int(gap->answer_id), kb_int(now),
	                                 kb_int(now)),
	                       &changed, err)
	       && (changed || no_gap(gap->id, err));
}
