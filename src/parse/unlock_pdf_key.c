/* From a password to a PDF's key. Revisions 2 to 4 make it of MD5 and RC4, 5 and 6 keep it in the
 * file, locked by AES (ISO 32000-2, algorithms 2, 2.A, 2.B, 4 to 7, 11 and 12). */
#include "parse/unlock_pdf.h"

#include <string.h>

#include "base/utf8.h"
#include "parse/cipher.h"

enum {
	PADDED = 32,      /* bytes of a password, up to revision 4 */
	ROUNDS = 50,      /* of MD5, from revision 3 on */
	STEPS = 20,       /* of RC4, likewise */
	CHECK_BYTES = 16, /* of U, likewise */
	SALT = 8,
	HASH = 32, /* of O and U from revision 5 on; two salts follow */
	LOCKED = HASH + 2 * SALT,
	PASSWORD_MAX = 127, /* bytes, from revision 5 on */
	REPEATED = 64,
	HASHES_MIN = 64, /* of revision 6 */
};

// clang-format off
static const unsigned char padding[PADDED] = {
	0x28, 0xbf, 0x4e, 0x5e, 0x4e, 0x75, 0x8a, 0x41, 0x64, 0x00, 0x4e, 0x56, 0xff, 0xfa, 0x01, 0x08,
	0x2e, 0x2e, 0x00, 0xb6, 0xd0, 0x68, 0x3e, 0x80, 0x2f, 0x0c, 0xa9, 0xfe, 0x64, 0x53, 0x69, 0x7a,
};
// clang-format on

static struct kb_sv view(const unsigned char *p, size_t n)
{
	return kb_sv((const char *)p, n);
}

static void pad(struct kb_sv password, unsigned char out[PADDED])
{
	size_t n = KB_MIN(password.n, (size_t)PADDED);

	if (n)
		memcpy(out, password.p, n);
	memcpy(out + n, padding, PADDED - n);
}

/* Digest of the first n bytes of itself, over and over. */
static void repeat_md5(unsigned char digest[KB_DIGEST_BYTES_MAX], size_t n)
{
	for (int i = 0; i < ROUNDS; i++) {
		const struct kb_sv one = view(digest, n);

		kb_digest(KB_DIGEST_MD5, &one, 1, digest);
	}
}

/* RC4 with the key and `step` in each byte of it. */
static void rc4_step(const unsigned char *key, size_t n, int step, unsigned char *bytes,
                     size_t count)
{
	unsigned char turned[KB_PDF_KEY_MAX];

	for (size_t i = 0; i < n; i++)
		turned[i] = (unsigned char)(key[i] ^ step);
	kb_rc4(view(turned, n), bytes, count);
}

/* Whether it is the key of a user's password. */
static bool opens(const struct kb_pdf_lock *lock, const unsigned char *key)
{
	unsigned char x[KB_DIGEST_BYTES_MAX];
	const struct kb_sv parts[] = { view(padding, PADDED), lock->id };

	if (lock->revision == 2) {
		memcpy(x, padding, PADDED);
		kb_rc4(view(key, lock->key_bytes), x, PADDED);
		return memcmp(x, lock->u.p, PADDED) == 0;
	}
	kb_digest(KB_DIGEST_MD5, parts, KB_COUNTOF(parts), x);
	for (int step = 0; step < STEPS; step++)
		rc4_step(key, lock->key_bytes, step, x, CHECK_BYTES);
	return memcmp(x, lock->u.p, CHECK_BYTES) == 0;
}

static bool try_padded(const struct kb_pdf_lock *lock, const unsigned char padded[PADDED],
                       unsigned char *key)
{
	uint32_t flags = (uint32_t)lock->permissions;
	const unsigned char p[] = { (unsigned char)flags, (unsigned char)(flags >> 8),
		                    (unsigned char)(flags >> 16), (unsigned char)(flags >> 24) };
	const struct kb_sv parts[] = {
		view(padded, PADDED),
		kb_sv_sub(lock->o, 0, PADDED),
		view(p, sizeof(p)),
		lock->id,
		lock->revision >= 4 && lock->plain_metadata ? KB_SV("\xff\xff\xff\xff") : KB_SV(""),
	};
	unsigned char digest[KB_DIGEST_BYTES_MAX];

	kb_digest(KB_DIGEST_MD5, parts, KB_COUNTOF(parts), digest);
	if (lock->revision >= 3)
		repeat_md5(digest, lock->key_bytes);
	memcpy(key, digest, lock->key_bytes);
	return opens(lock, key);
}

/* By an owner's password O is a user's. */
static void user_of_owner(const struct kb_pdf_lock *lock, const unsigned char padded[PADDED],
                          unsigned char user[PADDED])
{
	const struct kb_sv part = view(padded, PADDED);
	unsigned char digest[KB_DIGEST_BYTES_MAX];

	kb_digest(KB_DIGEST_MD5, &part, 1, digest);
	if (lock->revision >= 3)
		repeat_md5(digest, CHECK_BYTES);
	memcpy(user, lock->o.p, PADDED);
	for (int step = lock->revision >= 3 ? STEPS - 1 : 0; step >= 0; step--)
		rc4_step(digest, lock->key_bytes, step, user, PADDED);
}

