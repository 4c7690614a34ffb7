/*
 * From the address of a sitemap to the addresses of pages: the walk over a sitemap, its parts and
 * theirs.
 *
 * Fetching is the caller's; the bytes are read in the parser's children. What is found is handed
 * on in pieces, each address as one name for one document (out/url.h), http and https only, and of
 * the sitemap's own site: the same host, with or without "www.", or a host below it or above it.
 */
#ifndef KB_CRAWL_SITEMAP_H
#define KB_CRAWL_SITEMAP_H

#include "parse/parse.h"
#include "store/sources.h"

enum {
	KB_SITEMAP_DEPTH_MAX = 4,    /* of indexes within indexes */
	KB_SITEMAP_FILES_MAX = 1000, /* of one walk */
	KB_SITEMAP_PAGES_MAX = 500000,
	KB_SITEMAP_PIECE = 500, /* addresses handed on at a time */
};

struct kb_sitemap_file {
	int fd;                         /* the walk closes it */
	struct kb_sv url, content_type; /* where redirects ended */
};

struct kb_sitemap_walk {
	struct kb_parser *parser;
	int64_t owner;  /* kb_parse_request's */
	int timeout_ms; /* for reading one file; 0: the parser's own */
	/* Both may fail: fetch for that file, found for all. */
	bool (*fetch)(void *arg, struct kb_arena *arena, struct kb_sv url,
	              struct kb_sitemap_file *out, struct kb_err *err);
	bool (*found)(void *arg, const struct kb_listed *listed, size_t count, struct kb_err *err);
	void *arg;
};

struct kb_sitemap_report {
	int64_t files, pages;
	int64_t unread;    /* parts that could not be read; the first of them is in `first` */
	int64_t elsewhere; /* addresses of other sites, left out */
	int64_t guarded;   /* addresses with a user name or password, left out */
	bool cut;          /* a limit was reached, or a part is damaged: there are more */
	struct kb_err first;
};

/* false when the first file gives nothing, or `found` refused. KB_E_UNSUPPORTED: it is no list. */
bool kb_sitemap_walk(const struct kb_sitemap_walk *walk, struct kb_sv url,
                     struct kb_sitemap_report *report, struct kb_err *err) KB_MUST_CHECK;

#endif
