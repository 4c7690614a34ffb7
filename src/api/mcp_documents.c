#include "api/mcp_documents.h"

#include "base/utf8.h"
#include "parse/parse.h"

enum { LIST_PAGE = 100 };
#define TEXT_MAX KB_MIB(64)

static struct kb_sv uri_of(struct kb_mcp *mcp, const struct kb_page *page)
{
	return kb_arena_printf(mcp->call->arena, "docent://projects/%" PRId64 "/documents/%" PRId64,
	                       page->agent_id, page->id);
}

/* The agent's present state, to see what the labels open. Asked for once the rows of documents are
 * read: what can be read by then, the state knows. */
static bool open_view(struct kb_mcp *mcp, struct kb_err *err)
{
	if (mcp->live.snapshot)
		return true;
	if (!kb_catalog_get(mcp->call->api->catalog, mcp->call->agent.id, &mcp->live, err))
		return false;
	kb_pass_init(&mcp->pass, mcp->live.access, mcp->call->arena, &mcp->labels);
	return true;
}

static bool is_open(struct kb_mcp *mcp, const struct kb_page *page)
{
	return page->text_blob.n && (mcp->pass.all_open || kb_pass_allows(&mcp->pass, page->id));
}

bool kb_mcp_document(struct kb_mcp *mcp, int64_t id, struct kb_page *out, struct kb_err *err)
{
	struct kb_call *call = mcp->call;

	if (!kb_store_page_get(call->api->store, call->arena, call->agent.id, id, out, err)) {
		if (err->code != KB_E_NOT_FOUND)
			return false;
	} else if (!open_view(mcp, err)) {
		return false;
	} else if (is_open(mcp, out)) {
		return true;
	}
	return kb_fail(err, KB_E_NOT_FOUND, "Document with id %" PRId64 " not found", id);
}

bool kb_mcp_document_text(struct kb_mcp *mcp, const struct kb_page *page, struct kb_sv *out,
                          struct kb_err *err)
{
	struct kb_call *call = mcp->call;
	struct kb_parsed parsed;
	struct kb_sv json;
	struct kb_buf buf;
	bool ok;

	if (!kb_blob_read(call->api->blobs, call->arena, kb_arena_str(call->arena, page->text_blob),
	                  TEXT_MAX, &json, err)
	    || !kb_parsed_read(call->arena, json, &parsed, err))
		return false;
	kb_buf_init(&buf, TEXT_MAX);
	for (size_t i = 0; i < parsed.block_count; i++) {
		if (i)
			kb_buf_byte(&buf, '\n');
		kb_buf_sv(&buf, parsed.blocks[i].text);
	}
	ok = kb_buf_done(&buf, out, err);
	if (ok)
		*out = kb_arena_sv(call->arena, *out);
	kb_buf_fini(&buf);
	return ok;
}

void kb_mcp_write_document(struct kb_mcp *mcp, const struct kb_page *page)
{
	struct kb_jw *jw = &mcp->jw;

	kb_jw_key_int(jw, "document_id", page->id);
	kb_jw_key_sv(jw, "title", kb_page_title(page));
	kb_jw_key_opt(jw, "url",
	              page->agent_id ? kb_page_link(mcp->call, page) : (struct kb_sv){ 0 });
}

static void write_resource(struct kb_mcp *mcp, const struct kb_page *page)
{
	struct kb_jw *jw = &mcp->jw;

	kb_jw_key_sv(jw, "uri", uri_of(mcp, page));
	kb_jw_key_sv(jw, "name", kb_page_title(page));
	kb_jw_key_str(jw, "mimeType", "text/plain");
	kb_jw_key_sv(jw, "description", kb_page_link(mcp->call, page));
}

void kb_mcp_write_link(struct kb_mcp *mcp, const struct kb_page *page)
{
	kb_jw_object(&mcp->jw);
	kb_jw_key_str(&mcp->jw, "type", "resource_link");
	write_resource(mcp, page);
	kb_jw_end(&mcp->jw);
}

bool kb_mcp_list_documents(struct kb_mcp *mcp, struct kb_err *err)
{
	struct kb_call *call = mcp->call;
	struct kb_sv cursor = kb_json_sv(mcp->params, "cursor", KB_SV("1"));
	struct kb_page_filter filter = { .list = { .limit = LIST_PAGE },
		                         .crawl = -1,
		                         .index = KB_STATUS_OK };
	struct kb_page_list pages;
	struct kb_jw *jw = &mcp->jw;

	if (!kb_sv_to_int(cursor, 1, INT32_MAX, &filter.list.page))
		return kb_fail(err, KB_E_INVALID, "cursor is not one that was given");
	if (!kb_store_page_list(call->api->store, call->arena, call->agent.id, &filter, &pages, err)
	    || !open_view(mcp, err))
		return false;
	kb_jw_key(jw, "resources");
	kb_jw_array(jw);
	for (size_t i = 0; i < pages.count; i++) {
		const struct kb_page *page = &pages.v[i];

		if (!is_open(mcp, page))
			continue;
		kb_jw_object(jw);
		write_resource(mcp, page);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
	if (filter.list.page * LIST_PAGE < pages.total)
		kb_jw_key_sv(jw, "nextCursor",
		             kb_arena_printf(call->arena, "%" PRId64, filter.list.page + 1));
	return true;
}

bool kb_mcp_read_document(struct kb_mcp *mcp, struct kb_err *err)
{
	struct kb_sv uri = kb_json_sv(mcp->params, "uri", KB_SV("")), text, rest;
	struct kb_sv prefix = kb_arena_printf(
	        mcp->call->arena, "docent://projects/%" PRId64 "/documents/", mcp->call->agent.id);
	struct kb_jw *jw = &mcp->jw;
	struct kb_page page;
	int64_t id;

	rest = kb_sv_from(uri, prefix.n);
	if (!kb_sv_starts(uri, prefix) || !kb_sv_to_int(rest, 1, INT64_MAX, &id))
		return kb_fail(err, KB_E_NOT_FOUND, "there is no such resource");
	if (!kb_mcp_document(mcp, id, &page, err) || !kb_mcp_document_text(mcp, &page, &text, err))
		return false;
	kb_jw_key(jw, "contents");
	kb_jw_array(jw);
	kb_jw_object(jw);
	kb_jw_key_sv(jw, "uri", uri);
	kb_jw_key_str(jw, "mimeType", "text/plain");
	kb_jw_key_sv(jw, "text", kb_utf8_cut(text, KB_MIB(4)));
	kb_jw_end(jw);
	kb_jw_end(jw);
	return true;
}
