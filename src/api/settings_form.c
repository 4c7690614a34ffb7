/* The table of settings for who draws a form of it: what each field takes, what the plan locks,
 * what it is at first. What is said of a field in English is its row's. */
#include "api/routes.h"
#include "upstream/models.h"

static const char *const sections[] = {
	[KB_SECTION_APPEARANCE] = "appearance",
	[KB_SECTION_TEXTS] = "texts",
	[KB_SECTION_BEHAVIOUR] = "behaviour",
	[KB_SECTION_ANSWER] = "answer",
};

static const char *const types[] = {
	[KB_FIELD_BOOL] = "flag",   [KB_FIELD_NBOOL] = "flag", [KB_FIELD_INT] = "number",
	[KB_FIELD_NINT] = "number", [KB_FIELD_TEXT] = "text",  [KB_FIELD_LIST] = "list",
};

static const char *const forms[] = {
	[KB_FORM_FREE] = "free",         [KB_FORM_CHOICE] = "choice", [KB_FORM_COLOR] = "color",
	[KB_FORM_LANGUAGE] = "language", [KB_FORM_MODEL] = "model",   [KB_FORM_IMAGE] = "image",
	[KB_FORM_DOMAIN] = "domain",
};

static void write_choices(struct kb_call *call, struct kb_jw *jw, const struct kb_setting *field)
{
	kb_jw_key(jw, "choices");
	kb_jw_array(jw);
	if (field->form == KB_FORM_MODEL) {
		const struct kb_model_set *models = kb_models_in(call->api->models, call->arena);

		for (size_t i = 0; i < models->id_count; i++)
			kb_jw_sv(jw, models->ids[i]);
	}
	for (const char *const *choice = field->choices; choice && *choice; choice++)
		kb_jw_choice(jw, kb_sv_str(*choice));
	kb_jw_end(jw);
}

/* As the read endpoint would tell it: a text in the agent's language where it has one of its own.
 */
static void write_default(struct kb_jw *jw, const struct kb_setting *field, struct kb_sv lang)
{
	struct kb_sv initial = kb_sv_str(field->initial);

	kb_jw_key(jw, "default");
	if (field->form == KB_FORM_IMAGE)
		kb_jw_null(jw);
	else if (field->text != KB_TEXT_NONE && field->initial[0] == '"')
		kb_jw_sv(jw, kb_text_built_in(lang, field->text));
	else if (field->choices && initial.n > 2 && initial.p[0] == '"')
		kb_jw_choice(jw, kb_sv_sub(initial, 1, initial.n - 2));
	else
		kb_jw_raw(jw, initial);
}

static void write_plan(const struct kb_call *call, struct kb_jw *jw, const struct kb_setting *field)
{
	kb_jw_key_opt(jw, "feature",
	              field->feature
	                      ? kb_sv_str(kb_feature_title((enum kb_plan_feature)field->feature))
	                      : (struct kb_sv){ 0 });
	kb_jw_key_bool(jw, "locked", field->feature && !(call->plan->features & field->feature));
}

static void write_field(struct kb_call *call, struct kb_jw *jw, const struct kb_setting *field,
                        struct kb_sv lang)
{
	int64_t max = field->max;

	if (field->plan_limit && call->plan->max_actions)
		max = KB_MIN(max, call->plan->max_actions);
	kb_jw_object(jw);
	kb_jw_key_str(jw, "name", field->name);
	kb_jw_key_str(jw, "answer_name", kb_field_answer_name(field));
	kb_jw_key_str(jw, "section", sections[field->section]);
	kb_jw_key_str(jw, "type", types[field->type]);
	kb_jw_key_str(jw, "form", forms[field->form]);
	write_choices(call, jw, field);
	kb_jw_key_int(jw, "min", field->min);
	kb_jw_key_int(jw, "max", max);
	kb_jw_key_int(jw, "max_items", field->max_items);
	kb_jw_key_bool(jw, "takes_null", kb_field_takes_null(field));
	kb_jw_key_opt(jw, "requires",
	              field->requires ? kb_sv_str(field->requires) : (struct kb_sv){ 0 });
	write_plan(call, jw, field);
	write_default(jw, field, lang);
	kb_jw_key_str(jw, "description", field->doc);
	kb_jw_end(jw);
}

bool kb_settings_form(struct kb_call *call, struct kb_err *err)
{
	struct kb_settings settings;
	size_t count;
	const struct kb_setting *fields = kb_settings_fields(&count);
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_settings_read(call->arena, call->agent.settings, &settings, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_array(&jw);
	for (size_t i = 0; i < count; i++)
		if (!fields[i].response_only && (!fields[i].master_only || call->agent.is_master))
			write_field(call, &jw, &fields[i], settings.chatbot_msg_lang);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}
