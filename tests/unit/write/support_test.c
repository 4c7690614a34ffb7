/* Which source supports which sentence. Sources stand in a list; a row says which of them do. */
#include "write/support.h"

#include "test.h"

static const struct kb_support_source sources[] = {
	{ .title = KB_SV_INIT("Returns"),
	  .text = KB_SV_INIT(
	          "You may return goods within 30 days of delivery. The refund is paid to "
	          "the card that was used. Opened software is not refundable. Anna Keller "
	          "leads the returns team in Hamburg."),
	  .lang = KB_LANG_EN },
	{ .title = KB_SV_INIT("Shipping"),
	  .text = KB_SV_INIT("Goods are sent on the day of the order. Delivery takes two days in "
	                     "Germany and costs 4.90 euro."),
	  .lang = KB_LANG_EN },
	{ .title = KB_SV_INIT("退货"),
	  .text = KB_SV_INIT("商品可以在送达后30天内退货。退款将支付到原来的信用卡。"),
	  .lang = KB_LANG_ZH },
	{ .title = KB_SV_INIT("Garantie"),
	  .text = KB_SV_INIT(
	          "Die Garantie für das Gerät läuft 24 Monate. Sie beginnt mit dem Tag, an "
	          "dem es geliefert wird, und sie ist nicht auf andere übertragbar."),
	  .lang = KB_LANG_DE },
};
enum { RETURNS = 1, SHIPPING = 2, CHINESE = 4, WARRANTY = 8 };

static const struct {
	const char *name, *sentence;
	unsigned supported;
} rows[] = {
	{ "its own words", "You may return goods within 30 days of delivery.", RETURNS },
	{ "other forms of the words", "Returning goods is possible within 30 days after delivery.",
	  RETURNS },
	{ "another number", "You may return goods within 37 days of delivery.", 0 },
	{ "a number written another way", "Delivery takes 2 days in Germany and costs 4,90 euro.",
	  SHIPPING },
	{ "a list's number is none", "7. Delivery takes two days in Germany.", SHIPPING },
	{ "a name of nowhere", "Bruno Keller leads the returns team in Hamburg.", 0 },
	{ "denied", "You may not return goods within 30 days of delivery.", 0 },
	{ "denied in both", "Software that was opened is not refundable.", RETURNS },
	{ "affirmed where the source denies", "Opened software is refundable.", 0 },
	{ "of nothing here", "Bananas are blue and the moon is made of green cheese.", 0 },
	{ "Chinese", "商品送达后30天内可以退货。", CHINESE },
	{ "Chinese, another number", "商品送达后37天内可以退货。", 0 },
	{ "Chinese, denied", "商品送达后30天内不可以退货。", 0 },
	{ "German", "Die Garantie des Geräts läuft 24 Monate.", WARRANTY },
	{ "no words at all", "…", 0 },
};

static void test_rows(struct kb_test *t)
{
	struct kb_analyzer *analyzer = kb_analyzer_new();

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_support *support =
		        kb_support_new(&arena, analyzer, sources, KB_COUNTOF(sources), NULL);
		struct kb_judgement judgement;
		unsigned supported = 0;

		t->row = rows[i].name;
		kb_support_judge(support, analyzer, kb_sv_str(rows[i].sentence), &judgement);
		for (size_t k = 0; k < KB_COUNTOF(sources); k++)
			if (!judgement.verdicts[k].lacks && !judgement.verdicts[k].foreign)
				supported |= 1u << k;
		CHECK_INT(t, supported, rows[i].supported);
		kb_arena_fini(&arena);
	}
	kb_analyzer_free(analyzer);
}

static void test_place(struct kb_test *t)
{
	struct kb_analyzer *analyzer = kb_analyzer_new();
	struct kb_arena arena = { 0 };
	struct kb_support *support =
	        kb_support_new(&arena, analyzer, sources, KB_COUNTOF(sources), NULL);
	struct kb_judgement judgement;

	kb_support_judge(support, analyzer, KB_SV("The refund goes to the card that was used."),
	                 &judgement);
	CHECK_SV(t,
	         kb_sv_sub(sources[0].text, judgement.verdicts[0].start,
	                   judgement.verdicts[0].bytes),
	         "The refund is paid to the card that was used.");
	kb_arena_fini(&arena);
	kb_analyzer_free(analyzer);
}

