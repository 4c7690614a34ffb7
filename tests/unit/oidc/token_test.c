/* Tokens of a provider: what counts, and sixty that do not. They are made and signed here. */
#include "oidc/token.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rsa.h>

#include "base/base64.h"
#include "base/clock.h"
#include "oidc/discovery.h"
#include "test.h"

#define NOW (INT64_C(1700000000) * KB_SECOND_US)

enum signer { RSA_ONE, RSA_TWO, PSS, EC_ONE, EC_DER, HMAC_PUBLIC, HMAC_EMPTY, NONE, ODD };

struct keys {
	EVP_PKEY *rsa[2], *ec, *small;
	struct kb_arena arena;
	struct kb_sv set; /* as JSON */
	struct kb_oidc_keys *keys;
};

static struct kb_sv number(struct kb_arena *arena, const EVP_PKEY *pkey, const char *name,
                           int bytes)
{
	unsigned char raw[1024];
	BIGNUM *n = NULL;

	KB_ASSERT(EVP_PKEY_get_bn_param(pkey, name, &n));
	if (!bytes)
		bytes = BN_num_bytes(n);
	KB_ASSERT(BN_bn2binpad(n, raw, bytes) == bytes);
	BN_free(n);
	return kb_base64url_encode(arena, kb_sv((const char *)raw, (size_t)bytes));
}

static struct kb_sv rsa_jwk(struct kb_arena *arena, const EVP_PKEY *pkey, const char *more)
{
	return kb_arena_printf(arena, "{\"kty\":\"RSA\",\"n\":\"%.*s\",\"e\":\"%.*s\"%s}",
	                       KB_SV_ARG(number(arena, pkey, OSSL_PKEY_PARAM_RSA_N, 0)),
	                       KB_SV_ARG(number(arena, pkey, OSSL_PKEY_PARAM_RSA_E, 0)), more);
}

static struct kb_sv ec_jwk(struct kb_arena *arena, const EVP_PKEY *pkey, const char *more)
{
	return kb_arena_printf(arena,
	                       "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"%.*s\",\"y\":\"%.*s\"%s}",
	                       KB_SV_ARG(number(arena, pkey, OSSL_PKEY_PARAM_EC_PUB_X, 32)),
	                       KB_SV_ARG(number(arena, pkey, OSSL_PKEY_PARAM_EC_PUB_Y, 32)), more);
}

static void keys_make(struct keys *k)
{
	struct kb_err err;

	*k = (struct keys){ { EVP_RSA_gen(2048), EVP_RSA_gen(2048) },
		            EVP_EC_gen("P-256"),
		            EVP_RSA_gen(1024) };
	k->set = kb_arena_printf(
	        &k->arena,
	        "{\"keys\":[%.*s,%.*s,%.*s,%.*s,%.*s,{\"kty\":\"oct\",\"k\":\"AAAA\","
	        "\"kid\":\"oct\"},7,null]}",
	        KB_SV_ARG(rsa_jwk(&k->arena, k->rsa[0], ",\"kid\":\"one\",\"use\":\"sig\"")),
	        KB_SV_ARG(rsa_jwk(&k->arena, k->rsa[1],
	                          ",\"kid\":\"pss\",\"alg\":\"PS256\",\"key_ops\":[\"verify\"]")),
	        KB_SV_ARG(ec_jwk(&k->arena, k->ec, ",\"kid\":\"ec\"")),
	        KB_SV_ARG(rsa_jwk(&k->arena, k->rsa[0], ",\"kid\":\"enc\",\"use\":\"enc\"")),
	        KB_SV_ARG(rsa_jwk(&k->arena, k->small, ",\"kid\":\"small\"")));
	k->keys = kb_oidc_keys_read(k->set, &err);
	KB_ASSERT(k->keys);
}

static void keys_end(struct keys *k)
{
	kb_oidc_keys_free(k->keys);
	EVP_PKEY_free(k->rsa[0]);
	EVP_PKEY_free(k->rsa[1]);
	EVP_PKEY_free(k->ec);
	EVP_PKEY_free(k->small);
	kb_arena_fini(&k->arena);
}

