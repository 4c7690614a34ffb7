/*
 * Browsers that are signed in: each with a key, which it never holds, or as a person (people.h).
 * The rules of store.h hold.
 *
 * The browser has a secret of 256 bits in a cookie, the store its hash and whose it is. It holds
 * as long as the key is valid and the person there, for KB_SIGN_IN_IDLE_US after its last use and
 * for KB_SIGN_IN_MAX_US in all. A link signs in one browser, once: with a key within
 * KB_SIGN_IN_LINK_US, as a person within KB_INVITATION_US.
 */
#ifndef KB_STORE_SIGNINS_H
#define KB_STORE_SIGNINS_H

#include "store/accounts.h"

enum { KB_SIGN_IN_TEXT = 44, KB_SESSION_ID = 16 }; /* letters and digits, and the end */

#define KB_SIGN_IN_IDLE_US INT64_C(43200000000)  /* 12 hours */
#define KB_SIGN_IN_MAX_US  INT64_C(604800000000) /* 7 days */
#define KB_SIGN_IN_LINK_US INT64_C(900000000)    /* 15 minutes */

#define KB_INVITATION_US INT64_C(604800000000) /* 7 days */

/* A browser that signs in: with a key, as a person, or with a person's key. */
struct kb_signing_in {
	int64_t account_id, key_id, person_id; /* 0: none */
	struct kb_sv address, agent;           /* from where, with what; may be empty */
	int64_t lasts_us;                      /* at the most; 0: KB_SIGN_IN_MAX_US */
	struct kb_sv sid; /* of the provider's session that it is part of; may be empty */
};
/* Signs it in, and gives its secret, once. */
bool kb_store_sign_in(struct kb_store *store, const struct kb_signing_in *who,
                      char secret[KB_SIGN_IN_TEXT], struct kb_err *err) KB_MUST_CHECK;
/* Whose key the secret stands for; where it is a person without one, a key with nothing but the
 * account and the person. KB_E_UNAUTHORIZED for what is unknown, too old or of a revoked key. */
bool kb_store_sign_in_check(struct kb_store *store, struct kb_arena *arena, struct kb_sv secret,
                            struct kb_key *out, struct kb_err *err) KB_MUST_CHECK;
/* A number of 60 bits by which the browser with that secret is asked about without it. */
int64_t kb_store_sign_in_number(struct kb_sv secret);
/* Its id in lists. */
void kb_store_session_id(struct kb_sv secret, char out[KB_SESSION_ID]);
/* Whether it is still signed in: for answers that outlast a request's own check. */
bool kb_store_sign_in_valid(struct kb_store *store, int64_t number, bool *valid,
                            struct kb_err *err) KB_MUST_CHECK;
/* One that is not signed in is no mistake. */
bool kb_store_sign_out(struct kb_store *store, struct kb_sv secret,
                       struct kb_err *err) KB_MUST_CHECK;

/* Makes a link's secret for that key. KB_E_NOT_FOUND where it is no valid one. */
bool kb_store_link_create(struct kb_store *store, int64_t key_id, char secret[KB_SIGN_IN_TEXT],
                          struct kb_err *err) KB_MUST_CHECK;
/* Uses it up: it is a key's, or an invitation of a person, and the other is 0. KB_E_UNAUTHORIZED
 * where it was used, is too old or was never made. */
bool kb_store_link_take(struct kb_store *store, struct kb_sv secret, int64_t *key_id,
                        int64_t *person_id, struct kb_err *err) KB_MUST_CHECK;

/* ---- by a provider (src/oidc) ---- */

#define KB_ATTEMPT_US INT64_C(600000000) /* 10 minutes */

enum { KB_ATTEMPTS_OF_ADDRESS = 200 }; /* that are under way */

/* A browser that is at the provider: any node takes it back. The store keeps hashes of what comes
 * back from outside. */
struct kb_attempt {
	struct kb_sv state, browser; /* secrets: of this attempt, and of the browser */
	struct kb_sv nonce, verifier;
	struct kb_sv address; /* where it asks from */
};
/* KB_E_EXHAUSTED: too many are under way from there. */
bool kb_store_attempt_add(struct kb_store *store, const struct kb_attempt *attempt,
                          struct kb_err *err) KB_MUST_CHECK;
/* Uses it up, whosever it is: nonce and verifier of that state and browser. KB_E_UNAUTHORIZED where
 * there is none, or it is another browser's. */
bool kb_store_attempt_take(struct kb_store *store, struct kb_arena *arena,
                           struct kb_attempt *attempt, struct kb_err *err) KB_MUST_CHECK;

/* Somebody whom a provider signs out. */
struct kb_signing_out {
	struct kb_sv issuer, subject, sid; /* subject or sid may be empty */
	int64_t account_id, person_id;     /* as found */
};
/* Who it is; person_id 0: nobody who is here. */
bool kb_store_signing_out(struct kb_store *store, struct kb_signing_out *who,
                          struct kb_err *err) KB_MUST_CHECK;
/* That session's browsers of theirs, and those of no session that is known; or where none is named,
 * all of theirs. */
bool kb_store_provider_signs_out(struct kb_store *store, const struct kb_signing_out *who,
                                 struct kb_err *err) KB_MUST_CHECK;

/* ---- browsers that are signed in, as lists show them ---- */

struct kb_session_row {
	struct kb_sv id;           /* 15 digits, which are no secret */
	int64_t key_id, person_id; /* with whose key, or as whom */
	struct kb_sv address, agent;
	int64_t created_at, seen_at;
};
/* Whose: an account's, or one person's alone where person_id is not 0. */
struct kb_session_owner {
	int64_t account_id, person_id;
};
/* Those that still count, newest first. */
bool kb_store_sessions(struct kb_store *store, struct kb_arena *arena,
                       const struct kb_session_owner *of, struct kb_session_row **out,
                       size_t *count, struct kb_err *err) KB_MUST_CHECK;
/* Signs that browser out: KB_E_NOT_FOUND where it is none of those. */
bool kb_store_session_end(struct kb_store *store, const struct kb_session_owner *of,
                          struct kb_sv id, struct kb_err *err) KB_MUST_CHECK;

#endif
