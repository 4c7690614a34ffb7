/* Conversations that were kept long enough: found by age, removed in bounded transactions. */
#include "store/agents.h"
#include "store/conversations.h"
#include "store/gap_groups_own.h"
#include "store/lists.h"
#include "store/publish.h"
#include "store/store_own.h"

enum {
	CONVERSATIONS_AT_ONCE = 100,
	MESSAGES_AT_ONCE = 500,
};

enum { AGENTS, DUE, MESSAGES, CONVERSATION };
// clang-format off
static const struct kb_sql sql[] = {
	[AGENTS] = { "purge_agents", "ii", "SELECT id FROM agents WHERE id > $1 AND state = " KB_SQL(AGENT_THERE) " ORDER BY id LIMIT $2" },
	[DUE] = { "purge_due", "iii",
		"SELECT id FROM conversations c WHERE agent_id = $1 AND created_at < $2 "
		"AND (updated_at < $2 OR EXISTS (SELECT 1 FROM messages m WHERE m.agent_id = c.agent_id "
		"AND m.conversation_id = c.id AND +m.created_at < $2)) ORDER BY id LIMIT $3" },
	[MESSAGES] = { "purge_messages", "iiii",
		"DELETE FROM messages WHERE agent_id = $1 AND conversation_id = $2 AND id IN "
		"(SELECT id FROM messages WHERE agent_id = $1 AND conversation_id = $2 "
		"AND +created_at < $3 ORDER BY id LIMIT $4)" },
	[CONVERSATION] = { "purge_conversation", "iii",
		"DELETE FROM conversations WHERE agent_id = $1 AND id = $2 AND updated_at < $3 "
		"AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.agent_id = $1 "
		"AND m.conversation_id = $2)" },
};
// clang-format on
const struct kb_sql_table kb_sql_purge = { "purge", sql, KB_COUNTOF(sql) };

static void read_ids(struct kb_db_rows *rows, struct kb_arena *arena, int64_t **ids, size_t *count)
{
	*ids = NULL;
	*count = 0;
	while (kb_rows_next(rows)) {
		KB_ROOM(arena, *ids, *count)[*count] = kb_rows_int(rows, 0);
		++*count;
	}
}

bool kb_store_agent_ids(struct kb_store *store, struct kb_arena *arena, int64_t after,
                        int64_t limit, struct kb_agent_ids *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_take(&rows, store->db, &sql[AGENTS], KB_VALUES(kb_int(after), kb_int(limit)));
	read_ids(&rows, arena, &out->v, &out->count);
	return kb_rows_close(&rows, err);
}

struct step {
	const struct kb_purge *purge;
	const int64_t *ids;
	size_t count;
	int64_t messages, conversations;
};

static bool remove_some(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct step *in = arg;
	int64_t agent_id = in->purge->agent_id, before = in->purge->before;

	in->messages = in->conversations = 0; /* it may be run again */
	for (size_t i = 0; i < in->count && in->messages < MESSAGES_AT_ONCE; i++) {
		int64_t changed;

		if (!kb_db_run(conn, &sql[MESSAGES],
		               KB_VALUES(kb_int(agent_id), kb_int(in->ids[i]), kb_int(before),
		                         kb_int(MESSAGES_AT_ONCE - in->messages)),
		               &changed, err))
			return false;
		in->messages += changed;
		if (changed && !kb_gap_forget(conn, agent_id, in->ids[i], err))
			return false;
		if (!kb_db_run(conn, &sql[CONVERSATION],
		               KB_VALUES(kb_int(agent_id), kb_int(in->ids[i]), kb_int(before)),
		               &changed, err))
			return false;
		in->conversations += changed;
	}
	return true;
}

bool kb_store_conversations_purge(struct kb_store *store, struct kb_purge *purge,
                                  struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct step step = { .purge = purge };
	struct kb_db_rows rows;
	int64_t *ids;
	bool ok;

	kb_rows_take(&rows, store->db, &sql[DUE],
	             KB_VALUES(kb_int(purge->agent_id), kb_int(purge->before),
	                       kb_int(CONVERSATIONS_AT_ONCE)));
	read_ids(&rows, &arena, &ids, &step.count);
	ok = kb_rows_close(&rows, err);
	step.ids = ids;
	if (ok && step.count)
		ok = kb_db_write(store->db, remove_some, &step, err);
	if (ok) {
		purge->messages += step.messages;
		purge->conversations += step.conversations;
		purge->done =
		        (step.messages < MESSAGES_AT_ONCE && step.count < CONVERSATIONS_AT_ONCE)
		        || step.messages + step.conversations == 0;
	}
	kb_arena_fini(&arena);
	return ok;
}
