/* Which questions are several. */
#include "answer/plan.h"
#include "test.h"

static const struct {
	const char *name, *text;
	enum kb_lang lang;
	const char *want; /* parts by " | " */
} rows[] = {
	{ "one question", "When did the museum open?", KB_LANG_EN, "When did the museum open?" },
	{ "and with a question word", "What is Velmora and when did the museum open?", KB_LANG_EN,
	  "What is Velmora | when did the museum open?" },
	{ "a comma and and", "Who built the tower, and how tall is it?", KB_LANG_EN,
	  "Who built the tower | how tall is it?" },
	{ "three", "Who built the tower, when did it open and what does a ticket cost?", KB_LANG_EN,
	  "Who built the tower | when did it open | what does a ticket cost?" },
	{ "two sentences", "What is the warranty? How do I descale the machine?", KB_LANG_EN,
	  "What is the warranty? | How do I descale the machine?" },
	{ "a statement belongs to its question", "I own a Brisca 200. How long is the warranty?",
	  KB_LANG_EN, "I own a Brisca 200. How long is the warranty?" },
	{ "and thanks to theirs", "How long is the warranty? Many thanks!", KB_LANG_EN,
	  "How long is the warranty? Many thanks!" },
	{ "a preposition before the question word",
	  "What does the tour cost and at what time does it begin?", KB_LANG_EN,
	  "What does the tour cost | at what time does it begin?" },
	{ "a verb and its subject", "How tall is the tower and does it have a lift?", KB_LANG_EN,
	  "How tall is the tower | does it have a lift?" },
	{ "a request", "Tell me who built the tower and when the museum opened", KB_LANG_EN,
	  "Tell me who built the tower | when the museum opened" },
	{ "a numbered list", "1. Who built the tower?\n2. When did it open?", KB_LANG_EN,
	  "1. Who built the tower? | 2. When did it open?" },
	{ "a list with dashes", "- price of the tour\n- opening hours of the museum", KB_LANG_EN,
	  "- price of the tour | opening hours of the museum" },
	{ "two things of one kind", "What are the fees for adults and children?", KB_LANG_EN,
	  "What are the fees for adults and children?" },
	{ "two verbs of one subject", "Which pump is red and costs less than 20 crowns?",
	  KB_LANG_EN, "Which pump is red and costs less than 20 crowns?" },
	{ "relative clauses", "Who was the man who built the tower and who owned the mill?",
	  KB_LANG_EN, "Who was the man who built the tower and who owned the mill?" },
	{ "what is compared", "What is the difference between how pumps work and how fans work?",
	  KB_LANG_EN, "What is the difference between how pumps work and how fans work?" },
	{ "a question word with nothing behind it", "Who built the tower and when?", KB_LANG_EN,
	  "Who built the tower and when?" },
	{ "question words side by side", "When and where was the tower built?", KB_LANG_EN,
	  "When and where was the tower built?" },
	{ "a clause of time", "What happens when the tank is empty, and when it is full?",
	  KB_LANG_EN, "What happens when the tank is empty, and when it is full?" },
	{ "a clause before its question", "When rain falls for a week, what happens to the mill?",
	  KB_LANG_EN, "When rain falls for a week, what happens to the mill?" },
	{ "a clause within", "What is the rule that people, who live nearby, must follow?",
	  KB_LANG_EN, "What is the rule that people, who live nearby, must follow?" },
	{ "an alternative", "Is the tower open or is it closed in winter?", KB_LANG_EN,
	  "Is the tower open or is it closed in winter?" },
	{ "German", "Was kostet der Eintritt und wann öffnet das Museum?", KB_LANG_DE,
	  "Was kostet der Eintritt | wann öffnet das Museum?" },
	{ "German, with a preposition",
	  "Wer baute den Turm und um wie viel Uhr beginnt die Führung?", KB_LANG_DE,
	  "Wer baute den Turm | um wie viel Uhr beginnt die Führung?" },
	{ "German, one question", "Was kostet der Eintritt für Kinder und Erwachsene?", KB_LANG_DE,
	  "Was kostet der Eintritt für Kinder und Erwachsene?" },
	{ "French", "Combien coûte le billet et quand ouvre le musée ?", KB_LANG_FR,
	  "Combien coûte le billet | quand ouvre le musée ?" },
	{ "French, with a preposition",
	  "Qui a construit la tour et à quelle heure ouvre le musée ?", KB_LANG_FR,
	  "Qui a construit la tour | à quelle heure ouvre le musée ?" },
	{ "French, one question", "Quel est le prix du billet pour la tour et le musée ?",
	  KB_LANG_FR, "Quel est le prix du billet pour la tour et le musée ?" },
	{ "Spanish", "¿Cuánto cuesta la entrada y cuándo abre el museo?", KB_LANG_ES,
	  "¿Cuánto cuesta la entrada | cuándo abre el museo?" },
	{ "Spanish, two sentences", "¿Quién construyó la torre? ¿Cuándo abre el museo?", KB_LANG_ES,
	  "¿Quién construyó la torre? | ¿Cuándo abre el museo?" },
	{ "Italian", "Quanto costa il biglietto e quando apre il museo?", KB_LANG_IT,
	  "Quanto costa il biglietto | quando apre il museo?" },
	{ "Portuguese", "Quanto custa o bilhete e quando abre o museu?", KB_LANG_PT,
	  "Quanto custa o bilhete | quando abre o museu?" },
	{ "Dutch", "Wat kost het kaartje en wanneer opent het museum?", KB_LANG_NL,
	  "Wat kost het kaartje | wanneer opent het museum?" },
	{ "Russian", "Сколько стоит билет и когда открывается музей?", KB_LANG_RU,
	  "Сколько стоит билет | когда открывается музей?" },
	{ "Polish", "Ile kosztuje bilet i kiedy otwiera się muzeum?", KB_LANG_PL,
	  "Ile kosztuje bilet | kiedy otwiera się muzeum?" },
	{ "Chinese, marks", "门票多少钱？博物馆什么时候开门？", KB_LANG_ZH,
	  "门票多少钱？ | 博物馆什么时候开门？" },
	{ "Chinese, a comma", "门票多少钱，博物馆什么时候开门？", KB_LANG_ZH,
	  "门票多少钱 | 博物馆什么时候开门？" },
	{ "Chinese, one question", "如果下雨，博物馆什么时候开门？", KB_LANG_ZH,
	  "如果下雨，博物馆什么时候开门？" },
	{ "Japanese", "チケットはいくらですか？博物館はいつ開きますか？", KB_LANG_JA,
	  "チケットはいくらですか？ | 博物館はいつ開きますか？" },
	{ "Korean", "표는 얼마입니까? 박물관은 언제 엽니까?", KB_LANG_KO,
	  "표는 얼마입니까? | 박물관은 언제 엽니까?" },
	{ "Arabic marks", "كم سعر التذكرة؟ متى يفتح المتحف؟", KB_LANG_AR,
	  "كم سعر التذكرة؟ | متى يفتح المتحف؟" },
	{ "a language without a table has its marks", "Mikä on hinta? Milloin museo aukeaa?",
	  KB_LANG_FI, "Mikä on hinta? | Milloin museo aukeaa?" },
	{ "nothing", "", KB_LANG_EN, "" },
	{ "marks alone", "???", KB_LANG_EN, "???" },
};

