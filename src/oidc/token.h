/*
 * Tokens of a provider: who has signed in (OpenID Connect Core 1.0, 3.1.3.7), who is signed out
 * (Back-Channel Logout 1.0, 2.6), and for whom a program asks (RFC 9068, 4). What a token's head
 * says chooses among what is allowed and opens nothing: keys come from the provider's key set
 * alone. Clocks may differ by two minutes. Pure but for the arena; any thread.
 */
#ifndef KB_OIDC_TOKEN_H
#define KB_OIDC_TOKEN_H

#include "base/json.h"
#include "oidc/keys.h"

enum {
	KB_OIDC_TOKEN_MAX = 1 << 16, /* bytes */
	KB_OIDC_SUBJECT_CHARS = 255,
	KB_OIDC_SKEW_S = 120,
	KB_OIDC_AGE_S = 600, /* of a token when it comes */
	KB_OIDC_ACCESS_AGE_S = 8 * 3600,
};

struct kb_oidc_expected {
	struct kb_sv issuer;
	struct kb_sv client_id; /* whom it is for; of a program's, what it opens */
	struct kb_sv nonce;     /* of who has signed in */
	unsigned algorithms;
	int64_t now; /* microseconds */
};

struct kb_oidc_claims {
	struct kb_sv subject, sid; /* of who is signed out one of them may be empty */
	struct kb_sv jti;          /* of who is signed out */
	int64_t exp;               /* seconds */
	const json_t *all;
};

/* KB_E_NOT_FOUND: its key is not among these, or its algorithm is ours and not the provider's, who
 * may have others by now; KB_E_UNAUTHORIZED says what is wrong with it, in
 * words that hold nothing of it. */
bool kb_oidc_id_token_read(struct kb_arena *arena, struct kb_sv token,
                           const struct kb_oidc_keys *keys, const struct kb_oidc_expected *expected,
                           struct kb_oidc_claims *out, struct kb_err *err) KB_MUST_CHECK;
bool kb_oidc_logout_token_read(struct kb_arena *arena, struct kb_sv token,
                               const struct kb_oidc_keys *keys,
                               const struct kb_oidc_expected *expected, struct kb_oidc_claims *out,
                               struct kb_err *err) KB_MUST_CHECK;
/* Its head has to say that it is one (typ at+jwt), so that no other token of the provider's is. */
bool kb_oidc_access_token_read(struct kb_arena *arena, struct kb_sv token,
                               const struct kb_oidc_keys *keys,
                               const struct kb_oidc_expected *expected, struct kb_oidc_claims *out,
                               struct kb_err *err) KB_MUST_CHECK;

#endif
