#include "oidc/token.h"

#include <math.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "oidc/discovery.h"

#define LOGOUT_EVENT "http://schemas.openid.net/event/backchannel-logout"

enum { SID_CHARS = 255, AUDIENCES_MAX = 100 };

static bool refuse(struct kb_err *err, const char *what)
{
	return kb_fail(err, KB_E_UNAUTHORIZED, "%s", what);
}

static bool parts_of(struct kb_sv token, struct kb_sv part[3])
{
	const char *end = token.p + token.n;
	size_t n = 0;

	while (n < 3 && kb_sv_split(&token, '.', &part[n]) && part[n].n)
		n++;
	return n == 3 && part[2].p + part[2].n == end;
}

/* One of those that are allowed, or 0. */
static unsigned algorithm_of(const json_t *head, unsigned allowed)
{
	struct kb_sv alg = kb_json_sv(head, "alg", KB_SV(""));

	for (int i = 0; i < KB_OIDC_ALG_COUNT; i++)
		if (allowed & 1U << i && kb_sv_eq_str(alg, kb_oidc_alg_names[i]))
			return 1U << i;
	return 0;
}

struct opened {
	const json_t *head, *claims;
};

/* What it is signed with holds; then its claims may be read. */
static bool open_token(struct kb_arena *arena, struct kb_sv token, const struct kb_oidc_keys *keys,
                       unsigned allowed, struct opened *out, struct kb_err *err)
{
	struct kb_oidc_signed what = { 0 };
	struct kb_sv part[3], text, body;
	const json_t *kid;

	if (token.n > KB_OIDC_TOKEN_MAX || !parts_of(token, part)
	    || !kb_base64url_decode(arena, part[0], &text)
	    || !kb_base64url_decode(arena, part[1], &body)
	    || !kb_base64url_decode(arena, part[2], &what.signature))
		return refuse(err, "it is no signed JWT");
	out->head = kb_json_parse(arena, text, NULL);
	if (!json_is_object(out->head))
		return refuse(err, "its head is no JSON object");
	what.algorithm = algorithm_of(out->head, allowed);
	if (!what.algorithm && algorithm_of(out->head, ~0U))
		return kb_fail(err, KB_E_NOT_FOUND,
		               "it is signed by an algorithm that the provider does not name");
	if (!what.algorithm)
		return refuse(err, "it is signed by no algorithm that is allowed (alg)");
	if (kb_json_get(out->head, "crit"))
		return refuse(err, "it wants something that nobody here knows (crit)");
	kid = kb_json_get(out->head, "kid");
	if (kid && !json_is_string(kid))
		return refuse(err, "its kid is no text");
	if (kid)
		what.kid = kb_sv(json_string_value(kid), json_string_length(kid));
	what.text = kb_sv_sub(token, 0, part[0].n + 1 + part[1].n);
	if (!kb_oidc_keys_verify(keys, &what, err))
		return false;
	out->claims = kb_json_parse(arena, body, NULL);
	return json_is_object(out->claims) || refuse(err, "its claims are no JSON object");
}

static bool is_of_type(const json_t *head, const char *type)
{
	const json_t *typ = kb_json_get(head, "typ");
	struct kb_sv text = kb_json_sv(head, "typ", KB_SV(""));

	return !typ || kb_sv_ieq_str(text, "JWT") || (type && kb_sv_ieq_str(text, type));
}

/* A text of one line, where it is there. */
static bool read_text(const json_t *claims, const char *name, size_t max, struct kb_sv *out)
{
	const json_t *value = kb_json_get(claims, name);

	*out = kb_json_sv(claims, name, KB_SV(""));
	return !value
	       || (json_is_string(value) && out->n && kb_utf8_count(*out) <= max
	           && !kb_utf8_has_control(*out));
}

static bool is_for_us(const json_t *claims, struct kb_sv client, struct kb_err *err)
{
	const json_t *aud = kb_json_get(claims, "aud");
	size_t count = json_array_size(aud);
	bool named = kb_sv_eq(kb_json_sv(claims, "aud", KB_SV("")), client);

	for (size_t i = 0; i < count && count <= AUDIENCES_MAX; i++) {
		const json_t *one = json_array_get(aud, i);

		if (!json_is_string(one))
			return refuse(err, "its audience is no list of texts (aud)");
		named |= kb_sv_eq(kb_sv(json_string_value(one), json_string_length(one)), client);
	}
	return named || refuse(err, "it is for somebody else (aud)");
}

static bool is_made_for_us(const json_t *claims, struct kb_sv client, struct kb_err *err)
{
	const json_t *azp = kb_json_get(claims, "azp");
	size_t count = json_array_size(kb_json_get(claims, "aud"));

	if (azp ? !kb_sv_eq(kb_json_sv(claims, "azp", KB_SV("")), client) : count > 1)
		return refuse(err, "it was made for somebody else (azp)");
	return true;
}

