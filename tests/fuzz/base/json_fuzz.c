/* Foreign bytes into the JSON readers; the fast one agrees with the strict one, and what that
 * accepts must survive our writer and read back. */
#include <string.h>

#include "base/json.h"
#include "base/json_flat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_flat(struct kb_arena *arena, struct kb_sv text)
{
	struct kb_json_member members[] = { { "id" }, { "text" } };
	struct kb_err err;
	json_t *json;

	if (!kb_json_flat(arena, text, members, KB_COUNTOF(members)))
		return;
	json = kb_json_parse(arena, text, &err);
	KB_ASSERT(json_is_object(json));
	for (size_t i = 0; i < KB_COUNTOF(members); i++) {
		json_t *value = kb_json_get(json, members[i].name);

		KB_ASSERT(members[i].found == (value != NULL));
		KB_ASSERT(members[i].number == json_is_integer(value));
		if (json_is_string(value))
			KB_ASSERT(kb_sv_eq(kb_json_sv(json, members[i].name, KB_SV("")),
			                   members[i].value));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_arena arena = { 0 };
	struct kb_buf buf;
	struct kb_jw jw;
	struct kb_sv out;
	struct kb_err err;

	check_flat(&arena, kb_sv((const char *)data, size));
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
