#include "store/ahead.h"

#include "store/accounts_own.h"
#include "store/agents_own.h"
#include "store/messages_own.h"
#include "store/store_own.h"

bool kb_store_reads_ahead(const struct kb_store *store)
{
	return store->is_shared;
}

struct reading {
	struct kb_key_reading key;
	struct kb_db_rows agent, history, conversation, id, conversation_id, month;
};

static void next_id_begin(struct kb_db_conn *conn, const char *sequence, struct kb_db_rows *rows)
{
	kb_rows_open(rows, conn, conn->driver->ids,
	             KB_VALUES(kb_text(kb_sv_str(sequence)), kb_int(1)));
}

static void begin(struct kb_store *store, struct kb_db_conn *conn, const struct kb_ahead_want *want,
                  struct reading *reading)
{
	const struct kb_session session = { .agent_id = want->agent_id,
		                            .id = want->session_id,
		                            .visitor_id = want->visitor_id };

	*reading = (struct reading){ 0 };
	kb_key_read_begin(store, conn, want->key, &reading->key);
	if (!want->knows_agent)
		kb_agent_read_begin(conn, want->agent_id, &reading->agent);
	if (session.id.n) {
		kb_history_read_begin(conn, &session,
		                      &(struct kb_history_want){ .limit = want->history },
		                      &reading->history);
		kb_conversation_read_begin(conn, &session, &reading->conversation);
	}
	next_id_begin(conn, "message", &reading->id);
	next_id_begin(conn, "conversation", &reading->conversation_id);
	if (want->account_id)
		kb_month_read_begin(conn, want->account_id, kb_store_now(store), &reading->month);
}

static bool next_id_end(struct kb_db_rows *rows, int64_t *id, struct kb_err *err)
{
	while (kb_rows_next(rows))
		*id = kb_rows_int(rows, 0);
	return kb_rows_close(rows, err);
}

/* All of them are read, whichever fails. */
static bool end(struct kb_store *store, struct kb_arena *arena, struct reading *reading,
                struct kb_ahead *out, struct kb_err *err)
{
	bool ok = kb_key_read_end(store, arena, &reading->key, err);

	if (reading->agent.conn)
		ok = kb_agent_read_end(&reading->agent, arena, &out->agent, err) && ok;
	if (reading->history.conn)
		ok = kb_history_read_end(&reading->history, arena, &out->history, err) && ok;
	if (reading->conversation.conn)
		ok = kb_conversation_read_end(&reading->conversation, arena, &out->conversation,
		                              &out->has_name, err)
		     && ok;
	ok = next_id_end(&reading->id, &out->message_id, err) && ok;
	ok = next_id_end(&reading->conversation_id, &out->conversation_id, err) && ok;
	if (reading->month.conn) {
		out->has_month = true;
		ok = kb_month_read_end(&reading->month, &out->month, err) && ok;
	}
	return ok;
}

bool kb_store_read_ahead(struct kb_store *store, struct kb_arena *arena,
                         const struct kb_ahead_want *want, struct kb_ahead *out, struct kb_err *err)
{
	struct kb_db_conn *conn;
	struct reading reading;
	bool ok;

	*out = (struct kb_ahead){ .session_id = want->session_id, .read_at = kb_clock_mono_us() };
	conn = kb_db_take(store->db, false, err);
	if (!conn)
		return false;
	begin(store, conn, want, &reading);
	ok = end(store, arena, &reading, out, err);
	kb_db_give(store->db, conn);
	return ok;
}
