/*
 * Any bytes as the parts of a document that is a zip of XML: READER is its reader, PARTS one of
 * the lists of archives.h. A byte 0 ends a part and begins the next; parts that the bytes do not
 * reach have the texts below, so that the first one alone is a document. The zip is made anew,
 * uncompressed, since a fuzzer would otherwise never get past its checksums.
 */
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "archives.h"
#include "parse/clean.h"
#include "parse/format.h"

static const struct part {
	const char *name, *text;
} parts[] = { PARTS };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct kb_sv make_zip(struct kb_arena *arena, struct kb_sv rest)
{
	zip_error_t error;
	zip_source_t *source = zip_source_buffer_create(NULL, 0, 0, &error);
	zip_t *zip = zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &error);
	struct kb_sv out = KB_SV("");
	zip_stat_t stat;

	zip_source_keep(source);
	for (size_t i = 0; i < KB_COUNTOF(parts); i++) {
		struct kb_sv text = kb_sv_str(parts[i].text);
		zip_int64_t at;

		if (rest.n)
			kb_sv_split(&rest, 0, &text);
		at = zip_file_add(zip, parts[i].name, zip_source_buffer(zip, text.p, text.n, 0), 0);
		zip_set_file_compression(zip, (zip_uint64_t)at, ZIP_CM_STORE, 0);
	}
	if (!zip_close(zip) && !zip_source_stat(source, &stat)) {
		char *bytes = kb_arena_bytes(arena, stat.size);

		zip_source_open(source);
		out = kb_sv(bytes, (size_t)zip_source_read(source, bytes, stat.size));
		zip_source_close(source);
	}
	zip_source_free(source);
	return out;
}

/* As the server checks it. */
static void check_inset(const struct kb_parsed *parsed, const struct kb_inset *inset)
{
	KB_ASSERT(inset->block <= parsed->block_count && inset->page_no <= parsed->pages);
	KB_ASSERT(inset->name.n <= KB_INSET_NAME_MAX);
	KB_ASSERT(inset->x0 <= inset->x1 && inset->y0 <= inset->y1);
	KB_ASSERT(inset->x1 <= KB_BOX_UNITS && inset->y1 <= KB_BOX_UNITS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_arena arena = { 0 };
	struct kb_parse_input in = { .fd = -1 };
	struct kb_parsed parsed;
	struct kb_doc doc;
	struct kb_err err;

	in.bytes = make_zip(&arena, kb_sv((const char *)data, size));
	kb_doc_init(&doc, &arena, KB_MIB(4));
	doc.wants_insets = true;
	if (READER(&in, &doc, &err) && kb_doc_done(&doc, &parsed, &err)) {
		for (size_t i = 0; i < parsed.block_count; i++)
			KB_ASSERT(kb_clean_is(parsed.blocks[i].text,
			                      parsed.blocks[i].type == KB_BLOCK_CODE));
		for (size_t i = 0; i < parsed.inset_count; i++)
			check_inset(&parsed, &parsed.insets[i]);
	}
	kb_doc_fini(&doc);
	kb_arena_fini(&arena);
	return 0;
}
