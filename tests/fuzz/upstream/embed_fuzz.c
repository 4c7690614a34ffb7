/* Answers of embedding servers: what is read is as many finite floats as were asked for. */
#include <math.h>

#include "index/vectors.h"
#include "upstream/embed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte: how many texts were sent, and whether the length of vectors is known. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t count = size ? data[0] % 4 + 1 : 1;
	uint32_t known = size && data[0] & 0x80 ? 2 : 0;
	struct kb_arena arena = { 0 };
	struct kb_err err = { 0 };
	struct kb_embedded made;

	if (!size)
		return 0;
	if (kb_embed_read(&arena, kb_sv((const char *)data + 1, size - 1), count, known, &made,
	                  &err)) {
		KB_ASSERT(made.dims > 0 && made.dims <= KB_VECTOR_DIMS_MAX
		          && (!known || made.dims == known));
		for (size_t i = 0; i < count * made.dims; i++)
			KB_ASSERT(isfinite(made.rows[i]));
	} else {
		KB_ASSERT(err.code == KB_E_UPSTREAM && err.msg[0]);
	}
	kb_arena_fini(&arena);
	return 0;
}
