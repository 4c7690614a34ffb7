/* Reports: sums over an agent's conversations and messages, computed when they are asked for. The
 * rules of store.h hold. A failed query is one that got no answer: the agent found none, refused,
 * or something broke. */
#ifndef KB_STORE_REPORTS_H
#define KB_STORE_REPORTS_H

#include "store/conversations.h"

struct kb_report_source {
	struct kb_sv source; /* a message's request_source */
	int64_t queries;
};
/* The most used first. */
bool kb_store_report_sources(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                             struct kb_report_source **out, size_t *count,
                             struct kb_err *err) KB_MUST_CHECK;

struct kb_report_sums {
	int64_t conversations;
	int64_t asking; /* those that a query belongs to */
	int64_t queries, failed_queries;
	int64_t closest; /* of the failed ones, those beside which passages were shown */
	int64_t found;   /* and of these, those whose asker said that one of them was it */
};
bool kb_store_report_sums(struct kb_store *store, int64_t agent_id, struct kb_report_sums *out,
                          struct kb_err *err) KB_MUST_CHECK;

/* One stretch of time. */
struct kb_report_bucket {
	int64_t queries;
	int64_t asking;        /* conversations that these queries belong to */
	int64_t conversations; /* that began in it */
};
/* Stretches one after the other, each width_us long, the first from `start` on. */
struct kb_report_series {
	int64_t start, width_us;
	struct kb_report_bucket *v;
	size_t count;
};
/* Fills the buckets of the series. */
bool kb_store_report_buckets(struct kb_store *store, int64_t agent_id,
                             const struct kb_report_series *series,
                             struct kb_err *err) KB_MUST_CHECK;

/* What became better in a stretch of time. */
struct kb_report_week {
	int64_t from, until;
	int64_t asked, answered; /* questions */
	int64_t checked;         /* answers that a person has checked */
	int64_t mended;          /* gaps that were closed with an answer */
	int64_t open;            /* gaps that were open at its end */
};
/* Fills the figures of *week. */
bool kb_store_report_week(struct kb_store *store, int64_t agent_id, struct kb_report_week *week,
                          struct kb_err *err) KB_MUST_CHECK;

struct kb_report_model {
	struct kb_sv model;
	int64_t answers;
	int64_t prompt_tokens, completion_tokens;
	int64_t cost; /* millionths */
};
struct kb_report_models {
	struct kb_report_model *v;
	size_t count;
};
/* Since that moment's day (UTC), the dearest first, then by tokens. */
bool kb_store_report_models(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                            int64_t since, struct kb_report_models *out,
                            struct kb_err *err) KB_MUST_CHECK;

/* Messages made at or after `from` and before `until`, of all conversations. */
struct kb_report_filter {
	struct kb_list list;
	int64_t from, until;
	bool unanswered; /* only failed queries */
};
/* By the time they were made. Of each: agent_id, id, conversation_id, query, response, answered,
 * failed, user_agent, source, details, reaction, closest, found_page_id, created_at. */
bool kb_store_report_messages(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                              const struct kb_report_filter *filter, struct kb_message_list *out,
                              struct kb_err *err) KB_MUST_CHECK;

#endif
