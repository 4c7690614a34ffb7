#include "test.h"

#include "base/field.h"

static void test_unescape(struct kb_test *t)
{
	static const struct {
		const char *name, *text, *want; /* NULL: refused */
	} rows[] = {
		{ "nothing to do", "abc", "abc" },
		{ "capital and small digits", "%C3%aF", "\xc3\xaf" },
		{ "plus is plus in a path", "a+b", "a+b" },
		{ "a slash may be hidden", "a%2Fb", "a/b" },
		{ "cut short", "a%2", NULL },
		{ "no digits", "a%zz", NULL },
		{ "NUL", "a%00", NULL },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_sv out;
		bool ok = kb_percent_decode(&arena, kb_sv_str(rows[i].text), &out);

		t->row = rows[i].name;
		CHECK_INT(t, ok, rows[i].want != NULL);
		if (ok && rows[i].want)
			CHECK_SV(t, out, rows[i].want);
		kb_arena_fini(&arena);
	}
}

static void test_params(struct kb_test *t)
{
	static const struct {
		const char *name, *value, *param, *want; /* NULL: none */
	} rows[] = {
		{ "bare", "multipart/form-data; boundary=abc", "boundary", "abc" },
		{ "quoted", "multipart/form-data; boundary=\"a b\"", "boundary", "a b" },
		{ "no case in the name", "x; Boundary=abc", "boundary", "abc" },
		{ "after another one", "x; a=\"b;c\"; name=d", "name", "d" },
		{ "escaped quote", "x; name=\"a\\\"b\"", "name", "a\"b" },
		{ "a path with single backslashes", "x; filename=\"C:\\d\\a.pdf\"", "filename",
		  "C:\\d\\a.pdf" },
		{ "empty", "x; filename=\"\"", "filename", "" },
		{ "without value", "x; filename; name=a", "name", "a" },
		{ "not there", "x; name=a", "filename", NULL },
		{ "only the whole name", "x; filename*=a", "filename", NULL },
		{ "never closed", "x; name=\"abc", "name", "abc" },
		{ "no parameters", "x", "name", NULL },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_sv got = kb_field_param(&arena, kb_sv_str(rows[i].value), rows[i].param);

		t->row = rows[i].name;
		CHECK_INT(t, got.p != NULL, rows[i].want != NULL);
		if (got.p && rows[i].want)
			CHECK_SV(t, got, rows[i].want);
		kb_arena_fini(&arena);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "percent escapes in paths", test_unescape },
		{ "parameters of fields", test_params },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
