#include "store/kept.h"

#include "db/columns.h"
#include "store/agents_own.h"
#include "store/lists.h"
#include "store/pages_own.h"
#include "store/store_own.h"

enum {
	ADD,
	UPDATE,
	WAIT,
	COUNT,
	GET,
	LIST,
	LIST_COUNT,
	DUE,
	DOCUMENTS,
	ADD_DOCUMENT,
	KNOWN_DOCUMENT,
	CLEAR_DOCUMENTS,
	DELETE_ROW,
	STALE,
	SEEN,
	TRIED,
	TURN,
	MODELS,
	MODELS_ARE,
};
// clang-format off
/* The columns of kept_tests (columns.h). */
#define KEPT_PUT(FIRST, NEXT) \
	FIRST(t, question,      question) \
	NEXT (t, turns,         turns) \
	NEXT (t, phrases,       phrases) \
	NEXT (t, labels,        labels) \
	NEXT (i, refuse,        refuse) \
	NEXT (i, state,         state) \
	NEXT (i, why,           why) \
	NEXT (t, answer,        answer) \
	NEXT (t, answer_before, answer_before) \
	NEXT (i, turned_at,     turned_at) \
	NEXT (i, asked_at,      asked_at) \
	NEXT (i, tried_version, tried_version) \
	NEXT (i, tried_change,  tried_change) \
	NEXT (i, updated_at,    updated_at)
#define KEPT(FIRST, NEXT) \
	FIRST(i, agent_id,      agent_id) \
	NEXT (i, id,            id) \
	NEXT (i, created_at,    created_at) \
	KEPT_PUT(NEXT, NEXT)
/* Tests whose document has another text than it had, or has gone. */
#define TURNED_BY_DOCUMENT "t.id IN (SELECT d.test_id FROM kept_documents d WHERE d.agent_id = $1 AND d.text_blob <> '' " \
	"AND coalesce((SELECT p.text_blob FROM pages p WHERE p.agent_id = d.agent_id AND p.id = d.page_id), '') " \
	"<> d.text_blob)"
#define LISTED "FROM kept_tests t WHERE t.agent_id = $1 AND ($2 < 0 OR t.state = $2) AND t.turned_at >= $3 " \
	"AND ($4 = 0 OR t.state = " KB_SQL(KEPT_FAILED) " OR " TURNED_BY_DOCUMENT ")"
#define VERSION "(SELECT a.index_version FROM agents a WHERE a.id = t.agent_id)"
#define CHANGE "(SELECT a.updated_at FROM agents a WHERE a.id = t.agent_id)"
#define MODELS_MARK "(SELECT m.mark FROM kept_models m WHERE m.id = 1)"
#define TURNED "state <> " KB_SQL(KEPT_WAITING) " AND state <> $3"

