/*
 * Who calls: on whose behalf, in which role, which agents they reach and which labels they open.
 *
 * dispatch.c makes it of what a request carries: a key, the session of a signed-in browser, or the
 * secret of a visitor. Handlers ask it, and know neither keys nor sessions. A route's row names the
 * least role that it is for, and the verb: what it does. roles[] in principal.c says which role may
 * do what; there is no other place that does.
 *
 * Where more comes: people with rights of their own are rows of roles[] and, in dispatch.c, one
 * more way of being known; a finer right is a verb, in its row of verbs[] and those of the routes.
 * The person who signs in is `person`, what their groups open is `labels`.
 */
#ifndef KB_API_PRINCIPAL_H
#define KB_API_PRINCIPAL_H

#include "store/accounts.h"
#include "store/visitors.h"

enum kb_role {
	KB_ROLE_NONE,    /* nobody in particular: who calls is not asked */
	KB_ROLE_VISITOR, /* of the public agent that the path names */
	KB_ROLE_KEEPER,  /* of some agents */
	KB_ROLE_OWNER,   /* of the account and all its agents */
	KB_ROLE_COUNT
};

enum kb_verb {
	KB_READ,   /* changes nothing that anybody could see */
	KB_ASK,    /* a question, which is stored with its answer */
	KB_WRITE,  /* changes an agent or what belongs to it */
	KB_MANAGE, /* changes the account or adds to it, its keys included */
	KB_VERB_COUNT
};

struct kb_principal {
	enum kb_role role;
	int64_t account;       /* on whose behalf, and who pays */
	int64_t person;        /* whose own the conversations are; 0: they are the account's */
	int64_t key;           /* by which it is known; 0: by none */
	const int64_t *agents; /* it reaches these; count 0: all of the account */
	size_t agent_count;
	/* The labels whose documents it may find, a JSON array of names; empty: none, or for keys
	 * those that each question names: their holder vouches for the asker. */
	struct kb_sv labels;
};

/* What they point at belongs to what they are made of. Pure, all of them. */
struct kb_principal kb_principal_of_key(const struct kb_key *key);
struct kb_principal kb_principal_of_visitor(const struct kb_visitor *visitor, int64_t account);

bool kb_principal_reaches(const struct kb_principal *who, int64_t agent_id);
/* KB_E_FORBIDDEN says what it may not; err may be NULL. */
bool kb_principal_may(const struct kb_principal *who, enum kb_verb verb, struct kb_err *err);
bool kb_principal_is_visitor(const struct kb_principal *who);
/* The account as the author of what is stored; 0 for who is nobody's user. */
int64_t kb_principal_user(const struct kb_principal *who);

#endif
