/* An agent's settings: read and update. What a field may hold is src/settings' business. */
#include "api/audit.h"
#include "api/routes.h"
#include "settings/image.h"
#include "store/personas.h"

enum { STORED_MAX = 1 << 20 };

/* ---- pictures ---- */

struct images {
	struct kb_call *call;
	struct kb_sv base;
};

static struct kb_sv image_url(void *arg, const char *field, struct kb_sv image)
{
	const struct images *images = arg;

	(void)field;
	return kb_asset_url(images->call->arena, images->base, images->call->agent.id, image);
}

/* The name of the blob behind a reference; empty for a built-in picture. */
static struct kb_sv blob_of(struct kb_sv image)
{
	ptrdiff_t dot = kb_sv_find_byte(image, '.');

	return dot == KB_HASH_HEX - 1 ? kb_sv_sub(image, 0, KB_HASH_HEX - 1) : KB_SV("");
}

static void list_images(struct kb_arena *arena, const struct kb_settings *settings,
                        struct kb_settings_change *out)
{
	size_t count;
	const struct kb_setting *fields = kb_settings_fields(&count);
	struct kb_sv *blobs = KB_NEW_ARRAY(arena, count, struct kb_sv);

	out->images = blobs;
	for (size_t i = 0; i < count; i++) {
		struct kb_sv image;

		if (fields[i].form != KB_FORM_IMAGE)
			continue;
		image = *(const struct kb_sv *)(const void *)((const char *)settings
		                                              + fields[i].offset);
		image = blob_of(image);
		if (image.n)
			blobs[out->image_count++] = image;
	}
}

/* ---- reading ---- */

