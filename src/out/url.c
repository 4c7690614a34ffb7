/*
 * The basic URL parser of the standard, a function a state. Where the standard walks code point by
 * code point we cut at the next delimiter: everything beyond ASCII is percent-encoded or belongs to
 * the host, so bytes are enough.
 *
 *   scheme ─┬▶ authority ─▶ path ─▶ query ─▶ fragment
 *           ├▶ relative (on the base) ─┘
 *           ├▶ file ───────────────────┘
 *           └▶ opaque path ("mailto:x")
 */
#include "out/url.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "out/host.h"

struct parse {
	struct kb_arena *arena;
	const struct kb_url *base;
	struct kb_url *url;
	struct kb_sv rest; /* what has not been read */
	bool special;
	/* The path while it is built, each segment with its '/' before it, and where each starts.
	 */
	struct kb_buf path;
	size_t *segments, segment_count, segment_capacity;
	const char *why;
};

static const struct {
	const char *scheme;
	int port;
} specials[] = {
	{ "http", 80 }, { "https", 443 }, { "ws", 80 },
	{ "wss", 443 }, { "ftp", 21 },    { "file", -1 },
};

static int special_row(struct kb_sv scheme)
{
	for (int i = 0; i < (int)KB_COUNTOF(specials); i++)
		if (kb_sv_eq_str(scheme, specials[i].scheme))
			return i;
	return -1;
}

