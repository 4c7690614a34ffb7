/*
 * Whether a program may ask in somebody's name: the question, their answer, and those they have let
 * in.
 *
 * The address that a program sends a browser to is a page of the dashboard, which signs its reader
 * in where that is needed, and asks here what it shows. So nobody but a signed-in browser of ours
 * has anything fetched, or lets anybody in (kb_call_sign_in()); and no mistake of a request sends a
 * browser anywhere but to the page that says it.
 */
#include "api/audit.h"
#include "api/oauth.h"
#include "api/oauth_client.h"
#include "api/routes.h"
#include "base/field.h"

enum { STATE_CHARS = 2000, WORD_CHARS = 300, CHALLENGE_CHARS = 43 };

struct asked {
	struct kb_sv client_id, redirect, state, challenge;
	struct kb_sv back; /* whose the redirect is; empty: the reader's own machine */
	struct kb_oauth_client client;
};

static bool text(struct kb_call *call, const struct kb_inputs *inputs, const char *name, size_t max,
                 struct kb_sv *out, struct kb_err *err)
{
	*out = KB_SV("");
	if (!kb_inputs_text(inputs, call->arena, name, max, out, err))
		return false;
	if (!out->p)
		*out = KB_SV("");
	return true;
}

static bool is_challenge(struct kb_sv challenge)
{
	for (size_t i = 0; i < challenge.n; i++) {
		char c = challenge.p[i];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
		      || c == '-' || c == '_'))
			return false;
	}
	return challenge.n == CHALLENGE_CHARS;
}

/* The agent becomes the call's. Foreign, missing and out of reach look alike. */
static bool find_agent(struct kb_call *call, struct kb_sv resource, struct kb_err *err)
{
	int64_t id;

	return kb_oauth_resource(call, resource, &id, err) && kb_call_agent(call, id, err)
	       && kb_principal_is(&call->who, KB_ROLE_ASKER, id, err);
}

/* What a program asks for, judged; its description comes last. */
static bool read_asked(struct kb_call *call, const struct kb_inputs *inputs, struct asked *out,
                       struct kb_err *err)
{
	struct kb_sv type, method, resource;

	if (!kb_oauth_check_on(call, err)
	    || !text(call, inputs, "client_id", KB_OAUTH_ADDRESS_CHARS, &out->client_id, err)
	    || !text(call, inputs, "redirect_uri", KB_OAUTH_ADDRESS_CHARS, &out->redirect, err)
	    || !text(call, inputs, "state", STATE_CHARS, &out->state, err)
	    || !text(call, inputs, "response_type", WORD_CHARS, &type, err)
	    || !text(call, inputs, "code_challenge", WORD_CHARS, &out->challenge, err)
	    || !text(call, inputs, "code_challenge_method", WORD_CHARS, &method, err)
	    || !text(call, inputs, "resource", KB_OAUTH_ADDRESS_CHARS, &resource, err))
		return false;
	if (!kb_sv_eq_str(type, "code"))
		return kb_fail(err, KB_E_INVALID, "response_type has to be code");
	if (!kb_sv_eq_str(method, "S256") || !is_challenge(out->challenge))
		return kb_fail(err, KB_E_INVALID,
		               "code_challenge is missing, or code_challenge_method is not S256");
	return find_agent(call, resource, err)
	       && kb_oauth_client_fetch(call->api->fetcher, call->arena, out->client_id,
	                                &out->client, err)
	       && kb_oauth_client_takes(call->arena, &out->client, out->redirect, &out->back, err);
}

/* ---- the question ---- */

