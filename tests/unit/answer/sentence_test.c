#include "test.h"

#include "index/sentence.h"

static void check(struct kb_test *t, const char *text, const char *const *want)
{
	struct kb_arena arena = { 0 };
	struct kb_sentence *got;
	size_t count, n = 0;

	kb_sentences(&arena, kb_sv_str(text), &got, &count);
	while (want[n])
		n++;
	CHECK_INT(t, count, n);
	for (size_t i = 0; i < KB_MIN(count, n); i++)
		CHECK_SV(t, kb_sv_sub(kb_sv_str(text), got[i].start, got[i].end - got[i].start),
		         want[i]);
	kb_arena_fini(&arena);
}

static void test_prose(struct kb_test *t)
{
	static const struct {
		const char *name, *text, *want[6];
	} cases[] = {
		{ "nothing", " \n ", { NULL } },
		{ "stops before a blank", "It rains. Why? Go!", { "It rains.", "Why?", "Go!" } },
		{ "no stop at the end", "It rains. It pours", { "It rains.", "It pours" } },
		{ "not within a number or a name",
		  "It costs 3.50 at docent.org today.",
		  { "It costs 3.50 at docent.org today." } },
		{ "not before a small letter",
		  "The so-called no. one. of all.",
		  { "The so-called no. one. of all." } },
		{ "not after a title",
		  "Dr. Smith met Mrs. Jones. They spoke.",
		  { "Dr. Smith met Mrs. Jones.", "They spoke." } },
		{ "not after an initial",
		  "J. R. Tolkien wrote. He slept.",
		  { "J. R. Tolkien wrote.", "He slept." } },
		{ "an acronym before a word that begins sentences",
		  "He lives in the U.S. The law differs.",
		  { "He lives in the U.S.", "The law differs." } },
		{ "an acronym before a name", "The U.S. Army left.", { "The U.S. Army left." } },
		{ "a number's abbreviation",
		  "See No. 5 there. No. Never.",
		  { "See No. 5 there.", "No.", "Never." } },
		{ "a list's number stays with its item",
		  "1. Open the box. 2 of them.",
		  { "1. Open the box.", "2 of them." } },
		{ "German days",
		  "Am 3. Oktober war es. Danach nicht.",
		  { "Am 3. Oktober war es.", "Danach nicht." } },
		{ "quotes belong to their sentence",
		  "He said \"Stop.\" She left.",
		  { "He said \"Stop.\"", "She left." } },
		{ "notes belong to their sentence",
		  "It fell.[12] It broke.",
		  { "It fell.[12]", "It broke." } },
		{ "Chinese", "今天下雨。明天呢？好！", { "今天下雨。", "明天呢？", "好！" } },
		{ "Japanese speech goes on",
		  "「行く。」と言った。彼は去った。",
		  { "「行く。」と言った。", "彼は去った。" } },
		{ "Hindi", "यह घर है। वह पेड़ है।", { "यह घर है।", "वह पेड़ है।" } },
		{ "Arabic", "أين هو؟ في البيت.", { "أين هو؟", "في البيت." } },
		{ "Russian abbreviations",
		  "Это было в 1990 г. в Москве. Потом нет.",
		  { "Это было в 1990 г. в Москве.", "Потом нет." } },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		t->row = cases[i].name;
		check(t, cases[i].text, cases[i].want);
	}
}

static void test_lines(struct kb_test *t)
{
	static const struct {
		const char *name, *text, *want[6];
	} cases[] = {
		{ "a line end parts",
		  "Opening hours\nWe open at nine.",
		  { "Opening hours", "We open at nine." } },
		{ "a line of code goes on with none",
		  "Detect where values fall in a specified range\ncase_when() replace_when()",
		  { "Detect where values fall in a specified range",
		    "case_when() replace_when()" } },
		{ "a wrapped line goes on",
		  "The shop opens at nine in the morning and closes\nat six in the evening. Then "
		  "not.",
		  { "The shop opens at nine in the morning and closes\nat six in the evening.",
		    "Then not." } },
		{ "a table row is whole",
		  "| A. One | Two. Three |\n| B | C |",
		  { "| A. One | Two. Three |", "| B | C |" } },
		{ "tabs make a row", "Name. X\tPrice. Y", { "Name. X\tPrice. Y" } },
		{ "code lines are whole", "    a = b. C\n    d()", { "a = b. C", "d()" } },
		{ "fenced code by lines, without the fences",
		  "```\nfoo. Bar\n```\nText. End.",
		  { "foo. Bar", "Text.", "End." } },
		{ "list items",
		  "- First. Really.\n- Second",
		  { "- First.", "Really.", "- Second" } },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		t->row = cases[i].name;
		check(t, cases[i].text, cases[i].want);
	}
}

static void test_long(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_sentence *got;
	char text[9000];
	size_t count, n = 0;

	/* Thai has no stops: a blank ends a sentence once it is long. */
	for (int i = 0; i < 300; i++) {
		memcpy(text + n, "\xe0\xb8\x81", 3);
		n += 3;
		if (i % 20 == 19)
			text[n++] = ' ';
	}
	kb_sentences(&arena, kb_sv(text, n), &got, &count);
	CHECK_INT(t, count, 3);
	/* And whatever has none at all is cut when it is too long to quote. */
	for (n = 0; n < sizeof(text); n++)
		text[n] = n % 8 == 7 ? ' ' : 'x';
	kb_sentences(&arena, kb_sv(text, n), &got, &count);
	CHECK(t, count >= 6 && count <= 9);
	kb_arena_fini(&arena);
}

static void test_stops(struct kb_test *t)
{
	static const struct {
		const char *text;
		bool stop;
	} rows[] = {
		{ "We open at nine.", true },
		{ "Opening hours", false },
		{ "\"We open.\" ", true },
		{ "Hours (in winter)", false },
		{ "今天下雨。", true },
		{ "退款", false },
		{ "यह घर है।", true },
		{ "Why?)", true },
		{ "For example:", false },
		{ "", false },
		{ ")", false },
		{ ".", true },
		{ "\x80\x80", false },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].text;
		CHECK(t, kb_ends_in_stop(kb_sv_str(rows[i].text)) == rows[i].stop);
	}
	t->row = NULL;
}

/* A heading that is a sentence has a verb, and neither asks nor tells how. */
static void test_statements(struct kb_test *t)
{
	static const struct {
		const char *text;
		bool states;
	} rows[] = {
		{ "The shop is closed on Sunday", true },
		{ "Tickets cost 12 euros", true },
		{ "Der Laden ist am Sonntag geschlossen", true },
		{ "Le magasin est ouvert le dimanche", true },
		{ "Opening hours", false },
		{ "Buying a ticket online", false },
		{ "How tickets are bought online", false },
		{ "What is a ticket", false },
		{ "When is the shop closed?", false },
		{ "", false },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].text;
		CHECK(t, kb_states(kb_sv_str(rows[i].text)) == rows[i].states);
	}
	t->row = NULL;
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "sentences of prose", test_prose },
		{ "lines, tables, code", test_lines },
		{ "text without stops", test_long },
		{ "a sentence ends in a stop, a heading does not", test_stops },
		{ "a line that states something", test_statements },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