static bool is_alpha(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_file(struct kb_sv scheme)
{
	return kb_sv_eq_str(scheme, "file");
}

static bool bad(struct parse *p, const char *why)
{
	p->why = why;
	return false;
}

/* The next byte, or 0 at the end: a NUL in the text is not one of the delimiters we look for. */
static char peek(const struct parse *p, size_t ahead)
{
	return p->rest.n > ahead ? p->rest.p[ahead] : '\0';
}

static void skip(struct parse *p, size_t n)
{
	p->rest = kb_sv_from(p->rest, n);
}

static bool at_slash(const struct parse *p, size_t ahead)
{
	return peek(p, ahead) == '/' || (p->special && peek(p, ahead) == '\\');
}

/* Takes what stands before the first of these bytes, or all. */
static struct kb_sv take_until(struct parse *p, const char *delimiters)
{
	size_t n = 0;
	struct kb_sv part;

	while (n < p->rest.n && (p->rest.p[n] == '\0' || !strchr(delimiters, p->rest.p[n])))
		n++;
	part = kb_sv_sub(p->rest, 0, n);
	skip(p, n);
	return part;
}

static struct kb_sv encode(struct parse *p, const char *before, struct kb_sv text,
                           enum kb_url_set set)
{
	struct kb_buf buf;
	struct kb_sv out;

	kb_buf_init(&buf, SIZE_MAX);
	kb_buf_str(&buf, before);
	kb_url_encode(&buf, text, set);
	out = kb_arena_sv(p->arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

/* --- the path's segments --- */

static bool is_drive(struct kb_sv segment) /* "C:" or "C|" */
{
	return segment.n == 2 && is_alpha(segment.p[0])
	       && (segment.p[1] == ':' || segment.p[1] == '|');
}

static bool starts_with_drive(struct kb_sv text)
{
	return is_drive(kb_sv_sub(text, 0, 2))
	       && (text.n == 2 || (text.p[2] && strchr("/\\?#", text.p[2])));
}

static bool path_is_drive(const struct parse *p)
{
	return p->segment_count == 1 && p->path.n == 3 && is_drive(kb_sv(p->path.p + 1, 2))
	       && p->path.p[2] == ':';
}

static void shorten(struct parse *p)
{
	if (is_file(p->url->scheme) && path_is_drive(p))
		return;
	if (p->segment_count > 0)
		p->path.n = p->segments[--p->segment_count];
}

static void push_start(struct parse *p)
{
	KB_GROW(p->segments, p->segment_capacity, p->segment_count + 1);
	p->segments[p->segment_count++] = p->path.n;
	kb_buf_byte(&p->path, '/');
}

static void push(struct parse *p, struct kb_sv segment)
{
	bool first = p->segment_count == 0;

	push_start(p);
	kb_url_encode(&p->path, segment, KB_URL_PATH);
	if (first && is_file(p->url->scheme) && is_drive(segment))
		p->path.p[p->path.n - 1] = ':';
}

/* The base's path, which is encoded already. */
static void push_base(struct parse *p)
{
	struct kb_sv rest = p->base->path, segment;

	if (rest.n == 0)
		return;
	rest = kb_sv_from(rest, 1);
	while (kb_sv_split(&rest, '/', &segment)) {
		push_start(p);
		kb_buf_sv(&p->path, segment);
	}
}

/* 1 for ".", 2 for "..", with any dot spelt "%2e"; else 0. */
static int count_dots(struct kb_sv segment)
{
	int dots = 0;

	for (; segment.n > 0; dots++) {
		if (segment.p[0] == '.')
			segment = kb_sv_from(segment, 1);
		else if (kb_sv_istarts(segment, KB_SV("%2e")))
			segment = kb_sv_from(segment, 3);
		else
			return 0;
		if (dots == 2)
			return 0;
	}
	return dots;
}

/* --- from the path to the end --- */

static bool read_fragment(struct parse *p)
{
	if (peek(p, 0) == '#') {
		skip(p, 1);
		p->url->fragment = encode(p, "#", p->rest, KB_URL_FRAGMENT);
	}
	return true;
}

static bool read_query(struct parse *p)
{
	if (peek(p, 0) == '?') {
		skip(p, 1);
		p->url->query = encode(p, "?", take_until(p, "#"),
		                       p->special ? KB_URL_SPECIAL_QUERY : KB_URL_QUERY);
	}
	return read_fragment(p);
}

/* What follows the slash before the path. */
static bool read_path(struct parse *p)
{
	for (;;) {
		struct kb_sv segment = take_until(p, p->special ? "/\\?#" : "/?#");
		int dots = count_dots(segment);
		bool last = !at_slash(p, 0);

		if (dots == 2)
			shorten(p);
		if (dots == 0)
			push(p, segment);
		else if (last)
			push(p, KB_SV(""));
		if (last)
			return read_query(p);
		skip(p, 1);
	}
}

static bool read_path_start(struct parse *p)
{
	if (at_slash(p, 0))
		skip(p, 1);
	else if (!p->special && (p->rest.n == 0 || peek(p, 0) == '?' || peek(p, 0) == '#'))
		return read_query(p);
	return read_path(p);
}

static bool read_opaque_path(struct parse *p)
{
	struct kb_sv text = take_until(p, "?#");
	bool blank = text.n > 0 && text.p[text.n - 1] == ' ';

	p->url->opaque_path = true;
	/* A blank at the end would be trimmed when the whole is read again without the rest. */
	if (blank)
		text.n--;
	p->url->path = encode(p, "", text, KB_URL_C0);
	if (blank)
		p->url->path = kb_arena_printf(p->arena, "%.*s%%20", KB_SV_ARG(p->url->path));
	return read_query(p);
}

/* --- who is spoken to --- */

static bool read_port(struct parse *p, struct kb_sv text)
{
	int row = special_row(p->url->scheme);
	int port = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (!is_digit(text.p[i]))
			return bad(p, "its port is no number");
		port = port * 10 + (text.p[i] - '0');
		if (port > 65535)
			return bad(p, "its port is over 65535");
	}
	if (text.n > 0 && !(row >= 0 && specials[row].port == port))
		p->url->port = port;
	return true;
}

static bool read_authority(struct parse *p)
{
	struct kb_sv text = take_until(p, p->special ? "/\\?#" : "/?#");
	size_t host = 0, end;
	bool brackets = false;

	for (size_t i = text.n; i > 0 && host == 0; i--) /* up to the last '@' */
		if (text.p[i - 1] == '@')
			host = i;
	if (host > 0) {
		struct kb_sv user = kb_sv_sub(text, 0, host - 1);
		ptrdiff_t colon = kb_sv_find_byte(user, ':');

		if (colon >= 0)
			p->url->password =
			        encode(p, "", kb_sv_from(user, (size_t)colon + 1), KB_URL_USERINFO);
		p->url->username =
		        encode(p, "", colon >= 0 ? kb_sv_sub(user, 0, (size_t)colon) : user,
		               KB_URL_USERINFO);
		if (host == text.n)
			return bad(p, "it has no host");
	}
	for (end = host; end < text.n && (text.p[end] != ':' || brackets); end++)
		if (text.p[end] == '[' || text.p[end] == ']')
			brackets = text.p[end] == '[';
	if (end == host && (p->special || end < text.n))
		return bad(p, "it has no host");
	if (!kb_host_parse(p->arena, kb_sv_sub(text, host, end - host), p->special, p->url,
	                   &p->why))
		return false;
	return read_port(p, kb_sv_from(text, end + 1)) && read_path_start(p);
}

static bool read_special_authority(struct parse *p)
{
	while (at_slash(p, 0))
		skip(p, 1);
	return read_authority(p);
}

static void copy_authority(struct parse *p)
{
	p->url->username = p->base->username;
	p->url->password = p->base->password;
	p->url->host = p->base->host;
	p->url->host_kind = p->base->host_kind;
	memcpy(p->url->address, p->base->address, sizeof(p->url->address));
	p->url->port = p->base->port;
}

/* The base's path and query, as far as the rest does not replace them. */
static bool read_on_base_path(struct parse *p)
{
	push_base(p);
	if (p->rest.n == 0 || peek(p, 0) == '#')
		p->url->query = p->base->query;
	if (p->rest.n == 0 || peek(p, 0) == '?' || peek(p, 0) == '#')
		return read_query(p);
	shorten(p);
	return read_path(p);
}

static bool read_relative(struct parse *p)
{
	p->url->scheme = p->base->scheme;
	p->special = special_row(p->url->scheme) >= 0;
	if (at_slash(p, 0) && at_slash(p, 1)) {
		skip(p, 2);
		return p->special ? read_special_authority(p) : read_authority(p);
	}
	copy_authority(p);
	if (at_slash(p, 0)) {
		skip(p, 1);
		return read_path(p);
	}
	return read_on_base_path(p);
}

static bool read_file_host(struct parse *p)
{
	struct kb_sv before = p->rest, text = take_until(p, "/\\?#");

	if (is_drive(text)) { /* file://C:/x has no host but a drive */
		p->rest = before;
		return read_path(p);
	}
	if (text.n > 0) {
		if (!kb_host_parse(p->arena, text, true, p->url, &p->why))
			return false;
		if (kb_sv_eq_str(p->url->host, "localhost")) {
			p->url->host = KB_SV("");
			p->url->host_kind = KB_HOST_NONE;
		}
	}
	return read_path_start(p);
}

static bool read_file(struct parse *p)
{
	const struct kb_url *base = p->base && is_file(p->base->scheme) ? p->base : NULL;

	p->url->scheme = KB_SV("file");
	p->url->host = KB_SV("");
	p->special = true;
	if (at_slash(p, 0) && at_slash(p, 1)) {
		skip(p, 2);
		return read_file_host(p);
	}
	if (base) {
		p->url->host = base->host;
		p->url->host_kind = base->host_kind;
		memcpy(p->url->address, base->address, sizeof(p->url->address));
	}
	if (at_slash(p, 0)) {
		skip(p, 1);
		if (base && !starts_with_drive(p->rest) && base->path.n >= 3
		    && is_drive(kb_sv_sub(base->path, 1, 2)) && base->path.p[2] == ':'
		    && (base->path.n == 3 || base->path.p[3] == '/'))
			push(p, kb_sv_sub(base->path, 1, 2)); /* stay on the base's drive */
		return read_path(p);
	}
	if (!base || starts_with_drive(p->rest))
		return read_path(p);
	return read_on_base_path(p);
}

/* --- the scheme --- */

/* "name:", or 0. */
static size_t scheme_length(struct kb_sv text)
{
	if (text.n == 0 || !is_alpha(text.p[0]))
		return 0;
	for (size_t i = 1; i < text.n; i++) {
		char c = text.p[i];

		if (c == ':')
			return i;
		if (!is_alpha(c) && !is_digit(c) && c != '+' && c != '-' && c != '.')
			return 0;
	}
	return 0;
}

static bool read_without_scheme(struct parse *p)
{
	if (!p->base)
		return bad(p, "it does not start with a scheme such as https:");
	if (p->base->opaque_path) {
		if (peek(p, 0) != '#')
			return bad(p, "nothing can be relative to its base");
		*p->url = *p->base;
		p->url->fragment = (struct kb_sv){ 0 };
		return read_fragment(p);
	}
	return is_file(p->base->scheme) ? read_file(p) : read_relative(p);
}

static bool read_url(struct parse *p)
{
	size_t n = scheme_length(p->rest);
	char *scheme;

	if (n == 0)
		return read_without_scheme(p);
	scheme = kb_arena_str(p->arena, kb_sv_sub(p->rest, 0, n));
	for (size_t i = 0; i < n; i++)
		if (is_alpha(scheme[i]))
			scheme[i] |= 0x20;
	p->url->scheme = kb_sv(scheme, n);
	p->special = special_row(p->url->scheme) >= 0;
	skip(p, n + 1);
	if (is_file(p->url->scheme))
		return read_file(p);
	if (p->special) {
		/* "http:x" on an http base is relative; without one it is "http://x". */
		if (p->base && kb_sv_eq(p->base->scheme, p->url->scheme)
		    && !(peek(p, 0) == '/' && peek(p, 1) == '/'))
			return read_relative(p);
		return read_special_authority(p);
	}
	if (peek(p, 0) == '/' && peek(p, 1) == '/') {
		skip(p, 2);
		return read_authority(p);
	}
	if (peek(p, 0) == '/') {
		skip(p, 1);
		return read_path(p);
	}
	return read_opaque_path(p);
}

/* --- the whole --- */

/* Without controls and blanks at both ends and without tabs and line ends anywhere. */
static struct kb_sv clean(struct kb_arena *arena, struct kb_sv text)
{
	char *out;
	size_t n = 0;

	while (text.n > 0 && (unsigned char)text.p[0] <= ' ')
		text = kb_sv_from(text, 1);
	while (text.n > 0 && (unsigned char)text.p[text.n - 1] <= ' ')
		text.n--;
	text = kb_utf8_mend(arena, text);
	out = kb_arena_bytes(arena, text.n + 1);
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] != '\t' && text.p[i] != '\n' && text.p[i] != '\r')
			out[n++] = text.p[i];
	return kb_sv(out, n);
}