static struct kb_sv join(struct kb_arena *arena, const struct kb_sv *parts, size_t count)
{
	struct kb_sv out = parts[0];

	for (size_t i = 1; i < count; i++)
		out = kb_arena_printf(arena, "%.*s | %.*s", KB_SV_ARG(out), KB_SV_ARG(parts[i]));
	return out;
}

static void test_split(struct kb_test *t)
{
	struct kb_analyzer *analyzer = kb_analyzer_new();

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_sv parts[KB_PLAN_PARTS_MAX];
		struct kb_arena arena = { 0 };
		size_t count;

		t->row = rows[i].name;
		count = kb_plan_split(analyzer, &arena, kb_sv_str(rows[i].text), rows[i].lang,
		                      KB_PLAN_PARTS_MAX, parts);
		CHECK_SV(t, join(&arena, parts, count), rows[i].want);
		/* One part is the text itself, whatever it is. */
		count = kb_plan_split(analyzer, &arena, kb_sv_str(rows[i].text), rows[i].lang, 1,
		                      parts);
		CHECK_INT(t, count, 1);
		CHECK_SV(t, parts[0], rows[i].text);
		kb_arena_fini(&arena);
	}
	kb_analyzer_free(analyzer);
}

static void test_bound(struct kb_test *t)
{
	static const char text[] =
	        "Who built it? When did it open? What does it cost? Where is it?";
	static const struct {
		size_t max;
		const char *want;
	} bounds[] = {
		{ 0, text },
		{ 1, text },
		{ 2, "Who built it? | When did it open? What does it cost? Where is it?" },
		{ 3, "Who built it? | When did it open? | What does it cost? Where is it?" },
	};
	struct kb_analyzer *analyzer = kb_analyzer_new();

	for (size_t i = 0; i < KB_COUNTOF(bounds); i++) {
		struct kb_sv parts[KB_PLAN_PARTS_MAX];
		struct kb_arena arena = { 0 };
		size_t count = kb_plan_split(analyzer, &arena, kb_sv_str(text), KB_LANG_EN,
		                             bounds[i].max, parts);

		CHECK_SV(t, join(&arena, parts, count), bounds[i].want);
		kb_arena_fini(&arena);
	}
	kb_analyzer_free(analyzer);
}

static void test_asides(struct kb_test *t)
{
	static const struct {
		const char *name, *text, *want; /* NULL: the text */
	} asides[] = {
		{ "an address before", "My mail is ann@example.org. How long is the warranty?",
		  "How long is the warranty?" },
		{ "an address behind", "What does the narwhal have? My mail is a@b.org.",
		  "What does the narwhal have?" },
		{ "a masked one", "My mail is [email]. How long is the warranty?",
		  "How long is the warranty?" },
		{ "a greeting and thanks", "Hello! How long is the warranty? Thank you very much.",
		  "How long is the warranty?" },
		{ "in German", "Guten Tag. Wie lange gilt die Garantie? Vielen Dank!",
		  "Wie lange gilt die Garantie?" },
		{ "what the question is about", "I own a Brisca 200. How long is the warranty?",
		  NULL },
		{ "an address that is asked for", "Whose address is ann@example.org?", NULL },
		{ "one sentence", "ann@example.org", NULL },
		{ "nothing but asides", "Hello! Thank you.", NULL },
		{ "nothing", "", NULL },
	};

	for (size_t i = 0; i < KB_COUNTOF(asides); i++) {
		struct kb_arena arena = { 0 };

		t->row = asides[i].name;
		CHECK_SV(t, kb_plan_without_asides(&arena, kb_sv_str(asides[i].text)),
		         asides[i].want ? asides[i].want : asides[i].text);
		kb_arena_fini(&arena);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "sentences that ask nothing are left out", test_asides },
		{ "a question of several parts is taken apart", test_split },
		{ "no more parts than asked for", test_bound },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
