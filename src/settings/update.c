/*
 * The update: what was sent, field by field down the table, onto a copy of the stored settings.
 *
 * A row's turn: gather its inputs, make a value (check.c), ask the plan, ask the flag it requires
 * in the copy as it is by then, apply. So a chain within one request works in any order of sending.
 * A value that is there already is asked nothing: whoever sends back what was read changes nothing.
 */
#include "settings/check.h"
#include "settings/plans.h"

struct update {
	struct kb_arena *arena;
	const struct kb_settings_context *context;
	struct kb_settings *out;
	const char **updated;
	struct kb_setting_failure *failed;
	struct kb_setting_image *images;
	size_t updated_count, failed_count, image_count;
};

/* "example_questions[]" and "example_questions[0]" are the list's name. */
static const struct kb_setting *field_of(struct kb_sv name)
{
	ptrdiff_t bracket = kb_sv_find_byte(name, '[');
	const struct kb_setting *field =
	        kb_settings_field(kb_sv_sub(name, 0, bracket < 0 ? name.n : (size_t)bracket));
	struct kb_sv index;
	int64_t n;

	if (!field || field->response_only || bracket < 0)
		return field && field->response_only ? NULL : field;
	index = kb_sv_from(name, (size_t)bracket + 1);
	if (field->type != KB_FIELD_LIST || !kb_sv_ends(index, KB_SV("]")))
		return NULL;
	index.n--;
	return index.n == 0 || kb_sv_to_int(index, 0, INT32_MAX, &n) ? field : NULL;
}

static const void *in_context(const struct update *u, size_t place)
{
	return (const char *)u->context + place;
}

static bool is_on(const struct update *u, const char *name)
{
	const struct kb_setting *field = kb_settings_field(kb_sv_str(name));

	if (field->requires && !is_on(u, field->requires))
		return false;
	if (field->forced_on && *(const bool *)in_context(u, field->forced_on))
		return true;
	return kb_field_load(field, u->out).flag;
}

static bool is_listed(const struct kb_settings_context *context, struct kb_sv model)
{
	for (size_t i = 0; i < context->model_count; i++)
		if (kb_sv_eq(model, context->models[i]))
			return true;
	return false;
}

/* A client that sends all of its settings back asks for nothing by a field at its default. */
static void check_plan(const struct update *u, const struct kb_setting *field,
                       const struct kb_setting_value *value, struct kb_sentences *sentences)
{
	struct kb_setting_value initial = kb_field_default(field, u->out->chatbot_msg_lang);
	int64_t limit = field->plan_limit ? *(const int64_t *)in_context(u, field->plan_limit) : 0;

	if (field->feature && !(u->context->features & field->feature) && !value->is_null
	    && !kb_value_eq(field, value, &initial))
		kb_sentence_add(
		        sentences,
		        kb_arena_printf(u->arena, "Requires the %s plan feature",
		                        kb_feature_title((enum kb_plan_feature)field->feature)));
	if (limit > 0 && value->number > limit)
		kb_sentence_add(sentences,
		                kb_arena_printf(u->arena,
		                                "%s is %" PRId64 ", the plan allows %" PRId64,
		                                field->name, value->number, limit));
	if (field->form == KB_FORM_MODEL && !value->is_null && !is_listed(u->context, value->text))
		kb_sentence_add(sentences,
		                kb_arena_printf(u->arena, "%s is not one of the available models",
		                                field->name));
}

/* A flag that requires another may be sent as false at any time, a number as its default. */
static void check_requirement(const struct update *u, const struct kb_setting *field,
                              const struct kb_setting_value *value, struct kb_sentences *sentences)
{
	struct kb_setting_value initial = kb_field_default(field, u->out->chatbot_msg_lang);
	bool asks = value->flag || !kb_value_eq(field, value, &initial);

	if (field->requires && asks && !is_on(u, field->requires))
		kb_sentence_add(sentences,
		                kb_arena_printf(u->arena, "Requires %s", field->requires));
}

