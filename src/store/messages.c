/* Messages: the prompts and answers of a conversation, reactions to them, the count of queries. */
#include <time.h>

#include "store/ahead.h"
#include "store/answers_own.h"
#include "store/chores_own.h"
#include "store/gap_groups_own.h"
#include "store/gaps.h"
#include "store/lists.h"
#include "store/messages_own.h"
#include "store/publish.h"
#include "store/store_own.h"
#include "store/texts.h"
#include "store/visitors_own.h"

enum {
	ADD,
	ADD_KNOWN,
	HISTORY,
	BY_ID,
	RUNNING_BY_ID,
	LIST_DESC,
	LIST_ASC,
	LIST_COUNT,
	REACT,
	NOTE,
	MONTH_ADD,
	MONTH,
	MODEL_ADD,
	ONE,
	CITED,
};
#define THE_SESSION                                                                                \
	"(SELECT c.id FROM conversations c WHERE c.agent_id = $1 AND c.session_id = $2 "           \
	"AND ($3 = 0 OR c.visitor_id = $3))"
#define OF_SESSION      " FROM messages WHERE agent_id = $1 AND conversation_id = " THE_SESSION
#define OF_CONVERSATION " FROM messages WHERE agent_id = $1 AND conversation_id = $2"
/* One that is being written (answers.h), as a row of messages. */
#define RUNNING                                                                                    \
	"SELECT agent_id, conversation_id, id, query, text, '', 1, 0, user_ip, user_agent, "       \
	"external_id, source, '', user_id, 0, 0, 0, 0, created_at, created_at, child_id, '', 0, "  \
	"0, 0, 1 "                                                                                 \
	"FROM answers WHERE agent_id = $1 AND conversation_id = "
#define LIST(order)                                                                                \
	"SELECT " KB_NAMES(MESSAGES) ", 0" OF_CONVERSATION " UNION ALL " RUNNING "$2 "             \
	                             "ORDER BY " order " LIMIT $3 OFFSET $4"
// clang-format off
/* The columns of messages (columns.h). */
#define MESSAGES(FIRST, NEXT) \
	FIRST(i, agent_id,            message.agent_id) \
	NEXT (i, conversation_id,     message.conversation_id) \
	NEXT (i, id,                  message.id) \
	NEXT (t, query,               message.query) \
	NEXT (t, response,            message.response) \
	NEXT (t, citations,           citations) \
	NEXT (i, answered,            message.answered) \
	NEXT (i, failed,              message.failed) \
	NEXT (t, user_ip,             message.user_ip) \
	NEXT (t, user_agent,          message.user_agent) \
	NEXT (t, external_id,         message.external_id) \
	NEXT (t, source,              message.source) \
	NEXT (t, details,             message.details) \
	NEXT (i, user_id,             message.user_id) \
	NEXT (i, reaction,            message.reaction) \
	NEXT (i, reaction_user,       message.reaction_user) \
	NEXT (i, reaction_created_at, message.reaction_created_at) \
	NEXT (i, reaction_updated_at, message.reaction_updated_at) \
	NEXT (i, created_at,          message.created_at) \
	NEXT (i, updated_at,          message.updated_at) \
	NEXT (i, child_id,            message.child_id) \
	NEXT (t, insight,             message.insight) \
	NEXT (i, closest,             message.closest) \
	NEXT (i, found_page_id,       message.found_page_id) \
	NEXT (i, found_at,            message.found_at)

