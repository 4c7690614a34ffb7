/* What robots.txt says. */
#include "crawl/robots.h"

#include <jansson.h>
#include <zlib.h>

#include "../test.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"

static void test_rows(struct kb_test *t)
{
	// clang-format off
	static const struct {
		const char *name, *text, *path;
		bool allowed;
	} rows[] = {
		{ "no rule", "", "/a", true },
		{ "everything", "User-agent: *\nDisallow: /", "/a", false },
		{ "an empty rule forbids nothing", "User-agent: *\nDisallow:", "/a", true },
		{ "our own group counts, and that alone", "User-agent: *\nDisallow: /\nUser-agent: docent\nDisallow: /b", "/a", true },
		{ "a version behind the name", "User-agent: Docent/1.0\nDisallow: /", "/a", false },
		{ "several groups of ours are one", "User-agent: Docent\nDisallow: /a\n\nUser-agent: x\nDisallow: /c\n\nUser-agent: Docent\nDisallow: /b", "/b", false },
		{ "several names of one group", "User-agent: x\nUser-agent: Docent\nDisallow: /a", "/a", false },
		{ "a rule without a group", "Disallow: /", "/a", true },
		{ "a name that only begins as ours", "User-agent: Docentish\nDisallow: /", "/a", true },
		{ "a star within a name is no star", "User-agent: *bot\nDisallow: /", "/a", true },
		{ "another line does not end a group's names", "User-agent: x\nCrawl-delay: 2\nUser-agent: Docent\nDisallow: /", "/a", false },
		{ "a mark of the byte order", "\xEF\xBB\xBFUser-agent: *\nDisallow: /a", "/a", false },
		{ "lines that end with CR alone", "User-agent: *\rDisallow: /a\r", "/a", false },
		{ "words we do not know", "Noindex: /a\nUser-agent: *\nHost: x\nDisallow: /a", "/a", false },
		{ "a common mistake", "User-agent: *\nDissallow: /a", "/a", false },
		{ "the longest rule wins", "User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", true },
		{ "of equals the allowing one", "User-agent: *\nDisallow: /a\nAllow: /a", "/a", true },
		{ "a star", "User-agent: *\nDisallow: /*/print", "/a/b/print.html", false },
		{ "two pieces in their order", "User-agent: *\nDisallow: /*b*a", "/xaxb", true },
		{ "an end", "User-agent: *\nDisallow: /*.pdf$", "/a.pdf?x", true },
		{ "an end that fits", "User-agent: *\nDisallow: /*.pdf$", "/a.pdf.pdf", false },
		{ "an end without a star", "User-agent: *\nDisallow: /a$", "/ab", true },
		{ "an end that overlaps", "User-agent: *\nDisallow: /ab*ba$", "/aba", true },
		{ "a dollar elsewhere is a dollar", "User-agent: *\nDisallow: /a$b", "/a$b", false },
		{ "a star at the end", "User-agent: *\nDisallow: /a*", "/ab", false },
		{ "letters count", "User-agent: *\nDisallow: /A", "/a", true },
		{ "escapes in either case", "User-agent: *\nDisallow: /%c3%a9", "/%C3%A9", false },
		{ "a letter that the address escapes", "User-agent: *\nDisallow: /\xc3\xa9", "/%c3%a9", false },
		{ "a query", "User-agent: *\nDisallow: /*?s=", "/a?s=1", false },
		{ "a page in place of the file", "<!doctype html><title>User-agent: *</title>", "/a", true },
	};
	// clang-format on

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].name;
		CHECK(t, kb_robots_ask(kb_sv_str(rows[i].text), KB_SV("Docent/0.1 (a note)"),
		                       kb_sv_str(rows[i].path))
		                         .allowed
		                 == rows[i].allowed);
	}
}

static void test_delay(struct kb_test *t)
{
	static const struct {
		const char *name, *text;
		int64_t want_ms;
	} rows[] = {
		{ "none", "User-agent: *\nDisallow: /a", 0 },
		{ "everybody's", "User-agent: *\nCrawl-delay: 2.5", 2500 },
		{ "ours before everybody's",
		  "User-agent: *\nCrawl-delay: 9\nUser-agent: docent\n"
		  "Crawl-delay: 1",
		  1000 },
		{ "our group without one",
		  "User-agent: *\nCrawl-delay: 9\nUser-agent: docent\nAllow: /", 0 },
		{ "an hour is a minute", "User-agent: *\nCrawl-delay: 3600", 60000 },
		{ "less than nothing", "User-agent: *\nCrawl-delay: -1", 0 },
		{ "no number", "User-agent: *\nCrawl-delay: soon", 0 },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].name;
		CHECK_INT(t,
		          kb_robots_ask(kb_sv_str(rows[i].text), KB_SV("Docent"), KB_SV("/"))
		                  .delay_us,
		          rows[i].want_ms * 1000);
	}
}

static void test_sitemaps(struct kb_test *t)
{
	struct kb_sv rest = KB_SV("Sitemap: https://a.example/one.xml # ours\nUser-agent: *\n"
	                          "Disallow: /\nSITEMAP:\nsitemap:/two.xml"),
	             address;

	CHECK(t, kb_robots_sitemap(&rest, &address));
	CHECK_SV(t, address, "https://a.example/one.xml");
	CHECK(t, kb_robots_sitemap(&rest, &address));
	CHECK_SV(t, address, "/two.xml");
	CHECK(t, !kb_robots_sitemap(&rest, &address));
}

