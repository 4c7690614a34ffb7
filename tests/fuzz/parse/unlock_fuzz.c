/* A file that is locked, foreign bytes from its first to its last; the password stands before it.
 * What comes of one is a PDF of the same length, or a zip no longer than its container. */
#include <stdlib.h>

#include "parse/unlock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_sv rest = kb_sv((const char *)data, size), password, out;
	struct kb_arena arena = { 0 };
	struct kb_err err = { 0 };

	if (!size)
		return 0;
	if (!kb_sv_split(&rest, '\n', &password))
		return 0;
	if (kb_unlock(&arena, rest, password, &out, &err)) {
		if (out.n > rest.n)
			abort();
	} else if (err.code != KB_E_INVALID) {
		abort();
	}
	kb_arena_fini(&arena);
	return 0;
}
