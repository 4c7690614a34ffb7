/* What a provider says of itself: what is taken, and what is not. */
#include "oidc/discovery.h"

#include "test.h"

#define ISSUER "https://id.example/realm"
#define START                                                                                      \
	"{\"issuer\":\"" ISSUER "\",\"authorization_endpoint\":\"https://id.example/auth?a=b\","
#define TOKEN "\"token_endpoint\":\"https://id.example/token\","
#define KEYS  "\"jwks_uri\":\"https://keys.example/jwks\","
#define ALGS  "\"id_token_signing_alg_values_supported\":[\"HS256\",\"none\",\"ES256\",\"RS256\",7]"

static const struct {
	const char *name, *text;
	bool ok;
} cases[] = {
	{ "all of it", START TOKEN KEYS ALGS "}", true },
	{ "nothing", "", false },
	{ "a list", "[]", false },
	{ "an empty object", "{}", false },
	{ "no keys", START TOKEN ALGS "}", false },
	{ "no token endpoint", START KEYS ALGS "}", false },
	{ "shared secrets alone",
	  START TOKEN KEYS "\"id_token_signing_alg_values_supported\":[\"HS256\",\"none\"]}",
	  false },
	{ "no algorithms", START TOKEN KEYS "\"x\":1}", false },
	{ "keys without TLS", START TOKEN "\"jwks_uri\":\"http://keys.example/jwks\"," ALGS "}",
	  false },
	{ "keys on this machine", START TOKEN "\"jwks_uri\":\"http://127.0.0.1/jwks\"," ALGS "}",
	  false },
	{ "keys in a file", START TOKEN "\"jwks_uri\":\"file:///etc/passwd\"," ALGS "}", false },
	{ "keys behind a password",
	  START TOKEN "\"jwks_uri\":\"https://a:b@keys.example\"," ALGS "}", false },
	{ "no code flow", START TOKEN KEYS ALGS ",\"response_types_supported\":[\"id_token\"]}",
	  false },
	{ "plain PKCE alone",
	  START TOKEN KEYS ALGS ",\"code_challenge_methods_supported\":[\"plain\"]}", false },
	{ "S256",
	  START TOKEN KEYS ALGS ",\"code_challenge_methods_supported\":[\"plain\",\"S256\"],"
	                        "\"response_types_supported\":["
	                        "\"code\"]}",
	  true },
	{ "an end without TLS",
	  START TOKEN KEYS ALGS ",\"end_session_endpoint\":\"http://id.example\"}", false },
};

static void test_cases(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_oidc_discovery found;
		struct kb_arena arena = { 0 };
		struct kb_err err;
		bool ok = kb_oidc_discovery_read(&arena, kb_sv_str(cases[i].text), KB_SV(ISSUER),
		                                 &found, &err);

		t->row = cases[i].name;
		CHECK(t, ok == cases[i].ok);
		if (ok)
			CHECK_INT(t, found.algorithms, KB_OIDC_RS256 | KB_OIDC_ES256);
		else
			CHECK_INT(t, err.code, KB_E_UPSTREAM);
		/* It is of this issuer, letter for letter. */
		CHECK(t, !kb_oidc_discovery_read(&arena, kb_sv_str(cases[i].text),
		                                 KB_SV(ISSUER "/"), &found, &err));
		kb_arena_fini(&arena);
	}
	t->row = NULL;
}

static void test_issuers(struct kb_test *t)
{
	static const struct {
		const char *text;
		bool ok;
	} issuers[] = {
		{ "https://id.example", true },
		{ "https://id.example:8443/realms/a/", true },
		{ "http://127.0.0.1:9000", true },
		{ "http://[::1]:9000", true },
		{ "http://localhost:9000", false },
		{ "http://id.example", false },
		{ "http://127.0.0.1.example", false },
		{ "https://a@id.example", false },
		{ "https://id.example?a", false },
		{ "https://id.example#a", false },
		{ "ftp://id.example", false },
		{ "id.example", false },
		{ "", false },
	};

	for (size_t i = 0; i < KB_COUNTOF(issuers); i++) {
		struct kb_arena arena = { 0 };
		struct kb_url url;
		struct kb_err err;

		t->row = issuers[i].text;
		CHECK(t, kb_oidc_issuer_check(&arena, kb_sv_str(issuers[i].text), &url, &err)
		                 == issuers[i].ok);
		kb_arena_fini(&arena);
	}
	t->row = NULL;
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "a description has what is needed, by TLS", test_cases },
		{ "an issuer is an address that nobody between can read", test_issuers },
	};
	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
