/* What tesseract answers, or what stands in its place after a picture has taken it over: lines,
 * blocks and the places of words, in pieces of any size. */
#include <stdlib.h>

#include "parse/ocr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_arena arena = { 0 };
	struct kb_pdf pdf = { .arena = &arena };
	struct kb_parsed parsed;
	struct kb_doc doc;
	struct kb_err err;
	size_t step = size ? data[0] % 64 + 1 : 1;
	struct kb_ocr_page page = { size && data[0] & 64 ? 7 : 0, size && data[0] & 128 ? 300 : 0 };
	struct kb_ocr_reader *reader = kb_ocr_reader_new(&pdf, page);

	kb_doc_init(&doc, &arena, KB_MIB(1));
	for (size_t at = 0; at < size; at += step)
		if (!kb_ocr_reader_take(reader,
		                        kb_sv((const char *)data + at, KB_MIN(step, size - at))))
			break;
	kb_ocr_reader_end(reader);
	kb_pdf_drop_repeats(&pdf);
	kb_pdf_write(&pdf, &doc);
	if (kb_doc_done(&doc, &parsed, &err))
		for (size_t i = 0; i < parsed.block_count; i++)
			for (size_t j = 0; j < parsed.blocks[i].box_count; j++) {
				const struct kb_word_box *box = &parsed.blocks[i].boxes[j];

				/* As the server checks it. */
				if ((size_t)box->at + box->n > parsed.blocks[i].text.n)
					abort();
			}
	kb_ocr_reader_free(reader);
	kb_doc_fini(&doc);
	kb_pdf_fini(&pdf);
	kb_arena_fini(&arena);
	return 0;
}