/* Each of these takes a moment, or the test as long as it likes. */
static void test_hostile(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	char *text = kb_arena_bytes(&arena, 2 * KB_ROBOTS_BYTES_MAX),
	     *path = kb_arena_bytes(&arena, 4000);
	size_t n = 0;

	memset(path, 'a', 4000);
	path[0] = '/';
	n += (size_t)sprintf(text, "User-agent: *\n");
	while (n < KB_ROBOTS_BYTES_MAX) {
		n += (size_t)sprintf(text + n, "Disallow: /");
		for (int i = 0; i < 60; i++)
			n += (size_t)sprintf(text + n, "*aaaaaaaaab");
		text[n++] = '\n';
	}
	CHECK(t, kb_robots_ask(kb_sv(text, n), KB_SV("Docent"), kb_sv(path, 4000)).allowed);
	/* Behind the limit nothing counts. */
	n += (size_t)sprintf(text + n, "Disallow: /\n");
	CHECK(t, kb_robots_ask(kb_sv(text, n), KB_SV("Docent"), KB_SV("/b")).allowed);
	/* A rule that is too long is none. */
	memset(text, '/', 2 * KB_ROBOTS_BYTES_MAX);
	memcpy(text, "User-agent: *\nDisallow: ", 24);
	CHECK(t, kb_robots_ask(kb_sv(text, 2 * KB_ROBOTS_BYTES_MAX), KB_SV("Docent"), KB_SV("/"))
	                 .allowed);
	kb_arena_fini(&arena);
}

/* ---- the cases of others ---- */

static struct kb_sv path_of(struct kb_sv url)
{
	ptrdiff_t host = kb_sv_find(url, KB_SV("://")), slash;

	if (host < 0)
		return KB_SV("/");
	url = kb_sv_from(url, (size_t)host + 3);
	slash = kb_sv_find_byte(url, '/');
	return slash < 0 ? KB_SV("/") : kb_sv_from(url, (size_t)slash);
}

static bool run_case(struct kb_sv robots, struct kb_sv agent, struct kb_sv url, bool want)
{
	return kb_robots_ask(robots, agent, path_of(url)).allowed == want;
}

static void test_facts(struct kb_test *t)
{
	const char *data = kb_test_data(t);
	struct kb_arena arena = { 0 };
	struct kb_sv text = KB_SV(""), line;
	struct kb_err err;
	int asked = 0;

	if (!data)
		return;
	CHECK(t, kb_file_read(&arena, kb_arena_printf(&arena, "%s/robots/facts.jsonl", data).p,
	                      KB_MIB(1), &text, &err));
	while (kb_sv_split(&text, '\n', &line)) {
		json_t *row = line.n ? kb_json_parse(&arena, line, &err) : NULL;

		if (!row)
			continue;
		t->row = kb_arena_str(&arena, line);
		asked++;
		CHECK(t, run_case(kb_json_sv(row, "robots", KB_SV("")),
		                  kb_json_sv(row, "agent", KB_SV("")),
		                  kb_json_sv(row, "url", KB_SV("")),
		                  kb_json_bool(row, "allowed", false)));
	}
	t->row = NULL;
	CHECK(t, asked > 70);
	kb_arena_fini(&arena);
}

static void run_real(struct kb_test *t, const json_t *row, int *asked)
{
	struct kb_sv robots = kb_json_sv(row, "robots", KB_SV("")), rest = robots, address;
	const json_t *cases = kb_json_get(row, "cases"), *sitemaps = kb_json_get(row, "sitemaps"),
	             *one;
	size_t i;

	json_array_foreach(cases, i, one)
	{
		++*asked;
		CHECK(t, run_case(robots, kb_sv_str(json_string_value(json_array_get(one, 0))),
		                  kb_sv_str(json_string_value(json_array_get(one, 1))),
		                  json_is_true(json_array_get(one, 2))));
	}
	json_array_foreach(sitemaps, i, one)
	{
		CHECK(t, kb_robots_sitemap(&rest, &address));
		CHECK_SV(t, address, json_string_value(one));
	}
}

static void test_real(struct kb_test *t)
{
	const char *data = kb_test_data(t);
	struct kb_arena arena = { 0 };
	char *line;
	int asked = 0;
	gzFile file;

	if (!data)
		return;
	line = kb_arena_bytes(&arena, KB_MIB(4));
	file = gzopen(kb_arena_printf(&arena, "%s/robots/real.jsonl.gz", data).p, "rb");
	CHECK(t, file != NULL);
	while (file && gzgets(file, line, KB_MIB(4))) {
		struct kb_err err;
		json_t *row = kb_json_parse(&arena, kb_sv_trim(kb_sv_str(line)), &err);

		if (!row) {
			CHECK(t, row);
			continue;
		}
		t->row = kb_arena_str(&arena, kb_json_sv(row, "id", KB_SV("")));
		run_real(t, row, &asked);
	}
	t->row = NULL;
	if (file)
		gzclose(file);
	CHECK(t, asked > 2000);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "rules and groups", test_rows }, { "delays", test_delay },
		{ "sitemaps", test_sitemaps },     { "hostile files take no time", test_hostile },
		{ "the known cases", test_facts }, { "files of real hosts", test_real },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
