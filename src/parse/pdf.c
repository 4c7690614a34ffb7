/* PDF by poppler's pdftotext, as a program behind the sandbox: with -bbox-layout it says where each
 * word stands, in reading order, which is what headings, running heads and paragraphs are told by.
 */
#include "parse/pdf.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/date.h"
#include "parse/clean.h"
#include "parse/format.h"
#include "parse/helper.h"
#include "parse/html.h"
#include "parse/pdf_insets.h"

#define PDFTOTEXT "/usr/bin/pdftotext"

enum {
	LINE_MAX = 1 << 20, /* of pdftotext's output; a word is one line */
	NOT_FOUND = 127,
	WRONG_PAGE = 99,
	/* A page with fewer letters may be a picture with a stamp or a number on it. */
	PAINTED_LETTERS = 64,
	DPI = 300, /* a scanned page is drawn with, */
	DPI_MIN = 30,
	SIDE_MAX = 5000, /* unless it has more dots a side */
};
static const float points_an_inch = 72;

struct kb_pdf_scan {
	struct kb_pdf *pdf;
	struct kb_buf pending; /* the last line, so far without its end */
	struct kb_buf line;    /* text of the line in hand */
	float sizes;           /* sum over its words, by length */
	float x0, y0, x1, y1;
	uint32_t block;
	bool full;
	const struct kb_page_look *look; /* words keep their places; NULL: they do not */
	struct kb_buf word;              /* as it is written, and the title */
	size_t first_box;                /* of the line in hand */
};

static float number_after(struct kb_sv text, const char *name)
{
	ptrdiff_t at = kb_sv_find(text, kb_sv_str(name));

	/* The line has a terminator, and a number ends at its quote. */
	return at < 0 ? 0 : strtof(text.p + at + strlen(name), NULL);
}

static void unescape(struct kb_buf *out, struct kb_sv text)
{
	for (size_t i = 0; i < text.n; i++) {
		ptrdiff_t end;

		if (text.p[i] != '&') {
			kb_buf_byte(out, text.p[i]);
			continue;
		}
		end = kb_sv_find_byte(kb_sv_sub(text, i, 10), ';');
		if (end < 0) {
			kb_buf_byte(out, '&');
			continue;
		}
		kb_html_entity(out, kb_sv_sub(text, i, (size_t)end + 1));
		i += (size_t)end;
	}
}

static struct kb_sv between(struct kb_sv text, char open, const char *close)
{
	ptrdiff_t from = kb_sv_find_byte(text, open), to;

	if (from < 0)
		return KB_SV("");
	text = kb_sv_from(text, (size_t)from + 1);
	to = kb_sv_find(text, kb_sv_str(close));
	return to < 0 ? KB_SV("") : kb_sv_sub(text, 0, (size_t)to);
}

static uint16_t share_of(float at, float side)
{
	float share = side > 0 ? at / side * KB_BOX_UNITS : 0;

	return (uint16_t)KB_MAX(0.0f, KB_MIN(share, (float)KB_BOX_UNITS));
}

/* The word that the line goes on with, where it stands. A page that lies on its side is announced
 * with its sides as they were before it was turned; its words are where they are seen. */
static void keep_place(struct kb_pdf_scan *s, size_t at, const float place[4])
{
	struct kb_pdf *pdf = s->pdf;
	const struct kb_pdf_page *page = &pdf->pages[pdf->page_count - 1];
	bool turned = s->look->width && s->look->height
	              && (s->look->width > s->look->height) != (page->width > page->height);
	float width = turned ? page->height : page->width;
	float height = turned ? page->width : page->height;

	KB_GROW(pdf->boxes, pdf->box_capacity, pdf->box_count + 1);
	pdf->boxes[pdf->box_count++] = (struct kb_word_box){ .at = (uint32_t)at,
		                                             .n = (uint32_t)(s->line.n - at),
		                                             .x0 = share_of(place[0], width),
		                                             .y0 = share_of(place[1], height),
		                                             .x1 = share_of(place[2], width),
		                                             .y1 = share_of(place[3], height) };
}