static const struct kb_sql sql[] = {
	/* Has the agent's tests asked soon. */
	[WAIT] = { "kept_wait", "i",
		"INSERT INTO kept_turns (agent_id, tried_version, tried_change, tried_at, seen_version, seen_change, "
		"seen_at, since_at) VALUES ($1, -1, 0, 0, 0, 0, 0, 0) ON CONFLICT (agent_id) DO UPDATE SET tried_version = -1" },
	[ADD] = { "kept_add", KB_TYPES(KEPT), KB_INSERT("kept_tests", KEPT) },
	[UPDATE] = { "kept_update", "ii" KB_TYPES(KEPT_PUT),
		KB_UPDATE("kept_tests", KEPT_PUT) "WHERE agent_id = $1 AND id = $2" },
	[COUNT] = { "kept_count", "i", "SELECT count(*) FROM kept_tests WHERE agent_id = $1" },
	[GET] = { "kept_get", "ii", "SELECT " KB_NAMES(KEPT) " FROM kept_tests WHERE agent_id = $1 AND id = $2" },
	[LIST] = { "kept_list", "iiiiii",
		"SELECT " KB_NAMES(KEPT) " " LISTED " ORDER BY CASE WHEN state = " KB_SQL(KEPT_FAILED) " THEN 0 ELSE 1 END, "
		"turned_at DESC, id DESC LIMIT $5 OFFSET $6" },
	[LIST_COUNT] = { "kept_list_count", "iiii", "SELECT count(*) " LISTED },
	[DUE] = { "kept_due", "iiiii",
		"SELECT " KB_NAMES(KEPT) " FROM kept_tests WHERE agent_id = $1 AND (tried_version <> $2 OR tried_change <> $3 "
		"OR asked_at < $4) ORDER BY id LIMIT $5" },
	/* Of the tests $2 to $3. */
	[DOCUMENTS] = { "kept_documents", "iii",
		"SELECT d.test_id, d.page_id, CASE WHEN p.id IS NULL THEN 1 ELSE 0 END, "
		"CASE WHEN d.text_blob <> '' AND p.text_blob <> d.text_blob THEN 1 ELSE 0 END "
		"FROM kept_documents d LEFT JOIN pages p ON p.agent_id = d.agent_id AND p.id = d.page_id "
		"WHERE d.agent_id = $1 AND d.test_id >= $2 AND d.test_id <= $3 ORDER BY d.test_id, d.page_id" },
	[ADD_DOCUMENT] = { "kept_add_document", "iiit",
		"INSERT INTO kept_documents (agent_id, test_id, page_id, text_blob) VALUES ($1, $2, $3, $4) "
		"ON CONFLICT (agent_id, test_id, page_id) DO NOTHING" },
	/* One that had not been read when the test was kept. */
	[KNOWN_DOCUMENT] = { "kept_known_document", "ii",
		"UPDATE kept_documents SET text_blob = coalesce((SELECT p.text_blob FROM pages p "
		"WHERE p.agent_id = kept_documents.agent_id AND p.id = kept_documents.page_id), '') "
		"WHERE agent_id = $1 AND test_id = $2 AND text_blob = ''" },
	[CLEAR_DOCUMENTS] = { "kept_clear_documents", "ii", "DELETE FROM kept_documents WHERE agent_id = $1 AND test_id = $2" },
	[DELETE_ROW] = { "kept_delete", "ii", "DELETE FROM kept_tests WHERE agent_id = $1 AND id = $2" },
	[STALE] = { "kept_stale", "ii",
		"SELECT t.agent_id, " VERSION ", " CHANGE ", t.seen_version, t.seen_change, t.seen_at, t.since_at "
		"FROM kept_turns t WHERE t.agent_id > $1 AND " KB_AGENT_SHOWN("t.agent_id") " AND (t.tried_at < $2 "
		"OR t.tried_version <> " VERSION " OR t.tried_change <> " CHANGE ") ORDER BY t.agent_id LIMIT 1" },
	[SEEN] = { "kept_seen", "iiii",
		"UPDATE kept_turns SET seen_version = $2, seen_change = $3, seen_at = $4, "
		"since_at = CASE WHEN since_at = 0 THEN $4 ELSE since_at END WHERE agent_id = $1" },
	[TRIED] = { "kept_tried", "iiiitiiiii",
		"UPDATE kept_tests SET answer_before = CASE WHEN " TURNED " THEN answer ELSE answer_before END, "
		"turned_at = CASE WHEN " TURNED " THEN $7 ELSE turned_at END, "
		"state = $3, why = $4, answer = $5, asked_at = $7, tried_version = $8, tried_change = $9 "
		"WHERE agent_id = $1 AND id = $2 AND updated_at = $6 AND ($10 = 0 OR $10 = " MODELS_MARK ")" },
	/* A test that was kept or changed meanwhile has its own turn. */
	[TURN] = { "kept_turn", "iiiii",
		"UPDATE kept_turns SET tried_version = CASE WHEN EXISTS (SELECT 1 FROM kept_tests t WHERE t.agent_id = $1 "
		"AND t.state = " KB_SQL(KEPT_WAITING) ") THEN -1 ELSE $2 END, tried_change = $3, tried_at = $4, since_at = 0 "
		"WHERE agent_id = $1 AND $5 = " MODELS_MARK },
	[MODELS] = { "kept_models", "", "SELECT mark, since_at, seen_at FROM kept_models WHERE id = 1" },
	[MODELS_ARE] = { "kept_models_are", "ii",
		"INSERT INTO kept_models (id, mark, since_at, seen_at) VALUES (1, $1, 0, $2) ON CONFLICT (id) DO UPDATE SET "
		"since_at = CASE WHEN kept_models.mark = $1 THEN kept_models.since_at ELSE $2 END, mark = $1, seen_at = $2" },
};
// clang-format on
const struct kb_sql_table kb_sql_kept = { "kept", sql, KB_COUNTOF(sql) };