/* What a key's holder makes of the text. */
static size_t sign(EVP_PKEY *pkey, bool pss, struct kb_sv text, unsigned char *out, size_t room)
{
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	EVP_PKEY_CTX *ctx = NULL;

	KB_ASSERT(EVP_DigestSignInit(md, &ctx, EVP_sha256(), NULL, pkey) > 0);
	if (pss)
		KB_ASSERT(EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PSS_PADDING) > 0
		          && EVP_PKEY_CTX_set_rsa_pss_saltlen(ctx, RSA_PSS_SALTLEN_DIGEST) > 0);
	KB_ASSERT(EVP_DigestSign(md, out, &room, (const unsigned char *)text.p, text.n) > 0);
	EVP_MD_CTX_free(md);
	return room;
}

/* The two numbers of DER. */
static size_t plain(unsigned char *signature, size_t n)
{
	const unsigned char *p = signature;
	ECDSA_SIG *sig = d2i_ECDSA_SIG(NULL, &p, (long)n);
	unsigned char raw[64];

	KB_ASSERT(sig);
	BN_bn2binpad(ECDSA_SIG_get0_r(sig), raw, 32);
	BN_bn2binpad(ECDSA_SIG_get0_s(sig), raw + 32, 32);
	ECDSA_SIG_free(sig);
	memcpy(signature, raw, sizeof(raw));
	return sizeof(raw);
}

static struct kb_sv signature_of(struct keys *k, struct kb_arena *arena, enum signer by,
                                 struct kb_sv text)
{
	unsigned char out[1024];
	size_t n = 0;

	switch (by) {
	case RSA_ONE:
	case RSA_TWO:
		n = sign(k->rsa[by == RSA_TWO], false, text, out, sizeof(out));
		break;
	case PSS:
		n = sign(k->rsa[1], true, text, out, sizeof(out));
		break;
	case EC_ONE:
	case EC_DER:
		n = sign(k->ec, false, text, out, sizeof(out));
		if (by == EC_ONE)
			n = plain(out, n);
		break;
	case HMAC_PUBLIC:
	case HMAC_EMPTY:
		kb_hmac_sha256(by == HMAC_PUBLIC ? k->set : KB_SV(""), text, out);
		n = KB_SHA256_BYTES;
		break;
	case ODD:
		memset(out, 0, n = 64); /* r = s = 0 */
		break;
	case NONE:
		break;
	}
	return kb_base64url_encode(arena, kb_sv((const char *)out, n));
}

static struct kb_sv make(struct keys *k, struct kb_arena *arena, const char *head,
                         const char *claims, enum signer by)
{
	struct kb_sv text = kb_arena_printf(
	        arena, "%.*s.%.*s", KB_SV_ARG(kb_base64url_encode(arena, kb_sv_str(head))),
	        KB_SV_ARG(kb_base64url_encode(arena, kb_sv_str(claims))));

	return kb_arena_printf(arena, "%.*s.%.*s", KB_SV_ARG(text),
	                       KB_SV_ARG(signature_of(k, arena, by, text)));
}

static const struct kb_oidc_expected expected = {
	.issuer = KB_SV_INIT("https://id.example"),
	.client_id = KB_SV_INIT("docent"),
	.nonce = KB_SV_INIT("n0nce"),
	.algorithms = KB_OIDC_RS256 | KB_OIDC_PS256 | KB_OIDC_ES256,
	.now = NOW,
};

#define RS  "{\"alg\":\"RS256\",\"kid\":\"one\"}"
#define ISS "\"iss\":\"https://id.example\","
#define AUD "\"aud\":\"docent\","
#define SUB "\"sub\":\"ann\","
#define NON "\"nonce\":\"n0nce\","
#define EXP "\"exp\":1700000060,"
#define IAT "\"iat\":1700000000"
#define ALL "{" ISS AUD SUB NON EXP IAT "}"
#define OK  KB_OK
#define NO  KB_E_UNAUTHORIZED
#define NEW KB_E_NOT_FOUND

