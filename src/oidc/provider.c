#include "oidc/provider_own.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/file.h"
#include "base/hash.h"
#include "http/request.h"

enum { ASKING_MAX = 8 /* threads */, SECRET_MAX = 4096 };

/* ---- opening ---- */

static bool read_secret(struct kb_oidc *oidc, struct kb_arena *arena, struct kb_sv *out,
                        struct kb_err *err)
{
	struct kb_err why;

	*out = KB_SV("");
	if (!oidc->config.secret_file)
		return true;
	if (!kb_file_read(arena, oidc->config.secret_file, SECRET_MAX, out, &why))
		return kb_fail(err, KB_E_INVALID, "--oidc-client-secret-file: %s", why.msg);
	*out = kb_sv_trim(*out);
	return out->n || kb_fail(err, KB_E_INVALID, "--oidc-client-secret-file is empty");
}

static bool begin_config(struct kb_oidc *oidc, struct kb_err *err)
{
	const struct kb_oidc_config *config = &oidc->config;
	struct kb_sv secret, scopes = kb_sv_str(config->scope), scope;
	bool openid = false;
	struct kb_err why;

	if (!kb_oidc_issuer_check(&oidc->arena, kb_sv_str(config->issuer), &oidc->issuer, &why))
		return kb_fail(err, KB_E_INVALID, "--oidc-issuer: %s", why.msg);
	if (!config->client_id || !*config->client_id)
		return kb_fail(err, KB_E_INVALID, "--oidc-issuer needs --oidc-client-id");
	while (kb_sv_split(&scopes, ' ', &scope))
		openid |= kb_sv_eq_str(scope, "openid");
	if (!openid)
		return kb_fail(err, KB_E_INVALID, "--oidc-scope must have openid");
	return read_secret(oidc, &oidc->arena, &secret, err);
}

struct kb_oidc *kb_oidc_open(const struct kb_oidc_config *config, struct kb_err *err)
{
	struct kb_oidc *oidc = kb_xcalloc(1, sizeof(*oidc));

	oidc->config = *config;
	pthread_mutex_init(&oidc->asks, NULL);
	pthread_mutex_init(&oidc->lock, NULL);
	if (begin_config(oidc, err)
	    && (oidc->inner = kb_fetcher_new("0.0.0.0/0,::/0", NULL, config->temp_dir, err)))
		return oidc;
	kb_oidc_close(oidc);
	return NULL;
}

void kb_oidc_close(struct kb_oidc *oidc)
{
	if (!oidc)
		return;
	kb_oidc_let_go(oidc->known);
	kb_fetcher_free(oidc->inner);
	kb_arena_fini(&oidc->arena);
	pthread_mutex_destroy(&oidc->asks);
	pthread_mutex_destroy(&oidc->lock);
	free(oidc);
}

void kb_oidc_cancel(struct kb_oidc *oidc)
{
	if (oidc)
		kb_fetcher_cancel(oidc->inner);
}

struct kb_sv kb_oidc_issuer(const struct kb_oidc *oidc)
{
	return kb_sv_str(oidc->config.issuer);
}

struct kb_sv kb_oidc_host(const struct kb_oidc *oidc)
{
	return oidc->issuer.host;
}

/* One of the few who may wait for it. */
static bool enter(struct kb_oidc *oidc, struct kb_err *err)
{
	if (atomic_fetch_add(&oidc->asking, 1) < ASKING_MAX)
		return true;
	atomic_fetch_sub(&oidc->asking, 1);
	return kb_fail(err, KB_E_BUSY, "too many are signing in just now");
}

static void leave(struct kb_oidc *oidc)
{
	atomic_fetch_sub(&oidc->asking, 1);
}

/* ---- the way out ---- */

static struct kb_sv with_query(struct kb_arena *arena, struct kb_sv address, struct kb_buf *pairs)
{
	struct kb_sv query = kb_sv_from(kb_buf_view(pairs), 1), out;

