#include "upstream/picture.h"

#include <sodium.h>
#include <string.h>

#include "settings/image.h"

enum { KIND_MAX = 100 }; /* bytes between "data:" and "base64," */

bool kb_picture_address(struct kb_arena *arena, struct kb_sv bytes, struct kb_sv *out,
                        struct kb_err *err)
{
	struct kb_image image;
	struct kb_sv head;
	size_t room;
	char *address;

	if (!kb_image_check(bytes, &image, err))
		return false;
	head = kb_arena_printf(arena, "data:%s;base64,", image.mime);
	room = sodium_base64_ENCODED_LEN(bytes.n, sodium_base64_VARIANT_ORIGINAL);
	address = kb_arena_bytes(arena, head.n + room);
	memcpy(address, head.p, head.n);
	sodium_bin2base64(address + head.n, room, (const unsigned char *)bytes.p, bytes.n,
	                  sodium_base64_VARIANT_ORIGINAL);
	*out = kb_sv(address, head.n + room - 1);
	return true;
}

bool kb_picture_bytes(struct kb_arena *arena, struct kb_sv address, struct kb_sv *out,
                      struct kb_err *err)
{
	static const struct kb_sv mark = KB_SV_INIT(";base64,");
	ptrdiff_t at = kb_sv_find(kb_sv_sub(address, 0, KIND_MAX), mark);
	struct kb_sv text;
	size_t n;
	char *bytes;

	if (!kb_sv_starts(address, KB_SV("data:")) || at < 0)
		return kb_fail(err, KB_E_INVALID,
		               "a picture must be a data: address in base64; nothing is fetched");
	text = kb_sv_from(address, (size_t)at + mark.n);
	bytes = kb_arena_bytes(arena, text.n + 1);
	if (sodium_base642bin((unsigned char *)bytes, text.n + 1, text.p, text.n, NULL, &n, NULL,
	                      sodium_base64_VARIANT_ORIGINAL)
	    || !n)
		return kb_fail(err, KB_E_INVALID, "the data: address of a picture is no base64");
	*out = kb_sv(bytes, n);
	return true;
}
