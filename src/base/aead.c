#include "base/aead.h"

#include <sodium.h>

#include "base/hash.h"

enum {
	NONCE = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
	TAG = crypto_aead_xchacha20poly1305_ietf_ABYTES,
};
static_assert(NONCE + TAG == KB_AEAD_MORE
                      && KB_AEAD_KEY == crypto_aead_xchacha20poly1305_ietf_KEYBYTES,
              "the format is ours");

struct kb_sv kb_aead_seal(struct kb_arena *arena, const unsigned char key[KB_AEAD_KEY],
                          struct kb_sv about, struct kb_sv plain)
{
	unsigned char *out = (unsigned char *)kb_arena_bytes(arena, plain.n + KB_AEAD_MORE);

	kb_random(out, NONCE);
	crypto_aead_xchacha20poly1305_ietf_encrypt(
	        out + NONCE, NULL, (const unsigned char *)plain.p, plain.n,
	        (const unsigned char *)about.p, about.n, NULL, out, key);
	return kb_sv((const char *)out, plain.n + KB_AEAD_MORE);
}

bool kb_aead_open(struct kb_arena *arena, const unsigned char key[KB_AEAD_KEY], struct kb_sv about,
                  struct kb_sv sealed, struct kb_sv *plain)
{
	const unsigned char *in = (const unsigned char *)sealed.p;
	unsigned char *out;

	if (sealed.n < KB_AEAD_MORE)
		return false;
	out = (unsigned char *)kb_arena_bytes(arena, sealed.n - KB_AEAD_MORE + 1);
	*plain = kb_sv((const char *)out, sealed.n - KB_AEAD_MORE);
	return crypto_aead_xchacha20poly1305_ietf_decrypt(
	               out, NULL, NULL, in + NONCE, sealed.n - NONCE,
	               (const unsigned char *)about.p, about.n, in, key)
	       == 0;
}
