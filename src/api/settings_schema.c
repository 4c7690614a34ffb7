/* The settings in /openapi.json, from their own table. */
#include "api/schema.h"

#include <stdlib.h>
#include <string.h>

#include "settings/settings.h"

static const char *type_of(const struct kb_setting *field)
{
	switch (field->type) {
	case KB_FIELD_BOOL:
	case KB_FIELD_NBOOL:
		return "boolean";
	case KB_FIELD_INT:
	case KB_FIELD_NINT:
		return "integer";
	case KB_FIELD_TEXT:
		return "string";
	case KB_FIELD_LIST:
		break;
	}
	return "array";
}

/* Answers hold the second spelling of a value that has one; requests take both. */
static void write_choice(struct kb_jw *jw, struct kb_sv choice, bool is_request)
{
	kb_jw_choice(jw, choice);
	if (is_request && jw->aliases && kb_alias_second(&jw->aliases->values, choice))
		kb_jw_sv(jw, choice);
}

static void write_choices(struct kb_jw *jw, const struct kb_setting *field, bool is_request)
{
	kb_jw_key(jw, "enum");
	kb_jw_array(jw);
	for (const char *const *choice = field->choices; *choice; choice++)
		write_choice(jw, kb_sv_str(*choice), is_request);
	if (kb_field_is_nullable(field))
		kb_jw_null(jw);
	kb_jw_end(jw);
}

static void write_limits(struct kb_jw *jw, const struct kb_setting *field)
{
	if (field->type == KB_FIELD_INT || field->type == KB_FIELD_NINT) {
		kb_jw_key_int(jw, "minimum", field->min);
		kb_jw_key_int(jw, "maximum", field->max);
	} else if (field->type == KB_FIELD_LIST) {
		kb_jw_key_int(jw, "maxItems", field->max_items);
		kb_jw_key(jw, "items");
		kb_jw_object(jw);
		kb_jw_key_str(jw, "type", "string");
		kb_jw_key_int(jw, "maxLength", field->max);
		kb_jw_end(jw);
	} else if (field->type == KB_FIELD_TEXT && field->max > 0) {
		kb_jw_key_int(jw, "maxLength", field->max);
	}
}

static void write_default(struct kb_jw *jw, const struct kb_setting *field)
{
	struct kb_sv initial = kb_sv_str(field->initial);

	if (field->choices && initial.n > 2 && initial.p[0] == '"')
		kb_jw_choice(jw, kb_sv_sub(initial, 1, initial.n - 2));
	else
		kb_jw_raw(jw, initial);
}

static void write_field(struct kb_jw *jw, const struct kb_setting *field, bool is_request)
{
	bool is_image = field->form == KB_FORM_IMAGE;

	kb_jw_object(jw);
	kb_jw_key(jw, "type");
	if (is_request ? kb_field_takes_null(field) : kb_field_is_nullable(field)) {
		kb_jw_array(jw);
		kb_jw_str(jw, type_of(field));
		kb_jw_str(jw, "null");
		kb_jw_end(jw);
	} else {
		kb_jw_str(jw, type_of(field));
	}
	if (is_image && is_request)
		kb_jw_key_str(jw, "format", "binary");
	if (field->choices)
		write_choices(jw, field, is_request);
	write_limits(jw, field);
	if (!is_image) {
		kb_jw_key(jw, "default");
		write_default(jw, field);
	}
	kb_jw_key_str(jw, "description", field->doc);
	kb_jw_end(jw);
}

static void write(struct kb_jw *jw, bool is_request)
{
	size_t count;
	const struct kb_setting *fields = kb_settings_fields(&count);

	kb_jw_object(jw);
	kb_jw_key_str(jw, "type", "object");
	kb_jw_key(jw, "properties");
	kb_jw_object(jw);
	for (size_t i = 0; i < count; i++) {
		if (is_request && fields[i].response_only)
			continue;
		kb_jw_field(jw, is_request ? fields[i].name : kb_field_answer_name(&fields[i]));
		write_field(jw, &fields[i], is_request);
	}
	kb_jw_end(jw);
	kb_jw_key(jw, "required");
	kb_jw_array(jw);
	for (size_t i = 0; i < count && !is_request; i++)
		kb_schema_write_name(jw, kb_sv_str(kb_field_answer_name(&fields[i])));
	kb_jw_end(jw);
	kb_jw_end(jw);
}

void kb_schema_write_settings(struct kb_jw *jw)
{
	write(jw, false);
}

void kb_schema_write_settings_fields(struct kb_jw *jw)
{
	write(jw, true);
}
