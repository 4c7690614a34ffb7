#include "answer/leads.h"

#include <string.h>

enum {
	NAME_MAX = 16,   /* bytes of a tag's name */
	SCHEME_MAX = 64, /* of a scheme's */
};

/* ---- targets ---- */

/* How far the target may be read over that a label or an attribute leads to: readers take blanks, a
 * line end and the marks of a quotation or list behind it for nothing. */
static size_t skip_to_target(struct kb_sv text, size_t at)
{
	while (at < text.n
	       && ((unsigned char)text.p[at] < ' ' || kb_is_one_of(text.p[at], KB_LEADS_MARKS "<")))
		at++;
	return at;
}

static bool begins_www(struct kb_sv text, size_t dot)
{
	return dot >= 3 && kb_sv_istarts(kb_sv_from(text, dot - 3), KB_SV("www"));
}

enum kb_leads kb_leads_away(struct kb_sv text, size_t from)
{
	size_t letters = 0, slashes = 0;

	for (size_t i = skip_to_target(text, from); i < text.n; i++) {
		char c = text.p[i];

		if ((unsigned char)c < ' ' || (c == '\\' && letters))
			continue; /* what browsers and Markdown drop */
		if (c == '&')
			return KB_LEADS_AWAY;
		if (!letters && kb_is_one_of(c, "/\\")) {
			if (++slashes > 1)
				return KB_LEADS_AWAY;
		} else if (slashes) {
			return KB_LEADS_NOWHERE;
		} else if (letters && (c == ':' || (c == '.' && begins_www(text, i)))) {
			return KB_LEADS_AWAY;
		} else if (kb_is_letter(c)
		           || (letters && (kb_is_digit(c) || kb_is_one_of(c, "+-.")))) {
			if (++letters > SCHEME_MAX)
				return KB_LEADS_AWAY;
		} else {
			return KB_LEADS_NOWHERE;
		}
	}
	return KB_LEADS_UNSURE;
}

/* ---- tags ---- */

/* Whether a tag holds what is live where it is none, or a bare address. */
static bool holds_more(struct kb_sv tag)
{
	static const char *const signs[] = { "//", "](", "]:", "www." };

	for (size_t i = 0; i < tag.n; i++)
		for (size_t k = 0; k < KB_COUNTOF(signs); k++)
			if (kb_sv_istarts(kb_sv_from(tag, i), kb_sv_str(signs[k])))
				return true;
	return false;
}

/* Tags without attributes load nothing and lead nowhere, but for these. */
bool kb_leads_no_tag(struct kb_sv tag)
{
	static const char bad[] =
	        " a applet area audio base basefont bgsound body button canvas embed form frame "
	        "frameset head html iframe image img input isindex keygen layer link listing map "
	        "math meta noembed noframes noscript object param picture plaintext portal "
	        "script select slot source style svg template textarea title track video xmp ";
	char name[16] = " ";
	size_t n = 1;

	if (holds_more(tag))
		return false;
	for (size_t i = 0; i < tag.n; i++)
		if (!kb_is_word(tag.p[i]) && !kb_is_one_of(tag.p[i], " _/.,|-"))
			return false;
	if (tag.n && tag.p[0] == '/')
		tag = kb_sv_from(tag, 1);
	for (size_t i = 0; i < tag.n && kb_is_word(tag.p[i]); i++) {
		if (n + 2 > sizeof(name))
			return true; /* no tag of HTML has so long a name */
		name[n++] = tag.p[i] | 32;
	}
	name[n++] = ' ';
	return n > 2 && kb_sv_find(kb_sv_str(bad), kb_sv(name, n)) < 0;
}

/* Tags that may do harm in any reader that does not take them for code, without an address. */
static bool is_active(struct kb_sv name)
{
	static const char list[] =
	        " applet base embed frame frameset iframe math meta noscript object "
	        "plaintext portal script style svg template ";
	char word[NAME_MAX + 2] = " ";
	size_t n = 1;

	if (name.n > NAME_MAX)
		return false;
	for (size_t i = 0; i < name.n; i++)
		word[n++] = name.p[i] | 32;
	word[n++] = ' ';
	return kb_sv_find(kb_sv_str(list), kb_sv(word, n)) >= 0;
}

static size_t skip_while(struct kb_sv text, size_t at, bool (*is)(char c))
{
	while (at < text.n && is(text.p[at]))
		at++;
	return at;
}

