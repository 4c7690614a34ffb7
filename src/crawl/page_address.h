/*
 * One name for one page of a website, however a link spells it; and the shape of an address, which
 * pages that are made by one machine have in common.
 *
 * What out/url.h says already holds: hosts in lower case, no default port, no dots in the path.
 * Pure but for the arena; any thread.
 */
#ifndef KB_CRAWL_PAGE_ADDRESS_H
#define KB_CRAWL_PAGE_ADDRESS_H

#include "out/url.h"

enum {
	KB_PAGE_ADDRESS_PARTS_MAX =
	        64, /* of a query that is put in order; a longer one stays as it is */
};

/*
 * The address without what says nothing about the page: the fragment, marks of campaigns and of
 * sessions, the name of a folder's index file. Escapes are in capitals, and only where they are
 * needed; the parts of a query are in order of their names. The same again gives the same.
 */
struct kb_sv kb_page_address(struct kb_arena *arena, const struct kb_url *url);

/* How many addresses of one shape there may be. */
struct kb_page_shape {
	struct kb_sv text; /* path and query with '#' for numbers, '*' for values; empty: its own */
	int64_t most;      /* 0: as many as there are */
	bool endless;      /* a path that goes in circles: none of these */
};
/* depth: how many links the page is away from the start. */
struct kb_page_shape kb_page_shape(struct kb_arena *arena, const struct kb_url *url, int64_t depth);

#endif
