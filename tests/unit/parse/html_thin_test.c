/* Elements with too many attributes, in HTML and in XML: what is left, and the time they take. */
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "parse/html_tree.h"
#include "parse/sandbox.h"
#include "parse/xml.h"
#include "test.h"

/* Puts `attrs` attributes "a0='1' a1='1' …" in place of each '@'. */
static struct kb_sv filled(struct kb_arena *arena, const char *text, int attrs)
{
	struct kb_buf buf;
	struct kb_sv out;

	kb_buf_init(&buf, SIZE_MAX);
	for (; *text; text++) {
		if (*text != '@')
			kb_buf_byte(&buf, *text);
		for (int i = 0; *text == '@' && i < attrs; i++)
			kb_buf_printf(&buf, "a%d='1' ", i);
	}
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

static void test_rows(struct kb_test *t)
{
	/* want: with KB_HTML_ATTRS_MAX attributes for '@', where text has more. NULL: the same
	 * text.
	 */
	static const struct {
		const char *name, *text, *want;
	} rows[] = {
		{ "those over the limit go", "<p @b c='x y'>text</p><p d>", "<p @>text</p><p d>" },
		{ "in any element", "<p x='>'>t<i\n@/>u<b @>v", "<p x='>'>t<i\n@/>u<b @>v" },
		{ "a value may hold the tag's end", "<p @b='>' c=\">\">text", "<p @>text" },
		{ "a value without quotes ends at a blank", "<p @b=x/y>text", "<p @>text" },
		{ "a tag that does not end", "<p @b=\"x", "<p @" },
		{ "what is no attribute counts as one", "<p @\"x\" = ' y>text", "<p @>text" },
		{ "a comment holds no tag", "<!-- <p @> -->text", NULL },
		{ "one that ends as it begins is none", "<!--><p @b='>'><!---><i @b>",
		  "<!--><p @><!---><i @>" },
		{ "and one may end with a cry", "<!-- --!><p @b>-->", "<!-- --!><p @>-->" },
		{ "nor does a script", "<script>if (a <b @) x()</script>text", NULL },
		{ "nor a style", "<STYLE><p @></STYLE>", NULL },
		{ "but what follows them does", "<script></script><!----><p @>",
		  "<script></script><!----><p @>" },
		{ "end tags and declarations have none", "</p @><!DOCTYPE @><?php @?>", NULL },
		{ "a declaration holds no comment", "<!DOCTYPE x \"<!--\"><p @b>",
		  "<!DOCTYPE x \"<!--\"><p @>" },
		{ "a sign is no tag", "1 < 2 @", NULL },
	};
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_sv text = filled(&arena, rows[i].text, KB_HTML_ATTRS_MAX + 7);
		struct kb_sv few = filled(&arena, rows[i].text, KB_HTML_ATTRS_MAX - 7);
		struct kb_sv want =
		        rows[i].want ? filled(&arena, rows[i].want, KB_HTML_ATTRS_MAX) : text;

		t->row = rows[i].name;
		CHECK(t, kb_sv_eq(kb_html_thin(&arena, text), want));
		CHECK(t, kb_sv_eq(kb_html_thin(&arena, few), few));
	}
	t->row = NULL;
	kb_arena_fini(&arena);
}

static void ignore_start(void *arg, const char *name, const struct kb_xml_attr *attrs, size_t count)
{
	(void)arg;
	(void)name;
	(void)attrs;
	(void)count;
}

static void ignore_end(void *arg, const char *name)
{
	(void)arg;
	(void)name;
}

static void ignore_text(void *arg, struct kb_sv text)
{
	(void)arg;
	(void)text;
}

static bool read_xml(struct kb_sv text)
{
	static const struct kb_xml_handler handler = { ignore_start, ignore_end, ignore_text };
	struct kb_xml *xml = kb_xml_open(&handler, NULL);
	bool ok = true;

	for (size_t at = 0; ok && at < text.n; at += 1000)
		ok = kb_xml_feed(xml, kb_sv_sub(text, at, KB_MIN((size_t)1000, text.n - at)));
	return kb_xml_close(xml) && ok;
}

static void test_xml(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_buf many, few;

	kb_buf_init(&many, SIZE_MAX);
	kb_buf_init(&few, SIZE_MAX);
	kb_buf_str(&many, "<r");
	kb_buf_str(&few, "<r><![CDATA[ a < b '");
	for (int i = 0; i <= KB_XML_ATTRS_MAX; i++) {
		kb_buf_printf(&many, " a%d='>'", i);
		kb_buf_printf(&few, "]]><e a='=' b='1'/>x = y <![CDATA[");
	}
	kb_buf_str(&many, "/>");
	kb_buf_str(&few, "]]></r>");
	CHECK(t, !read_xml(kb_buf_view(&many)));
	CHECK(t, read_xml(kb_buf_view(&few)));
	kb_buf_fini(&many);
	kb_buf_fini(&few);
	kb_arena_fini(&arena);
}

/* Processor time that an element of so many attributes takes. */
static double seconds_for(bool is_xml, int attrs)
{
	struct kb_arena arena = { 0 };
	struct kb_sv text = filled(&arena, "<!doctype html><p @>text", attrs);
	struct kb_html_tree tree;
	struct timespec from, to;

	if (is_xml)
		text = filled(&arena, "<r @/>", attrs);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	if (is_xml) {
		read_xml(text);
	} else {
		kb_html_tree_read(&tree, &arena, text);
		kb_html_tree_fini(&tree);
	}
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	kb_arena_fini(&arena);
	return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

/* Eight times the attributes may take thirty times as long; squares would take 64 times. */
static void test_linear(struct kb_test *t)
{
	if (KB_SANDBOX_UNDER_SANITIZER)
		return; /* its own work, which grows otherwise, is what would be timed */
	for (int xml = 0; xml < 2; xml++)
		CHECK(t, seconds_for(xml, 160000) < 30 * (seconds_for(xml, 20000) + .0005));
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "an element keeps its first thousand attributes", test_rows },
		{ "XML with more is damaged", test_xml },
		{ "the time for an element grows with its attributes", test_linear },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
