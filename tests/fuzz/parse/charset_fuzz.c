/* Any bytes as text of an unknown encoding, and their kind. */
#include "base/utf8.h"
#include "parse/charset.h"
#include "parse/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_arena arena = { 0 };
	struct kb_sv bytes = { (const char *)data, size };
	struct kb_parse_input in = { .bytes = bytes, .fd = -1 };

	KB_ASSERT(kb_utf8_valid(kb_charset_to_utf8(&arena, bytes, KB_SV(""), NULL)));
	KB_ASSERT(kb_detect(&in) < KB_FORMAT_COUNT);
	kb_arena_fini(&arena);
	return 0;
}
