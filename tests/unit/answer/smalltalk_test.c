#include "test.h"

#include "answer/smalltalk.h"

static void test_matches(struct kb_test *t)
{
	static const struct {
		enum kb_smalltalk kind;
		const char *text, *lang;
	} cases[] = {
		{ KB_TALK_GREETING, "Hi!", "und" }, /* everybody's */
		{ KB_TALK_GREETING, "Hi there", "en" },
		{ KB_TALK_GREETING, "Hallo", "de" },
		{ KB_TALK_THANKS, "Hallo, danke", "de" },
		{ KB_TALK_GREETING, "Hej", "sv" },
		{ KB_TALK_GREETING, "  hello there  ", "en" },
		{ KB_TALK_GREETING, "Good morning, everyone", "en" },
		{ KB_TALK_GREETING, "is anybody there?", "en" },
		{ KB_TALK_GREETING, "Guten Tag", "de" },
		{ KB_TALK_GREETING, "Bonjour !", "fr" },
		{ KB_TALK_GREETING, "¡Hola!", "es" },
		{ KB_TALK_GREETING, "Buongiorno", "it" },
		{ KB_TALK_GREETING, "Olá", "pt" },
		{ KB_TALK_GREETING, "Goedemorgen", "nl" },
		{ KB_TALK_GREETING, "Dzień dobry", "pl" },
		{ KB_TALK_GREETING, "Bună ziua", "ro" },
		{ KB_TALK_GREETING, "Merhaba", "tr" },
		{ KB_TALK_GREETING, "Здравствуйте!", "ru" },
		{ KB_TALK_GREETING, "Γεια σας", "el" },
		{ KB_TALK_GREETING, "مرحبا", "ar" },
		{ KB_TALK_GREETING, "שלום", "he" },
		{ KB_TALK_GREETING, "नमस्ते", "hi" },
		{ KB_TALK_GREETING, "Xin chào", "vi" },
		{ KB_TALK_GREETING, "Selamat pagi", "id" },
		{ KB_TALK_GREETING, "สวัสดีครับ", "th" },
		{ KB_TALK_GREETING, "你好！", "zh" },
		{ KB_TALK_GREETING, "こんにちは。", "ja" },
		{ KB_TALK_GREETING, "안녕하세요", "ko" },
		{ KB_TALK_THANKS, "Thank you very much for your help!", "en" },
		{ KB_TALK_THANKS, "ok, thanks", "en" },
		{ KB_TALK_THANKS, "Vielen Dank", "de" },
		{ KB_TALK_THANKS, "muchas gracias", "es" },
		{ KB_TALK_THANKS, "ありがとうございます", "ja" },
		{ KB_TALK_BYE, "Goodbye, my friend", "en" },
		{ KB_TALK_BYE, "Auf Wiedersehen", "de" },
		{ KB_TALK_HOW_ARE_YOU, "Hi, how are you?", "en" },
		{ KB_TALK_HOW_ARE_YOU, "how's it going", "en" },
		{ KB_TALK_HOW_ARE_YOU, "Wie geht's?", "de" },
		{ KB_TALK_ACK, "ok", "und" },
		{ KB_TALK_ACK, "I see.", "en" },
		{ KB_TALK_ACK, "Ясно", "ru" },
		{ KB_TALK_META, "Who are you?", "en" },
		{ KB_TALK_META, "hi bot, what can you do?", "en" },
		{ KB_TALK_META, "I have a question", "en" },
		{ KB_TALK_META, "I need help", "en" },
		{ KB_TALK_META, "can I ask you something?", "en" },
		{ KB_TALK_META, "do you speak German?", "en" },
		{ KB_TALK_META, "what languages do you speak", "en" },
		{ KB_TALK_META, "Are you a bot", "en" },
		{ KB_TALK_META, "Was kannst du?", "de" },
		{ KB_TALK_META, "你是谁？", "zh" },
		{ KB_TALK_TOPICS, "What do you know about?", "en" },
		{ KB_TALK_TOPICS, "what topics do you cover", "en" },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		enum kb_lang lang;

		t->row = cases[i].text;
		CHECK_INT(t, kb_smalltalk(kb_sv_str(cases[i].text), KB_LANG_NONE, &lang),
		          cases[i].kind);
		CHECK_SV(t, kb_sv_str(kb_lang_code(lang)), cases[i].lang);
	}
}

/* What several languages say is of the likely one. */
static void test_likely(struct kb_test *t)
{
	static const struct {
		enum kb_lang likely;
		enum kb_smalltalk kind;
		const char *text, *lang;
	} cases[] = {
		{ KB_LANG_EN, KB_TALK_GREETING, "Hallo", "de" },
		{ KB_LANG_NL, KB_TALK_GREETING, "Hallo!", "nl" },
		{ KB_LANG_NO, KB_TALK_GREETING, "Hei", "no" },
		{ KB_LANG_RO, KB_TALK_GREETING, "Salut", "ro" },
		{ KB_LANG_DA, KB_TALK_THANKS, "Tak", "da" },
		{ KB_LANG_PL, KB_TALK_ACK, "Tak", "pl" },
		{ KB_LANG_DE, KB_TALK_GREETING, "Bonjour", "fr" },
		{ KB_LANG_DE, KB_TALK_GREETING, "Hi", "und" },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		enum kb_lang lang;

		t->row = cases[i].text;
		CHECK_INT(t, kb_smalltalk(kb_sv_str(cases[i].text), cases[i].likely, &lang),
		          cases[i].kind);
		CHECK_SV(t, kb_sv_str(kb_lang_code(lang)), cases[i].lang);
	}
	t->row = NULL;
}

/* Real questions, and messages that only begin like small talk. */
static void test_questions(struct kb_test *t)
{
	static const char *const texts[] = {
		"hello, what does it cost?",
		"What do you know about the oil crisis?",
		"Who are the Normans?",
		"how are plants watered",
		"thanks to whom did it end?",
		"What can bees do?",
		"help with returns",
		"ok so how do I reset my password",
		"do you speak to your customers by phone",
		"Hi-Fi systems",
		"good morning america host",
		"what is the name of the king",
		"hello kitty",
		"bye laws",
		"no answer from the pump",
		"Что такое привет?",
		"谢谢惠顾是什么意思",
		"",
		"   ",
		"\xff\xfe",
		"hi hi hi hi hi hi hi hi hi hi hi hi hi hi hi hi hi hi hi hi hi hi hi hi hi hi hi "
		"hi hi "
		"hi hi hi",
	};

	for (size_t i = 0; i < KB_COUNTOF(texts); i++) {
		t->row = texts[i];
		CHECK_INT(t, kb_smalltalk(kb_sv_str(texts[i]), KB_LANG_NONE, NULL), KB_TALK_NONE);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "small talk is known", test_matches },
		{ "what several languages say is of the likely one", test_likely },
		{ "questions are not taken for it", test_questions },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