	out = kb_arena_printf(arena, "%.*s%c%.*s", KB_SV_ARG(address),
	                      kb_sv_find_byte(address, '?') >= 0 ? '&' : '?', KB_SV_ARG(query));
	kb_buf_fini(pairs);
	return out;
}

static struct kb_sv challenge(struct kb_arena *arena, struct kb_sv verifier)
{
	unsigned char hash[KB_SHA256_BYTES];

	kb_sha256(verifier, hash);
	return kb_base64url_encode(arena, kb_sv((const char *)hash, sizeof(hash)));
}

bool kb_oidc_begin(struct kb_oidc *oidc, struct kb_arena *arena,
                   const struct kb_oidc_attempt *attempt, struct kb_sv *out, struct kb_err *err)
{
	struct kb_oidc_known *known;
	struct kb_buf buf;

	if (!enter(oidc, err))
		return false;
	known = kb_oidc_know(oidc, KB_OIDC_KEPT_US, err);
	leave(oidc);
	if (!known)
		return false;
	kb_buf_init(&buf, KB_KIB(64));
	kb_urlencoded_add(&buf, "response_type", KB_SV("code"));
	kb_urlencoded_add(&buf, "client_id", kb_sv_str(oidc->config.client_id));
	kb_urlencoded_add(&buf, "redirect_uri", attempt->redirect_uri);
	kb_urlencoded_add(&buf, "scope", kb_sv_str(oidc->config.scope));
	kb_urlencoded_add(&buf, "state", attempt->state);
	kb_urlencoded_add(&buf, "nonce", attempt->nonce);
	kb_urlencoded_add(&buf, "code_challenge", challenge(arena, attempt->verifier));
	kb_urlencoded_add(&buf, "code_challenge_method", KB_SV("S256"));
	*out = with_query(arena, known->discovery.authorization, &buf);
	kb_oidc_let_go(known);
	return true;
}

struct kb_sv kb_oidc_end_address(struct kb_oidc *oidc, struct kb_arena *arena,
                                 struct kb_sv redirect_uri)
{
	struct kb_oidc_known *known = kb_oidc_hold(oidc, INT64_MAX);
	struct kb_sv out = KB_SV("");
	struct kb_buf buf;

	if (known && known->discovery.end_session.n) {
		kb_buf_init(&buf, KB_KIB(64));
		kb_urlencoded_add(&buf, "client_id", kb_sv_str(oidc->config.client_id));
		kb_urlencoded_add(&buf, "post_logout_redirect_uri", redirect_uri);
		out = with_query(arena, known->discovery.end_session, &buf);
	}
	kb_oidc_let_go(known);
	return out;
}

/* ---- and back ---- */

static struct kb_sv encoded(struct kb_arena *arena, struct kb_sv text)
{
	struct kb_buf buf;
	struct kb_sv out;

	kb_buf_init(&buf, KB_KIB(64));
	kb_urlencoded_add(&buf, "", text);
	out = kb_arena_sv(arena, kb_sv_from(kb_buf_view(&buf), 2)); /* behind "&=" */
	kb_buf_fini(&buf);
	return out;
}

/* The code for tokens. */
static const json_t *trade(struct kb_oidc *oidc, struct kb_arena *arena,
                           const struct kb_oidc_known *known, const struct kb_oidc_attempt *attempt,
                           struct kb_sv code, struct kb_err *err)
{
	struct kb_sv client = kb_sv_str(oidc->config.client_id), secret, text;
	struct kb_fetch_field field = { KB_SV("Authorization"), KB_SV("") };
	struct kb_fetch_request request = { .url = known->discovery.token, .fields = &field };
	bool in_body = known->discovery.takes_secret_in_body;
	const json_t *tokens = NULL;
	struct kb_buf buf;
	bool ok;

