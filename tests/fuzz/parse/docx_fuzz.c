/* Any bytes as word/document.xml: the zip around it is made anew each time, without compression. */
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "parse/clean.h"
#include "parse/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct kb_sv make_zip(struct kb_arena *arena, const uint8_t *data, size_t size)
{
	zip_error_t error;
	zip_source_t *source = zip_source_buffer_create(NULL, 0, 0, &error);
	zip_t *zip = zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &error);
	zip_int64_t at;
	zip_stat_t stat;
	struct kb_sv out = KB_SV("");

	zip_source_keep(source);
	at = zip_file_add(zip, "word/document.xml", zip_source_buffer(zip, data, size, 0), 0);
	zip_set_file_compression(zip, (zip_uint64_t)at, ZIP_CM_STORE, 0);
	if (!zip_close(zip) && !zip_source_stat(source, &stat)) {
		char *bytes = kb_arena_bytes(arena, stat.size);

		zip_source_open(source);
		out = kb_sv(bytes, (size_t)zip_source_read(source, bytes, stat.size));
		zip_source_close(source);
	}
	zip_source_free(source);
	return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_arena arena = { 0 };
	struct kb_input in = { .bytes = make_zip(&arena, data, size), .fd = -1 };
	struct kb_parsed parsed;
	struct kb_doc doc;
	struct kb_err err;

	kb_doc_init(&doc, &arena, KB_MIB(4));
	if (kb_docx_read(&in, &doc, &err) && kb_doc_done(&doc, &parsed, &err))
		for (size_t i = 0; i < parsed.block_count; i++)
			KB_ASSERT(kb_clean_is(parsed.blocks[i].text, false));
	kb_doc_fini(&doc);
	kb_arena_fini(&arena);
	return 0;
}
