/* A crawl as its pages come and go. All inside a write that holds the agent. */
#ifndef KB_STORE_CRAWLS_OWN_H
#define KB_STORE_CRAWLS_OWN_H

#include "store/crawls.h"
#include "store/pages_own.h"

/* It begins with its source, too. */
bool kb_crawl_begin(struct kb_db_conn *conn, int64_t agent_id, int64_t source_id, struct kb_sv url,
                    int64_t now, struct kb_err *err) KB_MUST_CHECK;
bool kb_crawl_ended(struct kb_db_conn *conn, int64_t agent_id, int64_t source_id,
                    struct kb_err *err) KB_MUST_CHECK;
bool kb_crawl_fetched(struct kb_db_conn *conn, int64_t agent_id, int64_t source_id, int64_t bytes,
                      struct kb_err *err) KB_MUST_CHECK;
bool kb_crawl_drop(struct kb_db_conn *conn, int64_t agent_id, int64_t source_id,
                   struct kb_err *err) KB_MUST_CHECK;
/* The address is no page of its own. */
bool kb_crawl_add_alias(struct kb_db_conn *conn, int64_t agent_id, int64_t source_id,
                        struct kb_sv url, struct kb_err *err) KB_MUST_CHECK;
/* Whether the agent has a page for it, or knows that it is none. */
bool kb_crawl_knows(struct kb_db_conn *conn, int64_t agent_id, struct kb_sv url, bool *known,
                    struct kb_err *err) KB_MUST_CHECK;

/* Makes rows of what the page leads to, while its website is being read. Else, and where something
 * was left out for its number, the page forgets what its host said of it. */
struct kb_crawl_write {
	struct kb_arena *arena;
	int64_t now;
	struct kb_totals *totals; /* of the write */
};
bool kb_crawl_follow(struct kb_db_conn *conn, const struct kb_crawl_write *write,
                     struct kb_page_row *from, const struct kb_page_found *found,
                     struct kb_err *err) KB_MUST_CHECK;

/* Another page of the same website that can be found and says what the result says. */
struct kb_twin {
	struct kb_sv url; /* empty: there is none */
	bool is_exact;    /* the text is the same; else nearly so */
};
bool kb_crawl_twin(struct kb_db_conn *conn, struct kb_arena *arena, const struct kb_page *page,
                   const struct kb_page_result *result, struct kb_twin *out,
                   struct kb_err *err) KB_MUST_CHECK;
/* The page no longer says what it said, or is no more: its copies go back into the queue. */
bool kb_crawl_free_copies(struct kb_db_conn *conn, const struct kb_page_row *row,
                          struct kb_totals *totals, struct kb_err *err) KB_MUST_CHECK;

#endif