static const struct row {
	const char *name, *head, *claims;
	enum signer by;
	enum kb_errc code;
} rows[] = {
	{ "RS256", RS, ALL, RSA_ONE, OK },
	{ "PS256", "{\"alg\":\"PS256\",\"kid\":\"pss\"}", ALL, PSS, OK },
	{ "ES256", "{\"alg\":\"ES256\",\"kid\":\"ec\",\"typ\":\"JWT\"}", ALL, EC_ONE, OK },
	{ "no kid, and one key alone that it can be", "{\"alg\":\"ES256\"}", ALL, EC_ONE, OK },
	{ "an audience of one", RS, "{" ISS "\"aud\":[\"docent\"]," SUB NON EXP IAT "}", RSA_ONE,
	  OK },
	{ "two audiences, made for us", RS,
	  "{" ISS "\"aud\":[\"other\",\"docent\"],\"azp\":\"docent\"," SUB NON EXP IAT "}", RSA_ONE,
	  OK },
	{ "over for two minutes, less a second", RS,
	  "{" ISS AUD SUB NON "\"exp\":1699999881," IAT "}", RSA_ONE, OK },
	{ "two minutes ahead", RS, "{" ISS AUD SUB NON EXP "\"iat\":1700000120}", RSA_ONE, OK },
	{ "ten minutes old and two", RS, "{" ISS AUD SUB NON EXP "\"iat\":1699999280}", RSA_ONE,
	  OK },
	{ "times with fractions", RS,
	  "{" ISS AUD SUB NON "\"exp\":1700000060.5,\"iat\":1699999999.5}", RSA_ONE, OK },
	{ "nbf within what clocks differ", RS, "{" ISS AUD SUB NON EXP IAT ",\"nbf\":1700000120}",
	  RSA_ONE, OK },
	{ "a sid and what we do not know", RS,
	  "{" ISS AUD SUB NON EXP IAT ",\"sid\":\"s\",\"acr\":\"0\",\"groups\":[]}", RSA_ONE, OK },

	/* the algorithm */
	{ "none", "{\"alg\":\"none\",\"kid\":\"one\"}", ALL, NONE, NO },
	{ "none with a signature", "{\"alg\":\"none\",\"kid\":\"one\"}", ALL, RSA_ONE, NO },
	{ "None", "{\"alg\":\"None\",\"kid\":\"one\"}", ALL, RSA_ONE, NO },
	{ "HS256 with the public key", "{\"alg\":\"HS256\",\"kid\":\"one\"}", ALL, HMAC_PUBLIC,
	  NO },
	{ "HS256 with nothing", "{\"alg\":\"HS256\"}", ALL, HMAC_EMPTY, NO },
	{ "HS256 with the set's own secret", "{\"alg\":\"HS256\",\"kid\":\"oct\"}", ALL,
	  HMAC_PUBLIC, NO },
	{ "RS256 by a shared secret", RS, ALL, HMAC_PUBLIC, NO },
	{ "RS512", "{\"alg\":\"RS512\",\"kid\":\"one\"}", ALL, RSA_ONE, NO },
	{ "in small letters", "{\"alg\":\"rs256\",\"kid\":\"one\"}", ALL, RSA_ONE, NO },
	{ "no algorithm", "{\"kid\":\"one\"}", ALL, RSA_ONE, NO },
	{ "a list of them", "{\"alg\":[\"RS256\"],\"kid\":\"one\"}", ALL, RSA_ONE, NO },
	{ "an empty one", "{\"alg\":\"\",\"kid\":\"one\"}", ALL, RSA_ONE, NO },
	{ "PS256 said, RS256 done", "{\"alg\":\"PS256\",\"kid\":\"one\"}", ALL, RSA_ONE, NO },
	{ "RS256 of a key for PS256", "{\"alg\":\"RS256\",\"kid\":\"pss\"}", ALL, RSA_TWO, NEW },
	{ "ES256 with the RSA key's name", "{\"alg\":\"ES256\",\"kid\":\"one\"}", ALL, EC_ONE,
	  NEW },

	/* the key */
	{ "a key that nobody knows", "{\"alg\":\"RS256\",\"kid\":\"new\"}", ALL, RSA_ONE, NEW },
	{ "a key for encryption", "{\"alg\":\"RS256\",\"kid\":\"enc\"}", ALL, RSA_ONE, NEW },
	{ "a key too short", "{\"alg\":\"RS256\",\"kid\":\"small\"}", ALL, RSA_ONE, NEW },
	{ "an empty kid", "{\"alg\":\"RS256\",\"kid\":\"\"}", ALL, RSA_ONE, NEW },
	{ "a kid that is no text", "{\"alg\":\"RS256\",\"kid\":1}", ALL, RSA_ONE, NO },
	{ "no kid, and two keys that it can be", "{\"alg\":\"PS256\"}", ALL, PSS, NO },
	{ "a kid that is a path", "{\"alg\":\"RS256\",\"kid\":\"../../dev/null\"}", ALL, RSA_ONE,
	  NEW },
	{ "a key of its own in the head",
	  "{\"alg\":\"RS256\",\"kid\":\"one\",\"jwk\":{\"kty\":\"RSA\"}}", ALL, RSA_TWO, NO },
	{ "an address of keys in the head",
	  "{\"alg\":\"RS256\",\"kid\":\"one\",\"jku\":\"https://evil.example\"}", ALL, RSA_TWO,
	  NO },

	/* the signature */
	{ "none at all", RS, ALL, NONE, NO },
	{ "another key's", RS, ALL, RSA_TWO, NO },
	{ "two zeros", "{\"alg\":\"ES256\",\"kid\":\"ec\"}", ALL, ODD, NO },
	{ "DER in place of two numbers", "{\"alg\":\"ES256\",\"kid\":\"ec\"}", ALL, EC_DER, NO },
	{ "too short for RSA", RS, ALL, EC_ONE, NO },

	/* the head */
	{ "no object", "[]", ALL, RSA_ONE, NO },
	{ "no JSON", "RS256", ALL, RSA_ONE, NO },
	{ "something critical", "{\"alg\":\"RS256\",\"kid\":\"one\",\"crit\":[\"exp\"]}", ALL,
	  RSA_ONE, NO },
	{ "b64 off", "{\"alg\":\"RS256\",\"kid\":\"one\",\"b64\":false,\"crit\":[\"b64\"]}", ALL,
	  RSA_ONE, NO },
	{ "a name twice", "{\"alg\":\"none\",\"alg\":\"RS256\",\"kid\":\"one\"}", ALL, RSA_ONE,
	  NO },
	{ "an access token", "{\"alg\":\"RS256\",\"kid\":\"one\",\"typ\":\"at+jwt\"}", ALL, RSA_ONE,
	  NO },
	{ "a logout token's type", "{\"alg\":\"RS256\",\"kid\":\"one\",\"typ\":\"logout+jwt\"}",
	  ALL, RSA_ONE, NO },
	{ "a type that is no text", "{\"alg\":\"RS256\",\"kid\":\"one\",\"typ\":7}", ALL, RSA_ONE,
	  NO },

	/* the claims */
	{ "no object", RS, "[1]", RSA_ONE, NO },
	{ "no JSON", RS, "{", RSA_ONE, NO },
	{ "a name twice", RS, "{" ISS AUD SUB SUB NON EXP IAT "}", RSA_ONE, NO },
	{ "no issuer", RS, "{" AUD SUB NON EXP IAT "}", RSA_ONE, NO },
	{ "another issuer", RS, "{\"iss\":\"https://evil.example\"," AUD SUB NON EXP IAT "}",
	  RSA_ONE, NO },
	{ "an issuer with a slash", RS, "{\"iss\":\"https://id.example/\"," AUD SUB NON EXP IAT "}",
	  RSA_ONE, NO },
	{ "a list of issuers", RS, "{\"iss\":[\"https://id.example\"]," AUD SUB NON EXP IAT "}",
	  RSA_ONE, NO },
	{ "no audience", RS, "{" ISS SUB NON EXP IAT "}", RSA_ONE, NO },
	{ "another audience", RS, "{" ISS "\"aud\":\"other\"," SUB NON EXP IAT "}", RSA_ONE, NO },
	{ "part of an audience", RS, "{" ISS "\"aud\":\"docent2\"," SUB NON EXP IAT "}", RSA_ONE,
	  NO },
	{ "an empty audience", RS, "{" ISS "\"aud\":[]," SUB NON EXP IAT "}", RSA_ONE, NO },
	{ "audiences without us", RS, "{" ISS "\"aud\":[\"a\",\"b\"]," SUB NON EXP IAT "}", RSA_ONE,
	  NO },
	{ "an audience that is no text", RS, "{" ISS "\"aud\":[\"docent\",7]," SUB NON EXP IAT "}",
	  RSA_ONE, NO },
	{ "two audiences, made for nobody", RS,
	  "{" ISS "\"aud\":[\"docent\",\"b\"]," SUB NON EXP IAT "}", RSA_ONE, NO },
	{ "made for another", RS, "{" ISS AUD "\"azp\":\"other\"," SUB NON EXP IAT "}", RSA_ONE,
	  NO },
	{ "made for no text", RS, "{" ISS AUD "\"azp\":null," SUB NON EXP IAT "}", RSA_ONE, NO },
	{ "nobody", RS, "{" ISS AUD NON EXP IAT "}", RSA_ONE, NO },
	{ "an empty subject", RS, "{" ISS AUD "\"sub\":\"\"," NON EXP IAT "}", RSA_ONE, NO },
	{ "a subject that is a number", RS, "{" ISS AUD "\"sub\":7," NON EXP IAT "}", RSA_ONE, NO },
	{ "a subject of two lines", RS, "{" ISS AUD "\"sub\":\"a\\nb\"," NON EXP IAT "}", RSA_ONE,
	  NO },
	{ "a sid that is no text", RS, "{" ISS AUD SUB NON EXP IAT ",\"sid\":7}", RSA_ONE, NO },
	{ "no nonce", RS, "{" ISS AUD SUB EXP IAT "}", RSA_ONE, NO },
	{ "another nonce", RS, "{" ISS AUD SUB "\"nonce\":\"other\"," EXP IAT "}", RSA_ONE, NO },
	{ "an empty nonce", RS, "{" ISS AUD SUB "\"nonce\":\"\"," EXP IAT "}", RSA_ONE, NO },
	{ "no end", RS, "{" ISS AUD SUB NON IAT "}", RSA_ONE, NO },
	{ "over for two minutes", RS, "{" ISS AUD SUB NON "\"exp\":1699999880," IAT "}", RSA_ONE,
	  NO },
	{ "an end that is a text", RS, "{" ISS AUD SUB NON "\"exp\":\"1700000060\"," IAT "}",
	  RSA_ONE, NO },
	{ "an end without an end", RS, "{" ISS AUD SUB NON "\"exp\":1e300," IAT "}", RSA_ONE, NO },
	{ "no beginning", RS, "{" ISS AUD SUB NON "\"exp\":1700000060}", RSA_ONE, NO },
	{ "from the future", RS, "{" ISS AUD SUB NON EXP "\"iat\":1700000121}", RSA_ONE, NO },
	{ "too old", RS, "{" ISS AUD SUB NON EXP "\"iat\":1699999279}", RSA_ONE, NO },
	{ "a beginning that is null", RS, "{" ISS AUD SUB NON EXP "\"iat\":null}", RSA_ONE, NO },
	{ "not yet", RS, "{" ISS AUD SUB NON EXP IAT ",\"nbf\":1700000121}", RSA_ONE, NO },
	{ "nbf that is a text", RS, "{" ISS AUD SUB NON EXP IAT ",\"nbf\":\"0\"}", RSA_ONE, NO },
	{ "a logout token", RS,
	  "{" ISS AUD SUB NON EXP IAT
	  ",\"events\":{\"http://schemas.openid.net/event/backchannel-logout\":{}}}",
	  RSA_ONE, NO },
};

