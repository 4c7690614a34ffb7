/* A PDF's lines as pdftotext sees them, and what is made of them. Internal to the two files pdf.c
 * (running pdftotext, reading its answer) and pdf_text.c (lines to paragraphs and headings). */
#ifndef KB_PARSE_PDF_H
#define KB_PARSE_PDF_H

#include "parse/doc.h"

enum { KB_PDF_PAGES_MAX = 100000, KB_PDF_LINES_MAX = 4000000 };

struct kb_pdf_line {
	uint32_t page;  /* from 0 */
	uint32_t block; /* pdftotext's: lines that stand together; counts through the document */
	float x0, y0, x1, y1;
	float size;        /* height of its letters */
	bool drop;         /* a running head or foot */
	struct kb_sv text; /* in the arena */
};

struct kb_pdf_page {
	float width, height;
	size_t first, count; /* lines */
};

struct kb_pdf {
	struct kb_arena *arena;
	struct kb_pdf_page *pages;
	struct kb_pdf_line *lines;
	size_t page_count, page_capacity, line_count, line_capacity;
	struct kb_sv title; /* of the file's properties */
};

/* Marks what repeats at the edges of the pages. */
void kb_pdf_drop_repeats(struct kb_pdf *pdf);
/* Writes headings and paragraphs. */
void kb_pdf_write(const struct kb_pdf *pdf, struct kb_doc *doc);

#endif