static void fail(struct update *u, const struct kb_setting *field,
                 const struct kb_sentences *sentences, bool is_malformed)
{
	struct kb_sv *copy = KB_NEW_ARRAY(u->arena, sentences->count, struct kb_sv);

	for (size_t i = 0; i < sentences->count; i++)
		copy[i] = sentences->v[i];
	u->failed[u->failed_count++] = (struct kb_setting_failure){
		.name = field->name,
		.sentences = copy,
		.count = sentences->count,
		.is_malformed = is_malformed,
	};
}

static bool update_field(struct update *u, const struct kb_setting *field,
                         const struct kb_setting_input *const *inputs, size_t count)
{
	struct kb_setting_value current = kb_field_load(field, u->out);
	struct kb_setting_sent sent = {
		.field = field, .inputs = inputs, .count = count, .current = &current
	};
	struct kb_setting_made made;

	if (!kb_setting_check(u->arena, &sent, &made)) {
		fail(u, field, &made.sentences, true);
		return false;
	}
	if (!kb_value_eq(field, &made.value, &current)) {
		check_plan(u, field, &made.value, &made.sentences);
		check_requirement(u, field, &made.value, &made.sentences);
	}
	if (made.sentences.count > 0) {
		fail(u, field, &made.sentences, false);
		return false;
	}
	kb_field_store(field, u->out, &made.value);
	u->updated[u->updated_count++] = field->name;
	if (made.image.name)
		u->images[u->image_count++] = made.image;
	return true;
}

static int status_of(const struct update *u)
{
	if (u->failed_count == 0)
		return 200;
	return u->updated_count == 0 ? 400 : 207;
}

void kb_settings_update(struct kb_arena *arena, const struct kb_settings *current,
                        const struct kb_setting_inputs *inputs,
                        const struct kb_settings_context *context, struct kb_settings *out,
                        struct kb_settings_result *result)
{
	size_t field_count;
	const struct kb_setting *fields = kb_settings_fields(&field_count);
	const struct kb_setting **field_by_input =
	        KB_NEW_ARRAY(arena, inputs->count, const struct kb_setting *);
	const struct kb_setting_input **own =
	        KB_NEW_ARRAY(arena, inputs->count, const struct kb_setting_input *);
	bool *sent = KB_NEW_ARRAY(arena, field_count, bool);
	bool *applied = KB_NEW_ARRAY(arena, field_count, bool);
	struct kb_settings settings = *current;
	struct kb_sv lang;
	struct update u = {
		.arena = arena,
		.context = context,
		.out = &settings,
		.updated = KB_NEW_ARRAY(arena, field_count, const char *),
		.failed = KB_NEW_ARRAY(arena, field_count, struct kb_setting_failure),
		.images = KB_NEW_ARRAY(arena, field_count, struct kb_setting_image),
	};

	for (size_t i = 0; i < inputs->count; i++) {
		field_by_input[i] = field_of(inputs->v[i].name);
		if (field_by_input[i])
			sent[field_by_input[i] - fields] = true;
	}
	for (size_t f = 0; f < field_count; f++) {
		size_t n = 0;

		if (!sent[f] || (fields[f].master_only && !context->is_master))
			continue;
		for (size_t i = 0; i < inputs->count; i++)
			if (field_by_input[i] == &fields[f])
				own[n++] = &inputs->v[i];
		applied[f] = update_field(&u, &fields[f], own, n);
	}
	lang = settings.chatbot_msg_lang;
	settings.chatbot_msg_lang = current->chatbot_msg_lang;
	kb_settings_put_language(&settings, lang, applied);
	*out = settings;
	*result = (struct kb_settings_result){
		.updated = u.updated,
		.updated_count = u.updated_count,
		.failed = u.failed,
		.failed_count = u.failed_count,
		.images = u.images,
		.image_count = u.image_count,
		.status = status_of(&u),
	};
}
