/*
 * A new agent, with all that it has from its start: its totals, its upload source, its first
 * persona, and perhaps a source and pages. The rules of store.h hold.
 */
#ifndef KB_STORE_AGENT_NEW_H
#define KB_STORE_AGENT_NEW_H

#include "store/agents.h"
#include "store/pages.h"
#include "store/sources.h"

struct kb_agent_start {
	struct kb_source
	        *source; /* as of kb_store_source_add(), or NULL; pages with a url are its */
	const struct kb_page_new *pages;
	size_t page_count;
};
/* Fills the agent's id, times, index_version and is_active (nothing to index: at once, else with
 * the first page indexed); the rest is the caller's. All of it in one transaction: an agent with
 * files appears whole or not at all. */
bool kb_store_agent_create_with_pages(struct kb_store *store, struct kb_agent *agent,
                                      const struct kb_agent_start *start, int64_t *first_id,
                                      struct kb_err *err) KB_MUST_CHECK;
/* The same without source and pages. For tests and benches: the program makes an agent with its
 * pages. */
bool kb_store_agent_create(struct kb_store *store, struct kb_agent *agent,
                           struct kb_err *err) KB_MUST_CHECK;

struct kb_db_conn;
/* For tests: the agent alone, inside a write. */
bool kb_agent_insert(struct kb_db_conn *conn, struct kb_agent *agent, int64_t now,
                     struct kb_err *err) KB_MUST_CHECK;

#endif
