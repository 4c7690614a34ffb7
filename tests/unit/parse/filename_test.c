/* Names of files as they are kept and shown. */
#include "parse/filename.h"

#include <string.h>

#include "../test.h"

static void test_rows(struct kb_test *t)
{
	// clang-format off
	static const struct { const char *name, *sent, *want; } rows[] = {
		{ "a name", "returns.txt", "returns.txt" },
		{ "blanks and quotes", " my \"file\" (2)'s.txt ", "my \"file\" (2)'s.txt" },
		{ "a path", "../../etc/passwd", "passwd" },
		{ "a path of Windows", "C:\\Users\\me\\a.txt", "a.txt" },
		{ "a folder", "a/b/", "document" },
		{ "nothing", "", "document" },
		{ "the folder above", "..", "document" },
		{ "dots and blanks", " . .. ", "document" },
		{ "a name that begins with a dot stays", ".env", ".env" },
		{ "an override that turns the name round", "re\xe2\x80\xaegpj.exe", "regpj.exe" },
		{ "isolates and marks", "\xe2\x81\xa6" "a\xe2\x81\xa9\xe2\x80\x8e\xe2\x80\x8f.txt", "a.txt" },
		{ "zero-width characters", "pay\xe2\x80\x8bpal\xef\xbb\xbf.pdf", "paypal.pdf" },
		{ "only such", "\xe2\x80\x8b\xe2\x81\xa0", "document" },
		{ "tag characters", "a\xf3\xa0\x81\xa9\xf3\xa0\x81\xae.txt", "a.txt" },
		{ "line and paragraph separators", "a\xe2\x80\xa8" "b\xe2\x80\xa9.txt", "a b .txt" },
		{ "line ends and tabs", "a\r\nb\tc.txt", "a b c.txt" },
		{ "control characters", "a\x01\x7f\xc2\x85.txt", "a .txt" },
		{ "what a terminal obeys", "\x1b]0;x\x07" "a\x1b[2J.txt", "a.txt" },
		{ "composed", "u\xcc\x88.txt", "\xc3\xbc.txt" },
		{ "Persian keeps its joiner", "\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xb1.txt", "\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xb1.txt" },
		{ "Hindi keeps its joiner", "\xe0\xa4\x95\xe0\xa5\x8d\xe2\x80\x8d\xe0\xa4\xb7.txt", "\xe0\xa4\x95\xe0\xa5\x8d\xe2\x80\x8d\xe0\xa4\xb7.txt" },
		{ "a joiner at a letter's edge goes", "\xd9\x85\xe2\x80\x8c.txt", "\xd9\x85.txt" },
		{ "so do joiners one after the other", "\xd9\x85\xe2\x80\x8c\xe2\x80\x8d\xd8\xb1", "\xd9\x85\xe2\x80\x8c\xd8\xb1" },
		{ "a joiner in Latin goes", "pay\xe2\x80\x8dpal.pdf", "paypal.pdf" },
		{ "a family is one sign", "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7.txt", "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7.txt" },
		{ "a heart on fire too", "\xe2\x9d\xa4\xef\xb8\x8f\xe2\x80\x8d\xf0\x9f\x94\xa5", "\xe2\x9d\xa4\xef\xb8\x8f\xe2\x80\x8d\xf0\x9f\x94\xa5" },
		{ "what is no UTF-8", "a\xff.txt", "a\xef\xbf\xbd.txt" },
	};
	// clang-format on
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].name;
		CHECK_SV(t, kb_filename_clean(&arena, kb_sv_str(rows[i].sent)), rows[i].want);
	}
	t->row = NULL;
	kb_arena_fini(&arena);
}

static void test_long(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	char name[3000];

	memset(name, 'x', sizeof(name));
	CHECK_INT(t, kb_filename_clean(&arena, kb_sv(name, sizeof(name))).n, KB_FILENAME_CHARS);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a name looks like what it is", test_rows },
		{ "and has an end", test_long },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
