/* The walk over a sitemap and its parts, on a web of strings. */
#include "crawl/sitemap.h"

#include <sys/mman.h>
#include <unistd.h>

#include "../parse/fixture.h"
#include "base/buf.h"

#define W "https://w.example/"

struct file {
	const char *url, *text; /* text NULL: it cannot be fetched */
	const char *moved;      /* where its redirect ends */
};

struct web {
	const struct file *files;
	struct kb_buf found;
	int fetched;
};

static bool fetch(void *arg, struct kb_arena *arena, struct kb_sv url, struct kb_sitemap_file *out,
                  struct kb_err *err)
{
	struct web *web = arg;

	(void)arena;
	web->fetched++;
	for (const struct file *file = web->files; file->url; file++) {
		if (!kb_sv_eq_str(url, file->url) || !file->text)
			continue;
		out->url = file->moved ? kb_sv_str(file->moved) : url;
		out->fd = memfd_create("file", MFD_CLOEXEC);
		return write(out->fd, file->text, strlen(file->text)) >= 0
		       && lseek(out->fd, 0, SEEK_SET) == 0;
	}
	return kb_fail(err, KB_E_INVALID, "the host answered 404: not found");
}

static bool found(void *arg, const struct kb_listed *listed, size_t count, struct kb_err *err)
{
	struct web *web = arg;

	(void)err;
	for (size_t i = 0; i < count; i++) {
		if (web->found.n)
			kb_buf_byte(&web->found, ' ');
		kb_buf_sv(&web->found, listed[i].url);
		if (listed[i].image.n)
			kb_buf_printf(&web->found, "+%.*s", KB_SV_ARG(listed[i].image));
	}
	return true;
}

#define PAGE(url)  "<url><loc>" url "</loc></url>"
#define SET(urls)  "<urlset>" urls "</urlset>"
#define PART(url)  "<sitemap><loc>" url "</loc></sitemap>"
#define INDEX(all) "<sitemapindex>" all "</sitemapindex>"

static void test_walk(struct kb_test *t)
{
	// clang-format off
	static const struct {
		const char *name;
		struct file files[6];
		const char *want;          /* pages; NULL: it fails */
		int fetched, unread, elsewhere;
		bool cut;
		enum kb_errc code;
	} rows[] = {
		{ "one name for one document", { { W "s.xml", SET(PAGE("HTTPS://W.example:443/a#x") PAGE("/b") PAGE("c d")) } },
		  W "a " W "b " W "c%20d", 1, 0, 0, false, KB_OK },
		{ "only the web, only its own site", { { W "s.xml", SET(PAGE("javascript:alert(1)") PAGE("file:///etc/passwd") PAGE("ftp://w.example/")
		  PAGE("http://www.w.example/1") PAGE("https://docs.w.example/2") PAGE("https://evil.example/3") PAGE("https://xw.example/4")
		  PAGE("https://example/5") PAGE("https://127.0.0.1/6")) } }, "http://www.w.example/1 https://docs.w.example/2", 1, 0, 4, false, KB_OK },
		{ "parts, each once, and one that lists itself", { { W "s.xml", INDEX(PART(W "s.xml") PART(W "1.xml") PART("1.xml") PART(W "2.xml")) },
		  { W "1.xml", SET(PAGE(W "a")) }, { W "2.xml", SET(PAGE(W "b")) } }, W "a " W "b", 3, 0, 0, false, KB_OK },
		{ "a part that is missing", { { W "s.xml", INDEX(PART(W "0.xml") PART(W "1.xml")) }, { W "1.xml", SET(PAGE(W "a")) } },
		  W "a", 3, 1, 0, false, KB_OK },
		{ "a part that is damaged", { { W "s.xml", INDEX(PART(W "1.xml")) }, { W "1.xml", "<urlset>" PAGE(W "a") "<url" } },
		  W "a", 2, 0, 0, true, KB_OK },
		{ "a site that has moved", { { W "s.xml", SET(PAGE("/a") PAGE("https://new.test/b") PAGE("https://other.test/")), "https://new.test/s.xml" } },
		  "https://new.test/a https://new.test/b", 1, 0, 1, false, KB_OK },
		{ "indexes within indexes end somewhere", { { W "s.xml", INDEX(PART(W "1")) }, { W "1", INDEX(PART(W "2")) }, { W "2", INDEX(PART(W "3")) },
		  { W "3", INDEX(PART(W "4")) }, { W "4", INDEX(PART(W "5") PART(W "6")) } }, "", 5, 0, 0, true, KB_OK },
		{ "pictures", { { W "s.xml", SET("<url><loc>" W "a</loc><image><loc>/p.png</loc></image></url>") } }, W "a+" W "p.png", 1, 0, 0, false, KB_OK },
		{ "no user names and passwords", { { W "s.xml", INDEX(PART("https://u:p@w.example/1.xml") PART(W "2.xml")) },
		  { W "2.xml", SET(PAGE("https://u:p@w.example/a") PAGE("https://u@w.example/b") PAGE(W "c")) },
		  { W "1.xml", SET(PAGE(W "d")) } }, W "c", 2, 0, 0, false, KB_OK },
		{ "nor in the addresses of pictures", { { W "s.xml", SET("<url><loc>" W "a</loc><image><loc>https://u:p@w.example/p.png</loc></image></url>") } },
		  W "a+" W "p.png", 1, 0, 0, false, KB_OK },
		{ "no sitemap at all", { { W "s.xml", "<html><body>x</body></html>" } }, NULL, 1, 0, 0, false, KB_E_UNSUPPORTED },
		{ "it cannot be fetched", { { NULL, NULL } }, NULL, 1, 0, 0, false, KB_E_INVALID },
	};
	// clang-format on
	struct kb_parser *parser = open_parser(t, NULL);

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct web web = { .files = rows[i].files };
		struct kb_sitemap_walk walk = {
			.parser = parser, .fetch = fetch, .found = found, .arg = &web
		};
		struct kb_sitemap_report report;
		struct kb_err err = { 0 };

		t->row = rows[i].name;
		kb_buf_init(&web.found, KB_MIB(1));
		CHECK_INT(t, kb_sitemap_walk(&walk, KB_SV(W "s.xml"), &report, &err),
		          rows[i].want != NULL);
		CHECK_INT(t, err.code, rows[i].code);
		CHECK_SV(t, kb_buf_view(&web.found), rows[i].want ? rows[i].want : "");
		CHECK_INT(t, web.fetched, rows[i].fetched);
		CHECK_INT(t, report.unread, rows[i].unread);
		CHECK_INT(t, report.elsewhere, rows[i].elsewhere);
		CHECK_INT(t, report.cut, rows[i].cut);
		kb_buf_fini(&web.found);
	}
	t->row = NULL;
	kb_parser_close(parser);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = { { "the walk finds what there is",
		                                       test_walk } };

	fixture_init(argv[0]);
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
