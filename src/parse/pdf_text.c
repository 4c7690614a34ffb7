/*
 * Lines on pages to headings, paragraphs and list items.
 *
 * Running heads and feet (running.h) are left out. The size that most letters have is the body's;
 * clearly larger lines are headings, ranked by size. Within a block of pdftotext a paragraph ends
 * where the next line is indented, is a list item, or stands further down than its neighbours, or
 * where a line ends early at the end of a sentence.
 */
#include "parse/pdf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "parse/running.h"

enum {
	HEADING_BYTES = 240, /* a heading is no longer */
	HEADING_LINES = 4,
	SIZES_MAX = 400, /* half points; larger ones count as the last */
	LEVELS_MAX = 4,  /* what is smaller than the fourth is of the fourth */
};
/* To the body's size: 13 points beside 11 are a heading, 12 are not. */
static const float usual_heading_ratio = 1.14f;
/* Points. Sizes of headings nearer to each other are one: a level is told by eye, too. */
static const float same_size = 1.1f;

/* ---- running heads */

void kb_pdf_drop_repeats(struct kb_pdf *pdf)
{
	struct kb_running running = { 0 };

	for (uint32_t page = 0; page < pdf->page_count; page++) {
		const struct kb_pdf_page *p = &pdf->pages[page];

		for (size_t i = p->first; p->height > 0 && i < p->first + p->count; i++) {
			struct kb_pdf_line *line = &pdf->lines[i];

			kb_running_add(&running, page, line, line->text, line->y0 / p->height,
			               line->y1 / p->height);
		}
	}
	kb_running_find(&running, pdf->page_count);
	for (size_t i = 0; i < running.count; i++) {
		struct kb_pdf_line *line = running.lines[i].what;

		line->drop = running.lines[i].runs;
	}
	kb_running_fini(&running);
}

/* ---- sizes */

struct sizes {
	float body, heading_ratio;
	float heading[LEVELS_MAX]; /* from the largest; 0: none */
	int levels;
};

static int bin_of(float size)
{
	return (int)KB_MIN(KB_MAX(size * 2 + 0.5f, 0.0f), (float)(SIZES_MAX - 1));
}

static void find_sizes(const struct kb_pdf *pdf, struct sizes *sizes)
{
	size_t letters[SIZES_MAX] = { 0 }, lines[SIZES_MAX] = { 0 };
	int body = 0;

	memset(sizes, 0, sizeof(*sizes));
	sizes->heading_ratio = pdf->heading_ratio > 0 ? pdf->heading_ratio : usual_heading_ratio;
	for (size_t i = 0; i < pdf->line_count; i++) {
		int bin = bin_of(pdf->lines[i].size);

		letters[bin] += pdf->lines[i].text.n;
		lines[bin]++;
	}
	for (int i = 1; i < SIZES_MAX; i++)
		if (letters[i] > letters[body])
			body = i;
	sizes->body = (float)body / 2;
	for (int i = SIZES_MAX - 1; i > 0 && sizes->levels < LEVELS_MAX; i--) {
		float size = (float)i / 2;

		if (!lines[i] || size < sizes->body * sizes->heading_ratio)
			continue;
		if (sizes->levels && sizes->heading[sizes->levels - 1] - size < same_size)
			continue;
		sizes->heading[sizes->levels++] = size;
	}
}

static int level_of(const struct sizes *sizes, float size)
{
	if (size < sizes->body * sizes->heading_ratio)
		return 0;
	for (int i = 0; i < sizes->levels; i++)
		if (size > sizes->heading[i] - same_size)
			return i + 1;
	return sizes->levels;
}

/* ---- paragraphs */

/* A colon and a semicolon too: a list follows them. The last two are the full stop of Chinese and
 * Japanese, and a closing quotation mark. */
static bool ends_sentence(struct kb_sv text)
{
	text = kb_sv_trim(text);
	return text.n
	       && (strchr(".!?:;", text.p[text.n - 1]) || kb_sv_ends(text, KB_SV("\xe3\x80\x82"))
	           || kb_sv_ends(text, KB_SV("\xe2\x80\x9d")));
}

