/*
 * Browsers that are signed in: each with a key, which it never holds. The rules of store.h hold.
 *
 * The browser has a secret of 256 bits in a cookie, the store its hash and the key's id. It holds
 * as long as the key is valid, for KB_SIGN_IN_IDLE_US after its last use and for KB_SIGN_IN_MAX_US
 * in all. A link signs in one browser, once, within KB_SIGN_IN_LINK_US.
 */
#ifndef KB_STORE_SIGNINS_H
#define KB_STORE_SIGNINS_H

#include "store/accounts.h"

enum { KB_SIGN_IN_TEXT = 44 }; /* 43 letters and digits, and the end */

#define KB_SIGN_IN_IDLE_US INT64_C(43200000000)  /* 12 hours */
#define KB_SIGN_IN_MAX_US  INT64_C(604800000000) /* 7 days */
#define KB_SIGN_IN_LINK_US INT64_C(900000000)    /* 15 minutes */

/* Signs a browser in with that key, and gives its secret, once. */
bool kb_store_sign_in(struct kb_store *store, int64_t key_id, char secret[KB_SIGN_IN_TEXT],
                      struct kb_err *err) KB_MUST_CHECK;
/* Whose key the secret stands for. KB_E_UNAUTHORIZED for what is unknown, too old or of a revoked
 * key. */
bool kb_store_sign_in_check(struct kb_store *store, struct kb_arena *arena, struct kb_sv secret,
                            struct kb_key *out, struct kb_err *err) KB_MUST_CHECK;
/* A number of 60 bits by which the browser with that secret is asked about without it. */
int64_t kb_store_sign_in_number(struct kb_sv secret);
/* Whether it is still signed in: for answers that outlast a request's own check. */
bool kb_store_sign_in_valid(struct kb_store *store, int64_t number, bool *valid,
                            struct kb_err *err) KB_MUST_CHECK;
/* One that is not signed in is no mistake. */
bool kb_store_sign_out(struct kb_store *store, struct kb_sv secret,
                       struct kb_err *err) KB_MUST_CHECK;

/* Makes a link's secret for that key. KB_E_NOT_FOUND where it is no valid one. */
bool kb_store_link_create(struct kb_store *store, int64_t key_id, char secret[KB_SIGN_IN_TEXT],
                          struct kb_err *err) KB_MUST_CHECK;
/* Uses it up. KB_E_UNAUTHORIZED where it was used, is too old or was never made. */
bool kb_store_link_take(struct kb_store *store, struct kb_sv secret, int64_t *key_id,
                        struct kb_err *err) KB_MUST_CHECK;

#endif
