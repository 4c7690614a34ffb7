/* Figures of docent eval: each is counted by hand. */
#include <math.h>

#include "cli/eval_score.h"
#include "test.h"

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static struct kb_gold_tokens tokens(struct kb_arena *arena, const char *text)
{
	struct kb_gold_tokens out;

	kb_gold_tokenize(arena, kb_sv_str(text), &out);
	return out;
}

static void test_words(struct kb_test *t)
{
	static const struct {
		const char *name, *said, *gold;
		bool exact, contains;
		double f1;
	} rows[] = {
		{ "articles, case and punctuation", "The Eiffel Tower.", "eiffel tower", true, true,
		  1 },
		{ "one word of three", "in the year 1066", "1066", false, true, 0.5 },
		{ "repeats count as often as both have them", "b b c", "b c c", false, false,
		  2.0 / 3 },
		{ "nothing and nothing", "", "the", true, false, 1 },
		{ "nothing and something", "", "x", false, false, 0 },
		{ "characters are words", "北京大學", "北京", false, true, 2 * .5 / 1.5 },
		{ "full-width forms", "２００８年。", "2008年", true, true, 1 },
		{ "within a sentence", "It fell in the year 1066, they say.", "year 1066", false,
		  true, 2 * (2.0 / 7) / (2.0 / 7 + 1) },
		{ "whole words", "catalogue", "cat", false, false, 0 },
		{ "characters within a sentence", "他住在北京市。", "北京", false, true,
		  2 * (2.0 / 6) / (2.0 / 6 + 1) },
		{ "capitals of any script", "ГДЕ ДОМ?", "где дом", true, true, 1 },
		{ "a mark that joins two words", "well-known", "wellknown", true, true, 1 },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_gold_tokens said = tokens(&arena, rows[i].said),
		                      gold = tokens(&arena, rows[i].gold);

		t->row = rows[i].name;
		CHECK(t, kb_gold_exact(&said, &gold) == rows[i].exact);
		CHECK(t, kb_gold_contains(&said, &gold) == rows[i].contains);
		CHECK(t, near(kb_gold_f1(&said, &gold), rows[i].f1));
		kb_arena_fini(&arena);
	}
}

#define DOC(id, score)                                                                             \
	{                                                                                          \
		KB_SV_INIT(id), score                                                              \
	}
#define WANTED(name, grade)                                                                        \
	{                                                                                          \
		KB_SV_INIT(name), grade                                                            \
	}

/* The run ranks d3 (1), d9 (0), d1 (3), d2 (0), d4 (2), d6; d5 (1) is not found. */
static void test_ranking(struct kb_test *t)
{
	const struct kb_eval_ranked run[] = { DOC("d3", 9), DOC("d9", 8), DOC("d1", 7),
		                              DOC("d2", 6), DOC("d4", 5), DOC("d6", 4) };
	const struct kb_eval_wanted wanted[] = {
		WANTED("d1", 3), WANTED("d2", 0), WANTED("d3", 1),
		WANTED("d4", 2), WANTED("d5", 1), WANTED("d6", -1)
	};
	double got[KB_EVAL_RANK_FIGURES];
	double dcg = 1 + 3 / 2.0 + 2 / log2(6);
	double best = 3 + 2 / log2(3) + 1 / 2.0 + 1 / log2(5);

	CHECK(t, kb_eval_judge_ranking(run, KB_COUNTOF(run), wanted, KB_COUNTOF(wanted), got));
	CHECK(t, near(got[KB_EVAL_NDCG_10], dcg / best));
	CHECK(t, fabs(got[KB_EVAL_NDCG_10] - 0.630464) < 1e-6);
	CHECK(t, near(got[KB_EVAL_RECALL_100], 3.0 / 4));
	CHECK(t, near(got[KB_EVAL_MAP], (1 + 2 / 3.0 + 3 / 5.0) / 4));
	CHECK(t, near(got[KB_EVAL_MRR_10], 1));
	CHECK(t, near(got[KB_EVAL_P_5], 3.0 / 5));
	CHECK(t, near(got[KB_EVAL_SUCCESS_1], 1));
	CHECK(t, !kb_eval_judge_ranking(run, KB_COUNTOF(run), wanted + 5, 1, got));
}