static const struct kb_sql sql[] = {
	[ADD] = { "message_add", KB_TYPES(MESSAGES), KB_INSERT("messages", MESSAGES) },
	/* The same into a conversation that was seen: fails where the agent or the conversation has gone
	 * since, by what a row of messages must have. */
	[ADD_KNOWN] = { "message_add_known", KB_TYPES(MESSAGES),
		"INSERT INTO messages (" KB_NAMES(MESSAGES) ") VALUES ("
		"(SELECT id FROM agents WHERE id = $1 AND state = " KB_SQL(AGENT_THERE) "), $2, "
		KB_HOLES_TO(MESSAGES(KB_ONE_FIRST, KB_ONE_NEXT)) ")" },
	[HISTORY] = { "message_history", "itiii",
		"SELECT " KB_NAMES(MESSAGES) ", 0" OF_SESSION " AND +created_at >= $4 ORDER BY id DESC LIMIT $5" },
	[BY_ID] = { "message_by_id", "itii", "SELECT " KB_NAMES(MESSAGES) ", 0" OF_SESSION " AND id = $4 AND "
		KB_AGENT_SHOWN("agent_id") },
	[RUNNING_BY_ID] = { "message_running_by_id", "itii",
		RUNNING THE_SESSION " AND id = $4 AND " KB_AGENT_SHOWN("agent_id") },
	[LIST_DESC] = { "message_list_desc", "iiii", LIST("id DESC") },
	[LIST_ASC] = { "message_list_asc", "iiii", LIST("id") },
	[LIST_COUNT] = { "message_list_count", "ii",
		"SELECT (SELECT count(*)" OF_CONVERSATION ") + "
		"(SELECT count(*) FROM answers WHERE agent_id = $1 AND conversation_id = $2)" },
	[REACT] = { "message_react", "iiiiiiiiii",
		"UPDATE messages SET reaction = $4, reaction_user = $5, reaction_created_at = $6, "
		"reaction_updated_at = $7, updated_at = $8, found_page_id = $9, found_at = $10 "
		"WHERE agent_id = $1 AND conversation_id = $2 AND id = $3" },
	[NOTE] = { "message_note", "iiit",
		"UPDATE messages SET details = $4 "
		"WHERE agent_id = $1 AND conversation_id = $2 AND id = $3" },
	[MONTH_ADD] = { "month_add", "iiiii",
		"INSERT INTO agent_months (agent_id, month, queries, model_tokens, model_cost) "
		"VALUES ($1, $2, $5, $3, $4) ON CONFLICT (agent_id, month) DO UPDATE SET "
		"queries = agent_months.queries + $5, "
		"model_tokens = agent_months.model_tokens + $3, "
		"model_cost = agent_months.model_cost + $4" },
	[MONTH] = { "month", "ii",
		"SELECT CAST(coalesce(sum(w.queries), 0) AS BIGINT), CAST(coalesce(sum(w.model_tokens), 0) AS BIGINT), "
		"CAST(coalesce(sum(w.model_cost), 0) AS BIGINT) FROM ("
		"SELECT queries, model_tokens, model_cost FROM account_months WHERE account_id = $1 AND month = $2 "
		"UNION ALL SELECT m.queries, m.model_tokens, m.model_cost FROM agents a "
		"JOIN agent_months m ON m.agent_id = a.id WHERE a.account_id = $1 AND m.month = $2) w" },
	[MODEL_ADD] = { "model_add", "iitiiii",
		"INSERT INTO model_usage (agent_id, day, model, answers, prompt_tokens, "
		"completion_tokens, cost) VALUES ($1, $2, $3, $7, $4, $5, $6) "
		"ON CONFLICT (agent_id, day, model) DO UPDATE SET answers = model_usage.answers + $7, "
		"prompt_tokens = model_usage.prompt_tokens + $4, "
		"completion_tokens = model_usage.completion_tokens + $5, "
		"cost = model_usage.cost + $6" },
	[ONE] = { "message_one", "iii", "SELECT " KB_NAMES(MESSAGES) ", 0" OF_CONVERSATION " AND id = $3" },
	/* Of a document that is there still. */
	[CITED] = { "message_cited", "iii",
		"INSERT INTO cited_pages (agent_id, page_id, cited) SELECT agent_id, id, $3 FROM pages "
		"WHERE agent_id = $1 AND id = $2 ON CONFLICT (agent_id, page_id) DO UPDATE SET "
		"cited = cited_pages.cited + $3" },
};
// clang-format on
const struct kb_sql_table kb_sql_messages = { "messages", sql, KB_COUNTOF(sql) };

/* The calendar month (UTC) as one number. */
static int64_t month_of(int64_t us)
{
	time_t t = (time_t)(us / KB_SECOND_US);
	struct tm tm = { .tm_year = 70 };

	gmtime_r(&t, &tm);
	return (int64_t)(tm.tm_year + 1900) * 12 + tm.tm_mon;
}

struct row {
	struct kb_message message;
	struct kb_sv citations; /* as text */
};
#define ROW(letter, column, member) KB_COLUMN(struct row, letter, column, member)
const struct kb_db_columns kb_message_columns = KB_COLUMNS(struct row, MESSAGES(ROW, ROW));

