/* People of the account: who they are, what they may, links that invite them; browsers that are
 * signed in, and keys of one's own. */
#include "api/people.h"

#include "api/audit.h"
#include "api/routes.h"
#include "base/utf8.h"

enum { NAME_CHARS = 100, EMAIL_CHARS = 255, LABELS_MAX = 50, LABEL_CHARS = 20 };

/* ---- reading ---- */

/* One of the names, by its place; -1: none. */
static int place_of(const char *const *names, size_t count, struct kb_sv name)
{
	for (size_t i = 0; i < count; i++)
		if (kb_sv_eq_str(name, names[i]))
			return (int)i;
	return -1;
}

static struct kb_sv text_of(const json_t *value)
{
	return json_is_string(value) ? kb_sv(json_string_value(value), json_string_length(value))
	                             : KB_SV("");
}

static bool read_rights(const json_t *list, int64_t *out, struct kb_err *err)
{
	*out = 0;
	for (size_t i = 0; i < json_array_size(list); i++) {
		int bit =
		        place_of(kb_right_names, KB_RIGHT_COUNT, text_of(json_array_get(list, i)));

		if (bit < 0)
			return kb_fail(err, KB_E_INVALID,
			               "rights must be a list of ask, conversations, content, "
			               "answers and manage");
		*out |= INT64_C(1) << bit;
	}
	return *out || kb_fail(err, KB_E_INVALID, "rights can't be empty");
}

/* agents: left as they are where they are not sent. */
static bool read_grants(struct kb_call *call, struct kb_person *person, struct kb_err *err)
{
	const json_t *list = kb_inputs_json(&call->inputs, call->arena, "agents");
	size_t count = json_array_size(list);
	struct kb_grant *grants;

	person->keeps_grants = !list;
	if (!list)
		return true;
	if (!json_is_array(list))
		return kb_fail(err, KB_E_INVALID, "agents must be a list");
	if (count > KB_GRANTS_MAX)
		return kb_fail(err, KB_E_INVALID, "agents has %zu rows, the limit is %d", count,
		               KB_GRANTS_MAX);
	person->grants = grants = KB_NEW_ARRAY(call->arena, count, struct kb_grant);
	person->grant_count = count;
	for (size_t i = 0; i < count; i++) {
		const json_t *row = json_array_get(list, i), *id = kb_json_get(row, "project_id");

		grants[i].agent_id = json_integer_value(id);
		if (!id || (!json_is_null(id) && grants[i].agent_id <= 0))
			return kb_fail(err, KB_E_INVALID,
			               "project_id of agents must be an agent's id, or null for "
			               "each of them");
		if (!read_rights(kb_json_get(row, "rights"), &grants[i].rights, err))
			return false;
		for (size_t k = 0; k < i; k++)
			if (grants[k].agent_id == grants[i].agent_id)
				return kb_fail(err, KB_E_INVALID, "agents names one twice");
	}
	return true;
}

