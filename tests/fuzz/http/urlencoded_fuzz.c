/* Foreign bytes as a urlencoded text: pairs never hold more than their text, and the rows are the
 * pairs. */
#include <string.h>

#include "http/server.h"
#include "http/upload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_sv text = kb_sv((const char *)data, size), rest = text, name, value;
	struct kb_arena arena = { 0 };
	struct kb_request req = { .arena = &arena, .query = text };
	struct kb_form_part *parts;
	struct kb_err err;
	size_t count, n = 0, bytes = 0;

	if (kb_form_pairs(&arena, text, &parts, &count, &err)) {
		for (; kb_urlencoded_next(&arena, &rest, &name, &value); n++) {
			KB_ASSERT(n < count && kb_sv_eq(parts[n].name, name)
			          && kb_sv_eq(parts[n].value, value));
			bytes += name.n + value.n;
		}
		KB_ASSERT(n == count && bytes <= size);
		if (count && !memchr(parts[0].name.p, '\0', parts[0].name.n)) {
			const char *key = kb_arena_str(&arena, parts[0].name);

			KB_ASSERT(kb_sv_eq(kb_request_query(&req, key), parts[0].value));
		}
	}
	kb_arena_fini(&arena);
	return 0;
}
