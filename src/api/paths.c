/* Uploads that mirror the files of a folder: the path one has there, and the address that readers
 * know it by. */
#include "api/paths.h"

#include "api/routes.h"
#include "base/utf8.h"
#include "out/link.h"
#include "parse/filename.h"

enum { PATH_CHARS = 1000, URL_CHARS = 2000 };

/* A path is compared byte by byte by whoever mirrors the folder, so it is never mended. */
static bool is_path(struct kb_sv path)
{
	struct kb_sv rest = path, part;

	if (!path.n || path.p[path.n - 1] == '/' || !kb_utf8_valid(path))
		return false;
	for (size_t i = 0; i < path.n; i++)
		if ((unsigned char)path.p[i] < 0x20 || path.p[i] == 0x7f)
			return false;
	while (kb_sv_split(&rest, '/', &part))
		if (!part.n || kb_sv_eq_str(part, ".") || kb_sv_eq_str(part, ".."))
			return false;
	return true;
}

bool kb_path_input(struct kb_call *call, struct kb_path_input *out, struct kb_err *err)
{
	struct kb_sv path = KB_SV(""), url = { 0 };

	*out = (struct kb_path_input){ 0 };
	if (!kb_inputs_text(&call->inputs, call->arena, "path", PATH_CHARS, &path, err))
		return false;
	if (!path.n)
		return true;
	if (!kb_inputs_text(&call->inputs, call->arena, "url", URL_CHARS, &url, err))
		return false;
	if (!is_path(path))
		return kb_fail(
		        err, KB_E_INVALID,
		        "path must lead from the folder's top to the file: manuals/harbour.md");
	if (url.n && !kb_link_is_plain(call->arena, url))
		return kb_fail(err, KB_E_INVALID, "Url must be valid url.");
	out->path = path;
	out->filename = kb_filename_clean(call->arena, path);
	out->url = url;
	return true;
}

bool kb_page_path_update(struct kb_call *call, struct kb_err *err)
{
	struct kb_path_input input;
	struct kb_page page;
	struct kb_buf buf;
	struct kb_jw jw;
	int64_t id;

	if (!kb_call_id(call, 1, "Page", &id, err) || !kb_path_input(call, &input, err))
		return false;
	if (!input.path.n)
		return kb_fail(err, KB_E_INVALID, "path is needed");
	if (!kb_store_page_move(call->api->store, call->arena,
	                        &(struct kb_page_move){ .agent_id = call->agent.id,
	                                                .id = id,
	                                                .path = input.path,
	                                                .filename = input.filename,
	                                                .meta_url = input.url },
	                        &page, err))
		return false;
	kb_api_wake(call->api);
	kb_call_begin(call, &buf, &jw);
	kb_record_page(call, &jw, &page);
	return kb_call_reply(call, 200, &buf, &jw, err);
}
