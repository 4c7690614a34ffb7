/* Questions into groups: what waits to be looked at, and what groups come to. */
#include <stdlib.h>

#include "base/hash.h"
#include "store/gap_groups_own.h"
#include "store/gaps.h"
#include "store/gaps_own.h"
#include "store/lists.h"

enum {
	NOTE,
	WAITING,
	EVENTS,
	LOOKED_AT,
	OPEN,
	PUT,
	TAKE_OUT,
	SUMS,
	COUNT,
	COUNT_PLACED,
	OPEN_PLACED,
	HEAD_GONE,
	DROP,
	BEGIN_TURN,
	OF_CONVERSATION,
	FORGET,
	FORGET_QUEUE,
};
// clang-format off
#define PLACED "(SELECT p.gap_id FROM gap_questions p WHERE p.agent_id = $1 AND p.message_id >= $2 AND p.message_id <= $3)"

static const struct kb_sql sql[] = {
	[NOTE] = { "gap_note", "iiii",
		"INSERT INTO gap_queue (agent_id, message_id, conversation_id, why) VALUES ($1, $2, $3, $4) "
		"ON CONFLICT (agent_id, message_id) DO UPDATE SET why = gap_queue.why | $4" },
	[WAITING] = { "gap_waiting", "i",
		"SELECT agent_id FROM gap_queue WHERE agent_id > $1 AND " KB_AGENT_SHOWN("agent_id")
		" ORDER BY agent_id LIMIT 1" },
	[EVENTS] = { "gap_events", "ii",
		"SELECT w.message_id, w.conversation_id, w.why, m.query, " KB_GAP_BEFORE ", CASE WHEN m.reaction = " KB_SQL(REACTION_DISLIKED) " THEN 1 ELSE 0 END, m.created_at, "
		"m.external_id, m.user_id, m.user_ip, c.visitor_id, coalesce(q.gap_id, 0), coalesce(q.why, 0) "
		"FROM (SELECT agent_id, message_id, conversation_id, why FROM gap_queue WHERE agent_id = $1 "
		"ORDER BY message_id LIMIT $2) w "
		"LEFT JOIN messages m ON m.agent_id = w.agent_id AND m.conversation_id = w.conversation_id "
		"AND m.id = w.message_id "
		"LEFT JOIN conversations c ON c.agent_id = m.agent_id AND c.id = m.conversation_id "
		"LEFT JOIN gap_questions q ON q.agent_id = w.agent_id AND q.message_id = w.message_id "
		"ORDER BY w.message_id" },
	[LOOKED_AT] = { "gap_looked_at", "iii",
		"DELETE FROM gap_queue WHERE agent_id = $1 AND message_id = $2 AND why = $3" },
	[OPEN] = { "gap_open", "iiii",
		"INSERT INTO gaps (agent_id, id, conversation_id, message_id, state, owner, answer_id, asked, people, "
		"unanswered, disliked, shaky, first_at, last_at, answers, tried, tried_version, tried_at, by_itself, "
		"closed_at, created_at, updated_at) "
		"VALUES ($1, $2, $3, $2, 0, '', 0, 0, 0, 0, 0, 0, $4, $4, 0, 0, 0, 0, 0, 0, $4, $4) "
		"ON CONFLICT (agent_id, id) DO NOTHING" },
	/* Of a message that is there still, into a gap that is. */
	[PUT] = { "gap_put", "iiiiiii",
		"INSERT INTO gap_questions (agent_id, message_id, conversation_id, gap_id, why, person, asked_at) "
		"SELECT m.agent_id, m.id, m.conversation_id, g.id, $5, $6, $7 FROM messages m JOIN gaps g "
		"ON g.agent_id = m.agent_id AND g.id = $4 WHERE m.agent_id = $1 AND m.conversation_id = $3 AND m.id = $2 "
		"ON CONFLICT (agent_id, message_id) DO UPDATE SET why = $5" },
	[TAKE_OUT] = { "gap_take_out", "ii", "DELETE FROM gap_questions WHERE agent_id = $1 AND message_id = $2" },
	[SUMS] = { "gap_sums", "ii",
		"SELECT count(*), count(DISTINCT person), CAST(coalesce(sum(why & 1), 0) AS BIGINT), "
		"CAST(coalesce(sum((why & 2) / 2), 0) AS BIGINT), CAST(coalesce(sum((why & 4) / 4), 0) AS BIGINT), "
		"coalesce(min(asked_at), 0), coalesce(max(asked_at), 0), coalesce(min(message_id), 0) "
		"FROM gap_questions WHERE agent_id = $1 AND gap_id = $2" },
	/* Who was told to have it answered is asked again by whoever asks later. */
	[COUNT] = { "gap_count", "iiiiiiiii",
		"UPDATE gaps SET asked = $3, people = $4, unanswered = $5, disliked = $6, shaky = $7, first_at = $8, "
		"last_at = $9, "
		"state = CASE WHEN state = " KB_SQL(GAP_ANSWERED) " AND $9 > closed_at THEN 0 ELSE state END "
		"WHERE agent_id = $1 AND id = $2" },
	/* The same of all groups that a question of the messages $2 to $3 is in. */
	[COUNT_PLACED] = { "gap_count_placed", "iii",
		"UPDATE gaps SET (asked, people, unanswered, disliked, shaky, first_at, last_at) = "
		"(SELECT count(*), count(DISTINCT person), CAST(coalesce(sum(why & 1), 0) AS BIGINT), "
		"CAST(coalesce(sum((why & 2) / 2), 0) AS BIGINT), CAST(coalesce(sum((why & 4) / 4), 0) AS BIGINT), "
		"coalesce(min(asked_at), 0), coalesce(max(asked_at), 0) "
		"FROM gap_questions q WHERE q.agent_id = $1 AND q.gap_id = gaps.id) WHERE agent_id = $1 AND id IN " PLACED },
	[OPEN_PLACED] = { "gap_open_placed", "iii",
		"UPDATE gaps SET state = " KB_SQL(GAP_OPEN) " WHERE agent_id = $1 AND id IN " PLACED
		" AND state = " KB_SQL(GAP_ANSWERED) " AND last_at > closed_at" },
	[HEAD_GONE] = { "gap_head_gone", "iii",
		"UPDATE gaps SET (conversation_id, message_id) = (SELECT q.conversation_id, q.message_id "
		"FROM gap_questions q WHERE q.agent_id = $1 AND q.message_id = $3) "
		"WHERE agent_id = $1 AND id = $2 AND (SELECT count(*) FROM gap_questions q "
		"WHERE q.agent_id = $1 AND q.message_id = gaps.message_id) = 0" },
	[DROP] = { "gap_drop", "ii", "DELETE FROM gaps WHERE agent_id = $1 AND id = $2" },
	[BEGIN_TURN] = { "gap_begin_turn", "i",
		"INSERT INTO gap_turns (agent_id, tried_version, tried_at) VALUES ($1, 0, 0) "
		"ON CONFLICT (agent_id) DO NOTHING" },
	[OF_CONVERSATION] = { "gap_of_conversation", "ii",
		"SELECT DISTINCT +gap_id FROM gap_questions WHERE agent_id = $1 AND conversation_id = $2 ORDER BY 1" },
	[FORGET] = { "gap_forget", "ii",
		"DELETE FROM gap_questions WHERE agent_id = $1 AND conversation_id = $2 AND NOT EXISTS (SELECT 1 "
		"FROM messages m WHERE m.agent_id = $1 AND m.conversation_id = $2 AND m.id = gap_questions.message_id)" },
	[FORGET_QUEUE] = { "gap_forget_queue", "ii",
		"DELETE FROM gap_queue WHERE agent_id = $1 AND conversation_id = $2 AND NOT EXISTS (SELECT 1 "
		"FROM messages m WHERE m.agent_id = $1 AND m.conversation_id = $2 AND m.id = gap_queue.message_id)" },
};
// clang-format on
const struct kb_sql_table kb_sql_gap_groups = { "gap_groups", sql, KB_COUNTOF(sql) };

