/*
 * Word documents: word/document.xml streamed through the event reader, with the styles and notes
 * that it refers to read before.
 *
 * Headings by outline level of the paragraph or its style; list items by numbering; tables as rows;
 * text boxes and footnotes as paragraphs of their own. Left out: deleted and moved text, hidden
 * runs, white text on white paper, tables of contents, the older twin of a drawing.
 */
#include <stdlib.h>
#include <string.h>

#include "parse/format.h"
#include "parse/ooxml.h"

enum {
	STYLES_MAX = 4096,
	NOTES_MAX = 20000,
	BASED_ON_MAX = 20, /* steps from a style to what it is based on */
	OPEN_MAX = 8,      /* paragraphs within paragraphs (text boxes) */
	CELLS_MAX = 256,
	TINY_HALF_POINTS = 4, /* letters of 2 points or less are not to be read */
	PENDING_NOTES_MAX = 64,
};

struct style {
	struct kb_sv id, name, based_on;
	int level; /* of heading; 0: none; -1: says nothing */
	bool list;
};

struct note {
	struct kb_sv id, text;
};

struct paragraph {
	struct kb_buf text;
	int level;
	bool list, contents, shaded, title;
};

struct docx {
	struct kb_doc *doc;
	const struct kb_relations *relations;
	struct style *styles;
	size_t style_count, style_capacity;
	struct note *notes[2]; /* footnotes, endnotes */
	size_t note_count[2], note_capacity[2];
	int note_kind;                           /* while notes are read: which */
	struct kb_sv note_id;                    /* likewise */
	struct kb_buf note_text;                 /* likewise */
	struct kb_sv pending[PENDING_NOTES_MAX]; /* notes of the paragraph in hand */
	size_t pending_count;

	struct paragraph open[OPEN_MAX];
	int depth; /* of open[] */
	int skip;  /* elements deep in something left out */
	bool in_text, in_run_properties, in_run, in_paragraph_properties;
	bool hidden; /* the run in hand */
	bool white;
	int boxes; /* text boxes we are in */

	int tables; /* we are in */
	bool first_row_is_header, header_row, any_row;
	struct kb_buf cell;
	struct kb_sv cells[CELLS_MAX], above[CELLS_MAX];
	size_t cell_count;
	int span;
	enum { MERGE_NONE, MERGE_START, MERGE_ON } merge;
};

static bool is(const char *name, const char *other)
{
	return !strcmp(name, other);
}

static bool is_on(const struct kb_xml_attr *attrs, size_t count)
{
	struct kb_sv value = kb_xml_attr(attrs, count, "val");

	return !(kb_sv_eq_str(value, "0") || kb_sv_eq_str(value, "false")
	         || kb_sv_eq_str(value, "off"));
}

static int64_t number(const struct kb_xml_attr *attrs, size_t count, const char *name,
                      int64_t otherwise)
{
	int64_t n;

	return kb_sv_to_int(kb_xml_attr(attrs, count, name), INT32_MIN, INT32_MAX, &n) ? n
	                                                                               : otherwise;
}

static void nothing_text(void *arg, struct kb_sv text)
{
	(void)arg;
	(void)text;
}

static void nothing_end(void *arg, const char *name)
{
	(void)arg;
	(void)name;
}

/* ---- styles */