static bool read_labels(struct kb_call *call, struct kb_person *person, struct kb_err *err)
{
	const json_t *list = kb_inputs_json(&call->inputs, call->arena, "labels");
	size_t count = json_array_size(list);
	struct kb_buf buf;
	struct kb_jw jw;
	bool ok = true;

	if (!list)
		return true;
	if (!json_is_array(list) || count > LABELS_MAX)
		return kb_fail(err, KB_E_INVALID, "labels must be a list of at most %d names",
		               LABELS_MAX);
	kb_buf_init(&buf, KB_KIB(64));
	kb_jw_init(&jw, &buf);
	kb_jw_array(&jw);
	for (size_t i = 0; ok && i < count; i++) {
		struct kb_sv name = kb_sv_trim(text_of(json_array_get(list, i)));

		ok = name.n && kb_utf8_count(name) <= LABEL_CHARS;
		kb_jw_sv(&jw, name);
	}
	kb_jw_end(&jw);
	person->labels = kb_arena_sv(call->arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return ok
	       || kb_fail(err, KB_E_INVALID, "a label's name has 1 to %d characters", LABEL_CHARS);
}

/* A text on one line; left as it is where it is not sent. */
static bool read_line(struct kb_call *call, const char *name, size_t max, struct kb_sv *out,
                      struct kb_err *err)
{
	struct kb_sv text = { 0 };

	if (!kb_inputs_text(&call->inputs, call->arena, name, max, &text, err))
		return false;
	if (text.p && kb_utf8_has_control(text))
		return kb_fail(err, KB_E_INVALID, "%s must be one line", name);
	if (text.p)
		*out = kb_sv_trim(text);
	return true;
}

/* Over what the person is. */
static bool read_person(struct kb_call *call, struct kb_person *person, struct kb_err *err)
{
	struct kb_sv role = { 0 };
	int standing;

	if (!read_line(call, "name", NAME_CHARS, &person->name, err)
	    || !read_line(call, "email", EMAIL_CHARS, &person->email, err)
	    || !kb_inputs_text(&call->inputs, call->arena, "role", NAME_CHARS, &role, err)
	    || !read_grants(call, person, err) || !read_labels(call, person, err))
		return false;
	if (!person->name.n)
		return kb_fail(err, KB_E_INVALID, "name can't be empty");
	if (!role.p)
		return true;
	standing = place_of(kb_standing_names, KB_STANDING_COUNT, role);
	if (standing < 0)
		return kb_fail(err, KB_E_INVALID, "role must be member, auditor or owner");
	person->standing = (enum kb_standing)standing;
	return true;
}

/* ---- writing ---- */

static void write_person(struct kb_jw *jw, const struct kb_person *person)
{
	kb_jw_object(jw);
	kb_jw_key_int(jw, "id", person->id);
	kb_jw_key_sv(jw, "name", person->name);
	kb_jw_key_sv(jw, "email", person->email);
	kb_jw_key_str(jw, "role", kb_standing_names[person->standing]);
	kb_jw_key(jw, "agents");
	kb_grants_write(jw, person->grants, person->grant_count);
	kb_jw_key(jw, "labels");
	kb_jw_raw(jw, person->labels.n ? person->labels : KB_SV("[]"));
	kb_jw_key_bool(jw, "active", !person->is_out);
	kb_jw_key_time_opt(jw, "invited_until", person->invited_until);
	kb_jw_key_time_opt(jw, "seen_at", person->seen_at);
	kb_jw_key_time(jw, "created_at", person->created_at);
	kb_jw_key_time(jw, "updated_at", person->updated_at);
	kb_jw_end(jw);
}

static bool reply_person(struct kb_call *call, const struct kb_person *person, struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_call_begin(call, &buf, &jw);
	write_person(&jw, person);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

/* With a new link, whose secret stands behind the hash: no server on its way is told. */
static bool reply_invited(struct kb_call *call, struct kb_person *person, struct kb_err *err)
{
	char secret[KB_SIGN_IN_TEXT];
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_store_person_invite(call->api->store, person->id, secret, &person->invited_until,
	                            err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key(&jw, "person");
	write_person(&jw, person);
	kb_jw_key_sv(&jw, "link",
	             kb_arena_printf(call->arena, "%.*s/login#%s",
	                             KB_SV_ARG(kb_call_base_url(call)), secret));
	kb_jw_end(&jw);
	return kb_call_reply(call, 201, &buf, &jw, err);
}

/* ---- people ---- */

static bool find_person(struct kb_call *call, struct kb_person *out, struct kb_err *err)
{
	int64_t id;

	return kb_call_id(call, 0, "Person", &id, err)
	       && kb_store_person_get(call->api->store, call->arena, call->who.account, id, out,
	                              err);
}

bool kb_people_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_person *people;
	size_t count;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_store_people(call->api->store, call->arena, call->who.account, &people, &count,
	                     err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_array(&jw);
	for (size_t i = 0; i < count; i++)
		write_person(&jw, &people[i]);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_people_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_person person;

	return find_person(call, &person, err) && reply_person(call, &person, err);
}

bool kb_people_create(struct kb_call *call, struct kb_err *err)
{
	struct kb_person person = { .account_id = call->who.account,
		                    .email = KB_SV(""),
		                    .labels = KB_SV("[]") };

	return read_person(call, &person, err)
	       && kb_store_person_put(call->api->store, call->arena, &person, err)
	       && reply_invited(call, &person, err);
}

static void note_before(struct kb_call *call, const struct kb_person *person)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_buf_init(&buf, KB_MIB(1));
	kb_jw_init(&jw, &buf);
	write_person(&jw, person);
	kb_call_audit_before(call, kb_buf_view(&buf));
	kb_buf_fini(&buf);
}

bool kb_people_update(struct kb_call *call, struct kb_err *err)
{
	struct kb_person person;

	if (!find_person(call, &person, err))
		return false;
	note_before(call, &person);
	return read_person(call, &person, err)
	       && kb_store_person_put(call->api->store, call->arena, &person, err)
	       && reply_person(call, &person, err);
}

bool kb_people_delete(struct kb_call *call, struct kb_err *err)
{
	int64_t id;

	return kb_call_id(call, 0, "Person", &id, err)
	       && kb_store_person_remove(call->api->store, call->who.account, id, err)
	       && kb_call_reply_flag(call, 200, "deleted", err);
}

bool kb_people_invite(struct kb_call *call, struct kb_err *err)
{
	struct kb_person person;

	return find_person(call, &person, err) && reply_invited(call, &person, err);
}

/* ---- browsers that are signed in ---- */

/* Whose are to be seen or ended: the account's, for who has the role; else one's own. */
static struct kb_session_owner owner_of(const struct kb_call *call, enum kb_role role)
{
	struct kb_session_owner of = { .account_id = call->who.account };

	if (!kb_principal_is(&call->who, role, 0, NULL))
		of.person_id = call->who.member ? call->who.member : -1; /* nobody's */
	return of;
}

bool kb_sessions_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_session_owner of = owner_of(call, KB_ROLE_AUDITOR);
	struct kb_sv secret = kb_call_sign_in(call);
	char mine[KB_SESSION_ID] = "";
	struct kb_session_row *rows;
	size_t count;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_store_sessions(call->api->store, call->arena, &of, &rows, &count, err))
		return false;
	if (secret.n)
		kb_store_session_id(secret, mine);
	kb_call_begin(call, &buf, &jw);
	kb_jw_array(&jw);
	for (size_t i = 0; i < count; i++) {
		kb_jw_object(&jw);
		kb_jw_key_sv(&jw, "id", rows[i].id);
		kb_jw_key_bool(&jw, "is_mine", kb_sv_eq_str(rows[i].id, mine));
		kb_jw_key_int_opt(&jw, "person_id", rows[i].person_id);
		kb_jw_key_int_opt(&jw, "key_id", rows[i].key_id);
		kb_jw_key_sv(&jw, "address", rows[i].address);
		kb_jw_key_sv(&jw, "browser", rows[i].agent);
		kb_jw_key_time(&jw, "created_at", rows[i].created_at);
		kb_jw_key_time(&jw, "seen_at", rows[i].seen_at);
		kb_jw_end(&jw);
	}
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_sessions_delete(struct kb_call *call, struct kb_err *err)
{
	struct kb_session_owner of = owner_of(call, KB_ROLE_OWNER);

	return kb_store_session_end(call->api->store, &of, call->req->params[0], err)
	       && kb_call_reply_flag(call, 200, "deleted", err);
}
