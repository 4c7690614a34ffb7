/* Lists of addresses through a real child: a table of small ones, and a set of files if it is
 * there. */
#include "base/date.h"
#include "parse/sitemap.h"

#include <fcntl.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "fixture.h"

static bool read_list(struct kb_parser *parser, struct kb_arena *arena, struct kb_sv bytes,
                      struct kb_sitemap *out, struct kb_err *err)
{
	struct kb_parse_request request = { .url = KB_SV("https://a.example/sitemap.xml") };
	bool ok;

	request.fd = memfd_create("list", MFD_CLOEXEC);
	ok = request.fd >= 0 && write(request.fd, bytes.p, bytes.n) == (ssize_t)bytes.n
	     && lseek(request.fd, 0, SEEK_SET) == 0
	     && kb_parse_sitemap(parser, arena, &request, out, err);
	close(request.fd);
	return ok;
}

/* "url url" of the entries; '>' before a sitemap of an index, '+' before a picture. */
static struct kb_sv joined(struct kb_arena *arena, const struct kb_sitemap *list)
{
	struct kb_buf buf;
	struct kb_sv out;

	kb_buf_init(&buf, KB_MIB(8));
	for (size_t i = 0; i < list->count; i++) {
		if (i)
			kb_buf_byte(&buf, ' ');
		if (list->entries[i].is_list)
			kb_buf_byte(&buf, '>');
		kb_buf_sv(&buf, list->entries[i].url);
		if (list->entries[i].image.n) {
			kb_buf_str(&buf, " +");
			kb_buf_sv(&buf, list->entries[i].image);
		}
	}
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

static void test_lists(struct kb_test *t)
{
#define U "https://a.example/"
	// clang-format off
	static const struct {
		const char *name, *text; enum kb_sitemap_kind kind; const char *want; bool damaged;
	} cases[] = {
		{ "a sitemap", "<?xml version='1.0'?><urlset><url><loc> " U "1\n</loc></url><url><loc>" U "2</loc></url></urlset>",
		  KB_SITEMAP_URLS, U "1 " U "2" },
		{ "prefixes do not matter", "<s:urlset xmlns:s='x'><s:url><s:loc>" U "1</s:loc></s:url></s:urlset>", KB_SITEMAP_URLS, U "1" },
		{ "a bare ampersand is one", "<urlset><url><loc>" U "?a=1&b=2&amp;c=3&#38;d</loc></url></urlset>", KB_SITEMAP_URLS,
		  U "?a=1&b=2&c=3&d" },
		{ "but in CDATA all are", "<urlset><url><loc><![CDATA[" U "?a=1&amp;b&c]]></loc></url></urlset>", KB_SITEMAP_URLS,
		  U "?a=1&amp;b&c" },
		{ "the first picture of a page", "<urlset xmlns:image='i'><url><loc>" U "1</loc><image:image><image:loc>" U "p</image:loc>"
		  "<image:caption>x</image:caption></image:image><image:image><image:loc>" U "q</image:loc></image:image></url></urlset>",
		  KB_SITEMAP_URLS, U "1 +" U "p" },
		{ "an index", "<sitemapindex><sitemap><loc>" U "s.xml</loc><lastmod>2025</lastmod></sitemap></sitemapindex>",
		  KB_SITEMAP_INDEX, ">" U "s.xml" },
		{ "RSS", "<rss><channel><link>" U "</link><image><link>" U "no</link></image><item><title>x</title><link>" U "1</link>"
		  "<guid>" U "g</guid></item><item><guid>" U "2</guid></item><item><guid isPermaLink='false'>7</guid></item></channel></rss>",
		  KB_SITEMAP_FEED, U "1 " U "2" },
		{ "Atom", "<feed><link href='" U "'/><entry><link rel='self' href='" U "no'/><link href='" U "1?a=1&amp;b=2'/></entry>"
		  "<entry><link rel='alternate' href='/rel'/></entry></feed>", KB_SITEMAP_FEED, U "1?a=1&b=2 /rel" },
		{ "RSS 1.0", "<rdf:RDF xmlns:rdf='r'><channel><link>" U "</link></channel><item><link>" U "1</link></item></rdf:RDF>",
		  KB_SITEMAP_FEED, U "1" },
		{ "text", "# mine\r\n" U "1\r\n\r\nHTTP://a.example/2\nnonsense\n" U "3\n", KB_SITEMAP_TEXT, U "1 HTTP://a.example/2 " U "3" },
		{ "what stands before the damage", "<urlset><url><loc>" U "1</loc></url><url><loc>" U "2</loc><x", KB_SITEMAP_URLS,
		  U "1 " U "2", true },
		{ "half an address is none", "<urlset><url><loc>" U "1</loc></url><url><loc>" U "2", KB_SITEMAP_URLS, U "1", true },
		{ "blanks before the declaration", "\n\n <?xml version='1.0' encoding='ISO-8859-1'?><urlset><url><loc>" U "1</loc></url></urlset>",
		  KB_SITEMAP_URLS, U "1" },
		{ "an empty sitemap", "<urlset></urlset>", KB_SITEMAP_URLS, "" },
		{ "a control character", "<urlset><url><loc>" U "\xe2\x80\xae" "1</loc></url></urlset>", KB_SITEMAP_URLS, "" },
	};
	static const struct { const char *name, *text; } none[] = {
		{ "nothing", "" }, { "a page", "<!doctype html><html><body><a href='" U "'>x</a></body></html>" },
		{ "prose", "Hello\nthere\nyou\nsee " U "\n" }, { "other XML", "<dataset><url><loc>" U "</loc></url></dataset>" },
	};
	// clang-format on
	struct kb_parser *parser = open_parser(t, NULL);

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };
		struct kb_sitemap list;
		struct kb_err err = { 0 };

