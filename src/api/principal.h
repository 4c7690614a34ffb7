/*
 * Who calls: on whose behalf, in which roles, which agents they reach and which labels they open.
 *
 * dispatch.c makes it of what a request carries: a key, the session of a signed-in browser, or the
 * secret of a visitor. Handlers ask it, and know neither keys nor sessions. A route's row names the
 * role that it is for, and the verb: what it does. Whoever has that role for the agent of the path
 * may: the tables of principal.c say which roles come with a key and with each right of a person;
 * there is no other place that does.
 */
#ifndef KB_API_PRINCIPAL_H
#define KB_API_PRINCIPAL_H

#include "store/accounts.h"
#include "store/directory.h"
#include "store/people.h"
#include "store/visitors.h"

/* What somebody is to the account, or to one of its agents. */
enum kb_role {
	KB_ROLE_NONE,      /* nobody in particular: who calls is not asked */
	KB_ROLE_VISITOR,   /* of the public agent that the path names */
	KB_ROLE_DIRECTORY, /* of the organisation, by a token of its own (SCIM) */
	KB_ROLE_MEMBER,    /* of the account, whatever they may there */
	KB_ROLE_ASKER,     /* asks an agent, and reads what their labels open */
	KB_ROLE_READER,    /* of an agent's conversations and reports */
	KB_ROLE_EDITOR,    /* of its documents */
	KB_ROLE_CHECKER,   /* of its answers */
	KB_ROLE_KEEPER,    /* of the agent */
	KB_ROLE_AUDITOR,   /* sees who is in the account, and what was done */
	KB_ROLE_OWNER,     /* of the account and all its agents */
	KB_ROLE_COUNT
};

enum kb_verb {
	KB_READ,  /* changes nothing that anybody could see */
	KB_ASK,   /* a question; unless it is a trial, it is stored with its answer */
	KB_WRITE, /* changes something */
	KB_VERB_COUNT
};

struct kb_principal {
	unsigned roles; /* bits 1 << enum kb_role; those below the account are for all it reaches */
	int64_t account;   /* on whose behalf, and who pays */
	int64_t key;       /* by which it is known; 0: by none */
	int64_t directory; /* the token of a directory by which it is known; 0: none */
	int64_t member;    /* the person of the account (people.h) that it is; 0: none */
	/* Whose own the conversations are: a visitor's person above 0, one of the account below; 0:
	 * all of the agent are there. */
	int64_t person;
	const int64_t *agents; /* it reaches these; count 0: all of the account */
	size_t agent_count;
	const struct kb_grant *grants; /* what it may of some agents besides */
	size_t grant_count;
	bool is_program; /* one that they have let ask, and nothing else (programs.h) */
	/* The labels whose documents it may find, a JSON array of names; empty: none, or for keys
	 * those that each question names: their holder vouches for the asker. */
	struct kb_sv labels;
};

/* What they point at belongs to what they are made of, or to the arena. Pure, all of them. */
struct kb_principal kb_principal_of_key(const struct kb_key *key);
struct kb_principal kb_principal_of_directory(const struct kb_directory_token *token);
struct kb_principal kb_principal_of_visitor(const struct kb_visitor *visitor, int64_t account);
/* key: by which they are known, or 0. */
struct kb_principal kb_principal_of_person(struct kb_arena *arena, const struct kb_person *person,
                                           int64_t key);

/* As the description of the interface has it. */
const char *kb_role_name(enum kb_role role);
bool kb_principal_reaches(const struct kb_principal *who, int64_t agent_id);
/* Whether it has that role, of the account or for the agent; agent_id 0: for any it reaches. Of an
 * agent that is reached. KB_E_FORBIDDEN says what is missing; err may be NULL. */
bool kb_principal_is(const struct kb_principal *who, enum kb_role role, int64_t agent_id,
                     struct kb_err *err);
/* Turns to an agent that it reaches, for what the verb says: whose conversations are there. Those
 * of others are for who may see them, and theirs to change for who keeps the agent. */
void kb_principal_enter(struct kb_principal *who, int64_t agent_id, enum kb_verb verb);
bool kb_principal_is_visitor(const struct kb_principal *who);
/* The account as the author of what is stored; 0 for who is nobody's user. */
int64_t kb_principal_user(const struct kb_principal *who);
/* Of what begins: a conversation of nobody but the account has 0. */
int64_t kb_principal_person(const struct kb_principal *who);

#endif
