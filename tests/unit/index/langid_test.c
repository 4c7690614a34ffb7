#include "test.h"

#include "index/analysis.h"
#include "index/langwords.h"
#include "index/stopwords.h"

static void test_codes(struct kb_test *t)
{
	for (int i = 1; i < KB_LANG_COUNT; i++) {
		t->row = kb_lang_code((enum kb_lang)i);
		CHECK_INT(t, kb_lang_from_code(kb_sv_str(t->row)), i);
	}
	t->row = NULL;
	CHECK_INT(t, kb_lang_from_code(KB_SV("pt-BR")), KB_LANG_PT);
	CHECK_INT(t, kb_lang_from_code(KB_SV("ZH_Hant")), KB_LANG_ZH);
	CHECK_INT(t, kb_lang_from_code(KB_SV("xx")), KB_LANG_NONE);
	CHECK_INT(t, kb_lang_from_code(KB_SV("")), KB_LANG_NONE);
	CHECK_SV(t, kb_sv_str(kb_lang_code(KB_LANG_NONE)), "und");
}

static void test_questions(struct kb_test *t)
{
	static const struct {
		enum kb_lang lang;
		const char *text;
	} cases[] = {
		{ KB_LANG_EN, "How long do I have to return goods?" },
		{ KB_LANG_EN, "price of oil" },
		{ KB_LANG_DE, "Wie lange kann ich die Ware zurückgeben?" },
		{ KB_LANG_FR, "Quand est-ce que la guerre a commencé ?" },
		{ KB_LANG_ES, "¿Cuándo comenzó la guerra?" },
		{ KB_LANG_IT, "Quando è iniziata la guerra?" },
		{ KB_LANG_PT, "Quando começou a guerra e onde?" },
		{ KB_LANG_NL, "Wanneer is de oorlog begonnen?" },
		{ KB_LANG_SV, "När började kriget och varför?" },
		{ KB_LANG_PL, "Kiedy zaczęła się wojna?" },
		{ KB_LANG_CS, "Kdy začala válka?" },
		{ KB_LANG_RO, "Când a început războiul și unde?" },
		{ KB_LANG_TR, "Savaş ne zaman başladı?" },
		{ KB_LANG_VI, "Chiến tranh bắt đầu khi nào?" },
		{ KB_LANG_ID, "Kapan perang itu dimulai?" },
		{ KB_LANG_RU, "Когда началась война?" },
		{ KB_LANG_UK, "Коли почалася війна?" },
		{ KB_LANG_EL, "Πότε ξεκίνησε ο πόλεμος;" },
		{ KB_LANG_AR, "متى بدأت الحرب؟" },
		{ KB_LANG_FA, "جنگ چه زمانی آغاز شد؟" },
		{ KB_LANG_HE, "מתי התחילה המלחמה?" },
		{ KB_LANG_HI, "युद्ध कब शुरू हुआ?" },
		{ KB_LANG_TH, "สงครามเริ่มเมื่อไหร่" },
		{ KB_LANG_ZH, "战争是什么时候开始的？" },
		{ KB_LANG_ZH, "iPhone 13 的价格" },
		{ KB_LANG_JA, "戦争はいつ始まりましたか？" },
		{ KB_LANG_KO, "전쟁은 언제 시작되었습니까?" },
		{ KB_LANG_RU, "Сколько стоит iPhone 15 Pro?" },
		{ KB_LANG_NONE, "12.4.1 ?" },
		{ KB_LANG_NONE, "" },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		t->row = cases[i].text;
		CHECK_SV(t, kb_sv_str(kb_lang_code(kb_lang_of_question(kb_sv_str(cases[i].text)))),
		         kb_lang_code(cases[i].lang));
	}
}

