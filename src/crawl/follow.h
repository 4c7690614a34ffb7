/*
 * What comes of a page of a website once it has been read: what it leads to, and whether it is a
 * page at all. Ingestion asks (ingest/config.h); any thread, may block on the store.
 */
#ifndef KB_CRAWL_FOLLOW_H
#define KB_CRAWL_FOLLOW_H

#include "crawl/crawler.h"
#include "ingest/config.h"

/* The kb_ingest_follow_fn of a struct kb_crawler_config, which outlives its use. */
bool kb_crawler_follow(void *config, struct kb_arena *arena, const struct kb_page *page,
                       const struct kb_parsed *parsed, struct kb_followed *out,
                       struct kb_err *err) KB_MUST_CHECK;

#endif
