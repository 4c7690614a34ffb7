/* The stored form of the settings, read. What the service wrote itself is taken at its word on
 * lengths; a value of another type, or outside its choices, means that the row is damaged. */
#include "settings/table.h"

static bool read_list(struct kb_arena *arena, const json_t *json, struct kb_setting_value *value)
{
	struct kb_sv *items;

	if (!json_is_array(json))
		return false;
	items = KB_NEW_ARRAY(arena, json_array_size(json), struct kb_sv);
	for (size_t i = 0; i < json_array_size(json); i++) {
		const json_t *item = json_array_get(json, i);

		if (!json_is_string(item))
			return false;
		items[i] = kb_sv(json_string_value(item), json_string_length(item));
	}
	value->list = (struct kb_sv_list){ .v = items, .count = json_array_size(json) };
	return true;
}

bool kb_value_read(struct kb_arena *arena, const struct kb_setting *field, const json_t *json,
                   struct kb_setting_value *value)
{
	*value = (struct kb_setting_value){ 0 };
	if (json_is_null(json)) {
		value->is_null = true;
		return kb_field_is_nullable(field);
	}
	switch (field->type) {
	case KB_FIELD_BOOL:
	case KB_FIELD_NBOOL:
		value->flag = json_is_true(json);
		return json_is_boolean(json);
	case KB_FIELD_INT:
	case KB_FIELD_NINT:
		value->number = json_integer_value(json);
		return json_is_integer(json) && value->number >= field->min
		       && value->number <= field->max;
	case KB_FIELD_TEXT:
		if (!json_is_string(json))
			return false;
		value->text = kb_sv(json_string_value(json), json_string_length(json));
		return !field->choices || kb_field_is_choice(field, value->text);
	case KB_FIELD_LIST:
		return read_list(arena, json, value);
	}
	return false;
}

static bool read_field(struct kb_arena *arena, const struct kb_setting *field, const json_t *object,
                       struct kb_settings *settings, struct kb_err *err)
{
	const json_t *json = kb_json_get(object, field->name);
	struct kb_setting_value value = kb_field_default(field, settings->chatbot_msg_lang);

	if (json && !kb_value_read(arena, field, json, &value))
		return kb_corrupt(err, "the stored settings hold no valid %s", field->name);
	kb_field_store(field, settings, &value);
	return true;
}

bool kb_settings_read(struct kb_arena *arena, struct kb_sv json, struct kb_settings *out,
                      struct kb_err *err)
{
	struct kb_err malformed;
	struct kb_settings settings;
	size_t count;
	const struct kb_setting *fields = kb_settings_fields(&count);

	kb_settings_defaults(&settings);
	if (json.n > 0) {
		const json_t *object = kb_json_parse(arena, json, &malformed);

		if (!object)
			return kb_corrupt(err, "the stored settings are damaged: %s",
			                  malformed.msg);
		if (!json_is_object(object))
			return kb_corrupt(err, "the stored settings are no JSON object");
		/* The language comes first: some defaults follow it. */
		if (!read_field(arena, kb_settings_field(KB_SV("chatbot_msg_lang")), object,
		                &settings, err))
			return false;
		for (size_t i = 0; i < count; i++)
			if (!fields[i].response_only
			    && !read_field(arena, &fields[i], object, &settings, err))
				return false;
	}
	*out = settings;
	return true;
}
