/*
 * What a provider says of itself (OpenID Connect Discovery 1.0): where to go, how tokens are
 * signed, what it can do. Pure but for the arena; any thread.
 */
#ifndef KB_OIDC_DISCOVERY_H
#define KB_OIDC_DISCOVERY_H

#include "out/url.h"

/* Bits: the algorithms that tokens may be signed by. There are no others: none of a shared secret,
 * and not none at all. */
enum { KB_OIDC_RS256 = 1, KB_OIDC_PS256 = 2, KB_OIDC_ES256 = 4, KB_OIDC_ALG_COUNT = 3 };
extern const char *const kb_oidc_alg_names[KB_OIDC_ALG_COUNT];

struct kb_oidc_discovery {
	struct kb_sv authorization, token, keys; /* addresses */
	struct kb_sv end_session, userinfo;      /* empty: there is none */
	unsigned algorithms;                     /* ours that it has too */
	bool names_issuer;                       /* in each response (RFC 9207) */
	bool takes_secret_in_body;               /* and not as HTTP has names and passwords */
};

enum { KB_OIDC_DISCOVERY_MAX = 1 << 18 };

/* An address of a provider: https without user, query and fragment, or http where it is this very
 * machine. KB_E_INVALID. */
bool kb_oidc_issuer_check(struct kb_arena *arena, struct kb_sv issuer, struct kb_url *out,
                          struct kb_err *err) KB_MUST_CHECK;
/* KB_E_UPSTREAM says what is missing or wrong. issuer: whom it has to be from. */
bool kb_oidc_discovery_read(struct kb_arena *arena, struct kb_sv text, struct kb_sv issuer,
                            struct kb_oidc_discovery *out, struct kb_err *err) KB_MUST_CHECK;

#endif