static void test_tokens(struct kb_test *t)
{
	struct kb_oidc_claims claims;
	struct kb_err err;
	struct keys k;

	keys_make(&k);
	CHECK_INT(t, kb_oidc_keys_count(k.keys), 3);
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		const struct row *row = &rows[i];
		struct kb_arena arena = { 0 };
		struct kb_sv token = make(&k, &arena, row->head, row->claims, row->by);

		t->row = row->name;
		err = (struct kb_err){ 0 };
		CHECK(t, kb_oidc_id_token_read(&arena, token, k.keys, &expected, &claims, &err)
		                 == (row->code == OK));
		CHECK_INT(t, err.code, row->code);
		CHECK(t, row->code != OK || kb_sv_eq_str(claims.subject, "ann"));
		CHECK(t, !strstr(err.msg, "ann") && !strstr(err.msg, "example"));
		kb_arena_fini(&arena);
	}
	t->row = NULL;
	keys_end(&k);
}

/* What the provider does not sign by is not allowed, even where the key would do. */
static void test_allowed(struct kb_test *t)
{
	struct kb_oidc_expected less = expected;
	struct kb_arena arena = { 0 };
	struct kb_oidc_claims claims;
	struct kb_err err;
	struct keys k;

	keys_make(&k);
	less.algorithms = KB_OIDC_ES256;
	CHECK(t, !kb_oidc_id_token_read(&arena, make(&k, &arena, RS, ALL, RSA_ONE), k.keys, &less,
	                                &claims, &err));
	CHECK_INT(t, err.code, NEW);
	less.nonce = KB_SV("");
	CHECK(t, !kb_oidc_id_token_read(&arena,
	                                make(&k, &arena, "{\"alg\":\"ES256\"}",
	                                     "{" ISS AUD SUB "\"nonce\":\"\"," EXP IAT "}", EC_ONE),
	                                k.keys, &less, &claims, &err));
	kb_arena_fini(&arena);
	keys_end(&k);
}

