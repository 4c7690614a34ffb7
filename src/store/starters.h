/*
 * Questions to begin with that a model writes (chores.h), a row for each page around an agent.
 * store.h's rules hold.
 *
 * Titles and addresses come from whoever visits, so rows are few: an agent has a model asked for at
 * most KB_STARTERS_A_DAY pages a day, and pages that nobody has asked for long are forgotten. The
 * questions of a page are shown to those alone who name the same title and address.
 */
#ifndef KB_STORE_STARTERS_H
#define KB_STORE_STARTERS_H

#include "store/agents.h"

enum {
	KB_STARTERS_A_DAY = 50,
	KB_STARTERS_KEPT_DAYS = 30,
	KB_STARTERS_AGAIN_S =
	        3600, /* documents have changed; after a try that gave nothing, a day */
	KB_STARTERS_TITLE_BYTES = 300,
	KB_STARTERS_ADDRESS_BYTES = 500,
};

/* Both empty: no page, the agent alone. */
struct kb_starters_page {
	struct kb_sv title, address;
};

struct kb_starters {
	struct kb_sv questions; /* one a line; empty: there are none */
	bool wanted;            /* a model is to be asked for them, by kb_store_starters_want() */
};
bool kb_store_starters_get(struct kb_store *store, struct kb_arena *arena,
                           const struct kb_agent *agent, const struct kb_starters_page *page,
                           struct kb_starters *out, struct kb_err *err) KB_MUST_CHECK;

/* Makes the page's row and its chore, unless that is there or the day's share is used up. */
bool kb_store_starters_want(struct kb_store *store, const struct kb_agent *agent,
                            const struct kb_starters_page *page, struct kb_err *err) KB_MUST_CHECK;

/* The page of a chore; KB_E_NOT_FOUND where it is forgotten. */
bool kb_store_starters_page(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                            int64_t page_id, struct kb_starters_page *out,
                            struct kb_err *err) KB_MUST_CHECK;

#endif
