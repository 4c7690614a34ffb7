/*
 * What every change of an agent's documents has to do in its transaction: hold the agent, raise its
 * index version, keep its totals, give it a turn in the queue or take it away. Families of tables
 * stand above this, so it knows none of them.
 *
 *	kb_agent_lock(conn, agent_id, &version, err)
 *	  && ... what changes rows; from version + 1 on it is so
 *	  && kb_agent_publish(conn, agent_id, version + 1, false, err)
 *	  && kb_totals_add(conn, agent_id, &totals, err)
 *	  && kb_turn_settle(conn, agent_id, err)
 */
#ifndef KB_STORE_PUBLISH_H
#define KB_STORE_PUBLISH_H

#include "db/db.h"

/* What an agent's row says of all that belongs to it (store_own.h: what is hidden). */
#define KB_SQL_AGENT_THERE    0
#define KB_SQL_AGENT_COPIED   1
#define KB_SQL_AGENT_DELETED  2
#define KB_SQL_AGENT_ARRIVING 3
enum kb_agent_state {
	KB_AGENT_THERE = KB_SQL_AGENT_THERE, /* the indexes have the others: state > 0 */
	KB_AGENT_COPIED = KB_SQL_AGENT_COPIED,
	KB_AGENT_DELETED = KB_SQL_AGENT_DELETED,
	KB_AGENT_ARRIVING = KB_SQL_AGENT_ARRIVING, /* from elsewhere, until gone_at (parcel.h) */
};

/* The refusal of an agent that is not there: false with KB_E_NOT_FOUND. */
bool kb_agent_missing(struct kb_err *err, int64_t agent_id);
/* Holds the agent for this transaction and gives its index version. KB_E_NOT_FOUND. */
bool kb_agent_lock(struct kb_db_conn *conn, int64_t agent_id, int64_t *index_version,
                   struct kb_err *err) KB_MUST_CHECK;
/* KB_E_NOT_FOUND: it was deleted meanwhile. For what does not lock it. */
bool kb_agent_there(struct kb_db_conn *conn, int64_t agent_id, struct kb_err *err) KB_MUST_CHECK;

/* A new index version; `activate` when something can be found from now on. */
bool kb_agent_publish(struct kb_db_conn *conn, int64_t agent_id, int64_t index_version,
                      bool activate, struct kb_err *err) KB_MUST_CHECK;
/* The same for what changes no document. */
bool kb_agent_raise(struct kb_db_conn *conn, int64_t agent_id, int64_t index_version,
                    struct kb_err *err) KB_MUST_CHECK;

/* Differences to an agent's totals. */
struct kb_totals {
	int64_t pages_found, pages_crawled, pages_indexed, words_indexed, storage_bytes;
	int64_t crawl_credits, query_credits, queries;
	int64_t finished, now; /* documents that are done with, whatever became of them, and when */
};
bool kb_totals_add(struct kb_db_conn *conn, int64_t agent_id, const struct kb_totals *more,
                   struct kb_err *err) KB_MUST_CHECK;
/* One query more, counted at the end of the transaction (kb_db_count()). */
void kb_totals_count_query(struct kb_db_conn *conn, int64_t agent_id, bool costs);

/* Gives the agent a turn when it has pages in the queue, takes it away when it has none. */
bool kb_turn_settle(struct kb_db_conn *conn, int64_t agent_id, struct kb_err *err) KB_MUST_CHECK;
/* Takes it away whatever waits: the agent was deleted. */
bool kb_turn_drop(struct kb_db_conn *conn, int64_t agent_id, struct kb_err *err) KB_MUST_CHECK;

#endif
