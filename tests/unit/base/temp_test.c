#include "base/temp.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "test.h"

static bool exists(const char *path)
{
	struct stat at;

	return stat(path, &at) == 0;
}

static void test_kinds(struct kb_test *t)
{
	char dir[] = "/tmp/temp_test.XXXXXX", paths[6][KB_TEMP_PATH];
	struct kb_arena arena = { 0 };
	struct kb_err err;
	const char *other;

	CHECK(t, mkdtemp(dir) != NULL);
	other = kb_arena_printf(&arena, "%s/segment.txt", dir).p;
	CHECK(t, kb_file_replace(other, KB_SV("x"), &err));
	for (int i = 0; i < 6; i++) {
		kb_temp_path(paths[i], dir, (enum kb_temp)(1 << i));
		CHECK(t, kb_file_replace(paths[i], KB_SV("x"), &err));
		for (int j = 0; j < i; j++)
			CHECK(t, strcmp(paths[i], paths[j]) != 0);
	}
	CHECK(t, kb_temp_clean(dir, KB_TEMP_UPLOAD | KB_TEMP_MERGE, &err));
	for (int i = 0; i < 6; i++)
		CHECK_INT(t, exists(paths[i]),
		          (1 << i) != KB_TEMP_UPLOAD && (1 << i) != KB_TEMP_MERGE);
	CHECK(t, kb_temp_clean(dir, KB_TEMP_ALL, &err));
	for (int i = 0; i < 6; i++)
		CHECK(t, !exists(paths[i]));
	CHECK(t, exists(other));
	CHECK(t, unlink(other) == 0 && rmdir(dir) == 0);
	CHECK(t, !kb_temp_clean(dir, KB_TEMP_ALL, &err));
	CHECK(t, strstr(err.msg, dir) != NULL);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "each kind is known by its name, and nothing else is removed", test_kinds },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
