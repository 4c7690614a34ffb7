#include "api/upload.h"

#include "parse/filename.h"

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
		                                      const struct kb_api_input *) };
	for (size_t i = 0; i < inputs->count; i++) {
		const struct kb_api_input *input = &inputs->v[i];

		if (!is_file_name(input->name))
			continue;
		if (input->kind == KB_INPUT_FILE
		    || (input->kind == KB_INPUT_TEXT && !inputs->json && input->text.n))
			out->v[out->count++] = input;
	}
}

static bool take_one(struct kb_call *call, const struct kb_api_input *input,
                     struct kb_page_new *page, struct kb_err *err)
{
	struct kb_blob_name *name = KB_NEW(call->arena, struct kb_blob_name);

	page->is_ours = true;
	if (input->kind == KB_INPUT_FILE) {
		page->filename = kb_filename_clean(call->arena, input->file->filename);
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

bool kb_uploads_take(struct kb_call *call, const struct kb_uploads *uploads,
                     struct kb_page_new **pages, size_t *count, struct kb_err *err)
{
	*pages = KB_NEW_ARRAY(call->arena, uploads->count + 1, struct kb_page_new);
	*count = 0;
	for (size_t i = 0; i < uploads->count; i++, ++*count)
		if (!take_one(call, uploads->v[i], &(*pages)[*count], err))
			return false;
	return true;
}
