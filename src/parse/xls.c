/*
 * Old Excel workbooks (BIFF 5 to 8): a stream of records, the workbook's first, then those of each
 * sheet. Each visible sheet is a heading and a table of rows, as in new ones (xlsx.c). A record
 * holds up to 8 KB; the table of strings goes on in records behind it, even within a string.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "parse/old_office.h"
#include "parse/sheet.h"

enum {
	HEAD = 4, /* of a record: type, length */
	ROWS_MAX = 65536,
	SHEETS_MAX = 500,
	STRINGS_MAX = 2000000,
	BIFF8 = 0x600,
	SHEET = 0x10,      /* what a part of the stream is, as its beginning says */
	YEARS_1904 = 1462, /* days from one calendar to the other */
	OWN_FORMATS_MAX = 4096,
};
enum type {
	FORMULA = 0x06,
	END = 0x0a,
	CALENDAR = 0x22,
	PASSWORD = 0x2f,
	CONTINUE = 0x3c,
	CODE_PAGE = 0x42,
	SHEET_PLACE = 0x85,
	NUMBERS = 0xbd,
	RICH_TEXT = 0xd6,
	STYLE = 0xe0,
	STRINGS = 0xfc,
	STRING_CELL = 0xfd,
	NUMBER = 0x203,
	TEXT_CELL = 0x204,
	TRUTH = 0x205,
	RESULT = 0x207,
	ROW = 0x208,
	SMALL_NUMBER = 0x27e,
	FORMAT = 0x41e,
	BEGIN = 0x809,
};
enum { WIDE = 1, HAS_SOUNDS = 4, HAS_RUNS = 8 }; /* of a string */

struct record {
	uint16_t type;
	struct kb_sv data;
};

struct sheet {
	struct kb_sv name;
	uint32_t at;
	bool hidden;
};

struct xls {
	struct kb_doc *doc;
	const struct kb_ole *ole;
	struct kb_sv stream;
	bool is_new; /* BIFF8 */
	bool is_1904, is_locked;
	uint16_t code_page;
	struct sheet sheets[SHEETS_MAX];
	size_t sheet_count;
	struct kb_sv *strings;
	size_t string_count;
	uint16_t date_formats[OWN_FORMATS_MAX]; /* of the workbook's own */
	size_t date_format_count;
	bool *is_date; /* by style */
	size_t style_count, style_capacity;
	uint8_t hidden_rows[ROWS_MAX / 8];
	struct kb_sv cells[KB_SHEET_CELLS_MAX];
	size_t cell_count;
	uint16_t row;
	bool any_row, wants_result; /* a formula's string comes next */
	uint16_t result_column;
	struct kb_buf text;
	size_t walked; /* bytes of all sheets, which may claim to lie in one place */
};

static bool take(struct kb_sv *rest, struct record *out)
{
	size_t n = kb_le16(*rest, 2);

	if (rest->n < HEAD)
		return false;
	*out = (struct record){ .type = kb_le16(*rest, 0), .data = kb_sv_sub(*rest, HEAD, n) };
	*rest = kb_sv_from(*rest, HEAD + n);
	return true;
}

/* ---- strings */

/* Of a record of its own, which holds it whole. wide_length: of two bytes. */
static struct kb_sv short_text(struct xls *x, struct kb_sv data, bool wide_length)
{
	size_t n = wide_length ? kb_le16(data, 0) : kb_le16(data, 0) & 0xff;
	uint8_t flags;

	data = kb_sv_from(data, wide_length ? 2 : 1);
	if (!x->is_new)
		return kb_ole_code_page(x->ole, kb_sv_sub(data, 0, n), x->code_page);
	flags = data.n ? (uint8_t)data.p[0] : 0;
	data = kb_sv_from(data, 1);
	if (flags & HAS_RUNS)
		data = kb_sv_from(data, 2);
	if (flags & HAS_SOUNDS)
		data = kb_sv_from(data, 4);
	kb_buf_clear(&x->text);
	kb_ole_text(&x->text, kb_sv_sub(data, 0, flags & WIDE ? n * 2 : n), flags & WIDE);
	return kb_arena_sv(x->doc->arena, kb_buf_view(&x->text));
}