static void style_start(void *arg, const char *name, const struct kb_xml_attr *attrs, size_t count)
{
	struct docx *d = arg;
	struct style *style = d->style_count ? &d->styles[d->style_count - 1] : NULL;
	struct kb_sv value = kb_xml_attr(attrs, count, "val");
	int64_t level;

	if (is(name, "style")) {
		if (d->style_count == STYLES_MAX)
			return;
		KB_GROW(d->styles, d->style_capacity, d->style_count + 1);
		d->styles[d->style_count++] =
		        (struct style){ .id = kb_arena_sv(d->doc->arena,
			                                  kb_xml_attr(attrs, count, "styleId")),
			                .level = -1 };
	} else if (!style) {
		return;
	} else if (is(name, "name")) {
		style->name = kb_arena_sv(d->doc->arena, value);
		if (kb_sv_istarts(value, KB_SV("heading "))
		    && kb_sv_to_int(kb_sv_from(value, 8), 1, 9, &level))
			style->level = (int)level;
		else if (kb_sv_ieq_str(value, "title"))
			style->level = 1;
		style->list = kb_sv_istarts(value, KB_SV("list "))
		              && !kb_sv_istarts(value, KB_SV("list paragraph"));
	} else if (is(name, "basedOn")) {
		style->based_on = kb_arena_sv(d->doc->arena, value);
	} else if (is(name, "outlineLvl")) {
		level = number(attrs, count, "val", 9);
		style->level = level >= 0 && level < 9 ? (int)level + 1 : 0;
	} else if (is(name, "numId")) {
		style->list = true;
	}
}

static const struct style *find_style(const struct docx *d, struct kb_sv id)
{
	for (size_t i = 0; i < d->style_count; i++)
		if (kb_sv_eq(d->styles[i].id, id))
			return &d->styles[i];
	return NULL;
}

static void apply_style(const struct docx *d, struct kb_sv id, struct paragraph *p)
{
	const struct style *style = find_style(d, id);

	p->title |= style && kb_sv_ieq_str(style->name, "title");
	p->contents |= style && kb_sv_istarts(style->name, KB_SV("toc "));
	p->list |= style && style->list;
	for (int i = 0; style && i < BASED_ON_MAX; i++) {
		if (style->level >= 0) {
			p->level = style->level;
			return;
		}
		style = style->based_on.n ? find_style(d, style->based_on) : NULL;
	}
}

/* ---- notes */

static void note_start(void *arg, const char *name, const struct kb_xml_attr *attrs, size_t count)
{
	struct docx *d = arg;

	if (is(name, "footnote") || is(name, "endnote")) {
		d->note_id = kb_arena_sv(d->doc->arena, kb_xml_attr(attrs, count, "id"));
		kb_buf_clear(&d->note_text);
		/* Separator lines are notes too. */
		if (kb_xml_attr(attrs, count, "type").n)
			d->note_id = KB_SV("");
	} else if (is(name, "p")) {
		kb_buf_byte(&d->note_text, ' ');
	}
	d->in_text = is(name, "t");
}

static void note_end(void *arg, const char *name)
{
	struct docx *d = arg;
	int kind = d->note_kind;

	d->in_text = false;
	if ((!is(name, "footnote") && !is(name, "endnote")) || !d->note_id.n
	    || d->note_count[kind] == NOTES_MAX)
		return;
	KB_GROW(d->notes[kind], d->note_capacity[kind], d->note_count[kind] + 1);
	d->notes[kind][d->note_count[kind]++] =
	        (struct note){ .id = d->note_id,
		               .text = kb_arena_sv(d->doc->arena, kb_buf_view(&d->note_text)) };
}

static void note_piece(void *arg, struct kb_sv text)
{
	struct docx *d = arg;

	if (d->in_text)
		kb_buf_sv(&d->note_text, text);
}

static void refer(struct docx *d, int kind, struct kb_sv id)
{
	for (size_t i = 0; i < d->note_count[kind]; i++)
		if (kb_sv_eq(d->notes[kind][i].id, id) && d->pending_count < PENDING_NOTES_MAX) {
			d->pending[d->pending_count++] = d->notes[kind][i].text;
			return;
		}
}

/* ---- paragraphs */

static struct paragraph *paragraph(struct docx *d)
{
	return d->depth ? &d->open[d->depth - 1] : NULL;
}

static void add(struct docx *d, struct kb_sv text)
{
	struct paragraph *p = paragraph(d);

	if (p && !d->hidden)
		kb_buf_sv(&p->text, text);
}

static void begin_paragraph(struct docx *d)
{
	struct paragraph *p;

	if (d->depth == OPEN_MAX) {
		d->skip = 1;
		return;
	}
	p = &d->open[d->depth++];
	kb_buf_clear(&p->text);
	p->level = 0;
	p->list = p->contents = p->shaded = p->title = false;
}

