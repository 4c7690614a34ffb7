/* What pdftotext writes, or what stands in its place after a PDF has taken it over: pages, lines
 * and the places of words, in pieces of any size; of a whole document and of one page. */
#include <stdlib.h>

#include "parse/pdf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct kb_block *block)
{
	size_t end = 0;

	/* As the server checks it. */
	for (size_t i = 0; i < block->box_count; i++) {
		const struct kb_word_box *box = &block->boxes[i];

		if (box->at < end || (size_t)box->at + box->n > block->text.n
		    || box->x1 > KB_BOX_UNITS || box->y1 > KB_BOX_UNITS)
			abort();
		end = (size_t)box->at + box->n;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_arena arena = { 0 };
	struct kb_pdf pdf = { .arena = &arena };
	struct kb_parsed parsed;
	struct kb_doc doc;
	struct kb_err err;
	size_t step = size ? data[0] % 64 + 1 : 1;
	struct kb_page_look look = { .page_no = size && data[0] & 64 ? 7 : 0,
		                     .width = 600,
		                     .height = size && data[0] & 128 ? 300 : 900 };
	struct kb_pdf_scan *scan = kb_pdf_scan_new(&pdf, &look);

	kb_doc_init(&doc, &arena, KB_MIB(1));
	for (size_t at = 0; at < size; at += step)
		if (!kb_pdf_scan_take(scan,
		                      kb_sv((const char *)data + at, KB_MIN(step, size - at))))
			break;
	if (look.page_no) {
		kb_pdf_write_lines(&pdf, look.page_no, &doc);
	} else {
		kb_pdf_drop_repeats(&pdf);
		kb_pdf_find_tables(&pdf);
		kb_pdf_write(&pdf, &doc);
	}
	if (kb_doc_done(&doc, &parsed, &err))
		for (size_t i = 0; i < parsed.block_count; i++)
			check(&parsed.blocks[i]);
	kb_pdf_scan_free(scan);
	kb_doc_fini(&doc);
	kb_pdf_fini(&pdf);
	kb_arena_fini(&arena);
	return 0;
}