	if (!read_secret(oidc, arena, &secret, err))
		return NULL;
	kb_buf_init(&buf, KB_KIB(64));
	kb_urlencoded_add(&buf, "grant_type", KB_SV("authorization_code"));
	kb_urlencoded_add(&buf, "code", code);
	kb_urlencoded_add(&buf, "redirect_uri", attempt->redirect_uri);
	kb_urlencoded_add(&buf, "code_verifier", attempt->verifier);
	if (!secret.n || in_body)
		kb_urlencoded_add(&buf, "client_id", client);
	if (secret.n && in_body)
		kb_urlencoded_add(&buf, "client_secret", secret);
	if (secret.n && !in_body) {
		text = kb_arena_printf(arena, "%.*s:%.*s", KB_SV_ARG(encoded(arena, client)),
		                       KB_SV_ARG(encoded(arena, secret)));
		field.value = kb_arena_printf(arena, "Basic %.*s",
		                              KB_SV_ARG(kb_base64_encode(arena, text)));
		request.field_count = 1;
	}
	request.body = kb_arena_sv(arena, kb_sv_from(kb_buf_view(&buf), 1));
	ok = !buf.failed && kb_oidc_ask(oidc, arena, &request, "the token endpoint", &text, err);
	kb_buf_fini(&buf);
	if (!ok)
		return NULL;
	tokens = kb_json_parse(arena, text, NULL);
	if (json_is_object(tokens))
		return tokens;
	kb_fail(err, KB_E_UPSTREAM, "the token endpoint answered no JSON object");
	return NULL;
}

/* Those that carry a signature; a key that nobody knows yet is asked for once a minute at most. */
typedef bool read_fn(struct kb_arena *, struct kb_sv, const struct kb_oidc_keys *,
                     const struct kb_oidc_expected *, struct kb_oidc_claims *, struct kb_err *);

struct paper {
	read_fn *read;
	struct kb_sv token, audience, nonce;
};

static bool judge(struct kb_oidc *oidc, struct kb_arena *arena, const struct paper *paper,
                  struct kb_oidc_claims *out, struct kb_err *err)
{
	struct kb_oidc_expected expected = {
		.issuer = kb_oidc_issuer(oidc),
		.client_id = paper->audience,
		.nonce = paper->nonce,
		.now = kb_clock_now_us(oidc->config.clock),
	};
	int64_t younger_us = KB_OIDC_KEPT_US;
	bool ok = false;

	for (bool again = true; again; younger_us = 0) {
		struct kb_oidc_known *known = kb_oidc_know(oidc, younger_us, err);

		if (!known)
			return false;
		expected.algorithms = known->discovery.algorithms;
		ok = paper->read(arena, paper->token, known->keys, &expected, out, err);
		kb_oidc_let_go(known);
		if (ok || err->code != KB_E_NOT_FOUND)
			return ok;
		again = younger_us && kb_oidc_may_ask_again(oidc);
	}
	err->code = KB_E_UNAUTHORIZED;
	return false;
}

/* What the token leaves out, the provider may say when it is asked: of the same person alone. */
static const json_t *ask_userinfo(struct kb_oidc *oidc, struct kb_arena *arena,
                                  const json_t *tokens, struct kb_sv subject)
{
	struct kb_oidc_known *known = kb_oidc_hold(oidc, INT64_MAX);
	struct kb_sv access = kb_json_sv(tokens, "access_token", KB_SV("")), text;
	struct kb_fetch_field field = { KB_SV("Authorization"),
		                        kb_arena_printf(arena, "Bearer %.*s", KB_SV_ARG(access)) };
	struct kb_fetch_request request = { .fields = &field, .field_count = 1 };
	const json_t *claims = NULL;
	struct kb_err err = { 0 };

	if (known && known->discovery.userinfo.n && access.n) {
		request.url = known->discovery.userinfo;
		if (kb_oidc_ask(oidc, arena, &request, "the userinfo endpoint", &text, &err))
			claims = kb_json_parse(arena, text, NULL);
		else
			kb_warn(oidc->config.log, "groups are not known error=%s", err.msg);
	}
	kb_oidc_let_go(known);
	return kb_sv_eq(kb_json_sv(claims, "sub", KB_SV("")), subject) ? claims : NULL;
}

