#include "base/hash.h"

/* MD5() is a plain function. The envelopes that replace it fetch their algorithm, which takes
 * memory and can fail. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/md5.h>
#include <openssl/sha.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static_assert(sizeof(crypto_generichash_state) <= sizeof(struct kb_hasher), "the state has grown");

void kb_crypto_init(void)
{
	KB_ASSERT(sodium_init() >= 0);
}

uint64_t kb_hash64(struct kb_sv bytes)
{
	return XXH3_64bits(bytes.p, bytes.n);
}

struct kb_hash64 {
	XXH3_state_t xxh; /* aligned to 64 bytes */
};

struct kb_hash64 *kb_hash64_new(void)
{
	struct kb_hash64 *hash = aligned_alloc(_Alignof(struct kb_hash64), sizeof(*hash));

	KB_ASSERT(hash != NULL);
	XXH3_INITSTATE(&hash->xxh);
	XXH3_64bits_reset(&hash->xxh);
	return hash;
}

void kb_hash64_free(struct kb_hash64 *hash)
{
	free(hash);
}

void kb_hash64_add(struct kb_hash64 *hash, const void *p, size_t n)
{
	if (n)
		XXH3_64bits_update(&hash->xxh, p, n);
}

uint64_t kb_hash64_end(struct kb_hash64 *hash)
{
	uint64_t value = XXH3_64bits_digest(&hash->xxh);

	XXH3_64bits_reset(&hash->xxh);
	return value;
}

void kb_hasher_init(struct kb_hasher *hasher)
{
	crypto_generichash_init((void *)hasher->state, NULL, 0, KB_HASH_BYTES);
}

void kb_hasher_add(struct kb_hasher *hasher, const void *p, size_t n)
{
	crypto_generichash_update((void *)hasher->state, p, n);
}

void kb_hasher_hex(struct kb_hasher *hasher, char out[KB_HASH_HEX])
{
	unsigned char hash[KB_HASH_BYTES];

	crypto_generichash_final((void *)hasher->state, hash, sizeof(hash));
	kb_hex(hash, sizeof(hash), out);
}

void kb_hash_hex(struct kb_sv bytes, char out[KB_HASH_HEX])
{
	struct kb_hasher hasher;

	kb_hasher_init(&hasher);
	kb_hasher_add(&hasher, bytes.p, bytes.n);
	kb_hasher_hex(&hasher, out);
}

void kb_sha256_hex(struct kb_sv bytes, char out[KB_SHA256_HEX])
{
	unsigned char digest[SHA256_DIGEST_LENGTH];

	SHA256((const unsigned char *)bytes.p, bytes.n, digest);
	kb_hex(digest, sizeof(digest), out);
}

void kb_sha256(struct kb_sv bytes, unsigned char out[KB_SHA256_BYTES])
{
	crypto_hash_sha256(out, (const unsigned char *)bytes.p, bytes.n);
}

void kb_hmac_sha256(struct kb_sv key, struct kb_sv bytes, unsigned char out[KB_SHA256_BYTES])
{
	crypto_auth_hmacsha256_state state;

	crypto_auth_hmacsha256_init(&state, (const unsigned char *)key.p, key.n);
	crypto_auth_hmacsha256_update(&state, (const unsigned char *)bytes.p, bytes.n);
	crypto_auth_hmacsha256_final(&state, out);
}

void kb_md5_hex(struct kb_sv bytes, char out[KB_MD5_HEX])
{
	unsigned char hash[MD5_DIGEST_LENGTH];

	MD5((const unsigned char *)bytes.p, bytes.n, hash);
	kb_hex(hash, sizeof(hash), out);
}

void kb_random(void *out, size_t n)
{
	randombytes_buf(out, n);
}

void kb_random_text(char *out, size_t n)
{
	static const char letters[] =
	        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

	for (size_t i = 0; i < n; i++)
		out[i] = letters[randombytes_uniform(sizeof(letters) - 1)];
	out[n] = '\0';
}

bool kb_uuid_check(struct kb_sv text)
{
	if (text.n != KB_UUID_CHARS)
		return false;
	for (size_t i = 0; i < text.n; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;
		char c = (char)(text.p[i] | 0x20);
		bool hex = (text.p[i] >= '0' && text.p[i] <= '9') || (c >= 'a' && c <= 'f');

		if (dash ? text.p[i] != '-' : !hex)
			return false;
	}
	return true;
}

void kb_random_uuid(char out[37])
{
	unsigned char b[16];
	char hex[33];

	kb_random(b, sizeof(b));
	b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
	b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
	kb_hex(b, sizeof(b), hex);
	for (size_t i = 0, o = 0; i < 32; i++) {
		if (i == 8 || i == 12 || i == 16 || i == 20)
			out[o++] = '-';
		out[o++] = hex[i];
	}
	out[36] = '\0';
}

bool kb_equal_secret(struct kb_sv a, struct kb_sv b)
{
	return a.n == b.n && sodium_memcmp(a.p, b.p, a.n) == 0;
}

void kb_hex(const void *bytes, size_t n, char *out)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *p = bytes;

	for (size_t i = 0; i < n; i++) {
		out[2 * i] = digits[p[i] >> 4];
		out[2 * i + 1] = digits[p[i] & 15];
	}
	out[2 * n] = '\0';
}
