/* Where a page leads, and what it says to crawlers. */
#include <string.h>

#include "../test.h"
#include "base/arena.h"
#include "parse/format.h"
#include "parse/html.h"
#include "parse/html_tree.h"
#include "parse/protocol.h"

/* "a b | canonical | refresh | noindex nofollow" */
static struct kb_sv summary(struct kb_arena *arena, const struct kb_links *links)
{
	struct kb_sv out = KB_SV("");

	for (size_t i = 0; i < links->count; i++)
		out = kb_arena_printf(arena, "%.*s%s%.*s", KB_SV_ARG(out), i ? " " : "",
		                      KB_SV_ARG(links->v[i]));
	if (links->canonical.n)
		out = kb_arena_printf(arena, "%.*s|c %.*s", KB_SV_ARG(out),
		                      KB_SV_ARG(links->canonical));
	if (links->refresh.n)
		out = kb_arena_printf(arena, "%.*s|r %.*s", KB_SV_ARG(out),
		                      KB_SV_ARG(links->refresh));
	return kb_arena_printf(arena, "%.*s%s%s", KB_SV_ARG(out), links->noindex ? "|noindex" : "",
	                       links->nofollow ? "|nofollow" : "");
}

static void test_rows(struct kb_test *t)
{
	// clang-format off
	static const struct {
		const char *name, *html, *want;
	} rows[] = {
		{ "none", "<p>words", "" },
		{ "an absolute one", "<a href='https://y.org/a'>", "https://y.org/a" },
		{ "relative ones, in their order", "<a href=b>b</a><a href=/c>c</a><a href='?d'>d</a>", "http://x.org/a/b http://x.org/c http://x.org/a/?d" },
		{ "with blanks around", "<a href=' b\n'>", "http://x.org/a/b" },
		{ "fragments go", "<a href='b#c'>", "http://x.org/a/b" },
		{ "places of the page itself", "<a href='#top'><a href=''><a>", "" },
		{ "no addresses of the web", "<a href='mailto:a@b'><a href='javascript:x()'><a href='tel:1'><a href='data:,x'>", "" },
		{ "an area", "<map><area href=b></map>", "http://x.org/a/b" },
		{ "a base", "<base href='/z/'><a href=b>", "http://x.org/z/b" },
		{ "the first base counts", "<base target=x><base href='/z/'><base href='/y/'><a href=b>", "http://x.org/z/b" },
		{ "one that is not to be followed", "<a href=b rel='noopener nofollow'><a href=c rel=next>", "http://x.org/a/c" },
		{ "what is said in the head", "<head><link rel=next href=2><link rel=alternate hreflang=de href=/de><link rel=alternate type=application/rss+xml href=/feed><link rel=stylesheet href=/s.css></head>", "http://x.org/a/2 http://x.org/de" },
		{ "its own name", "<link rel=canonical href=/b>", "|c http://x.org/b" },
		{ "where it sends its readers", "<meta http-equiv=Refresh content='0; URL=\"/b\"'>", "|r http://x.org/b" },
		{ "without the word", "<meta http-equiv=refresh content='5;/b'>", "|r http://x.org/b" },
		{ "loading itself anew", "<meta http-equiv=refresh content='300'>", "" },
		{ "not to be found", "<meta name=ROBOTS content='noindex, follow'><a href=b>", "http://x.org/a/b|noindex" },
		{ "not to be followed", "<meta name=robots content='index,nofollow'><a href=b>", "|nofollow" },
		{ "neither", "<meta name=robots content=none><a href=b>", "|noindex|nofollow" },
		{ "another crawler's", "<meta name=googlebot content=noindex>", "" },
		{ "links that cannot be seen are links", "<nav hidden><a href=b></nav>", "http://x.org/a/b" },
		{ "another script's letters", "<a href='/\xe3\x83\x84'>", "http://x.org/%E3%83%84" },
		{ "an entity", "<a href='/b?c=1&amp;d=2'>", "http://x.org/b?c=1&d=2" },
	};
	// clang-format on

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_html_tree tree;
		struct kb_links links = { 0 };

		t->row = rows[i].name;
		kb_html_tree_read(&tree, &arena, kb_sv_str(rows[i].html));
		kb_html_links(&arena, &tree, KB_SV("http://x.org/a/"), &links);
		CHECK_SV(t, summary(&arena, &links), rows[i].want);
		kb_html_tree_fini(&tree);
		kb_arena_fini(&arena);
	}
}

