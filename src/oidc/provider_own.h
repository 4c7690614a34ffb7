/* How the provider is asked, and what is known of it: for provider.c and provider_asks.c. */
#ifndef KB_OIDC_PROVIDER_OWN_H
#define KB_OIDC_PROVIDER_OWN_H

#include <pthread.h>
#include <stdatomic.h>

#include "oidc/discovery.h"
#include "oidc/provider.h"

#define KB_OIDC_KEPT_US (3600 * KB_SECOND_US)

/* What is known of the provider, which is replaced as a whole. */
struct kb_oidc_known {
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
	struct kb_oidc_known *known;           /* NULL: nothing yet */
	int64_t known_at, failed_at, again_at; /* kb_clock_mono_us(); 0: never */
};

/* An answer of 200, as text. what: for the sentence, which tells nothing of what came.
 * KB_E_UNAUTHORIZED: it was refused. */
bool kb_oidc_ask(struct kb_oidc *oidc, struct kb_arena *arena, struct kb_fetch_request *request,
                 const char *what, struct kb_sv *out, struct kb_err *err) KB_MUST_CHECK;

/* What is known, if it is younger than that; to be let go. */
struct kb_oidc_known *kb_oidc_hold(struct kb_oidc *oidc, int64_t younger_us);
/* What the provider is, no older than that; where it does not answer, what it was. NULL: nobody
 * knows. To be let go. */
struct kb_oidc_known *kb_oidc_know(struct kb_oidc *oidc, int64_t younger_us, struct kb_err *err);
/* NULL is fine. */
void kb_oidc_let_go(struct kb_oidc_known *known);
/* Whether its keys may be asked for once more, because one is not among them. */
bool kb_oidc_may_ask_again(struct kb_oidc *oidc);

#endif
