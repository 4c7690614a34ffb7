/* The names by which robots.txt is asked for and asked. Pure but for the arena. */
#ifndef KB_CRAWL_PERMIT_H
#define KB_CRAWL_PERMIT_H

#include "out/url.h"

/* "https://host", or with a port that is not the scheme's own: whose robots.txt it is. */
struct kb_sv kb_crawler_origin(struct kb_arena *arena, const struct kb_url *url);
/* Path and query: what its rules are about. */
struct kb_sv kb_crawler_path(struct kb_arena *arena, const struct kb_url *url);

#endif
