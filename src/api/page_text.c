/* The text that was read of a document, block by block, as answers and searches name places in it:
 * `offset` and `length` are bytes of the whole text, whose blocks a line end joins. */
#include "api/routes.h"
#include "passages/chunk.h"
#include "view/view.h"

enum { USUAL = 64 << 10, MOST = 1 << 20 };
#define TEXT_MAX KB_GIB(1)

static const char *const types[] = {
	[KB_BLOCK_HEADING] = "heading", [KB_BLOCK_PARAGRAPH] = "paragraph",
	[KB_BLOCK_LIST] = "list",       [KB_BLOCK_TABLE] = "table",
	[KB_BLOCK_CODE] = "code",
};

static bool range(struct kb_call *call, const char *name, int64_t max, int64_t *out,
                  struct kb_err *err)
{
	struct kb_sv text = kb_request_query(call->req, name);

	if (!text.p || kb_sv_to_int(kb_sv_trim(text), 0, max, out))
		return true;
	return kb_fail(err, KB_E_INVALID, "%s must be an integer from 0 to %" PRId64, name, max);
}

bool kb_call_text_window(struct kb_call *call, struct kb_text_window *out, struct kb_err *err)
{
	*out = (struct kb_text_window){ .length = USUAL };
	return range(call, "from", UINT32_MAX, &out->from, err)
	       && range(call, "length", MOST, &out->length, err);
}

static size_t end_of(const struct kb_block *block)
{
	return (size_t)block->offset + block->text.n;
}

void kb_text_write_blocks(struct kb_jw *jw, const struct kb_parsed *parsed,
                          const struct kb_text_window *window)
{
	size_t from = (size_t)window->from, length = (size_t)window->length, i = 0;

	while (i < parsed->block_count && end_of(&parsed->blocks[i]) < from)
		i++;
	kb_jw_key(jw, "blocks");
	kb_jw_array(jw);
	for (; i < parsed->block_count && parsed->blocks[i].offset < from + length; i++) {
		const struct kb_block *block = &parsed->blocks[i];

		kb_jw_object(jw);
		kb_jw_key_str(jw, "type", types[block->type]);
		kb_page_no_write(jw, block->page_no);
		kb_jw_key_int(jw, "offset", block->offset);
		kb_jw_key_int(jw, "length", (int64_t)block->text.n);
		kb_jw_key_sv(jw, "text", block->text);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
	kb_jw_key(jw, "next_from");
	if (i < parsed->block_count)
		kb_jw_int(jw, parsed->blocks[i].offset);
	else
		kb_jw_null(jw);
}

bool kb_call_page_text(struct kb_call *call, const struct kb_page *page, struct kb_parsed *parsed,
                       struct kb_err *err)
{
	struct kb_sv json;

	*parsed = (struct kb_parsed){ 0 };
	return page->text_blob.n == 0
	       || (kb_blob_read(call->api->blobs, call->arena,
	                        kb_arena_str(call->arena, page->text_blob), TEXT_MAX, &json, err)
	           && kb_parsed_read(call->arena, json, parsed, err));
}

bool kb_page_text_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_text_window window;
	struct kb_parsed parsed;
	struct kb_page page;
	struct kb_buf buf;
	struct kb_jw jw;
	size_t bytes;

	if (!kb_call_text_window(call, &window, err))
		return false;
	if (!kb_call_cited_page(call, &page, err) || !kb_call_page_text(call, &page, &parsed, err))
		return false;
	bytes = parsed.block_count ? end_of(&parsed.blocks[parsed.block_count - 1]) : 0;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "page_id", page.id);
	kb_jw_key_opt(&jw, "title",
	              page.meta_title.p ? page.meta_title
	              : page.title.n    ? page.title
	              : page.filename.n ? page.filename
	                                : (struct kb_sv){ 0 });
	kb_jw_key_sv(&jw, "format", parsed.format);
	kb_jw_key_int_opt(&jw, "pages", parsed.pages);
	kb_jw_key_bool(&jw, "has_pictures", kb_view_has_pages(&page, &parsed));
	kb_jw_key_int(&jw, "words", page.words);
	kb_jw_key_int(&jw, "bytes", (int64_t)bytes);
	kb_jw_key_int(&jw, "from", window.from);
	kb_text_write_blocks(&jw, &parsed, &window);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

/* ---- passages: what a search finds and an answer quotes */

static void write_passage(struct kb_call *call, struct kb_jw *jw, const void *rows, size_t i)
{
	const struct kb_chunk *chunk = (const struct kb_chunk *)rows + i;

	(void)call;
	kb_jw_object(jw);
	kb_page_no_write(jw, chunk->page_no);
	kb_jw_key_int(jw, "offset", chunk->offset);
	kb_jw_key_int(jw, "length", (int64_t)chunk->text.n);
	kb_jw_key_opt(jw, "heading", chunk->heading.n ? chunk->heading : (struct kb_sv){ 0 });
	kb_jw_key_sv(jw, "text", chunk->text);
	kb_jw_end(jw);
}

bool kb_page_passages_list(struct kb_call *call, struct kb_err *err)
{
	const struct kb_list list = kb_call_list(call, 20);
	struct kb_paginator out = { .list = &list, .row = write_passage };
	struct kb_parsed parsed;
	struct kb_chunks chunks;
	struct kb_page page;
	struct kb_buf buf;
	struct kb_jw jw;
	size_t first;

	if (!kb_call_cited_page(call, &page, err) || !kb_call_page_text(call, &page, &parsed, err))
		return false;
	/* The same text gives the same passages as are in the index. */
	kb_chunk(call->arena, &parsed, &chunks);
	first = (size_t)KB_MIN((list.page - 1) * list.limit, (int64_t)chunks.count);
	out.total = (int64_t)chunks.count;
	out.count = (size_t)KB_MIN(list.limit, (int64_t)(chunks.count - first));
	out.rows = chunks.v + first;
	kb_call_begin(call, &buf, &jw);
	kb_call_paginate(call, &jw, &out);
	return kb_call_reply(call, 200, &buf, &jw, err);
}
