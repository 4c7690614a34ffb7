#include "api/upload.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

enum { FILENAME_CHARS = 255 };

static bool is_file_name(struct kb_sv name)
{
	return kb_sv_eq_str(name, "file") || kb_sv_eq_str(name, "files")
	       || (kb_sv_starts(name, KB_SV("files[")) && kb_sv_ends(name, KB_SV("]")))
	       || (kb_sv_starts(name, KB_SV("file[")) && kb_sv_ends(name, KB_SV("]")));
}

void kb_uploads_find(struct kb_call *call, struct kb_uploads *out)
{
	const struct kb_inputs *inputs = &call->inputs;

	*out = (struct kb_uploads){ .v = KB_NEW_ARRAY(call->arena, inputs->count,
		                                      const struct kb_input *) };
	for (size_t i = 0; i < inputs->count; i++) {
		const struct kb_input *input = &inputs->v[i];

		if (!is_file_name(input->name))
			continue;
		if (input->kind == KB_INPUT_FILE
		    || (input->kind == KB_INPUT_TEXT && !inputs->json && input->text.n))
			out->v[out->count++] = input;
	}
}

struct kb_sv kb_upload_name(struct kb_arena *arena, struct kb_sv name)
{
	struct kb_sv clean = kb_utf8_mend(arena, name);
	char *copy;
	size_t n = 0;

	for (size_t i = clean.n; i-- > 0;)
		if (clean.p[i] == '/' || clean.p[i] == '\\') {
			clean = kb_sv_from(clean, i + 1);
			break;
		}
	copy = kb_arena_bytes(arena, clean.n + 1);
	for (size_t i = 0; i < clean.n; i++)
		if ((unsigned char)clean.p[i] >= 0x20 && clean.p[i] != 0x7f)
			copy[n++] = clean.p[i];
	clean = kb_utf8_head(kb_sv_trim(kb_sv(copy, n)), FILENAME_CHARS);
	return clean.n ? clean : KB_SV("document");
}

static bool take_one(struct kb_call *call, const struct kb_input *input, struct kb_page_new *page,
                     struct kb_err *err)
{
	struct kb_blob_name *name = KB_NEW(call->arena, struct kb_blob_name);

	page->is_file = true;
	if (input->kind == KB_INPUT_FILE) {
		page->filename = kb_upload_name(call->arena, input->file->filename);
		page->content_type = input->file->content_type;
		if (!kb_blob_take(call->api->blobs, input->file->path, name, &page->size, err))
			return false;
	} else {
		page->filename = KB_SV("document.txt");
		page->content_type = KB_SV("text/plain");
		page->size = (int64_t)input->text.n;
		if (!kb_blob_put(call->api->blobs, input->text, name, err))
			return false;
	}
	page->blob = kb_sv_str(name->hex);
	return true;
}

bool kb_uploads_take(struct kb_call *call, const struct kb_uploads *uploads, struct kb_sv url,
                     struct kb_page_new **pages, size_t *count, struct kb_err *err)
{
	*pages = KB_NEW_ARRAY(call->arena, uploads->count + 1, struct kb_page_new);
	*count = 0;
	for (size_t i = 0; i < uploads->count; i++, ++*count)
		if (!take_one(call, uploads->v[i], &(*pages)[*count], err))
			return false;
	if (url.n)
		(*pages)[(*count)++] = (struct kb_page_new){ .url = url };
	return true;
}

bool kb_uploads_set_source(struct kb_call *call, int64_t agent_id, struct kb_page_new *pages,
                           size_t count, struct kb_err *err)
{
	struct kb_source source;

	if (!kb_store_source_upload(call->api->store, call->arena, agent_id, &source, err))
		return false;
	for (size_t i = 0; i < count; i++)
		pages[i].source_id = source.id;
	return true;
}
