/*
 * The MARKS section of a segment: which lines of its passages' texts are items of lists, headings
 * or code.
 *
 *   u32 number of passages that have such lines; for each of them, in their order, a row of u32
 *   passage and u32 end of its bytes, counted from the last row; then these bytes: of each line
 *   varint bytes of the text since the one before, varint depth, varint number; what is no item has
 *   depth 0, and its kind (index.h) for a number.
 *
 * A segment without them has no such section. Private to this folder.
 */
#ifndef KB_INDEX_LINE_MARKS_H
#define KB_INDEX_LINE_MARKS_H

#include "base/buf.h"
#include "index/build.h"

struct kb_line_marks_builder {
	struct kb_buf rows, bytes;
	uint32_t passages;
};

void kb_line_marks_init(struct kb_line_marks_builder *marks);
void kb_line_marks_fini(struct kb_line_marks_builder *marks);
/* Of a passage, in the order of their numbers. */
void kb_line_marks_add(struct kb_line_marks_builder *marks, uint32_t doc,
                       const struct kb_passage *passage);
/* The same of a passage of another segment. */
void kb_line_marks_copy(struct kb_line_marks_builder *marks, uint32_t doc,
                        const struct kb_segment *from, uint32_t from_doc);
/* Writes the section, if there is anything to write; false: it is too large. */
bool kb_line_marks_put(const struct kb_line_marks_builder *marks, struct kb_builder *builder,
                       struct kb_err *err);

/* Those of a passage whose text is there. What is damaged has none. */
void kb_line_marks_read(const struct kb_segment *segment, struct kb_arena *arena, uint32_t doc,
                        struct kb_passage *out);

#endif
