/* A document to look at: the bytes of an upload, or the text that was read of it where its bytes
 * are not kept and where the document is somebody else's page. */
#include "api/routes.h"
#include "base/buf.h"
#include "out/link.h"
#include "parse/parse.h"

/* As much as the largest document's text has. */
#define TEXT_MAX KB_GIB(1)

/* The name in a Content-Disposition field (RFC 6266, RFC 8187): ASCII for the old, UTF-8 for the
 * rest. */
static struct kb_sv disposition(struct kb_arena *arena, const char *kind, struct kb_sv name)
{
	struct kb_buf buf;
	struct kb_sv out;

	kb_buf_init(&buf, 8192);
	kb_buf_printf(&buf, "%s; filename=\"", kind);
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		kb_buf_byte(&buf, c >= 0x20 && c < 0x7f && c != '"' && c != '\\' ? c : '_');
	}
	kb_buf_str(&buf, "\"; filename*=UTF-8''");
	for (size_t i = 0; i < name.n; i++) {
		unsigned char c = (unsigned char)name.p[i];

		if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
		    || c == '.' || c == '-' || c == '_')
			kb_buf_byte(&buf, (char)c);
		else
			kb_buf_printf(&buf, "%%%02X", c);
	}
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

/* The declared type, if it is one: it came from outside and goes into a header. */
static const char *media_type(struct kb_arena *arena, struct kb_sv type)
{
	if (type.n == 0 || type.n > 100 || kb_sv_find_byte(type, '/') < 0)
		return "application/octet-stream";
	for (size_t i = 0; i < type.n; i++)
		if ((unsigned char)type.p[i] <= 0x20 || (unsigned char)type.p[i] >= 0x7f
		    || type.p[i] == ';')
			return "application/octet-stream";
	return kb_arena_str(arena, type);
}

/* Foreign bytes under our own address: never sniffed, never run. */
static struct kb_response safe(const char *content_type, struct kb_sv content_disposition)
{
	return (struct kb_response){
		.status = 200,
		.content_type = content_type,
		.fields = {
			{ KB_SV("content-disposition"), content_disposition },
			{ KB_SV("content-security-policy"), KB_SV("sandbox; default-src 'none'") },
			{ KB_SV("cache-control"), KB_SV("private, no-cache") },
		},
	};
}

bool kb_call_reply_original(struct kb_call *call, const struct kb_page *page, struct kb_err *err)
{
	struct kb_response response = safe(media_type(call->arena, page->content_type),
	                                   disposition(call->arena, "attachment", page->filename));

	return kb_call_respond_blob(call, &response, page->blob, true, err);
}

/* What stands before a block, and after it. */
static const struct {
	const char *before, *after;
} marks[] = {
	[KB_BLOCK_HEADING] = { "\n", "\n\n" }, [KB_BLOCK_PARAGRAPH] = { "", "\n\n" },
	[KB_BLOCK_LIST] = { "- ", "\n" },      [KB_BLOCK_TABLE] = { "", "\n" },
	[KB_BLOCK_CODE] = { "", "\n\n" },
};

static void write_text(struct kb_buf *buf, struct kb_sv title, struct kb_sv address,
                       const struct kb_parsed *parsed)
{
	if (title.n)
		kb_buf_printf(buf, "%.*s\n", KB_SV_ARG(title));
	if (address.n)
		kb_buf_printf(buf, "%.*s\n", KB_SV_ARG(address));
	kb_buf_byte(buf, '\n');
	for (size_t i = 0; i < parsed->block_count; i++) {
		const struct kb_block *block = &parsed->blocks[i];

		kb_buf_str(buf, marks[block->type].before);
		kb_buf_sv(buf, block->text);
		kb_buf_str(buf, marks[block->type].after);
	}
}

/* Plain text, so a browser may show it: nothing of the page's markup is in it. */
static bool reply_text(struct kb_call *call, const struct kb_page *page, struct kb_err *err)
{
	struct kb_sv title = page->meta_title.n ? page->meta_title
	                     : page->title.n    ? page->title
	                                        : page->filename;
	struct kb_response response =
	        safe("text/plain; charset=utf-8",
	             disposition(call->arena, "inline",
	                         kb_arena_printf(call->arena, "page-%" PRId64 ".txt", page->id)));
	struct kb_parsed parsed;
	struct kb_sv json;
	struct kb_buf buf;

	if (!kb_blob_read(call->api->blobs, call->arena, kb_arena_str(call->arena, page->text_blob),
	                  TEXT_MAX, &json, err)
	    || !kb_parsed_read(call->arena, json, &parsed, err))
		return false;
	kb_buf_init(&buf, TEXT_MAX);
	write_text(&buf, title, kb_link_shown(call->arena, page->url), &parsed);
	return kb_call_respond_buf(call, &response, &buf, err);
}

bool kb_preview_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_page page;
	int64_t id;

	if (!kb_call_id(call, 0, "Page", &id, err))
		return false;
	if (!kb_store_page_find(call->api->store, call->arena, call->who.account, id, &page, err)) {
		if (err->code != KB_E_NOT_FOUND)
			return false;
	} else if (kb_principal_reaches(&call->who, page.agent_id)
	           && kb_principal_is(&call->who, KB_ROLE_ASKER, page.agent_id, NULL)) {
		if (!kb_call_opens(call, &page, err))
			return false;
		if (page.is_ours && page.blob.n)
			return kb_call_reply_original(call, &page, err);
		if (page.text_blob.n)
			return reply_text(call, &page, err);
		return kb_fail(
		        err, KB_E_NOT_FOUND, "Page %" PRId64 " has no text to show: %.*s", id,
		        KB_SV_ARG(page.reason.n ? page.reason : KB_SV("it has not been read yet")));
	}
	return kb_fail(err, KB_E_NOT_FOUND, "Page with id %" PRId64 " not found", id);
}
