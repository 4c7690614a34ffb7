#include "test.h"

#include <string.h>

#include "answer/excerpt.h"
#include "base/utf8.h"

static void test_trim(struct kb_test *t)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "Seven crowns.", "Seven crowns." },
		{ "Seven crowns.[^1]", "Seven crowns." },
		{ "Seven crowns. [^1][^22] {: .note}", "Seven crowns." },
		{ "Fees {#fees .big}", "Fees" },
		{ "Write {{ name }}", "Write {{ name }}" },
		{ "One of [a-z]", "One of [a-z]" },
		{ "{% raw %}", "" },
		{ "| --- | --- |", "" },
		{ "a [^1] b", "a [^1] b" },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		t->row = cases[i].text;
		CHECK_SV(t, kb_excerpt_trim(kb_sv_str(cases[i].text)), cases[i].want);
	}
	t->row = NULL;
}

static void test_clean(struct kb_test *t)
{
	static const struct {
		const char *name, *text, *want;
	} cases[] = {
		{ "plain words stay", "Goods go  back\twithin 30 days.",
		  "Goods go back within 30 days." },
		{ "headings, quotes and lists", "## Returns\n\n> Note\n- one\n* two\n",
		  "Returns\nNote\n• one\n• two" },
		{ "emphasis and code", "The **tank** holds `1.8` litres.",
		  "The tank holds 1.8 litres." },
		{ "links and pictures",
		  "See [the manual](https://a.example/x) and ![a tank](t.png).",
		  "See the manual and a tank." },
		{ "brackets that are no link", "Choose [a] (or b).", "Choose [a] (or b)." },
		{ "a table", "| Size | Price |\n| --- | ---: |\n| S | 7 |", "Size · Price\nS · 7" },
		{ "a bar in a sentence", "a | b", "a | b" },
		{ "shortcodes", "{{% notice %}}\nMind it.\n{{% /notice %}}\n{% raw %}{{< x >}}",
		  "Mind it." },
		{ "holes that documents speak of", "Write {{ name }} and {name}.",
		  "Write {{ name }} and {name}." },
		{ "attributes and footnotes", "Fees {#fees .big}\nSeven [^a-z] crowns.[^1]",
		  "Fees\nSeven [^a-z] crowns." },
		{ "tags are meant, comments are not", "Write <div> <!-- x -->and <your name>",
		  "Write <div> and <your name>" },
		{ "a comparison", "if a < b and c > d", "if a < b and c > d" },
		{ "rules and fences", "One\n---\n```\ntwo\n```\n", "One\ntwo" },
		{ "what never closes", "a [b](c and {% d and <p e", "a [b](c and {% d and <p e" },
		{ "nothing but marks", "---\n** **\n", "" },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };

		t->row = cases[i].name;
		CHECK_SV(t, kb_excerpt_clean(&arena, kb_sv_str(cases[i].text)), cases[i].want);
		kb_arena_fini(&arena);
	}
}

#define LONG                                                                                       \
	"The lamp was first lit in the autumn of a year that nobody in the village remembers, "    \
	"since the book of the tower burned in the great fire of the harbour, and with it all "    \
	"that had been told of keepers and their wives, of oil and wicks, of ships that came and " \
	"of those that did not, which would fill another book of that size."

static void test_which(struct kb_test *t)
{
	static const struct {
		const char *name, *text, *at, *want;
	} cases[] = {
		{ "all of what is short", "It rains. It pours. It stops.", "It pours",
		  "It rains. It pours. It stops." },
		{ "from the sentence on, and no half one", LONG " It pours. " LONG " " LONG,
		  "It pours", "It pours. " LONG },
		{ "those before it where nothing follows", LONG " " LONG " It stops.", "It stops",
		  LONG " It stops." },
		{ "within its sentence", "It rains. It pours.", "pours", "It rains. It pours." },
		{ "no heading of what has no room", "It pours.\n\n## Winter\n\n" LONG LONG LONG,
		  "It", "It pours." },
		{ "not over the next heading, nor the one above",
		  "It rains.\nWinter\nIt snows. It freezes.\nSpring\nIt thaws.", "It snows",
		  "It snows. It freezes." },
		{ "lines in a row are a list", "Bring:\nA spade\nA rope", "A spade",
		  "Bring:\nA spade\nA rope" },
		{ "nothing", "", "", "" },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };
		struct kb_sv text = kb_sv_str(cases[i].text);

		t->row = cases[i].name;
		CHECK_SV(t,
		         kb_excerpt_of(&arena, text,
		                       (size_t)kb_sv_find(text, kb_sv_str(cases[i].at))),
		         cases[i].want);
		kb_arena_fini(&arena);
	}
}

static void test_too_long(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	char text[2000];
	struct kb_sv got;

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = i % 6 == 5 ? ' ' : 'x';
	got = kb_excerpt_of(&arena, kb_sv(text, sizeof(text)), 0);
	CHECK(t, kb_utf8_count(got) <= KB_EXCERPT_LETTERS && kb_utf8_count(got) > 580);
	CHECK(t, kb_sv_ends(got, kb_sv_str("xxxxx…")));
	/* Of a script without blanks. */
	for (size_t i = 0; i + 3 <= sizeof(text); i += 3)
		memcpy(text + i, "字", 3);
	got = kb_excerpt_of(&arena, kb_sv(text, 1998), 0);
	CHECK(t, kb_utf8_valid(got) && 2 * kb_utf8_count(got) <= KB_EXCERPT_LETTERS);
	CHECK(t, kb_utf8_count(got) > 200);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what is taken out", test_clean },
		{ "what goes from a sentence's end", test_trim },
		{ "which sentences", test_which },
		{ "a sentence that is too long", test_too_long },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
