/* Which questions ask the same, as far as their words tell. */
#include "answer/alike.h"
#include "base/arena.h"
#include "test.h"

static void test_pairs(struct kb_test *t)
{
	static const struct {
		const char *name, *one, *other, *before;
		bool same;
	} rows[] = {
		{ "case, marks and blanks", "Where is the key?", "where  is the KEY", "", true },
		{ "most words", "How do I reset the password of my account?",
		  "Reset password of account", "", true },
		{ "no word in common", "Where is the key?", "How long is the warranty?", "",
		  false },
		{ "another number", "How do I descale the Brisca 200 machine?",
		  "How do I descale the Brisca 300 machine?", "", false },
		{ "not", "Can I return goods within the warranty?",
		  "Can I not return goods within the warranty?", "", false },
		{ "one word in another's place", "What is the price for adults?",
		  "What is the price for children?", "", false },
		{ "another unit", "What is the weight of the parcel in pounds?",
		  "What is the weight of the parcel in kilograms?", "", false },
		{ "the same in Chinese", "如何重置密码？", "如何重置密码", "", true },
		{ "another script", "Где находится ключ?", "ГДЕ НАХОДИТСЯ КЛЮЧ", "", true },
		{ "what leans on another question", "And for children?", "And for children?",
		  "How much is the boat trip?", false },
		{ "nothing but marks", "???", "!!!", "", true },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_alike *alike = kb_alike_new(NULL, 10);

		t->row = rows[i].name;
		CHECK_INT(t, kb_alike_place(alike, 7, kb_sv_str(rows[i].one), KB_SV("")), 7);
		CHECK_INT(t,
		          kb_alike_place(alike, 8, kb_sv_str(rows[i].other),
		                         kb_sv_str(rows[i].before)),
		          rows[i].same ? 7 : 8);
		CHECK_INT(t, kb_alike_count(alike), rows[i].same ? 1 : 2);
		kb_alike_free(alike);
	}
}

/* The room is bounded, and what is there goes on to be found. */
static void test_room(struct kb_test *t)
{
	struct kb_alike *alike = kb_alike_new(NULL, 2000);
	struct kb_arena arena = { 0 };

	for (int64_t i = 1; i <= 3000; i++) {
		struct kb_sv question = kb_arena_printf(
		        &arena, "Who stores barrel %" PRId64 " in cellar %" PRId64 "?", i, 2 * i);

		CHECK_INT(t, kb_alike_place(alike, i, question, KB_SV("")), i <= 2000 ? i : 0);
	}
	CHECK_INT(t,
	          kb_alike_place(alike, 9999, KB_SV("who stores barrel 1 in cellar 2"), KB_SV("")),
	          1);
	CHECK_INT(t, kb_alike_count(alike), 2000);
	kb_arena_fini(&arena);
	kb_alike_free(alike);
}

/* A question of one word a thousand times, and of many: nothing takes longer than its due. */
static void test_long(struct kb_test *t)
{
	struct kb_alike *alike = kb_alike_new(NULL, 10);
	static char many[400000];

	for (size_t i = 0; i + 4 < sizeof(many); i += 4)
		memcpy(many + i, i % 8 ? "aa  " : "bb! ", 4);
	CHECK_INT(t, kb_alike_place(alike, 1, kb_sv(many, sizeof(many) - 4), KB_SV("")), 1);
	CHECK_INT(t, kb_alike_place(alike, 2, kb_sv(many, sizeof(many) - 4), KB_SV("")), 1);
	CHECK_INT(t, kb_alike_place(alike, 3, KB_SV(""), KB_SV("")), 3);
	kb_alike_free(alike);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "pairs", test_pairs },
		{ "room", test_room },
		{ "long ones", test_long },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
