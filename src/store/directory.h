/*
 * People and groups of an account as a directory of the organisation keeps them (SCIM 2.0), and the
 * tokens that it asks with. The rules of store.h hold.
 *
 * A user of the directory is a person of the account (people.h) from the start, and stays one user
 * when somebody signs in as them: by what the provider's sign-in says of who that is, which is an
 * id of the directory, or an address that the provider has verified. Off, they may nothing, in the
 * transaction that says so: their browsers, links and keys end. Deleted, they are gone as by
 * kb_store_person_remove(), and what is kept of them for KB_DIRECTORY_GONE_US keeps them out.
 *
 * Groups give what a function says that is passed along (the file of --roles), in the transaction
 * that changes them: those of the directory, and those that the last sign-in named.
 */
#ifndef KB_STORE_DIRECTORY_H
#define KB_STORE_DIRECTORY_H

#include "store/people.h"

enum { KB_DIRECTORY_TOKENS_MAX = 20, KB_DIRECTORY_GROUPS_MAX = 2000, KB_DIRECTORY_TOKEN_TEXT = 49 };
#define KB_DIRECTORY_GONE_US (90 * 24 * 3600 * INT64_C(1000000))

/* What somebody is told who is off. */
#define KB_DIRECTORY_OFF "your organisation's directory has switched you off here"

/* ---- tokens ---- */

/* "scim-" and 43 letters and digits; only its hash is stored. */
struct kb_directory_token {
	int64_t id, account_id;
	struct kb_sv name, plan; /* of its account */
	int64_t created_at, seen_at;
};
bool kb_store_directory_token_create(struct kb_store *store, int64_t account_id, struct kb_sv name,
                                     int64_t *id, char text[KB_DIRECTORY_TOKEN_TEXT],
                                     struct kb_err *err) KB_MUST_CHECK;
bool kb_store_directory_tokens(struct kb_store *store, struct kb_arena *arena, int64_t account_id,
                               struct kb_directory_token **out, size_t *count,
                               struct kb_err *err) KB_MUST_CHECK;
bool kb_store_directory_token_revoke(struct kb_store *store, int64_t account_id, int64_t id,
                                     struct kb_err *err) KB_MUST_CHECK;
/* KB_E_UNAUTHORIZED where it is none, or none any more. Not cached. */
bool kb_store_directory_token_check(struct kb_store *store, struct kb_arena *arena,
                                    struct kb_sv text, struct kb_directory_token *out,
                                    struct kb_err *err) KB_MUST_CHECK;

/* ---- what groups give ---- */

struct kb_directory_given {
	const struct kb_sv *names;
	size_t count;
	bool is_let_in; /* any of the groups is let in */
};
struct kb_directory_roles {
	/* Fills standing, grants and labels of the person, and is_let_in. Pure. NULL: groups say
	 * nothing, and what people may stays. */
	bool (*judge)(void *arg, struct kb_arena *arena, struct kb_directory_given *groups,
	              struct kb_person *out, struct kb_err *err);
	void *arg;
};

/* A name or an address as they are compared: without case, of ASCII. */
struct kb_sv kb_directory_key(struct kb_arena *arena, struct kb_sv text);

/* ---- users ---- */

struct kb_directory_user {
	int64_t id, account_id;
	int64_t person_id; /* 0: their person was let go, and has not come back */
	struct kb_sv user_name, external_id, display_name, given_name, family_name, email;
	bool is_active;
	struct kb_sv issuer, subject; /* as whom they sign in; empty: they have not yet */
	int64_t version, created_at, updated_at;
};

/* Those of the account, by id; one, by a name that is not empty or an id that is not 0. */
struct kb_directory_query {
	int64_t account_id, id;
	struct kb_sv name;        /* of a user in any case, of a group letter by letter */
	struct kb_sv external_id; /* letter by letter */
};
bool kb_store_directory_users(struct kb_store *store, struct kb_arena *arena,
                              const struct kb_directory_query *query,
                              struct kb_directory_user **out, size_t *count,
                              struct kb_err *err) KB_MUST_CHECK;
/*
 * Makes a user (id 0), or changes one whose version is still that of `user`: all but id, account
 * and times is as it says. KB_E_CONFLICT: the version is another (412), or somebody has the name
 * (409); KB_E_NOT_FOUND.
 */
bool kb_store_directory_user_put(struct kb_store *store, struct kb_arena *arena,
                                 const struct kb_directory_roles *roles,
                                 struct kb_directory_user *user, struct kb_err *err) KB_MUST_CHECK;
/* version 0: whatever it is. */
bool kb_store_directory_user_delete(struct kb_store *store, int64_t account_id, int64_t id,
                                    int64_t version, struct kb_err *err) KB_MUST_CHECK;

/* ---- groups ---- */

struct kb_directory_group {
	int64_t id, account_id;
	struct kb_sv name, external_id;
	const int64_t *members; /* users, by id */
	size_t member_count;
	int64_t version, created_at, updated_at;
};
/* Without their members. */
bool kb_store_directory_groups(struct kb_store *store, struct kb_arena *arena,
                               const struct kb_directory_query *query,
                               struct kb_directory_group **out, size_t *count,
                               struct kb_err *err) KB_MUST_CHECK;
bool kb_store_directory_members(struct kb_store *store, struct kb_arena *arena,
                                struct kb_directory_group *group, struct kb_err *err) KB_MUST_CHECK;
/* The groups that a user is in, without their members. */
bool kb_store_directory_groups_of(struct kb_store *store, struct kb_arena *arena, int64_t user_id,
                                  struct kb_directory_group **out, size_t *count,
                                  struct kb_err *err) KB_MUST_CHECK;
/* As kb_store_directory_user_put(); the members are all that it has from then on, and a member that
 * is no user of the account is KB_E_INVALID. */
bool kb_store_directory_group_put(struct kb_store *store, struct kb_arena *arena,
                                  const struct kb_directory_roles *roles,
                                  struct kb_directory_group *group,
                                  struct kb_err *err) KB_MUST_CHECK;
bool kb_store_directory_group_delete(struct kb_store *store, struct kb_arena *arena,
                                     const struct kb_directory_roles *roles,
                                     const struct kb_directory_group *group,
                                     struct kb_err *err) KB_MUST_CHECK;

/* ---- who signs in ---- */

/* What a provider says of who that is. address: in lower case; empty: none that is verified. */
struct kb_directory_said {
	struct kb_sv issuer, subject, external_id, address;
};
/* Who that may be in the directory of an account. */
struct kb_directory_match {
	int64_t id;
	struct kb_sv handle; /* of the account */
	bool is_on;          /* neither switched off nor deleted */
	bool is_theirs;      /* they have signed in as that before: no other account can say so */
	struct kb_sv *groups;
	size_t group_count;
};
/* One an account at the most: whom they signed in as before, else whom the directory calls so, else
 * the one with that address, who has not signed in as somebody else. */
bool kb_store_directory_find(struct kb_store *store, struct kb_arena *arena,
                             const struct kb_directory_said *said, struct kb_directory_match **out,
                             size_t *count, struct kb_err *err) KB_MUST_CHECK;

#endif
