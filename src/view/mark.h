/*
 * Where a place of a document's text stands among the words of a page.
 *
 * The text that was read of a document has its words mended and its running heads left out; the
 * words of a page stand there as they are painted. So both are compared by their letters and
 * figures alone (NFKC, lower case), block by block of the place. Where these stand on the page more
 * than once, what stands around them decides, and then how far down the page they are. Pure.
 */
#ifndef KB_VIEW_MARK_H
#define KB_VIEW_MARK_H

#include "parse/parse.h"

struct kb_mark_place {
	uint32_t offset, length; /* bytes of the whole text */
};

/* Words of the page that follow each other: from the first on, `count` of them. Words are counted
 * through all blocks of the page, as their boxes are. */
struct kb_mark_run {
	size_t first, count;
};

/* The part of the place that is on this page; none: nothing of it is, or it is not found there.
 * `words` is of kb_view_words(), `text` the document. */
const struct kb_mark_run *kb_mark_find(struct kb_arena *arena, const struct kb_parsed *text,
                                       const struct kb_parsed *words, uint32_t page_no,
                                       struct kb_mark_place place, size_t *count);

#endif
