/* Excel workbooks: each visible sheet is a heading and a table of rows; text boxes and notes
 * follow. Values as they are stored; dates by their number format. Formulas give their last result.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parse/format.h"
#include "parse/ooxml.h"
#include "parse/sheet.h"

enum {
	CELLS_MAX = KB_SHEET_CELLS_MAX,
	STRINGS_MAX = 2000000,
	SHEETS_MAX = 500,
	STYLES_MAX = 20000
};

struct sheet {
	struct kb_sv name, id;
	bool hidden;
};

struct xlsx {
	struct kb_doc *doc;
	struct kb_sv *strings;
	size_t string_count, string_capacity;
	struct sheet sheets[SHEETS_MAX];
	size_t sheet_count;
	bool *is_date; /* by cell style */
	size_t style_count, style_capacity;
	struct kb_sv date_formats[STYLES_MAX]; /* ids of formats of one's own that are dates */
	size_t date_format_count;
	bool in_cell_formats;
	struct kb_buf text;
	bool in_text, in_phonetic;
	struct kb_sv cells[CELLS_MAX];
	size_t cell_count, column;
	char type; /* of the cell: s string, i inline, b boolean, n number, e error */
	size_t style;
	bool any_row, hidden_row;
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

static void take_text(void *arg, struct kb_sv text)
{
	struct xlsx *x = arg;

	if (x->in_text && !x->in_phonetic)
		kb_buf_sv(&x->text, text);
}

/* ---- shared strings, sheets, date formats */

static void string_start(void *arg, const char *name, const struct kb_xml_attr *attrs, size_t count)
{
	struct xlsx *x = arg;

	(void)attrs;
	(void)count;
	if (is(name, "si"))
		kb_buf_clear(&x->text);
	x->in_phonetic |= is(name, "rPh");
	x->in_text = is(name, "t");
}

static void string_end(void *arg, const char *name)
{
	struct xlsx *x = arg;

	x->in_text = false;
	if (is(name, "rPh"))
		x->in_phonetic = false;
	if (!is(name, "si") || x->string_count == STRINGS_MAX)
		return;
	KB_GROW(x->strings, x->string_capacity, x->string_count + 1);
	x->strings[x->string_count++] = kb_arena_sv(x->doc->arena, kb_buf_view(&x->text));
}

static void workbook_start(void *arg, const char *name, const struct kb_xml_attr *attrs,
                           size_t count)
{
	struct xlsx *x = arg;
	struct kb_sv state = kb_xml_attr(attrs, count, "state");

	if (!is(name, "sheet") || x->sheet_count == SHEETS_MAX)
		return;
	x->sheets[x->sheet_count++] = (struct sheet){
		.name = kb_arena_sv(x->doc->arena, kb_xml_attr(attrs, count, "name")),
		.id = kb_arena_sv(x->doc->arena, kb_xml_attr(attrs, count, "id")),
		.hidden = kb_sv_eq_str(state, "hidden") || kb_sv_eq_str(state, "veryHidden"),
	};
}

static void style_start(void *arg, const char *name, const struct kb_xml_attr *attrs, size_t count)
{
	struct xlsx *x = arg;
	int64_t id;

	if (is(name, "numFmt")) {
		if (x->date_format_count < STYLES_MAX
		    && kb_sheet_is_date_code(kb_xml_attr(attrs, count, "formatCode")))
			x->date_formats[x->date_format_count++] =
			        kb_arena_sv(x->doc->arena, kb_xml_attr(attrs, count, "numFmtId"));
	} else if (is(name, "cellXfs") || is(name, "cellStyleXfs")) {
		x->in_cell_formats = is(name, "cellXfs");
	} else if (is(name, "xf") && x->in_cell_formats && x->style_count < STYLES_MAX) {
		struct kb_sv format = kb_xml_attr(attrs, count, "numFmtId");
		bool date = kb_sv_to_int(format, 0, INT32_MAX, &id) && kb_sheet_is_date_id(id);

		for (size_t i = 0; i < x->date_format_count; i++)
			date |= kb_sv_eq(x->date_formats[i], format);
		KB_GROW(x->is_date, x->style_capacity, x->style_count + 1);
		x->is_date[x->style_count++] = date;
	}
}

/* ---- cells */

/* "BC12" is column 54, from 0. */
static size_t column_of(struct kb_sv reference)
{
	size_t column = 0;

	for (size_t i = 0;
	     i < reference.n && i < 3 && reference.p[i] >= 'A' && reference.p[i] <= 'Z'; i++)
		column = column * 26 + (size_t)(reference.p[i] - 'A' + 1);
	return column ? column - 1 : SIZE_MAX;
}

static struct kb_sv number_text(struct xlsx *x, struct kb_sv raw)
{
	double n;

	if (!kb_sv_to_double(raw, &n) || fabs(n) > 1e15)
		return raw;
	if (x->style < x->style_count && x->is_date[x->style] && n >= 0 && n < KB_SHEET_DAYS_MAX)
		return kb_sheet_date(x->doc->arena, n);
	/* 0.1 is stored as 0.10000000000000001. */
	return raw.n > 15 ? kb_arena_printf(x->doc->arena, "%.12g", n) : raw;
}

static struct kb_sv cell_text(struct xlsx *x)
{
	struct kb_sv raw = kb_arena_sv(x->doc->arena, kb_buf_view(&x->text));
	int64_t n;

	switch (x->type) {
	case 's':
		return kb_sv_to_int(raw, 0, INT32_MAX, &n) && (size_t)n < x->string_count
		               ? x->strings[n]
		               : KB_SV("");
	case 'b':
		return kb_sv_eq_str(raw, "1") ? KB_SV("TRUE") : KB_SV("FALSE");
	case 'n':
		return number_text(x, raw);
	default:
		return raw;
	}
}

