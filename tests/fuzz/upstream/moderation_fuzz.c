/* Answers of moderation servers: either they say of every result whether it is flagged, or none of
 * it counts. */
#include "upstream/moderation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_err err = { 0 };
	bool flagged, again;

	if (!kb_moderation_read(kb_sv((const char *)data, size), &flagged, &err)) {
		KB_ASSERT(err.code == KB_E_UPSTREAM && err.msg[0]);
		return 0;
	}
	KB_ASSERT(kb_moderation_read(kb_sv((const char *)data, size), &again, &err));
	KB_ASSERT(again == flagged);
	return 0;
}
