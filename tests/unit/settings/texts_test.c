/* The built-in texts: complete for the most spoken languages, in their own letters, in English
 * elsewhere. */
#include "base/utf8.h"
#include "settings_test.h"

/* The thirty most spoken of the listed languages, with a letter range their texts must touch:
 * a row in the wrong language, or in English, is seen. 0: Latin letters. */
static const struct {
	const char *code;
	uint32_t first, last;
} spoken[] = {
	{ "en", 0, 0 },
	{ "cmn", 0x4e00, 0x9fff },
	{ "hi", 0x900, 0x97f },
	{ "es", 0, 0 },
	{ "fr", 0, 0 },
	{ "ar", 0x600, 0x6ff },
	{ "bn", 0x980, 0x9ff },
	{ "pt", 0, 0 },
	{ "ru", 0x400, 0x4ff },
	{ "ur", 0x600, 0x6ff },
	{ "id", 0, 0 },
	{ "de", 0, 0 },
	{ "ja", 0x3040, 0x9fff },
	{ "pa", 0xa00, 0xa7f },
	{ "mr", 0x900, 0x97f },
	{ "te", 0xc00, 0xc7f },
	{ "tr", 0, 0 },
	{ "ta", 0xb80, 0xbff },
	{ "yue", 0x4e00, 0x9fff },
	{ "wuu", 0x4e00, 0x9fff },
	{ "vi", 0, 0 },
	{ "ko", 0xac00, 0xd7af },
	{ "fa", 0x600, 0x6ff },
	{ "sw", 0, 0 },
	{ "jv", 0, 0 },
	{ "it", 0, 0 },
	{ "th", 0xe00, 0xe7f },
	{ "gu", 0xa80, 0xaff },
	{ "kn", 0xc80, 0xcff },
	{ "pl", 0, 0 },
	{ "uk", 0x400, 0x4ff },
	{ "ro", 0, 0 },
	{ "nl", 0, 0 },
	{ "ms", 0, 0 },
	{ "pt-BR", 0, 0 },
};

static bool touches(struct kb_sv text, uint32_t first, uint32_t last)
{
	while (text.n > 0) {
		uint32_t cp;

		text = kb_sv_from(text, kb_utf8_decode(text, &cp));
		if (cp >= first && cp <= last)
			return true;
	}
	return false;
}

static void test_spoken(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(spoken); i++) {
		struct kb_sv code = kb_sv_str(spoken[i].code);

		t->row = spoken[i].code;
		CHECK(t, kb_text_has(code));
		for (int text = KB_TEXT_NONE + 1; text < KB_TEXT_COUNT; text++) {
			struct kb_sv own = kb_text_built_in(code, (enum kb_text)text);

			CHECK(t, touches(own, spoken[i].first ? spoken[i].first : 'A',
			                 spoken[i].first ? spoken[i].last : 'z'));
		}
	}
}

/* Every text of every row: there, valid, within the field it stands for, and no copy of English
 * beyond the words that two languages share. */
static void test_rows(struct kb_test *t)
{
	const char *codes[128];
	size_t count = kb_text_langs(codes, KB_COUNTOF(codes)), field_count;
	const struct kb_setting *fields = kb_settings_fields(&field_count);
	const struct kb_setting *lang = kb_settings_field(KB_SV("chatbot_msg_lang"));

	CHECK(t, count >= 30 && count <= KB_COUNTOF(codes));
	CHECK_SV(t, kb_sv_str(codes[0]), "en");
	for (size_t i = 0; i < count; i++) {
		struct kb_sv code = kb_sv_str(codes[i]);
		bool listed = false;
		int same = 0;

		t->row = codes[i];
		for (const char *const *choice = lang->choices; *choice; choice++)
			listed = listed || kb_sv_eq_str(code, *choice);
		CHECK(t, listed);
		for (size_t j = 0; j < i; j++)
			CHECK(t, strcmp(codes[i], codes[j]) != 0);
		for (int text = KB_TEXT_NONE + 1; text < KB_TEXT_COUNT; text++) {
			struct kb_sv own = kb_text_built_in(code, (enum kb_text)text);

			CHECK(t, own.n > 0 && kb_utf8_valid(own));
			CHECK(t, kb_sv_eq(own, kb_sv_trim(own)));
			same += kb_sv_eq(own, kb_text_built_in(KB_SV("en"), (enum kb_text)text));
			for (size_t f = 0; f < field_count; f++)
				CHECK(t, (int)fields[f].text != text
				                 || (int64_t)kb_utf8_count(own) <= fields[f].max);
		}
		CHECK(t, i == 0 || same <= 1);
	}
}

static void test_fall_back(struct kb_test *t)
{
	CHECK_SV(t, kb_text_built_in(KB_SV("sa"), KB_TEXT_VIEW_MORE), "View more");
	CHECK_SV(t, kb_text_built_in(KB_SV("nowhere"), KB_TEXT_VIEW_MORE), "View more");
	CHECK(t, !kb_text_has(KB_SV("sa")) && !kb_text_has(KB_SV("")));
	CHECK(t, kb_sv_eq(kb_text_built_in(KB_SV("mo"), KB_TEXT_SOURCES),
	                  kb_text_built_in(KB_SV("ro"), KB_TEXT_SOURCES)));
}