/* Cut anywhere, or with one letter changed, or with more behind it. */
static void test_damage(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_oidc_claims claims;
	struct kb_err err;
	struct kb_sv whole;
	struct keys k;

	keys_make(&k);
	whole = make(&k, &arena, "{\"alg\":\"ES256\",\"kid\":\"ec\"}", ALL, EC_ONE);
	CHECK(t, kb_oidc_id_token_read(&arena, whole, k.keys, &expected, &claims, &err));
	for (size_t i = 0; i < whole.n; i++) {
		char *other = kb_arena_str(&arena, whole);

		CHECK(t, !kb_oidc_id_token_read(&arena, kb_sv_sub(whole, 0, i), k.keys, &expected,
		                                &claims, &err));
		other[i] = other[i] == 'A' ? 'B' : 'A';
		CHECK(t, !kb_oidc_id_token_read(&arena, kb_sv(other, whole.n), k.keys, &expected,
		                                &claims, &err));
	}
	static const char *const behind[] = { ".", ".AAAA", "=", " ", "\n", "AAAA", "\0" };
	for (size_t i = 0; i < KB_COUNTOF(behind); i++)
		CHECK(t,
		      !kb_oidc_id_token_read(&arena,
		                             kb_arena_printf(&arena, "%.*s%s%.*s", KB_SV_ARG(whole),
		                                             behind[i], *behind[i] ? 0 : 4, "more"),
		                             k.keys, &expected, &claims, &err));
	kb_arena_fini(&arena);
	keys_end(&k);
}

