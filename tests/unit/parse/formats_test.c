/* What the blocks of each format of a single file are; archives_test.c has those that are zips. */
#include "base/clock.h"
#include "base/json.h"
#include "formats.h"
#include "parse/pdf.h"
#include <stdlib.h>

// clang-format off
static const struct {
	const char *name, *filename, *text, *format, *want;
} cases[] = {
	{ "checked answers: all questions are the heading, whatever they are like", "a.txt",
	  "%docent-answer 1\nHow old is it?\nMy tower is closed\n\nIt is  old.\n\n---\nVery.\n", "answer",
	  "p[ How old is it?  > My tower is closed] It is old.\np[ How old is it?  > My tower is closed] Very.\n" },
	{ "text: blank lines part paragraphs, lines are joined", "a.txt",
	  "one\ntwo\r\n\r\n three", "text", "p one two\np three\n" },
	{ "text: form feeds are pages", "a.txt", "first\f\fthird", "text", "p1 first\np3 third\n" },
	{ "text: items and underlined titles", "a.txt",
	  "Title\n=====\n\nwords\n\n- one\n- two\n", "text",
	  "h Title\np[Title] words\nl[Title] - one\nl[Title] - two\n" },

	{ "reStructuredText: titles with a line above are of another level", "a.rst",
	  "=====\nGuide\n=====\n\nPart\n====\n\nwords\n\nInner\n-----\n\nmore\n\nNext\n====\n\nend\n", "rst",
	  "h Guide\nh[Guide] Part\np[Guide > Part] words\nh[Guide > Part] Inner\n"
	  "p[Guide > Part > Inner] more\nh[Guide] Next\np[Guide > Next] end\n" },
	{ "reStructuredText: comments, pictures, targets and contents go", "a.rst",
	  ".. _here:\n\n.. a comment\n   of two lines\n\n.. image:: a.png\n   :alt: no\n\n"
	  ".. toctree::\n   :maxdepth: 2\n\n   one\n   two\n\nwords\n", "rst", "p words\n" },
	{ "reStructuredText: a tree of pages gives the titles it has", "a.rst",
	  "Manual\n======\n\n.. toctree::\n   :maxdepth: 2\n\n   Mooring a ship <mooring>\n   fees\n",
	  "rst", "h Manual\nl[Manual] Mooring a ship\n" },
	{ "reStructuredText: boxes are text, code is code", "a.rst",
	  ".. note:: Mind\n   the gap.\n\n   It is wide.\n\n.. code-block:: sh\n   :linenos:\n\n   a b\n     c\n\nSo::\n\n  x = 1\n\nend\n",
	  "rst", "p Mind the gap.\np It is wide.\nc a b\n  c\np So:\nc x = 1\np end\n" },
	{ "reStructuredText: a figure keeps its caption", "a.rst",
	  ".. figure:: a.png\n   :scale: 30 %\n\n   The pump.\n", "rst", "p The pump.\n" },
	{ "reStructuredText: items go on by their indentation", "a.rst",
	  "- one\n  goes on\n\n  and on\n- two\n\n  1. three\n\nend\n", "rst",
	  "l one goes on\nl and on\nl two\nl three\np end\n" },
	{ "reStructuredText: definitions are values or texts", "a.rst",
	  "Weight\n  3 kg\n\nWhat is it?\n  A pump.\n\nend\n", "rst",
	  "l Weight: 3 kg\nh What is it?\np[What is it?] A pump.\np end\n" },
	{ "reStructuredText: fields and options", "a.rst",
	  ":Author: Ann\n\n.. option:: -v\n\n   Says more.\n\nend\n", "rst",
	  "l Author: Ann\nh -v\np[-v] Says more.\np end\n" },
	{ "reStructuredText: inline marks go", "a.rst",
	  "**bold** *it* ``a * b`` `text <http://x>`_ :ref:`Title <t>` word_ a\\*b [1]_ snake_case 2*3*4\n", "rst",
	  "p bold it a * b text Title word a*b [1] snake_case 2*3*4\n" },
	{ "reStructuredText: a table drawn with lines", "a.rst",
	  "+------+-----+\n| Name | Age |\n+======+=====+\n| Ann  | 7   |\n|      | now |\n+------+-----+\n", "rst",
	  "t#1 Name: Ann; Age: 7 now\n" },
	{ "reStructuredText: a simple table", "a.rst",
	  "====  ===\nName  Age\n====  ===\nAnn   7\nBo    8\n====  ===\n\nend\n", "rst",
	  "t#1 Name: Ann; Age: 7\nt#1 Name: Bo; Age: 8\np end\n" },
	{ "reStructuredText: tables by directive", "a.rst",
	  ".. csv-table:: Sizes\n   :header: Name, Age\n\n   Ann, 7\n\n.. list-table::\n   :header-rows: 1\n\n   * - A\n     - B\n   * - 1\n     - 2\n", "rst",
	  "p Sizes\nt#1 Name: Ann; Age: 7\nt#2 A: 1; B: 2\n" },

	{ "Markdown: the heading path follows the levels", "a.md",
	  "# A\n\n## B\n\nx\n\n## C\n\ny\n\n# D\n\nz", "markdown",
	  "h A\nh[A] B\np[A > B] x\nh[A] C\np[A > C] y\nh D\np[D] z\n" },
	{ "Markdown: inline marks go, entities are characters", "a.md",
	  "**bold** *it* `code` [link](http://x) &amp; &#252; <b>tag</b>", "markdown",
	  "p bold it code link & \xc3\xbc tag\n" },
	{ "Markdown: rows of a table carry the column names", "a.md",
	  "| Name | Age |\n|---|---|\n| Ann | 7 |\n| Bo | |\n", "markdown",
	  "t#1 Name: Ann; Age: 7\nt#1 Name: Bo\n" },
	{ "Markdown: code keeps its lines", "a.md", "```\na\n\tb  \n\nc\n```", "markdown",
	  "c a\n    b\n\nc\n" },
	{ "Markdown: nested items are items", "a.md", "- one\n  - two\n- three\n", "markdown",
	  "l one\nl two\nl three\n" },
	{ "Markdown: a block of HTML is read as HTML", "a.md", "<div>\n<p>Hi <i>you</i>\n</div>\n",
	  "markdown", "p Hi you\n" },

	{ "Markdown: boxes are their titles and texts", "a.md",
	  ":::note[Mind this]\nthe gap\n:::\n\n::: tip\nwalk\n:::\n\n!!! warning \"Hot\"\n\n    burns\n\n!!!\n    bare\n\nend\n", "markdown",
	  "p Mind this\np the gap\np walk\np Hot\np burns\np bare\np end\n" },
	{ "Markdown: a folded question is a heading as far as it goes", "a.md",
	  "# FAQ\n\n<Accordion heading_level=\"h4\" question=\"Who pays?\">\nWe [do](x).\n</Accordion>\n\n??? question \"When?\"\n\n    Now.\n\n"
	  "::: details Where?\nHere.\n:::\n\n<details>\n<summary>How <b>much</b>?</summary>\n\nTen.\n</details>\n\nend\n", "markdown",
	  "h FAQ\nh[FAQ] Who pays?\np[FAQ > Who pays?] We do.\nh[FAQ] When?\np[FAQ > When?] Now.\n"
	  "h[FAQ] Where?\np[FAQ > Where?] Here.\nh[FAQ] How much?\np[FAQ > How much?] Ten.\np[FAQ] end\n" },
	{ "Markdown: tabs are headings", "a.md",
	  "=== \"Linux\"\n\n    ```\n    apt\n    ```\n\n=== \"macOS\"\n\n    brew\n\nend\n", "markdown",
	  "h Linux\nc[Linux] apt\nh macOS\np[macOS] brew\np end\n" },
	{ "Markdown: a shortcode's question is a heading as far as it goes", "a.md",
	  "# FAQ\n\n{{% faq \"Who pays?\" %}}\nWe do.\n{{% /faq %}}\n\n{% details When? %}\nNow.\n{% enddetails %}\n\n"
	  "{{< expand title=\"Where?\" >}}Here.{{< /expand >}}\n\n{%- tab 'Linux' -%}\napt\n{%- endtab -%}\n\nend\n", "markdown",
	  "h FAQ\nh[FAQ] Who pays?\np[FAQ > Who pays?] We do.\nh[FAQ] When?\np[FAQ > When?] Now.\n"
	  "h[FAQ] Where?\np[FAQ > Where?] Here.\nh[FAQ] Linux\np[FAQ > Linux] apt\np[FAQ] end\n" },
	{ "Markdown: a shortcode that is never closed keeps its question", "a.md",
	  "{{< faq \"Who pays?\" >}}\n\nWe do.\n\n{{< faq \"When?\" >}}\n\nNow.\n", "markdown",
	  "h Who pays?\np[Who pays?] We do.\nh When?\np[When?] Now.\n" },
	{ "Markdown: other shortcodes go", "a.md",
	  "{{< ref \"page.md\" >}}one {{< youtube \"x1\" >}}two\n\n{% include a.html %}\n\nend {{% /note %}} here\n", "markdown",
	  "p one two\np end here\n" },
	{ "Markdown: terms stand before what they mean, questions above their answers", "a.md",
	  "Kiln\n: An oven for clay.\n: A mill.\n\nIs it hot?\n: Yes.\n  Mind it.\n\nend\n: here it is\n", "markdown",
	  "p Kiln: An oven for clay. A mill.\nh Is it hot?\np[Is it hot?] Yes. Mind it.\np end: here it is\n" },
	{ "Markdown: what is for a tool goes", "a.mdx",
	  "import A from './a'\nimport {\n  B,\n} from 'b';\n\nexport const x = {\n  y: 1,\n};\n\n[[toc]]\n\n# T {#t}\n\n{% include \"a.html\"\n  b=1 %}\n"
	  "{{< tabs >}}one {{% x %}}two{/* no */}\n\n--8<-- \"a.md\"\n{: .note}\n\n<Video src={a > b} />\nend <Icon/>\n", "markdown",
	  "h T\np[T] one two\np[T] end\n" },
	{ "Markdown: code is left as it is", "a.md",
	  "```\nimport A from 'a'\n<Tab>\n:::note\n```\n\n`{% x %}` and `<Tab>`\n\n{% codeblock %}\n:::\n{% endcodeblock %}\n\nimport taxes are due.\n", "markdown",
	  "c import A from 'a'\n<Tab>\n:::note\np {% x %} and <Tab>\nc :::\np import taxes are due.\n" },
	{ "Markdown: a type in angle brackets is no component", "a.md", "A Map<K, V> here.\n", "markdown", "p A Map<K, V> here.\n" },
	{ "Markdown: a tag that never ends is text", "a.md", "<Tab title=\"a\n\nword {% and so on\n", "markdown",
	  "p <Tab title=\"a\np word {% and so on\n" },

	{ "HTML: headings, items and code", "a.html",
	  "<html><body><h1>A</h1><p>one<br>two<p>three<ul><li>x<li>y</ul><pre>if a:\n  b</pre>",
	  "html", "h A\np[A] one two\np[A] three\nl[A] x\nl[A] y\nc[A] if a:\n  b\n" },
	{ "HTML: scripts, styles and forms' choices are no text", "a.html",
	  "<!doctype html><style>p{}</style><script>var x='secret'</script><p>seen"
	  "<select><option>no</select><template>no</template>", "html", "p seen\n" },
	{ "HTML: what is hidden stays out", "a.html",
	  "<!doctype html><p>seen<p hidden>no<p style='display: none'>no<p style='font-size:0'>no"
	  "<p aria-hidden=true>no<p style='color:#fff'>no<p style='opacity:0.0'>no"
	  "<p style='position:absolute;left:-9999px'>no<p style='visibility:hidden'>no"
	  "<div style='height:0;overflow:hidden'>no</div><font color=white>no</font>"
	  "<p style='color:rgb(250,250,250);background:#fff'>no", "html", "p seen\n" },
	{ "HTML: what a click opens is seen, under its question", "a.html",
	  "<!doctype html><h1>FAQ</h1><h2><button aria-expanded=false>Who pays?</button></h2><div hidden>We do.</div>"
	  "<div><button aria-expanded=false aria-controls=x>And when?</button><div id=x style='display:none'>Now.</div></div>"
	  "<details><summary>Where?</summary>Here.</details><dl><dt>How much?<dd>Ten.</dl>end", "html",
	  "h FAQ\nh[FAQ] Who pays?\np[FAQ > Who pays?] We do.\nh[FAQ > Who pays?] And when?\n"
	  "p[FAQ > Who pays? > And when?] Now.\nh[FAQ > Who pays?] Where?\np[FAQ > Who pays? > Where?] Here.\n"
	  "h[FAQ > Who pays?] How much?\nl[FAQ > Who pays? > How much?] Ten.\np[FAQ > Who pays?] end\n" },
	{ "HTML: what a menu or nothing opens stays hidden", "a.html",
	  "<!doctype html><nav><button aria-expanded=false aria-controls=m>All the pages</button><ul id=m hidden><li>no</ul></nav>"
	  "<p>seen<div hidden>no</div><button>Press me now</button><p hidden>no<h2 aria-controls=q>T</h2><p>more<div id=z hidden>no</div>", "html",
	  "p seen\nh T\np[T] more\n" },
	{ "HTML: short terms stand with their values", "a.html",
	  "<!doctype html><dl><dt>Weight:<dd>3 kg<dt>Colour<dd>green<dd>red<dt>Spare</dl>", "html",
	  "l Weight: 3 kg\nl Colour: green\nl Colour: red\nl Spare\n" },
	{ "HTML: what is too small, clipped, shrunk or far away stays out", "a.html",
	  "<!doctype html><p>seen<p style='font-size:1px'>no<p style='font:italic 700 0/0 a'>no"
	  "<p style='font-size:.1em'>no<p style='clip-path:inset(100%)'>no"
	  "<p style='clip-path: inset(50%)'>no<p style='clip-path:circle(0 at 5px 5px)'>no"
	  "<p style='position:absolute;clip:rect(1px, 1px, 1px, 1px)'>no<p style='transform:scale(0)'>no"
	  "<p style='transform: rotate(3deg) scale3d(1,0,1)'>no<p style='scale:0'>no"
	  "<p style='transform:translateX(-9999px)'>no<p style='text-indent:-999em'>no"
	  "<p style='position:absolute;left:99999px'>no<p style='position:fixed;bottom:-2000px'>no"
	  "<p style='width:1px;height:1px;overflow:hidden'>no<p style='filter:opacity(0)'>no"
	  "<p style='content-visibility:hidden'>no<p style='color:red;display:/**/none'>no",
	  "html", "p seen\n" },
	{ "HTML: what is painted in no colour stays out", "a.html",
	  "<!doctype html><style>.x{}</style><p>seen<p style='color:transparent'>no"
	  "<p style='color:rgba(0,0,0,0)'>no<p style='color:#0000'>no<p style='color:#11223300'>no"
	  "<p style='color:rgb(1 2 3 / 0%)'>no<p style='color:hsla(9,9%,9%,0)'>no"
	  "<p class=x style='color:transparent'>no<div style='color:transparent'><b>no</b></div>"
	  "<p style='color:rgb(100%,100%,100%)'>no<p style='-webkit-text-fill-color:transparent'>no",
	  "html", "p seen\n" },
	{ "HTML: what only looks so is seen", "a.html",
	  "<!doctype html><div style='font-size:0'>no<b style='font-size:16px'>a</b>"
	  "<i style='font-size:100%'>no</i></div><p style='font:700 14px Arial'>b"
	  "<p style='color:transparent;background:linear-gradient(red,blue);background-clip:text'>c"
	  "<p style='clip-path:inset(10% 0)'>d<p style='transform:scale(0.5) translate(-50%)'>e"
	  "<p style='width:1%;overflow:hidden'>f<p style='line-height:1;overflow:hidden'>g"
	  "<p style='clip:rect(0 90px 20px 0)'>h<p style='color:rgba(0,0,0,.5)'>i"
	  "<p style='left:-20px;opacity:0.5;font-size:9px'>j", "html",
	  "p a\np b\np c\np d\np e\np f\np g\np h\np i\np j\n" },
	{ "HTML: white on a dark ground is seen", "a.html",
	  "<!doctype html><div style='background:#000'><p style='color:white'>seen</div>", "html",
	  "p seen\n" },
	{ "HTML: rows name their columns; spans carry over", "a.html",
	  "<!doctype html><table><caption>Cap</caption><tr><th>A<th>B<tr><td rowspan=2>1<td>2<tr><td>3"
	  "</table>", "html", "p Cap\nt#1 A: 1; B: 2\nt#1 A: 1; B: 3\n" },
	{ "HTML: a table that lays out the page is text", "a.html",
	  "<!doctype html><table role=presentation><tr><td><p>left<td><p>right</table>", "html",
	  "p left\np right\n" },
	{ "HTML: a page without a body begins with what is no part of a head", "a.html",
	  "<!doctype html><title>T</title><meta charset=utf-8><main><h1>A</h1><p>one</main>", "html",
	  "h A\np[A] one\n" },
	{ "HTML: nor need it be an element of HTML", "a.html",
	  "<!doctype html><title>T</title><x-app><section><p>one</section></x-app>", "html", "p one\n" },
	{ "HTML: two line breaks end a paragraph", "a.html", "<html>one<br><br>two", "html",
	  "p one\np two\n" },
	{ "HTML: told by content whatever the name", "a.txt", "\n<!DOCTYPE html><p>x y", "html",
	  "p x y\n" },
	{ "HTML: elements that are never closed", "a.html", "<html><b><i><div><p>a<div>b", "html",
	  "p a\np b\n" },

	{ "CSV: the delimiter is found; quotes hold it", "a.csv", "a;b\n1;\"x;y\"\n2;\"q\"\"r\"\n", "csv",
	  "t#1 a: 1; b: x;y\nt#1 a: 2; b: q\"r\n" },
	{ "CSV: no header where the first row has figures", "a.csv", "1,2\n3,4\n", "csv",
	  "t#1 1; 2\nt#1 3; 4\n" },
	{ "CSV: a line end within quotes is a blank", "a.tsv", "k\tv\n\"a\nb\"\tc\n", "csv",
	  "t#1 k: a b; v: c\n" },

	{ "JSON: objects of a list are rows", "a.json",
	  "{\"users\":[{\"n\":\"Ann\",\"at\":{\"zip\":1}},{\"n\":\"Bo\",\"tags\":[\"x\",\"y\"]}],\"v\":true}",
	  "json", "t#1 n: Ann; at.zip: 1\nt#1 n: Bo; tags: x, y\nt#1 v: true\n" },
	{ "JSON: escapes are characters", "a.json", "[\"\\u00fc \\ud83d\\ude00 a\\nb\", null]", "json",
	  "t#1 \xc3\xbc \xf0\x9f\x98\x80 a b\n" },
	{ "JSON lines: a value a line", "a.jsonl", "{\"a\":1}\n{\"a\":2}\n", "jsonl",
	  "t#1 a: 1\nt#1 a: 2\n" },
	{ "JSON: what is none is text", "a.json", "{not json", "json", "p {not json\n" },

	{ "XML: records are rows, prose is paragraphs", "a.xml",
	  "<?xml version='1.0'?><r><i><a>1</a><b>2</b></i><p>say <em>hi</em> now</p></r>", "xml",
	  "t#1 a: 1; b: 2\np say hi now\n" },
	{ "RTF: code pages, characters, hidden text", "a.rtf",
	  "{\\rtf1\\ansi\\ansicpg1251{\\fonttbl{\\f0 Arial;}}\\'cf\\'f0\\'e8 \\u8364?{\\v no}{\\*\\x no}\\par b}",
	  "rtf", "p При €\np b\n" },
	{ "mail: subject, sender, decoded words, the richer telling", "a.eml",
	  "From: a@b\nTo: c\nDate: Monday\nMIME-Version: 1.0\nSubject: =?utf-8?Q?Caf=C3=A9?= =?utf-8?B?w7w=?=\n"
	  "Content-Type: multipart/alternative; boundary=\"x;y\"\n\n--x;y\n\nplain\n--x;y\n"
	  "Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<p>ri=\nch =C3=BC</p>\n--x;y--\n",
	  "email", "h Café\xc3\xbc\np[Café\xc3\xbc] From: a@b; To: c; Date: Monday\np[Café\xc3\xbc] rich ü\n" },
	{ "subtitles: what is said and when, without marks", "a.vtt",
	  "WEBVTT\n\nNOTE hidden\n\n1\n00:01.000 --> 00:02.000\n<v Ann>Hi &amp; hello\nyou.\n", "subtitles",
	  "p@1 Hi & hello you.\n" },
	{ "subtitles: what their head says", "a.vtt",
	  "WEBVTT - The tour\nKind: captions\nLanguage: de-AT\n\n00:01.000 --> 00:02.000\nHallo.\n", "subtitles", "p@1 Hallo.\n" },
	{ "subtitles: captions that roll say each line once", "a.vtt",
	  "WEBVTT\n\n00:01.000 --> 00:02.000\n \nwelcome<00:01.500><c> to</c>\n\n00:02.000 --> 00:02.010\nwelcome to\n \n\n"
	  "00:02.010 --> 00:04.000\nwelcome to\nthe harbour\n", "subtitles", "p@1 welcome to the harbour\n" },
	{ "subtitles: hours, and times that are none", "a.srt",
	  "1\n01:02:03,500 --> 01:02:04,000\nHi.\n\n2\nx:y --> z\nyou.\n", "subtitles", "p@3723 Hi. you.\n" },
	{ "subtitles: whoever is silent for a while begins anew", "a.srt",
	  "1\n00:00:01,000 --> 00:00:02,000\nHi.\n\n2\n00:00:21,000 --> 00:00:22,000\nyou.\n\n"
	  "3\n00:01:23,000 --> 00:01:24,000\nWho\nis it?\n", "subtitles", "p@1 Hi. you.\np@83 Who is it?\n" },
	{ "XML: entities of its own are not expanded", "a.xml",
	  "<?xml version='1.0'?><!DOCTYPE r [<!ENTITY x 'bomb'><!ENTITY f SYSTEM 'file:///etc/passwd'>]>"
	  "<r><a>one &x;&f;</a></r>", "xml", "t#1 a: one\n" },
};
// clang-format on