static void end_paragraph(struct docx *d)
{
	struct paragraph *p = paragraph(d);
	struct kb_sv text;

	if (!p)
		return;
	d->depth--;
	text = kb_buf_view(&p->text);
	if (d->tables) {
		if (d->cell.n)
			kb_buf_byte(&d->cell, '\n');
		kb_buf_sv(&d->cell, text);
	} else if (!p->contents) {
		if (p->title)
			kb_doc_meta(d->doc, KB_DOC_TITLE, text);
		if (p->level)
			kb_doc_heading(d->doc, p->level, text);
		else
			kb_doc_add(d->doc, p->list ? KB_BLOCK_LIST : KB_BLOCK_PARAGRAPH, text);
	}
	if (d->tables)
		return;
	for (size_t i = 0; i < d->pending_count; i++)
		kb_doc_add(d->doc, KB_BLOCK_PARAGRAPH, d->pending[i]);
	d->pending_count = 0;
}

/* ---- tables; one within a cell is text of the cell */

static void end_cell(struct docx *d)
{
	struct kb_sv text = kb_arena_sv(d->doc->arena, kb_buf_view(&d->cell));

	kb_buf_clear(&d->cell);
	for (int i = 0; i < d->span && d->cell_count < CELLS_MAX; i++) {
		size_t at = d->cell_count++;

		if (d->merge == MERGE_ON)
			text = i ? KB_SV("") : d->above[at];
		d->cells[at] = i ? KB_SV("") : text;
		d->above[at] = d->merge == MERGE_NONE ? KB_SV("") : d->cells[at];
	}
	d->span = 1;
	d->merge = MERGE_NONE;
}

static bool all_distinct(const struct docx *d)
{
	for (size_t i = 0; i < d->cell_count; i++) {
		if (!kb_sv_trim(d->cells[i]).n)
			return false;
		for (size_t j = 0; j < i; j++)
			if (kb_sv_eq(d->cells[i], d->cells[j]))
				return false;
	}
	return d->cell_count > 1;
}

static void end_row(struct docx *d)
{
	struct kb_sv rest, line;

	if (d->cell_count == 1) {
		/* A box around text, not a row. */
		for (rest = d->cells[0]; rest.n && kb_sv_split(&rest, '\n', &line);)
			kb_doc_add(d->doc, KB_BLOCK_PARAGRAPH, line);
	} else {
		kb_doc_row(d->doc, d->cells, d->cell_count,
		           !d->any_row && (d->header_row || d->first_row_is_header)
		                   && all_distinct(d));
	}
	d->any_row = true;
	d->cell_count = 0;
	for (size_t i = 0; i < d->pending_count; i++)
		kb_doc_add(d->doc, KB_BLOCK_PARAGRAPH, d->pending[i]);
	d->pending_count = 0;
}

static void table_start(struct docx *d, const char *name, const struct kb_xml_attr *attrs,
                        size_t count)
{
	if (is(name, "tbl")) {
		if (!d->tables++) {
			kb_doc_table(d->doc);
			d->first_row_is_header = d->any_row = false;
			memset(d->above, 0, sizeof(d->above));
		}
	} else if (d->tables != 1) {
		return;
	} else if (is(name, "tr")) {
		d->header_row = false;
		d->cell_count = 0;
	} else if (is(name, "tc")) {
		kb_buf_clear(&d->cell);
		d->span = 1;
		d->merge = MERGE_NONE;
	} else if (is(name, "tblHeader")) {
		d->header_row = is_on(attrs, count);
	} else if (is(name, "tblLook")) {
		/* Either a flag of its own or a bit of the hexadecimal value. */
		struct kb_sv value = kb_xml_attr(attrs, count, "val");

		d->first_row_is_header = kb_sv_eq_str(kb_xml_attr(attrs, count, "firstRow"), "1")
		                         || (value.n == 4 && strchr("2367aAbBeEfF", value.p[2]));
	} else if (is(name, "gridSpan")) {
		d->span = (int)KB_MAX(INT64_C(1),
		                      KB_MIN(number(attrs, count, "val", 1), (int64_t)CELLS_MAX));
	} else if (is(name, "vMerge")) {
		d->merge = kb_sv_eq_str(kb_xml_attr(attrs, count, "val"), "restart") ? MERGE_START
		                                                                     : MERGE_ON;
	}
}

