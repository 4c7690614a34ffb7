#include "oidc/provider.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "http/request.h"
#include "oidc/discovery.h"

#define KEPT_US  (3600 * KB_SECOND_US)
#define AGAIN_US (60 * KB_SECOND_US)
#define LEFT_US  (5 * KB_SECOND_US)

enum {
	ASKING_MAX = 8, /* threads */
	WHOLE_S = 10,
	CONNECT_S = 4,
	ANSWER_MAX = 1 << 20,
	SECRET_MAX = 4096,
	GROUPS_MAX = 1000,
	NAME_CHARS = 100,
	EMAIL_CHARS = 255,
};

/* What is known of the provider, which is replaced as a whole. */
struct known {
	struct kb_arena arena;
	struct kb_oidc_discovery discovery;
	struct kb_oidc_keys *keys;
	_Atomic(int) holders;
};

struct kb_oidc {
	struct kb_oidc_config config;
	struct kb_arena arena;
	struct kb_url issuer;
	struct kb_fetcher *inner; /* to the issuer's own origin alone */
	_Atomic(int) asking;

	pthread_mutex_t asks;                  /* who asks what the provider is */
	pthread_mutex_t lock;                  /* what is below */
	struct known *known;                   /* NULL: nothing yet */
	int64_t known_at, failed_at, again_at; /* kb_clock_mono_us(); 0: never */
};

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

static void let_go(struct known *known)
{
	if (!known || atomic_fetch_sub(&known->holders, 1) > 1)
		return;
	kb_oidc_keys_free(known->keys);
	kb_arena_fini(&known->arena);
	free(known);
}