static void test_formats(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		t->row = cases[i].name;
		check(t, cases[i].filename, kb_sv_str(cases[i].text), cases[i].format,
		      cases[i].want);
	}
}

static void test_refusals(struct kb_test *t)
{
	refuse(t, "a.rst", KB_SV("Manual\n======\n\n.. toctree::\n\n   mooring\n   fees\n"),
	       "the page is only a table of contents: it leads to other pages and has no text of "
	       "its "
	       "own");
	refuse(t, "a.zip", KB_SV("PK\x03\x04 cut"),
	       "the file is damaged, or an archive that is no ZIP; upload the files in it");
}

static void test_offsets(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_parsed parsed = { 0 };
	struct kb_err err = { 0 };
	struct kb_doc doc;
	size_t at = 0;

	CHECK(t, read_here(&arena, "a.md", KB_SV("# \xc3\xbc\n\none\n\n- two\n- three"), &parsed,
	                   &doc, &err));
	for (size_t i = 0; i < parsed.block_count; i++) {
		CHECK_INT(t, parsed.blocks[i].offset, at);
		at += parsed.blocks[i].text.n + 1;
	}
	CHECK_INT(t, parsed.block_count, 4);
	kb_doc_fini(&doc);
	kb_arena_fini(&arena);
}

static void test_metadata(struct kb_test *t)
{
	// clang-format off
	static const struct {
		const char *name, *filename, *text, *title, *lang, *description, *image;
	} rows[] = {
		{ "Open Graph first", "a.html",
		  "<html lang=en-GB><head><title>Page | Site</title><meta property=og:title content='The Page'>"
		  "<meta name=description content='About &amp; so'><meta property=og:image content=http://x/y.png>"
		  "</head><p>text", "The Page", "en", "About & so", "http://x/y.png" },
		{ "the site's name goes", "a.html", "<html><title>Returns - Shop</title><h1>Returns</h1><p>x",
		  "Returns", "", "", "" },
		{ "a title alone stays whole", "a.html", "<html><title>Well-known facts</title><p>x",
		  "Well-known facts", "", "", "" },
		{ "the heading where there is no title", "a.html", "<html><h1>Only <i>me</i></h1><p>x",
		  "Only me", "", "", "" },
		{ "front matter", "a.md", "---\ntitle: \"Front\"\nlang: de\n---\n# Other\n\nx", "Front", "de",
		  "", "" },
		{ "the first heading of Markdown", "a.md", "# Top\n\nx", "Top", "", "", "" },
	};
	// clang-format on

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_parsed parsed = { 0 };
		struct kb_err err = { 0 };
		struct kb_doc doc;

		t->row = rows[i].name;
		CHECK(t, read_here(&arena, rows[i].filename, kb_sv_str(rows[i].text), &parsed, &doc,
		                   &err));
		CHECK_SV(t, parsed.title, rows[i].title);
		CHECK_SV(t, parsed.lang, rows[i].lang);
		CHECK_SV(t, parsed.description, rows[i].description);
		CHECK_SV(t, parsed.image, rows[i].image);
		kb_doc_fini(&doc);
		kb_arena_fini(&arena);
	}
}

