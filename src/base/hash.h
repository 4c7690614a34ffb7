/*
 * Hashes, each for one purpose: XXH3 for tables and checksums of our own files (no secret, no
 * attacker), BLAKE2b-256 for names of blobs and stored keys, SHA-256 for what others compute too
 * (S3's signatures, a browser's work, texts that another site signed), MD5 because page_url_hash is
 * one. Also random bytes and hexadecimal. Pure; any thread. kb_crypto_init() once, before threads
 * start.
 */
#ifndef KB_BASE_HASH_H
#define KB_BASE_HASH_H

#include "base/sv.h"

enum { KB_HASH_BYTES = 32, KB_HASH_HEX = 65, KB_MD5_HEX = 33, KB_SHA256_HEX = 65 };

void kb_crypto_init(void);

uint64_t kb_hash64(struct kb_sv bytes);

/* The same piece by piece; end also begins the next one. */
struct kb_hash64 *kb_hash64_new(void);
void kb_hash64_free(struct kb_hash64 *hash);
void kb_hash64_add(struct kb_hash64 *hash, const void *p, size_t n);
uint64_t kb_hash64_end(struct kb_hash64 *hash);

/* BLAKE2b-256 (RFC 7693), whole or piece by piece. */
struct kb_hasher {
	_Alignas(64) unsigned char state[384]; /* libsodium's crypto_generichash_state */
};
void kb_hasher_init(struct kb_hasher *hasher);
void kb_hasher_add(struct kb_hasher *hasher, const void *p, size_t n);
void kb_hasher_hex(struct kb_hasher *hasher, char out[KB_HASH_HEX]);
void kb_hash_hex(struct kb_sv bytes, char out[KB_HASH_HEX]);

void kb_sha256_hex(struct kb_sv bytes, char out[KB_SHA256_HEX]);
/* For what others made: work of a browser, and texts that another site signed. */
enum { KB_SHA256_BYTES = 32 };
void kb_sha256(struct kb_sv bytes, unsigned char out[KB_SHA256_BYTES]);
void kb_hmac_sha256(struct kb_sv key, struct kb_sv bytes, unsigned char out[KB_SHA256_BYTES]);

void kb_md5_hex(struct kb_sv bytes, char out[KB_MD5_HEX]);

void kb_random(void *out, size_t n);
/* n characters of 0-9a-zA-Z and a terminator, without bias: 5.95 bits each. */
void kb_random_text(char *out, size_t n);
void kb_random_uuid(char out[37]); /* version 4, RFC 9562 */
enum { KB_UUID_CHARS = 36 };
bool kb_uuid_check(struct kb_sv text);                /* any version, in either case */
bool kb_equal_secret(struct kb_sv a, struct kb_sv b); /* in time that tells only the length */

void kb_hex(const void *bytes, size_t n, char *out); /* 2 * n digits and a terminator */

#endif