#define EVENT "\"events\":{\"http://schemas.openid.net/event/backchannel-logout\":{}}"
#define JTI   "\"jti\":\"1\","
#define SID   "\"sid\":\"s\","

static void test_logout(struct kb_test *t)
{
	static const struct {
		const char *name, *head, *claims;
		bool ok;
	} cases[] = {
		{ "both", RS, "{" ISS AUD SUB SID JTI EXP IAT "," EVENT "}", true },
		{ "a person", RS, "{" ISS AUD SUB JTI EXP IAT "," EVENT "}", true },
		{ "a session", "{\"alg\":\"RS256\",\"kid\":\"one\",\"typ\":\"logout+jwt\"}",
		  "{" ISS AUD SID JTI EXP IAT "," EVENT "}", true },
		{ "neither", RS, "{" ISS AUD JTI EXP IAT "," EVENT "}", false },
		{ "no event", RS, "{" ISS AUD SUB JTI EXP IAT "}", false },
		{ "another event", RS,
		  "{" ISS AUD SUB JTI EXP IAT ",\"events\":{\"https://other\":{}}}", false },
		{ "an event that is no object", RS,
		  "{" ISS AUD SUB JTI EXP IAT
		  ",\"events\":{\"http://schemas.openid.net/event/backchannel-logout\":1}}",
		  false },
		{ "a nonce", RS, "{" ISS AUD SUB NON JTI EXP IAT "," EVENT "}", false },
		{ "no number", RS, "{" ISS AUD SUB EXP IAT "," EVENT "}", false },
		{ "an ID token", RS, ALL, false },
		{ "another audience", RS,
		  "{" ISS "\"aud\":\"other\"," SUB JTI EXP IAT "," EVENT "}", false },
		{ "another issuer", RS,
		  "{\"iss\":\"https://evil.example\"," AUD SUB JTI EXP IAT "," EVENT "}", false },
		{ "over", RS, "{" ISS AUD SUB JTI "\"exp\":1699999880," IAT "," EVENT "}", false },
		{ "another type", "{\"alg\":\"RS256\",\"kid\":\"one\",\"typ\":\"at+jwt\"}",
		  "{" ISS AUD SUB JTI EXP IAT "," EVENT "}", false },
	};
	struct kb_oidc_claims claims;
	struct kb_err err;
	struct keys k;

	keys_make(&k);
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };

		t->row = cases[i].name;
		CHECK(t, kb_oidc_logout_token_read(
		                 &arena, make(&k, &arena, cases[i].head, cases[i].claims, RSA_ONE),
		                 k.keys, &expected, &claims, &err)
		                 == cases[i].ok);
		kb_arena_fini(&arena);
	}
	t->row = NULL;
	keys_end(&k);
}

