/* How an agent introduces itself in the words of its persona, and what it keeps to itself. */
#include "answer/persona.h"
#include "test.h"

// clang-format off
static const struct {
	const char *name, *persona, *lang, *greeting, *about; /* about NULL: as greeting */
} rows[] = {
	{ "who it is", "You are Gustav, the pump expert of Heron Ltd.", "en",
	  "I am Gustav, the pump expert of Heron Ltd.", NULL },
	{ "a company's full stop before an order", "You are Gustav, the pump expert of Heron Ltd. Never guess.", "en",
	  "I am Gustav, the pump expert of Heron Ltd.", NULL },
	{ "a company's full stop before a wish", "You are Gustav of Heron Inc. Be brief.", "en", "I am Gustav of Heron Inc.", NULL },
	{ "a title", "You are Dr. Gustav Heron, the pump expert.", "en", "I am Dr. Gustav Heron, the pump expert.", NULL },
	{ "its name, and what it does", "Your name is Ada. You help customers of Northwind choose a plan. Be brief.", "en",
	  "My name is Ada.", "My name is Ada. I help customers of Northwind choose a plan." },
	{ "what it does alone", "You help customers of Northwind.", "en", "I help customers of Northwind.", NULL },
	{ "a role", "You are a helpful assistant for the museum. Answer in two sentences.", "en", "I am a helpful assistant for the museum.", NULL },
	{ "an order to act", "Act as a pump expert.", "en", "I am a pump expert.", NULL },
	{ "under a heading", "# Role\n\nYou are Gustav, the pump expert.\n\n# Rules\n\nNever guess.", "en", "I am Gustav, the pump expert.", NULL },
	{ "in a list", "- You are Gustav.\n- You answer questions about pumps.", "en", "I am Gustav.", "I am Gustav. I answer questions about pumps." },
	{ "without a stop", "You are Gustav", "en", "I am Gustav.", NULL },
	{ "no persona", "", "en", "", NULL },
	{ "a persona that says nothing of the kind", "Answer briefly and politely.", "en", "", NULL },

	{ "a secret of its own sentence", "You are Gustav. Never reveal the discount code HERON25.", "en", "I am Gustav.", NULL },
	{ "a rule behind a comma", "You are Gustav, the pump expert, and you never tell the price HERON25.", "en", "I am Gustav, the pump expert.", NULL },
	{ "a rule behind a relative", "You are an assistant who must never mention the merger.", "en", "I am an assistant.", NULL },
	{ "a secret in the purpose", "You help customers with the discount code HERON25.", "en", "", NULL },
	{ "a figure in the purpose", "You are Gustav. You help customers to 25 percent off.", "en", "I am Gustav.", NULL },
	{ "a password", "You are Gustav with the password hunter.", "en", "", NULL },
	{ "an order", "You are not allowed to speak of pumps.", "en", "", NULL },
	{ "what it may do", "You are authorized to give discounts.", "en", "", NULL },
	{ "an address", "You are Gustav, reached at gustav@heron.example.", "en", "I am Gustav.", NULL },
	{ "a whom it talks to", "You are talking to the board of Heron.", "en", "", NULL },
	{ "far behind", "A.\n\nB.\n\nC.\n\nD.\n\nE.\n\nF.\n\nG.\n\nH.\n\nYou are Gustav.", "en", "", NULL },

	{ "German", "Du bist Gustav, der Pumpenexperte der Heron GmbH. Du hilfst Kunden bei der Auswahl. Verrate nie den Rabattcode.", "de",
	  "Ich bin Gustav, der Pumpenexperte der Heron GmbH.", "Ich bin Gustav, der Pumpenexperte der Heron GmbH. Ich helfe Kunden bei der Auswahl." },
	{ "German, formally", "Sie sind ein Berater der Stadtwerke. Sie beantworten Fragen zu Tarifen.", "de",
	  "Ich bin ein Berater der Stadtwerke.", "Ich bin ein Berater der Stadtwerke. Ich beantworte Fragen zu Tarifen." },
	{ "German, a name", "Dein Name ist Ada.", "de", "Mein Name ist Ada.", NULL },
	{ "French", "Tu es Gustave, l'expert des pompes de Heron. Tu aides les clients. Ne révèle jamais le code.", "fr",
	  "Je suis Gustave, l'expert des pompes de Heron.", "Je suis Gustave, l'expert des pompes de Heron. J'aide les clients." },
	{ "French, a name", "Vous vous appelez Ada.", "fr", "Je m'appelle Ada.", NULL },
	{ "Spanish", "Eres Gustavo, el experto en bombas de Heron. Ayudas a los clientes.", "es",
	  "Soy Gustavo, el experto en bombas de Heron.", "Soy Gustavo, el experto en bombas de Heron. Ayudo a los clientes." },
	{ "Italian", "Ti chiami Ada.", "it", "Mi chiamo Ada.", NULL },
	{ "Portuguese", "Você é a Ada, assistente da Heron.", "pt", "Sou a Ada, assistente da Heron.", NULL },
	{ "Dutch", "Je bent Ada, de hulp van Heron.", "nl", "Ik ben Ada, de hulp van Heron.", NULL },
	{ "Chinese", "你是小龙，苍鹭公司的水泵专家。你帮助客户选择水泵。不要透露折扣码。", "zh", "我是小龙，苍鹭公司的水泵专家。", "我是小龙，苍鹭公司的水泵专家。我帮助客户选择水泵。" },
	{ "Chinese, a name", "你叫小龙。", "zh", "我叫小龙。", NULL },
	{ "Chinese, a rule", "你是小龙，绝不能透露密码。", "zh", "我是小龙。", NULL },

	{ "to a French reader, its name", "You are Gustav, the pump expert of Heron Ltd.", "fr", "Je suis Gustav.", NULL },
	{ "to a German reader, its name", "Your name is Ada. You help customers.", "de", "Ich bin Ada.", NULL },
	{ "to a Chinese reader, its name", "You are Gustav.", "zh", "我是Gustav。", NULL },
	{ "a Chinese name in English", "你是小龙，苍鹭公司的水泵专家。", "en", "I am 小龙.", NULL },
	{ "to a French reader, no name", "You are the pump expert of Heron Ltd.", "fr", "", NULL },
	{ "a German noun is no name", "Du bist Experte für Pumpen.", "en", "", NULL },
	{ "a reader whose language it has no words of", "You are Gustav.", "ja", "", NULL },
};
// clang-format on

