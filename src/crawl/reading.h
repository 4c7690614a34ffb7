/*
 * One reading of a source (sync.c), as the ways of listing its pages see it (kinds.h).
 *
 * A way is called once a lease, on the thread that holds it. It hands over what it finds, in pieces
 * that are true at once (found), and says in the reading how it went. Where pages are still to come
 * that nobody else waits for, it leaves a time to look again: the next lease goes on there.
 */
#ifndef KB_CRAWL_READING_H
#define KB_CRAWL_READING_H

#include "crawl/crawler_impl.h"
#include "crawl/scope.h"
#include "crawl/sitemap.h"
#include "store/crawls.h"

struct kb_source_kind;

struct kb_reading {
	struct kb_crawler *crawler;
	struct kb_arena *arena;
	const struct kb_source_lease *lease;
	const struct kb_source_kind *kind; /* NULL: its agent could not be read */
	struct kb_agent agent;
	struct kb_source_settings settings;
	struct kb_manner manner;
	/* What the way leaves. */
	struct kb_sitemap_report report;
	int64_t queued; /* errands that were planned */
	int64_t retry_after_s;
	int64_t look_at;         /* when to go on; 0: it is at its end */
	struct kb_sv waits_for;  /* and what it waits for until then */
	struct kb_sv failed_for; /* why nothing can be had of it, though nothing failed; or empty */
	/* Of a website. */
	int64_t depth; /* of the pages that are found now */
	struct kb_crawl crawl;
	struct kb_scope scope;
	int64_t waiting; /* of its pages */
};

/* Waits until the address may be asked for; its host is taken then. */
bool kb_reading_take_host(struct kb_reading *r, struct kb_arena *arena, struct kb_sv url,
                          struct kb_err *err) KB_MUST_CHECK;
/* Pages of the source; the shape is that of a walk (sitemap.h), arg the reading. */
bool kb_reading_found(void *arg, const struct kb_listed *listed, size_t count,
                      struct kb_err *err) KB_MUST_CHECK;
/* What a sitemap or feed lists, piece by piece. */
bool kb_reading_walk(struct kb_reading *r, struct kb_sv url, struct kb_sitemap_report *report,
                     bool (*take)(void *arg, const struct kb_listed *listed, size_t count,
                                  struct kb_err *err),
                     struct kb_err *err) KB_MUST_CHECK;

/* The ways: a sitemap or feed (or a page that only has its name), a page alone, a website. */
bool kb_list_file(struct kb_reading *r, struct kb_err *err);
bool kb_list_page(struct kb_reading *r, struct kb_err *err);
bool kb_list_site(struct kb_reading *r, struct kb_err *err);
/* What a website has more than was read of it; empty: nothing. */
struct kb_sv kb_site_remarks(const struct kb_reading *r);

#endif