static bool open_old(const struct kb_pdf_lock *lock, struct kb_sv password, unsigned char *key)
{
	unsigned char padded[PADDED], user[PADDED];

	pad(password, padded);
	if (try_padded(lock, padded, key))
		return true;
	user_of_owner(lock, padded, user);
	return try_padded(lock, user, key);
}

/* Passwords up to revision 4 have a byte a character, ISO 8859-1 in all that people type. */
static struct kb_sv narrow(struct kb_arena *arena, struct kb_sv password)
{
	char *out = kb_arena_bytes(arena, password.n + 1);
	size_t n = 0;
	uint32_t cp;

	for (struct kb_sv rest = password; rest.n;) {
		rest = kb_sv_from(rest, kb_utf8_decode(rest, &cp));
		if (cp > 0xff)
			return password;
		out[n++] = (char)cp;
	}
	return kb_sv(out, n);
}

/* ---- revisions 5 and 6 ---- */

static void hash_6(struct kb_sv password, struct kb_sv salt, struct kb_sv user,
                   unsigned char k[KB_DIGEST_BYTES_MAX])
{
	static const enum kb_digest digests[] = { KB_DIGEST_SHA256, KB_DIGEST_SHA384,
		                                  KB_DIGEST_SHA512 };
	unsigned char text[REPEATED * (PASSWORD_MAX + KB_DIGEST_BYTES_MAX + LOCKED)];
	const struct kb_sv parts[] = { password, salt, user };
	size_t n = kb_digest(KB_DIGEST_SHA256, parts, KB_COUNTOF(parts), k), all;
	unsigned sum;

	for (int i = 0; i < HASHES_MIN || text[all - 1] > i - PADDED; i++) {
		const struct kb_sv one[] = { password, view(k, n), user };
		struct kb_sv whole;

		all = 0;
		for (size_t j = 0; j < REPEATED * KB_COUNTOF(one); j++) {
			const struct kb_sv *part = &one[j % KB_COUNTOF(one)];

			if (part->n)
				memcpy(text + all, part->p, part->n);
			all += part->n;
		}
		kb_aes_cbc_encrypt(view(k, KB_AES_BLOCK), k + KB_AES_BLOCK, text, all);
		sum = 0;
		for (size_t j = 0; j < KB_AES_BLOCK; j++)
			sum += text[j];
		whole = view(text, all);
		n = kb_digest(digests[sum % KB_COUNTOF(digests)], &whole, 1, k);
	}
}

static void hash(const struct kb_pdf_lock *lock, struct kb_sv password, struct kb_sv salt,
                 struct kb_sv user, unsigned char out[KB_DIGEST_BYTES_MAX])
{
	const struct kb_sv parts[] = { password, salt, user };

	if (lock->revision == 5)
		kb_digest(KB_DIGEST_SHA256, parts, KB_COUNTOF(parts), out);
	else
		hash_6(password, salt, user, out);
}

/* lock: U and UE, or O and OE, which are made of U too. */
static bool try_new(const struct kb_pdf_lock *lock, struct kb_sv password, struct kb_sv check,
                    struct kb_sv locked, struct kb_sv user, unsigned char *key)
{
	static const unsigned char none[KB_AES_BLOCK];
	unsigned char digest[KB_DIGEST_BYTES_MAX];

	hash(lock, password, kb_sv_sub(check, HASH, SALT), user, digest);
	if (memcmp(digest, check.p, HASH) != 0)
		return false;
	hash(lock, password, kb_sv_sub(check, HASH + SALT, SALT), user, digest);
	memcpy(key, locked.p, KB_PDF_KEY_MAX);
	kb_aes_cbc_decrypt(view(digest, HASH), none, key, KB_PDF_KEY_MAX);
	return true;
}

bool kb_pdf_lock_key(const struct kb_pdf_lock *lock, struct kb_arena *arena, struct kb_sv password,
                     unsigned char key[KB_PDF_KEY_MAX])
{
	struct kb_sv user;

	if (lock->revision <= 4) {
		if (lock->o.n < PADDED || lock->u.n < PADDED)
			return false;
		return open_old(lock, narrow(arena, password), key)
		       || open_old(lock, password, key);
	}
	if (lock->o.n < LOCKED || lock->u.n < LOCKED || lock->oe.n < KB_PDF_KEY_MAX
	    || lock->ue.n < KB_PDF_KEY_MAX)
		return false;
	password = kb_utf8_cut(password, PASSWORD_MAX);
	user = kb_sv_sub(lock->u, 0, LOCKED);
	return try_new(lock, password, lock->u, lock->ue, KB_SV(""), key)
	       || try_new(lock, password, lock->o, lock->oe, user, key);
}
