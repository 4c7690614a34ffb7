/* OpenDocument: content.xml of texts, sheets and presentations. Headings by outline level, lists,
 * tables as rows, notes behind their paragraph; tracked deletions and tables of contents stay out.
 */
#include <string.h>

#include "parse/format.h"
#include "parse/ooxml.h"

enum { CELLS_MAX = 256, REPEAT_MAX = 100, OPEN_MAX = 8 };

struct odf {
	struct kb_doc *doc;
	struct kb_buf text[OPEN_MAX]; /* paragraphs within paragraphs: notes, boxes */
	int depth, skip, lists, tables, level;
	bool heading, in_sheet;
	struct kb_buf cell, note;
	struct kb_sv cells[CELLS_MAX];
	size_t cell_count;
	int64_t repeat;
	bool any_row, header_rows;
	uint32_t slide;
	int notes;
};

static bool is(const char *name, const char *other)
{
	return !strcmp(name, other);
}

static bool is_left_out(const char *name)
{
	static const char *const names[] = {
		"tracked-changes", "table-of-content",   "annotation",  "note-citation", "forms",
		"ruby-text",       "alphabetical-index", "page-number", "change-info"
	};

	for (size_t i = 0; i < KB_COUNTOF(names); i++)
		if (is(name, names[i]))
			return true;
	return false;
}

static struct kb_buf *paragraph(struct odf *o)
{
	return o->depth ? &o->text[o->depth - 1] : NULL;
}

static void add(struct odf *o, struct kb_sv text)
{
	if (paragraph(o))
		kb_buf_sv(paragraph(o), text);
}

static int64_t number(const struct kb_xml_attr *attrs, size_t count, const char *name, int64_t max)
{
	int64_t n;

	return kb_sv_to_int(kb_xml_attr(attrs, count, name), 1, INT32_MAX, &n) ? KB_MIN(n, max) : 1;
}

/* Names of elements come without their prefix. A table within a table is text of its cell: only the
 * outermost has rows. */
static void start(void *arg, const char *name, const struct kb_xml_attr *attrs, size_t count)
{
	struct odf *o = arg;

	if (o->skip || is_left_out(name)) {
		o->skip++;
		return;
	}
	if (is(name, "p") || is(name, "h")) {
		if (o->depth == OPEN_MAX) {
			o->skip = 1;
			return;
		}
		kb_buf_clear(&o->text[o->depth++]);
		o->heading = is(name, "h");
		o->level = (int)number(attrs, count, "outline-level", 9);
	} else if (is(name, "image")) {
		kb_doc_inset(o->doc,
		             &(struct kb_inset){ .name = kb_xml_attr(attrs, count, "href") });
	} else if (is(name, "list-item") || is(name, "list-header")) {
		o->lists++;
	} else if (is(name, "s") || is(name, "tab") || is(name, "line-break")) {
		add(o, KB_SV(" "));
	} else if (is(name, "note-body")) {
		o->notes++;
		kb_buf_clear(&o->note);
	} else if (is(name, "page")) {
		kb_doc_unhead(o->doc);
		kb_doc_page(o->doc, ++o->slide);
	} else if (is(name, "table")) {
		if (!o->tables++) {
			if (o->in_sheet) {
				kb_doc_unhead(o->doc);
				kb_doc_heading(o->doc, 1, kb_xml_attr(attrs, count, "name"));
			}
			kb_doc_table(o->doc);
			o->any_row = o->header_rows = false;
		}
	} else if (is(name, "spreadsheet")) {
		o->in_sheet = true;
	} else if (o->tables == 1 && is(name, "table-header-rows")) {
		o->header_rows = true;
	} else if (o->tables == 1 && is(name, "table-row")) {
		o->cell_count = 0;
	} else if (o->tables == 1 && (is(name, "table-cell") || is(name, "covered-table-cell"))) {
		kb_buf_clear(&o->cell);
		o->repeat = number(attrs, count, "number-columns-repeated", REPEAT_MAX);
	}
}