#define ROW(letter, column, member) KB_COLUMN(struct kb_kept_test, letter, column, member)
static const struct kb_db_columns columns = KB_COLUMNS(struct kb_kept_test, KEPT(ROW, ROW));
static const struct kb_db_columns put_columns = KB_COLUMNS(struct kb_kept_test, KEPT_PUT(ROW, ROW));

static bool not_found(int64_t id, struct kb_err *err)
{
	return kb_fail(err, KB_E_NOT_FOUND, "Test with id %" PRId64 " not found", id);
}

/* ---- reading ---- */

static struct kb_kept_test *find(const struct kb_kept_list *list, int64_t id)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->v[i].id == id)
			return &list->v[i];
	return NULL;
}

/* Of all tests of the list, in one trip. */
static bool read_documents(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                           const struct kb_kept_list *list, struct kb_err *err)
{
	int64_t low = INT64_MAX, high = 0;
	struct kb_kept_test *of = NULL;
	struct kb_db_rows rows;

	for (size_t i = 0; i < list->count; i++) {
		low = KB_MIN(low, list->v[i].id);
		high = KB_MAX(high, list->v[i].id);
	}
	if (!list->count)
		return true;
	kb_rows_open(&rows, conn, &sql[DOCUMENTS],
	             KB_VALUES(kb_int(agent_id), kb_int(low), kb_int(high)));
	while (kb_rows_next(&rows)) {
		int64_t id = kb_rows_int(&rows, 0);

		if (!of || of->id != id)
			of = find(list, id);
		if (!of)
			continue;
		KB_ROOM(arena, of->documents, of->document_count)
		[of->document_count] =
		        (struct kb_kept_document){ .page_id = kb_rows_int(&rows, 1),
			                           .gone = kb_rows_int(&rows, 2) != 0,
			                           .changed = kb_rows_int(&rows, 3) != 0 };
		of->document_count++;
	}
	return kb_rows_close(&rows, err);
}

static bool read_all(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                     struct kb_db_rows *rows, struct kb_kept_list *out, struct kb_err *err)
{
	*out = (struct kb_kept_list){ 0 };
	while (kb_rows_next(rows)) {
		kb_columns_read(&columns, rows, 0, arena,
		                &KB_ROOM(arena, out->v, out->count)[out->count]);
		out->count++;
	}
	return kb_rows_close(rows, err) && read_documents(conn, arena, agent_id, out, err);
}

static bool load(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id, int64_t id,
                 struct kb_kept_test *out, struct kb_err *err)
{
	struct kb_kept_list list;
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[GET], KB_VALUES(kb_int(agent_id), kb_int(id)));
	if (!read_all(conn, arena, agent_id, &rows, &list, err))
		return false;
	if (!list.count)
		return not_found(id, err);
	*out = list.v[0];
	return true;
}

bool kb_store_kept_get(struct kb_store *store, struct kb_arena *arena, int64_t agent_id, int64_t id,
                       struct kb_kept_test *out, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	bool ok = conn && load(conn, arena, agent_id, id, out, err);

	if (conn)
		kb_db_give(store->db, conn);
	return ok;
}

bool kb_store_kept_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                        const struct kb_kept_filter *filter, struct kb_kept_list *out,
                        struct kb_err *err)
{
	const struct kb_db_value id = kb_int(agent_id), state = kb_int(filter->state),
	                         since = kb_int(filter->turned_at),
	                         look = kb_int(filter->to_look_at);
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	struct kb_db_rows rows;
	bool ok;

	if (!conn)
		return false;
	kb_rows_open(&rows, conn, &sql[LIST],
	             KB_VALUES(id, state, since, look, kb_int(kb_list_limit(&filter->list)),
	                       kb_int(kb_list_offset(&filter->list))));
	ok = read_all(conn, arena, agent_id, &rows, out, err)
	     && kb_db_int(conn, &sql[LIST_COUNT], KB_VALUES(id, state, since, look), 0, &out->total,
	                  err);
	kb_db_give(store->db, conn);
	return ok;
}