static void test_dates(struct kb_test *t)
{
	// clang-format off
	static const struct {
		const char *name, *filename, *text, *want;
	} rows[] = {
		{ "HTML: the later of published and modified", "a.html",
		  "<html><meta property=article:modified_time content='2024-05-06T10:00:00+02:00'>"
		  "<meta property=article:published_time content='2023-01-02'><p>text", "2024-05-06T08:00:00.000000Z" },
		{ "HTML: Dublin Core", "a.html", "<html><meta name=DCTERMS.modified content=2022-03-04><p>x",
		  "2022-03-04T00:00:00.000000Z" },
		{ "HTML: JSON-LD of the article", "a.html",
		  "<html><script type='application/ld+json'>{\"@context\":\"https://schema.org\",\"@type\":\"NewsArticle\","
		  "\"datePublished\":\"2023-01-02\",\"dateModified\":\"2024-05-06T10:00:00+02:00\"}</script><p>text",
		  "2024-05-06T08:00:00.000000Z" },
		{ "HTML: JSON-LD of a graph, of several types, in the body, in several scripts", "a.html",
		  "<p>text<script type=' Application/LD+JSON '>{\"@type\":\"Organization\"}</script>"
		  "<script type='application/ld+json'>{\"@graph\":[{\"@type\":[\"Thing\",\"WebPage\"],"
		  "\"dateModified\":\"2022-03-04\"}]}</script>", "2022-03-04T00:00:00.000000Z" },
		{ "HTML: JSON-LD of comments, events and what is behind another page says nothing", "a.html",
		  "<script type='application/ld+json'>[{\"@type\":\"Comment\",\"dateModified\":\"2022-03-04\"},"
		  "{\"@type\":\"Event\",\"datePublished\":\"2022-03-04\"},{\"@type\":\"WebSite\",\"hasPart\":"
		  "{\"@type\":\"Article\",\"dateModified\":\"2022-03-04\"}},7,null]</script><p>x", "" },
		{ "HTML: JSON-LD with a mistake says nothing, and the next is read", "a.html",
		  "<script type='application/ld+json'>{\"@type\":\"Article\",\"dateModified\":\"2025-03-04\",}</script>"
		  "<script type='application/ld+json'>{\"@type\":\"Article\",\"dateModified\":\"2022-03-04\"}</script><p>x",
		  "2022-03-04T00:00:00.000000Z" },
		{ "HTML: another script is none", "a.html",
		  "<script>{\"@type\":\"Article\",\"dateModified\":\"2025-03-04\"}</script><p>x", "" },
		{ "HTML: what is no date says nothing", "a.html", "<html><meta name=date content=yesterday><p>x", "" },
		{ "front matter", "a.md", "---\ntitle: T\ndate: \"2024-01-02\"\nlastmod: 2024-02-03\n---\nx",
		  "2024-02-03T00:00:00.000000Z" },
		{ "a date in the text is none of the document", "a.md", "# Of 2024-01-02\n\ndate: 2024-01-02", "" },
		{ "mail", "a.eml", "From: a@b\nTo: c@d\nDate: Tue, 5 Mar 2024 09:00:00 +0100\nSubject: Hi\n\nHi there",
		  "2024-03-05T08:00:00.000000Z" },
	};
	// clang-format on

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_parsed parsed = { 0 };
		char text[KB_TIME_TEXT] = "";
		struct kb_err err = { 0 };
		struct kb_doc doc;

		t->row = rows[i].name;
		CHECK(t, read_here(&arena, rows[i].filename, kb_sv_str(rows[i].text), &parsed, &doc,
		                   &err));
		if (parsed.dated_at)
			kb_time_format(text, parsed.dated_at);
		CHECK_SV(t, kb_sv_str(text), rows[i].want);
		kb_doc_fini(&doc);
		kb_arena_fini(&arena);
	}
}