/* The table of strings, over the ends of its records. */
struct pieces {
	struct kb_sv here, rest; /* of this record, of the stream behind it */
};

static bool next_piece(struct pieces *p)
{
	struct kb_sv rest = p->rest;
	struct record record;

	if (!take(&rest, &record) || record.type != CONTINUE)
		return false;
	p->here = record.data;
	p->rest = rest;
	return true;
}

static bool skip(struct pieces *p, size_t n)
{
	while (n > p->here.n) {
		n -= p->here.n;
		p->here = KB_SV("");
		if (!next_piece(p))
			return false;
	}
	p->here = kb_sv_from(p->here, n);
	return true;
}

/* The characters of a string; each record behind the first says anew whether they are wide. */
static bool take_characters(struct xls *x, struct pieces *p, size_t n, bool wide)
{
	while (n) {
		size_t fit = KB_MIN(n, wide ? p->here.n / 2 : p->here.n);

		kb_ole_text(&x->text, kb_sv_sub(p->here, 0, wide ? fit * 2 : fit), wide);
		p->here = kb_sv_from(p->here, wide ? fit * 2 : fit);
		n -= fit;
		if (!n)
			break;
		if (!next_piece(p) || !p->here.n)
			return false;
		wide = p->here.p[0] & WIDE;
		p->here = kb_sv_from(p->here, 1);
	}
	return true;
}

static bool take_string(struct xls *x, struct pieces *p, struct kb_sv *out)
{
	size_t n, runs = 0, sounds = 0;
	uint8_t flags;

	if (!p->here.n && !next_piece(p))
		return false;
	if (p->here.n < 3)
		return false;
	n = kb_le16(p->here, 0);
	flags = (uint8_t)p->here.p[2];
	p->here = kb_sv_from(p->here, 3);
	if (flags & HAS_RUNS) {
		runs = kb_le16(p->here, 0);
		p->here = kb_sv_from(p->here, 2);
	}
	if (flags & HAS_SOUNDS) {
		sounds = kb_le32(p->here, 0);
		p->here = kb_sv_from(p->here, 4);
	}
	kb_buf_clear(&x->text);
	if (!take_characters(x, p, n, flags & WIDE))
		return false;
	*out = kb_arena_sv(x->doc->arena, kb_buf_view(&x->text));
	return skip(p, runs * 4 + sounds);
}

static void read_strings(struct xls *x, struct kb_sv data, struct kb_sv rest)
{
	struct pieces pieces = { kb_sv_from(data, 8), rest };
	/* Each takes three bytes at least. */
	size_t count =
	        KB_MIN(KB_MIN((size_t)kb_le32(data, 4), (size_t)STRINGS_MAX), x->stream.n / 3 + 1);

	x->strings = KB_NEW_ARRAY(x->doc->arena, count + 1, struct kb_sv);
	while (x->string_count < count && take_string(x, &pieces, &x->strings[x->string_count]))
		x->string_count++;
}

/* ---- the workbook */

static void read_style(struct xls *x, struct kb_sv data)
{
	uint16_t format = kb_le16(data, 2);
	bool date = kb_sheet_is_date_id(format);

	for (size_t i = 0; i < x->date_format_count; i++)
		date |= x->date_formats[i] == format;
	KB_GROW(x->is_date, x->style_capacity, x->style_count + 1);
	x->is_date[x->style_count++] = date;
}

static void read_place(struct xls *x, struct kb_sv data)
{
	if (data.n < 8 || x->sheet_count == SHEETS_MAX || (data.p[5] & 0xf) != 0)
		return; /* of macros, of a chart */
	x->sheets[x->sheet_count++] =
	        (struct sheet){ .at = kb_le32(data, 0),
		                .hidden = (data.p[4] & 3) != 0,
		                .name = short_text(x, kb_sv_from(data, 6), false) };
}