/* "• ", "- ", "1. ", "(a) ", "iv) ": the mark's length, or 0. */
static size_t item_mark(struct kb_sv text)
{
	static const char *const bullets[] = {
		"\xe2\x80\xa2",  "\xe2\x97\xa6",  "\xe2\x96\xaa", "\xe2\x97\x8f",
		"\xe2\x96\xa0",  "\xe2\x80\xa3",  "\xef\x82\xb7", "\xef\x82\xa7",
		"\xe2\x80\x93 ", "\xe2\x80\x94 ", "- ",           "* ",
		"\xe2\x9c\x93",  "\xe2\x9e\xa2",  "\xc2\xb7 ",    "o ",
	};
	size_t i = 0, from;

	for (size_t b = 0; b < KB_COUNTOF(bullets); b++)
		if (kb_sv_starts(text, kb_sv_str(bullets[b])))
			return strlen(bullets[b]);
	if (text.n > 2 && text.p[0] == '(')
		i++;
	/* Three at most: a year that ends a sentence ("2024. ") begins no item. */
	for (from = i;
	     i < text.n && i - from < 3
	     && ((text.p[i] >= '0' && text.p[i] <= '9') || text.p[i] == 'i' || text.p[i] == 'v'
	         || (i == from && text.p[i] >= 'a' && text.p[i] <= 'h'));)
		i++;
	if (i == from || i + 1 >= text.n || !strchr(".)", text.p[i]) || text.p[i + 1] != ' ')
		return 0;
	return i + 2;
}

/* "3", "2.1", "A.4" and a capitalised rest: its depth, or 0. Bytes from 0xc3 on begin letters
 * beyond ASCII, whatever their case; 0xc2 begins signs, as in "20 °C". */
static int number_depth(struct kb_sv text)
{
	size_t i = 0;
	int depth = 0;

	if (text.n > 3 && text.p[0] >= 'A' && text.p[0] <= 'Z' && text.p[1] == '.')
		i = 2;
	while (i < text.n && text.p[i] >= '0' && text.p[i] <= '9') {
		size_t from = i;

		while (i < text.n && i - from < 3 && text.p[i] >= '0' && text.p[i] <= '9')
			i++;
		depth++;
		if (i < text.n && text.p[i] == '.')
			i++;
	}
	if (!depth || i >= text.n || text.p[i] != ' ')
		return 0;
	while (i < text.n && text.p[i] == ' ')
		i++;
	return i < text.n
	                       && ((text.p[i] >= 'A' && text.p[i] <= 'Z')
	                           || (unsigned char)text.p[i] >= 0xc3)
	               ? depth
	               : 0;
}

/* A letter of two bytes (Latin with marks, Greek, Cyrillic) counts as small: few words that are cut
 * go on with a capital. */
static bool is_lower(struct kb_sv text)
{
	return text.n && ((text.p[0] >= 'a' && text.p[0] <= 'z') || (text.p[0] & 0xe0) == 0xc0);
}

static uint32_t last_char(struct kb_sv text)
{
	uint32_t cp = 0;
	size_t at = text.n;

	while (at && (text.p[--at] & 0xc0) == 0x80)
		;
	if (text.n)
		kb_utf8_decode(kb_sv_from(text, at), &cp);
	return cp;
}

/* Written without blanks between words: radicals to Yi (Hangul, which has blanks, lies behind
 * them), compatibility forms, full width, and the planes of rare signs. */
static bool is_cjk(uint32_t cp)
{
	return (cp >= 0x2e80 && cp < 0xac00) || (cp >= 0xf900 && cp < 0xfb00)
	       || (cp >= 0xfe30 && cp < 0xfe50) || (cp >= 0xff00 && cp < 0xffef)
	       || (cp >= 0x20000 && cp < 0x40000);
}

/* Joins the next line: a word that was cut at the line's end is made whole. A soft hyphen (c2 ad)
 * was put in by the cut; a hyphen ('-', or e2 80 90) goes only before a small letter, so that
 * "Rhein-" and "Main" keep theirs. */
static void join(struct kb_buf *out, struct kb_sv next)
{
	struct kb_sv text = kb_buf_view(out);
	uint32_t first = 0;

	if (!text.n) {
		kb_buf_sv(out, next);
		return;
	}
	kb_utf8_decode(next, &first);
	if (kb_sv_ends(text, KB_SV("\xc2\xad"))) {
		out->n -= 2;
	} else if (text.n > 2 && text.p[text.n - 1] == '-' && is_lower(next)
	           && is_lower(kb_sv_from(text, text.n - 2))) {
		out->n--;
	} else if (kb_sv_ends(text, KB_SV("\xe2\x80\x90")) && is_lower(next)) {
		out->n -= 3;
	} else if (!(is_cjk(first) && is_cjk(last_char(text)))) {
		kb_buf_byte(out, ' ');
	}
	kb_buf_sv(out, next);
}

struct kb_sv kb_pdf_join(struct kb_arena *arena, struct kb_sv text, struct kb_sv next)
{
	struct kb_buf buf;
	struct kb_sv joined;

