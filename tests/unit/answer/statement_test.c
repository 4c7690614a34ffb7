#include "test.h"

#include "answer/statement.h"

enum want { SAME, DIFFERS, OTHER };

// clang-format off
static const struct {
	const char *name;
	enum kb_lang lang;
	const char *a, *b;
	enum want want;
} cases[] = {
	{ "another price", KB_LANG_EN, "A locker costs 12 euros a month.", "A locker costs 15 euros a month.", DIFFERS },
	{ "the same in another spelling", KB_LANG_EN, "The lockers cost 1,200 euros.", "Lockers cost 1200 euros!", SAME },
	{ "the same words without a figure", KB_LANG_EN, "The pool closes in winter.", "Pools close in winter", SAME },
	{ "a negation", KB_LANG_EN, "The pool does open at 7 in winter.", "The pool does not open at 7 in winter.", OTHER },
	{ "another word", KB_LANG_EN, "A locker costs 12 euros a month.", "A locker costs 15 euros a year.", OTHER },
	{ "a figure more", KB_LANG_EN, "A locker costs 12 euros a month.", "A locker costs euros a month.", OTHER },
	{ "another room", KB_LANG_EN, "Room 12 seats 40 people.", "Room 14 seats 40 people.", OTHER },
	{ "the same room, small", KB_LANG_EN, "In room 12 there are 40 seats.", "In room 12 there are 50 seats.", DIFFERS },
	{ "another code", KB_LANG_EN, "The AX-200 weighs 9 kg when empty.", "The AX-300 weighs 8 kg when empty.", OTHER },
	{ "another year beside a figure", KB_LANG_EN, "In 2022 there were 14 offices open.", "In 2023 there were 16 offices open.", OTHER },
	{ "the same year", KB_LANG_EN, "In 2023 there were 14 offices open.", "In 2023 there were 16 offices open.", DIFFERS },
	{ "a year alone is what is said", KB_LANG_EN, "The bridge opened to traffic in 1998.", "The bridge opened to traffic in 1999.", DIFFERS },
	{ "too little is said", KB_LANG_EN, "Page 3 of 9", "Page 4 of 9", OTHER },
	{ "a percentage behind a name", KB_LANG_EN, "Members of Velmora save Velmora 5 % on tickets.", "Members of Velmora save Velmora 7 % on tickets.", DIFFERS },
	{ "German", KB_LANG_DE, "Die Kündigungsfrist beträgt 14 Tage zum Monatsende.", "Die Kündigungsfrist beträgt 30 Tage zum Monatsende.", DIFFERS },
	{ "a German paragraph", KB_LANG_DE, "Nach Absatz 3 beträgt die Frist für Kunden 14 Tage.", "Nach Absatz 4 beträgt die Frist für Kunden 14 Tage.", OTHER },
	{ "Chinese", KB_LANG_ZH, "会员每月的费用是12元", "会员每月的费用是15元", DIFFERS },
	{ "nothing", KB_LANG_EN, "", "", OTHER },
};
// clang-format on

static void statements(struct kb_test *t)
{
	struct kb_analyzer *analyzer = kb_analyzer_new();

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_statement a, b;

		t->row = cases[i].name;
		kb_statement_read(analyzer, cases[i].lang, kb_sv_str(cases[i].a), &a);
		kb_statement_read(analyzer, cases[i].lang, kb_sv_str(cases[i].b), &b);
		CHECK_INT(t, kb_statement_differs(&a, &b), cases[i].want == DIFFERS);
		CHECK_INT(t, kb_statement_alike(&a, &b), cases[i].want != OTHER);
	}
	kb_analyzer_free(analyzer);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "two statements say the same, or not both can be so", statements },
	};

	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
