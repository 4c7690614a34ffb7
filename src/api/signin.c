/*
 * Browsers that sign in to the dashboard: with a key, with a link that the operator's own machine
 * has made or that invites a person, or as whom a gateway says they are.
 *
 * The browser keeps a cookie that no script can read. A foreign page can make a browser send it
 * (forms go anywhere), so it counts only where the request could not have come from one: with the
 * field X-Docent-Session, which a page of another origin may not send (the answer to its
 * browser's question, system.c, does not name it), and from our own origin where the browser says
 * from which.
 */
#include "api/signin.h"
#include "api/audit.h"
#include "api/gateway.h"
#include "api/guesses.h"
#include "api/people.h"
#include "api/routes.h"
#include "base/utf8.h"

enum { KEY_CHARS = 100, DAYS = KB_SIGN_IN_MAX_US / (24 * 3600 * INT64_C(1000000)) };

/* ---- the cookie ---- */

bool kb_call_is_secure(const struct kb_call *call)
{
	return call->req->tls
	       || (call->api->public_url
	           && kb_sv_starts(kb_sv_str(call->api->public_url), KB_SV("https:")));
}

/* Under TLS browsers hold a cookie of that beginning to this one host. */
static const char *cookie_name(const struct kb_call *call)
{
	return kb_call_is_secure(call) ? "__Host-docent" : "docent";
}

/* Where the browser says from which origin it asks, it is ours. */
static bool is_own_origin(const struct kb_call *call)
{
	struct kb_sv origin = kb_request_field(call->req, "origin");
	ptrdiff_t slashes = kb_sv_find(origin, KB_SV("://"));

	if (!origin.p)
		return true;
	if (call->api->public_url && kb_sv_ieq_str(origin, call->api->public_url))
		return true;
	return slashes > 0 && kb_sv_ieq(kb_sv_from(origin, (size_t)slashes + 3), call->req->host);
}

bool kb_call_is_from_us(const struct kb_call *call)
{
	struct kb_sv site = kb_request_field(call->req, "sec-fetch-site");

	return (!site.p || kb_sv_eq_str(site, "same-origin")) && is_own_origin(call);
}

static bool is_page_of_ours(const struct kb_call *call)
{
	return kb_sv_eq_str(kb_request_field(call->req, "x-docent-session"), "1")
	       && kb_call_is_from_us(call);
}

struct kb_sv kb_call_cookie(struct kb_call *call, const char *name)
{
	struct kb_sv rest = kb_request_field(call->req, "cookie"), part;
	struct kb_sv start = kb_arena_printf(call->arena, "%s=", name);

	while (kb_sv_split(&rest, ';', &part)) {
		part = kb_sv_trim(part);
		if (kb_sv_starts(part, start))
			return kb_sv_from(part, start.n);
	}
	return KB_SV("");
}

struct kb_sv kb_call_sign_in(struct kb_call *call)
{
	return is_page_of_ours(call) ? kb_call_cookie(call, cookie_name(call)) : KB_SV("");
}

struct kb_sv kb_signin_cookie(struct kb_call *call, const char *secret)
{
	return kb_arena_printf(call->arena,
	                       "%s=%s; Path=/; HttpOnly; SameSite=Strict; Max-Age=%d%s",
	                       cookie_name(call), secret, *secret ? (int)DAYS * 24 * 3600 : 0,
	                       kb_call_is_secure(call) ? "; Secure" : "");
}

/* ---- the answers ---- */

