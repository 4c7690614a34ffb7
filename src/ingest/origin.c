#include "ingest/origin.h"

#include "out/link.h"

struct kb_origin kb_page_origin(struct kb_arena *arena, const struct kb_page *page)
{
	return (struct kb_origin){ .filename = page->filename,
		                   .url = kb_link_shown(arena, page->url) };
}
