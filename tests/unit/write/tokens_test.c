/* The count of tokens, by its rule. */
#include "test.h"
#include "write/tokens.h"

static void test_counts(struct kb_test *t)
{
	static const struct {
		const char *name, *text;
		int64_t want;
	} rows[] = {
		{ "nothing", "", 0 },
		{ "spaces", " \t\n ", 0 },
		{ "a word", "six", 1 },
		{ "six letters are one", "kettle", 1 },
		{ "a seventh begins another", "kettles", 2 },
		{ "letters beyond ASCII count as letters",
		  "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC", 1 },
		{ "punctuation stands alone", "Well, yes!", 4 },
		{ "a price", "EUR 12.50", 4 },
		{ "Han letters are one each", "\xE4\xB8\xAD\xE6\x96\x87", 2 },
		{ "Thai letters too", "\xE0\xB8\x81\xE0\xB8\x82", 2 },
		{ "a wide space is a space",
		  "a\xE3\x80\x80"
		  "b",
		  2 },
		{ "a picture", "\xF0\x9F\x98\x80", 1 },
		{ "bad bytes end", "\xFF\xFE", 2 },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].name;
		CHECK_INT(t, kb_tokens_count(kb_sv_str(rows[i].text)), rows[i].want);
	}
	t->row = NULL;
}

/* Words of other languages fall into more pieces, and a text says itself which one it is in. */
static void test_estimates(struct kb_test *t)
{
	static const struct {
		const char *text;
		int64_t least, most;
	} rows[] = {
		/* What vocabularies of open models make of them: 11, 14, 29, 14, 19, 13. */
		{ "You may return the goods within 30 days of delivery.", 10, 14 },
		{ "Die Garantie für das Gerät läuft 24 Monate.", 13, 18 },
		{ "Lokomotywa stoi na stacji, ciężka, ogromna i pot z niej spływa.", 26, 38 },
		{ "La garantie de l'appareil dure vingt-quatre mois.", 13, 22 },
		{ "Гарантия на устройство действует два года.", 14, 26 },
		{ "商品可以在送达后30天内退货。", 12, 18 },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		int64_t n = kb_tokens_estimate(kb_sv_str(rows[i].text), KB_LANG_NONE);

		t->row = rows[i].text;
		CHECK(t, n >= rows[i].least && n <= rows[i].most);
	}
	CHECK_INT(t, kb_tokens_estimate(KB_SV("kettle"), KB_LANG_EN), 1);
	CHECK_INT(t, kb_tokens_estimate(KB_SV("kettle"), KB_LANG_DE), 2);
	CHECK_INT(t, kb_tokens_estimate(KB_SV("kettle"), KB_LANG_PL), 3);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "tokens are counted by rule", test_counts },
		{ "a model's tokens are estimated by language", test_estimates },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
