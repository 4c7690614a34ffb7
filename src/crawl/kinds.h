/*
 * The kinds of source that have an address: how each finds its pages and brings their bytes.
 *
 * A kind is a row of kinds[] in kinds.c; sync.c, errand.c and the interface follow its members, and
 * ask nowhere which one it is. What a source is follows from its address and settings. Constant
 * data; any thread.
 */
#ifndef KB_CRAWL_KINDS_H
#define KB_CRAWL_KINDS_H

#include "crawl/source.h"

struct kb_crawler;
struct kb_crawler_request;
struct kb_fetch_response;
struct kb_manner;
struct kb_reading;

struct kb_source_kind {
	const char *name; /* in records of sources */
	/* Finds its pages (reading.h). */
	bool (*list)(struct kb_reading *r, struct kb_err *err);
	/* Brings the bytes of one of them, whose host is taken (crawler_impl.h). */
	bool (*bring)(struct kb_crawler *crawler, struct kb_arena *arena, struct kb_manner *manner,
	              const struct kb_crawler_request *request, struct kb_fetch_response *out,
	              struct kb_err *err);
	/* What is left to say of a reading that went well; NULL, or empty: nothing of its own. */
	struct kb_sv (*remarks)(const struct kb_reading *r);
	bool has_page;    /* its address is a page, which comes with the source */
	bool is_crawl;    /* its pages lead to each other: nothing lists them all */
	bool starts_list; /* of a website: its start is a sitemap or feed, no page */
};

/* whole_host: use_full_url_crawl of its agent; then the name of a file is a start, too. */
const struct kb_source_kind *
kb_source_kind(struct kb_sv url, const struct kb_source_settings *settings, bool whole_host);

#endif
