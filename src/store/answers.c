#include "store/answers.h"

#include "store/answers_own.h"
#include "store/leases.h"
#include "store/lists.h"
#include "store/messages_own.h"
#include "store/store_own.h"

enum { ENDED_AT_ONCE = 20 };

enum { ADD, RENEW, RENEW_TEXT, DROP, DROP_LOST, DROP_ALL, LOST, LOOK, VOID_LEASES };
#define OF_KEY "WHERE agent_id = $1 AND conversation_id = $2 AND id = $3"
/* Of an agent that is deleted no answer is written on. */
#define OF_OWNER OF_KEY " AND owner = $4 AND " KB_AGENT_SHOWN("agent_id")
// clang-format off
/* The columns of answers (columns.h). */
#define ANSWERS(FIRST, NEXT) \
	FIRST(i, agent_id,        message.agent_id) \
	NEXT (i, conversation_id, message.conversation_id) \
	NEXT (i, id,              message.id) \
	NEXT (t, session_id,      session_id) \
	NEXT (i, account_id,      account_id) \
	NEXT (t, query,           message.query) \
	NEXT (t, text,            message.response) \
	NEXT (i, bytes,           bytes) \
	NEXT (t, ending,          ending) \
	NEXT (t, user_ip,         message.user_ip) \
	NEXT (t, user_agent,      message.user_agent) \
	NEXT (t, external_id,     message.external_id) \
	NEXT (t, source,          message.source) \
	NEXT (i, user_id,         message.user_id) \
	NEXT (i, child_id,        message.child_id) \
	NEXT (i, created_at,      message.created_at) \
	NEXT (t, owner,           message.writer) \
	NEXT (i, node,            node) \
	NEXT (i, lease_until,     lease_until)

static const struct kb_sql sql[] = {
	[ADD] = { "answer_add", KB_TYPES(ANSWERS), KB_INSERT("answers", ANSWERS) },
	[RENEW] = { "answer_renew", "iiiti", "UPDATE answers SET lease_until = $5 " OF_OWNER },
	[RENEW_TEXT] = { "answer_renew_text", "iiititi",
		"UPDATE answers SET lease_until = $5, text = $6, bytes = $7 " OF_OWNER },
	[DROP] = { "answer_drop", "iiit", "DELETE FROM answers " OF_KEY " AND owner = $4" },
	[DROP_LOST] = { "answer_drop_lost", "iiii", "DELETE FROM answers " OF_KEY " AND +lease_until < $4" },
	[DROP_ALL] = { "answer_drop_all", "ii",
		"DELETE FROM answers WHERE agent_id = $1 AND conversation_id = $2" },
	[LOST] = { "answer_lost", "ii",
		"SELECT " KB_NAMES(ANSWERS) " FROM answers WHERE lease_until < $1 AND " KB_AGENT_SHOWN("agent_id") " ORDER BY lease_until LIMIT $2" },
	[LOOK] = { "answer_look", "iiii",
		"SELECT bytes, CASE WHEN bytes > $4 THEN text END FROM answers " OF_KEY
		" AND " KB_AGENT_SHOWN("agent_id") },
	[VOID_LEASES] = { "answer_void_leases", "ii",
		"UPDATE answers SET lease_until = 0 "
		"WHERE lease_until > 0 AND node NOT IN " KB_NODES_THERE("$1", "$2") },
};
// clang-format on
const struct kb_sql_table kb_sql_answers = { "answers", sql, KB_COUNTOF(sql) };

struct row {
	struct kb_message message;
	struct kb_sv session_id, ending;
	int64_t account_id, bytes, node, lease_until;
};
#define ROW(letter, column, member) KB_COLUMN(struct row, letter, column, member)
static const struct kb_db_columns answer_columns = KB_COLUMNS(struct row, ANSWERS(ROW, ROW));

/* $1 to $3 of OF_KEY. */
#define KEY(of) kb_int((of)->agent_id), kb_int((of)->conversation_id), kb_int((of)->id)

/* ---- its writer ---- */

struct begin {
	struct kb_arena *arena;
	const struct kb_answer_row *row;
	int64_t now, lease_us, node;
	struct kb_message message; /* as it becomes */
	struct kb_conversation_asking asking;
};

static bool begin(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct begin *in = arg;
	const struct kb_session *session = &in->row->session;
	struct kb_conversation conversation;
	struct row row = {
		.message = *in->row->message,
		.session_id = session->id,
		.ending = in->row->ending,
		.account_id = session->account_id,
		.node = in->node,
		.lease_until = in->now + in->lease_us,
	};

	row.message.created_at = row.message.updated_at = in->now;
	if (!kb_conversation_use(
	            conn, in->arena,
	            &(struct kb_message_coming){ session, &row.message, &in->asking.append },
	            &conversation, err))
		return false;
	row.message.agent_id = session->agent_id;
	row.message.conversation_id = conversation.id;
	row.message.response = KB_SV("");
	in->message = row.message;
	return kb_columns_defer(&answer_columns, conn, &sql[ADD], KB_NO_VALUES, &row, err);
}

bool kb_store_answer_begin(struct kb_store *store, struct kb_arena *arena,
                           const struct kb_answer_row *row, int64_t lease_us, struct kb_err *err)
{
	struct begin in = {
		.arena = arena,
		.row = row,
		.now = kb_store_now(store),
		.lease_us = lease_us,
		.node = store->node,
	};

	KB_ASSERT(row->message->id && row->message->writer.n);
	kb_conversation_ask(&row->session, in.now, &in.asking);
	if (!kb_db_append(store->db, &in.asking.append, begin, &in, err))
		return false;
	*row->message = in.message;
	return true;
}