	kb_buf_init(&buf, SIZE_MAX);
	kb_buf_sv(&buf, text);
	join(&buf, next);
	joined = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return joined;
}

struct block {
	size_t first, end; /* lines, those to drop among them */
	float x0, x1, size;
	size_t bytes, lines;
};

static struct block next_block(const struct kb_pdf *pdf, size_t first)
{
	struct block b = { .first = first, .end = first };
	float sizes = 0;

	while (b.end < pdf->line_count && pdf->lines[b.end].block == pdf->lines[first].block) {
		const struct kb_pdf_line *line = &pdf->lines[b.end++];

		if (line->drop)
			continue;
		b.x0 = b.lines ? KB_MIN(b.x0, line->x0) : line->x0;
		b.x1 = b.lines ? KB_MAX(b.x1, line->x1) : line->x1;
		sizes += line->size * (float)line->text.n;
		b.bytes += line->text.n;
		b.lines++;
	}
	b.size = b.bytes ? sizes / (float)b.bytes : 0;
	return b;
}

static bool begins_paragraph(const struct kb_pdf *pdf, const struct block *b,
                             const struct kb_pdf_line *before, const struct kb_pdf_line *line,
                             float gap)
{
	/* Distances are told in parts of the size, as people set them. */
	float em = KB_MAX(line->size, 1.0f);

	if (item_mark(line->text))
		return true;
	if (pdf->has_paragraphs)
		return false;
	if (line->y0 - before->y1 > gap + em * 0.45f)
		return true; /* stands further down than the others */
	if (fabsf(line->size - before->size) > em * 0.14f + 0.6f
	    && KB_MIN(line->text.n, before->text.n) > 3)
		return true;
	if (ends_sentence(before->text)) {
		if (before->x1 < b->x1 - (b->x1 - b->x0) * 0.15f)
			return true; /* the last line of a paragraph ends early */
		if (line->x0 > before->x0 + em * 0.7f && line->x0 - b->x0 < em * 5)
			return true; /* and the first one is indented */
	}
	return false;
}

static int by_value(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return x < y ? -1 : x > y;
}

/* The usual distance between lines of a block: the median, which a heading's space or a line that
 * was left out does not move. The first lines tell it. */
static float usual_gap(const struct kb_pdf *pdf, const struct block *b)
{
	enum { LOOKED_AT = 64 };
	float gaps[LOOKED_AT];
	size_t n = 0;

	for (size_t i = b->first + 1; i < b->end && n < LOOKED_AT; i++)
		if (pdf->lines[i].y0 > pdf->lines[i - 1].y0)
			gaps[n++] = pdf->lines[i].y0 - pdf->lines[i - 1].y1;
	if (!n)
		return 0;
	qsort(gaps, n, sizeof(gaps[0]), by_value);
	return gaps[n / 2];
}

static bool has_letter(struct kb_sv text)
{
	for (size_t i = 0; i < text.n; i++)
		if ((text.p[i] | 0x20) >= 'a' && (text.p[i] | 0x20) <= 'z')
			return true;
		else if ((unsigned char)text.p[i] >= 0xc3)
			return true;
	return false;
}

static int heading_level(const struct kb_pdf *pdf, const struct sizes *sizes, const struct block *b)
{
	const struct kb_pdf_line *line = &pdf->lines[b->first];
	int level, depth;

	if (b->lines > HEADING_LINES || b->bytes > HEADING_BYTES || !has_letter(line->text))
		return 0;
	level = level_of(sizes, b->size);
	if (level)
		return level;
	if (b->lines != 1 || line->drop || ends_sentence(line->text)
	    || b->bytes > HEADING_BYTES / 2)
		return 0;
	depth = number_depth(line->text);
	/* A numbered line alone in its block; "3 May" and table rows have no such company. */
	return depth && line->text.n > 5 && b->size >= sizes->body * 0.98f
	               ? KB_MIN(sizes->levels + depth, (int)KB_DOC_LEVELS)
	               : 0;
}

/* A paragraph in the making, and where its words stand. */
struct paragraph {
	struct kb_buf text;
	struct kb_word_box *boxes;
	size_t count, capacity;
};

static void add_line(struct paragraph *p, const struct kb_pdf *pdf, const struct kb_pdf_line *line)
{
	size_t start;

	join(&p->text, line->text);
	if (p->text.failed || !line->box_n)
		return;
	start = p->text.n - line->text.n;
	/* The mark at a line's end that the join took away. */
	if (p->count && p->boxes[p->count - 1].at + p->boxes[p->count - 1].n > start)
		p->boxes[p->count - 1].n = (uint32_t)start - p->boxes[p->count - 1].at;
	KB_GROW(p->boxes, p->capacity, p->count + line->box_n);
	for (size_t i = 0; i < line->box_n; i++) {
		p->boxes[p->count] = pdf->boxes[line->box + i];
		p->boxes[p->count++].at += (uint32_t)start;
	}
}