static void read_row(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_message *out)
{
	struct row row;

	kb_columns_read(&kb_message_columns, rows, 0, arena, &row);
	*out = row.message;
	out->running = kb_rows_bool(rows, (int)kb_message_columns.count);
	out->citations = kb_ids_parse(arena, row.citations, &out->citation_count);
}

/* ---- adding ---- */

static void add_to_month(struct kb_db_conn *conn, const struct kb_spender *by,
                         const struct kb_model_spent *spent, int64_t queries)
{
	kb_db_count(conn, &sql[MONTH_ADD], 2,
	            KB_VALUES(kb_int(by->agent_id), kb_int(month_of(by->now)),
	                      kb_int(spent->prompt_tokens + spent->completion_tokens),
	                      kb_int(spent->cost), kb_int(queries)));
}

static void add_to_model(struct kb_db_conn *conn, const struct kb_spender *by,
                         const struct kb_model_spent *spent, int64_t queries)
{
	if (spent->model.n)
		kb_db_count(conn, &sql[MODEL_ADD], 3,
		            KB_VALUES(kb_int(by->agent_id), kb_int(by->now / KB_DAY_US),
		                      kb_text(spent->model), kb_int(spent->prompt_tokens),
		                      kb_int(spent->completion_tokens), kb_int(spent->cost),
		                      kb_int(queries)));
}

void kb_spent_add(struct kb_db_conn *conn, const struct kb_spender *by,
                  const struct kb_model_spent *spent)
{
	add_to_month(conn, by, spent, 0);
	add_to_model(conn, by, spent, 0);
}

struct spent {
	struct kb_spender by;
	const struct kb_model_spent *spent;
};

static bool put_spent(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct spent *in = arg;

	(void)err;
	kb_spent_add(conn, &in->by, in->spent);
	return true;
}

bool kb_store_model_spent(struct kb_store *store, int64_t agent_id,
                          const struct kb_model_spent *spent, struct kb_err *err)
{
	struct spent in = { { .agent_id = agent_id, .now = kb_store_now(store) }, spent };

	return kb_db_write(store->db, put_spent, &in, err);
}

/* A new message is read for the reports, and the first one of a conversation names it. */
static bool add_chores(struct kb_db_conn *conn, const struct kb_message *message, bool first,
                       struct kb_err *err)
{
	const struct kb_chore name = { .agent_id = message->agent_id,
		                       .kind = KB_CHORE_NAME,
		                       .subject = message->conversation_id },
	                      insight = { .agent_id = message->agent_id,
		                          .kind = KB_CHORE_INSIGHT,
		                          .subject = message->id,
		                          .within = message->conversation_id };

	return (!first || kb_chore_add(conn, &name, message->created_at, err))
	       && kb_chore_add(conn, &insight, message->created_at, err);
}

/* why 0: it leaves none. */
static bool note_gap(struct kb_db_conn *conn, const struct kb_message *message, int64_t why,
                     struct kb_err *err)
{
	return !why
	       || kb_gap_note(conn,
	                      &(struct kb_gap_message){ message->agent_id, message->conversation_id,
	                                                message->id },
	                      why, err);
}

/* What it counts, and the agent that the conversation stays with. */
static bool account_for(struct kb_db_conn *conn, const struct kb_session *session,
                        const struct kb_message *message, struct kb_err *err)
{
	const struct kb_spender asked = { session->agent_id, message->created_at };
	/* Who answers for a master pays for itself. */
	const struct kb_spender answered = { message->child_id ? message->child_id
		                                               : session->agent_id,
		                             message->created_at };

	add_to_month(conn, &asked, &message->spent, 1);
	kb_totals_count_query(conn, session->agent_id, !message->failed);
	add_to_model(conn, &answered, &message->spent, 1);
	for (size_t i = 0; i < message->citation_count; i++)
		kb_db_count(conn, &sql[CITED], 2,
		            KB_VALUES(kb_int(answered.agent_id), kb_int(message->citations[i]),
		                      kb_int(1)));
	return !message->stays_with
	       || kb_conversation_set_child(conn, session->agent_id, message->conversation_id,
	                                    message->stays_with, err);
}

