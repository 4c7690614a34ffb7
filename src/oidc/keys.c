#include "oidc/keys.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <string.h>

#include "base/base64.h"
#include "base/json.h"
#include "oidc/discovery.h"

enum { RSA_BITS_MIN = 2048, RSA_BITS_MAX = 8192, EXPONENT_BITS_MAX = 64, HALF = 32 };

struct key {
	EVP_PKEY *pkey;
	struct kb_sv kid;    /* p: NULL: it has none */
	unsigned algorithms; /* that it may be for */
};

struct kb_oidc_keys {
	struct kb_arena arena;
	struct key v[KB_OIDC_KEYS_MAX];
	size_t count;
};

/* ---- reading ---- */

static EVP_PKEY *make(const char *type, OSSL_PARAM_BLD *build)
{
	OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(build);
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
	EVP_PKEY *pkey = NULL;

	if (!params || !ctx || EVP_PKEY_fromdata_init(ctx) <= 0
	    || EVP_PKEY_fromdata(ctx, &pkey, EVP_PKEY_PUBLIC_KEY, params) <= 0)
		pkey = NULL;
	EVP_PKEY_CTX_free(ctx);
	OSSL_PARAM_free(params);
	return pkey;
}

static BIGNUM *read_number(struct kb_arena *arena, const json_t *jwk, const char *name)
{
	struct kb_sv bytes;

	return kb_base64url_decode(arena, kb_json_sv(jwk, name, KB_SV("")), &bytes) && bytes.n
	                       && bytes.n <= RSA_BITS_MAX / 8 + 1
	               ? BN_bin2bn((const unsigned char *)bytes.p, (int)bytes.n, NULL)
	               : NULL;
}

static EVP_PKEY *read_rsa(struct kb_arena *arena, const json_t *jwk)
{
	BIGNUM *n = read_number(arena, jwk, "n"), *e = read_number(arena, jwk, "e");
	OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
	EVP_PKEY *pkey = NULL;

	if (n && e && build && BN_num_bits(n) >= RSA_BITS_MIN && BN_num_bits(n) <= RSA_BITS_MAX
	    && BN_is_odd(n) && BN_is_odd(e) && !BN_is_one(e) && BN_num_bits(e) <= EXPONENT_BITS_MAX
	    && OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_N, n)
	    && OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_E, e))
		pkey = make("RSA", build);
	OSSL_PARAM_BLD_free(build);
	BN_free(n);
	BN_free(e);
	return pkey;
}

static EVP_PKEY *read_ec(struct kb_arena *arena, const json_t *jwk)
{
	OSSL_PARAM_BLD *build = NULL;
	unsigned char point[1 + 2 * HALF] = { POINT_CONVERSION_UNCOMPRESSED };
	EVP_PKEY *pkey = NULL;
	struct kb_sv x, y;

	if (!kb_sv_eq_str(kb_json_sv(jwk, "crv", KB_SV("")), "P-256")
	    || !kb_base64url_decode(arena, kb_json_sv(jwk, "x", KB_SV("")), &x) || x.n != HALF
	    || !kb_base64url_decode(arena, kb_json_sv(jwk, "y", KB_SV("")), &y) || y.n != HALF)
		return NULL;
	memcpy(point + 1, x.p, HALF);
	memcpy(point + 1 + HALF, y.p, HALF);
	build = OSSL_PARAM_BLD_new();
	if (build
	    && OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0)
	    && OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, point,
	                                        sizeof(point)))
		pkey = make("EC", build);
	OSSL_PARAM_BLD_free(build);
	return pkey;
}

/* Whether it is there to verify with. */
static bool is_for_signatures(const json_t *jwk)
{
	const json_t *ops = kb_json_get(jwk, "key_ops");
	bool may = !ops;

	for (size_t i = 0; i < json_array_size(ops); i++) {
		const char *op = json_string_value(json_array_get(ops, i));

		may |= op && strcmp(op, "verify") == 0;
	}
	return may && kb_sv_eq_str(kb_json_sv(jwk, "use", KB_SV("sig")), "sig");
}

/* What a key of that kind is for, cut with what it says itself. */
static unsigned algorithms_of(const json_t *jwk, unsigned kind)
{
	struct kb_sv alg = kb_json_sv(jwk, "alg", KB_SV(""));

	for (int i = 0; i < KB_OIDC_ALG_COUNT && alg.n; i++)
		if (kb_sv_eq_str(alg, kb_oidc_alg_names[i]))
			return kind & 1U << i;
	return alg.n ? 0 : kind;
}

