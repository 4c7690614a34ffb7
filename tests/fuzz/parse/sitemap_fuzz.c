/* Any bytes as a list of addresses. */
#include "base/date.h"
#include "parse/clean.h"
#include "parse/sitemap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_arena arena = { 0 };
	struct kb_parse_input in = { .bytes = { (const char *)data, size }, .fd = -1 };
	struct kb_sitemap list;
	struct kb_err err;

	kb_date_read(in.bytes);
	if (kb_sitemap_read(&in, &arena, &list, &err))
		for (size_t i = 0; i < list.count; i++)
			KB_ASSERT(list.entries[i].url.n && kb_clean_is(list.entries[i].url, false)
			          && kb_clean_is(list.entries[i].image, false)
			          && list.entries[i].modified_at >= 0);
	kb_arena_fini(&arena);
	return 0;
}
