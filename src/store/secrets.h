/*
 * Secrets that the store has to give back as they are, since something is signed or opened with
 * them: which there are, and sealing them anew. The rules of store.h hold. What is only compared is
 * kept as its hash, and stands nowhere here.
 */
#ifndef KB_STORE_SECRETS_H
#define KB_STORE_SECRETS_H

#include "store/secret_keys.h"
#include "store/store.h"

/* How one kind of secret stands in the store, by what it is sealed with. */
struct kb_secrets_row {
	const char *what; /* "the secrets that sign visitors" */
	struct kb_sv key; /* the name of its key; empty: it is readable */
	bool opens;       /* that key is one of the store's, or none is needed */
	int64_t count;
};
bool kb_store_secrets_list(struct kb_store *store, struct kb_arena *arena,
                           struct kb_secrets_row **out, size_t *count,
                           struct kb_err *err) KB_MUST_CHECK;

/* Seals all with the first of the store's keys, or where `plain` makes them readable again. Beside
 * a running service: what is made anew meanwhile stays. *changed: how many. KB_E_IO where one
 * does not open; those before it are done. */
bool kb_store_secrets_turn(struct kb_store *store, bool plain, int64_t *changed,
                           struct kb_err *err) KB_MUST_CHECK;

#endif
