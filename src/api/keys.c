/* The account's keys, for who holds one that reaches all of it. */
#include "api/routes.h"

enum { NAME_CHARS = 100, AGENTS_MAX = 100 };

/* project_ids: missing or null is none. */
static bool read_agents(struct kb_call *call, struct kb_key_new *key, struct kb_err *err)
{
	const json_t *list = kb_inputs_json(&call->inputs, call->arena, "project_ids");
	size_t count = json_array_size(list);
	int64_t *ids;

	if (!list || json_is_null(list))
		return true;
	if (!json_is_array(list))
		return kb_fail(err, KB_E_INVALID, "project_ids must be a list of agents' ids");
	if (count > AGENTS_MAX)
		return kb_fail(err, KB_E_INVALID, "project_ids has %zu ids, the limit is %d", count,
		               AGENTS_MAX);
	key->agents = ids = KB_NEW_ARRAY(call->arena, count, int64_t);
	for (; key->agent_count < count; key->agent_count++) {
		const json_t *id = json_array_get(list, key->agent_count);
		struct kb_sv text = json_is_string(id)
		                            ? kb_sv(json_string_value(id), json_string_length(id))
		                            : KB_SV("");

		if (json_is_integer(id))
			ids[key->agent_count] = json_integer_value(id);
		else if (!kb_sv_to_int(text, 1, INT64_MAX, &ids[key->agent_count]))
			return kb_fail(err, KB_E_INVALID, "an id of project_ids is no integer");
	}
	return true;
}

static void write_ids(struct kb_jw *jw, const char *name, const struct kb_key *key)
{
	kb_jw_key(jw, name);
	kb_jw_array(jw);
	for (size_t i = 0; i < key->agent_count; i++)
		kb_jw_int(jw, key->agents[i]);
	kb_jw_end(jw);
}

bool kb_keys_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_key *keys;
	size_t count;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_store_account_keys(call->api->store, call->arena, call->who.account, &keys, &count,
	                           err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_array(&jw);
	for (size_t i = 0; i < count; i++) {
		kb_jw_object(&jw);
		kb_jw_key_int(&jw, "id", keys[i].id);
		kb_jw_key_sv(&jw, "name", keys[i].name);
		kb_jw_key_sv(&jw, "label", keys[i].label);
		write_ids(&jw, "project_ids", &keys[i]);
		kb_jw_key_bool(&jw, "is_mine", keys[i].id == call->who.key);
		kb_jw_key_time(&jw, "created_at", keys[i].created_at);
		if (keys[i].seen_at)
			kb_jw_key_time(&jw, "seen_at", keys[i].seen_at);
		else
			kb_jw_key_null(&jw, "seen_at");
		kb_jw_end(&jw);
	}
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_keys_create(struct kb_call *call, struct kb_err *err)
{
	struct kb_key_new key = { .account_id = call->who.account };
	char text[KB_KEY_TEXT];
	int64_t id;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_inputs_text(&call->inputs, call->arena, "name", NAME_CHARS, &key.name, err)
	    || !read_agents(call, &key, err))
		return false;
	key.name = key.name.p ? kb_sv_trim(key.name) : KB_SV("");
	if (!kb_store_key_create(call->api->store, &key, text, err))
		return false;
	KB_ASSERT(kb_sv_to_int(
	        kb_sv_sub(kb_sv_str(text), 0, (size_t)kb_sv_find_byte(kb_sv_str(text), '|')), 1,
	        INT64_MAX, &id));
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "id", id);
	kb_jw_key_str(&jw, "key", text);
	kb_jw_end(&jw);
	return kb_call_reply(call, 201, &buf, &jw, err);
}

bool kb_keys_delete(struct kb_call *call, struct kb_err *err)
{
	int64_t id;

	if (!kb_call_id(call, 0, "Key", &id, err))
		return false;
	/* For a key that is limited to some agents there are no others. */
	if (!kb_principal_may(&call->who, KB_MANAGE, NULL))
		return kb_fail(err, KB_E_NOT_FOUND, "Key with id %" PRId64 " not found", id);
	if (!kb_store_account_key_revoke(call->api->store, call->who.account, id, err))
		return false;
	return kb_call_reply_flag(call, 200, "deleted", err);
}