static void test_tracks(struct kb_test *t)
{
	// clang-format off
	static const struct {
		const char *name, *html, *want;
	} rows[] = {
		{ "of each film one", "<video><track src=a.vtt></video><audio><track src=/b.vtt></audio>", "http://x.org/a/a.vtt http://x.org/b.vtt" },
		{ "in the page's language", "<html lang=de-AT><video><track src=a srclang=en default><track src=b srclang=de></video>", "http://x.org/a/b" },
		{ "else what is shown by itself", "<html lang=fr><video><track src=a srclang=en><track src=b srclang=de default></video>", "http://x.org/a/b" },
		{ "else the first", "<video><track src=a srclang=en><track src=b srclang=de></video>", "http://x.org/a/a" },
		{ "chapters say nothing", "<video><track src=a kind=chapters><track src=b kind=metadata><track src=c kind=Captions></video>", "http://x.org/a/c" },
		{ "behind its sources", "<video><source src=v.mp4><source src=v.webm><track src=a></video>", "http://x.org/a/a" },
		{ "no address of the web", "<video><track src='data:text/vtt,x'></video><video><track></video>", "" },
		{ "without a film there is none", "<track src=a.vtt><a href=b.vtt>b</a>", "" },
		{ "files beside a film", "<iframe src=/player></iframe><a href='b.vtt'>b</a><a href='c.SRT?d#e'>c</a><a href='d.vtt.html'>d</a>", "http://x.org/a/b.vtt http://x.org/a/c.SRT?d" },
		{ "each once", "<video><track src=a.vtt></video><a href=a.vtt>a</a>", "http://x.org/a/a.vtt" },
	};
	// clang-format on

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_links links = { 0 };
		struct kb_parsed parsed = { 0 };
		struct kb_html_tree tree;
		struct kb_buf body;
		struct kb_doc doc;
		struct kb_err err;

		t->row = rows[i].name;
		kb_doc_init(&doc, &arena, KB_MIB(1));
		kb_html_tree_read(&tree, &arena, kb_sv_str(rows[i].html));
		kb_html_tracks(&doc, &tree, KB_SV("http://x.org/a/"));
		/* And through a child's message. */
		CHECK(t, kb_doc_done(&doc, &parsed, &err));
		kb_buf_init(&body, SIZE_MAX);
		kb_msg_put_result(&body, &parsed);
		CHECK(t, kb_msg_get_result(&arena, kb_buf_view(&body), &parsed, &err));
		links.v = parsed.tracks;
		links.count = parsed.track_count;
		CHECK_SV(t, summary(&arena, &links), rows[i].want);
		kb_buf_fini(&body);
		kb_html_tree_fini(&tree);
		kb_doc_fini(&doc);
		kb_arena_fini(&arena);
	}
}

static void test_many(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_links links = { 0 }, back;
	struct kb_html_tree tree;
	struct kb_parsed parsed = { 0 };
	struct kb_buf html, body;
	struct kb_err err;

	kb_buf_init(&html, SIZE_MAX);
	for (int i = 0; i < KB_LINKS_MAX + 5; i++)
		kb_buf_printf(&html, "<a href=/%d>", i);
	kb_html_tree_read(&tree, &arena, kb_buf_view(&html));
	kb_html_links(&arena, &tree, KB_SV("http://x.org/"), &links);
	CHECK_INT(t, links.count, KB_LINKS_MAX);
	CHECK(t, links.cut);
	/* And through a child's message. */
	links.noindex = true;
	links.canonical = KB_SV("http://x.org/c");
	parsed.links = links;
	kb_buf_init(&body, SIZE_MAX);
	kb_msg_put_result(&body, &parsed);
	CHECK(t, kb_msg_get_result(&arena, kb_buf_view(&body), &parsed, &err));
	back = parsed.links;
	CHECK(t, back.count == links.count && back.cut && back.noindex && !back.nofollow);
	CHECK_SV(t, back.v[KB_LINKS_MAX - 1], kb_arena_str(&arena, links.v[KB_LINKS_MAX - 1]));
	CHECK_SV(t, back.canonical, "http://x.org/c");
	kb_buf_fini(&body);
	kb_buf_fini(&html);
	kb_html_tree_fini(&tree);
	kb_arena_fini(&arena);
}

