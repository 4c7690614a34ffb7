/*
 * A provider's key set (RFC 7517), as far as tokens may be signed with it: RSA of 2,048 to 8,192
 * bits and the curve P-256. Anything else in it is passed over. It stays as it is once it was read;
 * any thread may use it.
 */
#ifndef KB_OIDC_KEYS_H
#define KB_OIDC_KEYS_H

#include "base/arena.h"

enum { KB_OIDC_KEYS_MAX = 100, KB_OIDC_KEYS_BYTES = 1 << 18 };

struct kb_oidc_keys;

/* KB_E_UPSTREAM where it is no key set, or has nothing for us. */
struct kb_oidc_keys *kb_oidc_keys_read(struct kb_sv text, struct kb_err *err) KB_MUST_CHECK;
/* NULL is fine. */
void kb_oidc_keys_free(struct kb_oidc_keys *keys);
size_t kb_oidc_keys_count(const struct kb_oidc_keys *keys);

struct kb_oidc_signed {
	struct kb_sv text, signature; /* the signature as bytes */
	struct kb_sv kid;             /* p: NULL: none is named */
	unsigned algorithm;           /* one bit (discovery.h) */
};
/* KB_E_NOT_FOUND: no such key is here, though it may be by now; KB_E_UNAUTHORIZED: it is not signed
 * with it. Where none is named, there must be one alone that it can be. */
bool kb_oidc_keys_verify(const struct kb_oidc_keys *keys, const struct kb_oidc_signed *what,
                         struct kb_err *err) KB_MUST_CHECK;

#endif
