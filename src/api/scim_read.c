/* What a directory asks for: filters, paths, and the operations of a change, as Entra ID and Okta
 * send them. */
#include <ctype.h>
#include <string.h>

#include "api/scim.h"
#include "base/utf8.h"

/* ---- paths ---- */

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '$';
}

static struct kb_sv take_name(struct kb_sv *text)
{
	size_t n = 0;
	struct kb_sv name;

	while (n < text->n && is_name(text->p[n]))
		n++;
	name = kb_sv_sub(*text, 0, n);
	*text = kb_sv_from(*text, n);
	return name;
}

static void skip_blanks(struct kb_sv *text)
{
	while (text->n && text->p[0] == ' ')
		*text = kb_sv_from(*text, 1);
}

static bool take(struct kb_sv *text, char c)
{
	if (!text->n || text->p[0] != c)
		return false;
	*text = kb_sv_from(*text, 1);
	return true;
}

/* A string in quotes, a truth or a number. */
static bool take_value(struct kb_arena *arena, struct kb_sv *text, struct kb_sv *out)
{
	size_t n = 0;
	const json_t *json;

	if (!text->n || text->p[0] != '"') {
		*out = take_name(text);
		return out->n > 0;
	}
	for (n = 1; n < text->n && text->p[n] != '"'; n++)
		n += text->p[n] == '\\';
	if (n >= text->n)
		return false;
	json = kb_json_parse(arena, kb_sv_sub(*text, 0, n + 1), NULL);
	*text = kb_sv_from(*text, n + 1);
	*out = kb_sv(json_string_value(json), json_string_length(json));
	return json != NULL;
}

static bool take_eq(struct kb_sv *text)
{
	struct kb_sv word;

	skip_blanks(text);
	word = take_name(text);
	skip_blanks(text);
	return kb_sv_ieq_str(word, "eq");
}

/* "urn:ietf:params:scim:schemas:core:2.0:User:" says nothing; another schema's name is kept as the
 * attribute, which nobody here knows. */
static void skip_schema(struct kb_sv *text)
{
	static const char *const kinds[] = { KB_SCIM_CORE "User:", KB_SCIM_CORE "Group:" };

	for (size_t i = 0; i < KB_COUNTOF(kinds); i++)
		if (kb_sv_istarts(*text, kb_sv_str(kinds[i])))
			*text = kb_sv_from(*text, strlen(kinds[i]));
}

static bool take_urn(struct kb_sv *text, struct kb_scim_path *out)
{
	size_t n = 0;

	if (!kb_sv_istarts(*text, KB_SV("urn:")))
		return false;
	while (n < text->n && text->p[n] != ' ' && text->p[n] != '[')
		n++;
	out->attribute = kb_sv_sub(*text, 0, n);
	*text = kb_sv_from(*text, n);
	return true;
}

/* Takes one from the beginning of *text. */
static bool read_path(struct kb_arena *arena, struct kb_sv *text, struct kb_scim_path *out,
                      struct kb_err *err)
{
	bool ok;

	*out = (struct kb_scim_path){ 0 };
	skip_schema(text);
	if (!take_urn(text, out))
		out->attribute = take_name(text);
	ok = out->attribute.n > 0;
	if (ok && take(text, '[')) {
		skip_blanks(text);
		out->key = take_name(text);
		ok = out->key.n && take_eq(text) && take_value(arena, text, &out->value);
		skip_blanks(text);
		ok = ok && take(text, ']');
	}
	if (ok && take(text, '.')) {
		out->sub = take_name(text);
		ok = out->sub.n > 0;
	}
	return ok || kb_fail(err, KB_E_INVALID, "the path cannot be read");
}

bool kb_scim_path_is(const struct kb_scim_path *path, const char *name)
{
	struct kb_sv rest = kb_sv_str(name), attribute;

	kb_sv_split(&rest, '.', &attribute);
	return kb_sv_ieq(path->attribute, attribute) && kb_sv_ieq(path->sub, rest);
}

bool kb_scim_filter_read(struct kb_arena *arena, struct kb_sv text, struct kb_scim_filter *out,
                         struct kb_err *err)
{
	struct kb_sv rest = kb_sv_trim(text);
	bool more = rest.n > 0;

	out->count = 0;
	while (more) {
		struct kb_scim_term *term = &out->terms[out->count];

		if (out->count == KB_SCIM_TERMS_MAX)
			return kb_fail(err, KB_E_INVALID, "a filter has %d terms at the most",
			               KB_SCIM_TERMS_MAX);
		if (!read_path(arena, &rest, &term->path, err) || !take_eq(&rest)
		    || !take_value(arena, &rest, &term->value))
			return kb_fail(err, KB_E_INVALID,
			               "a filter is ATTRIBUTE eq \"VALUE\", and several with and");
		out->count++;
		skip_blanks(&rest);
		more = rest.n > 0;
		if (more && !kb_sv_ieq_str(take_name(&rest), "and"))
			return kb_fail(err, KB_E_INVALID,
			               "a filter is ATTRIBUTE eq \"VALUE\", and several with and");
		skip_blanks(&rest);
	}
	return true;
}

/* ---- changes ---- */

typedef bool apply_fn(struct kb_call *call, void *arg, const struct kb_scim_edit *edit,
                      struct kb_err *err);

