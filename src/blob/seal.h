/*
 * Bytes that are sealed with a key: nobody reads or changes them without it.
 *
 *   | "docseal1" | 24 bytes of a header | piece | piece | …
 *
 * A piece is KB_SEAL_PIECE bytes, the last one fewer, and KB_SEAL_MORE bytes that libsodium adds;
 * of nothing there is one empty piece. It is libsodium's secretstream (XChaCha20 and Poly1305):
 * pieces that are changed, missing, repeated or in another order are noticed, and so is an end that
 * is none. Each piece is sealed for a label, what the bytes are and under which name they are kept,
 * so that those of one name are not taken for another's.
 *
 * Sealed bytes are foreign. Pure; any thread.
 */
#ifndef KB_BLOB_SEAL_H
#define KB_BLOB_SEAL_H

#include "base/arena.h"
#include "base/hash.h"

enum {
	KB_SEAL_KEY = 32,
	KB_SEAL_SALT = 32,
	KB_SEAL_ID = 17, /* with its terminator */
	KB_SEAL_PIECE = 64 << 10,
	KB_SEAL_MORE = 17,
	KB_SEAL_HEAD = 32,
};

/* What an operator keeps: random bytes, in a file as hexadecimal digits. */
struct kb_seal_key {
	unsigned char bytes[KB_SEAL_KEY];
};
/* False where the text is none: 64 hexadecimal digits. */
bool kb_seal_key_read(struct kb_sv text, struct kb_seal_key *out);
/* What it is called where a wrong one is named; tells nothing of it. */
void kb_seal_key_id(const struct kb_seal_key *key, char id[KB_SEAL_ID]);

/* What the bytes of one place are sealed with, and what hides their names. Of another salt, others:
 * two places with one key have nothing in common that can be seen. */
struct kb_seal_keys {
	unsigned char bytes[KB_SEAL_KEY], names[KB_SEAL_KEY];
};
void kb_seal_keys(const struct kb_seal_key *key, const unsigned char salt[KB_SEAL_SALT],
                  struct kb_seal_keys *out);
/* The name under which a blob is kept: who has no key cannot tell whether a blob is there whose
 * bytes they know. */
void kb_seal_name(const struct kb_seal_keys *keys, const char *name, char out[KB_HASH_HEX]);

/* The size of so many bytes sealed, and back; false: nothing that is sealed has that size. */
int64_t kb_sealed_size(int64_t plain);
bool kb_sealed_plain(int64_t sealed, int64_t *plain);

/* Piece by piece. The label outlives it. */
struct kb_seal {
	_Alignas(16) unsigned char state[64]; /* libsodium's */
	struct kb_sv label;
};
void kb_seal_begin(struct kb_seal *seal, const struct kb_seal_keys *keys, struct kb_sv label,
                   unsigned char head[KB_SEAL_HEAD]);
/* out has KB_SEAL_MORE bytes more than the piece. */
void kb_seal_piece(struct kb_seal *seal, struct kb_sv piece, bool is_last, unsigned char *out);
bool kb_unseal_begin(struct kb_seal *seal, const struct kb_seal_keys *keys, struct kb_sv label,
                     const unsigned char head[KB_SEAL_HEAD], struct kb_err *err) KB_MUST_CHECK;
/* out has KB_SEAL_MORE bytes fewer than the piece. KB_E_CORRUPT. */
bool kb_unseal_piece(struct kb_seal *seal, struct kb_sv piece, bool is_last, unsigned char *out,
                     struct kb_err *err) KB_MUST_CHECK;

/* All at once, in the arena. */
struct kb_sv kb_seal(struct kb_arena *arena, const struct kb_seal_keys *keys, struct kb_sv label,
                     struct kb_sv plain);
bool kb_unseal(struct kb_arena *arena, const struct kb_seal_keys *keys, struct kb_sv label,
               struct kb_sv sealed, struct kb_sv *plain, struct kb_err *err) KB_MUST_CHECK;

#endif
