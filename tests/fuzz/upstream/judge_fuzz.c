/* Answers of rerank servers: what is read is a finite score for each passage. */
#include <math.h>

#include "upstream/rerank.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t count = size ? data[0] % 4 + 1 : 1;
	struct kb_err err = { 0 };
	float scores[4];

	if (!size)
		return 0;
	for (size_t i = 0; i < count; i++)
		scores[i] = NAN;
	if (kb_rerank_read(kb_sv((const char *)data + 1, size - 1), count, scores, &err)) {
		for (size_t i = 0; i < count; i++)
			KB_ASSERT(isfinite(scores[i]));
	} else {
		KB_ASSERT(err.code == KB_E_UPSTREAM && err.msg[0]);
	}
	return 0;
}
