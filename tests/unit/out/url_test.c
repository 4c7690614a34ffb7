/* URLs as browsers read them. */
#include "out/url.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "test.h"

#define BASE "https://example.org/dir/page?q=1#top"

static const struct {
	const char *name, *text, *base, *href; /* href NULL: refused */
	enum kb_host_kind kind;
	const char *why; /* in the refusal */
} rows[] = {
	{ "the plainest", "https://example.org/", NULL, "https://example.org/", KB_HOST_DOMAIN },
	{ "a path is never empty", "https://example.org", NULL, "https://example.org/",
	  KB_HOST_DOMAIN },
	{ "scheme and host in lower case", "HTTP://EXAMPLE.Org/A", NULL, "http://example.org/A",
	  KB_HOST_DOMAIN },
	{ "the scheme's own port is dropped", "http://a:80/", NULL, "http://a/", KB_HOST_DOMAIN },
	{ "another port is kept", "http://a:0443/", NULL, "http://a:443/", KB_HOST_DOMAIN },
	{ "a port too large", "http://a:65536/", NULL, NULL, 0, "its port is over 65535" },
	{ "a port that is none", "http://a:8x/", NULL, NULL, 0, "its port is no number" },
	{ "blanks at the ends, tabs and lines within", " http://a/b\t\r\nc ", NULL, "http://a/bc",
	  KB_HOST_DOMAIN },
	{ "backslashes are slashes", "http:\\\\a\\b", NULL, "http://a/b", KB_HOST_DOMAIN },
	{ "any number of slashes", "https:////a/b", NULL, "https://a/b", KB_HOST_DOMAIN },
	{ "dots are walked", "http://a/b/../c/./d/%2E%2e/e", NULL, "http://a/c/e", KB_HOST_DOMAIN },
	{ "never above the top", "http://a/../../b", NULL, "http://a/b", KB_HOST_DOMAIN },
	{ "what must be encoded is", "http://a/\xc3\xa9 \"<>`{}?\xc3\xa9 '#`", NULL,
	  "http://a/%C3%A9%20%22%3C%3E%60%7B%7D?%C3%A9%20%27#%60", KB_HOST_DOMAIN },
	{ "ill-formed UTF-8 becomes U+FFFD", "http://a/\xff", NULL, "http://a/%EF%BF%BD",
	  KB_HOST_DOMAIN },
	{ "user and password", "http://u@x:p:q@a/", NULL, "http://u%40x:p%3Aq@a/", KB_HOST_DOMAIN },
	{ "no host", "http://", NULL, NULL, 0, "it has no host" },
	{ "a user without a host", "http://u@/x", NULL, NULL, 0, "it has no host" },
	{ "a port without a host", "http://:80/x", NULL, NULL, 0, "it has no host" },
	{ "no scheme", "example.org", NULL, NULL, 0, "does not start with a scheme" },
	{ "nothing", "", NULL, NULL, 0, "does not start with a scheme" },
	{ "international names",
	  "http://B\xc3\xbc"
	  "cher.de/",
	  NULL, "http://xn--bcher-kva.de/", KB_HOST_DOMAIN },
	{ "wide letters and the ideographic stop",
	  "http://\xef\xbd\x87\xef\xbd\x8f\xe3\x80\x82"
	  "com/",
	  NULL, "http://go.com/", KB_HOST_DOMAIN },
	{ "a name in percent", "http://ex%61mple.org/", NULL, "http://example.org/",
	  KB_HOST_DOMAIN },
	{ "a name with a slash in percent", "http://a%2fb/", NULL, NULL, 0, "its host" },
	{ "ASCII passes, whatever its punycode", "http://XN--pokxncvks/", NULL,
	  "http://xn--pokxncvks/", KB_HOST_DOMAIN },
	{ "punycode that is none", "http://xn--zz\xc3\xa9/", NULL, NULL, 0,
	  "its host is no domain name" },
	{ "relative: a page beside", "other", BASE, "https://example.org/dir/other",
	  KB_HOST_DOMAIN },
	{ "relative: from the top", "/other", BASE, "https://example.org/other", KB_HOST_DOMAIN },
	{ "relative: another host", "//b/c", BASE, "https://b/c", KB_HOST_DOMAIN },
	{ "relative: a query", "?z", BASE, "https://example.org/dir/page?z", KB_HOST_DOMAIN },
	{ "relative: a fragment", "#z", BASE, "https://example.org/dir/page?q=1#z",
	  KB_HOST_DOMAIN },
	{ "relative: nothing", "", BASE, "https://example.org/dir/page?q=1", KB_HOST_DOMAIN },
	{ "relative: up", "../x/..", BASE, "https://example.org/", KB_HOST_DOMAIN },
	{ "relative: the base's user comes along", "x", "http://u:p@a/b", "http://u:p@a/x",
	  KB_HOST_DOMAIN },
	{ "on a base without a path", "x", "mailto:a@b", NULL, 0, "nothing can be relative" },
	{ "mail", "mailto:A@b c", NULL, "mailto:A@b c", KB_HOST_NONE },
	{ "data", "data:text/html,<p>", NULL, "data:text/html,<p>", KB_HOST_NONE },
	{ "a file", "file:///C|/x/../..", NULL, "file:///C:/", KB_HOST_NONE },
	{ "a file on localhost", "file://localhost/x", NULL, "file:///x", KB_HOST_NONE },
	{ "a scheme of others", "git://Host:9418/x", NULL, "git://Host:9418/x", KB_HOST_OPAQUE },
	{ "a path that looks like a host", "web+x:/.//p", NULL, "web+x:/.//p", KB_HOST_NONE },
	/* Addresses in disguise: whoever judges a host sees what is connected to. */
	{ "the unspecified address", "http://[::]/", NULL, "http://[::]/", KB_HOST_IPV6 },
	{ "NAT64", "http://[64:ff9b::a9fe:a9fe]/", NULL, "http://[64:ff9b::a9fe:a9fe]/",
	  KB_HOST_IPV6 },
	{ "6to4", "http://[2002:a9fe:a9fe::]/", NULL, "http://[2002:a9fe:a9fe::]/", KB_HOST_IPV6 },
	{ "IPv4-mapped", "http://[::ffff:169.254.169.254]/", NULL, "http://[::ffff:a9fe:a9fe]/",
	  KB_HOST_IPV6 },
	{ "zero", "http://0/", NULL, "http://0.0.0.0/", KB_HOST_IPV4 },
	{ "two parts", "http://127.1/", NULL, "http://127.0.0.1/", KB_HOST_IPV4 },
	{ "one number", "http://2130706433/", NULL, "http://127.0.0.1/", KB_HOST_IPV4 },
	{ "hexadecimal", "http://0x7f.1/", NULL, "http://127.0.0.1/", KB_HOST_IPV4 },
	{ "octal", "http://0177.0.0.01/", NULL, "http://127.0.0.1/", KB_HOST_IPV4 },
	{ "a stop at the end", "http://127.0.0.1./", NULL, "http://127.0.0.1/", KB_HOST_IPV4 },
	{ "wide digits", "http://\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.1/", NULL,
	  "http://127.0.0.1/", KB_HOST_IPV4 },
	{ "the host is after the last @ before #", "http://a@127.0.0.1#@example.com/", NULL,
	  "http://a@127.0.0.1/#@example.com/", KB_HOST_IPV4 },
	{ "a backslash ends the host", "http://example.com\\@127.0.0.1/", NULL,
	  "http://example.com/@127.0.0.1/", KB_HOST_DOMAIN },
	{ "too many parts", "http://1.2.3.4.5/", NULL, NULL, 0, "IPv4" },
	{ "a part too large", "http://256.1.1.1/", NULL, NULL, 0, "IPv4" },
	{ "a number too large", "http://4294967296/", NULL, NULL, 0, "IPv4" },
	{ "IPv6 is shortened once", "http://[1:0:0:2:0:0:0:3]/", NULL, "http://[1:0:0:2::3]/",
	  KB_HOST_IPV6 },
	{ "IPv6 with two gaps", "http://[1::2::3]/", NULL, NULL, 0, "IPv6" },
	{ "IPv6 whose gap is for nothing", "http://[1:2:3:4:5:6:7::8]/", NULL, NULL, 0, "IPv6" },
	{ "IPv6 with a zone", "http://[fe80::1%25eth0]/", NULL, NULL, 0, "IPv6" },
	{ "IPv6 that is not closed", "http://[::1", NULL, NULL, 0, "IPv6" },
};

