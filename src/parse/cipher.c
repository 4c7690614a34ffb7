#include "parse/cipher.h"

/* Plain functions, as in base/hash.c: the envelopes that replace them fetch their algorithms, which
 * takes memory and files. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/aes.h>
#include <openssl/md5.h>
#include <openssl/sha.h>

#define DIGEST(name, type, bytes)                                                                  \
	static size_t digest_##name(const struct kb_sv *parts, size_t count, unsigned char *out)   \
	{                                                                                          \
		type state;                                                                        \
                                                                                                   \
		name##_Init(&state);                                                               \
		for (size_t i = 0; i < count; i++)                                                 \
			name##_Update(&state, parts[i].p, parts[i].n);                             \
		name##_Final(out, &state);                                                         \
		return bytes;                                                                      \
	}
DIGEST(MD5, MD5_CTX, MD5_DIGEST_LENGTH)
DIGEST(SHA1, SHA_CTX, SHA_DIGEST_LENGTH)
DIGEST(SHA256, SHA256_CTX, SHA256_DIGEST_LENGTH)
DIGEST(SHA384, SHA512_CTX, SHA384_DIGEST_LENGTH)
DIGEST(SHA512, SHA512_CTX, SHA512_DIGEST_LENGTH)

size_t kb_digest(enum kb_digest digest, const struct kb_sv *parts, size_t count,
                 unsigned char out[KB_DIGEST_BYTES_MAX])
{
	static size_t (*const digests[])(const struct kb_sv *, size_t, unsigned char *) = {
		[KB_DIGEST_MD5] = digest_MD5,       [KB_DIGEST_SHA1] = digest_SHA1,
		[KB_DIGEST_SHA256] = digest_SHA256, [KB_DIGEST_SHA384] = digest_SHA384,
		[KB_DIGEST_SHA512] = digest_SHA512,
	};

	return digests[digest](parts, count, out);
}

/* OpenSSL has it in a library that is loaded on demand, and here nothing is. */
void kb_rc4(struct kb_sv key, unsigned char *bytes, size_t n)
{
	unsigned char s[256], i = 0, j = 0, swap;

	KB_ASSERT(key.n > 0);
	for (unsigned k = 0; k < sizeof(s); k++)
		s[k] = (unsigned char)k;
	for (unsigned k = 0; k < sizeof(s); k++) {
		j = (unsigned char)(j + s[k] + (unsigned char)key.p[k % key.n]);
		swap = s[k];
		s[k] = s[j];
		s[j] = swap;
	}
	j = 0;
	for (size_t k = 0; k < n; k++) {
		i = (unsigned char)(i + 1);
		j = (unsigned char)(j + s[i]);
		swap = s[i];
		s[i] = s[j];
		s[j] = swap;
		bytes[k] ^= s[(unsigned char)(s[i] + s[j])];
	}
}

static AES_KEY aes_key(struct kb_sv key, bool encrypts)
{
	AES_KEY out;
	int bits = (int)key.n * 8;
	int failed = encrypts ? AES_set_encrypt_key((const unsigned char *)key.p, bits, &out)
	                      : AES_set_decrypt_key((const unsigned char *)key.p, bits, &out);

	KB_ASSERT(!failed);
	return out;
}

static void cbc(const AES_KEY *key, const unsigned char iv[KB_AES_BLOCK], unsigned char *bytes,
                size_t n, int how)
{
	unsigned char chain[KB_AES_BLOCK];

	KB_ASSERT(n % KB_AES_BLOCK == 0);
	memcpy(chain, iv, sizeof(chain));
	AES_cbc_encrypt(bytes, bytes, n, key, chain, how);
}

void kb_aes_cbc_encrypt(struct kb_sv key, const unsigned char iv[KB_AES_BLOCK],
                        unsigned char *bytes, size_t n)
{
	AES_KEY aes = aes_key(key, true);

	cbc(&aes, iv, bytes, n, AES_ENCRYPT);
}

void kb_aes_cbc_decrypt(struct kb_sv key, const unsigned char iv[KB_AES_BLOCK],
                        unsigned char *bytes, size_t n)
{
	AES_KEY aes = aes_key(key, false);

	cbc(&aes, iv, bytes, n, AES_DECRYPT);
}

void kb_aes_ecb_decrypt(struct kb_sv key, unsigned char *bytes, size_t n)
{
	AES_KEY aes = aes_key(key, false);

	KB_ASSERT(n % KB_AES_BLOCK == 0);
	for (size_t at = 0; at < n; at += KB_AES_BLOCK)
		AES_ecb_encrypt(bytes + at, bytes + at, &aes, AES_DECRYPT);
}
