/* Pictures in requests: what is taken for one has the address that it came with, but for its kind.
 */
#include "upstream/picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_arena arena = { 0 };
	struct kb_err err = { 0 };
	struct kb_sv given = kb_sv((const char *)data, size), bytes = given, address, again;

	/* An address, or the bytes themselves. */
	if (!kb_picture_bytes(&arena, given, &bytes, &err))
		KB_ASSERT(err.code == KB_E_INVALID && err.msg[0]);
	if (kb_picture_address(&arena, bytes, &address, &err))
		KB_ASSERT(kb_picture_bytes(&arena, address, &again, &err)
		          && kb_sv_eq(again, bytes));
	else
		KB_ASSERT((err.code == KB_E_INVALID || err.code == KB_E_TOO_LARGE) && err.msg[0]);
	kb_arena_fini(&arena);
	return 0;
}
