/* Which texts of a model are plans. */
#include "answer/planned.h"
#include "test.h"

static const struct {
	const char *name, *text;
	size_t max;
	const char *want; /* searches by " | "; empty: no plan */
} rows[] = {
	{ "two searches", "{\"searches\": [\"who built it\", \"what it costs\"]}", 5,
	  "who built it | what it costs" },
	{ "blanks around are nothing", " \n{\"searches\":[\"  a b \"]}\n", 5, "a b" },
	{ "a code fence is taken off", "```json\n{\"searches\": [\"a\"]}\n```", 5, "a" },
	{ "what is more than asked for goes", "{\"searches\": [\"a\", \"b\", \"c\"]}", 2, "a | b" },
	{ "a search counts once", "{\"searches\": [\"a\", \" a\", \"\", \"b\"]}", 5, "a | b" },
	{ "other members are passed over", "{\"why\": 1, \"searches\": [\"a\"]}", 5, "a" },
	{ "words before it make it none", "Here: {\"searches\": [\"a\"]}", 5, "" },
	{ "words behind it too", "{\"searches\": [\"a\"]} Done.", 5, "" },
	{ "cut off", "{\"searches\": [\"a\", \"b", 5, "" },
	{ "not texts", "{\"searches\": [\"a\", 7]}", 5, "" },
	{ "no list", "{\"searches\": \"a\"}", 5, "" },
	{ "a bare list", "[\"a\"]", 5, "" },
	{ "another member", "{\"queries\": [\"a\"]}", 5, "" },
	{ "an empty list", "{\"searches\": []}", 5, "" },
	{ "a fence alone", "``````", 5, "" },
	{ "nothing", "", 5, "" },
};

static void test_rows(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_sv v[KB_PLAN_PARTS_MAX], joined = KB_SV("");
		size_t count = kb_planned_read(&arena, kb_sv_str(rows[i].text), rows[i].max, v);

		t->row = rows[i].name;
		for (size_t k = 0; k < count; k++)
			joined = kb_arena_printf(&arena, "%.*s%s%.*s", KB_SV_ARG(joined),
			                         k ? " | " : "", KB_SV_ARG(v[k]));
		CHECK_SV(t, joined, rows[i].want);
		kb_arena_fini(&arena);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = { { "plans and what is none", test_rows } };

	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
