/* Which pages are shells that a browser has to fill in: pages as they are met, cut short. */
#include "base/buf.h"
#include "crawl/shell.h"
#include "test.h"

#define HEAD   "<!doctype html><html lang=en><head><title>Velm harbour</title></head><body>"
#define BUNDLE "<script src=\"/static/js/main.8f3a.js\"></script></body></html>"
#define MENU                                                                                       \
	"<header><a href=/>Velm</a><nav><ul><li><a href=/berths>Berths</a><li><a "                 \
	"href=/prices>Prices</a><li><a href=/contact>How to reach us</a></ul></nav></header>"
#define FOOT "<footer><p>Harbour office of Velm, Quay 1, all rights reserved, imprint</p></footer>"
#define SHORT                                                                                      \
	"<p>The harbour office opens at seven in the morning and closes at nine in the "           \
	"evening.</p>"
/* Some 600 bytes. */
#define BANNER                                                                                     \
	"<p>We and our 812 partners store and read information on your device, such as unique "    \
	"identifiers in cookies, to process personal data. You may accept or manage your choices " \
	"at any time on the page about privacy. These choices are told to our partners and do "    \
	"not affect what you see. We use exact data of your place, scan your device for what "     \
	"identifies it, show advertising made for you, measure advertising and content, study "    \
	"audiences and develop services.</p><p>Strictly necessary. Performance. Functional. "      \
	"Targeting. Social media. Accept all. Reject all. Save.</p>"
/* Some 2,000 bytes. */
#define ARTICLE SHORT BANNER SHORT BANNER SHORT BANNER SHORT

static const struct {
	const char *name, *html;
	bool is_shell;
} rows[] = {
	/* ---- frameworks that have written nothing yet ---- */
	{ "create-react-app",
	  HEAD "<noscript>You need to enable JavaScript to run this app.</noscript><div "
	       "id=\"root\"></div>" BUNDLE,
	  true },
	{ "Vue", HEAD "<div id=app></div><!-- built files are injected -->" BUNDLE, true },
	{ "Angular", HEAD "<app-root></app-root>" BUNDLE, true },
	{ "an application's own element", HEAD "<velm-shop-app lang=\"en\"></velm-shop-app>" BUNDLE,
	  true },
	{ "a root that says it is loading",
	  HEAD "<div id=\"root\"><div class=\"spinner\"><p>Loading the harbour, please "
	       "wait…</p></div></div>" BUNDLE,
	  true },
	{ "the same in another language",
	  HEAD "<div id='app'><p>Die Anwendung wird geladen. Laden …</p></div>" BUNDLE, true },
	{ "Next without text of its own",
	  HEAD
	  "<div id=\"__next\"><div class=\"skeleton\"></div></div><script id=\"__NEXT_DATA__\" "
	  "type=\"application/json\">{\"props\":{}}</script>" BUNDLE,
	  true },
	{ "a frame of menu and footer around an empty main",
	  HEAD "<div id=\"app\">" MENU "<main></main>" FOOT "</div>" BUNDLE, true },
	{ "the same with the menu outside", HEAD MENU "<div id=\"root\"></div>" FOOT BUNDLE, true },
	{ "an empty root under a long question about cookies",
	  HEAD "<div id=\"onetrust-banner-sdk\" class=\"otFlat\">" BANNER BANNER
	       "</div><div id=\"root\"></div>" BUNDLE,
	  true },
	{ "the same where nothing names the question",
	  HEAD "<div class=\"b-2f\">" BANNER "</div><div id=\"root\"></div>" BUNDLE, true },
	{ "a question about cookies and nothing else",
	  HEAD MENU "<div class=\"cookie-notice\">" BANNER "</div><div id=\"c7\"></div>" BUNDLE,
	  true },
	{ "AngularJS, with its templates",
	  HEAD "<div ng-app=\"shop\"><h1>{{ title }}</h1><div ng-repeat=\"b in berths\"><p>Berth "
	       "{{ b.name }} costs {{ b.price }} crowns a night, water included, and electricity "
	       "is paid by the unit.</p></div></div>" BUNDLE,
	  true },
	{ "AngularJS, with its outlet", HEAD MENU "<div ng-view></div>" FOOT BUNDLE, true },
	{ "Vue's templates in the page",
	  HEAD "<div id=\"list\" v-cloak><p v-for=\"b in berths\">The berth {{ b.name }} of the "
	       "inner basin is {{ b.length }} metres long and has water and "
	       "electricity.</p></div>" BUNDLE,
	  true },
	{ "a page that asks for JavaScript and has an unknown root",
	  HEAD "<noscript><p>Please activate JavaScript in your browser.</p></noscript><p>Velm "
	       "harbour, the harbour of Velm and its neighbours.</p><div id=x12></div>" BUNDLE,
	  true },
	{ "nothing but a script", HEAD "<script>document.write('all of it')</script>", true },
	{ "a title and a script", HEAD "<h1>Products</h1><div id=x12></div>" BUNDLE, true },
	{ "attributes without quotes, in capitals",
	  HEAD "<DIV ID=ROOT CLASS=x></DIV><SCRIPT SRC=/a.js></SCRIPT>", true },
	{ "a root behind a long style",
	  HEAD "<style>p > a { content: \"<p>The harbour office opens at seven in the morning, and "
	       "that is no text.</p>\" }</style><div id=root></div>" BUNDLE,
	  true },

	/* ---- pages that say what they have to say ---- */
	{ "a short page with a script", HEAD SHORT BUNDLE, false },
	{ "the same between menu and footer", HEAD MENU SHORT FOOT BUNDLE, false },
	{ "the same in a root", HEAD "<div id=\"root\">" MENU SHORT FOOT "</div>" BUNDLE, false },
	{ "the same in main", HEAD MENU "<main>" SHORT "</main>" FOOT BUNDLE, false },
	{ "a short page without any script", HEAD "<div id=root></div><p>Soon.</p></body>", false },
	{ "data for machines are no script",
	  HEAD "<div id=app></div><p>Soon.</p><script type=\"application/ld+json\">{}</script>",
	  false },
	{ "Next with the text that its server wrote",
	  HEAD "<div id=\"__next\">" MENU "<main><h1>Berths</h1>" SHORT "</main></div>" BUNDLE,
	  false },
	{ "an article beside an empty root for its comments",
	  HEAD "<div class=post><h1>Winter</h1>" ARTICLE "</div><div id=\"app\"></div>" BUNDLE,
	  false },
	{ "an article in main beside an empty root",
	  HEAD "<main><h1>Winter</h1>" SHORT "</main><div id=\"app\"></div>" BUNDLE, false },
	{ "an article whose noscript asks for JavaScript",
	  HEAD
	  "<noscript>This site works best with JavaScript.</noscript><h1>Winter</h1>" SHORT BANNER
	          BUNDLE,
	  false },
	{ "a picture that waits for a script",
	  HEAD SHORT "<noscript><img src=a.jpg></noscript>" BUNDLE, false },
	{ "a page about templates",
	  HEAD "<main><p>In a template, write <code>{{ name }}</code> or <code>{{ price }}</code> "
	       "where the value goes, and the page does the rest.</p></main>" BUNDLE,
	  false },
	{ "a page with braces, and no template",
	  HEAD "<p>Where the letter says {{ name }} and {{ street }}, write your own name and "
	       "street before you send it.</p>" BUNDLE,
	  false },
	{ "a class of the whole page says nothing",
	  "<html><body class=\"cookies-not-set\">" SHORT BUNDLE, false },
	{ "less-than signs are text",
	  HEAD "<p>A draught of 2 < 3 metres lies at the inner quay, one of 3 <4 at the outer one."
	       "</p>" BUNDLE,
	  false },
	{ "nothing", "", false },
	{ "a tag that does not end", "<div id=\"root", false },
	{ "a script that does not end", "<div id=root></div><script>", true },
};