bool kb_settings_get(struct kb_call *call, struct kb_err *err)
{
	struct images images = { .call = call, .base = kb_call_base_url(call) };
	struct kb_settings settings;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_settings_read(call->arena, call->agent.settings, &settings, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_settings_write_response(
	        &settings, &(struct kb_image_urls){ .url = image_url, .arg = &images }, &jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

/* ---- the request's fields ---- */

/* The body in the words of the settings. Files under other names are not looked at. */
static bool read_inputs(struct kb_call *call, struct kb_setting_inputs *out, struct kb_err *err)
{
	const struct kb_inputs *inputs = &call->inputs;
	struct kb_setting_input *v =
	        KB_NEW_ARRAY(call->arena, inputs->count, struct kb_setting_input);

	*out = (struct kb_setting_inputs){ .v = v };
	for (size_t i = 0; i < inputs->count; i++) {
		const struct kb_api_input *input = &inputs->v[i];
		struct kb_setting_input *setting = &v[out->count];

		if (inputs->json)
			*setting = kb_setting_input_from_json(call->arena, input->json);
		else
			*setting = (struct kb_setting_input){ .kind = input->kind,
				                              .text = input->text };
		setting->name = input->name;
		if (input->kind == KB_INPUT_FILE) {
			if (!kb_settings_field(input->name))
				continue;
			if (!kb_input_bytes(call->arena, input, &setting->text, err))
				return false;
		}
		out->count++;
	}
	return true;
}

/* ---- updating ---- */

struct update {
	struct kb_setting_inputs inputs;
	struct kb_settings_context context;
	struct kb_settings_result result;
};

static struct kb_sv stored_form(struct kb_arena *arena, const struct kb_settings *settings)
{
	struct kb_buf buf;
	struct kb_jw jw;
	struct kb_sv out;

	kb_buf_init(&buf, STORED_MAX);
	kb_jw_init(&jw, &buf);
	kb_settings_write_stored(settings, &jw);
	KB_ASSERT(!buf.failed); /* the table's limits keep it far below */
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

static bool apply(struct update *update, struct kb_arena *arena, const struct kb_agent *agent,
                  struct kb_settings *out, struct kb_err *err)
{
	struct kb_settings current;

	if (!kb_settings_read(arena, agent->settings, &current, err))
		return false;
	update->context.is_master = agent->is_master;
	kb_settings_update(arena, &current, &update->inputs, &update->context, out,
	                   &update->result);
	return true;
}

/* Runs inside the store's transaction, on the settings as they are there. */
static bool change(void *arg, struct kb_arena *arena, const struct kb_agent *agent,
                   struct kb_settings_change *out, struct kb_err *err)
{
	struct kb_settings settings;

	if (!apply(arg, arena, agent, &settings, err))
		return false;
	out->settings = stored_form(arena, &settings);
	out->persona = settings.persona_instructions;
	list_images(arena, &settings, out);
	return true;
}

/* Puts the pictures into blob storage before the settings name them. */
static bool put_images(struct kb_call *call, const struct kb_settings_result *result,
                       struct kb_err *err)
{
	struct kb_blob_name name;

	for (size_t i = 0; i < result->image_count; i++)
		if (!kb_blob_put(call->api->blobs, result->images[i].bytes, &name, err))
			return false;
	return true;
}

/* Of a request that applied nothing. The sentences for a malformed value are the contract's. */
static bool refuse(const struct kb_setting_failure *failure, struct kb_err *err)
{
	struct kb_sv sentence = failure->sentences[0];

	if (failure->is_malformed || kb_sv_starts(sentence, kb_sv_str(failure->name)))
		return kb_fail(err, KB_E_INVALID, "%.*s", KB_SV_ARG(sentence));
	return kb_fail(err, KB_E_INVALID, "%s: %.*s", failure->name, KB_SV_ARG(sentence));
}

bool kb_settings_post(struct kb_call *call, struct kb_err *err)
{
	const struct kb_model_set *models = kb_models_in(call->api->models, call->arena);
	struct update update = { 0 };
	struct kb_settings settings;
	struct kb_agent after;
	struct kb_buf buf;
	struct kb_jw jw;

	kb_call_audit_before(call, call->agent.settings);
	if (!read_inputs(call, &update.inputs, err))
		return false;
	update.context.features = call->plan->features;
	update.context.max_actions = call->plan->max_actions;
	update.context.models = models->ids;
	update.context.model_count = models->id_count;
	/* Once ahead, for the pictures and to refuse early; what counts is the run inside the
	 * transaction. */
	if (!apply(&update, call->arena, &call->agent, &settings, err)
	    || !put_images(call, &update.result, err))
		return false;
	if (update.result.updated_count > 0) {
		if (!kb_store_settings_update(
		            call->api->store, call->arena,
		            &(struct kb_settings_edit){ .account_id = call->who.account,
		                                        .agent_id = call->agent.id,
		                                        .change = change,
		                                        .arg = &update },
		            &after, err))
			return false;
		kb_notes_wake(call->api->notes);
	}
	if (update.result.status == 400)
		return refuse(&update.result.failed[0], err);
	kb_call_begin(call, &buf, &jw);
	kb_settings_write_result(&update.result, &jw);
	return kb_call_reply(call, update.result.status, &buf, &jw, err);
}

/* ---- an older persona again ---- */

/* Runs inside the store's transaction: the text of an older version becomes a new one. */
static bool activate(void *arg, struct kb_arena *arena, const struct kb_agent *agent,
                     struct kb_settings_change *out, struct kb_err *err)
{
	const struct kb_persona *persona = arg;
	struct kb_settings settings;

	if (!kb_settings_read(arena, agent->settings, &settings, err))
		return false;
	settings.persona_instructions = persona->instructions;
	out->settings = stored_form(arena, &settings);
	out->persona = persona->instructions;
	out->always_version = true;
	list_images(arena, &settings, out);
	return true;
}

bool kb_settings_activate_persona(struct kb_call *call, int64_t version, struct kb_err *err)
{
	struct kb_persona persona;
	struct kb_agent after;

	/* A version never changes: it may be read before the transaction. */
	if (!kb_store_persona_get(call->api->store, call->arena, call->agent.id, version, &persona,
	                          err)
	    || !kb_store_settings_update(
	            call->api->store, call->arena,
	            &(struct kb_settings_edit){ .account_id = call->who.account,
	                                        .agent_id = call->agent.id,
	                                        .change = activate,
	                                        .arg = &persona },
	            &after, err))
		return false;
	kb_notes_wake(call->api->notes);
	return true;
}
