#include "index/items.h"

#include "index/segment.h"

enum { ROW = 2 * sizeof(uint32_t), LEAST = 3 /* bytes of an item */ };

void kb_items_init(struct kb_items_builder *items)
{
	*items = (struct kb_items_builder){ 0 };
	kb_buf_init(&items->rows, KB_GIB(4));
	kb_buf_init(&items->bytes, UINT32_MAX);
}

void kb_items_fini(struct kb_items_builder *items)
{
	kb_buf_fini(&items->rows);
	kb_buf_fini(&items->bytes);
}

/* What was put into `bytes` is of that passage. */
static void end_passage(struct kb_items_builder *items, uint32_t doc)
{
	kb_buf_u32(&items->rows, doc);
	kb_buf_u32(&items->rows, (uint32_t)items->bytes.n);
	items->passages++;
}

void kb_items_add(struct kb_items_builder *items, uint32_t doc, const struct kb_passage *passage)
{
	uint32_t before = 0;

	if (!passage->item_count)
		return;
	for (size_t i = 0; i < passage->item_count; i++) {
		const struct kb_list_item *item = &passage->items[i];

		kb_buf_varint(&items->bytes, item->at - before);
		kb_buf_varint(&items->bytes, item->depth);
		kb_buf_varint(&items->bytes, item->number);
		before = item->at;
	}
	end_passage(items, doc);
}

/* The bytes of a passage; empty: it has none. */
static struct kb_sv bytes_of(const struct kb_segment *segment, uint32_t doc)
{
	struct kb_sv section = segment->sections[KB_SEC_LISTS], bytes;
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

void kb_items_copy(struct kb_items_builder *items, uint32_t doc, const struct kb_segment *from,
                   uint32_t from_doc)
{
	struct kb_sv bytes = bytes_of(from, from_doc);

	if (!bytes.n)
		return;
	kb_buf_sv(&items->bytes, bytes);
	end_passage(items, doc);
}

bool kb_items_put(const struct kb_items_builder *items, struct kb_builder *builder,
                  struct kb_err *err)
{
	if (items->rows.failed || items->bytes.failed)
		return kb_fail(err, KB_E_TOO_LARGE,
		               "the lists of a segment have more than %zu bytes", items->bytes.n);
	if (!items->passages)
		return true;
	kb_builder_put(builder, KB_SEC_LISTS, &items->passages, sizeof(items->passages));
	kb_builder_add(builder, items->rows.p, items->rows.n);
	kb_builder_add(builder, items->bytes.p, items->bytes.n);
	return true;
}

void kb_items_read(const struct kb_segment *segment, struct kb_arena *arena, uint32_t doc,
                   struct kb_passage *out)
{
	struct kb_sv bytes = bytes_of(segment, doc);
	const uint8_t *p = (const uint8_t *)bytes.p, *end = p + bytes.n;
	struct kb_list_item *items;
	uint64_t at = 0, skip, depth, number;
	size_t count = 0;

	out->items = NULL;
	out->item_count = 0;
	if (!bytes.n)
		return;
	items = KB_NEW_ARRAY(arena, bytes.n / LEAST + 1, struct kb_list_item);
	while (p < end) {
		if (!(p = kb_get_varint(p, end, &skip)) || !(p = kb_get_varint(p, end, &depth))
		    || !(p = kb_get_varint(p, end, &number)) || skip > out->text.n
		    || (at += skip) >= out->text.n || !depth || depth > UINT8_MAX
		    || number > UINT32_MAX)
			return;
		items[count++] =
		        (struct kb_list_item){ (uint32_t)at, (uint32_t)depth, (uint32_t)number };
	}
	out->items = items;
	out->item_count = count;
}