/* ---- what other families do ---- */

bool kb_gap_note(struct kb_db_conn *conn, const struct kb_gap_message *message, int64_t why,
                 struct kb_err *err)
{
	return kb_db_defer(conn, &sql[NOTE],
	                   KB_VALUES(kb_int(message->agent_id), kb_int(message->message_id),
	                             kb_int(message->conversation_id), kb_int(why)),
	                   err);
}

struct sums {
	int64_t asked, people, unanswered, disliked, shaky, first_at, last_at, first;
};

static bool read_sums(struct kb_db_conn *conn, struct kb_db_values gap, struct sums *out,
                      struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct sums){ 0 };
	kb_rows_open(&rows, conn, &sql[SUMS], gap);
	while (kb_rows_next(&rows))
		*out = (struct sums){ kb_rows_int(&rows, 0), kb_rows_int(&rows, 1),
			              kb_rows_int(&rows, 2), kb_rows_int(&rows, 3),
			              kb_rows_int(&rows, 4), kb_rows_int(&rows, 5),
			              kb_rows_int(&rows, 6), kb_rows_int(&rows, 7) };
	return kb_rows_close(&rows, err);
}

/* What its rows come to; without one it goes. */
static bool count_gap(struct kb_db_conn *conn, int64_t agent_id, int64_t gap_id, struct kb_err *err)
{
	struct kb_db_values gap = KB_VALUES(kb_int(agent_id), kb_int(gap_id));
	struct sums sums;

	if (!read_sums(conn, gap, &sums, err))
		return false;
	if (!sums.asked)
		return kb_db_run(conn, &sql[DROP], gap, NULL, err);
	return kb_db_run(conn, &sql[HEAD_GONE],
	                 KB_VALUES(kb_int(agent_id), kb_int(gap_id), kb_int(sums.first)), NULL, err)
	       && kb_db_run(conn, &sql[COUNT],
	                    KB_VALUES(kb_int(agent_id), kb_int(gap_id), kb_int(sums.asked),
	                              kb_int(sums.people), kb_int(sums.unanswered),
	                              kb_int(sums.disliked), kb_int(sums.shaky),
	                              kb_int(sums.first_at), kb_int(sums.last_at)),
	                    NULL, err);
}

