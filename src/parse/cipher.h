/*
 * Ciphers and hashes by which files are locked with a password: MD5 and RC4 are long broken, but
 * PDF files of 2005 have them. For unlocking alone; nothing of ours is kept by them. Plain
 * functions that take no memory and open no file, so that they work behind the sandbox's walls.
 * Pure.
 */
#ifndef KB_PARSE_CIPHER_H
#define KB_PARSE_CIPHER_H

#include "base/sv.h"

enum kb_digest {
	KB_DIGEST_MD5,
	KB_DIGEST_SHA1,
	KB_DIGEST_SHA256,
	KB_DIGEST_SHA384,
	KB_DIGEST_SHA512
};
enum { KB_DIGEST_BYTES_MAX = 64, KB_AES_BLOCK = 16 };

/* Of the parts one after the other; returns its bytes. */
size_t kb_digest(enum kb_digest digest, const struct kb_sv *parts, size_t count,
                 unsigned char out[KB_DIGEST_BYTES_MAX]);

/* Both ways, in place. */
void kb_rc4(struct kb_sv key, unsigned char *bytes, size_t n);

/* AES in place, of whole blocks: n is a multiple of KB_AES_BLOCK, and a key has 16, 24 or 32 bytes.
 */
void kb_aes_cbc_encrypt(struct kb_sv key, const unsigned char iv[KB_AES_BLOCK],
                        unsigned char *bytes, size_t n);
void kb_aes_cbc_decrypt(struct kb_sv key, const unsigned char iv[KB_AES_BLOCK],
                        unsigned char *bytes, size_t n);
void kb_aes_ecb_decrypt(struct kb_sv key, unsigned char *bytes, size_t n);

#endif
