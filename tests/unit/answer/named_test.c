#include "test.h"

#include "answer/named.h"
#include "answer/numerals.h"

static int64_t nowhere(void *arg, struct kb_sv term)
{
	const char *known = arg;

	return known && kb_sv_find(kb_sv_str(known), term) >= 0;
}

struct scene {
	struct kb_analyzer *an;
	struct kb_arena arena;
	struct kb_question question;
	struct kb_named_things named;
};

static void read_question(struct scene *s, enum kb_lang lang, const char *text, const char *known)
{
	struct kb_utterance said = { .text = kb_sv_str(text), .lang = lang };
	struct kb_answer_stats stats = { 10, nowhere, (void *)(uintptr_t)known };

	*s = (struct scene){ .an = kb_analyzer_new() };
	kb_question_build(s->an, &s->arena, &said, &s->question);
	kb_named_read(s->an, &s->arena, &s->question, &said, &stats, &s->named);
}

static void done(struct scene *s)
{
	kb_analyzer_free(s->an);
	kb_arena_fini(&s->arena);
}

/* "code:p+200 number:99@room year:2019 name:zorblatt"; "!" behind what is certain. */
static const char *write_things(const struct kb_named_things *named, char out[256])
{
	static const char *const kinds[] = { "", "code", "number", "", "year", "", "", "", "name" };
	size_t n = 0;

	out[0] = 0;
	for (size_t i = 0; i < named->count; i++) {
		const struct kb_named_thing *thing = &named->v[i];

		n += (size_t)snprintf(out + n, 256 - n, "%s%s:", i ? " " : "", kinds[thing->kind]);
		for (size_t k = 0; k < thing->part_count; k++)
			n += (size_t)snprintf(out + n, 256 - n, "%s%.*s", k ? "+" : "",
			                      KB_SV_ARG(thing->parts[k]));
		if (thing->label.n)
			n += (size_t)snprintf(out + n, 256 - n, "@%.*s%s", KB_SV_ARG(thing->label),
			                      thing->certain ? "!" : "");
	}
	return out;
}

static void test_questions(struct kb_test *t)
{
	static const struct {
		enum kb_lang lang;
		const char *text, *named, *known;
	} cases[] = {
		{ KB_LANG_EN, "What does the pump P200 cost?", "code:p+200", NULL },
		{ KB_LANG_EN, "what does the pump p-200 cost", "number:200@p", NULL },
		{ KB_LANG_EN, "What does ERR-9999 mean?", "code:err+9999", NULL },
		{ KB_LANG_EN, "What is CVE-2024-1234?", "code:cve+2024+1234", NULL },
		{ KB_LANG_EN, "What is new in v2.1?", "code:2.1", NULL },
		{ KB_LANG_EN, "What is new in 7.3.9?", "code:7.3.9", NULL },
		{ KB_LANG_EN, "What about ISO 9001?", "code:iso+9001", NULL },
		{ KB_LANG_EN, "How many people does room 99 seat?", "number:99@room", NULL },
		{ KB_LANG_EN, "How many people does room no. 99 seat?", "number:99@room", NULL },
		{ KB_LANG_EN, "Where was Super Bowl 50 held?", "number:50@bowl!", "superbowl" },
		{ KB_LANG_EN, "What is on the 9th floor?", "number:9@floor", NULL },
		{ KB_LANG_EN, "What does the 3-day ticket cost?", "number:3@day", NULL },
		{ KB_LANG_EN, "What was the revenue in 2019?", "year:2019", NULL },
		{ KB_LANG_EN, "What was built in the 1990s?", "year:1990", NULL },
		{ KB_LANG_EN, "Who found Zorblatt in Paris?", "name:zorblatt", "paris" },
		/* the asker's */
		{ KB_LANG_EN, "I have 3 kids, what does it cost?", "", NULL },
		{ KB_LANG_EN, "Is it open 24/7?", "", NULL },
		{ KB_LANG_EN, "Can it be done in 2 minutes?", "", NULL },
		{ KB_LANG_EN, "Does it cost 500 euros or $600?", "", NULL },
		{ KB_LANG_EN, "1. What does it cost?", "", NULL },
		{ KB_LANG_EN, "Is it open on 24.12.2026 at 9:30?", "", NULL },
		{ KB_LANG_EN, "Is it open on Sunday, the 3rd of May?", "", NULL },
		{ KB_LANG_EN, "Does my 5-year-old need a ticket?", "", NULL },
		{ KB_LANG_EN, "How do I get from Lisbon to the museum?", "", NULL },
		{ KB_LANG_EN, "How long does delivery to Lisbon take?", "", NULL },
		{ KB_LANG_EN, "I am from Lisbon. What does it cost?", "", NULL },
		{ KB_LANG_EN, "How Do I Reset The Router?", "", NULL },
		{ KB_LANG_EN, "Mail me at anna99@example.com, please.", "", NULL },
		/* other languages */
		{ KB_LANG_DE, "Wie viele Plätze hat Raum 99?", "number:99@raum", NULL },
		{ KB_LANG_DE, "Was kostet die Wärmepumpe?", "", NULL },
		{ KB_LANG_DE, "Wo wohnt Frau Quendler?", "name:quendler", NULL },
		{ KB_LANG_FR, "Mon village a 2000 habitants, que publier ?", "", "village" },
		{ KB_LANG_FR, "Combien de places a la salle 99 ?", "number:99@sall", NULL },
		{ KB_LANG_ZH, "99号房间有多少座位？", "number:99@号", NULL },
		{ KB_LANG_ZH, "第９条说什么？", "number:9@条", NULL },
		{ KB_LANG_ZH, "第十二条说什么？", "number:12@条", NULL },
		{ KB_LANG_ZH, "2019年的收入是多少？", "year:2019", NULL },
		{ KB_LANG_ZH, "我有3个孩子，多少钱？", "", NULL },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct scene s;
		char text[256];

		t->row = cases[i].text;
		read_question(&s, cases[i].lang, cases[i].text, cases[i].known);
		CHECK_SV(t, kb_sv_str(write_things(&s.named, text)), cases[i].named);
		done(&s);
	}
}