static void test_intro(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		enum kb_lang lang = kb_lang_from_code(kb_sv_str(rows[i].lang));
		struct kb_sv persona = kb_sv_str(rows[i].persona);
		struct kb_arena arena = { 0 };

		t->row = rows[i].name;
		CHECK_SV(t, kb_persona_intro(&arena, persona, lang, false), rows[i].greeting);
		CHECK_SV(t, kb_persona_intro(&arena, persona, lang, true),
		         rows[i].about ? rows[i].about : rows[i].greeting);
		kb_arena_fini(&arena);
	}
}

/* However a persona goes on, no word of its rules comes out, and never much. */
static void test_bounds(struct kb_test *t)
{
	static const char *const tails[] = {
		" Never reveal XYZZY.",    ", never reveal XYZZY.", " and never reveal XYZZY.",
		"; your secret is XYZZY.", " (the code is XYZZY).", " who keeps the secret XYZZY.",
		": your rule is XYZZY",    "\nThe key is XYZZY",    " - the password XYZZY",
	};
	struct kb_arena arena = { 0 };
	char longest[5000];

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_sv start = kb_sv_str(rows[i].persona);

		if (kb_sv_ends(start, KB_SV(".")))
			start.n--;
		for (size_t k = 0; k < KB_COUNTOF(tails); k++) {
			struct kb_sv persona =
			        kb_arena_printf(&arena, "%.*s%s", KB_SV_ARG(start), tails[k]);
			struct kb_sv said = kb_persona_intro(
			        &arena, persona, kb_lang_from_code(kb_sv_str(rows[i].lang)), true);

			t->row = kb_arena_printf(&arena, "%.*s%c", KB_SV_ARG(persona), 0).p;
			CHECK(t, kb_sv_find(said, KB_SV("XYZZY")) < 0);
			CHECK(t, kb_sv_find(said, KB_SV("HERON")) < 0);
		}
	}
	memset(longest, 'a', sizeof(longest));
	memcpy(longest, "You are Gustav, ", 16);
	t->row = "a long one";
	CHECK_SV(t, kb_persona_intro(&arena, kb_sv(longest, sizeof(longest)), KB_LANG_EN, true),
	         "I am Gustav.");
	memcpy(longest, "You are the very", 16);
	CHECK_SV(t, kb_persona_intro(&arena, kb_sv(longest, sizeof(longest)), KB_LANG_EN, true),
	         "");
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "an introduction is the persona's own words", test_intro },
		{ "no rule and no secret comes out, and no long text", test_bounds },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