static struct kb_sv write_href(struct kb_arena *arena, const struct kb_url *url)
{
	struct kb_buf buf;
	struct kb_sv href;

	kb_buf_init(&buf, SIZE_MAX);
	kb_buf_sv(&buf, url->scheme);
	kb_buf_byte(&buf, ':');
	if (url->host.p) {
		kb_buf_str(&buf, "//");
		kb_buf_sv(&buf, url->username);
		if (url->password.n) {
			kb_buf_byte(&buf, ':');
			kb_buf_sv(&buf, url->password);
		}
		if (url->username.n || url->password.n)
			kb_buf_byte(&buf, '@');
		kb_buf_sv(&buf, url->host);
		if (url->port >= 0)
			kb_buf_printf(&buf, ":%d", url->port);
	} else if (!url->opaque_path && kb_sv_starts(url->path, KB_SV("//"))) {
		kb_buf_str(&buf, "/."); /* or the path would be read as a host */
	}
	kb_buf_sv(&buf, url->path);
	kb_buf_sv(&buf, url->query);
	kb_buf_sv(&buf, url->fragment);
	href = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return href;
}

bool kb_url_parse(struct kb_arena *arena, struct kb_sv text, const struct kb_url *base,
                  struct kb_url *out, struct kb_err *err)
{
	struct parse p = { .arena = arena, .base = base, .url = out };
	bool ok;

