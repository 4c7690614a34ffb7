/* What stood before the items of lists: it is not in their texts. */
#include "formats.h"

// clang-format off
static const struct {
	const char *name, *filename, *text, *want;
} cases[] = {
	{ "Markdown: numbers from the first on, and lists in lists", "a.md",
	  "3. three\n\n   goes on\n4. four\n   - inner\n     1. innermost\n5. five\n\nwords\n\n* one\n* two\n",
	  "3. three\ngoes on\n4. four\n  - inner\n    1. innermost\n5. five\nwords\n- one\n- two\n" },
	{ "Markdown: an item without words is none, and what follows no part of it", "a.md",
	  "- ![](a.png)\n\nwords\n\n1. one\n2.\n3. three\n", "words\n1. one\n3. three\n" },
	{ "HTML: where a list begins", "a.html",
	  "<p>Do</p><ol start=' 3 '><li>three<li>four<ul><li>inner</ul></ol><ol><li>one</ol><ul><li>dot</ul>",
	  "Do\n3. three\n4. four\n  - inner\n1. one\n- dot\n" },
	{ "HTML: numbers that are none", "a.html",
	  "<ol start=-2><li>a</ol><ol start=x><li>b</ol><ol start=99999999999><li>c</ol><li>d",
	  "1. a\n1. b\n1. c\n- d\n" },
	{ "HTML: a text of terms has no marks", "a.html",
	  "<dl><dt>Size<dd><p>A long text of it.<ul><li>one</ul></dl>", "Size\nA long text of it.\n- one\n" },
	{ "reStructuredText: numbers, and those it is to count", "a.rst",
	  "#. one\n#. two\n\n   more\n\n#. three\n\n   * inner\n\nwords\n\n#. one\n\n7. seven\n8. eight\n",
	  "1. one\n2. two\nmore\n3. three\n  - inner\nwords\n1. one\n7. seven\n8. eight\n" },
	{ "text: the marks are its own", "a.txt", "- one\n- two\n", "- one\n- two\n" },
};
// clang-format on

static void test_marks(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };
		struct kb_parsed parsed = { 0 };
		struct kb_err err = { 0 };
		struct kb_doc doc;
		struct kb_buf out;

		t->row = cases[i].name;
		kb_buf_init(&out, KB_MIB(1));
		CHECK(t, read_here(&arena, cases[i].filename, kb_sv_str(cases[i].text), &parsed,
		                   &doc, &err));
		for (size_t k = 0; k < parsed.block_count; k++) {
			const struct kb_block *b = &parsed.blocks[k];

			for (uint32_t d = 1; d < b->depth; d++)
				kb_buf_str(&out, "  ");
			if (b->number)
				kb_buf_printf(&out, "%u. ", b->number);
			else if (b->depth)
				kb_buf_str(&out, "- ");
			kb_buf_sv(&out, b->text);
			kb_buf_byte(&out, '\n');
		}
		CHECK_SV(t, kb_buf_view(&out), cases[i].want);
		kb_buf_fini(&out);
		kb_doc_fini(&doc);
		kb_arena_fini(&arena);
	}
}

/* Lists in lists in lists: the deepest are told as the last that has room. */
static void test_deep(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_parsed parsed = { 0 };
	struct kb_err err = { 0 };
	struct kb_doc doc;
	struct kb_buf text;

	kb_buf_init(&text, KB_MIB(1));
	for (int i = 0; i < 40; i++)
		kb_buf_str(&text, "<ol><li>word");
	CHECK(t, read_here(&arena, "a.html", kb_buf_view(&text), &parsed, &doc, &err));
	CHECK_INT(t, parsed.block_count, 40);
	CHECK_INT(t, parsed.blocks[6].depth, 7);
	CHECK_INT(t, parsed.blocks[6].number, 1);
	CHECK_INT(t, parsed.blocks[39].depth, KB_ITEM_DEPTH_MAX);
	CHECK_INT(t, parsed.blocks[39].number, 0);
	kb_buf_fini(&text);
	kb_doc_fini(&doc);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "marks of items", test_marks },
		{ "lists deeper than anybody writes them", test_deep },
	};

	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
