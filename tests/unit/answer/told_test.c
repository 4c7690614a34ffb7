#include "test.h"

#include "answer/told.h"

static void test_asks(struct kb_test *t)
{
	static const struct {
		enum kb_lang lang;
		enum kb_question_type type;
		const char *question;
		enum kb_asks want;
	} cases[] = {
		{ KB_LANG_EN, KB_Q_OTHER, "Can I bring my dog?", KB_ASKS_WHETHER },
		{ KB_LANG_EN, KB_Q_OTHER, "Isn\u2019t the mill open?", KB_ASKS_WHETHER },
		{ KB_LANG_EN, KB_Q_OTHER, "How can I open it?", KB_ASKS_OTHER },
		{ KB_LANG_EN, KB_Q_NUM, "how many seats are there", KB_ASKS_FIGURE },
		{ KB_LANG_EN, KB_Q_WHEN, "When was it built?", KB_ASKS_FIGURE },
		{ KB_LANG_EN, KB_Q_OTHER, "What is Docent?", KB_ASKS_WHAT },
		{ KB_LANG_EN, KB_Q_OTHER, "What\u2019s a webhook", KB_ASKS_WHAT },
		{ KB_LANG_EN, KB_Q_WHO, "Who is Anna Berg?", KB_ASKS_WHAT },
		{ KB_LANG_EN, KB_Q_OTHER, "What is the fee for porcelain?", KB_ASKS_OTHER },
		{ KB_LANG_EN, KB_Q_OTHER, "What is?", KB_ASKS_OTHER },
		{ KB_LANG_EN, KB_Q_OTHER, "What isolation is needed", KB_ASKS_OTHER },
		{ KB_LANG_EN, KB_Q_OTHER, "What is meant by a public master agent key",
		  KB_ASKS_OTHER },
		{ KB_LANG_DE, KB_Q_OTHER, "Darf ich meinen Hund mitbringen?", KB_ASKS_WHETHER },
		{ KB_LANG_DE, KB_Q_OTHER, "Was ist ein Webhook?", KB_ASKS_WHAT },
		{ KB_LANG_DE, KB_Q_OTHER, "Was ist der Preis?", KB_ASKS_OTHER },
		{ KB_LANG_FR, KB_Q_OTHER, "Peut-on fumer ?", KB_ASKS_WHETHER },
		{ KB_LANG_FR, KB_Q_OTHER, "Les chiens sont-ils admis ?", KB_ASKS_WHETHER },
		{ KB_LANG_FR, KB_Q_OTHER, "Est-ce qu\u2019on peut fumer ?", KB_ASKS_WHETHER },
		{ KB_LANG_FR, KB_Q_OTHER, "Comment peut-on entrer ?", KB_ASKS_OTHER },
		{ KB_LANG_FR, KB_Q_OTHER, "Qu\u2019est-ce qu\u2019un webhook ?", KB_ASKS_WHAT },
		{ KB_LANG_ES, KB_Q_OTHER, "\u00bfPuedo pagar con tarjeta?", KB_ASKS_WHETHER },
		{ KB_LANG_ES, KB_Q_OTHER, "\u00bfQu\u00e9 es Docent?", KB_ASKS_WHAT },
		{ KB_LANG_ZH, KB_Q_OTHER, "\u80fd\u5e26\u72d7\u5417\uff1f", KB_ASKS_WHETHER },
		{ KB_LANG_ZH, KB_Q_OTHER, "\u4ec0\u4e48\u662fDocent\uff1f", KB_ASKS_WHAT },
		{ KB_LANG_ZH, KB_Q_OTHER, "\u9ad8\u5854\u7684\u65f6\u95f4\u662f\u4ec0\u4e48\uff1f",
		  KB_ASKS_OTHER },
		{ KB_LANG_SV, KB_Q_OTHER, "Kan jag komma?", KB_ASKS_OTHER },
		{ KB_LANG_EN, KB_Q_OTHER, "", KB_ASKS_OTHER },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		t->row = cases[i].question;
		CHECK_INT(t, kb_asks_of(cases[i].lang, cases[i].type, kb_sv_str(cases[i].question)),
		          cases[i].want);
	}
}

static void test_told(struct kb_test *t)
{
	static const struct {
		enum kb_asks asks;
		enum kb_lang lang;
		const char *sentence;
		bool want;
	} cases[] = {
		{ KB_ASKS_WHETHER, KB_LANG_EN, "Dogs are not allowed.", true },
		{ KB_ASKS_WHETHER, KB_LANG_EN, "We DON'T take cash.", true },
		{ KB_ASKS_WHETHER, KB_LANG_EN, "The mill stands by the river.", false },
		{ KB_ASKS_WHETHER, KB_LANG_EN, "A notice hangs there.", false },
		{ KB_ASKS_WHETHER, KB_LANG_DE, "Hunde sind erlaubt.", true },
		{ KB_ASKS_WHETHER, KB_LANG_DE, "Die M\u00fchle steht am Fluss.", false },
		{ KB_ASKS_WHETHER, KB_LANG_FR, "Les animaux ne sont pas admis.", true },
		{ KB_ASKS_WHETHER, KB_LANG_FR, "Le moulin est vieux.", false },
		{ KB_ASKS_WHETHER, KB_LANG_ES, "Aceptamos tarjeta.", true },
		{ KB_ASKS_WHETHER, KB_LANG_ES, "El molino es viejo.", false },
		{ KB_ASKS_WHETHER, KB_LANG_ZH, "\u5ba0\u7269\u4e0d\u80fd\u5165\u4f4f\u3002", true },
		{ KB_ASKS_WHETHER, KB_LANG_ZH, "\u9152\u5e97\u5728\u6e56\u6ee8\u3002", false },
		{ KB_ASKS_FIGURE, KB_LANG_EN, "It has 12 seats.", true },
		{ KB_ASKS_FIGURE, KB_LANG_EN, "It has seven seats.", true },
		{ KB_ASKS_FIGURE, KB_LANG_EN, "It opens on Monday.", true },
		{ KB_ASKS_FIGURE, KB_LANG_EN, "It has seats of wood.", false },
		{ KB_ASKS_FIGURE, KB_LANG_ZH, "\u4e09\u5341\u5143\u3002", true },
		{ KB_ASKS_OTHER, KB_LANG_EN, "It has 12 seats, and no more.", false },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		t->row = cases[i].sentence;
		CHECK(t, kb_asks_told(cases[i].asks, cases[i].lang, kb_sv_str(cases[i].sentence))
		                 == cases[i].want);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what is asked for", test_asks },
		{ "which sentences tell it", test_told },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
