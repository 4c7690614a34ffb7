/*
 * Short bytes that are sealed with a key (XChaCha20-Poly1305 of libsodium, as long ones are, in
 * pieces, by blob/seal.h; draft-irtf-cfrg-xchacha): who has no key can neither read nor change
 * them, and what was sealed about one thing is not taken for another's. Pure; any thread.
 */
#ifndef KB_BASE_AEAD_H
#define KB_BASE_AEAD_H

#include "base/arena.h"

enum { KB_AEAD_KEY = 32, KB_AEAD_MORE = 24 + 16 }; /* a nonce before, a tag behind */

struct kb_sv kb_aead_seal(struct kb_arena *arena, const unsigned char key[KB_AEAD_KEY],
                          struct kb_sv about, struct kb_sv plain);
/* False where they were sealed with another key, or about something else, or were changed. */
bool kb_aead_open(struct kb_arena *arena, const unsigned char key[KB_AEAD_KEY], struct kb_sv about,
                  struct kb_sv sealed, struct kb_sv *plain) KB_MUST_CHECK;

#endif
