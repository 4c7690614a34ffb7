/* Foreign bytes into the JSON reader; what it accepts must survive our writer and read back. */
#include <string.h>

#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_arena arena = { 0 };
	struct kb_buf buf;
	struct kb_jw jw;
	struct kb_sv out;
	struct kb_err err;

	if (!kb_json_parse(&arena, kb_sv((const char *)data, size), &err))
		KB_ASSERT(err.code == KB_E_INVALID);
	kb_buf_init(&buf, size * 6 + 2);
	kb_jw_init(&jw, &buf);
	kb_jw_sv(&jw, kb_sv((const char *)data, size));
	KB_ASSERT(kb_buf_done(&buf, &out, &err));
	KB_ASSERT(kb_json_parse(&arena, out, &err)
	          || memchr(data, '\0', size)); /* \u0000 is refused on the way in */
	kb_buf_fini(&buf);
	kb_arena_fini(&arena);
	return 0;
}
