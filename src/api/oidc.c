/*
 * Browsers that a provider signs in (OpenID Connect, src/oidc): sent there, taken back, signed out
 * when it says so.
 *
 * What the way back must show: the state, which was told to this browser alone; the browser's own
 * cookie, which other than that of a signed-in browser comes along from a foreign page; and a code
 * that the provider gave for both. What goes wrong is logged with its reason, and the browser is
 * told one of few words for it.
 */
#include <string.h>

#include "api/audit.h"
#include "api/gateway.h"
#include "api/routes.h"
#include "api/signin.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "oidc/provider.h"

enum { SECRET_CHARS = KB_SIGN_IN_TEXT - 1, TOKEN_CHARS = KB_OIDC_TOKEN_MAX, STATE_CHARS = 200 };

#define SECONDS(us) ((int)((us) / KB_SECOND_US))

static bool has_provider(const struct kb_call *call, struct kb_err *err)
{
	return call->api->oidc || kb_fail(err, KB_E_NOT_FOUND, "no provider signs anybody in here");
}

/* ---- answers ---- */

static void send_on(struct kb_call *call, struct kb_sv location, struct kb_sv cookie)
{
	struct kb_response response = {
		.status = 303,
		.fields = { { KB_SV("location"), location },
		            { KB_SV("cache-control"), KB_SV("no-store") },
		            { KB_SV("referrer-policy"), KB_SV("no-referrer") } },
	};

	if (cookie.n)
		response.fields[3] = (struct kb_http_field){ KB_SV("set-cookie"), cookie };
	kb_call_respond(call, &response);
}

/* The dashboard has a sentence for each of the words. */
static const char *word_of(const struct kb_err *err)
{
	if (strcmp(err->msg, KB_DIRECTORY_OFF) == 0)
		return "off";
	switch (err->code) {
	case KB_E_FORBIDDEN:
		return "nobody";
	case KB_E_UNAUTHORIZED:
	case KB_E_INVALID:
		return "refused";
	default:
		return "away";
	}
}

static bool send_back(struct kb_call *call, const struct kb_err *why, const char *word)
{
	kb_warn(&call->req->log, "nobody signed in through the provider error=%s reason=%s",
	        kb_err_info(why->code)->name, why->msg);
	send_on(call, kb_arena_printf(call->arena, "/login?provider=%s", word), KB_SV(""));
	return true;
}

/* ---- the browser's own secret ---- */

static const char *cookie_name(const struct kb_call *call)
{
	return kb_call_is_secure(call) ? "__Host-docent-provider" : "docent-provider";
}

/* The one that it has, so that two attempts in two windows do not end each other; or a new one. */
static struct kb_sv browser_of(struct kb_call *call)
{
	struct kb_sv secret = kb_call_cookie(call, cookie_name(call));
	bool ok = secret.n == SECRET_CHARS;
	char *fresh;

	for (size_t i = 0; ok && i < secret.n; i++)
		ok = (secret.p[i] | 32) >= 'a' ? (secret.p[i] | 32) <= 'z'
		                               : secret.p[i] >= '0' && secret.p[i] <= '9';
	if (ok)
		return secret;
	fresh = kb_arena_bytes(call->arena, SECRET_CHARS + 1);
	kb_random_text(fresh, SECRET_CHARS);
	return kb_sv_str(fresh);
}

static struct kb_sv browser_cookie(struct kb_call *call, struct kb_sv secret)
{
	return kb_arena_printf(call->arena, "%s=%.*s; Path=/; HttpOnly; SameSite=Lax; Max-Age=%d%s",
	                       cookie_name(call), KB_SV_ARG(secret), SECONDS(KB_ATTEMPT_US),
	                       kb_call_is_secure(call) ? "; Secure" : "");
}

static struct kb_sv redirect_uri(struct kb_call *call)
{
	return kb_arena_printf(call->arena, "%.*s/login/oidc/callback",
	                       KB_SV_ARG(kb_call_base_url(call)));
}

/* ---- the routes ---- */

static struct kb_sv fresh_text(struct kb_call *call)
{
	char *text = kb_arena_bytes(call->arena, SECRET_CHARS + 1);

	kb_random_text(text, SECRET_CHARS);
	return kb_sv_str(text);
}

bool kb_oidc_login(struct kb_call *call, struct kb_err *err)
{
	struct kb_attempt attempt = { .address = kb_sv_str(call->req->peer) };
	struct kb_sv to;

	if (!has_provider(call, err))
		return false;
	attempt.browser = browser_of(call);
	attempt.state = fresh_text(call);
	attempt.nonce = fresh_text(call);
	attempt.verifier = fresh_text(call);
	if (!kb_oidc_begin(call->api->oidc, call->arena,
	                   &(struct kb_oidc_attempt){ .state = attempt.state,
	                                              .nonce = attempt.nonce,
	                                              .verifier = attempt.verifier,
	                                              .redirect_uri = redirect_uri(call) },
	                   &to, err)
	    || !kb_store_attempt_add(call->api->store, &attempt, err))
		return send_back(call, err, "away");
	send_on(call, to, browser_cookie(call, attempt.browser));
	return true;
}