/* Level 0: a paragraph or an item. */
static void end_paragraph(struct paragraph *p, int level, bool item, struct kb_doc *doc)
{
	struct kb_sv text = kb_buf_view(&p->text);

	if (level)
		kb_doc_heading(doc, level, text);
	else
		kb_doc_add(doc, item ? KB_BLOCK_LIST : KB_BLOCK_PARAGRAPH, text);
	kb_doc_boxes(doc, text, p->boxes, p->count);
	kb_buf_clear(&p->text);
	p->count = 0;
}

static void write_block(const struct kb_pdf *pdf, const struct sizes *sizes, const struct block *b,
                        struct paragraph *p, struct kb_doc *doc)
{
	const struct kb_pdf_line *before = NULL;
	int level = heading_level(pdf, sizes, b);
	float gap = usual_gap(pdf, b);
	bool item = false;

	for (size_t i = b->first; i < b->end; i++) {
		const struct kb_pdf_line *line = &pdf->lines[i];

		if (line->drop)
			continue;
		if (before && !level && begins_paragraph(pdf, b, before, line, gap))
			end_paragraph(p, 0, item, doc);
		if (!p->text.n)
			item = item_mark(line->text) > 0;
		add_line(p, pdf, line);
		before = line;
	}
	end_paragraph(p, level, item, doc);
}

/* ---- the title */

/* What programs write there when nobody gave a title. */
static bool is_useless_title(struct kb_sv title)
{
	static const char *const starts[] = { "microsoft word", "microsoft powerpoint",
		                              "untitled",       "powerpoint presentation",
		                              "slide 1",        "document1",
		                              "layout 1" };
	static const char *const ends[] = { ".doc",  ".docx", ".pdf", ".indd", ".qxd",
		                            ".tex",  ".dvi",  ".ppt", ".pptx", ".xls",
		                            ".xlsx", ".rtf",  ".odt", ".txt" };

	for (size_t i = 0; i < KB_COUNTOF(starts); i++)
		if (kb_sv_istarts(title, kb_sv_str(starts[i])))
			return true;
	for (size_t i = 0; i < KB_COUNTOF(ends); i++) {
		struct kb_sv end = kb_sv_str(ends[i]);

		if (title.n >= end.n && kb_sv_ieq(kb_sv_from(title, title.n - end.n), end))
			return true;
	}
	return title.n < 3 || !has_letter(title);
}

static void find_title(const struct kb_pdf *pdf, const struct sizes *sizes, struct kb_buf *text,
                       struct kb_doc *doc)
{
	size_t end = pdf->page_count ? pdf->pages[0].first + pdf->pages[0].count : 0;
	struct block best = { .size = sizes->body * sizes->heading_ratio };

	if (!is_useless_title(kb_sv_trim(pdf->title))) {
		kb_doc_meta(doc, KB_DOC_TITLE, pdf->title);
		return;
	}
	for (size_t i = 0; i < end;) {
		struct block b = next_block(pdf, i);

		if (b.lines && b.bytes > 3 && b.bytes < HEADING_BYTES && b.size > best.size + 0.3f)
			best = b;
		i = b.end;
	}
	kb_buf_clear(text);
	for (size_t i = best.first; i < best.end; i++)
		if (!pdf->lines[i].drop)
			join(text, pdf->lines[i].text);
	kb_doc_meta(doc, KB_DOC_TITLE, kb_buf_view(text));
}

void kb_pdf_write(const struct kb_pdf *pdf, struct kb_doc *doc)
{
	struct sizes sizes;
	struct paragraph p = { 0 };
	uint32_t page = UINT32_MAX;
	size_t table = 0;

	kb_buf_init(&p.text, doc->text.max);
	find_sizes(pdf, &sizes);
	find_title(pdf, &sizes, &p.text, doc);
	kb_buf_clear(&p.text);
	for (size_t i = 0; i < pdf->line_count;) {
		struct block b = next_block(pdf, i);

		if (pdf->lines[i].page != page) {
			page = pdf->lines[i].page;
			kb_doc_page(doc, page + 1);
		}
		table = kb_pdf_write_tables(pdf, table, b.end, doc);
		if (b.lines)
			write_block(pdf, &sizes, &b, &p, doc);
		i = b.end;
	}
	doc->pages = (uint32_t)pdf->page_count;
	kb_buf_fini(&p.text);
	free(p.boxes);
}
