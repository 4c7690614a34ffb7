#include "store/publish.h"

#include "store/statements.h"

enum {
	LOCK,
	THERE,
	PUBLISH,
	NOTES_STALE,
	TOTALS_ADD,
	PACE,
	HAS_WORK,
	HAS_TURN,
	TURN_ADD,
	TURN_DROP,
	ACCOUNT_OF,
	SHARE_JOIN,
	SHARE_HOLD,
	SHARE_LEAVE,
	SHARES_AT,
};
#define MINUTE        "60000000"
#define HALF_A_MINUTE "30000000"
// clang-format off
static const struct kb_sql sql[] = {
	[LOCK] = { "agent_lock", "i",
		"UPDATE agents SET index_version = index_version WHERE id = $1 AND state = " KB_SQL(AGENT_THERE)
		" RETURNING index_version" },
	[THERE] = { "agent_there", "i", "SELECT count(*) FROM agents WHERE id = $1 AND state = " KB_SQL(AGENT_THERE) },
	[PUBLISH] = { "agent_publish", "iii",
		"UPDATE agents SET index_version = $2, "
		"is_active = CASE WHEN $3 = 1 THEN 1 ELSE is_active END WHERE id = $1" },
	/* What was generated from the documents' titles is to be renewed. */
	[NOTES_STALE] = { "notes_stale", "i",
		"UPDATE personas SET notes = 2 WHERE agent_id = $1 AND notes = 0 "
		"AND version = (SELECT max(version) FROM personas WHERE agent_id = $1)" },
	[TOTALS_ADD] = { "agent_totals_add", "iiiiiiiii",
		"UPDATE agent_totals SET pages_found = pages_found + $2, "
		"pages_crawled = pages_crawled + $3, pages_indexed = pages_indexed + $4, "
		"words_indexed = words_indexed + $5, storage_bytes = storage_bytes + $6, "
		"crawl_credits = crawl_credits + $7, query_credits = query_credits + $8, "
		"queries = queries + $9 WHERE agent_id = $1" },
	/* A new mark every half a minute; after a minute without a document it begins anew. */
	[PACE] = { "agent_pace", "iii",
		"UPDATE agent_totals SET finished = finished + $2, last_at = $3, "
		"old_at = CASE WHEN last_at <= $3 - " MINUTE " THEN $3 WHEN mark_at <= $3 - " HALF_A_MINUTE " THEN mark_at ELSE old_at END, "
		"old_finished = CASE WHEN last_at <= $3 - " MINUTE " THEN finished + $2 "
		"WHEN mark_at <= $3 - " HALF_A_MINUTE " THEN mark_finished ELSE old_finished END, "
		"mark_at = CASE WHEN mark_at <= $3 - " HALF_A_MINUTE " THEN $3 ELSE mark_at END, "
		"mark_finished = CASE WHEN mark_at <= $3 - " HALF_A_MINUTE " THEN finished + $2 ELSE mark_finished END "
		"WHERE agent_id = $1" },
	/* No column of the page, or SQLite reads those that do not wait, too. */
	[HAS_WORK] = { "queue_has_work", "i",
		"SELECT count(*) FROM (SELECT 1 FROM pages WHERE agent_id = $1 AND state > 0 LIMIT 1) w" },
	[HAS_TURN] = { "queue_has_turn", "i", "SELECT count(*) FROM turns WHERE agent_id = $1" },
	[TURN_ADD] = { "queue_turn_add", "iii",
		"INSERT INTO turns (agent_id, turn, account_id) VALUES ($1, $2, $3) "
		"ON CONFLICT (agent_id) DO NOTHING" },
	[TURN_DROP] = { "queue_turn_drop", "i", "DELETE FROM turns WHERE agent_id = $1" },
	[ACCOUNT_OF] = { "queue_account_of", "i", "SELECT account_id FROM agents WHERE id = $1" },
	[SHARE_JOIN] = { "queue_share_join", "ii",
		"INSERT INTO shares (account_id, used, waiting) VALUES ($1, $2, 1) "
		"ON CONFLICT (account_id) DO UPDATE SET waiting = 1, used = CASE WHEN shares.waiting = 0 "
		"AND shares.used < excluded.used THEN excluded.used ELSE shares.used END" },
	[SHARE_HOLD] = { "queue_share_hold", "i", "UPDATE shares SET used = used WHERE account_id = $1" },
	[SHARE_LEAVE] = { "queue_share_leave", "i",
		"UPDATE shares SET waiting = 0 WHERE account_id = $1 "
		"AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.account_id = $1)" },
	[SHARES_AT] = { "queue_shares_at", "", "SELECT used FROM shares WHERE account_id = 0" },
};
// clang-format on
const struct kb_sql_table kb_sql_publish = { "publish", sql, KB_COUNTOF(sql) };

/* ---- the agent and its version ---- */

bool kb_agent_missing(struct kb_err *err, int64_t id)
{
	return kb_fail(err, KB_E_NOT_FOUND, "Agent with id %" PRId64 " not found", id);
}

