/*
 * Tables of a page: words that stand in rows and columns with nothing between them.
 *
 * Lines at one height are a row, and each of them a cell. From a row of two cells and more a table
 * goes on downwards as long as the rows, laid over each other, leave the same blank stripes from
 * top to bottom: a line of running text covers them and ends it. What stands in such stripes and is
 * no table, columns of running text and lists whose marks stand apart, is told by its cells. A row
 * that only goes on with cells of the one above is joined to it.
 */
#include <stdlib.h>
#include <string.h>

#include "parse/pdf.h"

enum {
	COLUMNS_MAX = 32,
	PAGE_LINES_MAX = 1000, /* a page with more is no page of tables */
	ROWS_MIN = 3,          /* with two cells and more */
	LONE_ROWS = 3,         /* so many rows of one cell end a table */
	PROSE_LINES = 3,       /* a block of so many lines … */
	PROSE_BYTES = 24,      /* … that are so long is running text */
	CELL_BYTES = 36,       /* of one line of a cell, on average */
	MARK_BYTES = 4,
};
static const float same_height = 0.45f; /* of a line's height */
static const float row_gap_max = 2.2f;  /* heights */
static const float stripe_min = 0.6f;   /* heights */

struct cell {
	size_t line;
	float x0, x1;
};

struct row {
	float y0, y1;
	size_t first, count; /* cells, from left to right; none over another */
};

struct stripes {
	float x0[COLUMNS_MAX], x1[COLUMNS_MAX]; /* of the columns, from left to right */
	size_t count;
};

struct finder {
	struct kb_pdf *pdf;
	struct cell *cells;
	struct row *rows;
	size_t row_count;
	bool *prose; /* a line of the page */
	size_t first_line;
};

static float middle(const struct kb_pdf_line *line)
{
	return (line->y0 + line->y1) / 2;
}

static float height(const struct kb_pdf_line *line)
{
	return KB_MAX(line->y1 - line->y0, 1.0f);
}

/* ---- rows ---- */

struct place {
	float y, x;
	size_t line;
};

static int by_height(const void *a, const void *b)
{
	const struct place *p = a, *q = b;

	return p->y != q->y ? (p->y < q->y ? -1 : 1) : (p->line > q->line) - (p->line < q->line);
}

static int by_left(const void *a, const void *b)
{
	const struct cell *p = a, *q = b;

	return p->x0 != q->x0 ? (p->x0 < q->x0 ? -1 : 1)
	                      : (p->line > q->line) - (p->line < q->line);
}

static void end_row(struct finder *f, struct row *row)
{
	struct cell *cells = f->cells + row->first;

	if (!row->count)
		return;
	qsort(cells, row->count, sizeof(*cells), by_left);
	for (size_t i = 1; i < row->count; i++)
		if (cells[i].x0 < cells[i - 1].x1)
			row->count = 0; /* one over the other: no row */
	f->rows[f->row_count++] = *row;
}

static void find_rows(struct finder *f, const struct kb_pdf_page *page)
{
	struct place *places = kb_xcalloc(page->count, sizeof(*places));
	struct row row = { 0 };
	size_t count = 0, cells = 0;

	for (size_t i = page->first; i < page->first + page->count; i++)
		if (!f->pdf->lines[i].drop)
			places[count++] =
			        (struct place){ .y = middle(&f->pdf->lines[i]), .line = i };
	qsort(places, count, sizeof(*places), by_height);
	for (size_t i = 0; i < count; i++) {
		const struct kb_pdf_line *line = &f->pdf->lines[places[i].line];

		if (!row.count
		    || places[i].y - (row.y0 + row.y1) / 2 > same_height * height(line)) {
			end_row(f, &row);
			row = (struct row){ .y0 = line->y0, .y1 = line->y1, .first = cells };
		}
		row.y0 = KB_MIN(row.y0, line->y0);
		row.y1 = KB_MAX(row.y1, line->y1);
		row.count++;
		f->cells[cells++] = (struct cell){ places[i].line, line->x0, line->x1 };
	}
	end_row(f, &row);
	free(places);
}

/* ---- columns ---- */

static float height_of(const struct finder *f, const struct row *row)
{
	return row->count ? height(&f->pdf->lines[f->cells[row->first].line]) : 1;
}

/* The column that the cell lies in; SIZE_MAX: none, or more than one. */
static size_t column_of(const struct stripes *s, const struct cell *cell, float gap)
{
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < s->count; i++) {
		if (cell->x0 >= s->x1[i] + gap || cell->x1 <= s->x0[i] - gap)
			continue;
		if (found != SIZE_MAX)
			return SIZE_MAX;
		found = i;
	}
	return found;
}

/* Lays the row over the stripes. False where it covers a blank one, or has two cells in a column.
 */