void kb_oidc_close(struct kb_oidc *oidc)
{
	if (!oidc)
		return;
	let_go(oidc->known);
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

/* ---- asking ---- */

static bool stays(void *arg, struct kb_arena *arena, const struct kb_url *to, struct kb_err *err)
{
	const struct kb_oidc *oidc = arg;

	(void)arena;
	return kb_url_same_origin(to, &oidc->issuer)
	       || kb_fail(err, KB_E_UPSTREAM, "the provider leads elsewhere");
}

/* An answer of 200, as text. what: for the sentence, which tells nothing of what came. */
static bool ask(struct kb_oidc *oidc, struct kb_arena *arena, struct kb_fetch_request *request,
                const char *what, struct kb_sv *out, struct kb_err *err)
{
	struct kb_fetch_response response = { .fd = -1 };
	struct kb_url url;
	bool own, ok;

	if (!kb_url_parse(arena, request->url, NULL, &url, err))
		return false;
	own = kb_url_same_origin(&url, &oidc->issuer);
	request->accept = KB_SV("application/json");
	request->bytes_max = ANSWER_MAX;
	request->patience = (struct kb_fetch_patience){ WHOLE_S, CONNECT_S, WHOLE_S };
	request->may_follow = own ? stays : NULL;
	request->may_follow_arg = oidc;
	if (!kb_fetch(own ? oidc->inner : oidc->config.fetcher, arena, request, &response, err))
		return false;
	if (response.status != 200 || response.fd < 0) {
		kb_fd_close(&response.fd);
		return kb_fail(err,
		               response.status >= 400 && response.status < 500 ? KB_E_UNAUTHORIZED
		                                                               : KB_E_UPSTREAM,
		               "%s answered %d", what, response.status);
	}
	ok = kb_fd_read_all(arena, response.fd, ANSWER_MAX, out, err);
	kb_fd_close(&response.fd);
	return ok;
}

static bool get(struct kb_oidc *oidc, struct kb_arena *arena, struct kb_sv url, const char *what,
                struct kb_sv *out, struct kb_err *err)
{
	struct kb_fetch_request request = { .url = url };

	if (ask(oidc, arena, &request, what, out, err))
		return true;
	/* Nobody was refused: it is not what it should be. */
	if (err->code == KB_E_UNAUTHORIZED)
		err->code = KB_E_UPSTREAM;
	return false;
}

static struct known *learn(struct kb_oidc *oidc, struct kb_err *err)
{
	struct known *known = kb_xcalloc(1, sizeof(*known));
	struct kb_sv issuer = kb_oidc_issuer(oidc), address, text;

	known->holders = 1;
	address = kb_arena_printf(&known->arena, "%.*s/.well-known/openid-configuration",
	                          KB_SV_ARG(kb_sv_ends(issuer, KB_SV("/"))
	                                            ? kb_sv_sub(issuer, 0, issuer.n - 1)
	                                            : issuer));
	if (get(oidc, &known->arena, address, "the provider's description", &text, err)
	    && kb_oidc_discovery_read(&known->arena, text, issuer, &known->discovery, err)
	    && get(oidc, &known->arena, known->discovery.keys, "the address of its keys", &text,
	           err)
	    && (known->keys = kb_oidc_keys_read(text, err)))
		return known;
	let_go(known);
	return NULL;
}

/* What is known, if it is younger than that; to be let go. */
static struct known *hold(struct kb_oidc *oidc, int64_t younger_us)
{
	struct known *known;

	pthread_mutex_lock(&oidc->lock);
	known = oidc->known;
	if (known && kb_clock_mono_us() - oidc->known_at >= younger_us)
		known = NULL;
	if (known)
		atomic_fetch_add(&known->holders, 1);
	pthread_mutex_unlock(&oidc->lock);
	return known;
}

static bool is_left_alone(struct kb_oidc *oidc)
{
	bool is;

	pthread_mutex_lock(&oidc->lock);
	is = oidc->failed_at && kb_clock_mono_us() - oidc->failed_at < LEFT_US;
	pthread_mutex_unlock(&oidc->lock);
	return is;
}

/* Whether its keys may be asked for once more, because one is not among them. */
static bool may_ask_again(struct kb_oidc *oidc)
{
	int64_t now = kb_clock_mono_us();
	bool may;

	pthread_mutex_lock(&oidc->lock);
	may = !oidc->again_at || now - oidc->again_at >= AGAIN_US;
	if (may)
		oidc->again_at = now;
	pthread_mutex_unlock(&oidc->lock);
	return may;
}

static void keep(struct kb_oidc *oidc, struct known *known)
{
	struct known *before = NULL;

	pthread_mutex_lock(&oidc->lock);
	if (known) {
		before = oidc->known;
		atomic_fetch_add(&known->holders, 1);
		oidc->known = known;
		oidc->known_at = kb_clock_mono_us();
	}
	oidc->failed_at = known ? 0 : kb_clock_mono_us();
	pthread_mutex_unlock(&oidc->lock);
	let_go(before);
}

/* What the provider is, no older than that; where it does not answer, what it was. NULL: nobody
 * knows. */
static struct known *know(struct kb_oidc *oidc, int64_t younger_us, struct kb_err *err)
{
	struct known *known = hold(oidc, younger_us);

	if (known)
		return known;
	pthread_mutex_lock(&oidc->asks);
	known = hold(oidc, younger_us); /* somebody else has asked meanwhile */
	if (!known && is_left_alone(oidc)) {
		kb_fail(err, KB_E_UPSTREAM, "the provider was away a moment ago");
	} else if (!known) {
		known = learn(oidc, err);
		keep(oidc, known);
		if (!known)
			kb_warn(oidc->config.log, "the provider of sign-ins is away error=%s",
			        err->msg);
	}
	pthread_mutex_unlock(&oidc->asks);
	return known ? known : hold(oidc, INT64_MAX);
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
	struct known *known;
	struct kb_buf buf;

	if (!enter(oidc, err))
		return false;
	known = know(oidc, KEPT_US, err);
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
	let_go(known);
	return true;
}

struct kb_sv kb_oidc_end_address(struct kb_oidc *oidc, struct kb_arena *arena,
                                 struct kb_sv redirect_uri)
{
	struct known *known = hold(oidc, INT64_MAX);
	struct kb_sv out = KB_SV("");
	struct kb_buf buf;

	if (known && known->discovery.end_session.n) {
		kb_buf_init(&buf, KB_KIB(64));
		kb_urlencoded_add(&buf, "client_id", kb_sv_str(oidc->config.client_id));
		kb_urlencoded_add(&buf, "post_logout_redirect_uri", redirect_uri);
		out = with_query(arena, known->discovery.end_session, &buf);
	}
	let_go(known);
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
static bool trade(struct kb_oidc *oidc, struct kb_arena *arena, const struct known *known,
                  const struct kb_oidc_attempt *attempt, struct kb_sv code, const json_t **out,
                  struct kb_err *err)
{
	struct kb_sv client = kb_sv_str(oidc->config.client_id), secret, text;
	struct kb_fetch_field field = { KB_SV("Authorization"), KB_SV("") };
	struct kb_fetch_request request = { .url = known->discovery.token, .fields = &field };
	bool in_body = known->discovery.takes_secret_in_body;
	struct kb_buf buf;
	bool ok;

	if (!read_secret(oidc, arena, &secret, err))
		return false;
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
	ok = !buf.failed && ask(oidc, arena, &request, "the token endpoint", &text, err);
	kb_buf_fini(&buf);
	if (!ok)
		return false;
	*out = kb_json_parse(arena, text, NULL);
	return json_is_object(*out)
	       || kb_fail(err, KB_E_UPSTREAM, "the token endpoint answered no JSON object");
}

/* Those that carry a signature; a key that nobody knows yet is asked for once a minute at most. */
typedef bool read_fn(struct kb_arena *, struct kb_sv, const struct kb_oidc_keys *,
                     const struct kb_oidc_expected *, struct kb_oidc_claims *, struct kb_err *);

static bool judge(struct kb_oidc *oidc, struct kb_arena *arena, read_fn *read, struct kb_sv token,
                  struct kb_sv nonce, struct kb_oidc_claims *out, struct kb_err *err)
{
	struct kb_oidc_expected expected = {
		.issuer = kb_oidc_issuer(oidc),
		.client_id = kb_sv_str(oidc->config.client_id),
		.nonce = nonce,
		.now = kb_clock_now_us(oidc->config.clock),
	};
	int64_t younger_us = KEPT_US;
	bool ok = false;

	for (bool again = true; again; younger_us = 0) {
		struct known *known = know(oidc, younger_us, err);

		if (!known)
			return false;
		expected.algorithms = known->discovery.algorithms;
		ok = read(arena, token, known->keys, &expected, out, err);
		let_go(known);
		if (ok || err->code != KB_E_NOT_FOUND)
			return ok;
		again = younger_us && may_ask_again(oidc);
	}
	err->code = KB_E_UNAUTHORIZED;
	return false;
}

/* A member by its whole name, or by a path of names with dots between. */
static const json_t *member_of(struct kb_arena *arena, const json_t *claims, const char *name)
{
	const json_t *at = kb_json_get(claims, name);
	struct kb_sv rest = kb_sv_str(name), part;

	if (at || kb_sv_find_byte(rest, '.') < 0)
		return at;
	at = claims;
	while (at && kb_sv_split(&rest, '.', &part))
		at = json_is_object(at) ? kb_json_get(at, kb_arena_str(arena, part)) : NULL;
	return at;
}

static void read_groups(struct kb_arena *arena, const json_t *claim, struct kb_oidc_arrival *out)
{
	size_t count = json_is_string(claim) ? 1 : KB_MIN(json_array_size(claim), GROUPS_MAX);
	struct kb_sv *groups = KB_NEW_ARRAY(arena, count, struct kb_sv);

	out->groups = groups;
	out->group_count = 0;
	for (size_t i = 0; i < count; i++) {
		const json_t *one = json_is_string(claim) ? claim : json_array_get(claim, i);

		if (json_is_string(one) && json_string_length(one))
			groups[out->group_count++] =
			        kb_sv(json_string_value(one), json_string_length(one));
	}
}

/* What the token leaves out, the provider may say when it is asked: of the same person alone. */
static const json_t *ask_userinfo(struct kb_oidc *oidc, struct kb_arena *arena,
                                  const json_t *tokens, struct kb_sv subject)
{
	struct known *known = hold(oidc, INT64_MAX);
	struct kb_sv access = kb_json_sv(tokens, "access_token", KB_SV("")), text;
	struct kb_fetch_field field = { KB_SV("Authorization"),
		                        kb_arena_printf(arena, "Bearer %.*s", KB_SV_ARG(access)) };
	struct kb_fetch_request request = { .fields = &field, .field_count = 1 };
	const json_t *claims = NULL;
	struct kb_err err = { 0 };

	if (known && known->discovery.userinfo.n && access.n) {
		request.url = known->discovery.userinfo;
		if (ask(oidc, arena, &request, "the userinfo endpoint", &text, &err))
			claims = kb_json_parse(arena, text, NULL);
		else
			kb_warn(oidc->config.log, "groups are not known error=%s", err.msg);
	}
	let_go(known);
	return kb_sv_eq(kb_json_sv(claims, "sub", KB_SV("")), subject) ? claims : NULL;
}

static struct kb_sv line_of(const json_t *claims, const char *name, size_t max)
{
	struct kb_sv text = kb_json_sv(claims, name, KB_SV(""));

	return kb_utf8_has_control(text) ? KB_SV("") : kb_sv_trim(kb_utf8_head(text, max));
}

static void read_arrival(struct kb_oidc *oidc, struct kb_arena *arena, const json_t *tokens,
                         const struct kb_oidc_claims *claims, struct kb_oidc_arrival *out)
{
	const char *name = oidc->config.groups_claim;
	const json_t *groups = member_of(arena, claims->all, name), *info = NULL, *from;

	*out = (struct kb_oidc_arrival){ .subject = claims->subject, .sid = claims->sid };
	if (!groups || !line_of(claims->all, "name", NAME_CHARS).n)
		info = ask_userinfo(oidc, arena, tokens, claims->subject);
	if (!groups)
		groups = member_of(arena, info, name);
	if (!groups)
		kb_warn(oidc->config.log, "the provider names no groups claim=%s%s", name,
		        kb_json_get(kb_json_get(claims->all, "_claim_names"), name)
		                ? ", but an address where they can be asked for: too many"
		                : "");
	from = line_of(claims->all, "name", NAME_CHARS).n ? claims->all : info;
	out->name = line_of(from, "name", NAME_CHARS);
	from = kb_json_get(claims->all, "email") ? claims->all : info;
	if (kb_json_bool(from, "email_verified", true))
		out->email = line_of(from, "email", EMAIL_CHARS);
	read_groups(arena, groups, out);
}

static bool judge_response(struct kb_oidc *oidc, const struct known *known,
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
	struct known *known = know(oidc, KEPT_US, err);
	struct kb_oidc_claims claims;
	const json_t *tokens;
	bool ok = known && judge_response(oidc, known, response, err)
	          && trade(oidc, arena, known, attempt, response->code, &tokens, err);

	let_go(known);
	if (!ok
	    || !judge(oidc, arena, kb_oidc_id_token_read, kb_json_sv(tokens, "id_token", KB_SV("")),
	              attempt->nonce, &claims, err))
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
	ok = judge(oidc, arena, kb_oidc_logout_token_read, token, KB_SV(""), out, err);
	leave(oidc);
	return ok;
}
