/*
 * What a message says of its own answer: persona, context, model, source, capability, actions, a
 * child agent. It rules that answer alone and is stored on nothing.
 *
 * The settings among them pass the settings' own table, over the agent's settings as they are.
 */
#include <string.h>

#include "api/session.h"
#include "base/utf8.h"

enum {
	CONTEXT_CHARS = 50000,
	ACTIONS_MAX = 100,
	ACTION_CHARS = 100,
	NOTE_CHARS = 12000,
	LANG_MAX = 35, /* the longest tag that RFC 5646 tells to allow for */
};

/* ---- language ---- */

bool kb_turn_read_lang(struct kb_call *call, struct kb_turn *turn, struct kb_err *err)
{
	static const char safe[] =
	        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
	struct kb_sv lang = kb_request_query(call->req, "lang");
	bool ok;

	if (!kb_inputs_text(&call->inputs, call->arena, "lang", LANG_MAX, &lang, err))
		return false;
	turn->lang = lang.p ? kb_sv_trim(lang) : KB_SV("");
	ok = turn->lang.n <= LANG_MAX;
	for (size_t i = 0; ok && i < turn->lang.n; i++)
		ok = memchr(safe, turn->lang.p[i], sizeof(safe) - 1) != NULL;
	return ok || kb_fail(err, KB_E_INVALID, "lang must be a language code such as en or pt-BR");
}

/* ---- settings for one answer ---- */

static const struct {
	const char *name, *setting;
} settings[] = {
	{ "custom_persona", "persona_instructions" },
	{ "chatbot_model", "chatbot_model" },
	{ "response_source", "response_source" },
	{ "agent_capability", "agent_capability" },
};

/* A sentence of the table, with the name that the caller used. */
static bool refuse(const char *name, const struct kb_setting_failure *failed, struct kb_err *err)
{
	struct kb_sv sentence = failed->sentences[0], setting = kb_sv_str(failed->name);

	if (kb_sv_starts(sentence, setting))
		sentence = kb_sv_from(sentence, setting.n);
	else
		return kb_fail(err, KB_E_INVALID, "%s: %.*s", name, KB_SV_ARG(sentence));
	return kb_fail(err, KB_E_INVALID, "%s%.*s", name, KB_SV_ARG(sentence));
}

/* null and an empty text leave the agent's own. */
static bool is_given(const struct kb_api_input *input)
{
	return input && input->kind != KB_INPUT_NULL
	       && !(input->kind == KB_INPUT_TEXT && kb_sv_trim(input->text).n == 0);
}

bool kb_turn_apply(struct kb_call *call, struct kb_turn *turn, struct kb_err *err)
{
	const struct kb_model_set *models = kb_models_in(call->api->models, call->arena);
	const struct kb_settings_context context = { .features = call->plan->features,
		                                     .models = models->ids,
		                                     .model_count = models->id_count };

	if (!turn->own_settings)
		return true;
	for (size_t i = 0; i < KB_COUNTOF(settings); i++) {
		const struct kb_api_input *input = kb_inputs_find(&call->inputs, settings[i].name);
		struct kb_settings before = turn->settings;
		struct kb_setting_input setting;
		struct kb_settings_result result;

		if (!is_given(input))
			continue;
		setting = input->json ? kb_setting_input_from_json(call->arena, input->json)
		                      : (struct kb_setting_input){ .kind = input->kind,
			                                           .text = input->text };
		setting.name = kb_sv_str(settings[i].setting);
		kb_settings_update(call->arena, &before,
		                   &(struct kb_setting_inputs){ .v = &setting, .count = 1 },
		                   &context, &turn->settings, &result);
		if (result.failed_count)
			return refuse(settings[i].name, &result.failed[0], err);
	}
	return true;
}

/* ---- actions ---- */

static bool read_actions(struct kb_arena *arena, const json_t *object, const char *member,
                         struct kb_sv_list *out, struct kb_err *err)
{
	const json_t *list = kb_json_get(object, member), *item;
	struct kb_sv *names;
	size_t i;

