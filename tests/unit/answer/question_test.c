#include "test.h"

#include "answer/question.h"

static void test_types(struct kb_test *t)
{
	static const struct {
		enum kb_question_type type;
		const char *text;
	} cases[] = {
		{ KB_Q_WHEN, "When did the oil crisis begin?" },
		{ KB_Q_WHEN, "In what year was it founded?" },
		{ KB_Q_NUM, "How many people live there?" },
		{ KB_Q_NUM, "How long do I have to return goods?" },
		{ KB_Q_WHO, "Who wrote it?" },
		{ KB_Q_WHERE, "Where is the shop?" },
		{ KB_Q_WHY, "Why does it rain?" },
		{ KB_Q_OTHER, "What is a duck?" },
		{ KB_Q_OTHER, "somewhere over the rainbow" },
		{ KB_Q_WHEN, "Wann begann der Krieg?" },
		{ KB_Q_NUM, "¿Cuántos habitantes tiene?" },
		{ KB_Q_WHO, "Кто написал эту книгу?" },
		{ KB_Q_WHERE, "Savaş nerede başladı?" },
		{ KB_Q_WHEN, "战争是什么时候开始的？" },
		{ KB_Q_WHO, "この本は誰が書きましたか" },
		{ KB_Q_NUM, "มีคนกี่คน" },
	};
	struct kb_analyzer *an = kb_analyzer_new();

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };
		struct kb_question q;

		t->row = cases[i].text;
		kb_question_build(an, &arena,
		                  &(struct kb_utterance){ .text = kb_sv_str(cases[i].text) }, &q);
		CHECK_INT(t, q.type, cases[i].type);
		kb_arena_fini(&arena);
	}
	kb_analyzer_free(an);
}

static float weight_of(const struct kb_question *q, const char *term)
{
	for (size_t i = 0; i < q->query_count; i++)
		if (kb_sv_eq_str(q->query[i].term, term))
			return q->query[i].weight;
	return -1;
}

static bool close_to(float a, double b)
{
	return (double)a > b - 1e-4 && (double)a < b + 1e-4;
}

static void test_follow_ups(struct kb_test *t)
{
	static const struct {
		const char *name, *text;
		double moon, rocket; /* weights of the words of the last turn and the one before */
	} cases[] = {
		{ "a pronoun carries much", "How far away is it from our own planet Earth?", .4,
		  .2 },
		{ "so does a beginning that goes on", "And the price of the whole Apollo program?",
		  .4, .2 },
		{ "so does a turn that says little", "The price?", .4, .2 },
		{ "two words without a question", "Ticket price", .4, .2 },
		{ "a question of one word is complete", "Where is the museum?", -1, -1 },
		{ "and of two", "What does the pump cost?", -1, -1 },
		{ "and of three", "Which astronauts visited Houston?", -1, -1 },
		{ "a full question of its own carries nothing",
		  "Which Roman emperor built the famous wall across northern England?", -1, -1 },
	};
	struct kb_sv history[] = { KB_SV("Who built the rocket?"), KB_SV("How old is the moon?") };
	struct kb_analyzer *an = kb_analyzer_new();

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };
		struct kb_question q;

		t->row = cases[i].name;
		kb_question_build(an, &arena,
		                  &(struct kb_utterance){ .text = kb_sv_str(cases[i].text),
		                                          .lang = KB_LANG_EN,
		                                          .turns = history,
		                                          .turn_count = 2 },
		                  &q);
		CHECK(t, close_to(weight_of(&q, "moon"), cases[i].moon));
		CHECK(t, close_to(weight_of(&q, "rocket"), cases[i].rocket));
		CHECK(t, q.follow_up == (cases[i].moon > 0));
		CHECK(t, weight_of(&q, "who") < 0); /* function words stay behind */
		CHECK_INT(t, q.carried_count, cases[i].moon > 0 ? q.carried_count : 0);
		kb_arena_fini(&arena);
	}
	kb_analyzer_free(an);
}

static void test_query(struct kb_test *t)
{
	struct kb_analyzer *an = kb_analyzer_new();
	struct kb_arena arena = { 0 };
	struct kb_question q;
	struct kb_query query;

	kb_question_build(an, &arena,
	                  &(struct kb_utterance){ .text = KB_SV("What is the price of oil?") }, &q);
	CHECK_INT(t, q.lang, KB_LANG_EN);
	CHECK(t, close_to(weight_of(&q, "price"), 1));
	CHECK(t, close_to(weight_of(&q, "what"), .15));
	CHECK(t, weight_of(&q, "the") < 0);
	CHECK(t, !q.follow_up && q.carried_count == 0);
	query = kb_question_query(&q, 7);
	CHECK_INT(t, query.limit, 7);
	CHECK_INT(t, query.term_count, q.query_count);
	kb_question_build(an, &arena, &(struct kb_utterance){ .text = KB_SV("") }, &q);
	CHECK_INT(t, q.query_count, 0);
	kb_arena_fini(&arena);
	kb_analyzer_free(an);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what is asked for", test_types },
		{ "what a follow-up carries", test_follow_ups },
		{ "the query", test_query },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
