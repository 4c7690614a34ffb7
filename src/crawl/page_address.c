#include "crawl/page_address.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

/* ---- one name ---- */

/* Parameters that say how a reader came here, or which reader it is. '*' at the end: all that begin
 * so. */
static const char *const marks[] = {
	"utm_*",         "gclid",       "gclsrc",
	"dclid",         "gbraid",      "wbraid",
	"fbclid",        "msclkid",     "yclid",
	"ttclid",        "twclid",      "igshid",
	"mc_cid",        "mc_eid",      "_ga",
	"_gl",           "_hsenc",      "_hsmi",
	"hsctatracking", "mkt_tok",     "vero_id",
	"wickedid",      "oly_anon_id", "oly_enc_id",
	"pk_*",          "piwik_*",     "mtm_*",
	"matomo_*",      "s_cid",       "spm",
	"li_fat_id",     "epik",        "__twitter_impression",
	"ref_src",       "jsessionid",  "phpsessid",
	"aspsessionid*", "cfid",        "cftoken",
	"sessionid",     "session_id",  "oscsid",
	"zenid",
};
/* These are sessions only where they look like one: so long, of letters and digits. */
static const char *const maybe_sessions[] = { "sid", "s", "session" };
enum { SESSION_BYTES = 16 };

static const char *const index_files[] = { "index.html",   "index.htm",   "index.xhtml",
	                                   "index.php",    "index.shtml", "index.jsp",
	                                   "index.asp",    "index.aspx",  "default.htm",
	                                   "default.html", "default.asp", "default.aspx" };

static int digit_of(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	                              : -1;
}

/* Bytes that mean the same with and without an escape. */
static bool is_unreserved(int c)
{
	return c < 0x80 && (isalnum(c) || (c && strchr("-._~", c)));
}

/* A path or a query, whose escapes are in capitals then and stand only where they are needed. What
 * would become an escape with a '%' before it, or a part of dots, stays. */
static void add_tidy(struct kb_buf *buf, struct kb_sv text)
{
	size_t loose = SIZE_MAX; /* where the last '%' stands that begins no escape */

	for (size_t i = 0; i < text.n; i++) {
		int high = text.p[i] == '%' && i + 2 < text.n ? digit_of(text.p[i + 1]) : -1;
		int low = high >= 0 ? digit_of(text.p[i + 2]) : -1;
		int byte = high * 16 + low;

		if (low < 0) {
			loose = text.p[i] == '%' ? buf->n : loose;
			kb_buf_byte(buf, text.p[i]);
			continue;
		}
		if (is_unreserved(byte) && byte != '.' && (loose == SIZE_MAX || buf->n > loose + 2))
			kb_buf_byte(buf, (char)byte);
		else
			kb_buf_printf(buf, "%%%X%X", high, low);
		i += 2;
	}
}

static struct kb_sv tidy(struct kb_arena *arena, struct kb_sv text)
{
	struct kb_buf buf;
	struct kb_sv out;

	kb_buf_init(&buf, SIZE_MAX);
	add_tidy(&buf, text);
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

static bool is_one_of(struct kb_sv name, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct kb_sv word = kb_sv_str(list[i]);

		if (kb_sv_ends(word, KB_SV("*"))
		            ? kb_sv_istarts(name, kb_sv_sub(word, 0, word.n - 1))
		            : kb_sv_ieq(name, word))
			return true;
	}
	return false;
}

static bool looks_like_session(struct kb_sv value)
{
	if (value.n < SESSION_BYTES)
		return false;
	for (size_t i = 0; i < value.n; i++)
		if (!isalnum((unsigned char)value.p[i]))
			return false;
	return true;
}

static void split_part(struct kb_sv part, struct kb_sv *name, struct kb_sv *value)
{
	ptrdiff_t equals = kb_sv_find_byte(part, '=');

	*name = equals < 0 ? part : kb_sv_sub(part, 0, (size_t)equals);
	*value = equals < 0 ? KB_SV("") : kb_sv_from(part, (size_t)equals + 1);
}

static bool says_nothing(struct kb_sv part)
{
	struct kb_sv name, value;

	split_part(part, &name, &value);
	return part.n == 0 || is_one_of(name, marks, KB_COUNTOF(marks))
	       || (is_one_of(name, maybe_sessions, KB_COUNTOF(maybe_sessions))
	           && looks_like_session(value));
}

/* By name; parts of one name keep their order, which their addresses tell. */
static int by_name(const void *a, const void *b)
{
	const struct kb_sv *one = a, *two = b;
	struct kb_sv name[2], value;
	int order;

	split_part(*one, &name[0], &value);
	split_part(*two, &name[1], &value);
	order = kb_sv_cmp(name[0], name[1]);
	return order ? order : (one->p > two->p) - (one->p < two->p);
}

static struct kb_sv query_of(struct kb_arena *arena, struct kb_sv query)
{
	struct kb_sv rest = tidy(arena, kb_sv_from(query, 1)), all = rest, part, out;
	struct kb_sv parts[KB_PAGE_ADDRESS_PARTS_MAX];
	size_t count = 0, seen = 0;
	bool pairs = true;
	struct kb_buf buf;