static void test_pages(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].name;
		CHECK(t, kb_page_is_shell(kb_sv_str(rows[i].html), true) == rows[i].is_shell);
	}
}

static void test_without_text(struct kb_test *t)
{
	CHECK(t, kb_page_is_shell(kb_sv_str(HEAD SHORT BUNDLE), false));
	CHECK(t, !kb_page_is_shell(kb_sv_str(HEAD SHORT), false));
}

/* What asks about cookies is short; a page about them is not. */
static void test_cookies(struct kb_test *t)
{
	for (size_t banners = 1; banners < 12; banners += 10) {
		struct kb_buf page;

		kb_buf_init(&page, SIZE_MAX);
		kb_buf_str(&page, HEAD MENU "<div class=\"cookie-text\">");
		for (size_t i = 0; i < banners; i++)
			kb_buf_str(&page, BANNER);
		kb_buf_str(&page, "</div><div id=\"x12\"></div>" BUNDLE);
		CHECK(t, kb_page_is_shell(kb_buf_view(&page), true) == (banners == 1));
		kb_buf_fini(&page);
	}
}

/* What has no end costs no more than its length. */
static void test_long_ones(struct kb_test *t)
{
	static const char *const pieces[] = { "<",
		                              "<div ",
		                              "<div id=root>",
		                              "<script>",
		                              "<script></scrip",
		                              "<!--",
		                              "<a b='",
		                              "{{",
		                              "<noscript>",
		                              "<p class=cookie>",
		                              "</div>",
		                              "</script",
		                              "<a =====",
		                              "\xff\xfe",
		                              "<style></" };

	for (size_t i = 0; i < KB_COUNTOF(pieces); i++) {
		struct kb_buf page;

		kb_buf_init(&page, SIZE_MAX);
		while (kb_buf_view(&page).n < 1 << 20)
			kb_buf_str(&page, pieces[i]);
		t->row = pieces[i];
		kb_page_is_shell(kb_buf_view(&page), true);
		kb_buf_fini(&page);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "pages as they are met", test_pages },
		{ "a page without any text", test_without_text },
		{ "questions about cookies, and pages about them", test_cookies },
		{ "pages without an end", test_long_ones },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
