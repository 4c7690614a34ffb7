/* One name for one page, and the shapes of addresses. */
#include "crawl/page_address.h"

#include <string.h>

#include "../test.h"

static struct kb_sv name_of(struct kb_arena *arena, const char *text)
{
	struct kb_url url;
	struct kb_err err;

	return kb_url_parse(arena, kb_sv_str(text), NULL, &url, &err) ? kb_page_address(arena, &url)
	                                                              : KB_SV("no URL");
}

static void test_names(struct kb_test *t)
{
	// clang-format off
	static const struct {
		const char *name, *text, *want;
	} rows[] = {
		{ "a page", "http://x.org/a", "http://x.org/a" },
		{ "a host alone", "http://x.org", "http://x.org/" },
		{ "a fragment", "http://x.org/a#b", "http://x.org/a" },
		{ "a port that is the scheme's own", "https://x.org:443/a", "https://x.org/a" },
		{ "another port", "https://x.org:80/a", "https://x.org:80/a" },
		{ "capitals of the host alone", "HTTP://X.org/A", "http://x.org/A" },
		{ "dots", "http://x.org/a/../b/./c", "http://x.org/b/c" },
		{ "escapes in capitals", "http://x.org/%e3%83%84", "http://x.org/%E3%83%84" },
		{ "letters and the escapes of theirs", "http://x.org/%e9tc/%C3%A9", "http://x.org/%E9tc/%C3%A9" },
		{ "an escape that is not needed", "http://x.org/%7ejoe/%61", "http://x.org/~joe/a" },
		{ "an escape that is", "http://x.org/a%2fb%3F", "http://x.org/a%2Fb%3F" },
		{ "an escaped dot stays one", "http://x.org/a%2eb", "http://x.org/a%2Eb" },
		{ "no escape", "http://x.org/100%", "http://x.org/100%" },
		{ "what would be one", "http://x.org/%4/%%37%35", "http://x.org/%4/%%375" },
		{ "an empty query", "http://x.org/a?", "http://x.org/a" },
		{ "empty parts", "http://x.org/a?&&b=1&", "http://x.org/a?b=1" },
		{ "a campaign", "http://x.org/a?utm_source=x&utm_medium=y&gclid=1", "http://x.org/a" },
		{ "a campaign among others", "http://x.org/a?id=3&fbclid=abc&p=1", "http://x.org/a?id=3&p=1" },
		{ "a session in the query", "http://x.org/a?PHPSESSID=1234&id=3", "http://x.org/a?id=3" },
		{ "a session in the path", "http://x.org/a;jsessionid=12AB/b;jsessionid=3?x=1", "http://x.org/a/b?x=1" },
		{ "what looks like a session", "http://x.org/a?sid=0123456789abcdef", "http://x.org/a" },
		{ "what does not", "http://x.org/a?sid=17", "http://x.org/a?sid=17" },
		{ "parts in order", "http://x.org/a?b=2&a=1&b=1", "http://x.org/a?a=1&b=2&b=1" },
		{ "what is no list of values", "http://x.org/a?b&a", "http://x.org/a?b&a" },
		{ "an index file", "http://x.org/a/index.html", "http://x.org/a/" },
		{ "another one, in capitals", "http://x.org/Default.ASPX?utm_id=1", "http://x.org/" },
		{ "an index file with a query", "http://x.org/index.php?id=1", "http://x.org/index.php?id=1" },
		{ "a name that ends like one", "http://x.org/my-index.html", "http://x.org/my-index.html" },
		{ "a user", "http://u@x.org/a", "http://u@x.org/a" },
	};
	// clang-format on
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_sv name = name_of(&arena, rows[i].text);

		t->row = rows[i].name;
		CHECK_SV(t, name, rows[i].want);
		CHECK_SV(t, name_of(&arena, rows[i].want), rows[i].want);
	}
	kb_arena_fini(&arena);
}

static void test_shapes(struct kb_test *t)
{
	// clang-format off
	static const struct {
		const char *name, *text;
		int64_t depth;
		const char *shape;
		int64_t most;
		bool endless;
	} rows[] = {
		{ "a page of its own", "http://x.org/a/b", 3, "", 0, false },
		{ "numbers in a path", "http://x.org/2025/03/a", 3, "/#/#/a", 0, false },
		{ "numbers far away", "http://x.org/2025/03/a", 20, "/#/#/a", 100, false },
		{ "a value", "http://x.org/a?id=17", 3, "/a?id=*", 5000, false },
		{ "values", "http://x.org/a?c=&id=17&x=b", 3, "/a?c&id=*&x=*", 200, false },
		{ "many values", "http://x.org/a?a=1&b=1&c=1&d=1&e=1", 3, "/a?a=*&b=*&c=*&d=*&e=*", 50, false },
		{ "a circle", "http://x.org/a/b/a/b/a/b/a/b", 3, "", 0, true },
		{ "nearly one", "http://x.org/a/b/a/b/a/b", 3, "", 0, false },
		{ "a very long way", "http://x.org/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u/v/w/x/y/z/A/B/C/D/E/F/G", 3, "", 0, true },
	};
	// clang-format on
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_page_shape shape;
		struct kb_url url;
		struct kb_err err;

		t->row = rows[i].name;
		CHECK(t, kb_url_parse(&arena, kb_sv_str(rows[i].text), NULL, &url, &err));
		shape = kb_page_shape(&arena, &url, rows[i].depth);
		CHECK_SV(t, shape.text, rows[i].shape);
		CHECK_INT(t, shape.most, rows[i].most);
		CHECK_INT(t, shape.endless, rows[i].endless);
	}
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "one name for one page", test_names },
		{ "shapes", test_shapes },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