/* Whom the provider has signed in; the attempt is used up whatever comes of it. */
static bool arrive(struct kb_call *call, struct kb_attempt *attempt, struct kb_oidc_arrival *out,
                   struct kb_err *err)
{
	const struct kb_oidc_response response = {
		.code = kb_request_query(call->req, "code"),
		.error = kb_request_query(call->req, "error"),
		.issuer = kb_request_query(call->req, "iss"),
	};

	return kb_oidc_finish(call->api->oidc, call->arena,
	                      &(struct kb_oidc_attempt){ .state = attempt->state,
	                                                 .nonce = attempt->nonce,
	                                                 .verifier = attempt->verifier,
	                                                 .redirect_uri = redirect_uri(call) },
	                      &response, out, err);
}

/* Who that is here: by what the provider calls them, whatever address of mail they have. */
static bool admit(struct kb_call *call, const struct kb_oidc_arrival *arrival, struct kb_key *out,
                  struct kb_err *err)
{
	struct kb_person person = {
		.issuer = kb_oidc_issuer(call->api->oidc),
		.subject = arrival->subject,
		.name = arrival->name.n ? arrival->name : kb_utf8_head(arrival->subject, 100),
		.email = arrival->email.n ? arrival->email : KB_SV(""),
		.external_id = kb_utf8_head(arrival->external_id, 255),
		.address = arrival->is_verified ? kb_directory_key(call->arena, arrival->email)
		                                : KB_SV(""),
	};
	struct kb_groups groups = { arrival->groups, arrival->group_count };

	return kb_groups_admit(call, &groups, &person, out, err);
}

bool kb_oidc_callback(struct kb_call *call, struct kb_err *err)
{
	struct kb_attempt attempt = { .state = kb_request_query(call->req, "state"),
		                      .browser = kb_call_cookie(call, cookie_name(call)) };
	struct kb_signin_terms terms = { .lasts_us = KB_GATEWAY_LASTS_US };
	char secret[KB_SIGN_IN_TEXT];
	struct kb_oidc_arrival arrival;
	struct kb_key key;

	if (!has_provider(call, err))
		return false;
	if (attempt.state.n > STATE_CHARS)
		attempt.state = KB_SV("");
	if (!kb_store_attempt_take(call->api->store, call->arena, &attempt, err))
		return send_back(call, err, err->code == KB_E_UNAUTHORIZED ? "again" : "away");
	if (!arrive(call, &attempt, &arrival, err) || !admit(call, &arrival, &key, err))
		return send_back(call, err, word_of(err));
	terms.sid = arrival.sid;
	if (!kb_signin_begin(call, &key, &terms, secret, err))
		return send_back(call, err, word_of(err));
	send_on(call, KB_SV("/agents"), kb_signin_cookie(call, secret));
	return true;
}

static bool sign_out(struct kb_call *call, const struct kb_oidc_claims *claims, struct kb_err *err)
{
	struct kb_signing_out who = { .issuer = kb_oidc_issuer(call->api->oidc),
		                      .subject = claims->subject,
		                      .sid = claims->sid };
	struct kb_key key;

	if (!kb_store_signing_out(call->api->store, &who, err))
		return false;
	if (!who.person_id)
		return true; /* who is not here is out */
	key = (struct kb_key){ .account_id = who.account_id, .person_id = who.person_id };
	if (!kb_call_by_key(call, &key, err))
		return err->code == KB_E_UNAUTHORIZED; /* gone just now */
	kb_call_audit(call);
	return kb_store_provider_signs_out(call->api->store, &who, err);
}

bool kb_oidc_logout(struct kb_call *call, struct kb_err *err)
{
	struct kb_sv token = KB_SV("");
	struct kb_oidc_claims claims;
	struct kb_err why;

	if (!has_provider(call, err)
	    || !kb_inputs_text(&call->inputs, call->arena, "logout_token", TOKEN_CHARS, &token,
	                       err))
		return false;
	if (!kb_oidc_signed_out(call->api->oidc, call->arena, token, &claims, &why)) {
		kb_warn(&call->req->log, "the provider signed nobody out error=%s reason=%s",
		        kb_err_info(why.code)->name, why.msg);
		return why.code == KB_E_UNAUTHORIZED ? kb_fail(
		               err, KB_E_INVALID, "The logout token does not count: %s", why.msg)
		                                     : kb_fail(err, why.code, "%s", why.msg);
	}
	return sign_out(call, &claims, err) && kb_call_reply_flag(call, 200, "deleted", err);
}
