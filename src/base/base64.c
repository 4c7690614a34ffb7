#include "base/base64.h"

#include <sodium.h>

bool kb_base64url_decode(struct kb_arena *arena, struct kb_sv text, struct kb_sv *out)
{
	char *bytes = kb_arena_bytes(arena, text.n + 1);
	size_t n = 0;

	if (text.n
	    && sodium_base642bin((unsigned char *)bytes, text.n + 1, text.p, text.n, NULL, &n, NULL,
	                         sodium_base64_VARIANT_URLSAFE_NO_PADDING)
	               != 0)
		return false;
	*out = kb_sv(bytes, n);
	return true;
}

static struct kb_sv encode(struct kb_arena *arena, struct kb_sv bytes, int variant)
{
	size_t room = sodium_base64_encoded_len(bytes.n, variant);
	char *text = kb_arena_bytes(arena, room);

	sodium_bin2base64(text, room, (const unsigned char *)bytes.p, bytes.n, variant);
	return kb_sv_str(text);
}

struct kb_sv kb_base64url_encode(struct kb_arena *arena, struct kb_sv bytes)
{
	return encode(arena, bytes, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

struct kb_sv kb_base64_encode(struct kb_arena *arena, struct kb_sv bytes)
{
	return encode(arena, bytes, sodium_base64_VARIANT_ORIGINAL);
}
