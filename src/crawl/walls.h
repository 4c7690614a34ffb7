/*
 * Walls: pages that hosts show to programs in place of what was asked for, by what gives them away.
 * Pure; any thread.
 */
#ifndef KB_CRAWL_WALLS_H
#define KB_CRAWL_WALLS_H

#include "base/sv.h"

/* Who has put one there ("Cloudflare"), by the beginning of an HTML page; NULL: nobody. */
const char *kb_wall_of_page(struct kb_sv head);

enum { KB_WALL_BYTES = 64 << 10 }; /* in which it is known; a longer page is no wall */

#endif
