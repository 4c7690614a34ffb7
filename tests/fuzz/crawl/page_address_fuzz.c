/* The name of a foreign address is an address itself, of the same host, and its own name. */
#include "crawl/page_address.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_arena arena = { 0 };
	struct kb_url url, again;
	struct kb_err err;

	if (kb_url_parse(&arena, kb_sv((const char *)data, size), NULL, &url, &err)
	    && kb_url_is_web(&url)) {
		struct kb_sv name = kb_page_address(&arena, &url);
		struct kb_page_shape shape = kb_page_shape(&arena, &url, 3);

		KB_ASSERT(shape.most >= 0 && shape.text.n <= url.href.n + 2 * size);
		KB_ASSERT(kb_url_parse(&arena, name, NULL, &again, &err));
		KB_ASSERT(kb_url_same_origin(&url, &again) && again.fragment.n == 0);
		KB_ASSERT(kb_sv_eq(again.href, name));
		KB_ASSERT(kb_sv_eq(kb_page_address(&arena, &again), name));
	}
	kb_arena_fini(&arena);
	return 0;
}
