/* Any bytes as a document of one format: READER is its reader. What comes out is always clean, and
 * the documents within come one after the other. */
#include "parse/clean.h"
#include "parse/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct parts {
	bool open;
	uint32_t whole;
};

static bool take_piece(void *arg, const struct kb_part_piece *piece)
{
	struct parts *parts = arg;

	KB_ASSERT(piece->first != parts->open);
	parts->open = !piece->last;
	parts->whole += piece->last && !piece->spoilt;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct parts parts = { 0 };
	const struct kb_part_sink sink = { take_piece, &parts };
	struct kb_arena arena = { 0 };
	struct kb_parse_input in = { .bytes = { (const char *)data, size }, .fd = -1 };
	struct kb_parsed parsed;
	struct kb_doc doc;
	struct kb_err err;

	kb_doc_init(&doc, &arena, KB_MIB(4));
	doc.sink = &sink;
	if (READER(&in, &doc, &err) && kb_doc_done(&doc, &parsed, &err)) {
		KB_ASSERT(!parts.open && parts.whole == parsed.parts.taken);
		for (size_t i = 0; i < parsed.block_count; i++)
			KB_ASSERT(kb_clean_is(parsed.blocks[i].text,
			                      parsed.blocks[i].type == KB_BLOCK_CODE));
	}
	kb_doc_fini(&doc);
	kb_arena_fini(&arena);
	return 0;
}
