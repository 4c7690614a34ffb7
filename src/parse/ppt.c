/*
 * Old PowerPoint presentations: a stream of records within records. A table says where the newest
 * version of each object lies; the document lists its slides with the text of their placeholders,
 * the slides themselves hold the text of other boxes.
 */
#include "parse/old_office.h"

#include <string.h>

enum {
	HEAD = 8, /* of a record: version and instance, type, length */
	DEPTH_MAX = 16,
	EDITS_MAX = 1000,
	OBJECTS_MAX = 1 << 20, /* their numbers have twenty bits */
	CONTAINER = 0xf,
	SLIDES_MAX = 20000,
};
enum type {
	DOCUMENT = 1000,
	SLIDE = 1006,
	SLIDE_PLACE = 1011,
	SLIDE_SHOW = 1017,
	TEXT_KIND = 3999,
	TEXT_WIDE = 4000,
	TEXT_NARROW = 4008,
	SLIDE_LIST = 4080,
	EDIT = 4085,
	PLACES = 6002,
	TEXT_BOX = 0xf00d,
};
enum { TITLE = 0, CENTRED_TITLE = 6, HIDDEN = 4 };

struct record {
	uint16_t instance, type;
	bool is_container;
	struct kb_sv data;
};

struct ppt {
	struct kb_doc *doc;
	struct kb_sv stream;
	uint32_t *places; /* of objects, by their number; 0: none */
	size_t place_count;
	struct kb_buf text;
	uint32_t kind; /* of the text that comes next */
	size_t walked; /* records; slides may claim to lie in one place */
};

static bool take(struct kb_sv *rest, struct record *out)
{
	uint32_t n = kb_le32(*rest, 4);

	if (rest->n < HEAD)
		return false;
	*out = (struct record){ .instance = (uint16_t)(kb_le16(*rest, 0) >> 4),
		                .type = kb_le16(*rest, 2),
		                .is_container = (kb_le16(*rest, 0) & 0xf) == CONTAINER,
		                .data = kb_sv_sub(*rest, HEAD, n) };
	*rest = kb_sv_from(*rest, HEAD + (size_t)n);
	return true;
}

static bool record_at(const struct ppt *p, size_t at, uint16_t type, struct record *out)
{
	struct kb_sv rest = kb_sv_from(p->stream, at);

	return take(&rest, out) && out->type == type;
}

static bool object(const struct ppt *p, uint32_t number, uint16_t type, struct record *out)
{
	return number < p->place_count && p->places[number]
	       && record_at(p, p->places[number], type, out);
}

/* A run of numbers and their places; what is known is newer. */
static void take_places(struct ppt *p, struct kb_sv data)
{
	for (size_t at = 0; at + 4 <= data.n && p->walked++ < p->stream.n;) {
		uint32_t head = kb_le32(data, at), number = head & 0xfffff, count = head >> 20;

		at += 4;
		for (; count && at + 4 <= data.n && p->walked++ < p->stream.n;
		     count--, number++, at += 4)
			if (number < p->place_count && !p->places[number])
				p->places[number] = kb_le32(data, at);
	}
}

/* From the newest edit back to the first. *locked: with a password. */
static bool read_places(struct ppt *p, uint32_t at, uint32_t *document, bool *locked)
{
	struct record edit, places;
	bool any = false;

	*locked = false;
	p->place_count = KB_MIN((size_t)OBJECTS_MAX, p->stream.n / HEAD + 1);
	p->places = KB_NEW_ARRAY(p->doc->arena, p->place_count, uint32_t);
	memset(p->places, 0, p->place_count * sizeof(*p->places));
	for (int i = 0; i < EDITS_MAX && record_at(p, at, EDIT, &edit); i++) {
		if (!any)
			*document = kb_le32(edit.data, 16);
		any = true;
		*locked |= edit.data.n >= 32;
		if (record_at(p, kb_le32(edit.data, 12), PLACES, &places))
			take_places(p, places.data);
		if (kb_le32(edit.data, 8) == 0 || kb_le32(edit.data, 8) >= at)
			break;
		at = kb_le32(edit.data, 8);
	}
	return any;
}