	*out = (struct kb_sv_list){ 0 };
	if (!list || json_is_null(list))
		return true;
	if (!json_is_array(list))
		return kb_fail(err, KB_E_INVALID, "action_overrides.%s must be an array of strings",
		               member);
	if (json_array_size(list) > ACTIONS_MAX)
		return kb_fail(err, KB_E_INVALID,
		               "action_overrides.%s holds %zu actions, the limit is %d", member,
		               json_array_size(list), ACTIONS_MAX);
	names = KB_NEW_ARRAY(arena, json_array_size(list), struct kb_sv);
	json_array_foreach(list, i, item)
	{
		if (!json_is_string(item) || json_string_length(item) == 0)
			return kb_fail(err, KB_E_INVALID,
			               "action_overrides.%s[%zu] must be the name of an action",
			               member, i);
		names[i] = kb_sv(json_string_value(item), json_string_length(item));
		if (kb_utf8_count(names[i]) > ACTION_CHARS)
			return kb_fail(
			        err, KB_E_INVALID,
			        "action_overrides.%s[%zu] has %zu characters, the limit is %d",
			        member, i, kb_utf8_count(names[i]), ACTION_CHARS);
	}
	*out = (struct kb_sv_list){ .v = names, .count = json_array_size(list) };
	return true;
}

static bool read_overrides(struct kb_call *call, struct kb_turn *turn, struct kb_err *err)
{
	const json_t *object = kb_inputs_json(&call->inputs, call->arena, "action_overrides");

	if (!object || json_is_null(object)
	    || (json_is_string(object) && !json_string_length(object)))
		return true;
	if (!json_is_object(object))
		return kb_fail(err, KB_E_INVALID,
		               "action_overrides must be an object of enabled and disabled");
	return read_actions(call->arena, object, "enabled", &turn->actions_enabled, err)
	       && read_actions(call->arena, object, "disabled", &turn->actions_disabled, err);
}

/* ---- a child agent ---- */

/* A child is the master's: whoever may ask the master may name it, whatever else the key covers. */
static bool read_child(struct kb_call *call, struct kb_turn *turn, struct kb_err *err)
{
	const int64_t *children;
	struct kb_agent other;
	int64_t id = 0;
	size_t count;

	if (!kb_inputs_int(&call->inputs, "child_project_id", 1, INT64_MAX, &id, err))
		return false;
	/* Clients send it to every agent: for one that is no master it means nothing. */
	if (id == 0 || !call->agent.is_master)
		return true;
	children = kb_agent_children(call->arena, &call->agent, &count);
	for (size_t i = 0; i < count; i++)
		if (children[i] == id) {
			turn->named_child = id;
			return true;
		}
	if (!kb_principal_reaches(&call->who, id)
	    || !kb_store_agent_get(call->api->store, call->arena, call->who.account, id, &other,
	                           err))
		return kb_fail(err, KB_E_NOT_FOUND, "Agent with id %" PRId64 " not found", id);
	return kb_fail(err, KB_E_INVALID,
	               "child_project_id is %" PRId64 ", which is no child of agent %" PRId64, id,
	               call->agent.id);
}

bool kb_turn_read_own(struct kb_call *call, struct kb_turn *turn, struct kb_err *err)
{
	turn->own_settings = turn->takes_files = true;
	return kb_inputs_text(&call->inputs, call->arena, "custom_context", CONTEXT_CHARS,
	                      &turn->context, err)
	       && read_overrides(call, turn, err) && read_child(call, turn, err);
}

/* ---- sub-personas ---- */

bool kb_turn_read_notes(struct kb_call *call, struct kb_turn *turn, struct kb_err *err)
{
	const struct kb_api_input *input = kb_inputs_find(&call->inputs, "sub_personas");
	const json_t *object = NULL;
	const char *slug;
	json_t *value;

	if (!input || input->kind == KB_INPUT_NULL)
		return true;
	if (input->kind == KB_INPUT_TEXT) /* of a form */
		object = kb_json_parse(call->arena, input->text, err);
	else
		object = input->json;
	if (!json_is_object(object))
		return kb_fail(err, KB_E_INVALID,
		               "sub_personas must be an object of texts by slug");
	for (void *at = json_object_iter((json_t *)(uintptr_t)object); at;
	     at = json_object_iter_next((json_t *)(uintptr_t)object, at)) {
		enum kb_agent_note note;

		slug = json_object_iter_key(at);
		value = json_object_iter_value(at);
		if (!json_is_string(value) && !json_is_null(value))
			return kb_fail(err, KB_E_INVALID,
			               "sub_personas.%.60s must be a string or null", slug);
		note = kb_note_of(kb_sv_str(slug));
		if (note == KB_NOTE_COUNT)
			continue;
		turn->notes[note].given = true;
		if (json_is_string(value))
			turn->notes[note].text =
			        kb_sv(json_string_value(value), json_string_length(value));
		if (kb_utf8_count(turn->notes[note].text) > NOTE_CHARS)
			return kb_fail(err, KB_E_INVALID,
			               "sub_personas.%s has %zu characters, the limit is %d", slug,
			               kb_utf8_count(turn->notes[note].text), NOTE_CHARS);
	}
	return true;
}