/* As a new row of that conversation. */
static struct row row_of(struct kb_arena *arena, const struct kb_message *message,
                         const struct kb_conversation *conversation)
{
	struct row row = {
		.message = *message,
		.citations = kb_ids_text(arena, message->citations, message->citation_count),
	};

	row.message.updated_at = message->created_at;
	row.message.agent_id = conversation->agent_id;
	row.message.conversation_id = conversation->id;
	row.message.reaction = KB_REACTION_NONE;
	row.message.reaction_user = 0;
	row.message.reaction_created_at = row.message.reaction_updated_at = 0;
	row.message.found_page_id = row.message.found_at = 0;
	return row;
}

bool kb_message_insert(struct kb_db_conn *conn, struct kb_arena *arena,
                       const struct kb_message_coming *coming, struct kb_conversation *conversation,
                       struct kb_err *err)
{
	struct kb_message *message = coming->message;
	struct row row;

	if (message->id == 0 && coming->asked)
		message->id = coming->asked->id;
	/* An answer that ends comes before its conversation: one that was deleted meanwhile must
	 * not be made again. */
	if ((message->writer.n && !kb_answer_ends(conn, message, err))
	    || !kb_conversation_use(conn, arena, coming, conversation, err)
	    || (message->id == 0 && !kb_db_next_id(conn, "message", 1, &message->id, err)))
		return false;
	row = row_of(arena, message, conversation);
	if (!kb_columns_defer(&kb_message_columns, conn, &sql[ADD], KB_NO_VALUES, &row, err)
	    || !account_for(conn, coming->session, &row.message, err))
		return false;
	*message = row.message;
	return true;
}

/* Marks the conversation that was seen when the question came; makes it where there was none. */
static bool use_known(struct kb_db_conn *conn, struct kb_arena *arena,
                      const struct kb_message_coming *coming, struct kb_conversation *conversation,
                      struct kb_err *err)
{
	const struct kb_ahead *ahead = coming->message->ahead;

	if (!ahead->conversation.id)
		return kb_conversation_begin(conn, arena, coming, ahead->conversation_id,
		                             conversation, err);
	*conversation = ahead->conversation;
	conversation->updated_at = coming->message->created_at;
	return kb_conversation_touch(conn, conversation, err);
}

/* Into the conversation as it was then: nothing is waited for. */
static bool insert_known(struct kb_db_conn *conn, struct kb_arena *arena,
                         const struct kb_message_coming *coming,
                         struct kb_conversation *conversation, struct kb_err *err)
{
	struct kb_message *message = coming->message;
	struct row row;

	if (message->id == 0)
		message->id = message->ahead->message_id;
	if (!use_known(conn, arena, coming, conversation, err))
		return false;
	row = row_of(arena, message, conversation);
	if (!kb_columns_defer(&kb_message_columns, conn, &sql[ADD_KNOWN], KB_NO_VALUES, &row, err)
	    || !account_for(conn, coming->session, &row.message, err))
		return false;
	*message = row.message;
	return true;
}

struct add {
	struct kb_arena *arena;
	const struct kb_session *session;
	int64_t now;
	struct kb_message *message;
	struct kb_conversation *conversation;
	bool chores;
	bool knows; /* the conversation and an id, from before; tried once */
	struct kb_conversation_asking asking;
};

/* The question that asks for what was not known, or is so no more. */
static void ask(struct add *in)
{
	kb_conversation_ask(in->session, in->now, &in->asking);
	in->asking.append.sequence = in->message->id ? NULL : "message";
}

static bool add(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct add *in = arg;
	struct kb_message message = *in->message; /* a write may be run again */
	const struct kb_message_coming coming = { in->session, &message, &in->asking.append };
	bool first, knows = in->knows;

	message.created_at = in->now;
	if (knows)
		ask(in); /* for the next time, should there be one */
	in->knows = false;
	if (!(knows ? insert_known : kb_message_insert)(conn, in->arena, &coming, in->conversation,
	                                                err))
		return false;
	first = kb_conversation_is_named_after(in->conversation, in->arena, message.query);
	if ((in->chores && !add_chores(conn, &message, first, err))
	    || !note_gap(conn, &message, message.gap_why, err)
	    || (message.ends_visit && !kb_visit_end(conn, message.ends_visit, err)))
		return false;
	*in->message = message;
	return true;
}

struct bringing {
	struct kb_arena *arena;
	const struct kb_session *session;
	struct kb_brought *brought;
};

static bool bring_one(struct kb_db_conn *conn, const struct bringing *in,
                      struct kb_message *message, struct kb_err *err)
{
	const struct kb_message_coming coming = { in->session, message, NULL };
	struct row row;

