#include "test.h"

static void test_to_int(struct kb_test *t)
{
	static const struct {
		const char *text;
		int64_t min, max;
		bool ok;
		int64_t want;
	} cases[] = {
		{ "0", 0, 9, true, 0 },
		{ "-5", -9, 9, true, -5 },
		{ "10", 0, 9, false, 0 },
		{ "", 0, 9, false, 0 },
		{ "-", -9, 9, false, 0 },
		{ "+1", 0, 9, false, 0 },
		{ "1 ", 0, 9, false, 0 },
		{ "0x1", 0, 9, false, 0 },
		{ "9223372036854775807", INT64_MIN, INT64_MAX, true, INT64_MAX },
		{ "-9223372036854775808", INT64_MIN, INT64_MAX, true, INT64_MIN },
		{ "9223372036854775808", INT64_MIN, INT64_MAX, false, 0 },
		{ "99999999999999999999", INT64_MIN, INT64_MAX, false, 0 },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		int64_t n = 0;

		t->row = cases[i].text;
		CHECK(t, kb_sv_to_int(kb_sv_str(cases[i].text), cases[i].min, cases[i].max, &n)
		                 == cases[i].ok);
		CHECK_INT(t, n, cases[i].want);
	}
}

static void test_split(struct kb_test *t)
{
	struct kb_sv rest = KB_SV("a,,b,"), part;
	const char *want[] = { "a", "", "b", "" };

	for (size_t i = 0; i < KB_COUNTOF(want); i++) {
		CHECK(t, kb_sv_split(&rest, ',', &part));
		CHECK_SV(t, part, want[i]);
	}
	CHECK(t, !kb_sv_split(&rest, ',', &part));
}

static void test_parts(struct kb_test *t)
{
	CHECK_SV(t, kb_sv_trim(KB_SV(" \t a b\r\n")), "a b");
	CHECK_SV(t, kb_sv_sub(KB_SV("hello"), 3, 9), "lo");
	CHECK_SV(t, kb_sv_from(KB_SV("hello"), 9), "");
	CHECK_INT(t, kb_sv_find(KB_SV("needle in hay"), KB_SV("in")), 7);
	CHECK_INT(t, kb_sv_find(KB_SV("abc"), KB_SV("abcd")), -1);
	CHECK(t, kb_sv_ieq(KB_SV("Content-Type"), KB_SV("content-type")));
	CHECK(t, !kb_sv_ieq(KB_SV("a"), KB_SV("ab")));
	CHECK(t, kb_sv_ends(KB_SV("file.pdf"), KB_SV(".pdf")));
	CHECK(t, kb_sv_cmp(KB_SV("a"), KB_SV("ab")) < 0);
}

static void test_lists(struct kb_test *t)
{
	const struct kb_sv list = KB_SV(" a an the what_about ");
	static const struct {
		const char *word;
		bool want;
	} cases[] = {
		{ "a", true },   { "the", true },   { "what_about", true }, { "th", false },
		{ "he", false }, { "what", false }, { "", false },          { "the ", false },
	};
	char lengthy[200];

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		t->row = cases[i].word;
		CHECK(t, kb_sv_in_list(list, kb_sv_str(cases[i].word)) == cases[i].want);
	}
	memset(lengthy, 'a', sizeof(lengthy));
	CHECK(t, !kb_sv_in_list(list, kb_sv(lengthy, sizeof(lengthy))));
	CHECK(t, !kb_sv_in_list(kb_sv_str(NULL), KB_SV("a")));
}

static void test_to_double(struct kb_test *t)
{
	double d = 0;

	CHECK(t, kb_sv_to_double(KB_SV("1.5e3"), &d) && d > 1499 && d < 1501);
	CHECK(t, !kb_sv_to_double(KB_SV("inf"), &d));
	CHECK(t, !kb_sv_to_double(KB_SV("0x10"), &d));
	CHECK(t, !kb_sv_to_double(KB_SV("1e999"), &d));
	CHECK(t, !kb_sv_to_double(KB_SV(""), &d));
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "integers are whole, in range and never overflow", test_to_int },
		{ "split gives empty parts too", test_split },
		{ "parts of a view stay inside it", test_parts },
		{ "a word of a list is a whole one", test_lists },
		{ "numbers are finite decimals", test_to_double },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
