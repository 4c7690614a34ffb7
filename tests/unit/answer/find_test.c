/* Highlights of a found passage: which characters, counted as code points. */
#include "answer/find.h"
#include "test.h"

static void test_highlights(struct kb_test *t)
{
	static const struct {
		const char *name, *query, *text;
		enum kb_lang lang;
		const char *want; /* start+length by blanks */
		bool code;        /* "=err4012" is asked for as a whole */
	} rows[] = {
		{ "words, by their stem", "returning goods", "Goods may be returned.", KB_LANG_EN,
		  "0+5 13+8" },
		{ "function words are left out", "what is the price of it",
		  "The price of it is high.", KB_LANG_EN, "4+5" },
		{ "unless there is nothing else", "who are you", "So you are who?", KB_LANG_EN,
		  "3+3 11+3" }, /* `are` is not indexed */
		{ "characters, not bytes", "câfé blau", "Öl: câfé ist blau", KB_LANG_DE,
		  "4+4 13+4" },
		{ "beyond the basic plane too", "key", "\xf0\x9f\x94\x91\xf0\x9f\x94\x91 key",
		  KB_LANG_EN, "3+3" },
		{ "pairs of characters join", "東京都", "私は東京都に", KB_LANG_JA, "2+3" },
		{ "a part of a code marks the whole", "4012", "see ERR4012 there", KB_LANG_EN,
		  "4+7" },
		{ "a code in another spelling", "err4012", "see ERR-4012 there", KB_LANG_EN, "4+8",
		  true },
		{ "a code beside words", "there err4012", "ERR-4012 is there", KB_LANG_EN, "0+8",
		  true }, /* `there` is a function word */
		{ "nothing in common", "lamp", "a door", KB_LANG_EN, "" },
		{ "an empty text", "lamp", "", KB_LANG_EN, "" },
	};
	struct kb_analyzer *analyzer = kb_analyzer_new();

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_sv got = KB_SV("");
		struct kb_highlight *marks;
		struct kb_find_words words = { .lang = rows[i].lang };
		struct kb_sv code = KB_SV("=err4012");
		size_t count;

		t->row = rows[i].name;
		kb_analyze(analyzer, &arena, rows[i].lang, kb_sv_str(rows[i].query), &words.terms);
		if (rows[i].code) {
			words.codes = &code;
			words.code_count = 1;
		}
		kb_find_highlights(analyzer, &arena, &words, kb_sv_str(rows[i].text), &marks,
		                   &count);
		for (size_t k = 0; k < count; k++)
			got = kb_arena_printf(&arena, "%.*s%s%u+%u", KB_SV_ARG(got), k ? " " : "",
			                      marks[k].start, marks[k].length);
		CHECK_SV(t, got, rows[i].want);
		kb_arena_fini(&arena);
	}
	kb_analyzer_free(analyzer);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "highlights are characters of the text", test_highlights },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