bool kb_agent_lock(struct kb_db_conn *conn, int64_t agent_id, int64_t *index_version,
                   struct kb_err *err)
{
	return kb_db_int(conn, &sql[LOCK], KB_VALUES(kb_int(agent_id)), -1, index_version, err)
	       && (*index_version >= 0 || kb_agent_missing(err, agent_id));
}

bool kb_agent_there(struct kb_db_conn *conn, int64_t agent_id, struct kb_err *err)
{
	int64_t count;

	return kb_db_int(conn, &sql[THERE], KB_VALUES(kb_int(agent_id)), 0, &count, err)
	       && (count || kb_agent_missing(err, agent_id));
}

static bool raise_version(struct kb_db_conn *conn, int64_t agent_id, int64_t index_version,
                          bool activate, struct kb_err *err)
{
	return kb_db_run(conn, &sql[PUBLISH],
	                 KB_VALUES(kb_int(agent_id), kb_int(index_version), kb_int(activate)), NULL,
	                 err)
	       && kb_db_notify(conn, KB_TOPIC_AGENT, agent_id, err);
}

bool kb_agent_publish(struct kb_db_conn *conn, int64_t agent_id, int64_t index_version,
                      bool activate, struct kb_err *err)
{
	return raise_version(conn, agent_id, index_version, activate, err)
	       && kb_db_run(conn, &sql[NOTES_STALE], KB_VALUES(kb_int(agent_id)), NULL, err);
}

bool kb_agent_raise(struct kb_db_conn *conn, int64_t agent_id, int64_t index_version,
                    struct kb_err *err)
{
	return raise_version(conn, agent_id, index_version, false, err);
}

/* ---- totals and turns ---- */

bool kb_totals_add(struct kb_db_conn *conn, int64_t agent_id, const struct kb_totals *more,
                   struct kb_err *err)
{
	return kb_db_defer(conn, &sql[TOTALS_ADD],
	                   KB_VALUES(kb_int(agent_id), kb_int(more->pages_found),
	                             kb_int(more->pages_crawled), kb_int(more->pages_indexed),
	                             kb_int(more->words_indexed), kb_int(more->storage_bytes),
	                             kb_int(more->crawl_credits), kb_int(more->query_credits),
	                             kb_int(more->queries)),
	                   err)
	       && (more->finished == 0
	           || kb_db_run(
	                   conn, &sql[PACE],
	                   KB_VALUES(kb_int(agent_id), kb_int(more->finished), kb_int(more->now)),
	                   NULL, err));
}

void kb_totals_count_query(struct kb_db_conn *conn, int64_t agent_id, bool costs)
{
	kb_db_count(conn, &sql[TOTALS_ADD], 1,
	            KB_VALUES(kb_int(agent_id), kb_int(0), kb_int(0), kb_int(0), kb_int(0),
	                      kb_int(0), kb_int(0), kb_int(costs), kb_int(1)));
}

static bool account_of(struct kb_db_conn *conn, int64_t agent_id, int64_t *account_id,
                       struct kb_err *err)
{
	return kb_db_int(conn, &sql[ACCOUNT_OF], KB_VALUES(kb_int(agent_id)), 0, account_id, err);
}

/* An account that comes goes before those whose turn is next, but not again and again: what it has
 * used while it was here before still counts. */
static bool turn_add(struct kb_db_conn *conn, int64_t agent_id, struct kb_err *err)
{
	int64_t account_id, turn, at;

	return account_of(conn, agent_id, &account_id, err)
	       && kb_db_next_id(conn, "turn", 1, &turn, err)
	       && kb_db_run(conn, &sql[TURN_ADD],
	                    KB_VALUES(kb_int(agent_id), kb_int(turn), kb_int(account_id)), NULL,
	                    err)
	       && kb_db_int(conn, &sql[SHARES_AT], KB_NO_VALUES, 0, &at, err)
	       && kb_db_run(conn, &sql[SHARE_JOIN], KB_VALUES(kb_int(account_id), kb_int(at - 1)),
	                    NULL, err);
}

bool kb_turn_drop(struct kb_db_conn *conn, int64_t agent_id, struct kb_err *err)
{
	int64_t account_id;

	return account_of(conn, agent_id, &account_id, err)
	       /* Held before it is looked whether others wait: who joins meanwhile does so after.
	        * And before the turn is touched, as a lease does. */
	       && kb_db_run(conn, &sql[SHARE_HOLD], KB_VALUES(kb_int(account_id)), NULL, err)
	       && kb_db_run(conn, &sql[TURN_DROP], KB_VALUES(kb_int(agent_id)), NULL, err)
	       && kb_db_run(conn, &sql[SHARE_LEAVE], KB_VALUES(kb_int(account_id)), NULL, err);
}

bool kb_turn_settle(struct kb_db_conn *conn, int64_t agent_id, struct kb_err *err)
{
	int64_t work, has_turn;

	if (!kb_db_int(conn, &sql[HAS_WORK], KB_VALUES(kb_int(agent_id)), 0, &work, err)
	    || !kb_db_int(conn, &sql[HAS_TURN], KB_VALUES(kb_int(agent_id)), 0, &has_turn, err))
		return false;
	if (work && !has_turn)
		return turn_add(conn, agent_id, err);
	if (!work && has_turn)
		return kb_turn_drop(conn, agent_id, err);
	return true;
}