static void read_arrival(struct kb_oidc *oidc, struct kb_arena *arena, const json_t *tokens,
                         const struct kb_oidc_claims *claims, struct kb_oidc_arrival *out)
{
	const char *name = oidc->config.groups_claim;

	*out = (struct kb_oidc_arrival){
		.subject = claims->subject,
		.sid = claims->sid,
		.external_id = kb_json_sv(claims->all, oidc->config.directory_claim, KB_SV("")),
	};
	if (!kb_oidc_arrival_read(arena, claims->all, name, out)
	    && !kb_oidc_arrival_read(arena, ask_userinfo(oidc, arena, tokens, claims->subject),
	                             name, out)
	    && !out->groups)
		kb_warn(oidc->config.log, "the provider names no groups claim=%s%s", name,
		        kb_json_get(kb_json_get(claims->all, "_claim_names"), name)
		                ? ", but an address where they can be asked for: too many"
		                : "");
}

static bool judge_response(struct kb_oidc *oidc, const struct kb_oidc_known *known,
                           const struct kb_oidc_response *response, struct kb_err *err)
{
	if (response->issuer.p ? !kb_sv_eq(response->issuer, kb_oidc_issuer(oidc))
	                       : known->discovery.names_issuer)
		return kb_fail(err, KB_E_UNAUTHORIZED, "the answer is of another provider (iss)");
	if (response->error.p)
		return kb_fail(err, KB_E_UNAUTHORIZED, "the provider refused (error)");
	return response->code.n || kb_fail(err, KB_E_UNAUTHORIZED, "the answer has no code");
}

static bool finish(struct kb_oidc *oidc, struct kb_arena *arena,
                   const struct kb_oidc_attempt *attempt, const struct kb_oidc_response *response,
                   struct kb_oidc_arrival *out, struct kb_err *err)
{
	struct kb_oidc_known *known = kb_oidc_know(oidc, KB_OIDC_KEPT_US, err);
	struct kb_oidc_claims claims;
	const json_t *tokens = NULL;
	bool ok = known && judge_response(oidc, known, response, err)
	          && (tokens = trade(oidc, arena, known, attempt, response->code, err));

	kb_oidc_let_go(known);
	if (!ok
	    || !judge(oidc, arena,
	              &(struct paper){ kb_oidc_id_token_read,
	                               kb_json_sv(tokens, "id_token", KB_SV("")),
	                               kb_sv_str(oidc->config.client_id), attempt->nonce },
	              &claims, err))
		return false;
	read_arrival(oidc, arena, tokens, &claims, out);
	return true;
}

bool kb_oidc_finish(struct kb_oidc *oidc, struct kb_arena *arena,
                    const struct kb_oidc_attempt *attempt, const struct kb_oidc_response *response,
                    struct kb_oidc_arrival *out, struct kb_err *err)
{
	bool ok;

	if (!enter(oidc, err))
		return false;
	ok = finish(oidc, arena, attempt, response, out, err);
	leave(oidc);
	return ok;
}

bool kb_oidc_signed_out(struct kb_oidc *oidc, struct kb_arena *arena, struct kb_sv token,
                        struct kb_oidc_claims *out, struct kb_err *err)
{
	bool ok;

	if (!enter(oidc, err))
		return false;
	ok = judge(oidc, arena,
	           &(struct paper){ kb_oidc_logout_token_read, token,
	                            kb_sv_str(oidc->config.client_id), KB_SV("") },
	           out, err);
	leave(oidc);
	return ok;
}

bool kb_oidc_asks_for(struct kb_oidc *oidc, struct kb_arena *arena, struct kb_sv token,
                      struct kb_sv audience, struct kb_oidc_claims *out, struct kb_err *err)
{
	bool ok;

	if (!enter(oidc, err))
		return false;
	ok = judge(oidc, arena,
	           &(struct paper){ kb_oidc_access_token_read, token, audience, KB_SV("") }, out,
	           err);
	leave(oidc);
	return ok;
}
