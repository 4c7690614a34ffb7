#include "test.h"

#include "answer/compare.h"

static void test_sides(struct kb_test *t)
{
	static const struct {
		enum kb_lang lang;
		const char *question, *a, *b; /* a NULL: it compares nothing */
	} cases[] = {
		{ KB_LANG_EN, "What is the difference between the Basic plan and the Pro plan?",
		  "the Basic plan", "the Pro plan" },
		{ KB_LANG_EN, "How does the P100 differ from the P200?", "the P100", "the P200" },
		{ KB_LANG_EN, "Compare tea with coffee.", "tea", "coffee" },
		{ KB_LANG_EN, "MySQL vs. PostgreSQL", "MySQL", "PostgreSQL" },
		{ KB_LANG_EN, "How does the sauna compare to the pool?", "the sauna", "the pool" },
		{ KB_LANG_EN, "What is the price of bread and butter?", NULL, NULL },
		{ KB_LANG_EN, "the difference between tea and tea", NULL, NULL },
		{ KB_LANG_EN, "difference between and", NULL, NULL },
		{ KB_LANG_EN, "the canvas bag", NULL, NULL },
		{ KB_LANG_EN, "How did the rocks on the moon compare to those on Earth?", NULL,
		  NULL },
		{ KB_LANG_EN, "How many points did they score in the game versus Pittsburgh?", NULL,
		  NULL },
		{ KB_LANG_DE, "Was ist der Unterschied zwischen Tarif A und Tarif B?", "Tarif A",
		  "Tarif B" },
		{ KB_LANG_DE, "Vergleiche Gas mit Strom", "Gas", "Strom" },
		{ KB_LANG_FR, "Quelle est la diff\u00e9rence entre le th\u00e9 et le caf\u00e9 ?",
		  "le th\u00e9", "le caf\u00e9" },
		{ KB_LANG_ES, "\u00bfCu\u00e1l es la diferencia entre el t\u00e9 y el caf\u00e9?",
		  "el t\u00e9", "el caf\u00e9" },
		{ KB_LANG_ZH,
		  "\u57fa\u7840\u7248\u548c\u4e13\u4e1a\u7248\u6709\u4ec0\u4e48\u533a"
		  "\u522b\uff1f",
		  "\u57fa\u7840\u7248", "\u4e13\u4e1a\u7248" },
		{ KB_LANG_JA,
		  "\u7d05\u8336\u3068\u7dd1\u8336\u306e\u9055\u3044\u306f\u4f55\u3067"
		  "\u3059\u304b\u3002",
		  "\u7d05\u8336", "\u7dd1\u8336" },
		{ KB_LANG_FI, "tee vs kahvi", NULL, NULL },
		{ KB_LANG_EN, "", NULL, NULL },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_sv sides[KB_COMPARE_SIDES];
		bool found = kb_compare_sides(cases[i].lang, kb_sv_str(cases[i].question), sides);

		t->row = cases[i].question;
		CHECK(t, found == (cases[i].a != NULL));
		if (!found || !cases[i].a)
			continue;
		CHECK_SV(t, sides[0], cases[i].a);
		CHECK_SV(t, sides[1], cases[i].b);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "two sides", test_sides },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
