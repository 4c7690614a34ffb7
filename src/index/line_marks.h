/*
 * The LISTS section of a segment: where items of lists begin in the texts of its passages, with
 * what the document had before them. The text itself has no marks, so that nothing is found by
 * them.
 *
 *   u32 number of passages that have items; for each of them, in their order, a row of u32 passage
 *   and u32 end of its bytes, counted from the last row; then these bytes: of each item varint
 *   bytes of the text since the item before, varint depth, varint number.
 *
 * A segment without items has no such section. Private to this folder.
 */
#ifndef KB_INDEX_ITEMS_H
#define KB_INDEX_ITEMS_H

#include "base/buf.h"
#include "index/build.h"

struct kb_items_builder {
	struct kb_buf rows, bytes;
	uint32_t passages;
};

void kb_items_init(struct kb_items_builder *items);
void kb_items_fini(struct kb_items_builder *items);
/* Of a passage, in the order of their numbers. */
void kb_items_add(struct kb_items_builder *items, uint32_t doc, const struct kb_passage *passage);
/* The same of a passage of another segment. */
void kb_items_copy(struct kb_items_builder *items, uint32_t doc, const struct kb_segment *from,
                   uint32_t from_doc);
/* Writes the section, if there is anything to write; false: it is too large. */
bool kb_items_put(const struct kb_items_builder *items, struct kb_builder *builder,
                  struct kb_err *err);

/* Those of a passage whose text is there. What is damaged has none. */
void kb_items_read(const struct kb_segment *segment, struct kb_arena *arena, uint32_t doc,
                   struct kb_passage *out);

#endif
