/*
 * Programs that somebody has let ask one agent in their name (OAuth 2.1). The rules of store.h
 * hold.
 *
 * One row is all that was given to one program at one time: a code, which is exchanged once within
 * KB_PROGRAM_CODE_US, then an access token and a refresh token, of which the last ones count. Of
 * all the store keeps hashes. A refresh token begins with the code, so one that was used before is
 * known for what it is however long ago that was. Whoever presents something a second time is not
 * told from who stole it: all of it ends.
 *
 * A row holds as long as the person is there and the key valid that let it in; what they may is
 * asked with each request.
 */
#ifndef KB_STORE_PROGRAMS_H
#define KB_STORE_PROGRAMS_H

#include "store/accounts.h"
#include "store/signins.h"

enum {
	KB_PROGRAM_CODE = KB_SIGN_IN_TEXT, /* letters and digits, and the end */
	KB_PROGRAM_ACCESS = KB_SIGN_IN_TEXT + 4,
	KB_PROGRAM_REFRESH = 2 * KB_SIGN_IN_TEXT - 1,
	KB_PROGRAMS_MAX = 100, /* of one person, or one key */
};

#define KB_PROGRAM_TOKEN "dat_" /* access tokens begin so */

#define KB_PROGRAM_CODE_US   INT64_C(60000000)      /* a minute */
#define KB_PROGRAM_ACCESS_US INT64_C(3600000000)    /* an hour */
#define KB_PROGRAM_IDLE_US   INT64_C(2592000000000) /* 30 days without a renewal */

struct kb_consent {
	int64_t id, account_id;
	int64_t person_id, key_id; /* who let it in; 0: none */
	int64_t agent_id;
	struct kb_sv client, name;            /* its address, and what it calls itself there */
	int64_t created_at, seen_at, ends_at; /* seen_at 0: it has asked nothing yet */
};

/* What the exchange has to fit: PKCE's challenge, and where the browser was sent. */
struct kb_program_new {
	struct kb_consent program;
	struct kb_sv challenge, redirect;
};
/* Gives its code. KB_E_INVALID: who lets it in has too many. */
bool kb_store_program_allow(struct kb_store *store, const struct kb_program_new *in,
                            char code[KB_PROGRAM_CODE], struct kb_err *err) KB_MUST_CHECK;

/* What a program presents for tokens: a code with what belongs to it, or a refresh token. */
struct kb_program_claim {
	struct kb_sv code, challenge, redirect; /* code: empty for a refresh token */
	struct kb_sv refresh;
	struct kb_sv client;
	int64_t agent_id; /* 0: not named */
};
struct kb_program_tokens {
	char access[KB_PROGRAM_ACCESS], refresh[KB_PROGRAM_REFRESH];
};
/* The tokens that count from now on, and whose they are. KB_E_UNAUTHORIZED where it does not fit:
 * where out->id is set all the same, its code or an old token was presented in vain or again, and
 * the caller ends it. A code is used up by that. */
bool kb_store_program_claim(struct kb_store *store, struct kb_arena *arena,
                            const struct kb_program_claim *claim, struct kb_program_tokens *tokens,
                            struct kb_consent *out, struct kb_err *err) KB_MUST_CHECK;

/* Whose access token it is. KB_E_UNAUTHORIZED: nobody's, or too old. */
bool kb_store_program_check(struct kb_store *store, struct kb_arena *arena, struct kb_sv access,
                            struct kb_consent *out, struct kb_err *err) KB_MUST_CHECK;
/* The same of either token of that client, for revoking it; out->id 0: nobody's. */
bool kb_store_program_find(struct kb_store *store, struct kb_arena *arena, struct kb_sv token,
                           struct kb_sv client, struct kb_consent *out,
                           struct kb_err *err) KB_MUST_CHECK;

/* Those of the account, or of one of its people, newest first. */
bool kb_store_programs(struct kb_store *store, struct kb_arena *arena,
                       const struct kb_session_owner *of, struct kb_consent **out, size_t *count,
                       struct kb_err *err) KB_MUST_CHECK;
/* KB_E_NOT_FOUND where it is none of those. */
bool kb_store_program_end(struct kb_store *store, const struct kb_session_owner *of, int64_t id,
                          struct kb_err *err) KB_MUST_CHECK;

#endif
