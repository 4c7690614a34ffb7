/*
 * Second spellings (base/alias.h) against what the interface really has, and in requests.
 *
 * The interface's own names are the schemas' members and the settings' fields; values are the
 * settings' choices and the sources of messages.
 */
#include <string.h>

#include "api/api.h"
#include "api/schema.h"
#include "api/session.h"

/* Readers of event streams look for these first: one of them in an event hides its text. */
static const char *const stream_words[] = { "type", "content", "choices", "delta" };

static bool is_member(struct kb_sv name)
{
	size_t count;
	const struct kb_schema *schemas = kb_schemas(&count);
	const struct kb_setting *fields;

	for (size_t i = 0; i < count; i++) {
		const char *list = schemas[i].members;
		struct kb_sv member, type;
		bool optional;

		while (list && kb_schema_next(&list, &member, &optional, &type))
			if (kb_sv_eq(member, name))
				return true;
	}
	fields = kb_settings_fields(&count);
	for (size_t i = 0; i < count; i++)
		if (kb_sv_eq_str(name, fields[i].name)
		    || kb_sv_eq_str(name, kb_field_answer_name(&fields[i])))
			return true;
	return false;
}

static bool has_choice(const struct kb_setting *field, struct kb_sv value)
{
	for (const char *const *choice = field->choices; choice && *choice; choice++)
		if (kb_sv_eq_str(value, *choice))
			return true;
	return false;
}

static bool is_value(struct kb_sv value)
{
	size_t count;
	const struct kb_setting *fields = kb_settings_fields(&count);

	if (kb_sv_eq_str(value, KB_SOURCE_API) || kb_sv_eq_str(value, KB_SOURCE_COMPLETIONS))
		return true;
	for (size_t i = 0; i < count; i++)
		if (has_choice(&fields[i], value))
			return true;
	return false;
}

/* A name must be known and its second spelling must be nobody's. */
static bool check(const char *what, const struct kb_alias_list *list, bool (*known)(struct kb_sv),
                  struct kb_err *err)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct kb_alias *alias = &list->v[i];

		if (!known(kb_sv_str(alias->name)))
			return kb_fail(err, KB_E_INVALID, "%s: nothing is called %s", what,
			               alias->name);
		if (known(kb_sv_str(alias->second)))
			return kb_fail(err, KB_E_INVALID, "%s: something else is called %s", what,
			               alias->second);
	}
	return true;
}

bool kb_api_aliases(struct kb_arena *arena, const char *fields, const char *values,
                    struct kb_aliases *out, struct kb_err *err)
{
	if (!kb_alias_read(arena, "--field-alias", fields, &out->fields, err)
	    || !kb_alias_read(arena, "--value-alias", values, &out->values, err)
	    || !check("--field-alias", &out->fields, is_member, err)
	    || !check("--value-alias", &out->values, is_value, err))
		return false;
	for (size_t i = 0; i < KB_COUNTOF(stream_words); i++)
		if (kb_alias_name(&out->fields, kb_sv_str(stream_words[i])))
			return kb_fail(err, KB_E_INVALID,
			               "--field-alias: readers of streams take %s for the text",
			               stream_words[i]);
	return true;
}

/* ---- requests ---- */

/* "second", "second[]" and "second[0]" under the first name. */
static struct kb_sv first_name(struct kb_arena *arena, const struct kb_alias_list *list,
                               struct kb_sv name)
{
	ptrdiff_t at = kb_sv_find_byte(name, '[');
	struct kb_sv word = at < 0 ? name : kb_sv_sub(name, 0, (size_t)at);
	const char *first = kb_alias_name(list, word);

	if (!first)
		return name;
	return kb_arena_printf(arena, "%s%.*s", first, KB_SV_ARG(kb_sv_from(name, word.n)));
}

static json_t *keep(struct kb_arena *arena, json_t *json)
{
	KB_ASSERT(json);
	kb_arena_on_fini(arena, (void (*)(void *))json_decref, json);
	return json;
}

void kb_inputs_unalias(struct kb_inputs *inputs, struct kb_arena *arena,
                       const struct kb_aliases *aliases)
{
	if (aliases->fields.count + aliases->values.count == 0)
		return;
	for (size_t i = 0; i < inputs->count; i++) {
		struct kb_api_input *input = &inputs->v[i];
		const struct kb_setting *field;
		const char *value;

		input->name = first_name(arena, &aliases->fields, input->name);
		field = input->kind == KB_INPUT_TEXT ? kb_settings_field(input->name) : NULL;
		value = field ? kb_alias_name(&aliases->values, input->text) : NULL;
		if (!value || !has_choice(field, kb_sv_str(value)))
			continue;
		input->text = kb_sv_str(value);
		if (input->json)
			input->json = keep(arena, json_string(value));
	}
	/* Handlers that read the whole body find the first names there. */
	if (inputs->json) {
		json_t *body = keep(arena, json_object());

		for (size_t i = 0; i < inputs->count; i++)
			json_object_set(body, kb_arena_str(arena, inputs->v[i].name),
			                (json_t *)(uintptr_t)inputs->v[i].json);
		inputs->json = body;
	}
}
