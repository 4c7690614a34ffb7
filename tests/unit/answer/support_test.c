/* Which source supports which sentence. Sources stand in a list; a row says which of them do. */
#include "answer/support.h"

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

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a source supports what it says", test_rows },
		{ "the place is that of the sentences", test_place },
		{ "a source in another language is judged by its numbers", test_foreign },
		{ "two sources support together what neither does alone", test_together },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
