/* What stays of extracted text, and how bytes become text. */
#include "parse/clean.h"

#include "parse/charset.h"
#include "test.h"

static void test_clean(struct kb_test *t)
{
	// clang-format off
	static const struct {
		const char *name, *text;
		enum kb_clean_mode mode;
		const char *want;
	} cases[] = {
		{ "runs of blanks and line ends are one blank", " a \t b\r\n\nc ", KB_CLEAN_LINE, "a b c" },
		{ "every kind of blank is a blank", "a\xc2\xa0" "b\xe2\x80\x89" "c\xe3\x80\x80" "d", KB_CLEAN_LINE, "a b c d" },
		{ "soft hyphens go", "co\xc2\xad" "operate", KB_CLEAN_LINE, "cooperate" },
		{ "zero-width characters go", "pass\xe2\x80\x8bword\xef\xbb\xbf", KB_CLEAN_LINE, "password" },
		{ "bidi overrides go", "a\xe2\x80\xae" "b\xe2\x81\xa6" "c", KB_CLEAN_LINE, "abc" },
		{ "tag characters go", "a\xf3\xa0\x81\xa9" "b", KB_CLEAN_LINE, "ab" },
		{ "control characters go", "a\x01" "b\x7f", KB_CLEAN_LINE, "ab" },
		{ "what a terminal obeys goes whole", "a\x1b[2Jb\x1b[1;31mc\x1b[0m d", KB_CLEAN_LINE, "abc d" },
		{ "so does what it would put in its title", "a\x1b]0;say so\x07" "b\x1b]2;say so\x1b\\c", KB_CLEAN_LINE, "abc" },
		{ "of a link its words stay", "\x1b]8;;http://x\x1b\\the words\x1b]8;;\x1b\\", KB_CLEAN_LINE, "the words" },
		{ "strings to devices, character sets and resets", "a\x1bPq#1\x1b\\b\x1b(Bc\x1b" "cd\x1b#8e", KB_CLEAN_LINE, "abcde" },
		{ "in one character each", "a\xc2\x9b" "2Jb\xc2\x9d" "0;say so\xc2\x9c" "c", KB_CLEAN_LINE, "abc" },
		{ "a sequence without an end hides nothing", "a\x1b]0;b c\x1b[12", KB_CLEAN_LINE, "a]0;b c[12" },
		{ "nor does one that a line ends", "a\x1b]0;b\nc\x07" "d", KB_CLEAN_LINE, "a]0;b cd" },
		{ "an escape at the end", "a\x1b", KB_CLEAN_LINE, "a" },
		{ "one selector of a variant stays", "\xe2\x9d\xa4\xef\xb8\x8f 1\xef\xb8\x8f\xe2\x83\xa3", KB_CLEAN_LINE,
		  "\xe2\x9d\xa4\xef\xb8\x8f 1\xef\xb8\x8f\xe2\x83\xa3" },
		{ "a row of them spells bytes and goes", "a\xef\xb8\x80\xef\xb8\x81\xef\xb8\x82 \xef\xb8\x83" "b", KB_CLEAN_LINE, "a\xef\xb8\x80 b" },
		{ "a joiner goes in Latin text", "a\xe2\x80\x8d" "b", KB_CLEAN_LINE, "ab" },
		{ "a joiner stays in Persian text", "\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xb1", KB_CLEAN_LINE,
		  "\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xb1" },
		{ "composed form", "u\xcc\x88", KB_CLEAN_LINE, "\xc3\xbc" },
		{ "compatibility forms stay: answers quote", "\xef\xac\x81ne \xc2\xbd", KB_CLEAN_LINE,
		  "\xef\xac\x81ne \xc2\xbd" },
		{ "what is no UTF-8 is marked", "a\xff" "b", KB_CLEAN_LINE, "a\xef\xbf\xbd" "b" },
		{ "code keeps lines and indentation", "\n\n  a\t\n\tb  \n\n", KB_CLEAN_CODE, "  a\n    b" },
		{ "nothing is left of nothing", " \n\xe2\x80\x8b ", KB_CLEAN_LINE, "" },
	};
	// clang-format on

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_buf out;

		t->row = cases[i].name;
		kb_buf_init(&out, 1000);
		kb_clean(&out, kb_sv_str(cases[i].text), cases[i].mode);
		CHECK_SV(t, kb_buf_view(&out), cases[i].want);
		CHECK(t, kb_clean_is(kb_buf_view(&out), cases[i].mode == KB_CLEAN_CODE));
		kb_buf_fini(&out);
	}
}

