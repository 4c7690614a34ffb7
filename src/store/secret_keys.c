#include "store/secret_keys.h"

#include <sodium.h>
#include <string.h>

#include "base/base64.h"
#include "base/file.h"
#include "base/hash.h"

#define HEAD "sealed:"

enum { ID_CHARS = KB_SECRET_KEY_ID - 1, FILE_MAX = 4096 };
static_assert(KB_SECRET_HEAD == sizeof(HEAD) - 1 + ID_CHARS, "the form has changed");

/* ---- keys ---- */

static bool read_hex(struct kb_sv text, unsigned char out[KB_AEAD_KEY])
{
	size_t n;

	return text.n == (size_t)2 * KB_AEAD_KEY
	       && sodium_hex2bin(out, KB_AEAD_KEY, text.p, text.n, NULL, &n, NULL) == 0
	       && n == KB_AEAD_KEY;
}

/* With either alphabet, with and without filling. */
static bool read_base64(struct kb_sv text, unsigned char out[KB_AEAD_KEY])
{
	static const int variants[] = { sodium_base64_VARIANT_ORIGINAL_NO_PADDING,
		                        sodium_base64_VARIANT_URLSAFE_NO_PADDING };
	size_t n;

	while (text.n && text.p[text.n - 1] == '=')
		text.n--;
	for (size_t i = 0; i < KB_COUNTOF(variants); i++)
		if (sodium_base642bin(out, KB_AEAD_KEY, text.p, text.n, NULL, &n, NULL, variants[i])
		            == 0
		    && n == KB_AEAD_KEY)
			return true;
	return false;
}

bool kb_secret_key_read(struct kb_sv text, struct kb_secret_key *out)
{
	static const struct kb_sv sealing = { "docent secrets seal", 19 },
	                          naming = { "docent secrets name", 19 };
	unsigned char base[KB_AEAD_KEY], name[KB_SHA256_BYTES];
	struct kb_sv words = kb_sv_trim(text);

	if (text.n == KB_AEAD_KEY)
		memcpy(base, text.p, KB_AEAD_KEY);
	else if (!read_hex(words, base) && !read_base64(words, base))
		return false;
	/* The same bytes may be another purpose's key as well. */
	kb_hmac_sha256(kb_sv((const char *)base, sizeof(base)), sealing, out->bytes);
	kb_hmac_sha256(kb_sv((const char *)base, sizeof(base)), naming, name);
	kb_hex(name, ID_CHARS / 2, out->id);
	explicit_bzero(base, sizeof(base));
	return true;
}

static bool read_file(struct kb_arena *arena, struct kb_sv path, struct kb_secret_keys *out,
                      struct kb_err *err)
{
	struct kb_secret_key *key = &out->v[out->count];
	struct kb_err why;
	struct kb_sv text;

	if (out->count == KB_SECRET_KEYS_MAX)
		return kb_fail(err, KB_E_INVALID, "--secrets-key-file names more than %d files",
		               KB_SECRET_KEYS_MAX);
	if (!kb_file_read(arena, kb_arena_str(arena, path), FILE_MAX, &text, &why))
		return kb_fail(err, KB_E_INVALID, "--secrets-key-file: %s", why.msg);
	if (!kb_secret_key_read(text, key))
		return kb_fail(err, KB_E_INVALID,
		               "--secrets-key-file %.*s holds no key: 32 bytes, 64 hexadecimal "
		               "digits or Base64",
		               KB_SV_ARG(path));
	out->count++;
	return true;
}

bool kb_secret_keys_read(struct kb_arena *arena, const char *files, struct kb_secret_keys *out,
                         struct kb_err *err)
{
	struct kb_sv rest = kb_sv_str(files), path;

	out->count = 0;
	while (kb_sv_split(&rest, ',', &path)) {
		path = kb_sv_trim(path);
		if (path.n && !read_file(arena, path, out, err))
			return false;
	}
	return out->count > 0 || kb_fail(err, KB_E_INVALID, "--secrets-key-file names no file");
}

const struct kb_secret_key *kb_secret_key_find(const struct kb_secret_keys *keys, struct kb_sv id)
{
	for (size_t i = 0; keys && i < keys->count; i++)
		if (kb_sv_eq_str(id, keys->v[i].id))
			return &keys->v[i];
	return NULL;
}

/* ---- secrets ---- */

bool kb_secret_is_sealed(struct kb_sv text)
{
	return kb_sv_starts(text, KB_SV(HEAD));
}

struct kb_sv kb_secret_key_of(struct kb_sv text)
{
	return kb_secret_is_sealed(text) && text.n >= KB_SECRET_HEAD
	               ? kb_sv_sub(text, sizeof(HEAD) - 1, ID_CHARS)
	               : KB_SV("");
}

struct kb_sv kb_secret_seal(struct kb_arena *arena, const struct kb_secret_key *key,
                            struct kb_sv about, struct kb_sv plain)
{
	return kb_arena_printf(arena, HEAD "%s:%.*s", key->id,
	                       KB_SV_ARG(kb_base64url_encode(
	                               arena, kb_aead_seal(arena, key->bytes, about, plain))));
}

bool kb_secret_open(struct kb_arena *arena, const struct kb_secret_keys *keys, struct kb_sv about,
                    struct kb_sv text, struct kb_sv *plain, struct kb_err *err)
{
	struct kb_sv id = kb_secret_key_of(text), sealed;
	const struct kb_secret_key *key = kb_secret_key_find(keys, id);

	*plain = text;
	if (!kb_secret_is_sealed(text))
		return true;
	if (!key && id.n)
		return kb_fail(err, KB_E_IO,
		               "%.*s is sealed with the key %.*s, which --secrets-key-file does "
		               "not name",
		               KB_SV_ARG(about), KB_SV_ARG(id));
	return (key && text.n > KB_SECRET_HEAD && text.p[KB_SECRET_HEAD] == ':'
	        && kb_base64url_decode(arena, kb_sv_from(text, KB_SECRET_HEAD + 1), &sealed)
	        && kb_aead_open(arena, key->bytes, about, sealed, plain))
	       || kb_corrupt(err, "%.*s is sealed, and was changed or is another's",
	                     KB_SV_ARG(about));
}