static void test_kinds(struct kb_test *t)
{
	// clang-format off
	static const struct { const char *name, *filename; struct kb_sv bytes; enum kb_format format; } rows[] = {
		{ "HTML in UTF-16", "a", KB_SV_INIT("\xff\xfe<\0h\0t\0m\0l\0>\0x\0"), KB_FORMAT_HTML },
		{ "a PDF called .docx", "a.docx", KB_SV_INIT("junk\n%PDF-1.7"), KB_FORMAT_PDF },
		{ "RTF called .doc", "a.doc", KB_SV_INIT("{\\rtf1 x}"), KB_FORMAT_RTF },
		{ "HTML within Markdown stays Markdown", "a.md", KB_SV_INIT("<h1>x</h1>"), KB_FORMAT_MARKDOWN },
		{ "mail by its head", "a.txt", KB_SV_INIT("From: a@b\nTo: c@d\nSubject: x\n\nhi"), KB_FORMAT_EMAIL },
		{ "a letter that begins with From is text", "a.txt", KB_SV_INIT("From here on: x\nyes"), KB_FORMAT_TEXT },
		{ "subtitles by their form", "a.txt", KB_SV_INIT("1\n00:00:01,000 --> 00:00:02,000\nHi"), KB_FORMAT_SUBTITLES },
		{ "MPEG audio", "a", KB_SV_INIT("\xff\xfb\x90\x64"), KB_FORMAT_MEDIA },
		{ "a film by its box", "a", KB_SV_INIT("\0\0\0\x18" "ftypmp42"), KB_FORMAT_MEDIA },
		{ "XML by its declaration", "a", KB_SV_INIT("<?xml version='1.0'?><a/>"), KB_FORMAT_XML },
		{ "XHTML is HTML", "a.xml", KB_SV_INIT("<?xml version='1.0'?><!DOCTYPE html><html/>"), KB_FORMAT_HTML },
		{ "bytes without a form", "a.txt", KB_SV_INIT("\x93\x01\xfe\x02\x11\x80\x03\xc1\x04\x05"), KB_FORMAT_UNKNOWN },
		{ "a damaged zip is no document", "a.docx", KB_SV_INIT("PK\x03\x04 cut"), KB_FORMAT_ARCHIVE },
	};
	// clang-format on

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_parse_input in = { .bytes = rows[i].bytes,
			                     .filename = kb_sv_str(rows[i].filename),
			                     .fd = -1 };

		t->row = rows[i].name;
		CHECK_INT(t, kb_detect(&in), rows[i].format);
	}
}

