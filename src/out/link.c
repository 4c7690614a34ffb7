#include "out/link.h"

#include <string.h>

#include "base/utf8.h"

static bool has_credentials(const struct kb_url *url)
{
	return url->username.n || url->password.n;
}

/* Controls, blanks of all kinds, and what turns text round or is not seen: an address that reads as
 * another one. */
static bool misleads(uint32_t cp)
{
	return cp <= 0x20 || (cp >= 0x7f && cp <= 0xa0) || cp == 0xad || cp == 0x61c
	       || (cp >= 0x2000 && cp <= 0x200f) || (cp >= 0x2028 && cp <= 0x202f)
	       || (cp >= 0x205f && cp <= 0x206f) || cp == 0x3000 || cp == 0xfeff
	       || (cp >= 0xe0000 && cp <= 0xe0fff) || cp == KB_UTF8_BAD;
}

bool kb_link_is_plain(struct kb_arena *arena, struct kb_sv text)
{
	static const char never[] = "\"<>\\^`{|}";
	size_t start = kb_sv_istarts(text, KB_SV("https://"))  ? 8
	               : kb_sv_istarts(text, KB_SV("http://")) ? 7
	                                                       : 0;
	struct kb_sv rest = kb_sv_from(text, start);
	struct kb_url url;

	if (start == 0 || rest.n == 0 || strchr("/?#:@", rest.p[0]))
		return false;
	for (size_t i = 0; i < rest.n;) {
		uint32_t cp;

		i += kb_utf8_decode(kb_sv_from(rest, i), &cp);
		if (misleads(cp) || (cp < 0x80 && strchr(never, (int)cp)))
			return false;
	}
	return kb_url_parse(arena, text, NULL, &url, NULL) && !has_credentials(&url);
}

bool kb_link_refuse_credentials(const struct kb_url *url, const char *what, struct kb_err *err)
{
	return !has_credentials(url)
	       || kb_fail(err, KB_E_INVALID,
	                  "%s holds a user name or password, and readers are shown addresses: "
	                  "upload what is behind a password as a file",
	                  what);
}

struct kb_sv kb_link_of(struct kb_arena *arena, const struct kb_url *url)
{
	struct kb_url copy = *url;

	copy.username = copy.password = (struct kb_sv){ 0 };
	return kb_url_document(arena, &copy);
}

struct kb_sv kb_link_shown(struct kb_arena *arena, struct kb_sv text)
{
	struct kb_url url;

	if (text.n == 0 || kb_link_is_plain(arena, text))
		return text;
	if (!kb_url_parse(arena, text, NULL, &url, NULL) || !kb_url_is_web(&url))
		return KB_SV("");
	return kb_link_of(arena, &url);
}