#define AT  "{\"alg\":\"RS256\",\"kid\":\"one\",\"typ\":\"at+jwt\"}"
#define RES "\"aud\":\"https://kb.example/mcp/projects/1\","

static void test_access(struct kb_test *t)
{
	static const struct {
		const char *name, *head, *claims;
		enum signer by;
		enum kb_errc code;
	} cases[] = {
		{ "one", AT, "{" ISS RES SUB EXP IAT "}", RSA_ONE, OK },
		{ "its whole type", "{\"alg\":\"ES256\",\"typ\":\"application/AT+JWT\"}",
		  "{" ISS RES SUB EXP IAT "}", EC_ONE, OK },
		{ "of a program, with scopes, for two", AT,
		  "{" ISS "\"aud\":[\"other\",\"https://kb.example/mcp/projects/1\"]," SUB EXP IAT
		  ",\"azp\":\"program\",\"client_id\":\"program\",\"scope\":\"openid\"}",
		  RSA_ONE, OK },
		{ "eight hours old", AT, "{" ISS RES SUB EXP "\"iat\":1699971200}", RSA_ONE, OK },
		{ "older", AT, "{" ISS RES SUB EXP "\"iat\":1699971079}", RSA_ONE, NO },
		{ "no type", RS, "{" ISS RES SUB EXP IAT "}", RSA_ONE, NO },
		{ "another type", "{\"alg\":\"RS256\",\"kid\":\"one\",\"typ\":\"JWT\"}",
		  "{" ISS RES SUB EXP IAT "}", RSA_ONE, NO },
		{ "an ID token", RS, ALL, RSA_ONE, NO },
		{ "an ID token that says it is one", AT, "{" ISS RES SUB NON EXP IAT "}", RSA_ONE,
		  NO },
		{ "a logout token", AT, "{" ISS RES SUB JTI EXP IAT "," EVENT "}", RSA_ONE, NO },
		{ "for the service's sign-in", AT, "{" ISS AUD SUB EXP IAT "}", RSA_ONE, NO },
		{ "for another agent", AT,
		  "{" ISS "\"aud\":\"https://kb.example/mcp/projects/12\"," SUB EXP IAT "}",
		  RSA_ONE, NO },
		{ "for the host", AT, "{" ISS "\"aud\":\"https://kb.example\"," SUB EXP IAT "}",
		  RSA_ONE, NO },
		{ "for nobody", AT, "{" ISS SUB EXP IAT "}", RSA_ONE, NO },
		{ "of another provider", AT,
		  "{\"iss\":\"https://evil.example\"," RES SUB EXP IAT "}", RSA_ONE, NO },
		{ "over", AT, "{" ISS RES SUB "\"exp\":1699999880," IAT "}", RSA_ONE, NO },
		{ "without an end", AT, "{" ISS RES SUB IAT "}", RSA_ONE, NO },
		{ "from the future", AT, "{" ISS RES SUB EXP "\"iat\":1700000121}", RSA_ONE, NO },
		{ "of nobody", AT, "{" ISS RES EXP IAT "}", RSA_ONE, NO },
		{ "signed by another", AT, "{" ISS RES SUB EXP IAT "}", RSA_TWO, NO },
		{ "none", "{\"alg\":\"none\",\"typ\":\"at+jwt\"}", "{" ISS RES SUB EXP IAT "}",
		  NONE, NO },
		{ "HS256 with the public key", "{\"alg\":\"HS256\",\"typ\":\"at+jwt\"}",
		  "{" ISS RES SUB EXP IAT "}", HMAC_PUBLIC, NO },
		{ "a key that nobody knows",
		  "{\"alg\":\"RS256\",\"kid\":\"new\",\"typ\":\"at+jwt\"}",
		  "{" ISS RES SUB EXP IAT "}", RSA_ONE, NEW },
	};
	struct kb_oidc_expected wanted = expected;
	struct kb_oidc_claims claims;
	struct kb_err err;
	struct keys k;

	wanted.client_id = KB_SV("https://kb.example/mcp/projects/1");
	keys_make(&k);
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };

		t->row = cases[i].name;
		err = (struct kb_err){ 0 };
		CHECK(t,
		      kb_oidc_access_token_read(
		              &arena, make(&k, &arena, cases[i].head, cases[i].claims, cases[i].by),
		              k.keys, &wanted, &claims, &err)
		              == (cases[i].code == OK));
		CHECK_INT(t, err.code, cases[i].code);
		CHECK(t, !strstr(err.msg, "ann") && !strstr(err.msg, "example"));
		kb_arena_fini(&arena);
	}
	t->row = NULL;
	keys_end(&k);
}

