/*
 * Whether the text of a page is written by a script, so that a browser has to have a look at it
 * (browser.h). Ingestion asks (ingest/config.h) once it has read the page; any thread, may block on
 * the store.
 */
#ifndef KB_CRAWL_SCRIPTS_H
#define KB_CRAWL_SCRIPTS_H

#include "crawl/crawler.h"
#include "ingest/config.h"

/* The kb_ingest_scripts_fn of a struct kb_crawler_config, which outlives its use. */
bool kb_crawler_scripts(void *config, struct kb_arena *arena, const struct kb_read_page *read,
                        struct kb_scripted *out, struct kb_err *err) KB_MUST_CHECK;

#endif
