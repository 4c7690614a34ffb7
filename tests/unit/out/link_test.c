/* Addresses that are handed to readers as links. */
#include "out/link.h"

#include <string.h>

#include "../test.h"

static void test_rows(struct kb_test *t)
{
	// clang-format off
	static const struct {
		const char *name, *text;
		bool plain;
		const char *shown; /* NULL: the text itself */
	} rows[] = {
		{ "a page", "https://x.org/a?b=c#d", true, NULL },
		{ "a host alone", "http://x.org", true, NULL },
		{ "capitals", "HTTPS://X.org/A", true, NULL },
		{ "another script", "https://x.org/\xc3\xa9", true, NULL },
		{ "an at sign in the path", "https://x.org/@joe?m=a@b", true, NULL },
		{ "none", "", false, "" },
		{ "a user and a password", "https://u:p@x.org/a#d", false, "https://x.org/a" },
		{ "a user", "https://u@x.org:8443/a", false, "https://x.org:8443/a" },
		{ "a password alone", "https://:p@x.org/", false, "https://x.org/" },
		{ "a password that is escaped", "http://u:%40@x.org/", false, "http://x.org/" },
		{ "two at signs", "http://u@v:p@x.org/", false, "http://x.org/" },
		{ "a script", "javascript:alert(1)", false, "" },
		{ "a script in capitals", " JavaScript:alert(1)", false, "" },
		{ "data", "data:text/html,<script>", false, "" },
		{ "a host without a scheme", "//evil.example/", false, "" },
		{ "a path", "/a.png", false, "" },
		{ "another scheme", "ftp://x.org/a", false, "" },
		{ "a file", "file:///etc/passwd", false, "" },
		{ "a line break", "https://x.org/a\nb", false, "https://x.org/ab" },
		{ "a line break in the scheme", "java\nscript:alert(1)", false, "" },
		{ "a blank", "https://x.org/a b", false, "https://x.org/a%20b" },
		{ "a control character", "https://x.org/\x7f", false, "https://x.org/%7F" },
		{ "another line's end", "https://x.org/\xe2\x80\xa8" "b", false, "https://x.org/%E2%80%A8b" },
		{ "an override that turns it round", "https://x.org/\xe2\x80\xae" "gpj.exe", false, "https://x.org/%E2%80%AEgpj.exe" },
		{ "a byte that is no letter", "https://x.org/\xff", false, "https://x.org/%EF%BF%BD" },
		{ "the end of an attribute", "https://x.org/\"><script>", false, "https://x.org/%22%3E%3Cscript%3E" },
		{ "no host", "https:///a", false, "https://a/" },
		{ "no such port", "https://x.org:99999/", false, "" },
	};
	// clang-format on
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_sv text = kb_sv_str(rows[i].text);

		t->row = rows[i].name;
		CHECK_INT(t, kb_link_is_plain(&arena, text), rows[i].plain);
		CHECK_SV(t, kb_link_shown(&arena, text),
		         rows[i].shown ? rows[i].shown : rows[i].text);
	}
	t->row = NULL;
	kb_arena_fini(&arena);
}

static void test_refusal(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_url url;
	struct kb_err err;

	CHECK(t, kb_url_parse(&arena, KB_SV("https://ann:secret@x.org/a"), NULL, &url, &err));
	CHECK(t, !kb_link_refuse_credentials(&url, "sitemap_path", &err));
	CHECK_INT(t, err.code, KB_E_INVALID);
	CHECK(t, strstr(err.msg, "sitemap_path holds a user name or password"));
	CHECK(t, !strstr(err.msg, "ann") && !strstr(err.msg, "secret"));
	CHECK(t, kb_url_parse(&arena, KB_SV("https://x.org/a"), NULL, &url, &err));
	CHECK(t, kb_link_refuse_credentials(&url, "sitemap_path", &err));
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what is a link, and what of an address is shown", test_rows },
		{ "the refusal tells no secret", test_refusal },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
