/* Accounts and their API keys. The rules of store.h hold. */
#ifndef KB_STORE_ACCOUNTS_H
#define KB_STORE_ACCOUNTS_H

#include "store/store.h"

/* The handle says who an account is: the operator gives it once, no other has it, and nothing
 * changes it. The name is what it is called: the holders of its keys choose it, and several
 * accounts may have the same. Whatever decides who somebody is goes by id or handle. */
#define KB_ACCOUNT_DEFAULT "default" /* the handle, and so the name, where nobody gives one */

struct kb_account {
	int64_t id;
	struct kb_sv handle, name, plan;
	struct kb_sv email;             /* the handle where that is an address, else p == NULL */
	struct kb_sv photo, photo_type; /* the blob of its picture and "png", …; empty: none */
	int64_t created_at, updated_at;
};

/* A key is "<id>|<43 letters and digits>" (256 bits); only its hash is stored. */
enum { KB_KEY_TEXT = 72 };

struct kb_key {
	int64_t id, account_id;
	int64_t person_id;     /* whose own it is (people.h); 0: the account's */
	struct kb_sv plan;     /* of its account */
	struct kb_sv name;     /* what it is for, in its maker's words; may be empty */
	struct kb_sv label;    /* what the list shows: the first letters */
	const int64_t *agents; /* limited to these; count 0: all of the account */
	size_t agent_count;
	int64_t created_at, revoked_at; /* 0: valid */
	int64_t seen_at;                /* the last use, to within some minutes; 0: never */
};

/* Finds the account by its handle or makes it, named like it. A plan that is not empty becomes the
 * account's; without one a new account has the plan "default". */
bool kb_store_account_ensure(struct kb_store *store, struct kb_arena *arena, struct kb_sv handle,
                             struct kb_sv plan, struct kb_account *out,
                             struct kb_err *err) KB_MUST_CHECK;
bool kb_store_account_get(struct kb_store *store, struct kb_arena *arena, int64_t id,
                          struct kb_account *out, struct kb_err *err) KB_MUST_CHECK;
/* A field whose p is NULL stays as it is; an empty photo takes the picture away. */
struct kb_account_update {
	struct kb_sv name, photo, photo_type;
};
bool kb_store_account_update(struct kb_store *store, struct kb_arena *arena, int64_t id,
                             const struct kb_account_update *change, struct kb_account *out,
                             struct kb_err *err) KB_MUST_CHECK;
/* Whether that blob is the account's picture now. */
bool kb_store_account_photo(struct kb_store *store, int64_t id, struct kb_sv blob, bool *known,
                            struct kb_err *err) KB_MUST_CHECK;

/* A key to be made. */
struct kb_key_new {
	int64_t account_id, person_id; /* person_id 0: the account's */
	struct kb_sv name;
	const int64_t *agents; /* limited to these; count 0: all of the account */
	size_t agent_count;
};
/* Makes it and gives its text, once. KB_E_NOT_FOUND names an agent that the account has not, or the
 * person. */
bool kb_store_key_create(struct kb_store *store, const struct kb_key_new *key,
                         char text[KB_KEY_TEXT], struct kb_err *err) KB_MUST_CHECK;
bool kb_store_key_list(struct kb_store *store, struct kb_arena *arena, struct kb_key **keys,
                       struct kb_account **accounts, /* one for each key */
                       size_t *count, struct kb_err *err) KB_MUST_CHECK;
bool kb_store_key_revoke(struct kb_store *store, int64_t key_id, struct kb_err *err) KB_MUST_CHECK;
/* The account's valid keys by id, and the end of one of them: KB_E_NOT_FOUND for any other. */
bool kb_store_account_keys(struct kb_store *store, struct kb_arena *arena, int64_t account_id,
                           struct kb_key **keys, size_t *count, struct kb_err *err) KB_MUST_CHECK;
bool kb_store_account_key_revoke(struct kb_store *store, int64_t account_id, int64_t key_id,
                                 struct kb_err *err) KB_MUST_CHECK;
/* Keys that are valid; a server without any listens on loopback only. */
bool kb_store_key_count(struct kb_store *store, int64_t *count, struct kb_err *err) KB_MUST_CHECK;

/* The oldest valid key that is limited to no agents: KB_E_NOT_FOUND where there is none. */
bool kb_store_key_first(struct kb_store *store, int64_t *id, struct kb_err *err) KB_MUST_CHECK;

/* Who the bearer of this key text is. KB_E_UNAUTHORIZED for malformed, unknown and revoked ones
 * alike. Cached in memory; a revocation in another process is seen within a second. */
bool kb_store_key_check(struct kb_store *store, struct kb_arena *arena, struct kb_sv text,
                        struct kb_key *out, struct kb_err *err) KB_MUST_CHECK;
/* A valid key by its id, in the same way; KB_E_NOT_FOUND. */
bool kb_store_key_get(struct kb_store *store, struct kb_arena *arena, int64_t id,
                      struct kb_key *out, struct kb_err *err) KB_MUST_CHECK;
/* It was used just now: noted where the last use that was is some minutes old. Costs nothing
 * otherwise. */
void kb_store_key_seen(struct kb_store *store, const struct kb_key *key);
/* kb_store_key_check() from memory, without blocking: false when the cache does not know (ask
 * that). */
bool kb_store_peek_key(struct kb_store *store, struct kb_arena *arena, struct kb_sv text,
                       struct kb_key *out) KB_MUST_CHECK;
/* The key whose number a text begins with that kb_store_key_check() has just refused: valid or not,
 * the text is not it. From memory; false where there is none. */
bool kb_store_key_named(struct kb_store *store, struct kb_arena *arena, struct kb_sv text,
                        struct kb_key *out) KB_MUST_CHECK;
/* Whether the key of that id is valid right now, whoever revoked it (keys.c). */
bool kb_store_key_valid(struct kb_store *store, int64_t key_id, bool *valid,
                        struct kb_err *err) KB_MUST_CHECK;

#endif