static void test_rows(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_url base, url;
		struct kb_err err;
		bool ok;

		t->row = rows[i].name;
		CHECK(t,
		      !rows[i].base
		              || kb_url_parse(&arena, kb_sv_str(rows[i].base), NULL, &base, &err));
		ok = kb_url_parse(&arena, kb_sv_str(rows[i].text), rows[i].base ? &base : NULL,
		                  &url, &err);
		CHECK(t, ok == (rows[i].href != NULL));
		if (ok && rows[i].href) {
			CHECK_SV(t, url.href, rows[i].href);
			CHECK_INT(t, url.host_kind, rows[i].kind);
		} else if (!ok && rows[i].why) {
			CHECK(t, strstr(err.msg, rows[i].why) != NULL);
		}
		kb_arena_fini(&arena);
	}
}

static void test_addresses(struct kb_test *t)
{
	static const uint8_t mapped[16] = { [10] = 255, [11] = 255, 169, 254, 169, 254 },
	                     four[4] = { 127, 0, 0, 1 };
	struct kb_arena arena = { 0 };
	struct kb_url url;
	struct kb_err err;

	CHECK(t, kb_url_parse(&arena, KB_SV("http://[::ffff:169.254.169.254]/"), NULL, &url, &err)
	                 && memcmp(url.address, mapped, 16) == 0);
	CHECK(t, kb_url_parse(&arena, KB_SV("http://0x7f.1/"), NULL, &url, &err)
	                 && memcmp(url.address, four, 4) == 0);
	kb_arena_fini(&arena);
}