/* A paragraph ends with CR, a line within one with VT. */
static void add_text(struct ppt *p, const struct record *record)
{
	struct kb_sv rest, line;
	bool is_title = p->kind == TITLE || p->kind == CENTRED_TITLE;

	kb_buf_clear(&p->text);
	kb_ole_text(&p->text, record->data, record->type == TEXT_WIDE);
	for (size_t i = 0; i < p->text.n; i++)
		if (p->text.p[i] == '\v' || (is_title && p->text.p[i] == '\r'))
			p->text.p[i] = ' ';
	rest = kb_buf_view(&p->text);
	while (rest.p && kb_sv_split(&rest, '\r', &line))
		if (is_title)
			kb_doc_heading(p->doc, 1, line);
		else
			kb_doc_add(p->doc, KB_BLOCK_PARAGRAPH, line);
}

static void take_text(struct ppt *p, const struct record *record)
{
	if (record->type == TEXT_KIND)
		p->kind = kb_le32(record->data, 0);
	else if (record->type == TEXT_WIDE || record->type == TEXT_NARROW)
		add_text(p, record);
}

/* All records within, the outer before the inner; false ends it. */
typedef bool each_fn(struct ppt *p, const struct record *record, bool in_box);
static bool walk(struct ppt *p, struct kb_sv data, each_fn *each)
{
	struct {
		struct kb_sv rest;
		bool in_box;
	} open[DEPTH_MAX] = { { data, false } };
	struct record record;
	int depth = 1;

	while (depth && p->walked++ < p->stream.n) {
		bool in_box = open[depth - 1].in_box;

		if (!take(&open[depth - 1].rest, &record)) {
			depth--;
			continue;
		}
		in_box |= record.type == TEXT_BOX;
		if (!each(p, &record, in_box))
			return false;
		if ((record.is_container || record.type == TEXT_BOX) && depth < DEPTH_MAX) {
			open[depth].rest = record.data;
			open[depth++].in_box = in_box;
		}
	}
	return true;
}

static bool is_shown(struct ppt *p, const struct record *record, bool in_box)
{
	(void)p;
	(void)in_box;
	return record->type != SLIDE_SHOW || !(kb_le16(record->data, 10) & HIDDEN);
}

static bool take_box(struct ppt *p, const struct record *record, bool in_box)
{
	if (in_box)
		take_text(p, record);
	return true;
}

/* The placeholders' text follows the slide's place; its own boxes come behind it. */
static void read_slides(struct ppt *p, struct kb_sv list)
{
	struct record record, slide = { 0 };
	uint32_t number = 0;
	bool shown = false;

	while (take(&list, &record) && number < SLIDES_MAX) {
		if (record.type != SLIDE_PLACE) {
			if (shown)
				take_text(p, &record);
			continue;
		}
		if (shown)
			walk(p, slide.data, take_box);
		number++;
		if (!object(p, kb_le32(record.data, 0), SLIDE, &slide))
			slide.data = KB_SV("");
		shown = walk(p, slide.data, is_shown);
		kb_doc_page(p->doc, number);
		kb_doc_unhead(p->doc);
		p->kind = UINT32_MAX;
	}
	if (shown)
		walk(p, slide.data, take_box);
}

bool kb_ppt_read(struct kb_doc *doc, const struct kb_ole *ole, struct kb_err *err)
{
	struct ppt p = { .doc = doc };
	struct kb_sv user, rest;
	struct record document = { 0 }, list;
	uint32_t number = 0;
	bool locked;

	if (!kb_ole_stream(ole, "PowerPoint Document", &p.stream)
	    || !kb_ole_stream(ole, "Current User", &user)
	    || !read_places(&p, kb_le32(user, 16), &number, &locked))
		return kb_fail(err, KB_E_INVALID,
		               "the PowerPoint presentation is damaged; save it as .pptx");
	if (locked)
		return kb_fail(err, KB_E_INVALID, "the file is locked with a password");
	kb_buf_init(&p.text, doc->text.max);
	if (object(&p, number, DOCUMENT, &document)) {
		rest = document.data;
		while (take(&rest, &list))
			if (list.type == SLIDE_LIST && list.instance == 0)
				read_slides(&p, list.data);
	}
	kb_buf_fini(&p.text);
	return true;
}