static void test_texts(struct kb_test *t)
{
	static const struct {
		enum kb_lang lang;
		const char *text;
	} cases[] = {
		{ KB_LANG_EN,
		  "The price of oil rose from three dollars a barrel to nearly twelve, and "
		  "the effects on politics and on the economy were felt for years." },
		{ KB_LANG_DE,
		  "Der Ölpreis stieg von drei auf fast zwölf Dollar je Fass, und die Folgen "
		  "für Politik und Wirtschaft waren noch Jahre später zu spüren." },
		{ KB_LANG_RU,
		  "Цена нефти выросла с трёх долларов за баррель почти до двенадцати, и "
		  "последствия для политики и экономики ощущались ещё многие годы." },
		{ KB_LANG_ZH,
		  "石油价格从每桶三美元上涨到近十二美元，其对政治和经济的影响持续了多年。" },
		{ KB_LANG_JA,
		  "原油価格は一バレル三ドルから十二ドル近くまで上昇し、その影響は長く続いた。" },
		{ KB_LANG_HE,
		  "מחיר הנפט עלה משלושה דולרים לחבית לכמעט שנים עשר, וההשפעות על הפוליטיקה "
		  "ועל הכלכלה הורגשו במשך שנים רבות." },
		{ KB_LANG_NONE, "" },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		t->row = cases[i].text;
		CHECK_SV(t, kb_sv_str(kb_lang_code(kb_lang_of_text(kb_sv_str(cases[i].text)))),
		         kb_lang_code(cases[i].lang));
	}
	t->row = "damaged bytes are no harm";
	kb_lang_of_text(KB_SV("\xff\xfe\x00 the price of \xc3"));
}

/* What function words decide by themselves, and what they leave to the statistics. */
static void test_words(struct kb_test *t)
{
	static const struct {
		const char *name, *text;
		enum kb_lang lang;
	} cases[] = {
		{ "prose",
		  "The price of oil rose from three dollars a barrel to nearly twelve, and the "
		  "effects on politics and on the economy were felt for years.",
		  KB_LANG_EN },
		{ "French without its accents",
		  "La liste des commandes qui sont lues dans le fichier est dans la section sur "
		  "les "
		  "options; elles ne peuvent pas remplacer celles de la page de manuel.",
		  KB_LANG_FR },
		{ "half German",
		  "The price of oil rose from three dollars a barrel to nearly twelve, and the "
		  "effects were felt for years. Der Preis stieg von drei auf fast zwölf Dollar je "
		  "Fass, und die Folgen waren noch Jahre später für alle zu spüren.",
		  KB_LANG_NONE },
		{ "a quarter German",
		  "The price of oil rose from three dollars a barrel to nearly twelve, and the "
		  "effects on politics and on the economy were felt for years. It was the end of "
		  "an age. Der Preis stieg von drei auf fast zwölf, und die Folgen waren noch zu "
		  "spüren.",
		  KB_LANG_NONE },
		{ "an English text that names a Spanish book",
		  "The novel \"El amor en los tiempos del colera\" was published in 1985 and is "
		  "one "
		  "of the best known of the author, who had won the prize for all of his work "
		  "three "
		  "years before, when he was already among the most widely read in the world.",
		  KB_LANG_EN },
		{ "a program",
		  "static int calc_hash(struct crypto_shash *alg, const unsigned char *data, "
		  "unsigned int datalen, unsigned char *digest) { struct sdesc *sdesc; int ret; "
		  "sdesc = init_sdesc(alg); if (IS_ERR(sdesc)) { pr_info(\"can't alloc sdesc\"); "
		  "return PTR_ERR(sdesc); } ret = crypto_shash_digest(&sdesc->shash, data); "
		  "kfree(sdesc); return ret; }",
		  KB_LANG_EN },
		{ "single letters are no words of any language",
		  "(C function) y e o u (C function) y e o u (C function) y e o u (C function) a y",
		  KB_LANG_NONE },
		{ "one word again and again",
		  "sub sub sub sub sub sub sub sub sub sub sub sub sub sub", KB_LANG_NONE },
		{ "numbers",
		  "228 229 230 231 232 233 234 235 236 237 238 239 240 241 242 243 244 "
		  "245 246 247 248 249 250 251 252 253 254 255 256 257 258 259 260",
		  KB_LANG_NONE },
		{ "Russian with English names",
		  "Сервер Apache HTTP Server читает файл the configuration при запуске и затем по "
		  "сигналу, а модули загружаются и выгружаются по одному.",
		  KB_LANG_NONE },
		{ "a language without a list",
		  "Tere tulemast meie lehele, kus leiate palju huvitavat lugemist ja pilte.",
		  KB_LANG_NONE },
		{ "", "", KB_LANG_NONE },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_lang_words words = { .words = 0 };
		struct kb_sv text = kb_sv_str(cases[i].text);

		t->row = cases[i].name;
		kb_lang_words_add(&words, text);
		CHECK_SV(t, kb_sv_str(kb_lang_code(kb_lang_words_verdict(&words))),
		         kb_lang_code(cases[i].lang));
	}
	t->row = NULL;
	CHECK_INT(t, kb_lang_of_text(KB_SV("228 229 230 231")), KB_LANG_NONE);
	CHECK(t, kb_lang_lists(KB_SV("und")) >> KB_LANG_DE & 1);
	CHECK(t, !(kb_lang_lists(KB_SV("und")) >> KB_LANG_EN & 1));
	CHECK_INT(t, kb_lang_lists(KB_SV("")), 0);
}

