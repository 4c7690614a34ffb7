#include "index/line_marks.h"

#include "index/segment.h"

enum { ROW = 2 * sizeof(uint32_t), LEAST = 3 /* bytes of a mark */ };

void kb_line_marks_init(struct kb_line_marks_builder *marks)
{
	*marks = (struct kb_line_marks_builder){ 0 };
	kb_buf_init(&marks->rows, KB_GIB(4));
	kb_buf_init(&marks->bytes, UINT32_MAX);
}

void kb_line_marks_fini(struct kb_line_marks_builder *marks)
{
	kb_buf_fini(&marks->rows);
	kb_buf_fini(&marks->bytes);
}

/* What was put into `bytes` is of that passage. */
static void end_passage(struct kb_line_marks_builder *marks, uint32_t doc)
{
	kb_buf_u32(&marks->rows, doc);
	kb_buf_u32(&marks->rows, (uint32_t)marks->bytes.n);
	marks->passages++;
}

void kb_line_marks_add(struct kb_line_marks_builder *marks, uint32_t doc,
                       const struct kb_passage *passage)
{
	uint32_t before = 0;

	if (!passage->mark_count)
		return;
	for (size_t i = 0; i < passage->mark_count; i++) {
		const struct kb_line_mark *mark = &passage->marks[i];
		bool is_item = mark->kind == KB_MARK_ITEM;

		kb_buf_varint(&marks->bytes, mark->at - before);
		kb_buf_varint(&marks->bytes, is_item ? mark->depth : 0);
		kb_buf_varint(&marks->bytes, is_item ? mark->number : mark->kind);
		before = mark->at;
	}
	end_passage(marks, doc);
}

/* The bytes of a passage; empty: it has none. */
static struct kb_sv bytes_of(const struct kb_segment *segment, uint32_t doc)
{
	struct kb_sv section = segment->sections[KB_SEC_MARKS], bytes;
	uint32_t low = 0, high, count, from, end;
	const char *rows = section.p + sizeof(uint32_t);

	if (section.n < sizeof(uint32_t))
		return KB_SV("");
	count = high = kb_get32(section.p);
	if ((section.n - sizeof(uint32_t)) / ROW < count)
		return KB_SV("");
	bytes = kb_sv_from(section, sizeof(uint32_t) + (size_t)count * ROW);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (kb_get32(rows + (size_t)middle * ROW) < doc)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == count || kb_get32(rows + (size_t)low * ROW) != doc)
		return KB_SV("");
	from = low ? kb_get32(rows + (size_t)(low - 1) * ROW + sizeof(uint32_t)) : 0;
	end = kb_get32(rows + (size_t)low * ROW + sizeof(uint32_t));
	return from <= end && end <= bytes.n ? kb_sv_sub(bytes, from, end - from) : KB_SV("");
}

void kb_line_marks_copy(struct kb_line_marks_builder *marks, uint32_t doc,
                        const struct kb_segment *from, uint32_t from_doc)
{
	struct kb_sv bytes = bytes_of(from, from_doc);

	if (!bytes.n)
		return;
	kb_buf_sv(&marks->bytes, bytes);
	end_passage(marks, doc);
}

bool kb_line_marks_put(const struct kb_line_marks_builder *marks, struct kb_builder *builder,
                       struct kb_err *err)
{
	if (marks->rows.failed || marks->bytes.failed)
		return kb_fail(err, KB_E_TOO_LARGE,
		               "the marks of a segment have more than %zu bytes", marks->bytes.n);
	if (!marks->passages)
		return true;
	kb_builder_put(builder, KB_SEC_MARKS, &marks->passages, sizeof(marks->passages));
	kb_builder_add(builder, marks->rows.p, marks->rows.n);
	kb_builder_add(builder, marks->bytes.p, marks->bytes.n);
	return true;
}

void kb_line_marks_read(const struct kb_segment *segment, struct kb_arena *arena, uint32_t doc,
                        struct kb_passage *out)
{
	struct kb_sv bytes = bytes_of(segment, doc);
	const uint8_t *p = (const uint8_t *)bytes.p, *end = p + bytes.n;
	struct kb_line_mark *marks;
	uint64_t at = 0, skip, depth, number;
	size_t count = 0;

	out->marks = NULL;
	out->mark_count = 0;
	if (!bytes.n)
		return;
	marks = KB_NEW_ARRAY(arena, bytes.n / LEAST + 1, struct kb_line_mark);
	while (p < end) {
		if (!(p = kb_get_varint(p, end, &skip)) || !(p = kb_get_varint(p, end, &depth))
		    || !(p = kb_get_varint(p, end, &number)) || skip > out->text.n
		    || (at += skip) >= out->text.n || depth > UINT8_MAX || number > UINT32_MAX
		    || (!depth && (number == KB_MARK_ITEM || number >= KB_MARKS)))
			return;
		marks[count++] = (struct kb_line_mark){
			.at = (uint32_t)at,
			.kind = depth ? KB_MARK_ITEM : (enum kb_mark_kind)number,
			.depth = (uint32_t)depth,
			.number = depth ? (uint32_t)number : 0,
		};
	}
	out->marks = marks;
	out->mark_count = count;
}

const struct kb_line_mark *kb_passage_mark(const struct kb_passage *passage, size_t at)
{
	size_t low = 0, high = passage->mark_count;
	const struct kb_line_mark *mark;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (passage->marks[middle].at <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	mark = &passage->marks[low - 1];
	for (size_t i = mark->at; i < at; i++)
		if (passage->text.p[i] != ' ' && passage->text.p[i] != '\t')
			return NULL;
	return mark;
}