static void cell_start(void *arg, const char *name, const struct kb_xml_attr *attrs, size_t count)
{
	struct xlsx *x = arg;

	x->in_text = is(name, "v") || is(name, "t");
	x->in_phonetic |= is(name, "rPh");
	if (is(name, "row")) {
		x->cell_count = 0;
		x->column = 0;
		x->hidden_row = kb_sv_eq_str(kb_xml_attr(attrs, count, "hidden"), "1");
	} else if (is(name, "c")) {
		struct kb_sv type = kb_xml_attr(attrs, count, "t");
		size_t column = column_of(kb_xml_attr(attrs, count, "r"));
		int64_t style;

		x->column = column == SIZE_MAX ? x->column : column;
		x->type = kb_sv_eq_str(type, "s")              ? 's'
		          : kb_sv_eq_str(type, "b")            ? 'b'
		          : !type.n || kb_sv_eq_str(type, "n") ? 'n'
		                                               : 'i';
		x->style = kb_sv_to_int(kb_xml_attr(attrs, count, "s"), 0, STYLES_MAX, &style)
		                   ? (size_t)style
		                   : SIZE_MAX;
		kb_buf_clear(&x->text);
	}
}

static void cell_end(void *arg, const char *name)
{
	struct xlsx *x = arg;

	x->in_text = false;
	if (is(name, "rPh")) {
		x->in_phonetic = false;
	} else if (is(name, "c")) {
		while (x->cell_count < CELLS_MAX && x->cell_count < x->column)
			x->cells[x->cell_count++] = KB_SV("");
		if (x->column < CELLS_MAX && x->cell_count == x->column)
			x->cells[x->cell_count++] = cell_text(x);
		x->column++;
	} else if (is(name, "row") && !x->hidden_row) {
		while (x->cell_count && !x->cells[x->cell_count - 1].n)
			x->cell_count--;
		if (!x->cell_count)
			return;
		kb_doc_row(x->doc, x->cells, x->cell_count,
		           !x->any_row && kb_sheet_is_header(x->cells, x->cell_count));
		x->any_row |= x->cell_count > 1;
	}
}

/* ---- text boxes (a:p of the sheet's drawing) and notes */

static void box_start(void *arg, const char *name, const struct kb_xml_attr *attrs, size_t count)
{
	struct xlsx *x = arg;

	(void)attrs;
	(void)count;
	x->in_text = is(name, "t");
}

static void box_end(void *arg, const char *name)
{
	struct xlsx *x = arg;

	x->in_text = false;
	if (!is(name, "p") && !is(name, "comment"))
		return;
	kb_doc_add(x->doc, KB_BLOCK_PARAGRAPH, kb_buf_view(&x->text));
	kb_buf_clear(&x->text);
}

static bool read_sheet(struct xlsx *x, struct kb_zip *zip, struct kb_sv part, struct kb_err *err)
{
	static const struct kb_xml_handler cells = { cell_start, cell_end, take_text };
	static const struct kb_xml_handler boxes = { box_start, box_end, take_text };
	struct kb_relations relations = kb_ooxml_relations(zip, x->doc->arena, part);
	struct kb_err ignored;
	bool ok;

	kb_doc_table(x->doc);
	x->any_row = false;
	ok = kb_ooxml_part(zip, part, &cells, x, err);
	kb_doc_table_end(x->doc);
	for (size_t i = 0; ok && i < relations.count; i++)
		if (kb_sv_eq_str(relations.v[i].type, "drawing")
		    || kb_sv_eq_str(relations.v[i].type, "comments")) {
			kb_buf_clear(&x->text);
			if (!kb_ooxml_part(zip, relations.v[i].target, &boxes, x, &ignored))
				continue;
		}
	return ok;
}

bool kb_xlsx_read(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	static const struct kb_xml_handler strings = { string_start, string_end, take_text };
	static const struct kb_xml_handler workbook = { workbook_start, nothing_end, take_text };
	static const struct kb_xml_handler styles = { style_start, nothing_end, take_text };
	struct kb_zip *zip = kb_zip_open(in->bytes, err);
	struct kb_relations relations;
	struct kb_sv book, part;
	struct kb_err ignored;
	struct xlsx *x;
	bool ok;

	if (!zip)
		return false;
	x = KB_NEW(doc->arena, struct xlsx);
	x->doc = doc;
	kb_buf_init(&x->text, doc->text.max);
	relations = kb_ooxml_relations(zip, doc->arena, KB_SV(""));
	book = kb_ooxml_target(&relations, "officeDocument");
	kb_ooxml_properties(zip, KB_SV("docProps/core.xml"), doc);
	relations = kb_ooxml_relations(zip, doc->arena, book);
	part = kb_ooxml_target(&relations, "sharedStrings");
	if (part.n && !kb_ooxml_part(zip, part, &strings, x, &ignored))
		x->string_count = 0;
	part = kb_ooxml_target(&relations, "styles");
	if (part.n && !kb_ooxml_part(zip, part, &styles, x, &ignored))
		x->style_count = 0;
	ok = kb_ooxml_part(zip, book, &workbook, x, err);
	for (size_t i = 0; ok && i < x->sheet_count; i++) {
		part = kb_ooxml_target_by_id(&relations, x->sheets[i].id);
		if (x->sheets[i].hidden || !part.n)
			continue;
		kb_doc_heading(doc, 1, x->sheets[i].name);
		ok = read_sheet(x, zip, part, err);
	}
	kb_buf_fini(&x->text);
	free(x->strings);
	free(x->is_date);
	kb_zip_close(zip);
	return ok;
}
