#include "blob/seal.h"

#include <sodium.h>
#include <string.h>

#define MAGIC       "docseal1"
#define STATE(seal) ((crypto_secretstream_xchacha20poly1305_state *)(void *)(seal)->state)

enum { MAGIC_BYTES = sizeof(MAGIC) - 1, KEY_ID = 8 };

static_assert(sizeof(crypto_secretstream_xchacha20poly1305_state)
                      <= sizeof(((struct kb_seal *)0)->state),
              "the state has grown");
static_assert(KB_SEAL_MORE == crypto_secretstream_xchacha20poly1305_ABYTES
                      && KB_SEAL_KEY == crypto_secretstream_xchacha20poly1305_KEYBYTES
                      && KB_SEAL_HEAD
                                 == MAGIC_BYTES + crypto_secretstream_xchacha20poly1305_HEADERBYTES
                      && KB_SEAL_KEY == crypto_kdf_KEYBYTES,
              "the format is libsodium's");

/* ---- keys ---- */

bool kb_seal_key_read(struct kb_sv text, struct kb_seal_key *out)
{
	size_t n;

	text = kb_sv_trim(text);
	return text.n == 2 * KB_SEAL_KEY
	       && sodium_hex2bin(out->bytes, KB_SEAL_KEY, text.p, text.n, NULL, &n, NULL) == 0
	       && n == KB_SEAL_KEY;
}

/* One key for each purpose. */
static void derive(const unsigned char *from, uint64_t purpose, unsigned char *out, size_t n)
{
	crypto_kdf_derive_from_key(out, n, purpose, "docseal1", from);
}

void kb_seal_key_id(const struct kb_seal_key *key, char id[KB_SEAL_ID])
{
	unsigned char bytes[crypto_kdf_BYTES_MIN];

	derive(key->bytes, 1, bytes, sizeof(bytes));
	kb_hex(bytes, KEY_ID, id);
}

void kb_seal_keys(const struct kb_seal_key *key, const unsigned char salt[KB_SEAL_SALT],
                  struct kb_seal_keys *out)
{
	unsigned char base[KB_SEAL_KEY], own[KB_SEAL_KEY];

	derive(key->bytes, 2, base, sizeof(base));
	crypto_generichash(own, sizeof(own), salt, KB_SEAL_SALT, base, sizeof(base));
	derive(own, 3, out->bytes, sizeof(out->bytes));
	derive(own, 4, out->names, sizeof(out->names));
	sodium_memzero(base, sizeof(base));
	sodium_memzero(own, sizeof(own));
}

void kb_seal_name(const struct kb_seal_keys *keys, const char *name, char out[KB_HASH_HEX])
{
	unsigned char hash[KB_HASH_BYTES];

	crypto_generichash(hash, sizeof(hash), (const unsigned char *)name, strlen(name),
	                   keys->names, sizeof(keys->names));
	kb_hex(hash, sizeof(hash), out);
}

/* ---- sizes ---- */

int64_t kb_sealed_size(int64_t plain)
{
	int64_t pieces = plain / KB_SEAL_PIECE + (plain % KB_SEAL_PIECE > 0 || !plain);

	return KB_SEAL_HEAD + plain + pieces * KB_SEAL_MORE;
}

bool kb_sealed_plain(int64_t sealed, int64_t *plain)
{
	const int64_t whole = KB_SEAL_PIECE + KB_SEAL_MORE;
	int64_t left = sealed - KB_SEAL_HEAD, pieces;

	if (left < KB_SEAL_MORE)
		return false;
	pieces = left / whole + (left % whole > 0);
	*plain = left - pieces * KB_SEAL_MORE;
	return *plain >= 0 && kb_sealed_size(*plain) == sealed;
}

/* ---- piece by piece ---- */

void kb_seal_begin(struct kb_seal *seal, const struct kb_seal_keys *keys, struct kb_sv label,
                   unsigned char head[KB_SEAL_HEAD])
{
	seal->label = label;
	memcpy(head, MAGIC, MAGIC_BYTES);
	crypto_secretstream_xchacha20poly1305_init_push(STATE(seal), head + MAGIC_BYTES,
	                                                keys->bytes);
}