/* A number is the same however it is written, and no other one is. */
static void test_numbers(struct kb_test *t)
{
	static const struct {
		const char *name, *source, *sentence;
		bool same;
	} cases[] = {
		{ "a degree behind a nought", "20°C", "0°C", false },
		{ "a degree behind it in both", "0°C", "0°C", true },
		{ "a blank before the degree", "0°C", "0 °C", true },
		{ "the euro behind noughts", "500€", "5€", false },
		{ "a wide per cent", "0％", "0 %", true },
		{ "another per cent", "40％", "0％", false },
		{ "thousands by a blank", "1,000 euros", "1 000 euros", true },
		{ "by a blank in the source", "1 000 euros", "1.000 euros", true },
		{ "by a blank that does not break", "1,000", "1\u00a0000", true },
		{ "by a thin blank", "1,000", "1\u2009000", true },
		{ "by a narrow blank that does not break", "12,345,678", "12\u202f345\u202f678",
		  true },
		{ "by an apostrophe", "1'000", "1,000", true },
		{ "by a curved one", "1,000", "1\u2019000", true },
		{ "with cents", "1 000,50", "1'000.50", true },
		{ "other thousands", "1 000 euros", "2 000 euros", false },
		{ "two numbers in the source", "day 5 100 people", "100 people", true },
		{ "a year and a count", "in 2020 300 people", "300 people in 2020", true },
		{ "feet and inches are no thousands", "5'10", "510", false },
		{ "a blank before two digits", "10 50", "1050", false },
		{ "noughts before a number", "007", "7", true },
		{ "a fraction is no whole", "0.5 mm", "5 mm", false },
		{ "a comma in a fraction", "0.5 mm", "0,5 mm", true },
		{ "a nought alone", "0 errors", "5 errors", false },
		{ "noughts within", "1007", "17", false },
		{ "a stop behind a number", "It is 30.", "30", true },
		{ "other digits", "٣٠ days", "30 days", true },
		{ "other digits' thousands", "١٬٠٠٠", "1,000", true },
		{ "wide digits", "３０日", "30", true },
	};
	struct kb_analyzer *analyzer = kb_analyzer_new();

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };
		struct kb_support_source source = { .text = kb_sv_str(cases[i].source),
			                            .lang = KB_LANG_EN };
		struct kb_judgement judgement;

		t->row = cases[i].name;
		kb_support_judge(kb_support_new(&arena, analyzer, &source, 1, NULL), analyzer,
		                 kb_sv_str(cases[i].sentence), &judgement);
		CHECK(t, !(judgement.verdicts[0].lacks & KB_LACKS_NUMBER) == cases[i].same);
		kb_arena_fini(&arena);
	}
	kb_analyzer_free(analyzer);
}

static void test_foreign(struct kb_test *t)
{
	struct kb_analyzer *analyzer = kb_analyzer_new();
	struct kb_arena arena = { 0 };
	struct kb_support *support =
	        kb_support_new(&arena, analyzer, sources, KB_COUNTOF(sources), NULL);
	struct kb_judgement judgement;

	kb_support_judge(support, analyzer,
	                 KB_SV("The warranty of the device is valid for 24 months."), &judgement);
	CHECK(t, judgement.verdicts[3].foreign && !judgement.verdicts[3].lacks);
	kb_support_judge(support, analyzer,
	                 KB_SV("The warranty of the device is valid for 36 months."), &judgement);
	CHECK(t, judgement.verdicts[3].foreign && judgement.verdicts[3].lacks == KB_LACKS_NUMBER);
	kb_arena_fini(&arena);
	kb_analyzer_free(analyzer);
}