static void test_tags(struct kb_test *t)
{
	static const struct {
		const char *tag, *code;
	} rows[] = {
		{ "de", "de" },    { "DE", "de" },          { "de-AT", "de" },
		{ "de_CH", "de" }, { "pt-br", "pt-BR" },    { "pt-PT", "pt" },
		{ "zh", "cmn" },   { "zh-Hant-TW", "cmn" }, { "zh-HK", "yue" },
		{ "nb-NO", "no" }, { "bs", "bs" },          { "tlh", "en" },
		{ "", "en" },      { "-", "en" },           { "english", "en" },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].tag;
		CHECK_SV(t, kb_text_lang(kb_sv_str(rows[i].tag)), rows[i].code);
	}
}

static void test_accepted(struct kb_test *t)
{
	static const struct {
		const char *name, *accepted, *code;
	} rows[] = {
		{ "the first that there is", "de-CH,de;q=0.9,en;q=0.8", "de" },
		{ "what there is not is passed over", "tlh, fr;q=0.5", "fr" },
		{ "a place's own", "pt-BR,pt;q=0.9", "pt-BR" },
		{ "Chinese", "zh-TW,zh;q=0.9", "cmn" },
		{ "any", "*", "en" },
		{ "none", "", "en" },
		{ "what is no list", ";;,,q=1", "en" },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].name;
		CHECK_SV(t, kb_text_lang_of(kb_sv_str(rows[i].accepted)), rows[i].code);
	}
}

/* As the visitor's: a request's own settings speak its language, and what the owner wrote stays. */
static void test_visitors_language(struct kb_test *t)
{
	struct kb_settings settings;

	kb_settings_defaults(&settings);
	kb_settings_speak_to(&settings, KB_SV("de"));
	CHECK_SV(t, settings.chatbot_msg_lang, "en");
	settings.chatbot_msg_lang = KB_SV(KB_LANG_VISITOR);
	settings.view_less_msg = KB_SV("Fold");
	CHECK_SV(t, kb_settings_text(&settings, KB_TEXT_VIEW_MORE), "View more");
	kb_settings_speak_to(&settings, KB_SV("de-AT,en;q=0.5"));
	CHECK_SV(t, settings.chatbot_msg_lang, "de");
	CHECK_SV(t, settings.view_more_msg, "Mehr anzeigen");
	CHECK_SV(t, settings.view_less_msg, "Fold");
	CHECK_SV(t, kb_settings_text(&settings, KB_TEXT_SOURCES), "Quellen");
}

static void test_request_language(struct kb_test *t)
{
	struct kb_settings settings;

	kb_settings_defaults(&settings);
	CHECK_SV(t, kb_settings_text_in(&settings, KB_SV(""), KB_TEXT_VIEW_MORE), "View more");
	CHECK_SV(t, kb_settings_text_in(&settings, KB_SV("de-AT"), KB_TEXT_NO_ANSWER),
	         "Es tut mir leid, ich weiß die Antwort nicht");
	settings.no_answer_message = KB_SV("Ask at the desk.");
	CHECK_SV(t, kb_settings_text_in(&settings, KB_SV("de"), KB_TEXT_NO_ANSWER),
	         "Ask at the desk.");
}

/* The table's default is the English text, and each text belongs to one field; but what stands
 * above the closest passages is no setting. */
static void test_fields(struct kb_test *t)
{
	size_t count;
	const struct kb_setting *fields = kb_settings_fields(&count);
	struct kb_settings settings;

	kb_settings_defaults(&settings);
	for (int text = KB_TEXT_NONE + 1; text < KB_TEXT_COUNT; text++) {
		int owners = 0;

		for (size_t i = 0; i < count; i++) {
			struct kb_sv initial = kb_sv_str(fields[i].initial);

			if ((int)fields[i].text != text)
				continue;
			owners++;
			t->row = fields[i].name;
			CHECK(t,
			      kb_sv_eq_str(initial, "null")
			              || kb_sv_eq(kb_sv_sub(initial, 1, initial.n - 2),
			                          kb_text_built_in(KB_SV("en"), fields[i].text)));
		}
		CHECK_INT(t, owners, text != KB_TEXT_CLOSEST);
		CHECK(t, kb_sv_eq(kb_settings_text(&settings, (enum kb_text)text),
		                  kb_text_built_in(KB_SV("en"), (enum kb_text)text)));
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "the most spoken languages have texts in their letters", test_spoken },
		{ "every row is complete and fits its fields", test_rows },
		{ "other languages are English", test_fall_back },
		{ "a language tag finds its texts", test_tags },
		{ "of what a browser accepts the first that there is", test_accepted },
		{ "settings speak a visitor's language", test_visitors_language },
		{ "a request's language counts where the owner has set nothing",
		  test_request_language },
		{ "each text stands for one field", test_fields },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
