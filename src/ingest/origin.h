/* Where a page is from, as its passages say it: whoever makes them asks here, so that the same page
 * gives the same passages whenever it is indexed. */
#ifndef KB_INGEST_ORIGIN_H
#define KB_INGEST_ORIGIN_H

#include "passages/document.h"
#include "store/pages.h"

struct kb_origin kb_page_origin(struct kb_arena *arena, const struct kb_page *page);

#endif
