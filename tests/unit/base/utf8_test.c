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
		{ "every code point is written and read back", test_every_code_point },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