static bool each_member(struct kb_call *call, const json_t *object, bool adds, apply_fn *apply,
                        void *arg, struct kb_err *err)
{
	json_t *members = (json_t *)(uintptr_t)object; /* its iterator changes nothing */

	for (void *at = json_object_iter(members); at; at = json_object_iter_next(members, at)) {
		struct kb_sv name = kb_sv_str(json_object_iter_key(at));
		struct kb_scim_edit edit = { .value = json_object_iter_value(at), .adds = adds };

		if (!read_path(call->arena, &name, &edit.path, err) || name.n)
			continue; /* no name of ours */
		if (!apply(call, arg, &edit, err))
			return false;
	}
	return true;
}

static bool is_op(const json_t *operation, const char *word)
{
	return kb_sv_ieq_str(kb_json_sv(operation, "op", KB_SV("")), word);
}

static bool each_operation(struct kb_call *call, const json_t *operation, apply_fn *apply,
                           void *arg, struct kb_err *err)
{
	struct kb_sv path = kb_sv_trim(kb_json_sv(operation, "path", KB_SV("")));
	struct kb_scim_edit edit = { .value = kb_json_get(operation, "value"),
		                     .adds = is_op(operation, "add") };
	bool removes = is_op(operation, "remove");

	if (!removes && !edit.adds && !is_op(operation, "replace"))
		return kb_scim_fail(call, err, KB_E_INVALID, "invalidSyntax",
		                    "op must be add, replace or remove");
	if (!path.n) {
		if (removes)
			return kb_scim_fail(call, err, KB_E_INVALID, "noTarget",
			                    "remove needs a path");
		if (!json_is_object(edit.value))
			return kb_scim_fail(call, err, KB_E_INVALID, "invalidValue",
			                    "without a path, value must be an object");
		return each_member(call, edit.value, edit.adds, apply, arg, err);
	}
	if (!read_path(call->arena, &path, &edit.path, err) || path.n)
		return kb_scim_fail(call, err, KB_E_INVALID, "invalidPath",
		                    "the path cannot be read");
	/* Of a list, what is taken away may be named by the value too. */
	edit.removes = removes;
	if (removes && !kb_scim_path_is(&edit.path, "members"))
		edit.value = NULL;
	return apply(call, arg, &edit, err);
}

bool kb_scim_patch_each(struct kb_call *call, apply_fn *apply, void *arg, struct kb_err *err)
{
	const json_t *list = kb_json_get(call->inputs.json, "Operations");
	size_t count;

	if (!list)
		list = kb_json_get(call->inputs.json, "operations");
	count = json_array_size(list);
	if (!count)
		return kb_scim_fail(call, err, KB_E_INVALID, "invalidSyntax",
		                    "the body must have Operations");
	if (count > KB_SCIM_OPERATIONS_MAX)
		return kb_scim_fail(call, err, KB_E_TOO_LARGE, "tooMany",
		                    "there are %zu operations, the limit is %d", count,
		                    KB_SCIM_OPERATIONS_MAX);
	for (size_t i = 0; i < count; i++)
		if (!each_operation(call, json_array_get(list, i), apply, arg, err))
			return false;
	return true;
}

bool kb_scim_body_each(struct kb_call *call, apply_fn *apply, void *arg, struct kb_err *err)
{
	if (!call->inputs.json)
		return kb_scim_fail(call, err, KB_E_INVALID, "invalidSyntax",
		                    "the body must be a JSON object");
	return each_member(call, call->inputs.json, false, apply, arg, err);
}

/* ---- values ---- */

/* What an older Entra ID wraps: [{"value": "x"}]. */
static const json_t *unwrapped(const json_t *value)
{
	const json_t *only = json_array_size(value) == 1 ? json_array_get(value, 0) : NULL;

	return json_is_object(only) && kb_json_get(only, "value") ? kb_json_get(only, "value")
	                                                          : value;
}

bool kb_scim_text(struct kb_call *call, const struct kb_scim_edit *edit, struct kb_sv *out,
                  struct kb_err *err)
{
	const json_t *value = unwrapped(edit->value);

	*out = KB_SV("");
	if (!value || json_is_null(value))
		return true;
	if (json_is_string(value))
		*out = kb_sv_trim(kb_sv(json_string_value(value), json_string_length(value)));
	else if (json_is_integer(value))
		*out = kb_arena_printf(call->arena, "%" PRId64, (int64_t)json_integer_value(value));
	else
		return kb_scim_fail(call, err, KB_E_INVALID, "invalidValue",
		                    "%.*s must be a string", KB_SV_ARG(edit->path.attribute));
	if (kb_utf8_count(*out) > KB_SCIM_TEXT || kb_utf8_has_control(*out))
		return kb_scim_fail(call, err, KB_E_INVALID, "invalidValue",
		                    "%.*s must be one line of %d characters at the most",
		                    KB_SV_ARG(edit->path.attribute), KB_SCIM_TEXT);
	return true;
}

bool kb_scim_truth(struct kb_call *call, const struct kb_scim_edit *edit, bool *out,
                   struct kb_err *err)
{
	const json_t *value = unwrapped(edit->value);

	if (json_is_boolean(value)) {
		*out = json_is_true(value);
		return true;
	}
	return (json_is_string(value)
	        && kb_text_to_bool(
	                kb_sv_trim(kb_sv(json_string_value(value), json_string_length(value))),
	                out))
	       || kb_scim_fail(call, err, KB_E_INVALID, "invalidValue",
	                       "%.*s must be true or false", KB_SV_ARG(edit->path.attribute));
}