static void test_questions(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_url a, b;
	struct kb_err err;

	CHECK(t, kb_url_parse(&arena, KB_SV("https://a/x?y#z"), NULL, &a, &err));
	CHECK_SV(t, kb_url_document(&arena, &a), "https://a/x?y");
	CHECK_INT(t, kb_url_port(&a), 443);
	CHECK(t, kb_url_is_web(&a));
	CHECK(t, kb_url_parse(&arena, KB_SV("https://u@a:443/?"), NULL, &b, &err));
	CHECK(t, kb_url_same_origin(&a, &b));
	CHECK_SV(t, kb_url_document(&arena, &b), "https://u@a/?");
	CHECK(t, kb_url_parse(&arena, KB_SV("http://a:443/"), NULL, &b, &err));
	CHECK(t, !kb_url_same_origin(&a, &b));
	CHECK_INT(t, kb_url_port(&b), 443);
	CHECK(t, kb_url_parse(&arena, KB_SV("git://a"), NULL, &b, &err));
	CHECK_SV(t, b.path, "");
	CHECK_SV(t, kb_url_document(&arena, &b), "git://a/");
	CHECK_INT(t, kb_url_port(&b), 0);
	CHECK(t, !kb_url_is_web(&b));
	kb_arena_fini(&arena);
}

/* A megabyte of what tempts a parser to look twice: milliseconds each, or the runner's patience. */
static void test_linear(struct kb_test *t)
{
	static const char *const parts[] = { "@",  "/..", "/a",   "/%2e",     ":",  ".1", "[",
		                             "\\", "?",   "xn--", "\xc3\xa9", "0x", "\t" };
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(parts); i++) {
		struct kb_buf buf;
		struct kb_url url;
		struct kb_err err;

		t->row = parts[i];
		kb_buf_init(&buf, KB_MIB(4));
		kb_buf_str(&buf, "http://");
		while (buf.n < KB_MIB(1))
			kb_buf_str(&buf, parts[i]);
		if (kb_url_parse(&arena, kb_buf_view(&buf), NULL, &url, &err))
			CHECK(t, url.href.n > 0);
		kb_buf_fini(&buf);
		kb_arena_reset(&arena);
	}
	kb_arena_fini(&arena);
}

