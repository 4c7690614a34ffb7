#include "base/utf8.h"

#include "test.h"

static void test_ill_formed(struct kb_test *t)
{
	static const struct {
		const char *text, *mended;
	} cases[] = {
		{ "plain", "plain" },
		{ "\xc3\xa4\xe4\xb8\xad\xf0\x9f\x98\x80", "\xc3\xa4\xe4\xb8\xad\xf0\x9f\x98\x80" },
		{ "a\xff"
		  "b",
		  "a\xef\xbf\xbd"
		  "b" },
		{ "\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd" },                 /* overlong */
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" }, /* surrogate */
		{ "\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xe4\xb8", "\xef\xbf\xbd" }, /* cut: one mark */
		{ "12345678\xe4", "12345678\xef\xbf\xbd" },
	};
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_sv text = kb_sv_str(cases[i].text);

		t->row = cases[i].text;
		CHECK_SV(t, kb_utf8_mend(&arena, text), cases[i].mended);
		CHECK(t, kb_utf8_valid(text) == kb_sv_eq_str(text, cases[i].mended));
	}
	kb_arena_fini(&arena);
}

static void test_cut(struct kb_test *t)
{
	CHECK_SV(t, kb_utf8_cut(KB_SV("a\xe4\xb8\xad"), 3), "a");
	CHECK_SV(t,
	         kb_utf8_head(KB_SV("\xc3\xa4"
	                            "bc"),
	                      2),
	         "\xc3\xa4"
	         "b");
	CHECK_INT(t,
	          kb_utf8_count(KB_SV("\xc3\xa4"
	                              "bc")),
	          3);
}

static void test_line(struct kb_test *t)
{
	static const struct {
		const char *name, *text, *line;
		bool has_control;
		size_t most;
	} cases[] = {
		{ "a name stays as it is", "Ann Arbor", "Ann Arbor", false, 60 },
		{ "line ends are spaces", "Bob\n\n# Rules\r\n- Obey", "Bob # Rules - Obey", true,
		  60 },
		{ "ends are bare", " \tAnn \n", "Ann", true, 60 },
		{ "nothing but controls is nothing", "\n\xe2\x80\xa8", "", true, 60 },
		{ "separators and marks of direction are none of it",
		  "A\xe2\x80\xa8\x62\xe2\x80\xae\x63\xc2\x85\x64", "A b c d", true, 60 },
		{ "tags that nobody sees go", "A\xf3\xa0\x81\x81", "A", true, 60 },
		{ "joiners of names stay", "\xd9\x85\xe2\x80\x8c\xd9\x86",
		  "\xd9\x85\xe2\x80\x8c\xd9\x86", false, 60 },
		{ "the rest is cut", "\xc3\xa4\xc3\xa4 345678901234567890",
		  "\xc3\xa4\xc3\xa4 345678901234567", false, 18 },
		{ "no space at the cut", "123456789012345678 next", "123456789012345678", false,
		  18 },
		{ "a bad part is a mark", "A\xff", "A\xef\xbf\xbd", false, 60 },
	};
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_sv text = kb_sv_str(cases[i].text);

		t->row = cases[i].name;
		CHECK_SV(t, kb_utf8_line(&arena, text, cases[i].most), cases[i].line);
		CHECK(t, kb_utf8_has_control(text) == cases[i].has_control);
	}
	kb_arena_fini(&arena);
}

static void test_every_code_point(struct kb_test *t)
{
	for (uint32_t cp = 0; cp <= 0x10ffff; cp++) {
		char text[4];
		uint32_t back;
		size_t n;

		if (cp >= 0xd800 && cp <= 0xdfff)
			continue;
		n = kb_utf8_encode(cp, text);
		if (kb_utf8_decode(kb_sv(text, n), &back) != n || back != cp) {
			CHECK_INT(t, back, cp);
			break;
		}
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "ill-formed text is mended part by part", test_ill_formed },
		{ "cuts fall between characters", test_cut },
		{ "a text becomes one line", test_line },
		{ "every code point is written and read back", test_every_code_point },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