bool kb_gap_forget(struct kb_db_conn *conn, int64_t agent_id, int64_t conversation_id,
                   struct kb_err *err)
{
	struct kb_db_values values = KB_VALUES(kb_int(agent_id), kb_int(conversation_id));
	struct kb_arena arena = { 0 };
	int64_t *gaps = NULL;
	struct kb_db_rows rows;
	size_t count = 0;
	bool ok;

	kb_rows_open(&rows, conn, &sql[OF_CONVERSATION], values);
	while (kb_rows_next(&rows)) {
		KB_ROOM(&arena, gaps, count)[count] = kb_rows_int(&rows, 0);
		count++;
	}
	ok = kb_rows_close(&rows, err) && kb_db_run(conn, &sql[FORGET], values, NULL, err)
	     && kb_db_run(conn, &sql[FORGET_QUEUE], values, NULL, err);
	for (size_t i = 0; ok && i < count; i++)
		ok = count_gap(conn, agent_id, gaps[i], err);
	kb_arena_fini(&arena);
	return ok;
}

/* ---- grouping ---- */

bool kb_store_gap_waiting(struct kb_store *store, int64_t after, int64_t *agent_id,
                          struct kb_err *err)
{
	return kb_db_read_int(store->db, &sql[WAITING], KB_VALUES(kb_int(after)), 0, agent_id, err);
}

/* A visitor is one person, wherever they ask; so is whom a program names. What comes through a key
 * without a name is one person for all that is known. */
static int64_t person_of(struct kb_arena *arena, int64_t visitor_id, struct kb_sv external_id,
                         int64_t user_id, struct kb_sv ip)
{
	struct kb_sv text;

	if (visitor_id)
		text = kb_arena_printf(arena, "visitor %" PRId64, visitor_id);
	else if (external_id.n)
		text = kb_arena_printf(arena, "named %.*s", KB_SV_ARG(external_id));
	else
		text = kb_arena_printf(arena, "key %" PRId64 " %.*s", user_id, KB_SV_ARG(ip));
	return (int64_t)(kb_hash64(text) >> 1);
}