/* ---- main content */

#define PROSE                                                                                      \
	"<p>The kiln is fired on Fridays, and only then, because the gas is cheaper at the end "   \
	"of "                                                                                      \
	"the week than at its beginning.</p>"

static void test_main_content(struct kb_test *t)
{
	// clang-format off
	static const struct { const char *name, *html, *in, *out; } rows[] = {
		{ "navigation and footer", "<nav><a href=/>Start</a> menu words</nav>" PROSE PROSE
		  "<footer>imprint of the company, since 1990.</footer>", "kiln", "imprint" },
		{ "a sidebar by its name", PROSE "<div class='right-sidebar'>" PROSE "secretword, and more."
		  "</div>" PROSE PROSE, "Fridays", "secretword" },
		{ "comments", "<div class=article>" PROSE PROSE PROSE "</div><div id=comments>"
		  "<p>I do not agree with secretword, since it was cold and wet, all of the time.</p></div>",
		  "kiln", "secretword" },
		{ "lists of links", "<div>" PROSE PROSE "<ul><li><a href=/1>Other page one secretword</a>"
		  "<li><a href=/2>Other page two</a></ul>" PROSE "</div>", "kiln", "secretword" },
		{ "the heading before the content stays", "<header><h1>Kilns of the north</h1></header><div>"
		  PROSE PROSE "</div>", "Kilns of the north", NULL },
		{ "a section named like furniture stays", "<div>" PROSE PROSE "<section id=search><h2>Search"
		  "</h2><p>The search finds kilns by the colour of their glaze, and by nothing else.</p>"
		  "</section>" PROSE "</div>", "by the colour", NULL },
		{ "code stays", "<div>" PROSE "<pre>fire --hot</pre>" PROSE "</div>", "fire --hot", NULL },
		{ "a page without prose is kept", "<main><h1>Index</h1><ul><li><a href=/a>Alpha</a><li>"
		  "<a href=/b>Beta</a></ul></main>", "Alpha", NULL },
	};
	// clang-format on

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_parsed parsed = { 0 };
		struct kb_err err = { 0 };
		struct kb_doc doc;
		struct kb_sv html =
		        kb_arena_printf(&arena, "<!doctype html><body>%s", rows[i].html);
		struct kb_buf out;

		t->row = rows[i].name;
		kb_buf_init(&out, KB_MIB(1));
		CHECK(t, read_here(&arena, "a.html", html, &parsed, &doc, &err));
		dump(&parsed, &out);
		CHECK(t, kb_sv_find(kb_buf_view(&out), kb_sv_str(rows[i].in)) >= 0);
		CHECK(t, !rows[i].out || kb_sv_find(kb_buf_view(&out), kb_sv_str(rows[i].out)) < 0);
		kb_buf_fini(&out);
		kb_doc_fini(&doc);
		kb_arena_fini(&arena);
	}
}