static void table_end(struct docx *d, const char *name)
{
	if (is(name, "tbl") && d->tables) {
		if (!--d->tables)
			kb_doc_table_end(d->doc);
	} else if (d->tables == 1 && is(name, "tc")) {
		end_cell(d);
	} else if (d->tables == 1 && is(name, "tr")) {
		end_row(d);
	}
}

/* ---- the document */

/* A picture names its part by a relation; older ones (VML) do so by another attribute. */
static void refer_to_picture(struct docx *d, const char *name, const struct kb_xml_attr *attrs,
                             size_t count)
{
	struct kb_sv id = kb_xml_attr(attrs, count, is(name, "blip") ? "embed" : "id");
	struct kb_inset inset = { .name = kb_ooxml_target_by_id(d->relations, id) };

	if (inset.name.n && !d->hidden)
		kb_doc_inset(d->doc, &inset);
}

static bool is_left_out(const char *name)
{
	static const char *const names[] = { "del", "moveFrom", "Fallback", "instrText",
		                             "delText" };

	for (size_t i = 0; i < KB_COUNTOF(names); i++)
		if (is(name, names[i]))
			return true;
	return false;
}

static void paragraph_property(struct docx *d, struct paragraph *p, const char *name,
                               const struct kb_xml_attr *attrs, size_t count)
{
	struct kb_sv value = kb_xml_attr(attrs, count, "val");

	if (is(name, "pStyle")) {
		apply_style(d, value, p);
	} else if (is(name, "outlineLvl")) {
		int64_t level = number(attrs, count, "val", 9);

		p->level = level >= 0 && level < 9 ? (int)level + 1 : 0;
	} else if (is(name, "numId")) {
		p->list = !kb_sv_eq_str(value, "0");
	} else if (is(name, "shd")) {
		p->shaded = true;
	}
}

static void run_property(struct docx *d, const char *name, const struct kb_xml_attr *attrs,
                         size_t count)
{
	struct kb_sv value = kb_xml_attr(attrs, count, "val");

	if (is(name, "vanish") || is(name, "webHidden")) {
		d->hidden |= is_on(attrs, count) && is(name, "vanish");
	} else if (is(name, "sz")) {
		d->hidden |= number(attrs, count, "val", 20) <= TINY_HALF_POINTS;
	} else if (is(name, "color")) {
		d->white = kb_sv_ieq_str(value, "FFFFFF");
	} else if (is(name, "shd") || is(name, "highlight")) {
		d->white = false;
		if (paragraph(d))
			paragraph(d)->shaded = true;
	}
}

static void start(void *arg, const char *name, const struct kb_xml_attr *attrs, size_t count)
{
	struct docx *d = arg;
	struct paragraph *p = paragraph(d);

	if (d->skip || is_left_out(name)) {
		d->skip++;
		return;
	}
	d->in_text = false;
	if (is(name, "p")) {
		begin_paragraph(d);
	} else if (is(name, "pPr")) {
		d->in_paragraph_properties = true;
	} else if (is(name, "rPr")) {
		d->in_run_properties = d->in_run;
	} else if (d->in_run_properties) {
		run_property(d, name, attrs, count);
	} else if (d->in_paragraph_properties && p) {
		paragraph_property(d, p, name, attrs, count);
	} else if (is(name, "r")) {
		d->in_run = true;
		d->hidden = d->white = false;
	} else if (is(name, "t")) {
		d->in_text = true;
		/* White letters are seen on a shaded ground: cells, boxes and shaded text may be.
		 */
		if (d->white && p && !p->shaded && !d->tables && !d->boxes)
			d->hidden = true;
	} else if (is(name, "tab") || is(name, "br") || is(name, "cr") || is(name, "ptab")) {
		add(d, KB_SV(" "));
	} else if (is(name, "noBreakHyphen")) {
		add(d, KB_SV("-"));
	} else if (is(name, "txbxContent")) {
		d->boxes++;
	} else if (is(name, "footnoteReference")) {
		refer(d, 0, kb_xml_attr(attrs, count, "id"));
	} else if (is(name, "endnoteReference")) {
		refer(d, 1, kb_xml_attr(attrs, count, "id"));
	} else if (is(name, "blip") || is(name, "imagedata")) {
		refer_to_picture(d, name, attrs, count);
	} else {
		table_start(d, name, attrs, count);
	}
}