	*out = (struct kb_url){ .port = -1 };
	p.rest = clean(arena, text);
	kb_buf_init(&p.path, SIZE_MAX);
	ok = read_url(&p);
	if (ok && !out->opaque_path)
		out->path = kb_arena_sv(arena, kb_buf_view(&p.path));
	kb_buf_fini(&p.path);
	free(p.segments);
	if (!ok) {
		struct kb_sv shown = kb_utf8_head(kb_utf8_mend(arena, text), 80);

		return kb_fail(err, KB_E_INVALID, "\"%.*s\" is not a valid URL: %s",
		               KB_SV_ARG(shown), p.why);
	}
	out->href = write_href(arena, out);
	return true;
}

int kb_url_port(const struct kb_url *url)
{
	int row = special_row(url->scheme);

	if (url->port >= 0)
		return url->port;
	return row >= 0 && specials[row].port > 0 ? specials[row].port : 0;
}

bool kb_url_is_web(const struct kb_url *url)
{
	return (kb_sv_eq_str(url->scheme, "http") || kb_sv_eq_str(url->scheme, "https"))
	       && url->host.n > 0;
}

bool kb_url_same_origin(const struct kb_url *a, const struct kb_url *b)
{
	return kb_sv_eq(a->scheme, b->scheme) && kb_sv_eq(a->host, b->host)
	       && kb_url_port(a) == kb_url_port(b);
}

struct kb_sv kb_url_document(struct kb_arena *arena, const struct kb_url *url)
{
	struct kb_url copy = *url;

	copy.fragment = (struct kb_sv){ 0 };
	if (copy.path.n == 0 && copy.host.n > 0)
		copy.path = KB_SV("/");
	return write_href(arena, &copy);
}
