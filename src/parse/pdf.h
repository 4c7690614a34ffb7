/* Lines on pages, as pdftotext or tesseract sees them, and what is made of them. Internal to pdf.c
 * (running pdftotext, reading its answer), ocr.c (the same for tesseract) and pdf_text.c (lines to
 * paragraphs and headings). */
#ifndef KB_PARSE_PDF_H
#define KB_PARSE_PDF_H

#include "parse/doc.h"

enum { KB_PDF_PAGES_MAX = 100000, KB_PDF_LINES_MAX = 4000000, KB_PDF_WORDS_MAX = 512 };

struct kb_pdf_line {
	uint32_t page;  /* from 0 */
	uint32_t block; /* pdftotext's: lines that stand together; counts through the document */
	float x0, y0, x1, y1;
	float size;        /* height of its letters */
	bool drop;         /* a running head or foot */
	struct kb_sv text; /* in the arena */
	size_t box, box_n; /* of its words, in `boxes`; measured in `text` */
};

struct kb_pdf_page {
	float width, height;
	size_t first, count; /* lines */
};

/* A table of a page; its lines are dropped. */
struct kb_pdf_table {
	size_t at;           /* the first of its lines */
	struct kb_sv *cells; /* row by row, in the arena; empty: nothing stands there */
	size_t columns, rows;
	bool has_head; /* the first row names the columns */
};

struct kb_pdf {
	struct kb_arena *arena;
	struct kb_pdf_page *pages;
	struct kb_pdf_line *lines;
	size_t page_count, page_capacity, line_count, line_capacity;
	struct kb_word_box *boxes;
	size_t box_count, box_capacity;
	struct kb_pdf_table *tables;
	size_t table_count, table_capacity;
	bool has_paragraphs; /* a block is one, apart from items: lines hold ink, and stand at odds
	                      */
	float heading_ratio; /* of a heading's letters to the body's; 0: the usual */
	struct kb_sv title;  /* of the file's properties */
	int64_t dated_at;    /* likewise, the latest; 0: none */
};

void kb_pdf_fini(struct kb_pdf *pdf);

/* Reads what pdftotext writes with -bbox-layout, in pieces; with look->page_no the words keep their
 * places. False from take: there is more than is read. `look` outlives the scan. */
struct kb_pdf_scan;
struct kb_pdf_scan *kb_pdf_scan_new(struct kb_pdf *pdf, const struct kb_page_look *look);
void kb_pdf_scan_free(struct kb_pdf_scan *scan);
bool kb_pdf_scan_take(struct kb_pdf_scan *scan, struct kb_sv piece);

/* A line as it is read: mostly Arabic or Hebrew, it comes as it is painted, from left to right. The
 * words of one that was turned are *count, and the i-th of them was painted as the order[i]-th;
 * *count is 0 where nothing was turned. */
struct kb_sv kb_pdf_logical(struct kb_arena *arena, struct kb_sv line,
                            size_t order[KB_PDF_WORDS_MAX], size_t *count);

/* Marks what repeats at the edges of the pages. */
void kb_pdf_drop_repeats(struct kb_pdf *pdf);
/* Finds what stands in rows and columns (pdf_table.c), once the repeats are marked. */
void kb_pdf_find_tables(struct kb_pdf *pdf);
/* Writes the tables from the next-th on that begin before the line; which one is next then. */
size_t kb_pdf_write_tables(const struct kb_pdf *pdf, size_t next, size_t end, struct kb_doc *doc);
/* Two lines of a text, or of a cell. */
struct kb_sv kb_pdf_join(struct kb_arena *arena, struct kb_sv text, struct kb_sv next);
/* Writes headings, paragraphs and the tables that were found. */
void kb_pdf_write(const struct kb_pdf *pdf, struct kb_doc *doc);
/* A page that is looked at: its lines as they stand, each with the places of its words. */
void kb_pdf_write_lines(const struct kb_pdf *pdf, uint32_t page_no, struct kb_doc *doc);

#endif
