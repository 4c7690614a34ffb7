/*
 * Word, Excel and PowerPoint files that are locked with a password since 2007 (MS-OFFCRYPTO 2.3.4):
 * a container of OLE with the zip within, locked by AES, and beside it what a password has to give.
 * "Standard" is of 2007, "agile" of all later ones. Older files have ciphers within their records,
 * and are not opened.
 */
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "parse/cipher.h"
#include "parse/ole.h"
#include "parse/unlock_own.h"

enum {
	HEAD = 8, /* bytes before the locked zip, or before what is said in XML */
	PIECE = 4096,
	SPINS_MAX = 1000000, /* Office itself has 100,000 */
	SPINS_STANDARD = 50000,
	KEY_MAX = 64,
	FILLING = 0x36,
	VERIFIER = 16,
};

static struct kb_sv view(const unsigned char *p, size_t n)
{
	return kb_sv((const char *)p, n);
}

static void put32(unsigned char out[4], uint32_t n)
{
	for (int i = 0; i < 4; i++)
		out[i] = (unsigned char)(n >> 8 * i);
}

/* As UTF-16, which is what is hashed. */
static struct kb_sv wide(struct kb_arena *arena, struct kb_sv password)
{
	char *out = kb_arena_bytes(arena, 2 * password.n + 2);
	size_t n = 0;
	uint32_t cp;

	for (struct kb_sv rest = password; rest.n;) {
		uint32_t units[2];
		size_t count = 1;

		rest = kb_sv_from(rest, kb_utf8_decode(rest, &cp));
		units[0] = cp;
		if (cp >= 0x10000 && cp != KB_UTF8_BAD) {
			units[0] = 0xd800 + ((cp - 0x10000) >> 10);
			units[1] = 0xdc00 + ((cp - 0x10000) & 0x3ff);
			count = 2;
		}
		for (size_t i = 0; i < count; i++) {
			out[n++] = (char)(units[i] & 0xff);
			out[n++] = (char)(units[i] >> 8 & 0xff);
		}
	}
	return kb_sv(out, n);
}

/* The password, hashed over and over; bytes of it. */
static size_t spin(enum kb_digest digest, struct kb_sv salt, struct kb_sv password, uint32_t spins,
                   unsigned char h[KB_DIGEST_BYTES_MAX])
{
	const struct kb_sv first[] = { salt, password };
	size_t n = kb_digest(digest, first, KB_COUNTOF(first), h);

	for (uint32_t i = 0; i < spins; i++) {
		unsigned char count[4];
		const struct kb_sv parts[] = { view(count, sizeof(count)), view(h, n) };

		put32(count, i);
		kb_digest(digest, parts, KB_COUNTOF(parts), h);
	}
	return n;
}

/* ---- agile ---- */

struct agile {
	enum kb_digest digest;
	size_t key_bytes;
	struct kb_sv salt;
	int64_t spins;
	struct kb_sv verifier, verifier_hash, key;
};

/* The element's attribute; empty: there is none. */
static struct kb_sv attribute(struct kb_sv element, const char *name)
{
	for (size_t at = 0, n = strlen(name); at < element.n;) {
		struct kb_sv rest = kb_sv_from(element, at);
		ptrdiff_t found = kb_sv_find(rest, kb_sv_str(name)), close;

		if (found <= 0)
			break;
		at += (size_t)found + n;
		if (rest.p[found - 1] != ' '
		    || !kb_sv_starts(kb_sv_from(element, at), KB_SV("=\"")))
			continue;
		rest = kb_sv_from(element, at + 2);
		close = kb_sv_find_byte(rest, '"');
		return close < 0 ? KB_SV("") : kb_sv_sub(rest, 0, (size_t)close);
	}
	return KB_SV("");
}

static struct kb_sv element(struct kb_sv xml, const char *begins)
{
	ptrdiff_t at = kb_sv_find(xml, kb_sv_str(begins)), end;
	struct kb_sv rest = at < 0 ? KB_SV("") : kb_sv_from(xml, (size_t)at);

	end = kb_sv_find_byte(rest, '>');
	return end < 0 ? KB_SV("") : kb_sv_sub(rest, 0, (size_t)end);
}

static int digit_of(char c)
{
	return c >= 'A' && c <= 'Z'   ? c - 'A'
	       : c >= 'a' && c <= 'z' ? c - 'a' + 26
	       : c >= '0' && c <= '9' ? c - '0' + 52
	       : c == '+'             ? 62
	       : c == '/'             ? 63
	                              : -1;
}

/* Base64 of XML; what is no letter of it is passed over. */
static struct kb_sv bytes_of(struct kb_arena *arena, struct kb_sv text)
{
	unsigned char *out = (unsigned char *)kb_arena_bytes(arena, text.n + 1);
	uint32_t bits = 0;
	size_t n = 0;
	int have = 0;

