/* Messages: the prompts and answers of a conversation, reactions to them, the count of queries. */
#include <time.h>

#include "store/agents.h"
#include "store/conversations.h"
#include "store/store_impl.h"

enum { ADD, HISTORY, BY_ID, LIST_DESC, LIST_ASC, LIST_COUNT, REACT, NOTE, MONTH_ADD, MONTH };
#define COLUMNS                                                                                    \
	"agent_id, conversation_id, id, query, response, citations, answered, failed, user_ip, "   \
	"user_agent, external_id, source, details, user_id, reaction, reaction_user, "             \
	"reaction_created_at, reaction_updated_at, created_at, updated_at, child_id"
#define OF_SESSION                                                                                 \
	" FROM messages WHERE agent_id = $1 AND conversation_id = "                                \
	"(SELECT c.id FROM conversations c WHERE c.agent_id = $1 AND c.session_id = $2)"
#define OF_CONVERSATION " FROM messages WHERE agent_id = $1 AND conversation_id = $2"
// clang-format off
static const struct kb_sql sql[] = {
	[ADD] = { "message_add", "iiitttiitttttiii",
		"INSERT INTO messages (" COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, "
		"$12, $13, $14, 0, 0, 0, 0, $15, $15, $16)" },
	[HISTORY] = { "message_history", "itii",
		"SELECT " COLUMNS OF_SESSION " AND +created_at >= $3 ORDER BY id DESC LIMIT $4" },
	[BY_ID] = { "message_by_id", "iti", "SELECT " COLUMNS OF_SESSION " AND id = $3" },
	[LIST_DESC] = { "message_list_desc", "iiii",
		"SELECT " COLUMNS OF_CONVERSATION " ORDER BY id DESC LIMIT $3 OFFSET $4" },
	[LIST_ASC] = { "message_list_asc", "iiii",
		"SELECT " COLUMNS OF_CONVERSATION " ORDER BY id LIMIT $3 OFFSET $4" },
	[LIST_COUNT] = { "message_list_count", "ii", "SELECT count(*)" OF_CONVERSATION },
	[REACT] = { "message_react", "iiiiiiii",
		"UPDATE messages SET reaction = $4, reaction_user = $5, reaction_created_at = $6, "
		"reaction_updated_at = $7, updated_at = $8 "
		"WHERE agent_id = $1 AND conversation_id = $2 AND id = $3" },
	[NOTE] = { "message_note", "iiit",
		"UPDATE messages SET details = $4 "
		"WHERE agent_id = $1 AND conversation_id = $2 AND id = $3" },
	[MONTH_ADD] = { "month_add", "ii",
		"INSERT INTO account_months (account_id, month, queries) VALUES ($1, $2, 1) "
		"ON CONFLICT (account_id, month) DO UPDATE SET queries = account_months.queries + 1" },
	[MONTH] = { "month", "ii",
		"SELECT queries FROM account_months WHERE account_id = $1 AND month = $2" },
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

static void read_row(struct kb_rows *rows, struct kb_arena *arena, struct kb_message *out)
{
	*out = (struct kb_message){
		.agent_id = kb_rows_int(rows, 0),
		.conversation_id = kb_rows_int(rows, 1),
		.id = kb_rows_int(rows, 2),
		.query = kb_rows_text(rows, arena, 3),
		.response = kb_rows_text(rows, arena, 4),
		.answered = kb_rows_bool(rows, 6),
		.failed = kb_rows_bool(rows, 7),
		.user_ip = kb_rows_text(rows, arena, 8),
		.user_agent = kb_rows_text(rows, arena, 9),
		.external_id = kb_rows_text(rows, arena, 10),
		.source = kb_rows_text(rows, arena, 11),
		.details = kb_rows_text(rows, arena, 12),
		.user_id = kb_rows_int(rows, 13),
		.reaction = (enum kb_reaction)kb_rows_int(rows, 14),
		.reaction_user = kb_rows_int(rows, 15),
		.reaction_created_at = kb_rows_int(rows, 16),
		.reaction_updated_at = kb_rows_int(rows, 17),
		.created_at = kb_rows_int(rows, 18),
		.updated_at = kb_rows_int(rows, 19),
		.child_id = kb_rows_int(rows, 20),
	};
	out->citations = kb_ids_parse(arena, kb_rows_text(rows, arena, 5), &out->citation_count);
}

/* ---- adding ---- */

struct add {
	struct kb_arena *arena;
	int64_t agent_id, account_id, now;
	struct kb_sv session_id, citations;
	struct kb_message *message;
	struct kb_conversation *conversation;
};

static bool add(struct kb_conn *conn, void *arg, struct kb_err *err)
{
	struct add *in = arg;
	struct kb_message *m = in->message;
	struct kb_totals totals = { .queries = 1, .query_credits = !m->failed };
	int64_t id = m->id;

	if (!kb_conversation_use(conn, in->arena, in->agent_id, in->account_id, in->session_id,
	                         m->query, in->now, in->conversation, err)
	    || (id == 0 && !kb_db_next_id(conn, "message", 1, &id, err))
	    || !kb_db_run(conn, &sql[ADD],
	                  KB_VALUES(kb_int(in->agent_id), kb_int(in->conversation->id), kb_int(id),
	                            kb_text(m->query), kb_text(m->response), kb_text(in->citations),
	                            kb_int(m->answered), kb_int(m->failed), kb_text(m->user_ip),
	                            kb_text(m->user_agent), kb_text(m->external_id),
	                            kb_text(m->source), kb_text(m->details), kb_int(m->user_id),
	                            kb_int(in->now), kb_int(m->child_id)),
	                  NULL, err)
	    || (m->stays_with
	        && !kb_conversation_set_child(conn, in->agent_id, in->conversation->id,
	                                      m->stays_with, err)))
		return false;
	m->agent_id = in->agent_id;
	m->conversation_id = in->conversation->id;
	m->id = id;
	m->created_at = m->updated_at = in->now;
	return kb_totals_add(conn, in->agent_id, &totals, err)
	       && kb_db_run(conn, &sql[MONTH_ADD],
	                    KB_VALUES(kb_int(in->account_id), kb_int(month_of(in->now))), NULL,
	                    err);
}

/* Ids are taken from the store in lots: one durable write for so many streams. */
enum { IDS_AT_ONCE = 64 };

static bool take_ids(struct kb_conn *conn, void *arg, struct kb_err *err)
{
	return kb_db_next_id(conn, "message", IDS_AT_ONCE, arg, err);
}

bool kb_store_message_reserve(struct kb_store *store, int64_t *id, struct kb_err *err)
{
	bool ok = true;

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

bool kb_store_message_add(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                          int64_t account_id, struct kb_sv session_id, struct kb_message *message,
                          struct kb_conversation *conversation, struct kb_err *err)
{
	struct add in = {
		.arena = arena,
		.agent_id = agent_id,
		.account_id = account_id,
		.now = kb_store_now(store),
		.session_id = session_id,
		.citations = kb_ids_text(arena, message->citations, message->citation_count),
		.message = message,
		.conversation = conversation,
	};

	return kb_db_write(store->db, add, &in, err);
}

/* ---- reading ---- */

static bool missing(struct kb_err *err, int64_t id)
{
	return kb_fail(err, KB_E_NOT_FOUND, "Conversation message with id %" PRId64 " not found",
	               id);
}

static bool load(struct kb_conn *conn, struct kb_arena *arena, int64_t agent_id,
                 struct kb_sv session_id, int64_t id, struct kb_message *out, struct kb_err *err)
{
	struct kb_rows rows;
	bool found = false;

	kb_rows_open(&rows, conn, &sql[BY_ID],
	             KB_VALUES(kb_int(agent_id), kb_text(session_id), kb_int(id)));
	while (kb_rows_next(&rows)) {
		read_row(&rows, arena, out);
		found = true;
	}
	return kb_rows_close(&rows, err) && (found || missing(err, id));
}

/* All rows of the open statement, then closes it. */
static bool read_all(struct kb_rows *rows, struct kb_arena *arena, struct kb_message **out,
                     size_t *count, struct kb_err *err)
{
	*out = NULL;
	*count = 0;
	while (kb_rows_next(rows)) {
		read_row(rows, arena, &KB_ROOM(arena, *out, *count)[*count]);
		++*count;
	}
	return kb_rows_close(rows, err);
}

bool kb_store_message_history(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                              struct kb_sv session_id, int64_t since, int64_t limit,
                              struct kb_message **out, size_t *count, struct kb_err *err)
{
	struct kb_conn *conn = kb_db_take(store->db, false, err);
	struct kb_rows rows;
	bool ok;

	if (!conn)
		return false;
	kb_rows_open(&rows, conn, &sql[HISTORY],
	             KB_VALUES(kb_int(agent_id), kb_text(session_id), kb_int(since),
	                       kb_int(KB_MAX(limit, 0))));
	ok = read_all(&rows, arena, out, count, err);
	kb_db_give(store->db, conn);
	for (size_t i = 0; i < *count / 2; i++) {
		struct kb_message newer = (*out)[i];

		(*out)[i] = (*out)[*count - 1 - i];
		(*out)[*count - 1 - i] = newer;
	}
	return ok;
}

bool kb_store_message_get(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                          struct kb_sv session_id, int64_t id, struct kb_message *out,
                          struct kb_err *err)
{
	struct kb_conn *conn = kb_db_take(store->db, false, err);
	bool ok;

	if (!conn)
		return false;
	ok = load(conn, arena, agent_id, session_id, id, out, err);
	kb_db_give(store->db, conn);
	return ok;
}

static bool read_list(struct kb_conn *conn, struct kb_arena *arena, int64_t agent_id,
                      struct kb_sv session_id, const struct kb_list *list,
                      struct kb_conversation *conversation, struct kb_message **out, size_t *count,
                      int64_t *total, struct kb_err *err)
{
	struct kb_rows rows;
	bool found;

	if (!kb_conversation_load(conn, arena, agent_id, session_id, conversation, &found, err))
		return false;
	if (!found)
		return kb_conversation_missing(err, session_id);
	kb_rows_open(&rows, conn, &sql[list->ascending ? LIST_ASC : LIST_DESC],
	             KB_VALUES(kb_int(agent_id), kb_int(conversation->id),
	                       kb_int(kb_list_limit(list)), kb_int(kb_list_offset(list))));
	return read_all(&rows, arena, out, count, err)
	       && kb_db_int(conn, &sql[LIST_COUNT],
	                    KB_VALUES(kb_int(agent_id), kb_int(conversation->id)), 0, total, err);
}

bool kb_store_message_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                           struct kb_sv session_id, const struct kb_list *list,
                           struct kb_conversation *conversation, struct kb_message **out,
                           size_t *count, int64_t *total, struct kb_err *err)
{
	struct kb_conn *conn = kb_db_take(store->db, true, err);
	bool ok;

	if (!conn)
		return false;
	ok = read_list(conn, arena, agent_id, session_id, list, conversation, out, count, total,
	               err);
	kb_db_give(store->db, conn);
	return ok;
}

bool kb_store_queries_this_month(struct kb_store *store, int64_t account_id, int64_t *count,
                                 struct kb_err *err)
{
	struct kb_conn *conn = kb_db_take(store->db, false, err);
	bool ok;

	if (!conn)
		return false;
	ok = kb_db_int(conn, &sql[MONTH],
	               KB_VALUES(kb_int(account_id), kb_int(month_of(kb_store_now(store)))), 0,
	               count, err);
	kb_db_give(store->db, conn);
	return ok;
}

/* ---- reactions ---- */

struct react {
	struct kb_arena *arena;
	int64_t agent_id, id, user_id, now;
	struct kb_sv session_id;
	enum kb_reaction reaction;
	struct kb_message *out;
};

static bool react(struct kb_conn *conn, void *arg, struct kb_err *err)
{
	struct react *in = arg;
	struct kb_message *m = in->out;
	bool clears = in->reaction == KB_REACTION_NONE;

	if (!load(conn, in->arena, in->agent_id, in->session_id, in->id, m, err))
		return false;
	if (clears || m->reaction == KB_REACTION_NONE)
		m->reaction_created_at = clears ? 0 : in->now;
	m->reaction = in->reaction;
	m->reaction_user = clears ? 0 : in->user_id;
	m->reaction_updated_at = clears ? 0 : in->now;
	m->updated_at = in->now;
	return kb_db_run(conn, &sql[REACT],
	                 KB_VALUES(kb_int(in->agent_id), kb_int(m->conversation_id), kb_int(m->id),
	                           kb_int(m->reaction), kb_int(m->reaction_user),
	                           kb_int(m->reaction_created_at), kb_int(m->reaction_updated_at),
	                           kb_int(m->updated_at)),
	                 NULL, err);
}

bool kb_store_message_react(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                            struct kb_sv session_id, int64_t id, enum kb_reaction reaction,
                            int64_t user_id, struct kb_message *out, struct kb_err *err)
{
	struct react in = {
		.arena = arena,
		.agent_id = agent_id,
		.id = id,
		.user_id = user_id,
		.now = kb_store_now(store),
		.session_id = session_id,
		.reaction = reaction,
		.out = out,
	};

	return kb_db_write(store->db, react, &in, err);
}

/* ---- notes ---- */

struct note {
	int64_t agent_id, conversation_id, id;
	struct kb_sv details;
};

static bool note(struct kb_conn *conn, void *arg, struct kb_err *err)
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