static bool lay_row(const struct finder *f, const struct row *row, struct stripes *s)
{
	float gap = stripe_min * height_of(f, row);
	struct stripes next = *s;
	bool taken[COLUMNS_MAX] = { false };

	if (!row->count)
		return false;
	for (size_t i = 0; i < row->count; i++) {
		const struct cell *cell = &f->cells[row->first + i];
		size_t at = column_of(s, cell, gap), place = 0;

		if (at != SIZE_MAX) {
			if (taken[at])
				return false;
			taken[at] = true;
			for (size_t c = 0; c < next.count; c++)
				if (next.x0[c] <= s->x1[at] && next.x1[c] >= s->x0[at]) {
					next.x0[c] = KB_MIN(next.x0[c], cell->x0);
					next.x1[c] = KB_MAX(next.x1[c], cell->x1);
				}
			continue;
		}
		for (size_t c = 0; c < next.count; c++)
			if (cell->x0 < next.x1[c] + gap && cell->x1 > next.x0[c] - gap)
				return false;
		if (next.count == COLUMNS_MAX)
			return false;
		while (place < next.count && next.x0[place] < cell->x0)
			place++;
		memmove(next.x0 + place + 1, next.x0 + place,
		        (next.count - place) * sizeof(next.x0[0]));
		memmove(next.x1 + place + 1, next.x1 + place,
		        (next.count - place) * sizeof(next.x1[0]));
		next.x0[place] = cell->x0;
		next.x1[place] = cell->x1;
		next.count++;
	}
	for (size_t c = 1; c < next.count; c++)
		if (next.x0[c] < next.x1[c - 1] + gap / 2)
			return false;
	*s = next;
	return true;
}

/* How far a table that begins with this row may go: the row behind its last. */
static size_t stretch(const struct finder *f, size_t first, struct stripes *s)
{
	size_t end = first + 1, lone = 0, last = first;

	for (; end < f->row_count && lone < LONE_ROWS; end++) {
		const struct row *row = &f->rows[end], *before = &f->rows[end - 1];
		float gap = row->y0 - before->y1;

		if (gap > row_gap_max * height_of(f, before) || !lay_row(f, row, s))
			break;
		lone = row->count > 1 ? 0 : lone + 1;
		if (row->count > 1)
			last = end;
	}
	/* Lines of one cell at the end belong to it only where they go on with the cell above. */
	for (end = KB_MIN(end, f->row_count); end > last + 1; end--)
		if (f->rows[end - 1].y0 - f->rows[end - 2].y1
		    < 0.35f * height_of(f, &f->rows[end - 1]))
			break;
	return end;
}

/* ---- tables and what only looks like them ---- */

/* Which lines of the page are of running text. */
static void find_prose(struct finder *f, const struct kb_pdf_page *page)
{
	const struct kb_pdf_line *lines = f->pdf->lines;

	for (size_t i = page->first, end; i < page->first + page->count; i = end) {
		size_t bytes = 0;

		for (end = i; end < page->first + page->count && lines[end].block == lines[i].block;
		     end++)
			bytes += lines[end].text.n;
		for (size_t j = i; j < end; j++)
			f->prose[j - page->first] =
			        end - i >= PROSE_LINES && bytes / (end - i) >= PROSE_BYTES;
	}
}

/* "1.", "(a)", "•", "12": what stands before an item or a line. */
static bool is_mark(struct kb_sv text)
{
	size_t digits = 0;

	if (!text.n || text.n > MARK_BYTES)
		return false;
	while (digits < text.n && text.p[digits] >= '0' && text.p[digits] <= '9')
		digits++;
	return digits == text.n || strchr(".):", text.p[text.n - 1]) || strchr("-*o", text.p[0])
	       || (text.p[0] & 0x80);
}

static bool is_table(const struct finder *f, size_t first, size_t end, const struct stripes *s)
{
	size_t rows = 0, cells = 0, bytes = 0, prose = 0, marks = 0;

	if (s->count < 2)
		return false;
	for (size_t r = first; r < end; r++) {
		const struct row *row = &f->rows[r];

		rows += row->count > 1;
		for (size_t i = 0; i < row->count; i++) {
			size_t line = f->cells[row->first + i].line;

			cells++;
			bytes += f->pdf->lines[line].text.n;
			prose += row->count > 1 && f->prose[line - f->first_line];
			marks += i == 0 && is_mark(f->pdf->lines[line].text);
		}
	}
	return rows >= ROWS_MIN && rows * 2 > end - first && bytes <= cells * CELL_BYTES
	       && prose * 6 <= cells && (s->count > 2 || marks * 2 < rows);
}

static bool has_figures(struct kb_sv text)
{
	size_t digits = 0, letters = 0;

	for (size_t i = 0; i < text.n; i++) {
		digits += text.p[i] >= '0' && text.p[i] <= '9';
		letters += ((text.p[i] | 0x20) >= 'a' && (text.p[i] | 0x20) <= 'z')
		           || (unsigned char)text.p[i] >= 0x80;
	}
	return digits > letters;
}

/* A first row that names what stands below it. */
static bool is_head(const struct kb_sv *cells, size_t columns, size_t rows)
{
	size_t named = 0;

	for (size_t c = 0; c < columns; c++) {
		if (has_figures(cells[c]))
			return false;
		named += cells[c].n > 0;
	}
	return rows > 1 && named + 1 >= columns && cells[columns - 1].n;
}