/* What is relevant at place 11 is outside ten and inside a hundred; of more than ten relevant ones
 * a full page gains all that there is to gain. */
static void test_cuts(struct kb_test *t)
{
	struct kb_eval_ranked run[11], page[10];
	struct kb_eval_wanted many[20];
	const struct kb_eval_wanted one[] = { WANTED("10", 1) };
	double got[KB_EVAL_RANK_FIGURES];
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(many); i++)
		many[i] = (struct kb_eval_wanted){ kb_arena_printf(&arena, "%zu", i), 1 };
	for (size_t i = 0; i < KB_COUNTOF(run); i++)
		run[i] = (struct kb_eval_ranked){ many[i].name, -(double)i };
	for (size_t i = 0; i < KB_COUNTOF(page); i++)
		page[i] = run[i];
	CHECK(t, kb_eval_judge_ranking(run, KB_COUNTOF(run), one, 1, got));
	CHECK(t, near(got[KB_EVAL_NDCG_10], 0) && near(got[KB_EVAL_MRR_10], 0));
	CHECK(t, near(got[KB_EVAL_MAP], 1 / 11.0) && near(got[KB_EVAL_RECALL_100], 1));
	CHECK(t, kb_eval_judge_ranking(page, KB_COUNTOF(page), many, KB_COUNTOF(many), got));
	CHECK(t, near(got[KB_EVAL_NDCG_10], 1));
	kb_arena_fini(&arena);
}

/* ---- why a row failed ---- */

static struct kb_sv paris[] = { KB_SV_INIT("the capital is Paris now") };
static struct kb_eval_wanted france[] = { WANTED("france", 1) };
static struct kb_sv staff[] = { KB_SV_INIT("staff") };

#define PLACE(file, what)                                                                          \
	{                                                                                          \
		{ .id = 1,                                                                         \
		  .filename = KB_SV_INIT(file),                                                    \
		  .title = KB_SV_INIT(""),                                                         \
		  .url = KB_SV_INIT("") },                                                         \
		        KB_SV_INIT(what), 1                                                        \
	}
static struct kb_eval_passage right[] = { PLACE("france.txt", "Now, the capital is Paris now.") };
static struct kb_eval_passage other[] = { PLACE("spain.txt", "Madrid.") };