static void test_together(struct kb_test *t)
{
	static const struct kb_support_source pair[] = {
		{ .text = KB_SV_INIT("Mara Voss wrote the memoir Glass Rivers."),
		  .lang = KB_LANG_EN },
		{ .text = KB_SV_INIT("Mara Voss was born in Trondheim in 1961."),
		  .lang = KB_LANG_EN },
		{ .text = KB_SV_INIT("Trondheim has a cathedral."), .lang = KB_LANG_EN },
	};
	struct kb_analyzer *analyzer = kb_analyzer_new();
	struct kb_arena arena = { 0 };
	struct kb_support *support = kb_support_new(&arena, analyzer, pair, 3, NULL);
	struct kb_judgement judgement;

	kb_support_judge(support, analyzer,
	                 KB_SV("The author of Glass Rivers was born in Trondheim in 1961."),
	                 &judgement);
	CHECK(t, judgement.verdicts[0].lacks && judgement.verdicts[2].lacks);
	CHECK(t, kb_support_together(support, &judgement, (size_t[]){ 0, 1 }, 2));
	CHECK(t, !kb_support_together(support, &judgement, (size_t[]){ 0, 2 }, 2));
	CHECK(t, !kb_support_together(support, &judgement, (size_t[]){ 0, 1, 2 }, 3));
	kb_arena_fini(&arena);
	kb_analyzer_free(analyzer);
}

/* Two documents of one subject: what the one that says it best denies, the other one cannot save.
 */
static void test_denied(struct kb_test *t)
{
	static const struct kb_support_source pair[] = {
		{ .text = KB_SV_INIT("You cannot get DSA if your course pays a salary. Ask the "
		                     "student office."),
		  .lang = KB_LANG_EN },
		{ .text = KB_SV_INIT("You can get DSA for any course at a university. DSA pays for "
		                     "a computer."),
		  .lang = KB_LANG_EN },
	};
	static const struct {
		const char *sentence;
		bool denied;
	} cases[] = {
		{ "Yes, you can get DSA if your course pays a salary.", true },
		{ "You cannot get DSA if your course pays a salary.", false },
		{ "You can get DSA for any course at a university.", false },
		{ "You cannot get DSA for any course at a university.", true },
		{ "Ask the student office.", false },
	};
	struct kb_analyzer *analyzer = kb_analyzer_new();
	struct kb_arena arena = { 0 };
	struct kb_support *support = kb_support_new(&arena, analyzer, pair, 2, NULL);
	struct kb_judgement judgement;

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		t->row = cases[i].sentence;
		kb_support_judge(support, analyzer, kb_sv_str(cases[i].sentence), &judgement);
		CHECK(t, judgement.denied == cases[i].denied);
	}
	kb_arena_fini(&arena);
	kb_analyzer_free(analyzer);
}

/* What stands in a condition or a question is not said. */
static void test_supposed(struct kb_test *t)
{
	static const struct {
		const char *source, *sentence;
		enum kb_lang lang;
		bool says;
	} cases[] = {
		{ "If you have been hacked, change the password.", "Yes, you have been hacked.",
		  KB_LANG_EN, false },
		{ "Have you been hacked?", "You have been hacked.", KB_LANG_EN, false },
		{ "Last week our shop was hacked.", "Yes, it was hacked.", KB_LANG_EN, true },
		{ "Wenn das Konto gesperrt ist, rufen Sie an.", "Ja, es ist gesperrt.", KB_LANG_DE,
		  false },
		{ "Das Konto ist gesperrt.", "Ja, es ist gesperrt.", KB_LANG_DE, true },
		{ "هل الدخول مجاني؟", "الدخول مجاني.", KB_LANG_AR, false },
		{ "الدخول مجاني.", "الدخول مجاني.", KB_LANG_AR, true },
	};
	struct kb_analyzer *analyzer = kb_analyzer_new();

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };
		struct kb_support_source source = { .text = kb_sv_str(cases[i].source),
			                            .lang = cases[i].lang };
		struct kb_judgement judgement;

		t->row = cases[i].sentence;
		kb_support_judge(kb_support_new(&arena, analyzer, &source, 1, NULL), analyzer,
		                 kb_sv_str(cases[i].sentence), &judgement);
		CHECK(t, judgement.verdicts[0].says == cases[i].says);
		kb_arena_fini(&arena);
	}
	kb_analyzer_free(analyzer);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a source supports what it says", test_rows },
		{ "the place is that of the sentences", test_place },
		{ "a number is the same however it is written", test_numbers },
		{ "a source in another language is judged by its numbers", test_foreign },
		{ "what the best source denies is denied", test_denied },
		{ "what is supposed is not said", test_supposed },
		{ "two sources support together what neither does alone", test_together },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