bool kb_store_gap_events(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                         int64_t limit, struct kb_gap_events *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_gap_events){ 0 };
	kb_rows_take(&rows, store->db, &sql[EVENTS], KB_VALUES(kb_int(agent_id), kb_int(limit)));
	while (kb_rows_next(&rows)) {
		KB_ROOM(arena, out->v, out->count)
		[out->count] = (struct kb_gap_event){
			.message_id = kb_rows_int(&rows, 0),
			.conversation_id = kb_rows_int(&rows, 1),
			.why = kb_rows_int(&rows, 2),
			.question = kb_rows_text(&rows, arena, 3),
			.before = kb_rows_text(&rows, arena, 4),
			.is_disliked = kb_rows_bool(&rows, 5),
			.asked_at = kb_rows_int(&rows, 6),
			.person = person_of(arena, kb_rows_int(&rows, 10),
			                    kb_rows_text(&rows, arena, 7), kb_rows_int(&rows, 8),
			                    kb_rows_text(&rows, arena, 9)),
			.gap_id = kb_rows_int(&rows, 11),
			.gap_why = kb_rows_int(&rows, 12),
		};
		out->count++;
	}
	return kb_rows_close(&rows, err);
}

struct place {
	int64_t agent_id;
	const struct kb_gap_events *events;
	int64_t *gaps; /* that something is taken out of, in order */
	size_t gap_count;
	int64_t low, high; /* messages that are put into one */
};

static bool place_one(struct kb_db_conn *conn, const struct place *in,
                      const struct kb_gap_event *event, struct kb_err *err)
{
	struct kb_db_value agent = kb_int(in->agent_id), message = kb_int(event->message_id);

	if (!kb_db_defer(conn, &sql[LOOKED_AT], KB_VALUES(agent, message, kb_int(event->why)), err))
		return false;
	if (!event->placed_why)
		return !event->gap_id
		       || kb_db_defer(conn, &sql[TAKE_OUT], KB_VALUES(agent, message), err);
	return (event->placed != event->message_id
	        || kb_db_defer(conn, &sql[OPEN],
	                       KB_VALUES(agent, message, kb_int(event->conversation_id),
	                                 kb_int(event->asked_at)),
	                       err))
	       && kb_db_defer(conn, &sql[PUT],
	                      KB_VALUES(agent, message, kb_int(event->conversation_id),
	                                kb_int(event->placed), kb_int(event->placed_why),
	                                kb_int(event->person), kb_int(event->asked_at)),
	                      err);
}

/* A trip for each of thousands of groups would take most of the time. */
static bool count_placed(struct kb_db_conn *conn, const struct place *in, struct kb_err *err)
{
	struct kb_db_values of = KB_VALUES(kb_int(in->agent_id), kb_int(in->low), kb_int(in->high));

	return kb_db_run(conn, &sql[COUNT_PLACED], of, NULL, err)
	       && kb_db_run(conn, &sql[OPEN_PLACED], of, NULL, err);
}

static bool place(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct place *in = arg;

	if (!kb_db_run(conn, &sql[BEGIN_TURN], KB_VALUES(kb_int(in->agent_id)), NULL, err))
		return false;
	for (size_t i = 0; i < in->events->count; i++)
		if (!place_one(conn, in, &in->events->v[i], err))
			return false;
	for (size_t i = 0; i < in->gap_count; i++)
		if (!count_gap(conn, in->agent_id, in->gaps[i], err))
			return false;
	return !in->high || count_placed(conn, in, err);
}

static int by_id(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

bool kb_store_gap_place(struct kb_store *store, int64_t agent_id,
                        const struct kb_gap_events *events, struct kb_err *err)
{
	struct place in = { .agent_id = agent_id, .events = events };
	struct kb_arena arena = { 0 };
	size_t kept = 0;
	bool ok;

	in.gaps = KB_NEW_ARRAY(&arena, events->count, int64_t);
	for (size_t i = 0; i < events->count; i++) {
		const struct kb_gap_event *event = &events->v[i];

		if (!event->placed_why) {
			if (event->gap_id)
				in.gaps[in.gap_count++] = event->gap_id;
			continue;
		}
		in.low = in.high ? KB_MIN(in.low, event->message_id) : event->message_id;
		in.high = KB_MAX(in.high, event->message_id);
	}
	qsort(in.gaps, in.gap_count, sizeof(*in.gaps), by_id);
	for (size_t i = 0; i < in.gap_count; i++)
		if (!kept || in.gaps[kept - 1] != in.gaps[i])
			in.gaps[kept++] = in.gaps[i];
	in.gap_count = kept;
	ok = kb_db_write(store->db, place, &in, err);
	kb_arena_fini(&arena);
	return ok;
}
