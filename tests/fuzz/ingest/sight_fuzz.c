/* What a model says of a picture: any words become blocks that the store and an answer can take. */
#include "base/json.h"
#include "ingest/sight.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_arena arena = { 0 };
	struct kb_parsed page, again;
	struct kb_err err = { 0 };
	struct kb_buf json;
	struct kb_jw jw;

	if (kb_sight_read(&arena, 3, kb_sv((const char *)data, size), &page)) {
		KB_ASSERT(page.block_count > 0);
		kb_buf_init(&json, SIZE_MAX);
		kb_jw_init(&jw, &json);
		kb_parsed_write(&page, &jw);
		KB_ASSERT(kb_parsed_read(&arena, kb_buf_view(&json), &again, &err));
		KB_ASSERT(again.block_count == page.block_count);
		for (size_t i = 0; i < page.block_count; i++)
			KB_ASSERT(page.blocks[i].text.n && page.blocks[i].page_no == 3
			          && kb_sv_eq(again.blocks[i].text, page.blocks[i].text));
		kb_buf_fini(&json);
	}
	kb_arena_fini(&arena);
	return 0;
}