struct renewal {
	struct kb_sv owner;
	int64_t until;
	struct kb_answer_turn *turns;
	size_t count;
};

static bool renew(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct renewal *in = arg;

	for (size_t i = 0; i < in->count; i++) {
		struct kb_answer_turn *turn = &in->turns[i];
		int64_t changed;

		if (turn->text.p ? !kb_db_run(conn, &sql[RENEW_TEXT],
		                              KB_VALUES(KEY(turn), kb_text(in->owner),
		                                        kb_int(in->until), kb_text(turn->text),
		                                        kb_int((int64_t)turn->text.n)),
		                              &changed, err)
		                 : !kb_db_run(conn, &sql[RENEW],
		                              KB_VALUES(KEY(turn), kb_text(in->owner),
		                                        kb_int(in->until)),
		                              &changed, err))
			return false;
		turn->lost = changed == 0;
	}
	return true;
}

bool kb_store_answers_renew(struct kb_store *store, struct kb_sv owner, int64_t lease_us,
                            struct kb_answer_turn *turns, size_t count, struct kb_err *err)
{
	struct renewal in = { owner, kb_store_now(store) + lease_us, turns, count };

	return kb_db_write(store->db, renew, &in, err);
}

static bool drop(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct kb_message *message = arg;

	return kb_db_run(conn, &sql[DROP], KB_VALUES(KEY(message), kb_text(message->writer)), NULL,
	                 err);
}

bool kb_store_answer_drop(struct kb_store *store, const struct kb_message *message,
                          struct kb_err *err)
{
	struct kb_message own = *message;

	return kb_db_write(store->db, drop, &own, err);
}

bool kb_answer_ends(struct kb_db_conn *conn, const struct kb_message *message, struct kb_err *err)
{
	int64_t changed;

	return kb_db_run(conn, &sql[DROP], KB_VALUES(KEY(message), kb_text(message->writer)),
	                 &changed, err)
	       && (changed
	           || kb_fail(err, KB_E_CANCELLED,
	                      "the answer is not wanted any more: its conversation was deleted, or "
	                      "it was ended elsewhere"));
}

bool kb_answers_drop(struct kb_db_conn *conn, int64_t agent_id, int64_t conversation_id,
                     struct kb_err *err)
{
	return kb_db_run(conn, &sql[DROP_ALL], KB_VALUES(kb_int(agent_id), kb_int(conversation_id)),
	                 NULL, err);
}

/* ---- whoever finds it ---- */

struct lost {
	struct kb_arena arena;
	int64_t now, ended;
	struct row *rows;
	size_t count;
};

/* With what it has: the reader may have read it already. */
static bool end_one(struct kb_db_conn *conn, struct lost *in, const struct row *row,
                    struct kb_err *err)
{
	struct kb_message message = row->message;
	struct kb_session session = { message.agent_id, row->session_id, row->account_id };
	struct kb_conversation conversation;
	int64_t changed;

	/* Another process may have been quicker, or its writer, late. */
	if (!kb_db_run(conn, &sql[DROP_LOST], KB_VALUES(KEY(&message), kb_int(in->now)), &changed,
	               err))
		return false;
	if (!changed)
		return true;
	in->ended++;
	message.writer = KB_SV("");
	message.answered = message.response.n > 0;
	message.failed = true;
	if (!message.response.n)
		message.response = row->ending;
	message.created_at = in->now;
	return kb_message_insert(
	        conn, &in->arena,
	        &(struct kb_message_coming){ .session = &session, .message = &message },
	        &conversation, err);
}

static bool end_lost(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct lost *in = arg;

	in->ended = 0;
	for (size_t i = 0; i < in->count; i++)
		if (!end_one(conn, in, &in->rows[i], err))
			return false;
	return true;
}

bool kb_store_answers_end_lost(struct kb_store *store, int64_t *ended, struct kb_err *err)
{
	struct lost in = { .now = kb_store_now(store) };
	struct kb_db_rows rows;
	bool ok;

	kb_rows_take(&rows, store->db, &sql[LOST],
	             KB_VALUES(kb_int(in.now), kb_int(ENDED_AT_ONCE)));
	while (kb_rows_next(&rows)) {
		kb_columns_read(&answer_columns, &rows, 0, &in.arena,
		                &KB_ROOM(&in.arena, in.rows, in.count)[in.count]);
		in.count++;
	}
	ok = kb_rows_close(&rows, err) && (!in.count || kb_db_write(store->db, end_lost, &in, err));
	*ended = ok ? in.ended : 0;
	kb_arena_fini(&in.arena);
	return ok;
}

bool kb_answers_void_leases(struct kb_store *store, int64_t me, struct kb_err *err)
{
	return kb_leases_void(store, &sql[VOID_LEASES], me, err);
}

/* ---- its readers ---- */

bool kb_store_answer_look(struct kb_store *store, struct kb_arena *arena,
                          const struct kb_message *message, int64_t beyond,
                          struct kb_answer_progress *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_answer_progress){ 0 };
	kb_rows_take(&rows, store->db, &sql[LOOK], KB_VALUES(KEY(message), kb_int(beyond)));
	while (kb_rows_next(&rows))
		*out = (struct kb_answer_progress){ .running = true,
			                            .bytes = kb_rows_int(&rows, 0),
			                            .text = kb_rows_text(&rows, arena, 1) };
	return kb_rows_close(&rows, err);
}