static void read_book(struct xls *x)
{
	struct kb_sv rest = x->stream;
	struct record r;

	while (take(&rest, &r) && r.type != END && !x->is_locked)
		switch ((enum type)r.type) {
		case BEGIN:
			x->is_new = kb_le16(r.data, 0) >= BIFF8;
			break;
		case CODE_PAGE:
			x->code_page = kb_le16(r.data, 0);
			break;
		case CALENDAR:
			x->is_1904 = kb_le16(r.data, 0) == 1;
			break;
		case PASSWORD:
			x->is_locked = true;
			break;
		case SHEET_PLACE:
			read_place(x, r.data);
			break;
		case FORMAT:
			if (x->date_format_count < OWN_FORMATS_MAX
			    && kb_sheet_is_date_code(
			            short_text(x, kb_sv_from(r.data, 2), x->is_new)))
				x->date_formats[x->date_format_count++] = kb_le16(r.data, 0);
			break;
		case STYLE:
			read_style(x, r.data);
			break;
		case STRINGS:
			read_strings(x, r.data, rest);
			break;
		default:
			break;
		}
}

/* ---- cells */

static bool is_hidden_row(const struct xls *x, uint16_t row)
{
	return x->hidden_rows[row / 8] >> (row % 8) & 1;
}

static void end_row(struct xls *x)
{
	while (x->cell_count && !x->cells[x->cell_count - 1].n)
		x->cell_count--;
	if (x->cell_count && !is_hidden_row(x, x->row)) {
		kb_doc_row(x->doc, x->cells, x->cell_count,
		           !x->any_row && kb_sheet_is_header(x->cells, x->cell_count));
		x->any_row |= x->cell_count > 1;
	}
	x->cell_count = 0;
}

static void put(struct xls *x, uint16_t row, uint16_t column, struct kb_sv text)
{
	if (row != x->row)
		end_row(x);
	x->row = row;
	if (column >= KB_SHEET_CELLS_MAX)
		return;
	while (x->cell_count <= column)
		x->cells[x->cell_count++] = KB_SV("");
	x->cells[column] = text;
}

static double real(struct kb_sv data, size_t at)
{
	uint64_t bits = kb_le32(data, at) | (uint64_t)kb_le32(data, at + 4) << 32;
	double n;

	memcpy(&n, &bits, sizeof(n));
	return n;
}

/* Thirty bits of a number, whole or the upper ones of a double, perhaps in hundredths. */
static double small(uint32_t rk)
{
	uint64_t bits = (uint64_t)(rk & ~UINT32_C(3)) << 32;
	double n;

	if (rk & 2)
		n = (double)((int32_t)rk >> 2);
	else
		memcpy(&n, &bits, sizeof(n));
	return rk & 1 ? n / 100 : n;
}

static struct kb_sv number_text(const struct xls *x, double n, uint16_t style)
{
	double days = x->is_1904 ? n + YEARS_1904 : n;
	struct kb_sv text;

	if (!isfinite(n))
		return KB_SV("");
	if (style < x->style_count && x->is_date[style] && days >= 0 && days < KB_SHEET_DAYS_MAX)
		return kb_sheet_date(x->doc->arena, days);
	text = kb_arena_printf(x->doc->arena, "%.15g", n);
	/* 0.1 + 0.2 is stored as 0.30000000000000004. */
	return text.n > 15 ? kb_arena_printf(x->doc->arena, "%.12g", n) : text;
}

static void take_formula(struct xls *x, struct kb_sv data)
{
	uint16_t row = kb_le16(data, 0), column = kb_le16(data, 2);
	uint8_t kind = data.n > 8 ? (uint8_t)data.p[6] : 0,
	        truth = data.n > 8 ? (uint8_t)data.p[8] : 0;

	if (kb_le16(data, 12) != 0xffff) {
		put(x, row, column, number_text(x, real(data, 6), kb_le16(data, 4)));
	} else if (kind == 0) {
		put(x, row, column, KB_SV(""));
		x->wants_result = true;
		x->result_column = column;
	} else if (kind == 1) {
		put(x, row, column, truth ? KB_SV("TRUE") : KB_SV("FALSE"));
	}
}

