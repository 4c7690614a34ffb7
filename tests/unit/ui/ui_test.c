/* Which coding a browser takes, and that each file of the pages is there in forms that grow
 * smaller. */
#include "test.h"
#include "ui/ui.h"

static const struct {
	const char *name, *accepted, *coding;
	bool want;
} cases[] = {
	{ "nothing sent", "", "gzip", false },
	{ "named alone", "gzip", "gzip", true },
	{ "named among others", "deflate, gzip, br", "gzip", true },
	{ "in other letters", "GZip", "gzip", true },
	{ "as a part of another word", "x-gzip", "gzip", false },
	{ "with a weight", "gzip;q=0.5", "gzip", true },
	{ "refused", "gzip;q=0", "gzip", false },
	{ "refused with digits", "gzip; q=0.000, br", "gzip", false },
	{ "almost refused", "gzip;q=0.001", "gzip", true },
	{ "anything", "*", "br", true },
	{ "anything but this", "*, br;q=0", "br", false },
	{ "nothing but this", "br, *;q=0", "br", true },
	{ "nothing at all", "*;q=0", "br", false },
	{ "commas alone", ",,,", "gzip", false },
};

static void test_accepts(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		t->row = cases[i].name;
		CHECK(t, kb_ui_accepts(kb_sv_str(cases[i].accepted), kb_sv_str(cases[i].coding))
		                 == cases[i].want);
	}
	t->row = NULL;
}

static void test_files(struct kb_test *t)
{
	CHECK(t, !kb_ui_find(KB_SV("")) && !kb_ui_find(KB_SV("none.js")));
	for (size_t i = 0; i < kb_ui_file_count; i++) {
		const struct kb_ui_file *file = &kb_ui_files[i];

		t->row = file->name;
		CHECK(t, kb_ui_find(kb_sv_str(file->name)) == file);
		CHECK(t, file->body.n > 0 && file->mime[0]);
		CHECK(t, file->gzip.n < file->body.n);
		CHECK(t, file->brotli.n <= file->gzip.n || file->gzip.n == 0);
		/* What is kept for ever has a hash in its name. */
		CHECK(t, file->etag || kb_sv_find_byte(kb_sv_str(file->name), '-') > 0);
	}
	t->row = NULL;
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "a coding is taken as the field says", test_accepts },
		{ "each file is found by its name, in forms that grow smaller", test_files },
	};
	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
