/*
 * Addresses that visitors have left for a person to answer them. store.h's rules hold.
 *
 * They are kept as long as the agent's conversations.
 */
#ifndef KB_STORE_LEADS_H
#define KB_STORE_LEADS_H

#include "store/store.h"

struct kb_lead {
	int64_t agent_id;
	struct kb_sv session_id; /* of the question; empty: of no conversation */
	int64_t message_id;      /* likewise; 0 */
	struct kb_sv name, email, question;
	int64_t created_at; /* set by kb_store_lead_add() */
};
bool kb_store_lead_add(struct kb_store *store, const struct kb_lead *lead,
                       struct kb_err *err) KB_MUST_CHECK;

struct kb_lead_filter {
	struct kb_list list;
	int64_t from, until;     /* left in that time */
	struct kb_sv session_id; /* empty: any */
};
struct kb_lead_list {
	struct kb_lead *v; /* the newest first, or last */
	size_t count;
	int64_t total;
};
bool kb_store_lead_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                        const struct kb_lead_filter *filter, struct kb_lead_list *out,
                        struct kb_err *err) KB_MUST_CHECK;

/* Removes some of those that are older; *removed: how many. */
bool kb_store_leads_purge(struct kb_store *store, int64_t agent_id, int64_t before,
                          int64_t *removed, struct kb_err *err) KB_MUST_CHECK;

#endif