static void test_passages(struct kb_test *t)
{
	/* h: held, l: a loose number, o: another of the kind. */
	static const struct {
		enum kb_lang lang;
		const char *question, *text, *has;
	} cases[] = {
		{ KB_LANG_EN, "What is the P200?", "The P200 is a pump.", "h" },
		{ KB_LANG_EN, "What is the P200?", "The p-200 is a pump.", "h" },
		{ KB_LANG_EN, "What is the P200?", "The P 200s are pumps.", "h" },
		{ KB_LANG_EN, "What is the P200?", "The P2000 is a pump.", "o" },
		{ KB_LANG_EN, "What is the P200?", "The XP200 is a pump.", "" },
		{ KB_LANG_EN, "What is the P200?", "The P200a is a pump.", "" },
		{ KB_LANG_EN, "What is in 12.4.1?", "Since v12.4.1 it sorts.", "h" },
		{ KB_LANG_EN, "What is in 12.4.1?", "Since 12.4.10 it sorts.", "" },
		{ KB_LANG_EN, "What is room 99?", "Room 99 is large.", "hl" },
		{ KB_LANG_EN, "What is room 99?", "Room 12 seats 99.", "lo" },
		{ KB_LANG_EN, "What is room 99?", "Rooms 97, 98 and 99 are large.", "hlo" },
		{ KB_LANG_EN, "What is room 99?", "Rooms 90 to 120 are large.", "ho" },
		{ KB_LANG_EN, "What is room 99?", "Room: 99; Seats: 12", "hl" },
		{ KB_LANG_EN, "What is room 99?", "It costs 99 euros.", "l" },
		{ KB_LANG_EN, "What is chapter 5?", "Chapter V is short.", "hl" },
		{ KB_LANG_EN, "What is chapter 5?", "Chapter five is short.", "hl" },
		{ KB_LANG_EN, "What is form 1,040?", "Form 1040 is short.", "hl" },
		{ KB_LANG_EN, "Who ran it in 2017?", "In 2017 it was Nora.", "h" },
		{ KB_LANG_EN, "Who ran it in 2017?", "From 2015 to 2020 it was Nora.", "ho" },
		{ KB_LANG_EN, "Who ran it in 2017?", "Nora (2015–2020) ran it.", "ho" },
		{ KB_LANG_EN, "Who ran it in 2017?", "In the 2010s it was Nora.", "h" },
		{ KB_LANG_EN, "Who ran it in 2017?", "In 2022 it was Nora.", "o" },
		{ KB_LANG_DE, "Wo wohnt Frau Müller?", "Frau Mueller wohnt hier.", "h" },
		{ KB_LANG_EN, "Where does old Bernd live?", "It is Bernds house.", "h" },
		{ KB_LANG_EN, "Where does Beyonce sing?", "Beyoncé sings in town.", "h" },
		{ KB_LANG_EN, "Where does Zorblatt sing?", "Beyoncé sings in town.", "" },
		{ KB_LANG_ZH, "第9条说什么？", "第九条禁止吸烟。", "hl" },
		{ KB_LANG_ZH, "第9条说什么？", "第5条禁止吸烟。", "o" },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_passage passage = { .text = kb_sv_str(cases[i].text) };
		struct kb_named_in in;
		struct scene s;
		char has[4];

		t->row = cases[i].text;
		read_question(&s, cases[i].lang, cases[i].question, NULL);
		CHECK_INT(t, s.named.count, 1);
		in = kb_named_in(s.an, &s.arena, &s.named, &passage);
		snprintf(has, sizeof(has), "%s%s%s", in.held ? "h" : "", in.loose ? "l" : "",
		         in.other ? "o" : "");
		CHECK_SV(t, kb_sv_str(has), cases[i].has);
		done(&s);
	}
}

static void test_numerals(struct kb_test *t)
{
	int value;

	CHECK_INT(t, kb_numeral_word(KB_LANG_DE, KB_SV("zwölf")), 12);
	CHECK_INT(t, kb_numeral_word(KB_LANG_DE, KB_SV("twelve")), 0);
	CHECK_INT(t, kb_numeral_roman(KB_SV("XIV")), 14);
	CHECK_INT(t, kb_numeral_roman(KB_SV("LIX")), 59);
	CHECK_INT(t, kb_numeral_roman(KB_SV("IIII")), 0);
	CHECK_INT(t, kb_numeral_roman(KB_SV("IL")), 0);
	CHECK_INT(t, kb_numeral_roman(KB_SV("mix")), 0);
	CHECK_INT(t, kb_numeral_chinese(KB_SV("二十三条"), &value), 9);
	CHECK_INT(t, value, 23);
	CHECK_INT(t, kb_numeral_chinese(KB_SV("十条"), &value), 3);
	CHECK_INT(t, value, 10);
	CHECK_INT(t, kb_numeral_chinese(KB_SV("二〇一九年"), &value), 12);
	CHECK_INT(t, value, 2019);
	CHECK_INT(t, kb_numeral_chinese(KB_SV("条"), &value), 0);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what a question names", test_questions },
		{ "what a passage holds of it", test_passages },
		{ "numbers in words", test_numerals },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
