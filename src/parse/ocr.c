/*
 * Painted words by tesseract, as a program behind the sandbox; a page of a PDF is drawn by
 * poppler's pdftoppm, whose output tesseract reads. Both are started before a byte of theirs is
 * looked at.
 *
 * tesseract's answer is TSV: a row for the page, each block, paragraph, line and word (level 1 to
 * 5) with its place in dots, for a word also how sure it is and its text. It finds a page's
 * orientation by itself (--psm 1).
 */
#include "parse/ocr.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "parse/clean.h"
#include "parse/format.h"
#include "parse/helper.h"

#define TESSERACT "/usr/bin/tesseract"
#define PDFTOPPM  "/usr/bin/pdftoppm"

enum {
	ROW_MAX = 64 << 10,
	COLUMNS = 12,
	WORDS_A_LINE = 4096,
	NUMBER_TEXT = 16,
	NOT_FOUND = 127,
	SURE_MIN = 30,     /* of 100: below, a word is not believed */
	USUAL_DPI = 200,   /* of a picture that does not say */
	SIDE_MAX = 100000, /* dots */
};
static const float points_an_inch = 72;
/* Boxes hold ink, not type: a line without tall letters is lower than its neighbours. */
static const float heading_ratio = 1.35f;
static const float believed_share = 0.5f; /* of a page's words, or the page is noise */

enum column { LEVEL, PAGE, BLOCK, PARAGRAPH, LINE, WORD, LEFT, TOP, WIDTH, HEIGHT, SURE, TEXT };
enum level { LEVEL_PAGE = 1, LEVEL_PARAGRAPH = 3, LEVEL_LINE = 4, LEVEL_WORD = 5 };

struct kb_ocr_reader {
	struct kb_pdf *pdf;
	struct kb_ocr_page page;
	struct kb_buf pending; /* the last row, so far without its end */
	struct kb_buf line;    /* text of the line in hand */
	struct kb_buf word;
	float heights[WORDS_A_LINE];
	size_t words, first_box;
	float x0, y0, x1, y1; /* of the line, in dots */
	float width, height;  /* of the page, in dots */
	uint32_t page_no, block;
	size_t seen, believed; /* words */
	bool full;
};

struct kb_ocr_reader *kb_ocr_reader_new(struct kb_pdf *pdf, struct kb_ocr_page page)
{
	struct kb_ocr_reader *r = kb_xcalloc(1, sizeof(*r));

	r->pdf = pdf;
	r->page = page;
	pdf->heading_ratio = heading_ratio;
	pdf->has_paragraphs = true;
	kb_buf_init(&r->pending, ROW_MAX);
	kb_buf_init(&r->line, ROW_MAX);
	kb_buf_init(&r->word, ROW_MAX);
	return r;
}

void kb_ocr_reader_free(struct kb_ocr_reader *r)
{
	if (!r)
		return;
	kb_buf_fini(&r->pending);
	kb_buf_fini(&r->line);
	kb_buf_fini(&r->word);
	free(r);
}