	while (kb_sv_split(&rest, '&', &part) && ++seen <= KB_PAGE_ADDRESS_PARTS_MAX) {
		if (says_nothing(part))
			continue;
		pairs = pairs && kb_sv_find_byte(part, '=') > 0;
		parts[count++] = part;
	}
	if (seen > KB_PAGE_ADDRESS_PARTS_MAX)
		return all.n ? kb_arena_printf(arena, "?%.*s", KB_SV_ARG(all)) : KB_SV("");
	/* What is no list of names and values may mean something by its order. */
	if (pairs && count > 1)
		qsort(parts, count, sizeof(*parts), by_name);
	kb_buf_init(&buf, SIZE_MAX);
	for (size_t i = 0; i < count; i++) {
		kb_buf_byte(&buf, i ? '&' : '?');
		kb_buf_sv(&buf, parts[i]);
	}
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

/* "/a;jsessionid=1/b" is "/a/b". */
static struct kb_sv without_session(struct kb_arena *arena, struct kb_sv path)
{
	static const char mark[] = ";jsessionid=";
	size_t n = sizeof(mark) - 1;

	for (size_t i = 0; i + n <= path.n; i++) {
		size_t end = i + n;

		if (!kb_sv_ieq_str(kb_sv_sub(path, i, n), mark))
			continue;
		while (end < path.n && path.p[end] != '/' && path.p[end] != ';')
			end++;
		path = kb_arena_printf(arena, "%.*s%.*s", (int)i, path.p,
		                       KB_SV_ARG(kb_sv_from(path, end)));
		i--;
	}
	return path;
}

static struct kb_sv path_of(struct kb_arena *arena, struct kb_sv path, bool has_query)
{
	size_t name = 0;

	path = without_session(arena, tidy(arena, path));
	for (size_t i = 0; i < path.n; i++)
		if (path.p[i] == '/')
			name = i + 1;
	/* With a query it is the program that answers, not the folder. */
	if (!has_query && is_one_of(kb_sv_from(path, name), index_files, KB_COUNTOF(index_files)))
		path = kb_sv_sub(path, 0, name);
	return path.n ? path : KB_SV("/");
}

struct kb_sv kb_page_address(struct kb_arena *arena, const struct kb_url *url)
{
	struct kb_url copy = *url;

	copy.query = url->query.n > 1 ? query_of(arena, url->query) : KB_SV("");
	copy.query.p = copy.query.n ? copy.query.p : NULL;
	copy.path = path_of(arena, url->path, copy.query.n > 0);
	return kb_url_document(arena, &copy);
}

/* ---- shapes ----
 *
 * Calendars, searches and shops with filters have no end: each page leads to more of its kind. They
 * are known by how many addresses of one shape there are. A query of one value is mostly the number
 * of an article, so there may be many; the more values it has, the more they are a search.
 */

enum {
	PARTS_SAME_MAX = 3, /* of one name in a path, as links that go round make them */
	SEGMENTS_MAX = 32,
	DEEP = 12, /* links away from the start: what is numbered there is a calendar */
	DEEP_MOST = 100,
};
static const int64_t most_by_values[] = { 0, 5000, 1000, 200, 50 };

static bool goes_round(struct kb_sv path)
{
	struct kb_sv parts[SEGMENTS_MAX], part;
	size_t count = 0;

	while (kb_sv_split(&path, '/', &part)) {
		int same = 0;

		if (part.n == 0)
			continue;
		if (count == SEGMENTS_MAX)
			return true;
		for (size_t i = 0; i < count; i++)
			same += kb_sv_eq(parts[i], part);
		if (same >= PARTS_SAME_MAX)
			return true;
		parts[count++] = part;
	}
	return false;
}

/* The text with '#' for each row of digits; whether there was one. */
static bool add_numbers(struct kb_buf *buf, struct kb_sv text)
{
	bool any = false;

	for (size_t i = 0; i < text.n; i++) {
		bool digit = isdigit((unsigned char)text.p[i]);

		if (!digit)
			kb_buf_byte(buf, text.p[i]);
		else if (i == 0 || !isdigit((unsigned char)text.p[i - 1]))
			kb_buf_byte(buf, '#');
		any = any || digit;
	}
	return any;
}

struct kb_page_shape kb_page_shape(struct kb_arena *arena, const struct kb_url *url, int64_t depth)
{
	struct kb_page_shape shape = { .endless = goes_round(url->path) };
	struct kb_sv rest = kb_sv_from(url->query, 1), part, name, value;
	bool numbered, has_query = url->query.n > 1;
	size_t values = 0;
	struct kb_buf buf;

	kb_buf_init(&buf, SIZE_MAX);
	numbered = add_numbers(&buf, url->path);
	while (has_query && kb_sv_split(&rest, '&', &part)) {
		split_part(part, &name, &value);
		kb_buf_byte(&buf, values++ ? '&' : '?');
		add_numbers(&buf, name);
		kb_buf_str(&buf, value.n ? "=*" : "");
	}
	if (numbered || has_query)
		shape.text = kb_arena_sv(arena, kb_buf_view(&buf));
	shape.most = most_by_values[KB_MIN(values, KB_COUNTOF(most_by_values) - 1)];
	if (depth > DEEP && shape.text.n)
		shape.most = shape.most ? KB_MIN(shape.most, (int64_t)DEEP_MOST) : DEEP_MOST;
	kb_buf_fini(&buf);
	return shape;
}