static void end_paragraph(struct odf *o)
{
	struct kb_sv text = kb_buf_view(paragraph(o));

	o->depth--;
	/* A note stands within the paragraph it belongs to, and is told behind it. */
	if (o->notes) {
		kb_buf_sv(&o->note, text);
		kb_buf_byte(&o->note, ' ');
	} else if (o->tables) {
		if (o->cell.n)
			kb_buf_byte(&o->cell, '\n');
		kb_buf_sv(&o->cell, text);
	} else {
		if (o->heading)
			kb_doc_heading(o->doc, o->level, text);
		else
			kb_doc_add(o->doc, o->lists ? KB_BLOCK_LIST : KB_BLOCK_PARAGRAPH, text);
		kb_doc_add(o->doc, KB_BLOCK_PARAGRAPH, kb_buf_view(&o->note));
		kb_buf_clear(&o->note);
	}
	o->heading = false;
}

static bool is_header(const struct odf *o)
{
	if (o->any_row)
		return false;
	if (o->header_rows)
		return true;
	/* A sheet's first row names its columns when it is all words, all different. */
	for (size_t i = 0; i < o->cell_count; i++) {
		if (!o->in_sheet || !o->cells[i].n
		    || (o->cells[i].p[0] >= '0' && o->cells[i].p[0] <= '9'))
			return false;
		for (size_t j = 0; j < i; j++)
			if (kb_sv_eq(o->cells[i], o->cells[j]))
				return false;
	}
	return o->cell_count > 1;
}

static void end_row(struct odf *o)
{
	struct kb_sv line;

	while (o->cell_count && !o->cells[o->cell_count - 1].n)
		o->cell_count--;
	/* A table of one cell is a frame around text. */
	if (o->cell_count == 1 && !o->in_sheet) {
		for (struct kb_sv rest = o->cells[0]; rest.n && kb_sv_split(&rest, '\n', &line);)
			kb_doc_add(o->doc, KB_BLOCK_PARAGRAPH, line);
	} else if (o->cell_count) {
		kb_doc_row(o->doc, o->cells, o->cell_count, is_header(o));
		o->any_row = true;
	}
}

static void end(void *arg, const char *name)
{
	struct odf *o = arg;

	if (o->skip) {
		o->skip--;
		return;
	}
	if ((is(name, "p") || is(name, "h")) && o->depth) {
		end_paragraph(o);
	} else if (is(name, "list-item") || is(name, "list-header")) {
		o->lists -= o->lists > 0;
	} else if (is(name, "note-body")) {
		o->notes -= o->notes > 0;
	} else if (is(name, "table") && o->tables) {
		if (!--o->tables)
			kb_doc_table_end(o->doc);
	} else if (o->tables == 1 && (is(name, "table-cell") || is(name, "covered-table-cell"))) {
		struct kb_sv text = kb_arena_sv(o->doc->arena, kb_buf_view(&o->cell));

		/* Sheets end their rows with one cell that is repeated to the last column: cut. */
		while (o->repeat-- > 0 && o->cell_count < CELLS_MAX)
			o->cells[o->cell_count++] = text;
		kb_buf_clear(&o->cell);
	} else if (o->tables == 1 && is(name, "table-row")) {
		end_row(o);
	}
}

static void text(void *arg, struct kb_sv piece)
{
	struct odf *o = arg;

	if (!o->skip)
		add(o, piece);
}

bool kb_odf_read(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	static const struct kb_xml_handler handler = { start, end, text };
	struct kb_zip *zip = kb_zip_open(in->bytes, err);
	struct odf *o;
	bool ok;

	if (!zip)
		return false;
	o = KB_NEW(doc->arena, struct odf);
	o->doc = doc;
	for (int i = 0; i < OPEN_MAX; i++)
		kb_buf_init(&o->text[i], doc->text.max);
	kb_buf_init(&o->cell, doc->text.max);
	kb_buf_init(&o->note, doc->text.max);
	kb_ooxml_properties(zip, KB_SV("meta.xml"), doc);
	ok = kb_ooxml_part(zip, KB_SV("content.xml"), &handler, o, err);
	if (o->tables)
		kb_doc_table_end(doc);
	if (!ok && err->code == KB_E_INVALID && doc->block_count)
		ok = true; /* what stands before the damage */
	for (int i = 0; i < OPEN_MAX; i++)
		kb_buf_fini(&o->text[i]);
	kb_buf_fini(&o->cell);
	kb_buf_fini(&o->note);
	kb_zip_close(zip);
	return ok;
}
