/*
 * What a question needs of the database before it is answered, read in one trip: for stores on a
 * server, to which a trip costs more than a statement. It is as of the question's beginning.
 */
#ifndef KB_STORE_AHEAD_H
#define KB_STORE_AHEAD_H

#include "store/agents.h"
#include "store/conversations.h"

struct kb_ahead_want {
	struct kb_sv key; /* text of a key that the cache lacks; it has it then. Empty: none */
	int64_t agent_id;
	bool knows_agent;        /* it was read before, and is not again */
	struct kb_sv session_id; /* empty: a new one */
	int64_t visitor_id;      /* the person whose session it has to be; 0: whoever's */
	int64_t history;         /* so many messages */
	int64_t account_id;      /* whose month is wanted; 0: none */
};

struct kb_ahead {
	struct kb_sv session_id;
	int64_t read_at;                     /* kb_clock_mono_us() */
	struct kb_agent agent;               /* whoever's it is; an id of 0: it is not there */
	struct kb_message_list history;      /* the newest, oldest first */
	struct kb_conversation conversation; /* an id of 0: there is none yet */
	bool has_name;           /* the next message leaves the conversation's name as it is */
	int64_t message_id;      /* of the message to come */
	int64_t conversation_id; /* of its conversation, where there is none yet */
	bool has_month;
	struct kb_month_use month;
};

/* Whether it is worth it. */
bool kb_store_reads_ahead(const struct kb_store *store);
bool kb_store_read_ahead(struct kb_store *store, struct kb_arena *arena,
                         const struct kb_ahead_want *want, struct kb_ahead *out,
                         struct kb_err *err) KB_MUST_CHECK;

#endif
