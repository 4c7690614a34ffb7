/* What pdfimages and pdftocairo write, or what stands in its place after a PDF has taken them over:
 * pages with pictures, and where those stand on one, in pieces of any size. */
#include <stdlib.h>

#include "parse/pdf_insets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As the server checks it. */
static void check(const struct kb_parsed *parsed)
{
	if (parsed->inset_count > KB_INSETS_MAX)
		abort();
	for (size_t i = 0; i < parsed->inset_count; i++) {
		const struct kb_inset *inset = &parsed->insets[i];

		if (inset->x0 > inset->x1 || inset->y0 > inset->y1 || inset->x1 > KB_BOX_UNITS
		    || inset->y1 > KB_BOX_UNITS || inset->page_no > parsed->pages || inset->block)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool is_list = size && data[0] & 128;
	size_t step = size ? data[0] % 64 + 1 : 1;
	struct kb_arena arena = { 0 };
	struct kb_pdf_list *list;
	struct kb_pdf_svg *svg = kb_pdf_svg_new();
	struct kb_parsed parsed;
	struct kb_doc doc;
	struct kb_err err;

	kb_doc_init(&doc, &arena, KB_MIB(1));
	doc.wants_insets = true;
	list = kb_pdf_list_new(&doc);
	for (size_t at = 0; at < size; at += step) {
		struct kb_sv piece = kb_sv((const char *)data + at, KB_MIN(step, size - at));

		if (!(is_list ? kb_pdf_list_take(list, piece) : kb_pdf_svg_take(svg, piece)))
			break;
	}
	if (!is_list)
		kb_pdf_svg_end(svg, 7, &doc);
	if (kb_doc_done(&doc, &parsed, &err))
		check(&parsed);
	kb_pdf_list_free(list);
	kb_pdf_svg_free(svg);
	kb_doc_fini(&doc);
	kb_arena_fini(&arena);
	return 0;
}
