/* Foreign XML: elements lie inside it and get shorter, and each error has a sentence. */
#include <string.h>

#include "blob/s3_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "Contents", "Key", "Code", "NextContinuationToken" };
	struct kb_sv xml = kb_sv((const char *)data, size);
	struct kb_arena arena = { 0 };
	struct kb_s3_refusal refusal = { .status = size ? 100 + data[0] * 2 : 0, .doing = "read" };

	for (size_t i = 0; i < KB_COUNTOF(names); i++) {
		struct kb_sv rest = xml, content;

		while (size && kb_s3_element(&rest, names[i], &content)) {
			KB_ASSERT(content.p >= xml.p && content.p + content.n <= rest.p
			          && rest.p + rest.n == xml.p + xml.n);
			KB_ASSERT(kb_s3_text(&arena, content, "Key").n <= content.n);
		}
	}
	refusal.code = kb_s3_text(&arena, xml, "Code");
	refusal.region = kb_s3_text(&arena, xml, "Region");
	KB_ASSERT(kb_s3_explain(&arena, &refusal).n > 0);
	KB_ASSERT(!kb_s3_may_pass(&refusal) || refusal.status);
	kb_arena_fini(&arena);
	return 0;
}
