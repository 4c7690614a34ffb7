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

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "tokens are counted by rule", test_counts },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