static void take_numbers(struct xls *x, struct kb_sv data)
{
	uint16_t row = kb_le16(data, 0), column = kb_le16(data, 2);

	size_t end = data.n > 2 ? data.n - 2 : 0; /* the last column follows */

	for (size_t at = 4; at + 6 <= end; at += 6, column++)
		put(x, row, column,
		    number_text(x, small(kb_le32(data, at + 2)), kb_le16(data, at)));
}

static void take_cell(struct xls *x, const struct record *r)
{
	uint16_t row = kb_le16(r->data, 0), column = kb_le16(r->data, 2);
	uint16_t style = kb_le16(r->data, 4);
	uint32_t string;

	switch ((enum type)r->type) {
	case ROW:
		if (kb_le16(r->data, 12) & 0x20)
			x->hidden_rows[row / 8] |= (uint8_t)(1 << (row % 8));
		break;
	case STRING_CELL:
		string = kb_le32(r->data, 6);
		if (string < x->string_count)
			put(x, row, column, x->strings[string]);
		break;
	case TEXT_CELL:
	case RICH_TEXT:
		put(x, row, column, short_text(x, kb_sv_from(r->data, 6), true));
		break;
	case NUMBER:
		put(x, row, column, number_text(x, real(r->data, 6), style));
		break;
	case SMALL_NUMBER:
		put(x, row, column, number_text(x, small(kb_le32(r->data, 6)), style));
		break;
	case NUMBERS:
		take_numbers(x, r->data);
		break;
	case FORMULA:
		take_formula(x, r->data);
		break;
	case RESULT:
		if (x->wants_result)
			put(x, x->row, x->result_column, short_text(x, r->data, true));
		x->wants_result = false;
		break;
	case TRUTH:
		if (r->data.n >= 8 && !r->data.p[7])
			put(x, row, column, r->data.p[6] ? KB_SV("TRUE") : KB_SV("FALSE"));
		break;
	default:
		break;
	}
}

/* Its records; charts within it have their own beginning and end. */
static void read_sheet(struct xls *x, const struct sheet *sheet)
{
	struct kb_sv rest = kb_sv_from(x->stream, sheet->at);
	struct record r;
	int depth = 0;

	if (!take(&rest, &r) || r.type != BEGIN || kb_le16(r.data, 2) != SHEET)
		return;
	memset(x->hidden_rows, 0, sizeof(x->hidden_rows));
	x->any_row = x->wants_result = false;
	kb_doc_heading(x->doc, 1, sheet->name);
	kb_doc_table(x->doc);
	while (take(&rest, &r) && (r.type != END || depth) && !x->doc->text.failed
	       && x->walked <= x->stream.n) {
		x->walked += HEAD + r.data.n;
		depth += (r.type == BEGIN) - (r.type == END);
		if (!depth)
			take_cell(x, &r);
	}
	end_row(x);
	kb_doc_table_end(x->doc);
}

bool kb_xls_read(struct kb_doc *doc, const struct kb_ole *ole, struct kb_err *err)
{
	struct xls *x = KB_NEW(doc->arena, struct xls);

	memset(x, 0, sizeof(*x));
	x->doc = doc;
	x->ole = ole;
	if (!kb_ole_stream(ole, "Workbook", &x->stream) && !kb_ole_stream(ole, "Book", &x->stream))
		return kb_fail(err, KB_E_INVALID, "the Excel sheet is damaged; save it as .xlsx");
	kb_buf_init(&x->text, doc->text.max);
	read_book(x);
	for (size_t i = 0; i < x->sheet_count && !x->is_locked; i++)
		if (!x->sheets[i].hidden)
			read_sheet(x, &x->sheets[i]);
	kb_buf_fini(&x->text);
	free(x->is_date);
	return !x->is_locked || kb_fail(err, KB_E_INVALID, "the file is locked with a password");
}
