#include "base/aead.h"

#include <openssl/evp.h>

#include "base/hash.h"

enum { NONCE = 12, TAG = 16, PLAIN_MAX = 1 << 20 };
static_assert(NONCE + TAG == KB_AEAD_MORE, "the format is ours");

struct kb_sv kb_aead_seal(struct kb_arena *arena, const unsigned char key[KB_AEAD_KEY],
                          struct kb_sv about, struct kb_sv plain)
{
	unsigned char *out, *at;
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	int n = 0;
	bool ok;

	KB_ASSERT(plain.n <= PLAIN_MAX && about.n <= PLAIN_MAX);
	out = (unsigned char *)kb_arena_bytes(arena, plain.n + KB_AEAD_MORE);
	at = out + NONCE;
	kb_random(out, NONCE);
	ok = ctx && EVP_EncryptInit_ex(ctx, EVP_aes_256_gcm(), NULL, key, out) == 1
	     && EVP_EncryptUpdate(ctx, NULL, &n, (const unsigned char *)about.p, (int)about.n) == 1
	     && EVP_EncryptUpdate(ctx, at, &n, (const unsigned char *)plain.p, (int)plain.n) == 1
	     && EVP_EncryptFinal_ex(ctx, at + n, &n) == 1
	     && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_GET_TAG, TAG, at + plain.n) == 1;
	EVP_CIPHER_CTX_free(ctx);
	KB_ASSERT(ok); /* of memory alone */
	return kb_sv((const char *)out, plain.n + KB_AEAD_MORE);
}

bool kb_aead_open(struct kb_arena *arena, const unsigned char key[KB_AEAD_KEY], struct kb_sv about,
                  struct kb_sv sealed, struct kb_sv *plain)
{
	const unsigned char *in = (const unsigned char *)sealed.p;
	unsigned char *out, tag[TAG];
	EVP_CIPHER_CTX *ctx;
	size_t size;
	int n = 0;
	bool ok;

	if (sealed.n < KB_AEAD_MORE || sealed.n > PLAIN_MAX + KB_AEAD_MORE || about.n > PLAIN_MAX)
		return false;
	size = sealed.n - KB_AEAD_MORE;
	out = (unsigned char *)kb_arena_bytes(arena, size + 1);
	for (size_t i = 0; i < TAG; i++)
		tag[i] = in[NONCE + size + i];
	ctx = EVP_CIPHER_CTX_new();
	ok = ctx && EVP_DecryptInit_ex(ctx, EVP_aes_256_gcm(), NULL, key, in) == 1
	     && EVP_DecryptUpdate(ctx, NULL, &n, (const unsigned char *)about.p, (int)about.n) == 1
	     && EVP_DecryptUpdate(ctx, out, &n, in + NONCE, (int)size) == 1
	     && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_SET_TAG, TAG, tag) == 1
	     && EVP_DecryptFinal_ex(ctx, out + size, &n) == 1;
	EVP_CIPHER_CTX_free(ctx);
	*plain = kb_sv((const char *)out, ok ? size : 0);
	return ok;
}
