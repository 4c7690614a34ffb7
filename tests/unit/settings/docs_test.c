/* docs/settings.md is what the table prints. */
#include <unistd.h>

#include "base/file.h"
#include "settings_doc.h"
#include "test.h"

static void test_committed(struct kb_test *t)
{
	/* from the project's folder, from the build folder, or from the program's */
	static const char *const places[] = { "docs/settings.md", "../docs/settings.md",
		                              "../../../docs/settings.md" };
	struct kb_arena arena = { 0 };
	struct kb_sv committed = { 0 }, printed;
	struct kb_buf out;
	struct kb_err err;
	size_t i = 0;

	while (i < KB_COUNTOF(places) && access(places[i], R_OK) != 0)
		i++;
	CHECK(t, i < KB_COUNTOF(places)
	                 && kb_file_read(&arena, places[i], KB_MIB(1), &committed, &err));
	kb_buf_init(&out, KB_MIB(1));
	settings_doc_print(&out);
	CHECK(t, kb_buf_done(&out, &printed, &err));
	CHECK(t, kb_sv_eq(committed, printed)); /* else: build/tests/unit/settings/settings_doc >
	                                           docs/settings.md */
	kb_buf_fini(&out);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "docs/settings.md is printed from the table", test_committed },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