/* ---- PDF, through a child that may start pdftotext */

static void test_pdf(struct kb_test *t)
{
	static const char text[] =
	        "%PDF-1.4\n"
	        "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
	        "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
	        "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 "
	        "R/Resources<</Font<</F 5 0 R>>>>>>endobj\n"
	        "5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n"
	        "4 0 obj<</Length 260>>stream\n"
	        "BT /F 24 Tf 72 700 Td (The kiln) Tj ET\n"
	        "BT /F 12 Tf 72 650 Td (It is fired on Fridays, when gas is cheap, and is re-) Tj "
	        "0 -14 Td (opened on Sundays when the glaze has cooled down.) Tj ET\n"
	        "endstream endobj\n"
	        "trailer<</Root 1 0 R>>\n%%EOF\n";
	static const char empty[] = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
	                            "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
	                            "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\n"
	                            "trailer<</Root 1 0 R>>\n%%EOF\n";
	struct kb_parser *parser = open_parser(t, NULL);
	struct kb_arena arena = { 0 };
	struct kb_parsed parsed = { 0 };
	struct kb_err err = { 0 };
	struct kb_buf out;

	kb_buf_init(&out, KB_MIB(1));
	CHECK(t, parse_text(parser, &arena, "a.txt", kb_sv_str(text), &parsed, &err));
	CHECK_SV(t, kb_sv_str(err.msg), "");
	dump(&parsed, &out);
	CHECK_SV(t, kb_buf_view(&out),
	         "h1 The kiln\n"
	         "p1[The kiln] It is fired on Fridays, when gas is cheap, and is reopened on "
	         "Sundays "
	         "when the glaze has cooled down.\n");
	CHECK_SV(t, parsed.title, "The kiln");
	CHECK_INT(t, parsed.pages, 1);
	CHECK(t, !parse_text(parser, &arena, "a.pdf", kb_sv_str(empty), &parsed, &err));
	CHECK_SV(t, kb_sv_str(err.msg),
	         "the PDF has no text layer (scanned?), and text in pictures was left alone, "
	         "because is_ocr_enabled was 0");
	CHECK(t,
	      !parse_text(parser, &arena, "a.pdf", KB_SV("%PDF-1.4 and nothing"), &parsed, &err));
	CHECK_SV(t, kb_sv_str(err.msg), "the PDF is damaged");
	kb_buf_fini(&out);
	kb_parser_close(parser);
	kb_arena_fini(&arena);
}

