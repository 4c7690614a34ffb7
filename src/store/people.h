/*
 * People of accounts: who they are, what they may, and links that invite them. The rules of store.h
 * hold.
 *
 * A person belongs to one account. What they may of its agents are rights, for each agent or for
 * all; above those stand auditors and owners of the account. Their labels are the ones whose
 * documents they find. A person signs in with a link that invites them (once), or with a key of
 * their own, which says who they are and nothing else: whoever it is, what they may is read here
 * with each request.
 */
#ifndef KB_STORE_PEOPLE_H
#define KB_STORE_PEOPLE_H

#include "store/signins.h"

/* Bits of kb_grant.rights, in the order of their names. */
enum kb_right {
	KB_RIGHT_ASK = 1,
	KB_RIGHT_CONVERSATIONS = 2, /* sees those of others, and reports */
	KB_RIGHT_CONTENT = 4,       /* documents, sources and labels */
	KB_RIGHT_ANSWERS = 8,       /* checked answers, and what they are made from */
	KB_RIGHT_MANAGE = 16,       /* all of the agent */
};
enum { KB_RIGHT_COUNT = 5, KB_RIGHT_ALL = 31 };

enum kb_standing { KB_PERSON_MEMBER, KB_PERSON_AUDITOR, KB_PERSON_OWNER, KB_STANDING_COUNT };

/* As the interface has them: of the bit 1 << i, of standing i. */
extern const char *const kb_right_names[KB_RIGHT_COUNT],
        *const kb_standing_names[KB_STANDING_COUNT];

struct kb_grant {
	int64_t agent_id; /* 0: each of the account's, those to come too */
	int64_t rights;
};

struct kb_person {
	int64_t id, account_id;
	struct kb_sv plan; /* of its account */
	struct kb_sv name, email;
	enum kb_standing standing;
	const struct kb_grant *grants;
	size_t grant_count;
	bool keeps_grants;   /* of a change: those that are stored, whatever these are */
	struct kb_sv labels; /* JSON array of names */
	/* Who knows them, and as whom: then what they may comes with each sign-in. Empty: they were
	 * invited. */
	struct kb_sv issuer, subject;
	/* What they say of them besides: what a directory calls them, an address that is verified,
	 * in lower case, and a JSON array of their groups. Empty: nothing. */
	struct kb_sv external_id, address, said_groups;
	bool is_out; /* their directory (directory.h) has switched them off: they may nothing */
	/* When the link that invites them ends; 0: there is none, or it has been used. */
	int64_t invited_until;
	int64_t created_at, updated_at;
	int64_t seen_at; /* the last sign-in; 0: never */
};

enum { KB_PEOPLE_MAX = 10000, KB_GRANTS_MAX = 200 };

/* The account's people, by id. */
bool kb_store_people(struct kb_store *store, struct kb_arena *arena, int64_t account_id,
                     struct kb_person **out, size_t *count, struct kb_err *err) KB_MUST_CHECK;
/* KB_E_NOT_FOUND where there is no such person; account_id 0: of any account. */
bool kb_store_person_get(struct kb_store *store, struct kb_arena *arena, int64_t account_id,
                         int64_t id, struct kb_person *out, struct kb_err *err) KB_MUST_CHECK;
/*
 * Makes the person, or with an id changes them: name, email, standing, grants and labels, and fills
 * the rest. KB_E_NOT_FOUND names an agent that the account has not, or the person; KB_E_INVALID
 * where it has too many people.
 */
bool kb_store_person_put(struct kb_store *store, struct kb_arena *arena, struct kb_person *person,
                         struct kb_err *err) KB_MUST_CHECK;
/*
 * Somebody whom `issuer` knows as `subject` is here, with the standing, grants and labels of now:
 * makes or changes that person, and fills the rest. Agents that the account has not are left out.
 * Who was of another account is let go there. directory_id: who that is in the account's directory
 * (directory.h), or 0; KB_E_FORBIDDEN where that has switched them off.
 */
bool kb_store_person_arrive(struct kb_store *store, struct kb_arena *arena,
                            struct kb_person *person, int64_t directory_id,
                            struct kb_err *err) KB_MUST_CHECK;
/* They are not let in any more, and gone as by kb_store_person_remove(). Who was never here is no
 * mistake. */
bool kb_store_person_depart(struct kb_store *store, struct kb_sv issuer, struct kb_sv subject,
                            struct kb_err *err) KB_MUST_CHECK;
/* They are gone with their keys, their links and each browser they had signed in. What they asked
 * stays. */
bool kb_store_person_remove(struct kb_store *store, int64_t account_id, int64_t id,
                            struct kb_err *err) KB_MUST_CHECK;

/* They have signed in just now. */
bool kb_store_person_seen(struct kb_store *store, int64_t id, struct kb_err *err) KB_MUST_CHECK;

/* Makes the secret of a link that signs one browser in as that person, who is there, once, until
 * *until. An earlier one is void. */
bool kb_store_person_invite(struct kb_store *store, int64_t id, char secret[KB_SIGN_IN_TEXT],
                            int64_t *until, struct kb_err *err) KB_MUST_CHECK;

#endif
