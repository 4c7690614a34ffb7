/* What stands in a place of sealed backups. Strange bytes open nothing. Of what was sealed, each
 * change that the input asks for is noticed: others put in, pieces exchanged, an end cut off. */
#include <string.h>

#include "blob/seal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t take(struct kb_sv *in, size_t below)
{
	size_t n = 0;

	for (size_t i = 0; i < 3 && in->n; i++, *in = kb_sv_from(*in, 1))
		n = n << 8 | (unsigned char)in->p[0];
	return below ? n % below : 0;
}

/* One change for each four bytes that are left. */
static struct kb_sv change(struct kb_arena *arena, struct kb_sv sealed, struct kb_sv in)
{
	enum { WHOLE = KB_SEAL_PIECE + KB_SEAL_MORE };
	char *bytes = kb_arena_copy(arena, sealed.p, sealed.n);
	size_t n = sealed.n;

	while (in.n) {
		int what = in.p[0] & 3;

		in = kb_sv_from(in, 1);
		if (what == 0)
			bytes[take(&in, n)] ^= 1;
		else if (what == 1)
			n -= take(&in, n);
		else if (what == 2 && n > KB_SEAL_HEAD + 2 * WHOLE)
			memmove(bytes + KB_SEAL_HEAD, bytes + KB_SEAL_HEAD + WHOLE, WHOLE);
		else if (what == 3 && n > WHOLE)
			memmove(bytes + take(&in, n - WHOLE), bytes, take(&in, WHOLE));
	}
	return kb_sv(bytes, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct kb_seal_key key = { { 1 } };
	static const unsigned char salt[KB_SEAL_SALT] = { 2 };
	struct kb_sv in = kb_sv((const char *)data, size), plain, sealed, changed, got;
	struct kb_arena arena = { 0 };
	struct kb_seal_keys keys;
	struct kb_err err;
	size_t n;
	char *bytes;

	kb_seal_keys(&key, salt, &keys);
	KB_ASSERT(!kb_unseal(&arena, &keys, KB_SV("a"), in, &got, &err) && err.msg[0]);
	n = take(&in, 4 * KB_SEAL_PIECE);
	bytes = kb_arena_bytes(&arena, n + 1);
	for (size_t i = 0; i < n; i++)
		bytes[i] = (char)(i >> 8);
	plain = kb_sv(bytes, n);
	sealed = kb_seal(&arena, &keys, KB_SV("a"), plain);
	changed = change(&arena, sealed, in);
	KB_ASSERT(kb_unseal(&arena, &keys, KB_SV("a"), changed, &got, &err)
	          == kb_sv_eq(changed, sealed));
	KB_ASSERT(!kb_sv_eq(changed, sealed) || kb_sv_eq(got, plain));
	kb_arena_fini(&arena);
	return 0;
}