/* ---- writing ---- */

struct put {
	struct kb_arena *arena;
	const struct kb_kept_put *put;
	int64_t now;
	struct kb_kept_test *out;
};

static bool add_document(struct kb_db_conn *conn, struct put *in, int64_t page_id,
                         struct kb_err *err)
{
	struct kb_page_row row = { 0 };

	if (!kb_page_load(conn, in->arena, in->put->agent_id, page_id, &row, err))
		return false;
	if (!row.page.id)
		return kb_fail(err, KB_E_INVALID,
		               "documents holds %" PRId64 ", which is no document of this agent",
		               page_id);
	return kb_db_run(conn, &sql[ADD_DOCUMENT],
	                 KB_VALUES(kb_int(in->put->agent_id), kb_int(in->out->id), kb_int(page_id),
	                           kb_text(row.page.text_blob)),
	                 NULL, err);
}

static bool insert(struct kb_db_conn *conn, struct put *in, struct kb_err *err)
{
	int64_t count;

	if (!kb_db_int(conn, &sql[COUNT], KB_VALUES(kb_int(in->put->agent_id)), 0, &count, err))
		return false;
	if (count >= KB_KEPT_MAX)
		return kb_fail(err, KB_E_INVALID,
		               "the agent has %" PRId64 " tests, which is as many as it may have",
		               count);
	in->out->created_at = in->now;
	return kb_db_next_id(conn, "test", 1, &in->out->id, err)
	       && kb_columns_write(&columns, conn, &sql[ADD], KB_NO_VALUES, in->out, err);
}

static bool change(struct kb_db_conn *conn, struct put *in, struct kb_err *err)
{
	const struct kb_db_value agent = kb_int(in->put->agent_id), id = kb_int(in->put->id);
	struct kb_kept_test before;

	return load(conn, in->arena, in->put->agent_id, in->put->id, &before, err)
	       && kb_columns_write(&put_columns, conn, &sql[UPDATE], KB_VALUES(agent, id), in->out,
	                           err)
	       && kb_db_run(conn, &sql[CLEAR_DOCUMENTS], KB_VALUES(agent, id), NULL, err);
}

static bool put(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct put *in = arg;
	const struct kb_kept_put *put = in->put;
	int64_t version;

	if (!kb_agent_lock(conn, put->agent_id, &version, err))
		return false;
	*in->out = (struct kb_kept_test){ .agent_id = put->agent_id,
		                          .id = put->id,
		                          .question = put->question,
		                          .turns = put->turns,
		                          .phrases = put->phrases,
		                          .labels = put->labels,
		                          .refuse = put->refuse,
		                          .answer = KB_SV(""),
		                          .answer_before = KB_SV(""),
		                          .updated_at = in->now };
	if (!(put->id ? change(conn, in, err) : insert(conn, in, err))
	    || !kb_db_run(conn, &sql[WAIT], KB_VALUES(kb_int(put->agent_id)), NULL, err)
	    || !kb_db_notify(conn, KB_TOPIC_AGENT, put->agent_id, err))
		return false;
	for (size_t i = 0; i < put->document_count; i++)
		if (!add_document(conn, in, put->documents[i], err))
			return false;
	return load(conn, in->arena, put->agent_id, in->out->id, in->out, err);
}

bool kb_store_kept_put(struct kb_store *store, struct kb_arena *arena,
                       const struct kb_kept_put *what, struct kb_kept_test *out, struct kb_err *err)
{
	struct put in = { arena, what, kb_store_now(store), out };

	return kb_db_write(store->db, put, &in, err);
}

struct delete
{
	int64_t agent_id, id;
};

static bool delete (struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct delete *in = arg;
	const struct kb_db_value agent = kb_int(in->agent_id), id = kb_int(in->id);
	int64_t changed, version;

	return kb_agent_lock(conn, in->agent_id, &version, err)
	       && kb_db_run(conn, &sql[CLEAR_DOCUMENTS], KB_VALUES(agent, id), NULL, err)
	       && kb_db_run(conn, &sql[DELETE_ROW], KB_VALUES(agent, id), &changed, err)
	       && (changed || not_found(in->id, err));
}

