/* The settings as JSON: what the store keeps, and what the read endpoint answers. */
#include "settings/table.h"

void kb_value_write(const struct kb_setting *field, const struct kb_setting_value *value,
                    struct kb_jw *jw)
{
	if (value->is_null) {
		kb_jw_null(jw);
		return;
	}
	switch (field->type) {
	case KB_FIELD_BOOL:
	case KB_FIELD_NBOOL:
		kb_jw_bool(jw, value->flag);
		break;
	case KB_FIELD_INT:
	case KB_FIELD_NINT:
		kb_jw_int(jw, value->number);
		break;
	case KB_FIELD_TEXT:
		if (field->choices)
			kb_jw_choice(jw, value->text);
		else
			kb_jw_sv(jw, value->text);
		break;
	case KB_FIELD_LIST:
		kb_jw_array(jw);
		for (size_t i = 0; i < value->list.count; i++)
			kb_jw_sv(jw, value->list.v[i]);
		kb_jw_end(jw);
		break;
	}
}

void kb_settings_write_stored(const struct kb_settings *settings, struct kb_jw *jw)
{
	size_t count;
	const struct kb_setting *fields = kb_settings_fields(&count);

	kb_jw_object(jw);
	for (size_t i = 0; i < count; i++) {
		struct kb_setting_value value = kb_field_load(&fields[i], settings);
		struct kb_setting_value initial =
		        kb_field_default(&fields[i], settings->chatbot_msg_lang);

		if (fields[i].response_only || kb_value_eq(&fields[i], &value, &initial))
			continue;
		kb_jw_key(jw, fields[i].name);
		kb_value_write(&fields[i], &value, jw);
	}
	kb_jw_end(jw);
}

void kb_settings_write_response(const struct kb_settings *settings,
                                const struct kb_image_urls *urls, struct kb_jw *jw)
{
	size_t count;
	const struct kb_setting *fields = kb_settings_fields(&count);

	kb_jw_object(jw);
	for (size_t i = 0; i < count; i++) {
		struct kb_setting_value value = kb_field_load(&fields[i], settings);

		if (fields[i].form == KB_FORM_IMAGE && value.text.n > 0)
			value.text = urls->url(urls->arg, fields[i].name, value.text);
		kb_jw_key(jw, kb_field_answer_name(&fields[i]));
		kb_value_write(&fields[i], &value, jw);
	}
	kb_jw_end(jw);
}

void kb_settings_write_visible(const struct kb_settings *settings, const struct kb_image_urls *urls,
                               struct kb_jw *jw)
{
	size_t count;
	const struct kb_setting *fields = kb_settings_fields(&count);

	for (size_t i = 0; i < count; i++) {
		struct kb_setting_value value = kb_field_load(&fields[i], settings);

		if (!fields[i].for_visitors)
			continue;
		if (fields[i].form == KB_FORM_IMAGE && value.text.n > 0)
			value.text = urls->url(urls->arg, fields[i].name, value.text);
		if (fields[i].text != KB_TEXT_NONE)
			value.text = kb_settings_text(settings, fields[i].text);
		value.is_null = value.is_null && fields[i].text == KB_TEXT_NONE;
		kb_jw_key(jw, fields[i].name);
		kb_value_write(&fields[i], &value, jw);
	}
}

void kb_settings_write_result(const struct kb_settings_result *result, struct kb_jw *jw)
{
	kb_jw_object(jw);
	kb_jw_key_bool(jw, "updated", true);
	if (result->failed_count > 0) {
		kb_jw_key(jw, "updated_fields");
		kb_jw_array(jw);
		for (size_t i = 0; i < result->updated_count; i++)
			kb_jw_str(jw, result->updated[i]);
		kb_jw_end(jw);
		kb_jw_key(jw, "failed_fields");
		kb_jw_object(jw);
		for (size_t i = 0; i < result->failed_count; i++) {
			kb_jw_key(jw, result->failed[i].name);
			kb_jw_array(jw);
			for (size_t j = 0; j < result->failed[i].count; j++)
				kb_jw_sv(jw, result->failed[i].sentences[j]);
			kb_jw_end(jw);
		}
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
}

int64_t kb_settings_keep_days(const struct kb_settings *settings)
{
	enum { YEAR = 365 };

	switch (kb_settings_retention(settings)) {
	case KB_RETENTION_CUSTOM:
		return settings->conversation_retention_days;
	case KB_RETENTION_YEAR:
		return YEAR;
	case KB_RETENTION_NEVER:
		break;
	}
	return 0;
}

bool kb_settings_speak_visitors(const struct kb_settings *settings)
{
	return kb_sv_eq_str(settings->chatbot_msg_lang, KB_LANG_VISITOR);
}

void kb_settings_put_language(struct kb_settings *settings, struct kb_sv lang, const bool *except)
{
	size_t count;
	const struct kb_setting *fields = kb_settings_fields(&count);

	for (size_t i = 0; i < count; i++) {
		struct kb_setting_value value = kb_field_load(&fields[i], settings);
		struct kb_setting_value before =
		        kb_field_default(&fields[i], settings->chatbot_msg_lang);

		if ((except && except[i]) || !kb_field_follows_language(&fields[i])
		    || !kb_value_eq(&fields[i], &value, &before))
			continue;
		value = kb_field_default(&fields[i], lang);
		kb_field_store(&fields[i], settings, &value);
	}
	settings->chatbot_msg_lang = lang;
}

void kb_settings_speak_to(struct kb_settings *settings, struct kb_sv accepted)
{
	if (kb_settings_speak_visitors(settings))
		kb_settings_put_language(settings, kb_text_lang_of(accepted), NULL);
}

struct kb_sv kb_settings_text(const struct kb_settings *settings, enum kb_text text)
{
	size_t count;
	const struct kb_setting *fields = kb_settings_fields(&count);

	for (size_t i = 0; i < count; i++) {
		struct kb_setting_value value;

		if (fields[i].text != text)
			continue;
		value = kb_field_load(&fields[i], settings);
		if (value.text.n > 0)
			return value.text;
	}
	return kb_text_built_in(settings->chatbot_msg_lang, text);
}

struct kb_sv kb_settings_text_in(const struct kb_settings *settings, struct kb_sv lang,
                                 enum kb_text text)
{
	struct kb_sv shown = kb_settings_text(settings, text);

	if (lang.n == 0 || !kb_sv_eq(shown, kb_text_built_in(settings->chatbot_msg_lang, text)))
		return shown;
	return kb_text_built_in(kb_text_lang(lang), text);
}