static void add_word(struct kb_pdf_scan *s, struct kb_sv word, const float place[4])
{
	size_t at = s->line.n;

	if (!s->look) {
		unescape(&s->line, word);
		return;
	}
	kb_buf_clear(&s->word);
	unescape(&s->word, word);
	kb_clean(&s->line, kb_buf_view(&s->word), KB_CLEAN_LINE);
	if (s->line.n > at && s->pdf->page_count)
		keep_place(s, at, place);
	else if (s->line.n == at && at)
		s->line.n--; /* nothing of the word is left, so no blank before it */
}

static void take_word(struct kb_pdf_scan *s, struct kb_sv text)
{
	float x0 = number_after(text, "xMin=\""), y0 = number_after(text, "yMin=\"");
	float x1 = number_after(text, "xMax=\""), y1 = number_after(text, "yMax=\"");
	struct kb_sv word = between(text, '>', "</word>");

	if (!word.n)
		return;
	if (s->line.n) {
		kb_buf_byte(&s->line, ' ');
	} else {
		s->x0 = x0;
		s->y0 = y0;
		s->x1 = x1;
		s->y1 = y1;
	}
	s->x0 = KB_MIN(s->x0, x0);
	s->y0 = KB_MIN(s->y0, y0);
	s->x1 = KB_MAX(s->x1, x1);
	s->y1 = KB_MAX(s->y1, y1);
	/* A word that stands upright or lies across tells its size by its shorter side. */
	s->sizes += KB_MIN(y1 - y0, word.n > 2 ? x1 - x0 : y1 - y0) * (float)word.n;
	add_word(s, word, (const float[4]){ x0, y0, x1, y1 });
}

/* The places in the order in which the line is read; `order` says which painted word is next. */
static void order_places(struct kb_pdf *pdf, struct kb_pdf_line *line, const size_t *order,
                         size_t count)
{
	struct kb_word_box painted[KB_PDF_WORDS_MAX];
	struct kb_sv rest = line->text, word;

	if (count != line->box_n) { /* of a painted word several were read, or none */
		line->box_n = 0;
		return;
	}
	memcpy(painted, pdf->boxes + line->box, count * sizeof(*painted));
	for (size_t i = 0; i < count; i++) {
		struct kb_word_box *box = &pdf->boxes[line->box + i];

		kb_sv_split(&rest, ' ', &word);
		*box = painted[order[i]];
		box->at = (uint32_t)(word.p - line->text.p);
		box->n = (uint32_t)word.n;
	}
}

static void end_line(struct kb_pdf_scan *s)
{
	struct kb_pdf *pdf = s->pdf;
	size_t letters = 0, order[KB_PDF_WORDS_MAX], turned = 0;

	for (size_t i = 0; i < s->line.n; i++)
		letters += s->line.p[i] != ' ';
	if (letters && pdf->page_count) {
		KB_GROW(pdf->lines, pdf->line_capacity, pdf->line_count + 1);
		pdf->lines[pdf->line_count++] = (struct kb_pdf_line){
			.page = (uint32_t)pdf->page_count - 1,
			.block = s->block,
			.x0 = s->x0,
			.y0 = s->y0,
			.x1 = s->x1,
			.y1 = s->y1,
			.size = s->sizes / (float)letters,
			.text = kb_pdf_logical(pdf->arena,
			                       kb_arena_sv(pdf->arena, kb_buf_view(&s->line)),
			                       order, &turned),
			.box = s->first_box,
			.box_n = pdf->box_count - s->first_box,
		};
		if (turned)
			order_places(pdf, &pdf->lines[pdf->line_count - 1], order, turned);
		pdf->pages[pdf->page_count - 1].count++;
	}
	s->first_box = pdf->box_count;
	s->sizes = 0;
	kb_buf_clear(&s->line);
}