/* The standard's own cases use lone surrogates, which JSON readers refuse; a URL parser sees them
 * as U+FFFD. */
static void mend_surrogates(char *line)
{
	for (char *p = line; (p = strstr(p, "\\u")) != NULL; p += 6) {
		long a = strtol((char[5]){ p[2], p[3], p[4], p[5] }, NULL, 16), b = 0;

		if (a < 0xd800 || a > 0xdfff)
			continue;
		if (a < 0xdc00 && p[6] == '\\' && p[7] == 'u')
			b = strtol((char[5]){ p[8], p[9], p[10], p[11] }, NULL, 16);
		if (b >= 0xdc00 && b <= 0xdfff)
			p += 6;
		else
			memcpy(p + 2, "fffd", 4);
	}
}

static struct kb_sv member(const json_t *object, const char *name)
{
	return kb_json_sv(object, name, (struct kb_sv){ 0 });
}

/* A member is empty when there is nothing after its '?' or '#'. */
static struct kb_sv as_getter(struct kb_sv part)
{
	return part.n > 1 ? part : KB_SV("");
}

static bool run_case(struct kb_arena *arena, const json_t *row)
{
	struct kb_sv base_text = member(row, "base"), port = KB_SV("");
	struct kb_url base, url;
	struct kb_err err;

	if ((base_text.p && !kb_url_parse(arena, base_text, NULL, &base, &err))
	    || !kb_url_parse(arena, member(row, "input"), base_text.p ? &base : NULL, &url, &err))
		return kb_json_bool(row, "failure", false);
	if (url.port >= 0)
		port = kb_arena_printf(arena, "%d", url.port);
	return !kb_json_bool(row, "failure", false) && kb_sv_eq(url.href, member(row, "href"))
	       && kb_sv_eq(kb_arena_printf(arena, "%.*s:", KB_SV_ARG(url.scheme)),
	                   member(row, "protocol"))
	       && kb_sv_eq(url.host, member(row, "hostname")) && kb_sv_eq(port, member(row, "port"))
	       && kb_sv_eq(url.path, member(row, "pathname"))
	       && kb_sv_eq(as_getter(url.query), member(row, "search"))
	       && kb_sv_eq(as_getter(url.fragment), member(row, "hash"));
}

static void test_standard(struct kb_test *t)
{
	const char *data = kb_test_data(t);
	struct kb_arena arena = { 0 };
	struct kb_sv path, text = KB_SV(""), line;
	struct kb_err err;
	int right = 0, asked = 0;

	if (!data)
		return;
	path = kb_arena_printf(&arena, "%s/vectors/url/urls.jsonl", data);
	CHECK(t, kb_file_read(&arena, path.p, KB_MIB(16), &text, &err));
	while (kb_sv_split(&text, '\n', &line)) {
		char *copy = kb_arena_str(&arena, line);
		json_t *row;

		if (line.n == 0)
			continue;
		mend_surrogates(copy);
		row = json_loads(copy, JSON_ALLOW_NUL, NULL);
		t->row = copy;
		asked++;
		if (row && run_case(&arena, row))
			right++;
		else
			CHECK(t, false && "as the standard says");
		json_decref(row);
	}
	t->row = NULL;
	CHECK_INT(t, right, asked);
	CHECK(t, asked > 400);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "URLs are read as browsers read them", test_rows },
		{ "an address is its bytes", test_addresses },
		{ "origins, ports and names of documents", test_questions },
		{ "time is linear in the text", test_linear },
		{ "the cases of the standard", test_standard },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
