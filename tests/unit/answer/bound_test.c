#include "test.h"

#include "answer/bound.h"

// clang-format off
static const struct {
	const char *name;
	enum kb_lang lang;
	const char *asked, *question, *answer;
	bool is_sure, want;
} cases[] = {
	{ "other words are no bond", KB_LANG_EN, "Where do I leave my bike?", "Is there a bicycle stand?", "In the yard.", false, true },
	{ "another number", KB_LANG_EN, "How big is the Brisca 300?", "How big is the Brisca 200?", "Small.", true, false },
	{ "a number more", KB_LANG_EN, "What cost 3 tickets?", "What does a ticket cost?", "It costs 3 crowns.", true, false },
	{ "a number less", KB_LANG_EN, "What is the fee?", "What is the fee in 2023?", "Nine.", true, false },
	{ "the same number in another spelling", KB_LANG_EN, "Who owes 1,000 crowns?", "Who owes 1000 crowns?", "Ann.", false, true },
	{ "another code", KB_LANG_EN, "How do I fix error F-12?", "How do I fix error E-12?", "Rinse it.", true, false },
	{ "a name that neither question nor answer has", KB_LANG_EN, "Do you ship to Norway?", "Where do you ship to?", "To Switzerland.", true, false },
	{ "a name that the answer has", KB_LANG_EN, "Do you ship to Norway?", "Where do you ship to?", "To Norway.", false, true },
	{ "a negation more", KB_LANG_EN, "Why do you not ship abroad?", "Do you ship abroad?", "Yes.", true, false },
	{ "a negation less", KB_LANG_EN, "How do I return what I like?", "How do I return what I do not like?", "By mail.", true, false },
	{ "a negation in German", KB_LANG_DE, "Wo darf ich nicht parken?", "Wo darf ich parken?", "Am Markt.", true, false },
	{ "the same negation in another word", KB_LANG_EN, "How do I return what I don't like?", "How do I return what I do not like?", "By mail.", false, true },
	{ "the same in German", KB_LANG_DE, "Wo darf ich kein Auto parken?", "Wo darf ich nicht parken?", "Am Markt.", false, true },
	{ "to be without is no negation", KB_LANG_EN, "Can I not come with a dog?", "Can I come without a dog?", "Yes.", true, false },
	{ "an emergency in German is none", KB_LANG_DE, "Wo rufe ich in der Not an?", "Wo rufe ich nicht an?", "Bei Ann.", true, false },
	{ "one of two opposites", KB_LANG_EN, "How do I turn it off?", "How do I turn it on?", "Press the button.", true, false },
	{ "a unit that nobody speaks of", KB_LANG_EN, "How many gallons does it hold?", "How much does it hold?", "1.8 litres.", true, false },
	{ "a unit of the answer", KB_LANG_EN, "How many litres does it hold?", "How much does it hold?", "1.8 litres.", false, true },
	{ "a word in another's place", KB_LANG_EN, "How much is a ticket for children?", "How much is a ticket for adults?", "Seven.", false, false },
	{ "the same, where the whole means the same", KB_LANG_EN, "How much is a ticket for grownups?", "How much is a ticket for adults?", "Seven.", true, true },
	{ "a day in another's place", KB_LANG_DE, "Wann ist am Sonntag geöffnet?", "Wann ist am Samstag geöffnet?", "Um acht.", true, false },
	{ "a word in another's place that the answer knows", KB_LANG_EN, "How much is a ticket for grownups?", "How much is a ticket for adults?", "Grownups pay seven.", false, true },
};
// clang-format on

static void bonds(struct kb_test *t)
{
	struct kb_analyzer *analyzer = kb_analyzer_new();
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		const char *const texts[] = { cases[i].asked, cases[i].question, cases[i].answer };
		const struct kb_bound_words *words[KB_COUNTOF(texts)];

		t->row = cases[i].name;
		for (size_t k = 0; k < KB_COUNTOF(texts); k++)
			words[k] =
			        kb_bound_read(analyzer, &arena, cases[i].lang, kb_sv_str(texts[k]));
		CHECK(t,
		      kb_bound_is(words[0], words[1], words[2], cases[i].is_sure) == cases[i].want);
	}
	kb_arena_fini(&arena);
	kb_analyzer_free(analyzer);
}

static void pairs(struct kb_test *t)
{
	static const struct {
		const char *asked, *question;
		bool same;
		float shared;
	} rows[] = {
		{ "  what is THE fee ", "What is the fee?", true, 0 },
		{ "What is a fee?", "What is the fee?", false, 0 },
		{ "What is the fee now", "What is the fee?", false, 0 },
		{ "", "", false, 0 },
		{ "Where may dogs sleep?", "Where do dogs sleep?", false, 1 },
		{ "Where do dogs sleep?", "Where do dogs sleep on windy islands?", false, .5f },
	};
	struct kb_analyzer *analyzer = kb_analyzer_new();
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		const struct kb_bound_words *asked = kb_bound_read(analyzer, &arena, KB_LANG_EN,
		                                                   kb_sv_str(rows[i].asked)),
		                            *question = kb_bound_read(analyzer, &arena, KB_LANG_EN,
		                                                      kb_sv_str(rows[i].question));
		float shared = kb_bound_shared(asked, question);

		t->row = rows[i].asked;
		CHECK(t, kb_bound_same(asked, question) == rows[i].same);
		CHECK(t, shared == kb_bound_shared(question, asked));
		CHECK(t, shared > rows[i].shared - .01f && shared < rows[i].shared + .01f);
	}
	kb_arena_fini(&arena);
	kb_analyzer_free(analyzer);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "what a question is bound to", bonds },
		{ "what two questions have in common", pairs },
	};

	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