static void end(void *arg, const char *name)
{
	struct docx *d = arg;

	if (d->skip) {
		d->skip--;
		return;
	}
	d->in_text = false;
	if (is(name, "p"))
		end_paragraph(d);
	else if (is(name, "pPr"))
		d->in_paragraph_properties = false;
	else if (is(name, "rPr"))
		d->in_run_properties = false;
	else if (is(name, "r"))
		d->in_run = d->hidden = d->white = false;
	else if (is(name, "txbxContent"))
		d->boxes -= d->boxes > 0;
	else
		table_end(d, name);
}

static void text(void *arg, struct kb_sv piece)
{
	struct docx *d = arg;

	if (d->in_text && !d->skip)
		add(d, piece);
}

static void read_aside(struct docx *d, struct kb_zip *zip, const struct kb_relations *relations)
{
	static const struct kb_xml_handler style_handler = { style_start, nothing_end,
		                                             nothing_text };
	static const struct kb_xml_handler note_handler = { note_start, note_end, note_piece };
	static const char *const kinds[2] = { "footnotes", "endnotes" };
	struct kb_sv part = kb_ooxml_target(relations, "styles");
	struct kb_err ignored;

	/* A document without these parts, or with damaged ones, is still read. */
	if (part.n && !kb_ooxml_part(zip, part, &style_handler, d, &ignored))
		d->style_count = 0;
	for (int kind = 0; kind < 2; kind++) {
		d->note_kind = kind;
		part = kb_ooxml_target(relations, kinds[kind]);
		if (part.n && !kb_ooxml_part(zip, part, &note_handler, d, &ignored))
			d->note_count[kind] = 0;
	}
}

bool kb_docx_read(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	static const struct kb_xml_handler handler = { start, end, text };
	struct kb_zip *zip = kb_zip_open(in->bytes, err);
	struct docx *d;
	struct kb_relations relations;
	struct kb_sv part;
	bool ok;

	if (!zip)
		return false;
	d = KB_NEW(doc->arena, struct docx);
	d->doc = doc;
	for (int i = 0; i < OPEN_MAX; i++)
		kb_buf_init(&d->open[i].text, doc->text.max);
	kb_buf_init(&d->cell, doc->text.max);
	kb_buf_init(&d->note_text, doc->text.max);
	relations = kb_ooxml_relations(zip, doc->arena, KB_SV(""));
	part = kb_ooxml_target(&relations, "officeDocument");
	if (!part.n)
		part = KB_SV("word/document.xml");
	kb_ooxml_properties(zip, KB_SV("docProps/core.xml"), doc);
	relations = kb_ooxml_relations(zip, doc->arena, part);
	d->relations = &relations;
	read_aside(d, zip, &relations);
	ok = kb_ooxml_part(zip, part, &handler, d, err);
	/* Damage behind the first pages is no reason to lose them. */
	while (d->depth)
		end_paragraph(d);
	if (d->tables)
		kb_doc_table_end(doc);
	if (!ok && err->code == KB_E_INVALID && doc->block_count)
		ok = true;
	for (int i = 0; i < OPEN_MAX; i++)
		kb_buf_fini(&d->open[i].text);
	kb_buf_fini(&d->cell);
	kb_buf_fini(&d->note_text);
	free(d->styles);
	free(d->notes[0]);
	free(d->notes[1]);
	kb_zip_close(zip);
	return ok;
}
