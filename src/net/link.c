#include "net/link.h"

#include <string.h>

static bool has_credentials(const struct kb_url *url)
{
	return url->username.n || url->password.n;
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
	for (size_t i = 0; i < rest.n; i++)
		if ((unsigned char)rest.p[i] <= 0x20 || rest.p[i] == 0x7f
		    || strchr(never, rest.p[i]))
			return false;
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
