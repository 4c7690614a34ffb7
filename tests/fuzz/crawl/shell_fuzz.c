/* A foreign page: the judgement ends, says the same of a copy, and is never "shell" of a page
 * without a script. */
#include "base/arena.h"
#include "crawl/shell.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_arena arena = { 0 };
	struct kb_sv html = kb_arena_sv(&arena, kb_sv((const char *)data, size));
	bool shell = kb_page_is_shell(html, true), script = kb_page_is_shell(html, false);

	KB_ASSERT(!shell || script);
	KB_ASSERT(kb_page_is_shell(kb_sv((const char *)data, size), true) == shell);
	kb_arena_fini(&arena);
	return 0;
}
