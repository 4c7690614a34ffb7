/* PowerPoint: slides in their order, each a page with its title as heading, its text, tables as
 * rows, diagrams' and charts' words, and its notes. Hidden slides stay out. */
#include <stdlib.h>
#include <string.h>

#include "parse/format.h"
#include "parse/ooxml.h"

enum { SLIDES_MAX = 5000, CELLS_MAX = 256 };

struct pptx {
	struct kb_doc *doc;
	struct kb_sv slides[SLIDES_MAX]; /* relation ids */
	size_t slide_count;
	struct kb_buf text, cell, title;
	struct kb_sv cells[CELLS_MAX];
	size_t cell_count;
	bool in_text, in_value, is_title, listed, in_table, first_row, any_row, notes, hidden,
	        titled;
	bool skip_shape;               /* slide numbers and dates */
	struct kb_relations relations; /* of the slide in hand */
	int64_t width, height;         /* of a slide; 0: not known */
	bool in_picture;
	int groups;                     /* we are in: each has places of its own */
	struct kb_sv picture;           /* the part of the picture in hand */
	int64_t x, y, across, downward; /* where it stands */
};

static bool is(const char *name, const char *other)
{
	return !strcmp(name, other);
}

static void nothing_end(void *arg, const char *name)
{
	(void)arg;
	(void)name;
}

static void nothing_text(void *arg, struct kb_sv text)
{
	(void)arg;
	(void)text;
}

/* In units of which an inch has 914,400; 0 where there is none. */
static int64_t length(const struct kb_xml_attr *attrs, size_t count, const char *name)
{
	int64_t n;

	return kb_sv_to_int(kb_xml_attr(attrs, count, name), 0, INT32_MAX, &n) ? n : 0;
}

static void list_start(void *arg, const char *name, const struct kb_xml_attr *attrs, size_t count)
{
	struct pptx *p = arg;

	if (is(name, "sldSz")) {
		p->width = length(attrs, count, "cx");
		p->height = length(attrs, count, "cy");
	}
	/* Two attributes end in "id"; the relation's is not a number. */
	if (is(name, "sldId") && p->slide_count < SLIDES_MAX)
		for (size_t i = 0; i < count; i++)
			if (is(attrs[i].name, "id") && attrs[i].value.n
			    && attrs[i].value.p[0] > '9')
				p->slides[p->slide_count++] =
				        kb_arena_sv(p->doc->arena, attrs[i].value);
}

/* ---- pictures */

static void picture_start(struct pptx *p, const char *name, const struct kb_xml_attr *attrs,
                          size_t count)
{
	if (is(name, "grpSp")) {
		p->groups++;
	} else if (is(name, "pic")) {
		p->in_picture = true;
		p->picture = KB_SV("");
		p->x = p->y = p->across = p->downward = 0;
	} else if (!p->in_picture) {
		return;
	} else if (is(name, "blip")) {
		p->picture =
		        kb_ooxml_target_by_id(&p->relations, kb_xml_attr(attrs, count, "embed"));
	} else if (is(name, "off")) {
		p->x = length(attrs, count, "x");
		p->y = length(attrs, count, "y");
	} else if (is(name, "ext") && !p->across) { /* extensions are called so too */
		p->across = length(attrs, count, "cx");
		p->downward = length(attrs, count, "cy");
	}
}

static uint16_t share_of(int64_t at, int64_t side)
{
	return (uint16_t)(KB_MIN(at, side) * KB_BOX_UNITS / side);
}

static void picture_end(struct pptx *p, const char *name)
{
	struct kb_inset inset = { .name = p->picture };

	if (is(name, "grpSp"))
		p->groups -= p->groups > 0;
	if (!is(name, "pic"))
		return;
	p->in_picture = false;
	if (!p->groups && p->width && p->height && p->across && p->downward) {
		inset.x0 = share_of(p->x, p->width);
		inset.y0 = share_of(p->y, p->height);
		inset.x1 = share_of(p->x + p->across, p->width);
		inset.y1 = share_of(p->y + p->downward, p->height);
	}
	if (inset.name.n && !p->hidden && !p->notes)
		kb_doc_inset(p->doc, &inset);
}

/* ---- text */

static void start(void *arg, const char *name, const struct kb_xml_attr *attrs, size_t count)
{
	struct pptx *p = arg;
	struct kb_sv type = kb_xml_attr(attrs, count, "type");

	p->in_text = is(name, "t");
	p->in_value = is(name, "v");
	if (is(name, "sld")) {
		p->hidden = kb_sv_eq_str(kb_xml_attr(attrs, count, "show"), "0");
	} else if (is(name, "sp") || is(name, "graphicFrame")) {
		p->is_title = p->skip_shape = false;
	} else if (is(name, "ph")) {
		p->is_title = !p->notes
		              && (kb_sv_eq_str(type, "title") || kb_sv_eq_str(type, "ctrTitle"));
		p->skip_shape = kb_sv_eq_str(type, "sldNum") || kb_sv_eq_str(type, "dt")
		                || (p->notes && kb_sv_eq_str(type, "hdr"));
		p->listed = !p->notes && (!type.n || kb_sv_eq_str(type, "body"));
	} else if (is(name, "p")) {
		kb_buf_clear(&p->text);
	} else if (is(name, "br") || is(name, "tab")) {
		kb_buf_byte(&p->text, ' ');
	} else if (is(name, "tbl")) {
		p->in_table = true;
		p->any_row = p->first_row = false;
		kb_doc_table(p->doc);
	} else if (is(name, "tblPr")) {
		p->first_row = kb_sv_eq_str(kb_xml_attr(attrs, count, "firstRow"), "1");
	} else if (is(name, "tr")) {
		p->cell_count = 0;
	} else if (is(name, "tc")) {
		kb_buf_clear(&p->cell);
	} else if (is(name, "pt")) {
		kb_buf_clear(&p->text);
	} else {
		picture_start(p, name, attrs, count);
	}
}

