/*
 * The way out to the web: one thread finds what is due (a page in the line of its host, a source to
 * be read), others fetch it: a dozen of each kind at a time, and more where hosts are slow.
 *
 * A page's bytes become a blob and the page goes on to ingestion as an upload does; so a slow host
 * keeps one of these threads and nobody else. Of each host one thing is asked at a time, the
 * agents in turn (store/hosts.h).
 */
#ifndef KB_CRAWL_CRAWLER_H
#define KB_CRAWL_CRAWLER_H

#include "ingest/config.h"
#include "out/fetch.h"

struct kb_crawler;
struct kb_browser;
struct kb_films;

struct kb_crawler_config {
	struct kb_store *store;
	struct kb_blobs *blobs;
	struct kb_parser *parser;   /* of sitemaps */
	struct kb_browser *browser; /* for pages that a script writes; NULL: there is none */
	struct kb_films *films;     /* of video sites; NULL: their pages are pages */
	struct kb_fetcher *fetcher; /* the one way out; cancelled before this is stopped */
	const struct kb_log *log;
	const struct kb_clock *clock;
	kb_ingest_limits_fn *limits; /* may be NULL */
	void *limits_arg;
	/* Pages wait to be read. */
	void (*woken)(void *arg);
	void *woken_arg;
	int64_t pause_ms; /* between two things asked of a host, at least */
};

struct kb_crawler *kb_crawler_start(const struct kb_crawler_config *config);
/* The fetcher has been cancelled, or this waits for what it is at. NULL is fine. */
void kb_crawler_stop(struct kb_crawler *crawler);
/* Something may be due. Never blocks. */
void kb_crawler_wake(struct kb_crawler *crawler);

struct kb_crawler_stats {
	int64_t fetched, unchanged, failed, again, sources_read;
};
void kb_crawler_stats(struct kb_crawler *crawler, struct kb_crawler_stats *out);

#endif