static void test_whys(struct kb_test *t)
{
	static const struct {
		const char *name;
		struct kb_eval_row row;
		struct kb_eval_reply reply;
		struct kb_eval_passage *passages, *cited;
		enum kb_eval_why want;
	} rows[] = {
		{ "phrase and document are right",
		  { .answers = paris, .answer_count = 1, .documents = france, .document_count = 1 },
		  { .answer = KB_SV_INIT("The capital is Paris now."), .answered = true },
		  right,
		  right,
		  KB_EVAL_PASSED },
		{ "no passage has it",
		  { .answers = paris, .answer_count = 1 },
		  { .answer = KB_SV_INIT("") },
		  other,
		  NULL,
		  KB_EVAL_NOT_FOUND },
		{ "a passage has it that is closed",
		  { .answers = paris, .answer_count = 1 },
		  { .answer = KB_SV_INIT(""), .opened = true },
		  other,
		  NULL,
		  KB_EVAL_LABEL },
		{ "a passage has it and nothing is said",
		  { .answers = paris, .answer_count = 1 },
		  { .answer = KB_SV_INIT("the capital is Paris now") },
		  right,
		  NULL,
		  KB_EVAL_REFUSED },
		{ "something else is said",
		  { .answers = paris, .answer_count = 1 },
		  { .answer = KB_SV_INIT("Madrid."), .answered = true },
		  right,
		  other,
		  KB_EVAL_WRONG_SENTENCE },
		{ "another document is cited",
		  { .answers = paris, .answer_count = 1, .documents = france, .document_count = 1 },
		  { .answer = KB_SV_INIT("The capital is Paris now."), .answered = true },
		  right,
		  other,
		  KB_EVAL_WRONG_DOCUMENT },
		{ "the answer ends too early",
		  { .answers = paris, .answer_count = 1 },
		  { .answer = KB_SV_INIT("Well: the capital is"), .answered = true },
		  right,
		  right,
		  KB_EVAL_CUT },
		{ "a model says something else",
		  { .answers = paris, .answer_count = 1 },
		  { .answer = KB_SV_INIT("Lyon"), .answered = true, .model = KB_SV_INIT("m") },
		  right,
		  right,
		  KB_EVAL_MODEL },
		{ "a model fails",
		  { .answers = paris, .answer_count = 1 },
		  { .answer = KB_SV_INIT(""), .failed = true },
		  right,
		  NULL,
		  KB_EVAL_MODEL },
		{ "there is no reply",
		  { .answers = paris, .answer_count = 1 },
		  { .answer = KB_SV_INIT(""), .error = KB_SV_INIT("away") },
		  NULL,
		  NULL,
		  KB_EVAL_ERROR },
		{ "refused as it should",
		  { .refuse = true },
		  { .answer = KB_SV_INIT("I do not know.") },
		  right,
		  NULL,
		  KB_EVAL_PASSED },
		{ "answered, where there is no answer",
		  { .refuse = true },
		  { .answer = KB_SV_INIT("Paris."), .answered = true },
		  right,
		  right,
		  KB_EVAL_WRONG_SENTENCE },
		{ "answered to whom it is closed",
		  { .refuse = true, .labels = staff, .label_count = 1 },
		  { .answer = KB_SV_INIT("Paris."), .answered = true },
		  right,
		  right,
		  KB_EVAL_LABEL },
		{ "any answer will do",
		  { .refuse = false },
		  { .answered = true },
		  right,
		  right,
		  KB_EVAL_PASSED },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_eval_reply reply = rows[i].reply;
		struct kb_eval_verdict verdict;
		struct kb_arena arena = { 0 };

		t->row = rows[i].name;
		reply.passages = rows[i].passages;
		reply.passage_count = rows[i].passages != NULL;
		reply.cited = rows[i].cited ? &rows[i].cited->document : NULL;
		reply.cited_count = rows[i].cited != NULL;
		kb_eval_judge(&arena, &rows[i].row, &reply, &verdict);
		CHECK_SV(t, kb_sv_str(kb_eval_why_name(verdict.why)),
		         kb_eval_why_name(rows[i].want));
		kb_arena_fini(&arena);
	}
}

static void test_documents(struct kb_test *t)
{
	const struct kb_eval_document document = { .id = 17,
		                                   .filename = KB_SV("a.b.txt"),
		                                   .title = KB_SV("A title"),
		                                   .url = KB_SV("https://x.example/a") };
	static const struct {
		const char *name;
		bool is;
	} rows[] = { { "17", true },      { "a.b.txt", true }, { "a.b", true },
		     { "A title", true }, { "a", false },      { "https://x.example/a", true },
		     { "", false },       { "1", false } };

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].name;
		CHECK(t, kb_eval_is_document(&document, kb_sv_str(rows[i].name)) == rows[i].is);
	}
}

static void test_sign_test(struct kb_test *t)
{
	CHECK(t, near(kb_eval_sign_test(0, 0), 1));
	CHECK(t, near(kb_eval_sign_test(3, 3), 1));
	CHECK(t, near(kb_eval_sign_test(5, 0), 2 / 32.0));
	CHECK(t, near(kb_eval_sign_test(1, 9), 2 * (1 + 10) / 1024.0));
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "words", test_words },     { "rankings", test_ranking },
		{ "whys", test_whys },       { "documents", test_documents },
		{ "signs", test_sign_test }, { "cut-offs", test_cuts },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
