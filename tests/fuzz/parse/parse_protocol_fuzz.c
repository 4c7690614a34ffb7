/* Any bytes as what a child sends: head, then each kind of body. */
#include "parse/clean.h"
#include "parse/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_arena arena = { 0 };
	struct kb_sv body = { (const char *)data, size };
	struct kb_msg_request request;
	struct kb_msg_hello hello;
	struct kb_parsed parsed;
	struct kb_sitemap list;
	struct kb_part_piece piece;
	struct kb_err problem, err;
	enum kb_msg_type type;
	size_t length;

	if (size >= KB_MSG_HEAD_BYTES && kb_msg_check_head(data, KB_MIB(1), &type, &length, &err))
		KB_ASSERT(length <= (type == KB_MSG_DRAWING ? KB_DRAWING_BYTES_MAX : KB_MIB(1)));
	kb_msg_get_hello(body, &hello, &err);
	kb_msg_get_request(body, &request, &err);
	kb_msg_get_error(body, &problem, &err);
	if (kb_msg_get_result(&arena, body, &parsed, &err)) {
		KB_ASSERT(parsed.inset_count <= KB_INSETS_MAX);
		for (size_t i = 0; i < parsed.inset_count; i++)
			KB_ASSERT(parsed.insets[i].block <= parsed.block_count
			          && parsed.insets[i].x1 <= KB_BOX_UNITS);
		for (size_t i = 0; i < parsed.block_count; i++)
			KB_ASSERT(kb_clean_is(parsed.blocks[i].text,
			                      parsed.blocks[i].type == KB_BLOCK_CODE)
			          && (parsed.blocks[i].page_no <= parsed.pages
			              || kb_is_moment(parsed.blocks[i].page_no)));
	}
	if (kb_msg_get_list(&arena, body, &list, &err))
		for (size_t i = 0; i < list.count; i++)
			KB_ASSERT(kb_clean_is(list.entries[i].url, false)
			          && list.entries[i].modified_at >= 0);
	if (kb_msg_get_part(body, &piece, &err))
		KB_ASSERT(piece.bytes.n <= KB_MSG_PIECE_MAX);
	kb_arena_fini(&arena);
	return 0;
}