/* Seconds, which may be a fraction: NAN: there are none. */
static double time_of(const json_t *claims, const char *name)
{
	const json_t *value = kb_json_get(claims, name);

	return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

struct moment {
	int64_t now_us;
	int age_s; /* as old a token may be */
};

/* Comparisons are such that no number at all fails them. */
static bool is_of_now(const json_t *claims, const struct moment *at, int64_t *exp_s,
                      struct kb_err *err)
{
	double now = (double)at->now_us / (double)KB_SECOND_US, exp = time_of(claims, "exp"),
	       iat = time_of(claims, "iat"), nbf = time_of(claims, "nbf");

	if (!(exp + KB_OIDC_SKEW_S > now) || !(exp < 1e12))
		return refuse(err, "it is over (exp)");
	if (!(iat <= now + KB_OIDC_SKEW_S))
		return refuse(err, "it is from the future (iat)");
	if (!(iat >= now - at->age_s - KB_OIDC_SKEW_S))
		return refuse(err, "it is too old (iat)");
	if (kb_json_get(claims, "nbf") && !(nbf <= now + KB_OIDC_SKEW_S))
		return refuse(err, "it does not count yet (nbf)");
	*exp_s = (int64_t)exp;
	return true;
}

/* What all kinds have. */
static bool read_common(const json_t *claims, const struct kb_oidc_expected *expected, int age_s,
                        struct kb_oidc_claims *out, struct kb_err *err)
{
	const struct moment at = { expected->now, age_s };

	out->all = claims;
	if (!kb_sv_eq(kb_json_sv(claims, "iss", KB_SV("")), expected->issuer))
		return refuse(err, "it is of another provider (iss)");
	if (!is_for_us(claims, expected->client_id, err) || !is_of_now(claims, &at, &out->exp, err))
		return false;
	if (!read_text(claims, "sub", KB_OIDC_SUBJECT_CHARS, &out->subject)
	    || !read_text(claims, "sid", SID_CHARS, &out->sid)
	    || !read_text(claims, "jti", SID_CHARS, &out->jti))
		return refuse(err, "sub, sid or jti is no text of 1 to 255 characters on one line");
	return true;
}

bool kb_oidc_id_token_read(struct kb_arena *arena, struct kb_sv token,
                           const struct kb_oidc_keys *keys, const struct kb_oidc_expected *expected,
                           struct kb_oidc_claims *out, struct kb_err *err)
{
	struct opened opened = { 0 };

	*out = (struct kb_oidc_claims){ 0 };
	if (!open_token(arena, token, keys, expected->algorithms, &opened, err)
	    || !read_common(opened.claims, expected, KB_OIDC_AGE_S, out, err)
	    || !is_made_for_us(opened.claims, expected->client_id, err))
		return false;
	if (!is_of_type(opened.head, NULL) || kb_json_get(opened.claims, "events"))
		return refuse(err, "it is a token of another kind (typ, events)");
	if (!out->subject.n)
		return refuse(err, "it says not who it is (sub)");
	if (!expected->nonce.n
	    || !kb_equal_secret(kb_json_sv(opened.claims, "nonce", KB_SV("")), expected->nonce))
		return refuse(err, "it is of another attempt (nonce)");
	return true;
}

bool kb_oidc_logout_token_read(struct kb_arena *arena, struct kb_sv token,
                               const struct kb_oidc_keys *keys,
                               const struct kb_oidc_expected *expected, struct kb_oidc_claims *out,
                               struct kb_err *err)
{
	struct opened opened = { 0 };

	*out = (struct kb_oidc_claims){ 0 };
	if (!open_token(arena, token, keys, expected->algorithms, &opened, err)
	    || !read_common(opened.claims, expected, KB_OIDC_AGE_S, out, err)
	    || !is_made_for_us(opened.claims, expected->client_id, err))
		return false;
	if (!is_of_type(opened.head, "logout+jwt")
	    || !json_is_object(kb_json_get(kb_json_get(opened.claims, "events"), LOGOUT_EVENT)))
		return refuse(err, "it is no logout token (typ, events)");
	if (kb_json_get(opened.claims, "nonce"))
		return refuse(err, "it has a nonce, which no logout token has");
	if (!out->jti.n)
		return refuse(err, "it has no number of its own (jti)");
	return out->subject.n || out->sid.n || refuse(err, "it says not who it is (sub, sid)");
}

bool kb_oidc_access_token_read(struct kb_arena *arena, struct kb_sv token,
                               const struct kb_oidc_keys *keys,
                               const struct kb_oidc_expected *expected, struct kb_oidc_claims *out,
                               struct kb_err *err)
{
	struct opened opened = { 0 };
	struct kb_sv typ;

	*out = (struct kb_oidc_claims){ 0 };
	if (!open_token(arena, token, keys, expected->algorithms, &opened, err)
	    || !read_common(opened.claims, expected, KB_OIDC_ACCESS_AGE_S, out, err))
		return false;
	typ = kb_json_sv(opened.head, "typ", KB_SV(""));
	if ((!kb_sv_ieq_str(typ, "at+jwt") && !kb_sv_ieq_str(typ, "application/at+jwt"))
	    || kb_json_get(opened.claims, "events") || kb_json_get(opened.claims, "nonce"))
		return refuse(err, "it is no access token (typ, events, nonce)");
	return out->subject.n || refuse(err, "it says not who it is (sub)");
}