	if (!kb_conversation_use(conn, in->arena, &coming, &in->brought->conversation, err)
	    || !kb_db_next_id(conn, "message", 1, &message->id, err))
		return false;
	row = row_of(in->arena, message, &in->brought->conversation);
	if (message->reaction != KB_REACTION_NONE) {
		row.message.reaction = message->reaction;
		row.message.reaction_user = message->user_id;
		row.message.reaction_created_at = row.message.reaction_updated_at =
		        message->created_at;
	}
	return kb_columns_defer(&kb_message_columns, conn, &sql[ADD], KB_NO_VALUES, &row, err);
}

static bool bring(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct bringing *in = arg;
	struct kb_err why = { 0 };

	if (kb_conversation_load(conn, in->arena, in->session, &in->brought->conversation, &why))
		return kb_fail(err, KB_E_CONFLICT, "the agent has that conversation already");
	if (why.code != KB_E_NOT_FOUND)
		return kb_fail(err, why.code, "%s", why.msg);
	for (size_t i = 0; i < in->brought->count; i++)
		if (!bring_one(conn, in, &in->brought->v[i], err))
			return false;
	return true;
}

bool kb_store_messages_bring(struct kb_store *store, struct kb_arena *arena,
                             const struct kb_session *session, struct kb_brought *brought,
                             struct kb_err *err)
{
	struct bringing in = { arena, session, brought };

	return kb_db_write(store->db, bring, &in, err);
}

/* A store of one process gives ids in lots: one durable write for so many streams. */
enum { IDS_AT_ONCE = 64 };

static bool take_ids(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	return kb_db_next_id(conn, "message", IDS_AT_ONCE, arg, err);
}

/* Where others give ids too, a later message has the higher one only without lots. */
static bool take_id(struct kb_store *store, int64_t *id, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	bool ok;

	if (!conn)
		return false;
	ok = kb_db_next_id(conn, "message", 1, id, err);
	kb_db_give(store->db, conn);
	return ok;
}

bool kb_store_message_reserve(struct kb_store *store, int64_t *id, struct kb_err *err)
{
	bool ok = true;

	if (store->is_shared)
		return take_id(store, id, err);
	pthread_mutex_lock(&store->ids_lock);
	if (store->message_id == store->message_id_end) {
		int64_t first;

		ok = kb_db_write(store->db, take_ids, &first, err);
		if (ok) {
			store->message_id = first;
			store->message_id_end = first + IDS_AT_ONCE;
		}
	}
	if (ok)
		*id = store->message_id++;
	pthread_mutex_unlock(&store->ids_lock);
	return ok;
}

bool kb_store_message_add(struct kb_store *store, struct kb_arena *arena,
                          const struct kb_session *session, struct kb_message *message,
                          struct kb_conversation *conversation, struct kb_err *err)
{
	struct add in = {
		.arena = arena,
		.session = session,
		.now = kb_store_now(store),
		.message = message,
		.conversation = conversation,
		.chores = atomic_load(&store->chores_wanted),
	};

	ask(&in);
	in.knows = message->ahead && !message->writer.n
	           && (message->ahead->conversation.id ? message->ahead->has_name
	                                               : message->ahead->conversation_id != 0);
	if (in.knows) {
		in.asking.append.sql = NULL;
		in.asking.append.sequence = NULL;
	}
	return kb_db_append(store->db, &in.asking.append, add, &in, err);
}

/* ---- reading ---- */

static bool missing(struct kb_err *err, int64_t id)
{
	return kb_fail(err, KB_E_NOT_FOUND, "Conversation message with id %" PRId64 " not found",
	               id);
}

/* With BY_ID or RUNNING_BY_ID; its id is 0 where there is none. */
static bool find(struct kb_db_conn *conn, struct kb_arena *arena, const struct kb_sql *by,
                 struct kb_db_values key, struct kb_message *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_message){ 0 };
	kb_rows_open(&rows, conn, by, key);
	while (kb_rows_next(&rows))
		read_row(&rows, arena, out);
	return kb_rows_close(&rows, err);
}

#define KEY(session, message_id)                                                                   \
	KB_VALUES(kb_int((session)->agent_id), kb_text((session)->id),                             \
	          kb_int((session)->visitor_id), kb_int(message_id))

