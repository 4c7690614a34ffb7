/*
 * The keys that secrets in the store are sealed with (--secrets-key-file): the first seals, all of
 * them open. A sealed secret is a text,
 *
 *	sealed:KEY:BASE64
 *
 * where KEY is what its key is called, and the rest XChaCha20-Poly1305 (base/aead.h) about the row
 *that it stands in. Pure; any thread.
 */
#ifndef KB_STORE_SECRET_KEYS_H
#define KB_STORE_SECRET_KEYS_H

#include "base/aead.h"

enum {
	KB_SECRET_KEYS_MAX = 16,
	KB_SECRET_KEY_ID = 17,   /* with its end */
	KB_SECRET_HEAD = 7 + 16, /* letters that say that it is sealed, and with which key */
};

struct kb_secret_key {
	char id[KB_SECRET_KEY_ID]; /* tells nothing of it */
	unsigned char bytes[KB_AEAD_KEY];
};
struct kb_secret_keys {
	struct kb_secret_key v[KB_SECRET_KEYS_MAX];
	size_t count;
};

/* A key as a file holds it: 32 bytes, or their 64 hexadecimal digits, or Base64 of them. */
bool kb_secret_key_read(struct kb_sv text, struct kb_secret_key *out) KB_MUST_CHECK;
/* Those of the files, with commas between. KB_E_INVALID names the file. */
bool kb_secret_keys_read(struct kb_arena *arena, const char *files, struct kb_secret_keys *out,
                         struct kb_err *err) KB_MUST_CHECK;
/* NULL: none of that name. */
const struct kb_secret_key *kb_secret_key_find(const struct kb_secret_keys *keys, struct kb_sv id);

bool kb_secret_is_sealed(struct kb_sv text);
/* The name of its key; empty: it is not sealed. */
struct kb_sv kb_secret_key_of(struct kb_sv text);
struct kb_sv kb_secret_seal(struct kb_arena *arena, const struct kb_secret_key *key,
                            struct kb_sv about, struct kb_sv plain);
/* What is not sealed is as it stands. keys: NULL is none. KB_E_IO: its key is not there;
 * KB_E_CORRUPT: it was changed, or is another row's. */
bool kb_secret_open(struct kb_arena *arena, const struct kb_secret_keys *keys, struct kb_sv about,
                    struct kb_sv text, struct kb_sv *plain, struct kb_err *err) KB_MUST_CHECK;

#endif