static void test_right_to_left(struct kb_test *t)
{
	// clang-format off
	static const struct { const char *name, *painted, *read; } lines[] = {
		{ "a line from left to right stays", "Open Source (2)", "Open Source (2)" },
		{ "words and letters are turned", "\xd7\x9d\xd7\x9c\xd7\x95\xd7\xa2 \xd7\x9d\xd7\x95\xd7\x9c\xd7\xa9",
		  "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xd7\xa2\xd7\x95\xd7\x9c\xd7\x9d" },
		{ "figures and Latin words are not", "1,250.75 PDF A4 \xd7\x9d\xd7\x95\xd7\x9c\xd7\xa9\xd7\x9d\xd7\x95\xd7\x9c\xd7\xa9\xd7\xa9\xd7\xa9\xd7\xa9\xd7\xa9",
		  "\xd7\xa9\xd7\xa9\xd7\xa9\xd7\xa9\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d 1,250.75 PDF A4" },
		{ "brackets are mirrored", "(\xd7\x9d\xd7\x95)", "(\xd7\x95\xd7\x9d)" },
	};
	// clang-format on
	struct kb_arena arena = { 0 };
	size_t order[KB_PDF_WORDS_MAX], count;

	for (size_t i = 0; i < KB_COUNTOF(lines); i++) {
		t->row = lines[i].name;
		CHECK_SV(t, kb_pdf_logical(&arena, kb_sv_str(lines[i].painted), order, &count),
		         lines[i].read);
	}
	t->row = "the last of the painted words is read first, but for what runs as it is painted";
	kb_pdf_logical(&arena, kb_sv_str(lines[2].painted), order, &count);
	CHECK_INT(t, count, 4);
	CHECK(t, order[0] == 3 && order[1] == 0 && order[2] == 1 && order[3] == 2);
	kb_arena_fini(&arena);
}