static bool load(struct kb_db_conn *conn, struct kb_arena *arena, const struct kb_session *session,
                 int64_t id, struct kb_message *out, struct kb_err *err)
{
	return find(conn, arena, &sql[BY_ID], KEY(session, id), out, err)
	       && (out->id || missing(err, id));
}

/* All rows of the open statement, then closes it. */
static bool read_all(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_message_list *out,
                     struct kb_err *err)
{
	*out = (struct kb_message_list){ 0 };
	while (kb_rows_next(rows)) {
		read_row(rows, arena, &KB_ROOM(arena, out->v, out->count)[out->count]);
		out->count++;
	}
	return kb_rows_close(rows, err);
}

void kb_history_read_begin(struct kb_db_conn *conn, const struct kb_session *session,
                           const struct kb_history_want *want, struct kb_db_rows *rows)
{
	kb_rows_open(rows, conn, &sql[HISTORY],
	             KB_VALUES(kb_int(session->agent_id), kb_text(session->id),
	                       kb_int(session->visitor_id), kb_int(want->since),
	                       kb_int(KB_MAX(want->limit, 0))));
}

bool kb_history_read_end(struct kb_db_rows *rows, struct kb_arena *arena,
                         struct kb_message_list *out, struct kb_err *err)
{
	bool ok = read_all(rows, arena, out, err);

	for (size_t i = 0; i < out->count / 2; i++) {
		struct kb_message newer = out->v[i];

		out->v[i] = out->v[out->count - 1 - i];
		out->v[out->count - 1 - i] = newer;
	}
	return ok;
}

bool kb_store_message_history(struct kb_store *store, struct kb_arena *arena,
                              const struct kb_session *session, const struct kb_history_want *want,
                              struct kb_message_list *out, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	struct kb_db_rows rows;
	bool ok;

	if (!conn)
		return false;
	kb_history_read_begin(conn, session, want, &rows);
	ok = kb_history_read_end(&rows, arena, out, err);
	kb_db_give(store->db, conn);
	return ok;
}

bool kb_store_message_get(struct kb_store *store, struct kb_arena *arena,
                          const struct kb_session *session, int64_t id, struct kb_message *out,
                          struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	bool ok;

	if (!conn)
		return false;
	/* In this order: one that ends meanwhile is found where it is then. */
	ok = find(conn, arena, &sql[RUNNING_BY_ID], KEY(session, id), out, err)
	     && (out->id || load(conn, arena, session, id, out, err));
	kb_db_give(store->db, conn);
	return ok;
}

bool kb_store_chore_messages(struct kb_store *store, struct kb_arena *arena,
                             const struct kb_chore *chore, struct kb_message_list *out,
                             struct kb_err *err)
{
	struct kb_db_value agent = kb_int(chore->agent_id);
	struct kb_db_rows rows;

	if (chore->kind == KB_CHORE_INSIGHT)
		kb_rows_take(&rows, store->db, &sql[ONE],
		             KB_VALUES(agent, kb_int(chore->within), kb_int(chore->subject)));
	else
		kb_rows_take(&rows, store->db, &sql[LIST_ASC],
		             KB_VALUES(agent, kb_int(chore->subject), kb_int(KB_CHORE_MESSAGES),
		                       kb_int(0)));
	return read_all(&rows, arena, out, err);
}

static bool read_list(struct kb_db_conn *conn, struct kb_arena *arena,
                      const struct kb_session *session, const struct kb_list *list,
                      struct kb_transcript *out, struct kb_err *err)
{
	const struct kb_conversation *conversation = &out->conversation;
	struct kb_db_rows rows;

	if (!kb_conversation_load(conn, arena, session, &out->conversation, err))
		return false;
	kb_rows_open(&rows, conn, &sql[list->ascending ? LIST_ASC : LIST_DESC],
	             KB_VALUES(kb_int(session->agent_id), kb_int(conversation->id),
	                       kb_int(kb_list_limit(list)), kb_int(kb_list_offset(list))));
	return read_all(&rows, arena, &out->messages, err)
	       && kb_db_int(conn, &sql[LIST_COUNT],
	                    KB_VALUES(kb_int(session->agent_id), kb_int(conversation->id)), 0,
	                    &out->messages.total, err);
}

bool kb_store_message_list(struct kb_store *store, struct kb_arena *arena,
                           const struct kb_session *session, const struct kb_list *list,
                           struct kb_transcript *out, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	bool ok;

	if (!conn)
		return false;
	ok = read_list(conn, arena, session, list, out, err);
	kb_db_give(store->db, conn);
	return ok;
}

