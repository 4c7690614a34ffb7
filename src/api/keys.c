/* The account's keys, for who holds one that reaches all of it. */
#include "api/routes.h"

enum { NAME_CHARS = 100, AGENTS_MAX = 100, OWN_MAX = 20 };

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

static void write_key(struct kb_call *call, struct kb_jw *jw, const struct kb_key *key)
{
	kb_jw_object(jw);
	kb_jw_key_int(jw, "id", key->id);
	kb_jw_key_sv(jw, "name", key->name);
	kb_jw_key_sv(jw, "label", key->label);
	write_ids(jw, "project_ids", key);
	kb_jw_key_bool(jw, "is_mine", key->id == call->who.key);
	kb_jw_key_int_opt(jw, "person_id", key->person_id);
	kb_jw_key_time(jw, "created_at", key->created_at);
	kb_jw_key_time_opt(jw, "seen_at", key->seen_at);
	kb_jw_end(jw);
}

/* person_id 0: all of the account. */
static bool reply_keys(struct kb_call *call, int64_t person_id, struct kb_err *err)
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
	for (size_t i = 0; i < count; i++)
		if (!person_id || keys[i].person_id == person_id)
			write_key(call, &jw, &keys[i]);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_keys_list(struct kb_call *call, struct kb_err *err)
{
	return reply_keys(call, 0, err);
}

/* Makes the key, and tells it. */
static bool make_key(struct kb_call *call, struct kb_key_new *key, struct kb_err *err)
{
	char text[KB_KEY_TEXT];
	int64_t id;
	struct kb_buf buf;
	struct kb_jw jw;

	key->name = key->name.p ? kb_sv_trim(key->name) : KB_SV("");
	if (!kb_store_key_create(call->api->store, key, text, err))
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

bool kb_keys_create(struct kb_call *call, struct kb_err *err)
{
	struct kb_key_new key = { .account_id = call->who.account };

	return kb_inputs_text(&call->inputs, call->arena, "name", NAME_CHARS, &key.name, err)
	       && read_agents(call, &key, err) && make_key(call, &key, err);
}

bool kb_keys_delete(struct kb_call *call, struct kb_err *err)
{
	int64_t id;

	if (!kb_call_id(call, 0, "Key", &id, err))
		return false;
	/* For who is no owner there are none. */
	if (!kb_principal_is(&call->who, KB_ROLE_OWNER, 0, NULL))
		return kb_fail(err, KB_E_NOT_FOUND, "Key with id %" PRId64 " not found", id);
	if (!kb_store_account_key_revoke(call->api->store, call->who.account, id, err))
		return false;
	return kb_call_reply_flag(call, 200, "deleted", err);
}

/* ---- a person's own ---- */

static bool is_person(const struct kb_call *call, struct kb_err *err)
{
	return call->who.member
	       || kb_fail(err, KB_E_FORBIDDEN, "only a person has keys of their own");
}

bool kb_own_keys_list(struct kb_call *call, struct kb_err *err)
{
	return reply_keys(call, call->who.member ? call->who.member : -1, err);
}

/* Whom somebody else knows signs in there each time, so that what they may ends when it ends there.
 */
static bool is_invited(struct kb_call *call, struct kb_err *err)
{
	struct kb_person person;

	return kb_store_person_get(call->api->store, call->arena, call->who.account,
	                           call->who.member, &person, err)
	       && (!person.issuer.n
	           || kb_fail(err, KB_E_FORBIDDEN,
	                      "you sign in through your organisation, and have no keys here"));
}

static bool has_room(struct kb_call *call, struct kb_err *err)
{
	struct kb_key *keys;
	size_t count, own = 0;

	if (!kb_store_account_keys(call->api->store, call->arena, call->who.account, &keys, &count,
	                           err))
		return false;
	for (size_t i = 0; i < count; i++)
		own += keys[i].person_id == call->who.member;
	return own < OWN_MAX
	       || kb_fail(err, KB_E_INVALID, "you have %d keys, which is the limit", OWN_MAX);
}

bool kb_own_keys_create(struct kb_call *call, struct kb_err *err)
{
	struct kb_key_new key = { .account_id = call->who.account, .person_id = call->who.member };

	return is_person(call, err) && is_invited(call, err)
	       && kb_inputs_text(&call->inputs, call->arena, "name", NAME_CHARS, &key.name, err)
	       && has_room(call, err) && make_key(call, &key, err);
}

bool kb_own_keys_delete(struct kb_call *call, struct kb_err *err)
{
	struct kb_key key;
	int64_t id;
	bool found;

	if (!kb_call_id(call, 0, "Key", &id, err))
		return false;
	found = kb_store_key_get(call->api->store, call->arena, id, &key, err);
	if (!found && err->code != KB_E_NOT_FOUND)
		return false;
	if (!found || !call->who.member || key.person_id != call->who.member)
		return kb_fail(err, KB_E_NOT_FOUND, "Key with id %" PRId64 " not found", id);
	return kb_store_account_key_revoke(call->api->store, call->who.account, id, err)
	       && kb_call_reply_flag(call, 200, "deleted", err);
}