/* ---- bombs */

static char *repeat(const char *text, size_t times)
{
	size_t n = strlen(text);
	char *out = kb_xmalloc(n * times + 1);

	for (size_t i = 0; i < times; i++)
		memcpy(out + i * n, text, n);
	out[n * times] = 0;
	return out;
}

static void test_bombs(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_parsed parsed = { 0 };
	struct kb_err err = { 0 };
	struct kb_doc doc;
	char *zeros = repeat(" ", KB_MIB(8)), *divs = repeat("<div>", 60000);
	char *lists = repeat("[", 100000), *marks = repeat("> ", 20000);
	char *cells = repeat("a,", 200000), *tags = repeat("<a>", 300);
	const struct member members[] = { TYPES, { "word/document.xml", zeros } };

	t->row = "a part of a zip that unpacks to far more than its size";
	refuse(t, "a.docx", make_zip(&arena, members, 2),
	       "a part of the file unpacks to more than 250 times its size");
	t->row = "HTML that never closes its elements";
	CHECK(t, !read_here(&arena, "a.html", kb_sv_str(divs), &parsed, &doc, &err));
	kb_doc_fini(&doc);
	t->row = "lists in lists in JSON";
	refuse(t, "a.json", kb_sv_str(lists), "the JSON is nested deeper than 500 levels");
	t->row = "elements in elements in XML";
	refuse(t, "a.xml", kb_arena_printf(&arena, "<?xml version='1.0'?>%s", tags),
	       "the XML is damaged, nested deeper than 256 levels, or has an element of over 1000 "
	       "attributes");
	t->row = "a line of CSV with more cells than columns are kept";
	CHECK(t, read_here(&arena, "a.csv", kb_sv_str(cells), &parsed, &doc, &err));
	CHECK_INT(t, parsed.block_count, 1);
	kb_doc_fini(&doc);
	t->row = "quotes in quotes in Markdown";
	CHECK(t, read_here(&arena, "a.md", kb_arena_printf(&arena, "%sx", marks), &parsed, &doc,
	                   &err));
	kb_doc_fini(&doc);
	free(zeros);
	free(divs);
	free(lists);
	free(marks);
	free(cells);
	free(tags);
	kb_arena_fini(&arena);
}

static void test_json_form(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_parsed parsed = { 0 }, again = { 0 };
	struct kb_err err = { 0 };
	struct kb_buf json, a, b;
	struct kb_doc doc;
	struct kb_jw jw;

	kb_buf_init(&json, KB_MIB(1));
	kb_buf_init(&a, KB_MIB(1));
	kb_buf_init(&b, KB_MIB(1));
	CHECK(t,
	      read_here(&arena, "a.md", KB_SV("# A <b>\n\n| x |\n|--|\n| 1 |\n\n```\nc\nd\n```\n"),
	                &parsed, &doc, &err));
	kb_jw_init(&jw, &json);
	kb_parsed_write(&parsed, &jw);
	CHECK(t, kb_parsed_read(&arena, kb_buf_view(&json), &again, &err));
	CHECK_SV(t, again.title, "A");
	dump(&parsed, &a);
	dump(&again, &b);
	CHECK(t, a.n && kb_sv_eq(kb_buf_view(&a), kb_buf_view(&b)));
	CHECK(t, !kb_parsed_read(&arena, KB_SV("{}"), &again, &err));
	CHECK(t, !kb_parsed_read(&arena, KB_SV("{\"blocks\":[{\"type\":\"x\"}]}"), &again, &err));
	CHECK_SV(t, kb_sv_str(err.msg), "block 0 of the parsed document is malformed");
	kb_buf_fini(&json);
	kb_buf_fini(&a);
	kb_buf_fini(&b);
	kb_doc_fini(&doc);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "documents of each format become the right blocks", test_formats },
		{ "what has nothing to read says why", test_refusals },
		{ "the kind is told by content first", test_kinds },
		{ "offsets are places in the text joined by line ends", test_offsets },
		{ "title, language, description and picture are found", test_metadata },
		{ "a document says when it was written", test_dates },
		{ "the main content of a page is kept and the rest is not", test_main_content },
		{ "PDF", test_pdf },
		{ "lines from right to left are read as they are written", test_right_to_left },
		{ "bombs are refused or read in bounded space", test_bombs },
		{ "a parsed document survives its JSON form", test_json_form },
	};

	fixture_init(argv[0]);
	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