static int by_value(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

/* The usual distance between rows that begin one. */
static float usual_gap(const struct finder *f, size_t first, size_t end, size_t columns)
{
	enum { LOOKED_AT = 64 };
	float gaps[LOOKED_AT];
	size_t n = 0;

	for (size_t r = first + 1; r < end && n < LOOKED_AT; r++)
		if (f->rows[r].count == columns)
			gaps[n++] = f->rows[r].y0 - f->rows[r - 1].y1;
	if (!n)
		return 0;
	qsort(gaps, n, sizeof(gaps[0]), by_value);
	return gaps[n / 2];
}

static void take_table(struct finder *f, size_t first, size_t end, const struct stripes *s)
{
	struct kb_arena *arena = f->pdf->arena;
	struct kb_sv *cells = KB_NEW_ARRAY(arena, (end - first) * s->count, struct kb_sv);
	float usual = usual_gap(f, first, end, s->count);
	struct kb_pdf_table *table;
	size_t rows = 0, at = SIZE_MAX;

	for (size_t r = first; r < end; r++) {
		const struct row *row = &f->rows[r];
		float tall = height_of(f, row), gap = r > first ? row->y0 - f->rows[r - 1].y1 : 0;
		bool headless = column_of(s, &f->cells[row->first], tall * 0.1f) != 0;
		bool goes_on = r > first && row->count < s->count && gap < tall * 0.8f
		               && ((headless && row->count * 2 <= s->count) || gap < usual * 0.7f);

		rows += !goes_on;
		for (size_t i = 0; i < row->count; i++) {
			const struct cell *cell = &f->cells[row->first + i];
			struct kb_pdf_line *line = &f->pdf->lines[cell->line];
			size_t column = column_of(s, cell, 0);
			struct kb_sv *to =
			        &cells[(rows - 1) * s->count + (column == SIZE_MAX ? 0 : column)];

			*to = to->n ? kb_pdf_join(arena, *to, line->text) : line->text;
			line->drop = true;
			at = KB_MIN(at, cell->line);
		}
	}
	KB_GROW(f->pdf->tables, f->pdf->table_capacity, f->pdf->table_count + 1);
	table = &f->pdf->tables[f->pdf->table_count++];
	*table = (struct kb_pdf_table){
		.at = at, .cells = cells, .columns = s->count, .rows = rows
	};
	table->has_head = is_head(cells, s->count, rows);
}

static void find_on_page(struct kb_pdf *pdf, const struct kb_pdf_page *page)
{
	struct finder f = { .pdf = pdf, .first_line = page->first };

	if (page->count < 2 * ROWS_MIN || page->count > PAGE_LINES_MAX)
		return;
	f.cells = kb_xcalloc(page->count, sizeof(*f.cells));
	f.rows = kb_xcalloc(page->count, sizeof(*f.rows));
	f.prose = kb_xcalloc(page->count, sizeof(*f.prose));
	find_prose(&f, page);
	find_rows(&f, page);
	for (size_t i = 0; i < f.row_count;) {
		struct stripes s = { 0 };
		size_t end = i + 1;

		if (f.rows[i].count > 1 && lay_row(&f, &f.rows[i], &s)) {
			end = stretch(&f, i, &s);
			if (is_table(&f, i, end, &s))
				take_table(&f, i, end, &s);
			else
				end = i + 1;
		}
		i = end;
	}
	free(f.cells);
	free(f.rows);
	free(f.prose);
}

static int by_place(const void *a, const void *b)
{
	const struct kb_pdf_table *p = a, *q = b;

	return (p->at > q->at) - (p->at < q->at);
}

void kb_pdf_find_tables(struct kb_pdf *pdf)
{
	for (size_t i = 0; i < pdf->page_count; i++)
		find_on_page(pdf, &pdf->pages[i]);
	if (pdf->table_count)
		qsort(pdf->tables, pdf->table_count, sizeof(*pdf->tables), by_place);
}

/* Two columns without names are names and their values. */
static void write_row(const struct kb_pdf_table *table, size_t r, struct kb_doc *doc)
{
	const struct kb_sv *cells = table->cells + r * table->columns;
	struct kb_sv pair;

	if (table->has_head || table->columns != 2 || !cells[0].n || !cells[1].n
	    || has_figures(cells[0])) {
		kb_doc_row(doc, cells, table->columns, table->has_head && r == 0);
		return;
	}
	pair = kb_arena_printf(doc->arena, "%.*s%s %.*s", KB_SV_ARG(cells[0]),
	                       kb_sv_ends(cells[0], KB_SV(":")) ? "" : ":", KB_SV_ARG(cells[1]));
	kb_doc_row(doc, &pair, 1, false);
}

size_t kb_pdf_write_tables(const struct kb_pdf *pdf, size_t next, size_t end, struct kb_doc *doc)
{
	for (; next < pdf->table_count && pdf->tables[next].at < end; next++) {
		const struct kb_pdf_table *table = &pdf->tables[next];

		kb_doc_table(doc);
		for (size_t r = 0; r < table->rows; r++)
			write_row(table, r, doc);
		kb_doc_table_end(doc);
	}
	return next;
}
