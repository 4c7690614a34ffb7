/*
 * The organisation's provider of sign-ins, asked by OpenID Connect's code flow with PKCE.
 *
 * What it says of itself and its keys are kept for an hour; a key that is not among them is asked
 * for once a minute at most. A provider that fails is left alone for some seconds, and few threads
 * at once wait for it, so that its being away takes nothing else with it. It is the operator's
 * word: its own origin may be in an inner network; wherever else it leads goes by the guard of
 * out/fetch.h. Any thread; blocks.
 */
#ifndef KB_OIDC_PROVIDER_H
#define KB_OIDC_PROVIDER_H

#include "base/clock.h"
#include "base/log.h"
#include "oidc/arrival.h"
#include "oidc/token.h"
#include "out/fetch.h"

struct kb_oidc;

struct kb_oidc_config {
	const char *issuer, *client_id, *secret_file, *scope, *groups_claim; /* stay */
	const char *directory_claim; /* whose value a directory has as its externalId */
	struct kb_fetcher *fetcher;  /* for what is not at the issuer's own origin */
	const char *temp_dir;
	const struct kb_clock *clock;
	const struct kb_log *log;
};

/* KB_E_INVALID names the option that cannot be used. Asks nobody. */
struct kb_oidc *kb_oidc_open(const struct kb_oidc_config *config, struct kb_err *err) KB_MUST_CHECK;
/* NULL is fine; nobody may be asking. */
void kb_oidc_close(struct kb_oidc *oidc);
/* Who is asking is answered soon. NULL is fine. */
void kb_oidc_cancel(struct kb_oidc *oidc);

struct kb_sv kb_oidc_issuer(const struct kb_oidc *oidc);
struct kb_sv kb_oidc_host(const struct kb_oidc *oidc);

/* What it says of itself and how many of its keys can be used, asked now; for who sets it up.
 * KB_E_UPSTREAM, KB_E_TIMEOUT. */
struct kb_oidc_discovery;
bool kb_oidc_describe(struct kb_oidc *oidc, struct kb_arena *arena, struct kb_oidc_discovery *out,
                      size_t *keys, struct kb_err *err) KB_MUST_CHECK;

/* One attempt of a browser. */
struct kb_oidc_attempt {
	struct kb_sv state, nonce, verifier, redirect_uri;
};
/* Where the browser is sent. KB_E_UPSTREAM, KB_E_TIMEOUT, KB_E_BUSY: the provider is away. */
bool kb_oidc_begin(struct kb_oidc *oidc, struct kb_arena *arena,
                   const struct kb_oidc_attempt *attempt, struct kb_sv *out,
                   struct kb_err *err) KB_MUST_CHECK;

/* How the browser came back. */
struct kb_oidc_response {
	struct kb_sv code, error;
	struct kb_sv issuer; /* p: NULL: none was named */
};
/* KB_E_UNAUTHORIZED: it is not to be believed, or the provider refused; the others as above. */
bool kb_oidc_finish(struct kb_oidc *oidc, struct kb_arena *arena,
                    const struct kb_oidc_attempt *attempt, const struct kb_oidc_response *response,
                    struct kb_oidc_arrival *out, struct kb_err *err) KB_MUST_CHECK;

/* Whom a logout token signs out. */
bool kb_oidc_signed_out(struct kb_oidc *oidc, struct kb_arena *arena, struct kb_sv token,
                        struct kb_oidc_claims *out, struct kb_err *err) KB_MUST_CHECK;

/* For whom a program asks that sends an access token; audience: what it has to open. Errors as of
 * kb_oidc_finish(). */
bool kb_oidc_asks_for(struct kb_oidc *oidc, struct kb_arena *arena, struct kb_sv token,
                      struct kb_sv audience, struct kb_oidc_claims *out,
                      struct kb_err *err) KB_MUST_CHECK;

/* Where a browser that has signed out goes on to; empty: nowhere that is known. Asks nobody. */
struct kb_sv kb_oidc_end_address(struct kb_oidc *oidc, struct kb_arena *arena,
                                 struct kb_sv redirect_uri);

#endif
