/*
 * Licenses of an agent, and the plugin it is in other programs.
 *
 * A license is a key that the owner hands to somebody who runs a copy of the agent. Whoever has the
 * key may ask whether it is still good (/api/v1/licenses/{licenseKey}, without an API key); it
 * opens nothing else. The record has no id in the contract, so a path takes the key as well as the
 * id.
 */
#include "store/licenses.h"
#include "api/routes.h"
#include "base/hash.h"

enum {
	NAME_CHARS = 255,
	KEYWORDS_CHARS = 1000,
	DESCRIPTION_CHARS = 8000,
	URL_CHARS = 2000,
};

/* ---- licenses ---- */

static void write_license(struct kb_jw *jw, const struct kb_license *license)
{
	kb_jw_object(jw);
	kb_jw_key_int(jw, "id", license->id);
	kb_jw_key_sv(jw, "name", license->name);
	kb_jw_key_sv(jw, "key", license->key);
	kb_jw_key_int(jw, "project_id", license->agent_id);
	kb_jw_key_time(jw, "created_at", license->created_at);
	kb_jw_key_time(jw, "updated_at", license->updated_at);
	kb_jw_end(jw);
}

static bool allowed(struct kb_call *call, struct kb_err *err)
{
	return call->agent.are_licenses_allowed
	       || kb_fail(err, KB_E_FORBIDDEN,
	                  "Licenses are not allowed for agent with id %" PRId64, call->agent.id);
}

static struct kb_sv folded(struct kb_arena *arena, struct kb_sv uuid)
{
	char *text = kb_arena_bytes(arena, KB_UUID_CHARS);

	for (size_t i = 0; i < uuid.n; i++)
		text[i] = (char)(uuid.p[i] | 0x20); /* '-' and digits have the bit already */
	return kb_sv(text, uuid.n);
}

static bool read_ref(struct kb_call *call, struct kb_license_ref *ref, struct kb_err *err)
{
	struct kb_sv text = call->req->params[1];

	*ref = (struct kb_license_ref){ .agent_id = call->agent.id };
	if (kb_uuid_check(text)) {
		ref->key = folded(call->arena, text);
		return true;
	}
	return kb_call_id(call, 1, "License", &ref->id, err);
}

static bool read_name(struct kb_call *call, struct kb_sv *name, struct kb_err *err)
{
	*name = (struct kb_sv){ 0 };
	if (!kb_inputs_text(&call->inputs, call->arena, "name", NAME_CHARS, name, err))
		return false;
	*name = kb_sv_trim(name->p ? *name : KB_SV(""));
	return name->n || kb_fail(err, KB_E_INVALID, "License name can't be empty");
}