/* One line of the answer: it holds one element, or the start or end of one. */
static void take_line(struct kb_pdf_scan *s, struct kb_sv text)
{
	struct kb_pdf *pdf = s->pdf;

	text = kb_sv_trim(text);
	if (kb_sv_starts(text, KB_SV("<word "))) {
		take_word(s, text);
	} else if (kb_sv_starts(text, KB_SV("</line>"))) {
		end_line(s);
	} else if (kb_sv_starts(text, KB_SV("<block "))) {
		s->block++;
	} else if (kb_sv_starts(text, KB_SV("<page "))) {
		KB_GROW(pdf->pages, pdf->page_capacity, pdf->page_count + 1);
		pdf->pages[pdf->page_count++] =
		        (struct kb_pdf_page){ .width = number_after(text, "width=\""),
			                      .height = number_after(text, "height=\""),
			                      .first = pdf->line_count };
	} else if (kb_sv_starts(text, KB_SV("<title>")) && !pdf->title.n) {
		kb_buf_clear(&s->word);
		unescape(&s->word, between(text, '>', "</title>"));
		pdf->title = kb_arena_sv(pdf->arena, kb_buf_view(&s->word));
	} else if (kb_sv_starts(text, KB_SV("<meta name=\"CreationDate\""))
	           || kb_sv_starts(text, KB_SV("<meta name=\"ModDate\""))) {
		ptrdiff_t at = kb_sv_find(text, KB_SV("content="));
		int64_t date =
		        at < 0 ? 0 : kb_date_read(between(kb_sv_from(text, (size_t)at), '"', "\""));

		pdf->dated_at = KB_MAX(pdf->dated_at, date);
	}
	s->full = pdf->page_count >= KB_PDF_PAGES_MAX || pdf->line_count >= KB_PDF_LINES_MAX;
}

bool kb_pdf_scan_take(struct kb_pdf_scan *s, struct kb_sv piece)
{
	struct kb_sv rest = piece, line;

	while (rest.n && !s->full) {
		ptrdiff_t end = kb_sv_find_byte(rest, '\n');

		if (end < 0) {
			kb_buf_sv(&s->pending, rest);
			break;
		}
		/* Through the buffer always, for the terminator that strtof() stops at. */
		kb_buf_sv(&s->pending, kb_sv_sub(rest, 0, (size_t)end));
		kb_buf_byte(&s->pending, 0);
		line = kb_buf_view(&s->pending);
		if (!s->pending.failed)
			take_line(s, kb_sv_sub(line, 0, line.n - 1));
		kb_buf_clear(&s->pending);
		rest = kb_sv_from(rest, (size_t)end + 1);
	}
	return !s->full;
}

struct kb_pdf_scan *kb_pdf_scan_new(struct kb_pdf *pdf, const struct kb_page_look *look)
{
	struct kb_pdf_scan *s = kb_xcalloc(1, sizeof(*s));

	s->pdf = pdf;
	s->look = look->page_no ? look : NULL;
	kb_buf_init(&s->pending, LINE_MAX);
	kb_buf_init(&s->line, LINE_MAX);
	kb_buf_init(&s->word, LINE_MAX);
	return s;
}

void kb_pdf_scan_free(struct kb_pdf_scan *s)
{
	kb_buf_fini(&s->pending);
	kb_buf_fini(&s->line);
	kb_buf_fini(&s->word);
	free(s);
}

static bool take_piece(void *arg, struct kb_sv piece)
{
	return kb_pdf_scan_take(arg, piece);
}

/* Poppler's programs say only that they could not open the file; whether a lock is the reason is in
 * the file. */
bool kb_pdf_explain(const struct kb_parse_input *in, int status, struct kb_err *err)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
		return kb_fail(err, KB_E_UNSUPPORTED,
		               "PDF cannot be read here: poppler-utils is missing");
	if (WIFEXITED(status) && WEXITSTATUS(status) == WRONG_PAGE && in->look.page_no)
		return kb_fail(err, KB_E_INVALID, "the PDF has no page %u",
		               (unsigned)in->look.page_no);
	if (WIFEXITED(status) && kb_sv_find(in->bytes, KB_SV("/Encrypt")) >= 0)
		return kb_fail(err, KB_E_INVALID, "the PDF is locked with a password");
	if (WIFSIGNALED(status))
		return kb_fail(err, KB_E_INVALID, "the PDF is damaged: its reader crashed on it");
	return kb_fail(err, KB_E_INVALID, "the PDF is damaged");
}

static uint32_t dpi_of(const struct kb_pdf_page *page)
{
	float inches = KB_MAX(page->width, page->height) / points_an_inch;
	float dpi = inches > 0 ? (float)SIDE_MAX / inches : (float)DPI;

	return (uint32_t)KB_MAX(KB_MIN(dpi, (float)DPI), (float)DPI_MIN);
}

