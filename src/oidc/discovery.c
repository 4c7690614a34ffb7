#include "oidc/discovery.h"

#include "base/json.h"

const char *const kb_oidc_alg_names[] = { "RS256", "PS256", "ES256" };

enum { ADDRESS_MAX = 2000 };

static bool refuse(struct kb_err *err, const char *what)
{
	return kb_fail(err, KB_E_UPSTREAM, "the provider's description: %s", what);
}

/* By its address alone: a name may lead anywhere. */
static bool is_this_machine(const struct kb_url *url)
{
	return url->host_kind == KB_HOST_IPV4 ? url->address[0] == 127
	                                      : kb_sv_eq_str(url->host, "[::1]");
}

bool kb_oidc_issuer_check(struct kb_arena *arena, struct kb_sv issuer, struct kb_url *out,
                          struct kb_err *err)
{
	if (issuer.n > ADDRESS_MAX || !kb_url_parse(arena, issuer, NULL, out, err)
	    || !kb_url_is_web(out))
		return kb_fail(err, KB_E_INVALID, "it is no address of the web");
	if (out->username.n || out->password.n || out->query.p || out->fragment.p)
		return kb_fail(err, KB_E_INVALID, "it may have no user, no query and no fragment");
	if (!kb_sv_eq_str(out->scheme, "https") && !is_this_machine(out))
		return kb_fail(err, KB_E_INVALID, "it must begin with https:");
	return true;
}

/* An address that the provider names: as safe as its own. */
static bool read_address(struct kb_arena *arena, const json_t *doc, const char *name,
                         const struct kb_url *issuer, struct kb_sv *out)
{
	struct kb_sv text = kb_json_sv(doc, name, KB_SV(""));
	struct kb_url url;
	struct kb_err err;

	*out = KB_SV("");
	if (!text.n)
		return true;
	if (text.n > ADDRESS_MAX || !kb_url_parse(arena, text, NULL, &url, &err)
	    || !kb_url_is_web(&url) || url.username.n || url.password.n || url.fragment.p)
		return false;
	if (!kb_sv_eq_str(url.scheme, "https")
	    && (kb_sv_eq_str(issuer->scheme, "https") || !is_this_machine(&url)))
		return false;
	*out = url.href;
	return true;
}

static bool lists(const json_t *list, const char *name)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *text = json_string_value(json_array_get(list, i));

		if (text && kb_sv_eq_str(kb_sv_str(text), name))
			return true;
	}
	return false;
}

static bool may_be(const json_t *doc, const char *member, const char *name)
{
	const json_t *list = kb_json_get(doc, member);

	return !list || lists(list, name);
}

bool kb_oidc_discovery_read(struct kb_arena *arena, struct kb_sv text, struct kb_sv issuer,
                            struct kb_oidc_discovery *out, struct kb_err *err)
{
	const json_t *doc, *algorithms, *auth;
	struct kb_url own;

	*out = (struct kb_oidc_discovery){ 0 };
	if (!kb_oidc_issuer_check(arena, issuer, &own, err))
		return false;
	if (text.n > KB_OIDC_DISCOVERY_MAX
	    || !json_is_object(doc = kb_json_parse(arena, text, NULL)))
		return refuse(err, "it is no JSON object");
	if (!kb_sv_eq(kb_json_sv(doc, "issuer", KB_SV("")), issuer))
		return refuse(err, "its issuer is not the one of --oidc-issuer, letter for letter");
	if (!read_address(arena, doc, "authorization_endpoint", &own, &out->authorization)
	    || !read_address(arena, doc, "token_endpoint", &own, &out->token)
	    || !read_address(arena, doc, "jwks_uri", &own, &out->keys)
	    || !read_address(arena, doc, "end_session_endpoint", &own, &out->end_session)
	    || !read_address(arena, doc, "userinfo_endpoint", &own, &out->userinfo))
		return refuse(err, "one of its addresses is no https address");
	if (!out->authorization.n || !out->token.n || !out->keys.n)
		return refuse(err, "authorization_endpoint, token_endpoint or jwks_uri is missing");
	if (!may_be(doc, "response_types_supported", "code"))
		return refuse(err, "it has no code flow");
	if (!may_be(doc, "code_challenge_methods_supported", "S256"))
		return refuse(err, "it has PKCE, but not by S256");
	algorithms = kb_json_get(doc, "id_token_signing_alg_values_supported");
	for (int i = 0; i < KB_OIDC_ALG_COUNT; i++)
		if (lists(algorithms, kb_oidc_alg_names[i]))
			out->algorithms |= 1U << i;
	if (!out->algorithms)
		return refuse(err, "it signs by none of RS256, PS256 and ES256");
	auth = kb_json_get(doc, "token_endpoint_auth_methods_supported");
	out->takes_secret_in_body =
	        !lists(auth, "client_secret_basic") && lists(auth, "client_secret_post");
	out->names_issuer =
	        kb_json_bool(doc, "authorization_response_iss_parameter_supported", false);
	return true;
}
