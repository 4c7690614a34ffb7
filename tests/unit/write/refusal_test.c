/* Which texts say that there is no answer. */
#include "write/refusal.h"

#include "test.h"

static const char told[] = "I'm sorry, I don't know the answer";

static const struct {
	const char *text;
	bool refuses;
} rows[] = {
	{ "I'm sorry, I don't know the answer", true },
	{ "  i'm sorry, i don\u2019t know the answer.\n", true },
	{ "The sources do not say anything about parking.", true },
	{ "Parking is not mentioned in the provided text.", true },
	{ "I could not find\nthat in the documents.", true },
	{ "Die Quellen enthalten dazu nichts.", true },
	{ "Das weiß ich nicht.", true },
	{ "Das weiß ich leider nicht.", true },
	{ "Les sources ne mentionnent pas de parking.", true },
	{ "Lo siento, no lo sé.", true },
	{ "Não sei responder a isso.", true },
	{ "Non lo so.", true },
	{ "Dat is niet vermeld.", true },
	{ "Niestety nie wiem.", true },
	{ "Я не знаю ответа.", true },
	{ "Не знаю.", true },
	{ "Нет информации об этом.", true },
	{ "Yes, you can get a refund if your course pays a salary.", false },
	{ "There is a fine restaurant with forty seats.", false },
	{ "You cannot park in front of the tower.", false },
	{ "Hunde dürfen nicht in den Turm.", false },
	{ "", false },
};

static void test_rows(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].text;
		CHECK(t, kb_refuses(kb_sv_str(rows[i].text), kb_sv_str(told)) == rows[i].refuses);
	}
}

static void test_own_words(struct kb_test *t)
{
	CHECK(t, kb_refuses(KB_SV("Ring us: 555-0199"), KB_SV("Ring us: 555-0199.")));
	CHECK(t, !kb_refuses(KB_SV("Ring us: 555-0198"), KB_SV("Ring us: 555-0199.")));
	CHECK(t, !kb_refuses(KB_SV("Anything"), KB_SV("")));
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what says that there is no answer", test_rows },
		{ "the owner's text for it counts", test_own_words },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