static void read_key(struct kb_oidc_keys *keys, const json_t *jwk)
{
	struct kb_sv kty = kb_json_sv(jwk, "kty", KB_SV(""));
	struct key *key = &keys->v[keys->count];
	bool rsa = kb_sv_eq_str(kty, "RSA");

	if ((!rsa && !kb_sv_eq_str(kty, "EC")) || !is_for_signatures(jwk))
		return;
	*key = (struct key){
		.kid = kb_arena_sv(&keys->arena, kb_json_sv(jwk, "kid", KB_SV(""))),
		.algorithms =
		        algorithms_of(jwk, rsa ? KB_OIDC_RS256 | KB_OIDC_PS256 : KB_OIDC_ES256),
	};
	if (!key->algorithms)
		return;
	if (!kb_json_get(jwk, "kid"))
		key->kid = (struct kb_sv){ 0 };
	key->pkey = rsa ? read_rsa(&keys->arena, jwk) : read_ec(&keys->arena, jwk);
	keys->count += key->pkey != NULL;
}

struct kb_oidc_keys *kb_oidc_keys_read(struct kb_sv text, struct kb_err *err)
{
	struct kb_oidc_keys *keys = kb_xcalloc(1, sizeof(*keys));
	const json_t *set = text.n > KB_OIDC_KEYS_BYTES ? NULL
	                                                : kb_json_parse(&keys->arena, text, NULL),
	             *list = kb_json_get(set, "keys");

	for (size_t i = 0; i < json_array_size(list) && keys->count < KB_OIDC_KEYS_MAX; i++)
		read_key(keys, json_array_get(list, i));
	if (keys->count)
		return keys;
	kb_fail(err, KB_E_UPSTREAM, "the provider's keys: %s",
	        json_is_array(list) ? "none of them is for RS256, PS256 or ES256"
	                            : "it is no key set");
	kb_oidc_keys_free(keys);
	return NULL;
}

void kb_oidc_keys_free(struct kb_oidc_keys *keys)
{
	for (size_t i = 0; keys && i < keys->count; i++)
		EVP_PKEY_free(keys->v[i].pkey);
	if (keys)
		kb_arena_fini(&keys->arena);
	free(keys);
}

size_t kb_oidc_keys_count(const struct kb_oidc_keys *keys)
{
	return keys->count;
}

/* ---- verifying ---- */

static bool fits(const struct key *key, const struct kb_oidc_signed *what)
{
	return key->algorithms & what->algorithm
	       && (!what->kid.p || (key->kid.p && kb_sv_eq(key->kid, what->kid)));
}

/* Two numbers of 32 bytes, as OpenSSL wants them. The caller frees *out. */
static int ec_signature(struct kb_sv raw, unsigned char **out)
{
	ECDSA_SIG *sig = ECDSA_SIG_new();
	const unsigned char *p = (const unsigned char *)raw.p;
	BIGNUM *r = BN_bin2bn(p, HALF, NULL), *s = BN_bin2bn(p + HALF, HALF, NULL);
	int n = 0;

	*out = NULL;
	if (sig && r && s && ECDSA_SIG_set0(sig, r, s)) {
		n = i2d_ECDSA_SIG(sig, out);
	} else {
		BN_free(r);
		BN_free(s);
	}
	ECDSA_SIG_free(sig);
	return n;
}

static bool set_padding(EVP_PKEY_CTX *ctx, unsigned algorithm)
{
	if (algorithm == KB_OIDC_RS256)
		return EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING) > 0;
	return algorithm == KB_OIDC_ES256
	       || (EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PSS_PADDING) > 0
	           && EVP_PKEY_CTX_set_rsa_mgf1_md(ctx, EVP_sha256()) > 0
	           && EVP_PKEY_CTX_set_rsa_pss_saltlen(ctx, RSA_PSS_SALTLEN_DIGEST) > 0);
}

static bool is_signed_with(const struct key *key, const struct kb_oidc_signed *what)
{
	const unsigned char *signature = (const unsigned char *)what->signature.p;
	size_t n = what->signature.n;
	unsigned char *der = NULL;
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	EVP_PKEY_CTX *ctx = NULL;
	bool ok;

	if (what->algorithm == KB_OIDC_ES256) {
		n = n == 2 * (size_t)HALF ? (size_t)ec_signature(what->signature, &der) : 0;
		signature = der;
	}
	ok = md && n > 0 && EVP_DigestVerifyInit(md, &ctx, EVP_sha256(), NULL, key->pkey) > 0
	     && set_padding(ctx, what->algorithm)
	     && EVP_DigestVerify(md, signature, n, (const unsigned char *)what->text.p,
	                         what->text.n)
	                == 1;
	EVP_MD_CTX_free(md);
	OPENSSL_free(der);
	return ok;
}

bool kb_oidc_keys_verify(const struct kb_oidc_keys *keys, const struct kb_oidc_signed *what,
                         struct kb_err *err)
{
	const struct key *found = NULL;
	size_t count = 0;

	for (size_t i = 0; i < keys->count; i++)
		if (fits(&keys->v[i], what)) {
			found = &keys->v[i];
			count++;
		}
	if (!count)
		return kb_fail(err, KB_E_NOT_FOUND, "it is signed with a key that nobody knows");
	if (count > 1)
		return kb_fail(err, KB_E_UNAUTHORIZED,
		               "it does not say with which of %zu keys it is signed", count);
	return is_signed_with(found, what)
	       || kb_fail(err, KB_E_UNAUTHORIZED, "its signature does not hold");
}