static void find_painted(const struct kb_pdf *pdf, struct kb_doc *doc)
{
	for (size_t i = 0; i < pdf->page_count; i++) {
		const struct kb_pdf_page *page = &pdf->pages[i];
		size_t letters = 0;

		for (size_t j = page->first; j < page->first + page->count; j++)
			letters += pdf->lines[j].text.n;
		if (letters < PAINTED_LETTERS)
			kb_doc_painted(doc, (uint32_t)i + 1, dpi_of(page));
	}
}

void kb_pdf_fini(struct kb_pdf *pdf)
{
	free(pdf->pages);
	free(pdf->lines);
	free(pdf->boxes);
	free(pdf->tables);
}

static bool run_pdftotext(const struct kb_parse_input *in, const char *const *argv,
                          struct kb_pdf *pdf, struct kb_err *err)
{
	struct kb_pdf_scan *scan;
	struct kb_buf complaint;
	struct kb_helper_run run = {
		.argv = argv, .input = in->fd, .take = take_piece, .complaint = &complaint
	};
	bool ok;

	if (in->fd < 0)
		return kb_fail(err, KB_E_INVALID, "a PDF inside another file is not read");
	run.arg = scan = kb_pdf_scan_new(pdf, &in->look);
	kb_buf_init(&complaint, KB_HELPER_COMPLAINT_MAX);
	ok = kb_helper_run(&run, err);
	if (ok && !pdf->page_count)
		ok = kb_pdf_explain(in, run.status, err);
	kb_pdf_scan_free(scan);
	kb_buf_fini(&complaint);
	return ok;
}

void kb_pdf_write_lines(const struct kb_pdf *pdf, uint32_t page_no, struct kb_doc *doc)
{
	kb_doc_page(doc, page_no);
	for (size_t i = 0; i < pdf->line_count; i++) {
		const struct kb_pdf_line *line = &pdf->lines[i];

		kb_doc_add(doc, KB_BLOCK_PARAGRAPH, line->text);
		kb_doc_boxes(doc, line->text, pdf->boxes + line->box, line->box_n);
	}
}

/* A page that nobody can see the words of is no failure: it is looked at as a picture. */
static bool read_look(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	const char *page = kb_arena_str(
	        doc->arena, kb_arena_printf(doc->arena, "%u", (unsigned)in->look.page_no));
	/* What lies outside the part of the page that is shown is not read either. */
	const char *const argv[] = { PDFTOTEXT, "-q", "-enc", "UTF-8", "-cropbox",
		                     "-f",      page, "-l",   page,    "-bbox-layout",
		                     "-",       "-",  NULL };
	struct kb_pdf pdf = { .arena = doc->arena };
	bool ok = run_pdftotext(in, argv, &pdf, err);

	if (ok) {
		kb_pdf_write_lines(&pdf, in->look.page_no, doc);
		doc->pages = KB_MAX(doc->pages, in->look.page_no);
	}
	kb_pdf_fini(&pdf);
	return ok;
}

bool kb_pdf_read(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	static const char *const argv[] = { PDFTOTEXT,      "-q", "-enc", "UTF-8",
		                            "-bbox-layout", "-",  "-",    NULL };
	struct kb_pdf pdf = { .arena = doc->arena };
	bool ok;

	if (in->look.insets)
		return kb_pdf_insets_read(in, doc, err);
	if (in->look.page_no)
		return read_look(in, doc, err);
	ok = run_pdftotext(in, argv, &pdf, err);
	if (ok && in->wants_painted)
		find_painted(&pdf, doc);
	if (ok && !pdf.line_count && !in->wants_painted)
		ok = kb_fail(err, KB_E_INVALID,
		             "the PDF has no text layer (scanned?), and " KB_PICTURES_UNREAD);
	if (ok) {
		kb_pdf_drop_repeats(&pdf);
		kb_pdf_find_tables(&pdf);
		kb_pdf_write(&pdf, doc);
		doc->dated_at = KB_MAX(doc->dated_at, pdf.dated_at);
	}
	kb_pdf_fini(&pdf);
	return ok;
}