static void test_is_clean(struct kb_test *t)
{
	CHECK(t, kb_clean_is(KB_SV("a b"), false));
	CHECK(t, !kb_clean_is(KB_SV("a\nb"), false));
	CHECK(t, kb_clean_is(KB_SV("a\nb"), true));
	CHECK(t, !kb_clean_is(KB_SV("a\rb"), true));
	CHECK(t, !kb_clean_is(KB_SV("a\0b"), true));
	CHECK(t, !kb_clean_is(KB_SV("a\xff"), true));
	CHECK(t, !kb_clean_is(KB_SV("a\xe2\x80\xae"), true));
}

static void test_charset(struct kb_test *t)
{
	// clang-format off
	static const struct { const char *name; struct kb_sv bytes, type; const char *want; } cases[] = {
		{ "UTF-8 is itself", KB_SV_INIT("caf\xc3\xa9"), KB_SV_INIT(""), "caf\xc3\xa9" },
		{ "a mark is taken off", KB_SV_INIT("\xef\xbb\xbfx"), KB_SV_INIT(""), "x" },
		{ "UTF-16 by its mark", KB_SV_INIT("\xff\xfe\xe9\0"), KB_SV_INIT(""), "\xc3\xa9" },
		{ "UTF-16 by its zeros", KB_SV_INIT("h\0e\0l\0l\0o\0 \0w\0o\0r\0l\0d\0!\0"), KB_SV_INIT(""),
		  "hello world!" },
		{ "UTF-8 wins over a wrong declaration", KB_SV_INIT("<meta charset=latin1>caf\xc3\xa9"),
		  KB_SV_INIT(""), "<meta charset=latin1>caf\xc3\xa9" },
		{ "the sender's word", KB_SV_INIT("\xcf\xf0\xe8"), KB_SV_INIT("text/html; charset=windows-1251"),
		  "\xd0\x9f\xd1\x80\xd0\xb8" },
		{ "the page's own word", KB_SV_INIT("<meta charset='koi8-r'>\xf0\xd2\xc9"), KB_SV_INIT(""),
		  "<meta charset='koi8-r'>\xd0\x9f\xd1\x80\xd0\xb8" },
		{ "latin1 means windows-1252", KB_SV_INIT("\x93hi\x94"), KB_SV_INIT("text/plain; charset=ISO-8859-1"),
		  "\xe2\x80\x9chi\xe2\x80\x9d" },
		{ "a Russian DOS text without a word",
		  KB_SV_INIT("\x8e\xa4\xad\xa0\xa6\xa4\xeb, \xa2 \xe1\xe2\xe3\xa4\xa5\xad\xe3\xee \xa7\xa8\xac\xad\xee\xee \xaf\xae\xe0\xe3"),
		  KB_SV_INIT(""), "Однажды, в студеную зимнюю пору" },
	};
	// clang-format on
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		t->row = cases[i].name;
		CHECK_SV(t, kb_charset_to_utf8(&arena, cases[i].bytes, cases[i].type, NULL),
		         cases[i].want);
	}
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "text is cleaned of what hides and reorders it", test_clean },
		{ "what is not clean is told", test_is_clean },
		{ "bytes of any encoding become UTF-8", test_charset },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