/* The table says of each word of each list what the list says. */
static void test_table(struct kb_test *t)
{
	for (int lang = 1; lang < KB_LANG_COUNT; lang++) {
		struct kb_sv rest = kb_stopword_list((enum kb_lang)lang), word;

		while (kb_sv_split(&rest, ' ', &word)) {
			if (!word.n)
				continue;
			for (int l = 1; l < KB_LANG_COUNT; l++)
				CHECK_INT(t, kb_lang_lists(word) >> l & 1,
				          (kb_stopword_flags((enum kb_lang)l, word)
				           & KB_TERM_FUNCTION)
				                  != 0);
		}
	}
}

static void test_lists(struct kb_test *t)
{
	struct kb_stopword_cuts *cuts;

	/* A list is words between single blanks with one at both ends; a slip would glue two. */
	for (int l = 0; l < KB_LANG_COUNT; l++) {
		struct kb_sv list = kb_stopword_list((enum kb_lang)l);

		t->row = kb_lang_code((enum kb_lang)l);
		CHECK_INT(t, kb_sv_find(list, KB_SV("  ")), -1);
		CHECK(t, list.n == 0 || (list.p[0] == ' ' && list.p[list.n - 1] == ' '));
	}
	t->row = NULL;
	CHECK_INT(t, kb_stopword_flags(KB_LANG_EN, KB_SV("the")), KB_TERM_STOP | KB_TERM_FUNCTION);
	CHECK_INT(t, kb_stopword_flags(KB_LANG_EN, KB_SV("what")), KB_TERM_FUNCTION);
	CHECK_INT(t, kb_stopword_flags(KB_LANG_EN, KB_SV("named")), 0);
	CHECK_INT(t, kb_stopword_flags(KB_LANG_EN, KB_SV("the that")), 0);
	CHECK_INT(t, kb_stopword_flags(KB_LANG_NONE, KB_SV("the")), 0);
	CHECK(t, kb_stopword_cuts_new(KB_LANG_EN) == NULL);
	CHECK_INT(t, kb_stopword_at(NULL, KB_SV("what")), 0);
	cuts = kb_stopword_cuts_new(KB_LANG_ZH);
	CHECK_INT(t, kb_stopword_at(cuts, KB_SV("什么时候开始")), 12);
	CHECK_INT(t, kb_stopword_at(cuts, KB_SV("开始")), 0);
	CHECK_INT(t, kb_stopword_at(cuts, KB_SV("x")), 0);
	kb_stopword_cuts_free(cuts);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "codes there and back", test_codes },
		{ "languages of questions", test_questions },
		{ "languages of texts", test_texts },
		{ "function words decide clear cases", test_words },
		{ "the table of function words is the lists", test_table },
		{ "function words", test_lists },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
