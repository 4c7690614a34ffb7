/* Which part of a page is its content. */
#include "parse/html_tree.h"

#include <string.h>

void kb_html_mark_main(struct kb_html_tree *tree)
{
	for (uint32_t i = 1; i < tree->count; i++) {
		uint16_t tag = tree->nodes[i].tag;

		if (tag == KB_TAG_nav || tag == KB_TAG_footer || tag == KB_TAG_aside)
			tree->nodes[i].flags |= KB_HTML_DROP;
	}
}