static bool is_blank(char c)
{
	return kb_is_one_of(c, " \t");
}

static bool is_between(char c)
{
	return is_blank(c) || c == '/';
}

static bool is_plain(char c)
{
	return kb_is_word(c) || kb_is_one_of(c, " \t_/.,|-+*?;()");
}

static bool is_name(char c)
{
	return kb_is_word(c) || kb_is_one_of(c, "-_");
}

static bool is_attribute(char c)
{
	return kb_is_word(c) || kb_is_one_of(c, "-_.:@#");
}

static bool is_unquoted(char c)
{
	return c && !kb_is_one_of(c, " \t\r\"'=<>`");
}

/* Behind "script" or "xs:element". To a reader that makes links of the latter it is an address of
 * two words, which says nothing to anybody; whatever else stood right behind it would be a part. */
static bool read_name(struct kb_sv tag, size_t *at)
{
	*at = skip_while(tag, 0, kb_is_word);
	if (*at + 1 >= tag.n || tag.p[*at] != ':' || !kb_is_letter(tag.p[*at + 1]))
		return true;
	*at = skip_while(tag, *at + 1, is_name);
	return *at == tag.n || is_blank(tag.p[*at]) || kb_sv_eq(kb_sv_from(tag, *at), KB_SV("/"));
}

/* Whether the value of an attribute is the same to every reader and leads nowhere. */
static bool is_safe_value(const struct kb_named *places, struct kb_sv name, struct kb_sv value)
{
	bool words = kb_sv_eq(name, KB_SV("class")) || kb_sv_eq(name, KB_SV("style"));

	if (kb_sv_istarts(name, KB_SV("on")) || kb_sv_find_byte(value, '<') >= 0)
		return false;
	if (kb_named_allow(places, value, true))
		return true;
	if (holds_more(value))
		return false;
	for (size_t i = 0; i < value.n; i++)
		if (kb_is_one_of(value.p[i], "&\\") || (value.p[i] == ':' && !words)
		    || (value.p[i] == '(' && words))
			return false;
	return value.n == 0 || kb_leads_away(value, 0) != KB_LEADS_AWAY || words;
}

/* One attribute of a tag from *at on; *at moves behind it. False: there may be two opinions on
 * where it ends, or it leads away. */
static bool read_attribute(const struct kb_named *places, struct kb_sv tag, size_t *at,
                           struct kb_sv *name)
{
	size_t end = skip_while(tag, *at, is_attribute), from;
	char quote;

	*name = kb_sv_sub(tag, *at, end - *at);
	*at = skip_while(tag, end, is_blank);
	if (!name->n || holds_more(*name))
		return false;
	if (*at == tag.n || tag.p[*at] != '=')
		return true;
	from = skip_while(tag, *at + 1, is_blank);
	quote = from < tag.n && kb_is_one_of(tag.p[from], "\"'") ? tag.p[from++] : '\0';
	end = quote ? from : skip_while(tag, from, is_unquoted);
	while (quote && end < tag.n && tag.p[end] != quote)
		end++;
	*at = end + (quote != '\0');
	return *at <= tag.n && is_safe_value(places, *name, kb_sv_sub(tag, from, end - from))
	       && (*at == tag.n || is_between(tag.p[*at]));
}

bool kb_leads_no_tag_in_code(const struct kb_named *places, struct kb_sv tag)
{
	size_t at;
	bool named = read_name(tag, &at);
	bool active = is_active(kb_sv_sub(tag, 0, skip_while(tag, 0, kb_is_word))), src = false;
	struct kb_sv name = { 0 };

	/* In a quotation a bracket at the next line's beginning is no end of it. */
	if (!named || kb_sv_find_byte(tag, '\n') >= 0)
		return false;
	if (kb_sv_find_byte(tag, '=') < 0)
		return !active && skip_while(tag, at, is_plain) == tag.n && !holds_more(tag);
	if (at < tag.n && !is_between(tag.p[at]))
		return false;
	while (at < tag.n) {
		size_t from = at;

		at = skip_while(tag, at, is_between);
		if (holds_more(kb_sv_sub(tag, from, at - from)))
			return false;
		if (at < tag.n && !read_attribute(places, tag, &at, &name))
			return false;
		src |= kb_sv_eq(name, KB_SV("src"));
	}
	/* A script with an address has no other text. */
	return !active || (src && kb_sv_istarts(tag, KB_SV("script")));
}