		t->row = cases[i].name;
		CHECK(t, read_list(parser, &arena, kb_sv_str(cases[i].text), &list, &err));
		CHECK_SV(t, kb_sv_str(err.msg), "");
		CHECK_INT(t, list.kind, cases[i].kind);
		CHECK_SV(t, joined(&arena, &list), cases[i].want);
		CHECK_INT(t, list.damaged, cases[i].damaged);
		kb_arena_fini(&arena);
	}
	for (size_t i = 0; i < KB_COUNTOF(none); i++) {
		struct kb_arena arena = { 0 };
		struct kb_sitemap list;
		struct kb_err err = { 0 };

		t->row = none[i].name;
		CHECK(t, !read_list(parser, &arena, kb_sv_str(none[i].text), &list, &err));
		CHECK_INT(t, err.code, KB_E_UNSUPPORTED);
		kb_arena_fini(&arena);
	}
	t->row = NULL;
	kb_parser_close(parser);
}

static void test_limits(struct kb_test *t)
{
	struct kb_parser *parser = open_parser(t, NULL);
	struct kb_arena arena = { 0 };
	struct kb_sitemap list;
	struct kb_err err = { 0 };
	struct kb_buf buf;

	kb_buf_init(&buf, KB_MIB(60));
	for (int i = 0; i < KB_SITEMAP_URLS_MAX + 10; i++)
		kb_buf_printf(&buf, U "%d\n", i);
	CHECK(t, read_list(parser, &arena, kb_buf_view(&buf), &list, &err));
	CHECK_INT(t, list.count, KB_SITEMAP_URLS_MAX);
	CHECK(t, list.cut);
	CHECK_SV(t, list.entries[49999].url, U "49999");
	kb_buf_clear(&buf);
	kb_buf_str(&buf, U "1\n" U);
	while (buf.n < KB_SITEMAP_URL_MAX + 30)
		kb_buf_byte(&buf, 'x');
	kb_buf_str(&buf, "\n" U "2\n");
	CHECK(t, read_list(parser, &arena, kb_buf_view(&buf), &list, &err));
	CHECK_SV(t, joined(&arena, &list), U "1 " U "2");
	kb_buf_fini(&buf);
	kb_arena_fini(&arena);
	kb_parser_close(parser);
}