/* One license stands beside "status", not under "data". */
static bool reply_license(struct kb_call *call, const struct kb_license *license,
                          struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_call_begin_as(call, &buf, &jw, "license");
	write_license(&jw, license);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_licenses_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_license_list licenses;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!allowed(call, err)
	    || !kb_store_license_list(call->api->store, call->arena, call->agent.id, &licenses,
	                              err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_array(&jw);
	for (size_t i = 0; i < licenses.count; i++)
		write_license(&jw, &licenses.v[i]);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_licenses_create(struct kb_call *call, struct kb_err *err)
{
	struct kb_license license;
	struct kb_sv name;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!allowed(call, err) || !read_name(call, &name, err)
	    || !kb_store_license_create(call->api->store, call->arena, call->agent.id, name,
	                                &license, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key(&jw, "license");
	write_license(&jw, &license);
	kb_jw_key_sv(&jw, "licenseKey", license.key);
	kb_jw_end(&jw);
	return kb_call_reply(call, 201, &buf, &jw, err);
}

bool kb_licenses_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_license_ref ref;
	struct kb_license license;

	return allowed(call, err) && read_ref(call, &ref, err)
	       && kb_store_license_get(call->api->store, call->arena, &ref, &license, err)
	       && reply_license(call, &license, err);
}

bool kb_licenses_update(struct kb_call *call, struct kb_err *err)
{
	struct kb_license_ref ref;
	struct kb_license license;
	struct kb_sv name;

	return allowed(call, err) && read_ref(call, &ref, err) && read_name(call, &name, err)
	       && kb_store_license_rename(call->api->store, call->arena, &ref, name, &license, err)
	       && reply_license(call, &license, err);
}

bool kb_licenses_delete(struct kb_call *call, struct kb_err *err)
{
	struct kb_license_ref ref;

	return allowed(call, err) && read_ref(call, &ref, err)
	       && kb_store_license_delete(call->api->store, &ref, err)
	       && kb_call_reply_flag(call, 200, "deleted", err);
}

bool kb_licenses_check(struct kb_call *call, struct kb_err *err)
{
	struct kb_sv key = call->req->params[0];
	struct kb_license license;

	if (!kb_uuid_check(key))
		return kb_fail(err, KB_E_INVALID, "a license key is a UUID");
	return kb_store_license_find(call->api->store, call->arena, folded(call->arena, key),
	                             &license, err)
	       && reply_license(call, &license, err);
}

/* ---- the plugin ---- */

static bool reply_plugin(struct kb_call *call, int status, const struct kb_plugin *plugin,
                         struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_sv(&jw, "model_name", plugin->model_name);
	kb_jw_key_sv(&jw, "human_name", plugin->human_name);
	kb_jw_key_sv(&jw, "keywords", plugin->keywords);
	kb_jw_key_sv(&jw, "description", plugin->description);
	kb_jw_key_opt(&jw, "logo", plugin->logo);
	kb_jw_key_bool(&jw, "is_active", plugin->is_active);
	kb_jw_key_time(&jw, "created_at", plugin->created_at);
	kb_jw_key_time(&jw, "updated_at", plugin->updated_at);
	kb_jw_end(&jw);
	return kb_call_reply(call, status, &buf, &jw, err);
}

/* model_name is what a program calls: letters, digits and '_'. */
static bool check_model_name(struct kb_sv name, struct kb_err *err)
{
	bool ok = name.n > 0;

	for (size_t i = 0; ok && i < name.n; i++) {
		char c = name.p[i];

		ok = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
		     || c == '_' || c == '-';
	}
	return ok
	       || kb_fail(err, KB_E_INVALID,
	                  "model_name must be letters, digits, - and _, at least one");
}

static bool apply_plugin(void *arg, struct kb_plugin *plugin, struct kb_err *err)
{
	struct kb_call *call = arg;
	const struct {
		const char *name;
		size_t max;
		struct kb_sv *place;
	} texts[] = {
		{ "model_name", NAME_CHARS, &plugin->model_name },
		{ "human_name", NAME_CHARS, &plugin->human_name },
		{ "keywords", KEYWORDS_CHARS, &plugin->keywords },
		{ "description", DESCRIPTION_CHARS, &plugin->description },
		{ "logo", URL_CHARS, &plugin->logo },
	};

	for (size_t i = 0; i < KB_COUNTOF(texts); i++)
		if (!kb_inputs_text(&call->inputs, call->arena, texts[i].name, texts[i].max,
		                    texts[i].place, err))
			return false;
	if (!kb_inputs_bool(&call->inputs, "is_active", &plugin->is_active, err)
	    || !check_model_name(plugin->model_name, err))
		return false;
	if (kb_sv_trim(plugin->human_name).n == 0)
		return kb_fail(err, KB_E_INVALID, "human_name can't be empty");
	if (plugin->logo.n && !kb_sv_istarts(plugin->logo, KB_SV("http://"))
	    && !kb_sv_istarts(plugin->logo, KB_SV("https://")))
		return kb_fail(err, KB_E_INVALID, "logo must be an http or https address");
	return true;
}

/* A plugin that is put anew starts from nothing. */
static bool begin_plugin(void *arg, struct kb_plugin *plugin, struct kb_err *err)
{
	*plugin = (struct kb_plugin){ .agent_id = plugin->agent_id,
		                      .is_active = true,
		                      .created_at = plugin->created_at };
	return apply_plugin(arg, plugin, err);
}

bool kb_plugins_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_plugin plugin;

	return kb_store_plugin_get(call->api->store, call->arena, call->agent.id, &plugin, err)
	       && reply_plugin(call, 200, &plugin, err);
}

bool kb_plugins_create(struct kb_call *call, struct kb_err *err)
{
	struct kb_plugin plugin;

	return kb_store_plugin_put(call->api->store, call->arena,
	                           &(struct kb_plugin_edit){ .agent_id = call->agent.id,
	                                                     .change = begin_plugin,
	                                                     .arg = call },
	                           &plugin, err)
	       && reply_plugin(call, 201, &plugin, err);
}

bool kb_plugins_update(struct kb_call *call, struct kb_err *err)
{
	struct kb_plugin plugin;

	return kb_store_plugin_put(call->api->store, call->arena,
	                           &(struct kb_plugin_edit){ .agent_id = call->agent.id,
	                                                     .must_exist = true,
	                                                     .change = apply_plugin,
	                                                     .arg = call },
	                           &plugin, err)
	       && reply_plugin(call, 200, &plugin, err);
}
