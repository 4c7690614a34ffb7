/* Elements with more attributes than anybody means, before libxml2 sees them: for each attribute it
 * looks through those before. The scan reads a start tag as libxml2 does. */
#include "parse/html_tree.h"

#include <string.h>

#include "base/buf.h"

static bool is_letter(char c)
{
	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' || c == ':';
}

/* Bytes of other scripts count: they only make a name longer. */
static bool in_name(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-' || (c & 0x80);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool at_end_of_tag(struct kb_sv html, size_t at)
{
	return at >= html.n || html.p[at] == '>'
	       || (html.p[at] == '/' && at + 1 < html.n && html.p[at + 1] == '>');
}

static size_t skip_blanks(struct kb_sv html, size_t at)
{
	while (at < html.n && is_blank(html.p[at]))
		at++;
	return at;
}

/* Behind the next such byte from `at` on, or the end. */
static size_t behind(struct kb_sv html, size_t at, char c)
{
	ptrdiff_t found = kb_sv_find_byte(kb_sv_from(html, at), c);

	return found < 0 ? html.n : at + (size_t)found + 1;
}

static size_t skip_value(struct kb_sv html, size_t at)
{
	if (at < html.n && (html.p[at] == '"' || html.p[at] == '\''))
		return behind(html, at + 1, html.p[at]);
	while (at < html.n && html.p[at] != '>' && !is_blank(html.p[at]))
		at++;
	return at;
}

/* An attribute, or what stands where one should. */
static size_t skip_attribute(struct kb_sv html, size_t at)
{
	if (!is_letter(html.p[at]) && html.p[at] != '.' && !(html.p[at] & 0x80)) {
		do
			at++;
		while (!at_end_of_tag(html, at) && !is_blank(html.p[at]));
		return at;
	}
	while (at < html.n && in_name(html.p[at]))
		at++;
	at = skip_blanks(html, at);
	if (at < html.n && html.p[at] == '=')
		at = skip_value(html, skip_blanks(html, at + 1));
	return at;
}

/* From behind the name of a start tag to its end. *cut gets where the attributes begin that are too
 * many, or the end. */
static size_t skip_attributes(struct kb_sv html, size_t at, size_t *cut)
{
	*cut = html.n;
	at = skip_blanks(html, at);
	for (size_t count = 0; !at_end_of_tag(html, at); count++) {
		if (count == KB_HTML_ATTRS_MAX)
			*cut = at;
		at = skip_blanks(html, skip_attribute(html, at));
	}
	*cut = KB_MIN(*cut, at);
	return at;
}

/* Behind the text of a script or a style, which holds no tags. */
static size_t skip_raw(struct kb_sv html, size_t at, struct kb_sv name)
{
	while ((at = behind(html, at, '<')) < html.n)
		if (html.p[at] == '/' && kb_sv_istarts(kb_sv_from(html, at + 1), name))
			break;
	return at;
}

/* Behind a comment; at: behind its "<!--". It may end as soon as it begins, or with "--!>". */
static size_t skip_comment(struct kb_sv html, size_t at)
{
	size_t start = at;

	if (kb_sv_starts(kb_sv_from(html, at), KB_SV(">"))
	    || kb_sv_starts(kb_sv_from(html, at), KB_SV("->")))
		return behind(html, at, '>');
	while ((at = behind(html, at, '>')) < html.n) {
		struct kb_sv before = kb_sv_sub(html, start, at - 1 - start);

		if (kb_sv_ends(before, KB_SV("--")) || kb_sv_ends(before, KB_SV("--!")))
			break;
	}
	return at;
}

struct kb_sv kb_html_thin(struct kb_arena *arena, struct kb_sv html)
{
	size_t copied = 0, at = 0;
	struct kb_buf out;

	kb_buf_init(&out, SIZE_MAX);
	while ((at = behind(html, at, '<')) < html.n) {
		size_t start = at, cut;
		struct kb_sv name;

		if (kb_sv_starts(kb_sv_from(html, at), KB_SV("!--"))) {
			at = skip_comment(html, at + 3);
			continue;
		}
		if (html.p[at] == '!' || html.p[at] == '?') {
			at = behind(html, at, '>');
			continue;
		}
		if (!is_letter(html.p[at]))
			continue;
		while (at < html.n && in_name(html.p[at]))
			at++;
		name = kb_sv_sub(html, start, at - start);
		at = skip_attributes(html, at, &cut);
		if (cut < at) {
			kb_buf_sv(&out, kb_sv_sub(html, copied, cut - copied));
			copied = at;
		}
		if (kb_sv_ieq_str(name, "script") || kb_sv_ieq_str(name, "style"))
			at = skip_raw(html, at, name);
	}
	if (copied) {
		kb_buf_sv(&out, kb_sv_from(html, copied));
		html = kb_arena_sv(arena, kb_buf_view(&out));
	}
	kb_buf_fini(&out);
	return html;
}