static void test_dates(struct kb_test *t)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "2025-01-31", "2025-01-31T00:00:00.000000Z" },
		{ "2024-02", "2024-02-01T00:00:00.000000Z" },
		{ "2023", "2023-01-01T00:00:00.000000Z" },
		{ "2025-01-31T10:30+02:00", "2025-01-31T08:30:00.000000Z" },
		{ "2025-01-31T10:30:15.123Z", "2025-01-31T10:30:15.000000Z" },
		{ " 2025-01-31 10:30:15 ", "2025-01-31T10:30:15.000000Z" },
		{ "Fri, 31 Jan 2025 10:00:00 GMT", "2025-01-31T10:00:00.000000Z" },
		{ "Sat, 29 Feb 2020 23:00:00 -0500", "2020-03-01T04:00:00.000000Z" },
		{ "yesterday", "" },
		{ "1969-12-31", "" },
		{ "2025-13-01", "" },
		{ "", "" },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		char text[KB_TIME_TEXT] = "";
		int64_t us = kb_date_read(kb_sv_str(cases[i].text));

		t->row = cases[i].text;
		if (us)
			kb_time_format(text, us);
		CHECK_SV(t, kb_sv_str(text), cases[i].want);
	}
	t->row = NULL;
}

/* ---- the set of files ---- */

static void compare(struct kb_test *t, const json_t *wanted, const struct kb_sitemap *list)
{
	size_t i = 0, j = 0;

	for (; i < list->count; i++) {
		struct kb_sv url = list->entries[i].url;

		if (!kb_sv_starts(url, KB_SV("http://")) && !kb_sv_starts(url, KB_SV("https://")))
			continue;
		CHECK_SV(t, url, json_string_value(json_array_get(wanted, j)));
		j++;
	}
	CHECK_INT(t, j, json_array_size(wanted));
}

static void check_file(struct kb_test *t, struct kb_parser *parser, const char *data,
                       const json_t *row)
{
	struct kb_arena arena = { 0 };
	struct kb_sitemap list;
	struct kb_sv bytes;
	struct kb_err err = { 0 };
	char path[400];
	bool ok;

	t->row = json_string_value(kb_json_get(row, "file"));
	snprintf(path, sizeof(path), "%s/sitemaps/files/%s", data, t->row);
	CHECK(t, kb_file_read(&arena, path, KB_MIB(60), &bytes, &err));
	ok = read_list(parser, &arena, bytes, &list, &err);
	/* What it says must not crash did not, if it gave an answer or a sentence. */
	CHECK(t, ok || err.msg[0]);
	if (kb_json_get(row, "urls"))
		compare(t, kb_json_get(row, "urls"), &list);
	if (kb_json_get(row, "sitemaps"))
		compare(t, kb_json_get(row, "sitemaps"), &list);
	if (kb_json_get(row, "hoped"))
		compare(t, kb_json_get(row, "hoped"), &list);
	if (kb_json_get(row, "count"))
		CHECK_INT(t, list.count, kb_json_int(row, "count", -1));
	if (kb_sv_eq_str(kb_json_sv(row, "kind", KB_SV("")), "index"))
		CHECK(t, list.kind == KB_SITEMAP_INDEX && list.entries[0].is_list);
	for (size_t i = 0; i < list.count; i++) {
		struct kb_sv day = kb_json_sv(kb_json_get(row, "lastmod"),
		                              kb_arena_str(&arena, list.entries[i].url), KB_SV(""));

		if (day.n)
			CHECK_INT(t, list.entries[i].modified_at, kb_date_read(day));
	}
	kb_arena_fini(&arena);
}

static void test_files(struct kb_test *t)
{
	const char *data = kb_test_data(t);
	struct kb_arena arena = { 0 };
	struct kb_parser *parser;
	struct kb_sv manifest = KB_SV(""), line;
	struct kb_err err;
	size_t count = 0;
	char path[400];

	if (!data)
		return;
	snprintf(path, sizeof(path), "%s/sitemaps/manifest.jsonl", data);
	CHECK(t, kb_file_read(&arena, path, KB_MIB(1), &manifest, &err));
	parser = open_parser(t, NULL);
	while (kb_sv_split(&manifest, '\n', &line)) {
		json_t *row = line.n ? kb_json_parse(&arena, line, &err) : NULL;

		if (!row)
			continue;
		check_file(t, parser, data, row);
		count++;
	}
	t->row = NULL;
	CHECK(t, count >= 10);
	kb_parser_close(parser);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "each kind of list gives its addresses", test_lists },
		{ "a list is cut at its limits", test_limits },
		{ "dates of sitemaps and feeds", test_dates },
		{ "every file of the set is read as it says", test_files },
	};
	fixture_init(argv[0]);
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
