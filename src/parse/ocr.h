/* What tesseract says of a page. Internal to parse; apart for its fuzz target and unit test. */
#ifndef KB_PARSE_OCR_H
#define KB_PARSE_OCR_H

#include "parse/pdf.h"

/* Reads its TSV piece by piece: words with their boxes become lines, paragraphs are blocks. */
struct kb_ocr_reader;

struct kb_ocr_page {
	uint32_t page_no; /* of the document; 0: as the answer counts them */
	uint32_t dpi;     /* 0: unknown */
};

struct kb_ocr_reader *kb_ocr_reader_new(struct kb_pdf *pdf, struct kb_ocr_page page);
void kb_ocr_reader_free(struct kb_ocr_reader *reader);
/* False when it has had enough. */
bool kb_ocr_reader_take(struct kb_ocr_reader *reader, struct kb_sv piece);
/* At the end. Whether words were seen, but too few that could be told to believe any of them. */
bool kb_ocr_reader_end(struct kb_ocr_reader *reader);

#endif