bool kb_programs_asked(struct kb_call *call, struct kb_err *err)
{
	struct kb_inputs inputs;
	struct asked asked;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_inputs_query(call->req, &inputs, err) || !read_asked(call, &inputs, &asked, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_sv(&jw, "client_id", asked.client.id);
	kb_jw_key_sv(&jw, "host", asked.client.host);
	kb_jw_key_sv(&jw, "name", asked.client.name);
	kb_jw_key_opt(&jw, "back_to", asked.back.n ? asked.back : (struct kb_sv){ 0 });
	kb_jw_key_int(&jw, "project_id", call->agent.id);
	kb_jw_key_sv(&jw, "project_name", call->agent.name);
	/* Whoever holds a key of the account finds all of its documents, as every program with such
	 * a key does. */
	kb_jw_key_bool(&jw, "all_documents", !call->who.member);
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

/* ---- the answer ---- */

static struct kb_sv go_back(struct kb_call *call, const struct asked *asked, const char *name,
                            const char *value)
{
	struct kb_sv with = kb_sv_find_byte(asked->redirect, '?') >= 0 ? KB_SV("&") : KB_SV("?");
	struct kb_sv state = KB_SV("");

	if (asked->state.n)
		state = kb_arena_printf(
		        call->arena, "&state=%.*s",
		        KB_SV_ARG(kb_percent_encode(call->arena, asked->state, "-._~")));
	return kb_arena_printf(call->arena, "%.*s%.*s%s=%s%.*s&iss=%.*s",
	                       KB_SV_ARG(asked->redirect), KB_SV_ARG(with), name, value,
	                       KB_SV_ARG(state),
	                       KB_SV_ARG(kb_percent_encode(
	                               call->arena, kb_sv_str(call->api->public_url), "-._~")));
}

static bool reply_back(struct kb_call *call, struct kb_sv to, struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_sv(&jw, "continue", to);
	kb_jw_end(&jw);
	return kb_call_reply(call, 201, &buf, &jw, err);
}

bool kb_programs_create(struct kb_call *call, struct kb_err *err)
{
	struct kb_program_new new = { 0 };
	struct asked asked;
	char code[KB_PROGRAM_CODE];
	bool allow = false;

	if (!kb_inputs_bool(&call->inputs, "allow", &allow, err)
	    || !read_asked(call, &call->inputs, &asked, err))
		return false;
	new.program = (struct kb_consent){
		.account_id = call->who.account,
		.person_id = call->who.member,
		.key_id = call->who.key,
		.agent_id = call->agent.id,
		.client = asked.client.id,
		.name = asked.client.name,
	};
	new.challenge = asked.challenge;
	new.redirect = asked.redirect;
	kb_oauth_note(call, allow ? KB_AUDIT_PROGRAM_ALLOW : KB_AUDIT_PROGRAM_DENY, &new.program);
	if (!allow)
		return reply_back(call, go_back(call, &asked, "error", "access_denied"), err);
	return kb_store_program_allow(call->api->store, &new, code, err)
	       && reply_back(call, go_back(call, &asked, "code", code), err);
}

/* ---- those that were let in ---- */

/* Whose are to be seen or ended: the account's, for who has the role; else one's own. */
static struct kb_session_owner owner_of(const struct kb_call *call, enum kb_role role)
{
	struct kb_session_owner of = { .account_id = call->who.account };

	if (!kb_principal_is(&call->who, role, 0, NULL))
		of.person_id = call->who.member ? call->who.member : -1; /* nobody's */
	return of;
}

bool kb_programs_list(struct kb_call *call, struct kb_err *err)
{
	struct kb_session_owner of = owner_of(call, KB_ROLE_AUDITOR);
	struct kb_consent *rows;
	size_t count;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!kb_store_programs(call->api->store, call->arena, &of, &rows, &count, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_array(&jw);
	for (size_t i = 0; i < count; i++) {
		kb_jw_object(&jw);
		kb_jw_key_int(&jw, "id", rows[i].id);
		kb_jw_key_sv(&jw, "client_id", rows[i].client);
		kb_jw_key_sv(&jw, "name", rows[i].name);
		kb_jw_key_int(&jw, "project_id", rows[i].agent_id);
		kb_jw_key_int_opt(&jw, "person_id", rows[i].person_id);
		kb_jw_key_int_opt(&jw, "key_id", rows[i].key_id);
		kb_jw_key_time(&jw, "created_at", rows[i].created_at);
		kb_jw_key_time_opt(&jw, "seen_at", rows[i].seen_at);
		kb_jw_key_time(&jw, "ends_at", rows[i].ends_at);
		kb_jw_end(&jw);
	}
	kb_jw_end(&jw);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

bool kb_programs_delete(struct kb_call *call, struct kb_err *err)
{
	struct kb_session_owner of = owner_of(call, KB_ROLE_OWNER);
	int64_t id;

	return kb_call_id(call, 0, "Program", &id, err)
	       && kb_store_program_end(call->api->store, &of, id, err)
	       && kb_call_reply_flag(call, 200, "deleted", err);
}