static int by_value(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static float in_points(const struct kb_ocr_reader *r, float dots)
{
	return dots * points_an_inch / (float)(r->page.dpi ? r->page.dpi : USUAL_DPI);
}

static void end_line(struct kb_ocr_reader *r)
{
	struct kb_pdf *pdf = r->pdf;
	struct kb_sv text = kb_buf_view(&r->line);

	if (r->words && text.n && !r->line.failed && pdf->page_count) {
		qsort(r->heights, r->words, sizeof(r->heights[0]), by_value);
		KB_GROW(pdf->lines, pdf->line_capacity, pdf->line_count + 1);
		pdf->lines[pdf->line_count++] = (struct kb_pdf_line){
			.page = r->page_no - 1,
			.block = r->block,
			.x0 = in_points(r, r->x0),
			.y0 = in_points(r, r->y0),
			.x1 = in_points(r, r->x1),
			.y1 = in_points(r, r->y1),
			/* The higher words of a line are those that show its size. */
			.size = in_points(r, r->heights[r->words * 3 / 4]),
			.text = kb_arena_sv(pdf->arena, text),
			.box = r->first_box,
			.box_n = pdf->box_count - r->first_box,
		};
		pdf->pages[pdf->page_count - 1].count++;
	} else {
		pdf->box_count = KB_MIN(pdf->box_count, r->first_box);
	}
	r->words = 0;
	r->first_box = pdf->box_count;
	kb_buf_clear(&r->line);
}

static uint16_t share_of(float at, float side)
{
	float share = side > 0 ? at / side * KB_BOX_UNITS : 0;

	return (uint16_t)KB_MAX(0.0f, KB_MIN(share, (float)KB_BOX_UNITS));
}

static void take_word(struct kb_ocr_reader *r, const int64_t n[], struct kb_sv text)
{
	struct kb_pdf *pdf = r->pdf;
	float x0 = (float)n[LEFT], y0 = (float)n[TOP];
	float x1 = x0 + (float)n[WIDTH], y1 = y0 + (float)n[HEIGHT];

	kb_buf_clear(&r->word);
	kb_clean(&r->word, text, KB_CLEAN_LINE);
	text = kb_buf_view(&r->word);
	if (!text.n || !pdf->page_count)
		return;
	r->seen++;
	if (n[SURE] < SURE_MIN || r->words == WORDS_A_LINE)
		return;
	r->believed++;
	r->x0 = r->words ? KB_MIN(r->x0, x0) : x0;
	r->y0 = r->words ? KB_MIN(r->y0, y0) : y0;
	r->x1 = r->words ? KB_MAX(r->x1, x1) : x1;
	r->y1 = r->words ? KB_MAX(r->y1, y1) : y1;
	r->heights[r->words++] = y1 - y0;
	if (r->line.n)
		kb_buf_byte(&r->line, ' ');
	KB_GROW(pdf->boxes, pdf->box_capacity, pdf->box_count + 1);
	pdf->boxes[pdf->box_count++] = (struct kb_word_box){ .at = (uint32_t)r->line.n,
		                                             .n = (uint32_t)text.n,
		                                             .x0 = share_of(x0, r->width),
		                                             .y0 = share_of(y0, r->height),
		                                             .x1 = share_of(x1, r->width),
		                                             .y1 = share_of(y1, r->height) };
	kb_buf_sv(&r->line, text);
}

static void take_page(struct kb_ocr_reader *r, const int64_t n[])
{
	struct kb_pdf *pdf = r->pdf;
	/* Pages come in order; what says otherwise is not believed. */
	uint32_t page_no = r->page.page_no ? r->page.page_no : (uint32_t)pdf->page_count + 1;

	r->page_no = page_no;
	r->width = (float)n[WIDTH];
	r->height = (float)n[HEIGHT];
	KB_GROW(pdf->pages, pdf->page_capacity, pdf->page_count + 1);
	pdf->pages[pdf->page_count++] = (struct kb_pdf_page){ .width = in_points(r, r->width),
		                                              .height = in_points(r, r->height),
		                                              .first = pdf->line_count };
}

static void take_row(struct kb_ocr_reader *r, struct kb_sv row)
{
	int64_t n[COLUMNS] = { 0 };
	struct kb_sv cell;

	for (int i = 0; i < TEXT; i++) {
		ptrdiff_t end = kb_sv_find_byte(row, '\t');
		ptrdiff_t point;

		if (end < 0)
			return;
		cell = kb_sv_sub(row, 0, (size_t)end);
		row = kb_sv_from(row, (size_t)end + 1);
		point = kb_sv_find_byte(cell, '.');
		if (point >= 0) /* how sure it is has a fraction */
			cell = kb_sv_sub(cell, 0, (size_t)point);
		if (!kb_sv_to_int(cell, -1, SIDE_MAX, &n[i]))
			return; /* the head of the table, too */
	}
	if (n[LEVEL] == LEVEL_WORD) {
		take_word(r, n, row);
		return;
	}
	end_line(r);
	if (n[LEVEL] == LEVEL_PAGE)
		take_page(r, n);
	else if (n[LEVEL] == LEVEL_PARAGRAPH)
		r->block++;
	r->full = r->pdf->page_count >= KB_PDF_PAGES_MAX || r->pdf->line_count >= KB_PDF_LINES_MAX;
}

bool kb_ocr_reader_take(struct kb_ocr_reader *r, struct kb_sv piece)
{
	while (piece.n && !r->full) {
		ptrdiff_t end = kb_sv_find_byte(piece, '\n');

		kb_buf_sv(&r->pending, end < 0 ? piece : kb_sv_sub(piece, 0, (size_t)end));
		if (end < 0)
			break;
		if (!r->pending.failed)
			take_row(r, kb_buf_view(&r->pending));
		kb_buf_clear(&r->pending);
		piece = kb_sv_from(piece, (size_t)end + 1);
	}
	return !r->full;
}

bool kb_ocr_reader_end(struct kb_ocr_reader *r)
{
	bool noise = (float)r->believed < (float)r->seen * believed_share;

	end_line(r);
	if (noise)
		r->pdf->line_count = 0;
	return noise;
}

/* ---- running it */

static bool take_piece(void *arg, struct kb_sv piece)
{
	return kb_ocr_reader_take(arg, piece);
}

static bool is_missing(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND;
}

static bool explain(const struct kb_helper_run *run, uint32_t page_no, struct kb_err *err)
{
	if (is_missing(run->status))
		return kb_fail(err, KB_E_UNSUPPORTED,
		               "text in pictures cannot be read here: " TESSERACT
		               " is missing; install tesseract-ocr");
	if (is_missing(run->feeder_status))
		return kb_fail(err, KB_E_UNSUPPORTED,
		               "scanned pages cannot be read here: " PDFTOPPM
		               " is missing; install poppler-utils");
	if (kb_sv_find(kb_buf_view(run->complaint), KB_SV("Failed loading language")) >= 0
	    || kb_sv_find(kb_buf_view(run->complaint), KB_SV("couldn't load any languages")) >= 0)
		return kb_fail(err, KB_E_UNSUPPORTED,
		               "text in pictures cannot be read here: tesseract knows no language; "
		               "install tesseract-ocr-eng");
	if (run->feeder)
		return kb_fail(err, KB_E_INVALID,
		               "page %u of the PDF is damaged or too large to be drawn", page_no);
	return kb_fail(err, KB_E_INVALID, "the picture is damaged or too large to be read");
}

bool kb_ocr_read(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	bool drawn = in->painted.dpi > 0;
	const char *page = kb_arena_str(
	        doc->arena, kb_arena_printf(doc->arena, "%u", (unsigned)in->painted.page_no));
	const char *dpi = kb_arena_str(
	        doc->arena, kb_arena_printf(doc->arena, "%u", (unsigned)in->painted.dpi));
	const char *models = kb_arena_str(doc->arena, in->models);
	const char *const draw[] = { PDFTOPPM, "-q", "-gray", "-r", dpi, "-f",
		                     page,     "-l", page,    "-",  NULL };
	const char *const read[] = { TESSERACT,
		                     "-",
		                     "-",
		                     "-l",
		                     models,
		                     "--psm",
		                     "1",
		                     "-c",
		                     "tessedit_create_tsv=1",
		                     drawn ? "--dpi" : NULL,
		                     dpi,
		                     NULL };
	struct kb_pdf pdf = { .arena = doc->arena };
	struct kb_ocr_reader *reader = kb_ocr_reader_new(
	        &pdf, (struct kb_ocr_page){ drawn ? in->painted.page_no : 0, in->painted.dpi });
	struct kb_buf complaint;
	struct kb_helper_run run = { .argv = read,
		                     .feeder = drawn ? draw : NULL,
		                     .input = in->fd,
		                     .take = take_piece,
		                     .arg = reader,
		                     .complaint = &complaint };
	bool ok;

	kb_buf_init(&complaint, KB_HELPER_COMPLAINT_MAX);
	ok = in->fd >= 0 ? kb_helper_run(&run, err)
	                 : kb_fail(err, KB_E_INVALID, "a picture inside another file is not read");
	if (ok && !pdf.page_count)
		ok = explain(&run, in->painted.page_no, err);
	if (ok) {
		kb_ocr_reader_end(reader);
		kb_pdf_drop_repeats(&pdf);
		kb_pdf_write(&pdf, doc);
		doc->pages = KB_MAX(doc->pages, in->painted.page_no);
	}
	kb_ocr_reader_free(reader);
	kb_buf_fini(&complaint);
	kb_pdf_fini(&pdf);
	return ok;
}

bool kb_picture_read(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	if (!in->wants_painted)
		return kb_fail(err, KB_E_INVALID, "the file is a picture, and " KB_PICTURES_UNREAD);
	if (in->fd < 0)
		return kb_fail(err, KB_E_INVALID, "a picture inside another file is not read");
	kb_doc_painted(doc, 1, 0);
	return true;
}