void kb_grants_write(struct kb_jw *jw, const struct kb_grant *grants, size_t count)
{
	kb_jw_array(jw);
	for (size_t i = 0; i < count; i++) {
		kb_jw_object(jw);
		kb_jw_key(jw, "project_id");
		if (grants[i].agent_id)
			kb_jw_int(jw, grants[i].agent_id);
		else
			kb_jw_null(jw);
		kb_jw_key(jw, "rights");
		kb_jw_array(jw);
		for (int bit = 0; bit < KB_RIGHT_COUNT; bit++)
			if (grants[i].rights & (INT64_C(1) << bit))
				kb_jw_str(jw, kb_right_names[bit]);
		kb_jw_end(jw);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
}

/* Who it is, where it is a person, and what they may. */
static bool write_person(struct kb_call *call, struct kb_jw *jw, struct kb_err *err)
{
	struct kb_person person;

	kb_jw_key(jw, "person");
	if (!call->who.member) {
		kb_jw_null(jw);
		return true;
	}
	if (!kb_store_person_get(call->api->store, call->arena, call->who.account, call->who.member,
	                         &person, err))
		return false;
	kb_jw_object(jw);
	kb_jw_key_int(jw, "id", person.id);
	kb_jw_key_sv(jw, "name", person.name);
	kb_jw_key_sv(jw, "email", person.email);
	kb_jw_key_str(jw, "role", kb_standing_names[person.standing]);
	kb_jw_key(jw, "agents");
	kb_grants_write(jw, person.grants, person.grant_count);
	kb_jw_end(jw);
	return true;
}

static bool reply(struct kb_call *call, int status, struct kb_buf *buf, struct kb_jw *jw,
                  const char *secret, struct kb_err *err)
{
	struct kb_response response = {
		.status = status,
		.content_type = "application/json",
		.fields = { { KB_SV("cache-control"), KB_SV("no-store") } },
	};

	if (secret)
		response.fields[1] = (struct kb_http_field){ KB_SV("set-cookie"),
			                                     kb_signin_cookie(call, secret) };
	kb_jw_end(jw);
	return kb_call_respond_buf(call, &response, buf, err);
}

static void write_features(struct kb_jw *jw, uint64_t features)
{
	kb_jw_key(jw, "features");
	kb_jw_array(jw);
	for (uint64_t bit = 1; bit < KB_FEATURE_ALL; bit <<= 1)
		if (features & bit)
			kb_jw_str(jw, kb_feature_name((enum kb_plan_feature)bit));
	kb_jw_end(jw);
}

/* How the browser may sign in besides, without asking its user. */
static void write_offers(struct kb_call *call, struct kb_jw *jw, bool by_gateway)
{
	const struct kb_oidc *oidc = call->api->oidc;

	kb_jw_key(jw, "provider");
	if (oidc)
		kb_jw_sv(jw, kb_oidc_host(oidc));
	else
		kb_jw_null(jw);
	kb_jw_key(jw, "offers");
	kb_jw_array(jw);
	if (by_gateway)
		kb_jw_str(jw, "gateway");
	kb_jw_end(jw);
}

/* What a browser that is not signed in may know: whether there is a key to sign in with, and, as
 * long as there is none, the command that makes one. */
static bool write_stranger(struct kb_call *call, struct kb_jw *jw, struct kb_err *err)
{
	int64_t keys;

	if (!kb_store_key_count(call->api->store, &keys, err))
		return false;
	kb_jw_key_bool(jw, "has_keys", keys > 0);
	kb_jw_key(jw, "command");
	if (keys)
		kb_jw_null(jw);
	else
		kb_jw_sv(jw, kb_arena_printf(call->arena, "docent key create --data %s",
		                             call->api->data));
	kb_jw_key_str(jw, "version", DOCENT_VERSION);
	kb_jw_key_null(jw, "key_id");
	kb_jw_key_null(jw, "user");
	kb_jw_key_null(jw, "person");
	kb_jw_key(jw, "project_ids");
	kb_jw_array(jw);
	kb_jw_end(jw);
	kb_jw_key_null(jw, "plan");
	write_features(jw, 0);
	write_offers(call, jw, kb_gateway_knows(call));
	return true;
}

static bool write_known(struct kb_call *call, struct kb_jw *jw, struct kb_err *err)
{
	const struct kb_plan *plan = call->plan;
	struct kb_account account;

	if (!kb_store_account_get(call->api->store, call->arena, call->who.account, &account, err))
		return false;
	kb_jw_key_bool(jw, "has_keys", true);
	kb_jw_key_null(jw, "command");
	kb_jw_key_str(jw, "version", DOCENT_VERSION);
	kb_jw_key_int_opt(jw, "key_id", call->who.key);
	kb_jw_key(jw, "user");
	kb_record_user(call, jw, &account);
	if (!write_person(call, jw, err))
		return false;
	kb_jw_key(jw, "project_ids");
	kb_jw_array(jw);
	for (size_t i = 0; i < call->who.agent_count; i++)
		if (call->who.agents[i])
			kb_jw_int(jw, call->who.agents[i]);
	kb_jw_end(jw);
	kb_jw_key_sv(jw, "plan", plan->name);
	write_features(jw, plan->features);
	write_offers(call, jw, false);
	return true;
}

static bool answer(struct kb_call *call, int status, bool signed_in, const char *secret,
                   struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_bool(&jw, "signed_in", signed_in);
	if (!(signed_in ? write_known(call, &jw, err) : write_stranger(call, &jw, err))) {
		kb_buf_fini(&buf);
		return false;
	}
	kb_jw_end(&jw);
	return reply(call, status, &buf, &jw, secret, err);
}

/* ---- the routes ---- */

bool kb_signin_read(struct kb_call *call, struct kb_err *err)
{
	struct kb_sv secret = kb_call_sign_in(call);
	struct kb_key key;
	bool signed_in = secret.n
	                 && kb_store_sign_in_check(call->api->store, call->arena, secret, &key, err)
	                 && kb_call_by_key(call, &key, err);

	if (!signed_in && secret.n && err->code != KB_E_UNAUTHORIZED)
		return false;
	return answer(call, 200, signed_in, NULL, err);
}

static bool refuse_stranger(struct kb_err *err)
{
	return kb_fail(err, KB_E_FORBIDDEN,
	               "only a page of this service signs a browser in or out");
}

/* The key that a link stands for: one, or what stands for none of a person who is invited. */
static bool follow_link(struct kb_call *call, struct kb_sv link, struct kb_key *out,
                        struct kb_err *err)
{
	struct kb_person person;
	int64_t id, person_id;

	if (!kb_store_link_take(call->api->store, link, &id, &person_id, err))
		return false;
	if (id ? kb_store_key_get(call->api->store, call->arena, id, out, err)
	       : kb_store_person_get(call->api->store, call->arena, 0, person_id, &person, err)) {
		if (!id)
			*out = (struct kb_key){ .account_id = person.account_id,
				                .person_id = person.id };
		return true;
	}
	return err->code == KB_E_NOT_FOUND
	       && kb_fail(err, KB_E_UNAUTHORIZED, "the key of this link has been revoked");
}

/* The key that the browser shows, or that its link or its gateway stands for; and how long the
 * sign-in lasts at the most, 0: as all do. */
static bool find_key(struct kb_call *call, struct kb_key *out, int64_t *lasts_us,
                     struct kb_err *err)
{
	struct kb_sv key = { 0 }, link = { 0 }, by = { 0 };

	if (!kb_inputs_text(&call->inputs, call->arena, "key", KEY_CHARS, &key, err)
	    || !kb_inputs_text(&call->inputs, call->arena, "link", KEY_CHARS, &link, err)
	    || !kb_inputs_text(&call->inputs, call->arena, "by", KEY_CHARS, &by, err))
		return false;
	*lasts_us = 0;
	if (kb_sv_eq_str(by, "gateway")) {
		*lasts_us = KB_GATEWAY_LASTS_US; /* then it is asked anew */
		return kb_gateway_admit(call, out, err);
	}
	if (link.n) {
		if (follow_link(call, link, out, err))
			return true;
		kb_call_guessed(call, link, err);
		return false;
	}
	if (key.p && kb_store_key_check(call->api->store, call->arena, kb_sv_trim(key), out, err))
		return true;
	if (!key.p || err->code == KB_E_UNAUTHORIZED)
		kb_fail(err, KB_E_UNAUTHORIZED, "That is no valid key");
	kb_call_guessed(call, key, err);
	return false;
}

bool kb_signin_begin(struct kb_call *call, const struct kb_key *key,
                     const struct kb_signin_terms *terms, char secret[KB_SIGN_IN_TEXT],
                     struct kb_err *err)
{
	struct kb_sv agent = kb_request_field(call->req, "user-agent");
	const struct kb_signing_in who = {
		.account_id = key->account_id,
		.key_id = key->id,
		.person_id = key->person_id,
		.address = kb_sv_str(call->req->peer),
		.agent = kb_utf8_mend(call->arena, agent.p ? agent : KB_SV("")),
		.lasts_us = terms->lasts_us,
		.sid = terms->sid,
	};

	if (!kb_call_by_key(call, key, err))
		return false;
	kb_call_audit_as(call, KB_AUDIT_SESSION_BEGIN);
	return kb_store_sign_in(call->api->store, &who, secret, err)
	       && (!key->person_id || kb_store_person_seen(call->api->store, key->person_id, err));
}

bool kb_signin_create(struct kb_call *call, struct kb_err *err)
{
	struct kb_sv before = kb_call_sign_in(call);
	char secret[KB_SIGN_IN_TEXT];
	struct kb_signin_terms terms = { 0 };
	struct kb_key key = { 0 };

	if (!is_page_of_ours(call))
		return refuse_stranger(err);
	if (!find_key(call, &key, &terms.lasts_us, err)
	    || (before.n && !kb_store_sign_out(call->api->store, before, err))
	    || !kb_signin_begin(call, &key, &terms, secret, err))
		return false;
	if (key.id)
		kb_store_key_seen(call->api->store, &key);
	return answer(call, 201, true, secret, err);
}

/* Where a browser goes on to that came from the provider; empty: nowhere. */
static bool find_end(struct kb_call *call, struct kb_sv *out, struct kb_err *err)
{
	struct kb_oidc *oidc = call->api->oidc;
	struct kb_person person;

	if (!oidc || !call->who.member)
		return true;
	if (!kb_store_person_get(call->api->store, call->arena, call->who.account, call->who.member,
	                         &person, err))
		return false;
	if (kb_sv_eq(person.issuer, kb_oidc_issuer(oidc)))
		*out = kb_oidc_end_address(oidc, call->arena,
		                           kb_arena_printf(call->arena, "%.*s/login",
		                                           KB_SV_ARG(kb_call_base_url(call))));
	return true;
}

bool kb_signin_delete(struct kb_call *call, struct kb_err *err)
{
	struct kb_sv secret = kb_call_sign_in(call), on = KB_SV("");
	struct kb_key key;
	struct kb_buf buf;
	struct kb_jw jw;

	if (!is_page_of_ours(call))
		return refuse_stranger(err);
	/* Who is not in any more signs out all the same. */
	if (secret.n && kb_store_sign_in_check(call->api->store, call->arena, secret, &key, err)
	    && kb_call_by_key(call, &key, err)) {
		if (!find_end(call, &on, err))
			return false;
		kb_call_audit(call);
	}
	if (secret.n && !kb_store_sign_out(call->api->store, secret, err))
		return false;
	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_bool(&jw, "deleted", true);
	kb_jw_key_opt(&jw, "continue", on.n ? on : (struct kb_sv){ 0 });
	kb_jw_end(&jw);
	return reply(call, 200, &buf, &jw, "", err);
}