void kb_month_read_begin(struct kb_db_conn *conn, int64_t account_id, int64_t now,
                         struct kb_db_rows *rows)
{
	kb_rows_open(rows, conn, &sql[MONTH], KB_VALUES(kb_int(account_id), kb_int(month_of(now))));
}

bool kb_month_read_end(struct kb_db_rows *rows, struct kb_month_use *out, struct kb_err *err)
{
	*out = (struct kb_month_use){ 0 };
	while (kb_rows_next(rows))
		*out = (struct kb_month_use){ .queries = kb_rows_int(rows, 0),
			                      .model_tokens = kb_rows_int(rows, 1),
			                      .model_cost = kb_rows_int(rows, 2) };
	return kb_rows_close(rows, err);
}

bool kb_store_used_this_month(struct kb_store *store, int64_t account_id, struct kb_month_use *out,
                              struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	struct kb_db_rows rows;
	bool ok;

	*out = (struct kb_month_use){ 0 };
	if (!conn)
		return false;
	kb_month_read_begin(conn, account_id, kb_store_now(store), &rows);
	ok = kb_month_read_end(&rows, out, err);
	kb_db_give(store->db, conn);
	return ok;
}

bool kb_store_queries_this_month(struct kb_store *store, int64_t account_id, int64_t *count,
                                 struct kb_err *err)
{
	struct kb_month_use use;

	if (!kb_store_used_this_month(store, account_id, &use, err))
		return false;
	*count = use.queries;
	return true;
}

/* ---- reactions ---- */

struct react {
	struct kb_arena *arena;
	const struct kb_session *session;
	const struct kb_message_reaction *given;
	int64_t now;
	struct kb_message *out;
};

static void take_reaction(struct react *in)
{
	struct kb_message *m = in->out;
	bool clears = in->given->reaction == KB_REACTION_NONE;

	if (clears || m->reaction == KB_REACTION_NONE)
		m->reaction_created_at = clears ? 0 : in->now;
	m->reaction = in->given->reaction;
	m->reaction_user = clears ? 0 : in->given->user_id;
	m->reaction_updated_at = clears ? 0 : in->now;
}

static bool react(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct react *in = arg;
	struct kb_message *m = in->out;

	if (!load(conn, in->arena, in->session, in->given->message_id, m, err))
		return false;
	if (in->given->reacts)
		take_reaction(in);
	if (in->given->finds) {
		m->found_page_id = in->given->found_page_id;
		m->found_at = m->found_page_id ? in->now : 0;
	}
	m->updated_at = in->now;
	if (in->given->reacts && !note_gap(conn, m, KB_GAP_REACTED, err))
		return false;
	return kb_db_run(conn, &sql[REACT],
	                 KB_VALUES(kb_int(m->agent_id), kb_int(m->conversation_id), kb_int(m->id),
	                           kb_int(m->reaction), kb_int(m->reaction_user),
	                           kb_int(m->reaction_created_at), kb_int(m->reaction_updated_at),
	                           kb_int(m->updated_at), kb_int(m->found_page_id),
	                           kb_int(m->found_at)),
	                 NULL, err);
}

bool kb_store_message_react(struct kb_store *store, struct kb_arena *arena,
                            const struct kb_session *session,
                            const struct kb_message_reaction *given, struct kb_message *out,
                            struct kb_err *err)
{
	struct react in = {
		.arena = arena,
		.session = session,
		.given = given,
		.now = kb_store_now(store),
		.out = out,
	};

	return kb_db_write(store->db, react, &in, err);
}

/* ---- notes ---- */

struct note {
	int64_t agent_id, conversation_id, id;
	struct kb_sv details;
};

static bool note(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct note *in = arg;
	int64_t changed;

	return kb_db_run(conn, &sql[NOTE],
	                 KB_VALUES(kb_int(in->agent_id), kb_int(in->conversation_id),
	                           kb_int(in->id), kb_text(in->details)),
	                 &changed, err)
	       && (changed || missing(err, in->id));
}

bool kb_store_message_set_details(struct kb_store *store, int64_t agent_id, int64_t conversation_id,
                                  int64_t id, struct kb_sv details, struct kb_err *err)
{
	struct note in = { agent_id, conversation_id, id, details };

	return kb_db_write(store->db, note, &in, err);
}