static void test_sets(struct kb_test *t)
{
	static const char *const texts[] = {
		"",
		"[]",
		"{}",
		"{\"keys\":{}}",
		"{\"keys\":[]}",
		"{\"keys\":[{}]}",
		"{\"keys\":[{\"kty\":\"RSA\"}]}",
		"{\"keys\":[{\"kty\":\"RSA\",\"n\":\"\",\"e\":\"\"}]}",
		"{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AAAA\",\"y\":\"AAAA\"}]}",
		/* a point that is on no curve */
		"{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\","
		"\"x\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE\","
		"\"y\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE\"}]}",
	};
	struct kb_err err;

	for (size_t i = 0; i < KB_COUNTOF(texts); i++) {
		err = (struct kb_err){ 0 };
		t->row = texts[i];
		CHECK(t, kb_oidc_keys_read(kb_sv_str(texts[i]), &err) == NULL);
		CHECK_INT(t, err.code, KB_E_UPSTREAM);
	}
	t->row = NULL;
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "a token is ours, of now and signed, or counts for nothing", test_tokens },
		{ "algorithms are ours cut with the provider's", test_allowed },
		{ "a damaged token counts for nothing", test_damage },
		{ "a logout token is one, and no other is", test_logout },
		{ "an access token is made for this address, or opens nothing", test_access },
		{ "what is no key set has no keys", test_sets },
	};
	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