	for (size_t i = 0; i < text.n; i++) {
		int digit = digit_of(text.p[i]);

		if (digit < 0)
			continue;
		bits = bits << 6 | (uint32_t)digit;
		have += 6;
		if (have >= 8) {
			have -= 8;
			out[n++] = (unsigned char)(bits >> have);
		}
	}
	return view(out, n);
}

static bool read_agile(struct kb_arena *arena, struct kb_sv element, struct agile *out)
{
	static const struct {
		const char *name;
		enum kb_digest digest;
	} digests[] = { { "SHA1", KB_DIGEST_SHA1 },
		        { "SHA-1", KB_DIGEST_SHA1 },
		        { "SHA256", KB_DIGEST_SHA256 },
		        { "SHA384", KB_DIGEST_SHA384 },
		        { "SHA512", KB_DIGEST_SHA512 } };
	int64_t bits;
	size_t i = 0;

	while (i < KB_COUNTOF(digests)
	       && !kb_sv_eq_str(attribute(element, "hashAlgorithm"), digests[i].name))
		i++;
	if (i == KB_COUNTOF(digests) || !kb_sv_eq_str(attribute(element, "cipherAlgorithm"), "AES")
	    || !kb_sv_eq_str(attribute(element, "cipherChaining"), "ChainingModeCBC")
	    || !kb_sv_to_int(attribute(element, "keyBits"), 128, 256, &bits) || bits % 64)
		return false;
	*out = (struct agile){
		.digest = digests[i].digest,
		.key_bytes = (size_t)bits / 8,
		.salt = bytes_of(arena, attribute(element, "saltValue")),
		.verifier = bytes_of(arena, attribute(element, "encryptedVerifierHashInput")),
		.verifier_hash = bytes_of(arena, attribute(element, "encryptedVerifierHashValue")),
		.key = bytes_of(arena, attribute(element, "encryptedKeyValue")),
	};
	return true;
}

/* One of the three values beside the key, opened. */
static struct kb_sv open_value(struct kb_arena *arena, const struct agile *a, struct kb_sv spun,
                               struct kb_sv purpose, struct kb_sv locked)
{
	const struct kb_sv parts[] = { spun, purpose };
	size_t n = locked.n - locked.n % KB_AES_BLOCK;
	unsigned char key[KEY_MAX], iv[KB_AES_BLOCK],
	        *out = kb_arena_copy(arena, locked.p, locked.n);

	memset(key, FILLING, sizeof(key));
	memset(iv, FILLING, sizeof(iv));
	kb_digest(a->digest, parts, KB_COUNTOF(parts), key);
	if (a->digest == KB_DIGEST_SHA1) /* what it gives is shorter than a key may be */
		memset(key + 20, FILLING, sizeof(key) - 20);
	if (a->salt.n)
		memcpy(iv, a->salt.p, KB_MIN(a->salt.n, sizeof(iv)));
	kb_aes_cbc_decrypt(view(key, a->key_bytes), iv, out, n);
	return view(out, n);
}

/* Each piece of the zip begins anew. */
static void open_pieces(const struct agile *data, struct kb_sv key, unsigned char *bytes, size_t n)
{
	for (size_t at = 0; at < n; at += PIECE) {
		unsigned char count[4], iv[KB_DIGEST_BYTES_MAX];
		const struct kb_sv parts[] = { data->salt, view(count, sizeof(count)) };

		put32(count, (uint32_t)(at / PIECE));
		kb_digest(data->digest, parts, KB_COUNTOF(parts), iv);
		kb_aes_cbc_decrypt(key, iv, bytes + at, KB_MIN(n - at, (size_t)PIECE));
	}
}

static bool open_agile(struct kb_arena *arena, struct kb_sv xml, struct kb_sv password,
                       unsigned char *bytes, size_t n, struct kb_err *err)
{
	unsigned char spun[KB_DIGEST_BYTES_MAX], digest[KB_DIGEST_BYTES_MAX];
	struct kb_sv mine = element(xml, "<p:encryptedKey "), input, hash, key;
	struct agile data, lock;
	size_t spun_n, digest_n;

	if (!read_agile(arena, element(xml, "<keyData "), &data) || !read_agile(arena, mine, &lock)
	    || !kb_sv_to_int(attribute(mine, "spinCount"), 0, SPINS_MAX, &lock.spins))
		return kb_unlock_cannot(err);
	spun_n = spin(lock.digest, lock.salt, password, (uint32_t)lock.spins, spun);
	input = open_value(arena, &lock, view(spun, spun_n),
	                   KB_SV("\xfe\xa7\xd2\x76\x3b\x4b\x9e\x79"), lock.verifier);
	hash = open_value(arena, &lock, view(spun, spun_n),
	                  KB_SV("\xd7\xaa\x0f\x6d\x30\x61\x34\x4e"), lock.verifier_hash);
	key = open_value(arena, &lock, view(spun, spun_n),
	                 KB_SV("\x14\x6e\x0b\xe7\xab\xac\xd0\xd6"), lock.key);
	digest_n = kb_digest(lock.digest, &input, 1, digest);
	if (hash.n < digest_n || memcmp(hash.p, digest, digest_n) != 0)
		return kb_unlock_wrong(err);
	if (key.n < data.key_bytes)
		return kb_unlock_cannot(err);
	open_pieces(&data, kb_sv_sub(key, 0, data.key_bytes), bytes, n);
	return true;
}

