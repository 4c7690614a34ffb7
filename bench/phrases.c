#include "phrases.h"

#include <stdlib.h>
#include <utf8proc.h>

#include "base/utf8.h"

struct kb_sv bench_squeezed(struct kb_arena *arena, struct kb_sv text)
{
	utf8proc_uint8_t *folded = utf8proc_NFKC((utf8proc_uint8_t *)kb_arena_str(arena, text));
	struct kb_sv from = folded ? kb_sv_str((char *)folded) : text;
	char *out = kb_arena_bytes(arena, from.n * 2 + 1);
	size_t n = 0;

	for (size_t i = 0; i < from.n;) {
		uint32_t cp;

		i += kb_utf8_decode(kb_sv_from(from, i), &cp);
		if (cp == KB_UTF8_BAD)
			continue;
		cp = (uint32_t)utf8proc_tolower((utf8proc_int32_t)cp);
		if (cp == 0x2018 || cp == 0x2019)
			cp = '\'';
		if (cp == 0x201c || cp == 0x201d)
			cp = '"';
		if (cp <= ' ' || cp == 0x85 || cp == '`' || cp == '*' || cp == '_'
		    || (utf8proc_category((utf8proc_int32_t)cp) >= UTF8PROC_CATEGORY_ZS
		        && utf8proc_category((utf8proc_int32_t)cp) <= UTF8PROC_CATEGORY_ZP))
			continue;
		n += kb_utf8_encode(cp, out + n);
	}
	free(folded);
	return kb_sv(out, n);
}