static void end_row(struct pptx *p)
{
	bool full = p->cell_count > 1;

	for (size_t i = 0; i < p->cell_count; i++)
		full &= p->cells[i].n > 0;
	kb_doc_row(p->doc, p->cells, p->cell_count, !p->any_row && p->first_row && full);
	p->any_row = true;
}

static void end(void *arg, const char *name)
{
	struct pptx *p = arg;
	struct kb_sv text = kb_sv_trim(kb_buf_view(&p->text));

	p->in_text = p->in_value = false;
	if (is(name, "p") && p->in_table) {
		if (p->cell.n)
			kb_buf_byte(&p->cell, ' ');
		kb_buf_sv(&p->cell, text);
	} else if (is(name, "p") && p->is_title) {
		if (p->title.n)
			kb_buf_byte(&p->title, ' ');
		kb_buf_sv(&p->title, text);
	} else if (is(name, "p") && !p->skip_shape) {
		kb_doc_item(p->doc, p->listed, 0);
		kb_doc_add(p->doc, p->listed ? KB_BLOCK_LIST : KB_BLOCK_PARAGRAPH, text);
	} else if (is(name, "sp") && p->is_title) {
		kb_doc_heading(p->doc, 1, kb_buf_view(&p->title));
		if (!p->titled)
			kb_doc_meta(p->doc, KB_DOC_TITLE, kb_buf_view(&p->title));
		p->titled = true;
		kb_buf_clear(&p->title);
		p->is_title = false;
	} else if (is(name, "tc") && p->cell_count < CELLS_MAX) {
		p->cells[p->cell_count++] = kb_arena_sv(p->doc->arena, kb_buf_view(&p->cell));
	} else if (is(name, "tr")) {
		end_row(p);
	} else if (is(name, "tbl")) {
		kb_doc_table_end(p->doc);
		p->in_table = false;
	} else if (is(name, "pt")) { /* a point of a chart: its label or value */
		kb_doc_add(p->doc, KB_BLOCK_PARAGRAPH, text);
	}
	if (is(name, "p") || is(name, "pt"))
		kb_buf_clear(&p->text);
	picture_end(p, name);
}

static void text(void *arg, struct kb_sv piece)
{
	struct pptx *p = arg;

	if ((p->in_text || p->in_value) && !p->hidden)
		kb_buf_sv(&p->text, piece);
}

static bool read_slide(struct pptx *p, struct kb_zip *zip, struct kb_sv part, struct kb_err *err)
{
	static const struct kb_xml_handler handler = { start, end, text };
	static const char *const beside[] = { "diagramData", "chart", "notesSlide" };
	const struct kb_relations relations = kb_ooxml_relations(zip, p->doc->arena, part);
	struct kb_err ignored;

	p->relations = relations;
	p->in_picture = false;
	p->groups = 0;
	if (!kb_ooxml_part(zip, part, &handler, p, err))
		return false;
	for (size_t b = 0; b < KB_COUNTOF(beside) && !p->hidden; b++)
		for (size_t i = 0; i < relations.count; i++) {
			if (!kb_sv_eq_str(relations.v[i].type, beside[b]))
				continue;
			p->notes = is(beside[b], "notesSlide");
			p->is_title = p->skip_shape = p->listed = false;
			if (!kb_ooxml_part(zip, relations.v[i].target, &handler, p, &ignored))
				break;
			p->notes = false;
		}
	return true;
}

bool kb_pptx_read(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	static const struct kb_xml_handler list = { list_start, nothing_end, nothing_text };
	struct kb_zip *zip = kb_zip_open(in->bytes, err);
	struct kb_relations relations;
	struct kb_sv show;
	struct pptx *p;
	bool ok;

	if (!zip)
		return false;
	p = KB_NEW(doc->arena, struct pptx);
	p->doc = doc;
	kb_buf_init(&p->text, doc->text.max);
	kb_buf_init(&p->cell, doc->text.max);
	kb_buf_init(&p->title, doc->text.max);
	relations = kb_ooxml_relations(zip, doc->arena, KB_SV(""));
	show = kb_ooxml_target(&relations, "officeDocument");
	kb_ooxml_properties(zip, KB_SV("docProps/core.xml"), doc);
	relations = kb_ooxml_relations(zip, doc->arena, show);
	ok = kb_ooxml_part(zip, show, &list, p, err);
	for (size_t i = 0; ok && i < p->slide_count; i++) {
		struct kb_sv part = kb_ooxml_target_by_id(&relations, p->slides[i]);

		kb_doc_unhead(doc);
		kb_doc_page(doc, (uint32_t)i + 1);
		if (part.n)
			ok = read_slide(p, zip, part, err);
	}
	kb_buf_fini(&p->text);
	kb_buf_fini(&p->cell);
	kb_buf_fini(&p->title);
	kb_zip_close(zip);
	return ok;
}
