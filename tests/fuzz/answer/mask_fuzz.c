/* A prompt with anything in it: masking stays inside it, and what it gives stays bounded. */
#include "answer/mask.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_arena arena = { 0 };
	struct kb_sv out = kb_mask(&arena, kb_sv((const char *)data, size));

	KB_ASSERT(out.n <= 3 * size + 16);
	kb_arena_fini(&arena);
	return 0;
}
