/* How a browser is signed in: for signin.c, and oidc.c, whose browsers come from a provider. */
#ifndef KB_API_SIGNIN_H
#define KB_API_SIGNIN_H

#include "api/api.h"
#include "store/signins.h"

/* For how long, at the most (0: as all are), and in which session of a provider. */
struct kb_signin_terms {
	int64_t lasts_us;
	struct kb_sv sid;
};
/* Whoever stands behind the key calls from now on, in this browser. */
bool kb_signin_begin(struct kb_call *call, const struct kb_key *key,
                     const struct kb_signin_terms *terms, char secret[KB_SIGN_IN_TEXT],
                     struct kb_err *err) KB_MUST_CHECK;
/* The field that gives the browser its cookie; an empty secret takes it away. */
struct kb_sv kb_signin_cookie(struct kb_call *call, const char *secret);

#endif
