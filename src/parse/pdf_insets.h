/*
 * Pictures on pages of a PDF: which pages show any, where they stand, and one of them by itself.
 * Internal to parse; the readers stand apart for their fuzz target and unit test.
 *
 * Poppler's programs say it: `pdfimages -list` names the pictures of all pages, `pdftocairo -svg`
 * says where they stand on one, `pdftoppm` draws that part of it, as a reader sees it.
 */
#ifndef KB_PARSE_PDF_INSETS_H
#define KB_PARSE_PDF_INSETS_H

#include "parse/format.h"

/* The pages with a picture that no page before them has shown, from a list of pdfimages. */
struct kb_pdf_list;
struct kb_pdf_list *kb_pdf_list_new(struct kb_doc *doc);
void kb_pdf_list_free(struct kb_pdf_list *list);
/* False: it has seen enough. */
bool kb_pdf_list_take(struct kb_pdf_list *list, struct kb_sv piece);

/* Where pictures stand on a page, from an SVG of pdftocairo. */
struct kb_pdf_svg;
struct kb_pdf_svg *kb_pdf_svg_new(void);
void kb_pdf_svg_free(struct kb_pdf_svg *svg);
bool kb_pdf_svg_take(struct kb_pdf_svg *svg, struct kb_sv piece);
/* At the end: into the document, those of the page that are large enough. */
void kb_pdf_svg_end(struct kb_pdf_svg *svg, uint32_t page_no, struct kb_doc *doc);

/* What in->look.insets asks for. */
kb_format_reader kb_pdf_insets_read;

/* The place in->look.inset of a page as a JPEG, into `jpeg`. */
bool kb_pdf_inset_draw(const struct kb_parse_input *in, struct kb_buf *jpeg,
                       struct kb_err *err) KB_MUST_CHECK;

#endif