bool kb_store_kept_delete(struct kb_store *store, int64_t agent_id, int64_t id, struct kb_err *err)
{
	struct delete in = { agent_id, id };

	return kb_db_write(store->db, delete, &in, err);
}

/* ---- asking ---- */

bool kb_store_kept_stale(struct kb_store *store, int64_t after, int64_t before,
                         struct kb_kept_stale *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_kept_stale){ 0 };
	kb_rows_take(&rows, store->db, &sql[STALE], KB_VALUES(kb_int(after), kb_int(before)));
	while (kb_rows_next(&rows))
		*out = (struct kb_kept_stale){ kb_rows_int(&rows, 0), kb_rows_int(&rows, 1),
			                       kb_rows_int(&rows, 2), kb_rows_int(&rows, 3),
			                       kb_rows_int(&rows, 4), kb_rows_int(&rows, 5),
			                       kb_rows_int(&rows, 6) };
	return kb_rows_close(&rows, err);
}

bool kb_store_kept_seen(struct kb_store *store, const struct kb_kept_stale *stale,
                        struct kb_err *err)
{
	return kb_db_write_run(store->db, &sql[SEEN],
	                       KB_VALUES(kb_int(stale->agent_id), kb_int(stale->version),
	                                 kb_int(stale->change), kb_int(kb_store_now(store))),
	                       NULL, err);
}

bool kb_store_kept_due(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                       const struct kb_kept_due *due, struct kb_kept_list *out, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	struct kb_db_rows rows;
	bool ok;

	if (!conn)
		return false;
	kb_rows_open(&rows, conn, &sql[DUE],
	             KB_VALUES(kb_int(agent_id), kb_int(due->version), kb_int(due->change),
	                       kb_int(due->before), kb_int(due->limit)));
	ok = read_all(conn, arena, agent_id, &rows, out, err);
	kb_db_give(store->db, conn);
	return ok;
}

struct tried {
	const struct kb_kept_result *result;
	int64_t now;
};

static bool tried(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct tried *in = arg;
	const struct kb_kept_result *result = in->result;
	const struct kb_kept_test *test = result->test;
	const struct kb_db_value agent = kb_int(test->agent_id), id = kb_int(test->id);
	enum kb_kept_state state =
	        result->why == KB_KEPT_WHY_PASSED ? KB_KEPT_PASSED : KB_KEPT_FAILED;

	return kb_db_run(conn, &sql[TRIED],
	                 KB_VALUES(agent, id, kb_int(state), kb_int(result->why),
	                           kb_text(result->answer), kb_int(test->updated_at),
	                           kb_int(in->now), kb_int(result->version), kb_int(result->change),
	                           kb_int(result->models)),
	                 NULL, err)
	       && kb_db_run(conn, &sql[KNOWN_DOCUMENT], KB_VALUES(agent, id), NULL, err);
}

bool kb_store_kept_tried(struct kb_store *store, const struct kb_kept_result *result,
                         struct kb_err *err)
{
	struct tried in = { result, kb_store_now(store) };

	return kb_db_write(store->db, tried, &in, err);
}

bool kb_store_kept_turn(struct kb_store *store, const struct kb_kept_turn *turn, struct kb_err *err)
{
	return kb_db_write_run(store->db, &sql[TURN],
	                       KB_VALUES(kb_int(turn->agent_id), kb_int(turn->version),
	                                 kb_int(turn->change), kb_int(kb_store_now(store)),
	                                 kb_int(turn->models)),
	                       NULL, err);
}

/* ---- which models ---- */

bool kb_store_kept_models(struct kb_store *store, struct kb_kept_models *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_kept_models){ 0 };
	kb_rows_take(&rows, store->db, &sql[MODELS], KB_NO_VALUES);
	while (kb_rows_next(&rows))
		*out = (struct kb_kept_models){ kb_rows_int(&rows, 0), kb_rows_int(&rows, 1),
			                        kb_rows_int(&rows, 2) };
	return kb_rows_close(&rows, err);
}

bool kb_store_kept_models_are(struct kb_store *store, int64_t mark, struct kb_err *err)
{
	return kb_db_write_run(store->db, &sql[MODELS_ARE],
	                       KB_VALUES(kb_int(mark), kb_int(kb_store_now(store))), NULL, err);
}
