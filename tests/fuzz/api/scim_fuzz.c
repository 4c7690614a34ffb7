/* What a directory asks for: a filter, or with '{' in front the operations of a change. */
#include "api/scim.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_within(struct kb_sv part, struct kb_sv whole)
{
	return !part.n || (part.p >= whole.p && part.p + part.n <= whole.p + whole.n);
}

static void check_filter(struct kb_arena *arena, struct kb_sv text)
{
	struct kb_scim_filter filter;
	struct kb_err err = { 0 };

	if (!kb_scim_filter_read(arena, text, &filter, &err)) {
		KB_ASSERT(err.code == KB_E_INVALID && err.msg[0]);
		return;
	}
	KB_ASSERT(filter.count <= KB_SCIM_TERMS_MAX && (filter.count > 0 || !kb_sv_trim(text).n));
	for (size_t i = 0; i < filter.count; i++) {
		const struct kb_scim_path *path = &filter.terms[i].path;

		KB_ASSERT(path->attribute.n && is_within(path->attribute, text)
		          && is_within(path->key, text) && is_within(path->sub, text));
		KB_ASSERT(!path->value.n || path->key.n);
	}
}

static bool look(struct kb_call *call, void *arg, const struct kb_scim_edit *edit,
                 struct kb_err *err)
{
	struct kb_sv text;
	size_t *seen = arg;
	bool truth;

	++*seen;
	KB_ASSERT(edit->path.attribute.n && !(edit->adds && edit->removes));
	if (!kb_scim_text(call, edit, &text, err))
		KB_ASSERT(err->code == KB_E_INVALID && call->error_word);
	else
		KB_ASSERT(kb_utf8_count(text) <= KB_SCIM_TEXT && !kb_utf8_has_control(text));
	return kb_scim_truth(call, edit, &truth, err)
	       || *seen % 3; /* now and then one is refused */
}

static void check_change(struct kb_arena *arena, struct kb_sv text)
{
	struct kb_call call = { .arena = arena };
	struct kb_err err = { 0 };
	size_t seen = 0;

	call.inputs.json = kb_json_parse(arena, text, &err);
	if (!kb_scim_patch_each(&call, look, &seen, &err))
		KB_ASSERT(err.code == KB_E_INVALID || err.code == KB_E_TOO_LARGE);
	if (!kb_scim_body_each(&call, look, &seen, &err))
		KB_ASSERT(err.code == KB_E_INVALID);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_sv text = kb_sv((const char *)data, size);
	struct kb_arena arena = { 0 };

	if (size && data[0] == '{')
		check_change(&arena, text);
	else
		check_filter(&arena, text);
	kb_arena_fini(&arena);
	return 0;
}
