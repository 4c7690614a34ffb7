/*
 * Crawls: the reading of a source that is a whole website. store.h's rules hold.
 *
 * A page that has been read leads to others; the transaction that ends its lease makes rows of
 * those that are new (pages.h: struct kb_page_found). So what is known of a website, and what is
 * still to be fetched, are rows and nothing else, and whoever dies in between loses and doubles
 * nothing. The reading is over when no page of its source waits; the source's lease is taken now
 * and then to see.
 */
#ifndef KB_STORE_CRAWLS_H
#define KB_STORE_CRAWLS_H

#include "store/sources.h"

struct kb_crawl {
	struct kb_sv url;   /* the source's, when the reading began */
	struct kb_sv start; /* of its start page, where redirects end; empty: the same */
	bool is_running, is_seeded;
	int64_t began_at, pages, bytes;
	/* Addresses that were left out: too many links away, one of too many of a kind, over the
	 * limit of pages, forbidden by robots.txt. Some were counted more than once. */
	int64_t deep, alike, crowded, forbidden;
};

/* Zeroed, with began_at 0, where the source has never been read so. */
bool kb_store_crawl_get(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                        int64_t source_id, struct kb_crawl *out, struct kb_err *err) KB_MUST_CHECK;
/* How many of its pages wait. */
bool kb_store_crawl_waiting(struct kb_store *store, int64_t agent_id, int64_t source_id,
                            int64_t *count, struct kb_err *err) KB_MUST_CHECK;

/* How many pages it has; beyond limit it is not counted. */
bool kb_store_crawl_pages(struct kb_store *store, int64_t agent_id, int64_t source_id,
                          int64_t limit, int64_t *count, struct kb_err *err) KB_MUST_CHECK;

/* Begins another reading. */
bool kb_store_crawl_begin(struct kb_store *store, const struct kb_source_lease *lease,
                          struct kb_err *err) KB_MUST_CHECK;
/* Its pages go into the queue again, some at a call. */
struct kb_crawl_again {
	const struct kb_source_lease *lease;
	bool anew;     /* without what their host said of them before */
	int64_t depth; /* of pages that were none of a website until now */
	int64_t after; /* the last id that was looked at; 0 at first */
};
/* *more: call once more. */
bool kb_store_crawl_requeue(struct kb_store *store, struct kb_crawl_again *again, bool *more,
                            struct kb_err *err) KB_MUST_CHECK;
/* The sitemaps are read; from now on it is over when no page waits. */
bool kb_store_crawl_seeded(struct kb_store *store, const struct kb_source_lease *lease,
                           struct kb_err *err) KB_MUST_CHECK;
bool kb_store_crawl_set_start(struct kb_store *store, int64_t agent_id, int64_t source_id,
                              struct kb_sv start, struct kb_err *err) KB_MUST_CHECK;

/* Moves the links that the agent has no page for to the front; how many. */
bool kb_store_crawl_new_links(struct kb_store *store, int64_t agent_id, struct kb_page_link *links,
                              size_t *count, struct kb_err *err) KB_MUST_CHECK;

#endif