static unsigned char tag_of(bool is_last)
{
	return is_last ? crypto_secretstream_xchacha20poly1305_TAG_FINAL
	               : crypto_secretstream_xchacha20poly1305_TAG_MESSAGE;
}

void kb_seal_piece(struct kb_seal *seal, struct kb_sv piece, bool is_last, unsigned char *out)
{
	crypto_secretstream_xchacha20poly1305_push(
	        STATE(seal), out, NULL, (const unsigned char *)piece.p, piece.n,
	        (const unsigned char *)seal->label.p, seal->label.n, tag_of(is_last));
}

bool kb_unseal_begin(struct kb_seal *seal, const struct kb_seal_keys *keys, struct kb_sv label,
                     const unsigned char head[KB_SEAL_HEAD], struct kb_err *err)
{
	seal->label = label;
	if (memcmp(head, MAGIC, MAGIC_BYTES) != 0)
		return kb_fail(err, KB_E_CORRUPT, "its bytes are not sealed");
	return crypto_secretstream_xchacha20poly1305_init_pull(STATE(seal), head + MAGIC_BYTES,
	                                                       keys->bytes)
	               == 0
	       || kb_fail(err, KB_E_CORRUPT, "its bytes are not sealed");
}

bool kb_unseal_piece(struct kb_seal *seal, struct kb_sv piece, bool is_last, unsigned char *out,
                     struct kb_err *err)
{
	unsigned char tag = 0;

	if (piece.n >= KB_SEAL_MORE && piece.n <= KB_SEAL_PIECE + KB_SEAL_MORE
	    && crypto_secretstream_xchacha20poly1305_pull(
	               STATE(seal), out, NULL, &tag, (const unsigned char *)piece.p, piece.n,
	               (const unsigned char *)seal->label.p, seal->label.n)
	               == 0
	    && tag == tag_of(is_last))
		return true;
	return kb_fail(err, KB_E_CORRUPT, "its sealed bytes were changed");
}

/* ---- all at once ---- */

struct kb_sv kb_seal(struct kb_arena *arena, const struct kb_seal_keys *keys, struct kb_sv label,
                     struct kb_sv plain)
{
	size_t size = (size_t)kb_sealed_size((int64_t)plain.n);
	unsigned char *out = (unsigned char *)kb_arena_bytes(arena, size), *at = out + KB_SEAL_HEAD;
	struct kb_seal seal;

	kb_seal_begin(&seal, keys, label, out);
	do {
		struct kb_sv piece = kb_sv(plain.p, KB_MIN(plain.n, (size_t)KB_SEAL_PIECE));

		plain = kb_sv_from(plain, piece.n);
		kb_seal_piece(&seal, piece, !plain.n, at);
		at += piece.n + KB_SEAL_MORE;
	} while (plain.n);
	return kb_sv((const char *)out, size);
}

bool kb_unseal(struct kb_arena *arena, const struct kb_seal_keys *keys, struct kb_sv label,
               struct kb_sv sealed, struct kb_sv *plain, struct kb_err *err)
{
	struct kb_seal seal;
	unsigned char *out, *at;
	int64_t size;

	if (!kb_sealed_plain((int64_t)sealed.n, &size))
		return kb_fail(err, KB_E_CORRUPT, "its sealed bytes were cut");
	if (!kb_unseal_begin(&seal, keys, label, (const unsigned char *)sealed.p, err))
		return false;
	out = at = (unsigned char *)kb_arena_bytes(arena, (size_t)size + 1);
	sealed = kb_sv_from(sealed, KB_SEAL_HEAD);
	do {
		struct kb_sv piece =
		        kb_sv(sealed.p, KB_MIN(sealed.n, (size_t)(KB_SEAL_PIECE + KB_SEAL_MORE)));

		sealed = kb_sv_from(sealed, piece.n);
		if (!kb_unseal_piece(&seal, piece, !sealed.n, at, err))
			return false;
		at += piece.n - KB_SEAL_MORE;
	} while (sealed.n);
	*plain = kb_sv((const char *)out, (size_t)size);
	return true;
}