/* ---- standard ---- */

/* Half of a key: the hash over a filling. */
static void half(const unsigned char hash[20], unsigned char filling, unsigned char out[20])
{
	unsigned char filled[64], digest[KB_DIGEST_BYTES_MAX];
	const struct kb_sv all = view(filled, sizeof(filled));

	memset(filled, filling, sizeof(filled));
	for (size_t i = 0; i < 20; i++)
		filled[i] ^= hash[i];
	kb_digest(KB_DIGEST_SHA1, &all, 1, digest);
	memcpy(out, digest, 20);
}

static bool open_standard(struct kb_sv info, struct kb_sv password, unsigned char *bytes, size_t n,
                          struct kb_err *err)
{
	enum { AES_128 = 0x660e, AES_256 = 0x6610, HEADER = 12, HASHED = 32 };
	uint32_t header_n = kb_le32(info, 8), cipher = kb_le32(info, HEADER + 8);
	size_t key_bytes = kb_le32(info, HEADER + 16) / 8;
	struct kb_sv verifier = kb_sv_from(info, (size_t)HEADER + header_n);
	unsigned char spun[KB_DIGEST_BYTES_MAX], hash[KB_DIGEST_BYTES_MAX], key[40];
	unsigned char input[VERIFIER], hashed[HASHED];
	const struct kb_sv last[] = { view(spun, 20), KB_SV("\0\0\0\0") };
	const struct kb_sv opened = view(input, sizeof(input));

	if (cipher < AES_128 || cipher > AES_256 || key_bytes < 16 || key_bytes > 32
	    || key_bytes % 8 || verifier.n < 4 + VERIFIER + VERIFIER + 4 + HASHED)
		return kb_unlock_cannot(err);
	spin(KB_DIGEST_SHA1, kb_sv_sub(verifier, 4, VERIFIER), password, SPINS_STANDARD, spun);
	kb_digest(KB_DIGEST_SHA1, last, KB_COUNTOF(last), hash);
	half(hash, FILLING, key);
	half(hash, 0x5c, key + 20);
	memcpy(input, verifier.p + 4 + VERIFIER, sizeof(input));
	memcpy(hashed, verifier.p + 4 + VERIFIER + VERIFIER + 4, sizeof(hashed));
	kb_aes_ecb_decrypt(view(key, key_bytes), input, sizeof(input));
	kb_aes_ecb_decrypt(view(key, key_bytes), hashed, sizeof(hashed));
	kb_digest(KB_DIGEST_SHA1, &opened, 1, hash);
	if (memcmp(hash, hashed, 20) != 0)
		return kb_unlock_wrong(err);
	kb_aes_ecb_decrypt(view(key, key_bytes), bytes, n);
	return true;
}

bool kb_unlock_office(struct kb_arena *arena, struct kb_sv bytes, struct kb_sv password,
                      struct kb_sv *out, struct kb_err *err)
{
	struct kb_sv info, package;
	uint64_t size;
	struct kb_ole ole;
	size_t n;
	char *p;

	if (!kb_ole_open(arena, bytes, &ole) || !kb_ole_stream(&ole, "EncryptionInfo", &info)
	    || !kb_ole_stream(&ole, "EncryptedPackage", &package) || package.n < HEAD)
		return kb_unlock_cannot(err);
	size = kb_le32(package, 0) | (uint64_t)kb_le32(package, 4) << 32;
	package = kb_sv_from(package, HEAD);
	n = package.n - package.n % KB_AES_BLOCK;
	p = kb_arena_copy(arena, package.p, n);
	password = wide(arena, password);
	if (!(kb_le16(info, 0) == 4 && kb_le16(info, 2) == 4 ? open_agile(
	              arena, kb_sv_from(info, HEAD), password, (unsigned char *)p, n, err)
	      : kb_le16(info, 2) == 2 ? open_standard(info, password, (unsigned char *)p, n, err)
	                              : kb_unlock_cannot(err)))
		return false;
	*out = kb_sv(p, (size_t)KB_MIN(size, (uint64_t)n));
	return true;
}
