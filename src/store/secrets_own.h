/* Secrets in rows, for the families that have some: the store's own. */
#ifndef KB_STORE_SECRETS_OWN_H
#define KB_STORE_SECRETS_OWN_H

#include "store/secrets.h"
#include "store/store_own.h"

enum kb_secret_kind { KB_SECRET_VISITORS, KB_SECRET_COUNT };

/* Where it stands; sealed secrets are about that. */
struct kb_secret_at {
	enum kb_secret_kind kind;
	int64_t row;
};
/* The text that is stored of the secret there: sealed, where the store has a key. */
struct kb_sv kb_secret_stored(struct kb_store *store, struct kb_arena *arena,
                              struct kb_secret_at at, struct kb_sv plain);
/* And back; KB_E_IO, KB_E_CORRUPT say whose it is. */
bool kb_secret_told(struct kb_store *store, struct kb_arena *arena, struct kb_secret_at at,
                    struct kb_sv stored, struct kb_sv *plain, struct kb_err *err) KB_MUST_CHECK;

#endif
