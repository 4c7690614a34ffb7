/*
 * The way out to the web: one thread finds what is due (a page in the line of its host, a source to
 * be read), a few others fetch it.
 *
 * A page's bytes become a blob and the page goes on to ingestion as an upload does; so a slow host
 * keeps one of these threads and nobody else. Of each host one thing is asked at a time, the
 * agents in turn (hosts.h).
 */
#ifndef KB_INGEST_WEB_H
#define KB_INGEST_WEB_H

#include "ingest/ingest.h"

struct kb_web;

/* The configuration is ingestion's; woken(arg) is called when pages wait to be read. */
struct kb_web *kb_web_start(const struct kb_ingest_config *config, void (*woken)(void *arg),
                            void *arg);
/* The fetcher has been cancelled, or this waits for what it is at. NULL is fine. */
void kb_web_stop(struct kb_web *web);
/* Something may be due. Never blocks. */
void kb_web_wake(struct kb_web *web);

struct kb_web_stats {
	int64_t fetched, unchanged, failed, again, sources_read;
};
void kb_web_stats(struct kb_web *web, struct kb_web_stats *out);

#endif