/* "block address (text)", for each. */
static struct kb_sv pictures_of(struct kb_arena *arena, const struct kb_parsed *parsed)
{
	struct kb_sv out = KB_SV("");

	for (size_t i = 0; i < parsed->picture_count; i++) {
		const struct kb_picture_link *picture = &parsed->pictures[i];

		out = kb_arena_printf(arena, "%.*s%s%u %.*s", KB_SV_ARG(out), i ? " " : "",
		                      picture->block, KB_SV_ARG(picture->url));
		if (picture->text.n)
			out = kb_arena_printf(arena, "%.*s (%.*s)", KB_SV_ARG(out),
			                      KB_SV_ARG(picture->text));
	}
	return out;
}

static void test_pictures(struct kb_test *t)
{
	// clang-format off
	static const struct {
		const char *name, *text, *want;
		kb_format_reader *read; /* NULL: HTML's */
	} rows[] = {
		{ "none", "<p>words", "" },
		{ "within the text", "<p>one</p><p>two <img src=b.png alt='A  boat'> three</p>", "1 http://x.org/a/b.png (A boat)" },
		{ "between and behind blocks", "<p>one</p><img src=/b.png><p>two</p><img src=/c.png>", "1 http://x.org/b.png 2 http://x.org/c.png" },
		{ "another base", "<base href='http://y.org/'><p>a<img src=b.png>", "0 http://y.org/b.png" },
		{ "what is loaded late", "<p>a<img src='data:image/gif;base64,R0' data-src=b.jpg>", "0 http://x.org/a/b.jpg" },
		{ "ornaments are none", "<p>a<img src=b.gif width=16 height=16><img src=c.gif width=1px>", "" },
		{ "the same one twice", "<p>a<img src=b.png></p><p>b<img src=b.png></p>", "0 http://x.org/a/b.png" },
		{ "no address of the web", "<p>a<img src='javascript:x()'><img src='file:///etc/x.png'><img src='data:image/png;base64,AA'>", "" },
		{ "what cannot be seen", "<p>a</p><div hidden><img src=b.png></div>", "" },
		{ "Markdown", "# Head\n\nOne ![a boat](b.png) two\n\n![x](https://y.org/c.png)\n", "1 http://x.org/a/b.png 2 https://y.org/c.png", kb_markdown_read },
	};
	// clang-format on

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_parse_input in = { .bytes = kb_sv_str(rows[i].text),
			                     .url = KB_SV("http://x.org/a/"),
			                     .fd = -1 };
		struct kb_arena arena = { 0 };
		struct kb_parsed parsed = { 0 };
		struct kb_doc doc;
		struct kb_buf body;
		struct kb_err err;

		t->row = rows[i].name;
		kb_doc_init(&doc, &arena, KB_MIB(1));
		CHECK(t, (rows[i].read ? rows[i].read : kb_html_read)(&in, &doc, &err)
		                 && kb_doc_done(&doc, &parsed, &err));
		CHECK_SV(t, pictures_of(&arena, &parsed), rows[i].want);
		/* And through a child's message. */
		kb_buf_init(&body, SIZE_MAX);
		kb_msg_put_result(&body, &parsed);
		CHECK(t, kb_msg_get_result(&arena, kb_buf_view(&body), &parsed, &err));
		CHECK_SV(t, pictures_of(&arena, &parsed), rows[i].want);
		kb_buf_fini(&body);
		kb_doc_fini(&doc);
		kb_arena_fini(&arena);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what is said in the films of a page", test_tracks },
		{ "where a page leads", test_rows },
		{ "a page with more links than are taken", test_many },
		{ "pictures within a text", test_pictures },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
