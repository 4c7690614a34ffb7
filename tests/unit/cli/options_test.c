#include "cli/options.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "test.h"

static bool read_from(struct kb_arena *arena, int argc, const char **argv, struct kb_options *out,
                      struct kb_err *err)
{
	char *copy[16];

	for (int i = 0; i < argc; i++)
		copy[i] = kb_arena_str(arena, kb_sv_str(argv[i]));
	return kb_options_read(arena, argc, copy, 0, out, err);
}

static void test_precedence(struct kb_test *t)
{
	char path[] = "/tmp/options-test-XXXXXX";
	int fd = mkstemp(path);
	struct kb_arena arena = { 0 };
	struct kb_options o;
	struct kb_err err;
	const char *argv[] = { "--config", path, "--listen=[::1]:1" };

	CHECK(t, fd >= 0
	                 && kb_fd_write_all(fd, KB_SV("workers = 7\ndata = /file\nlisten = x:9\n"),
	                                    "f", &err));
	setenv("DOCENT_DATA", "/env", 1);
	CHECK(t, read_from(&arena, 3, argv, &o, &err));
	CHECK_SV(t, kb_sv_str(o.listen), "[::1]:1"); /* flag before file */
	CHECK_SV(t, kb_sv_str(o.data), "/env");      /* environment before file */
	CHECK_SV(t, kb_sv_str(o.workers), "7");      /* file before default */
	CHECK_SV(t, kb_sv_str(o.log), "info");       /* default */
	CHECK(t, o.public_url == NULL);
	unsetenv("DOCENT_DATA");
	kb_fd_close(&fd);
	unlink(path);
	kb_arena_fini(&arena);
}

static void test_wrong(struct kb_test *t)
{
	static const struct {
		const char *argv[3];
		int argc;
		const char *want;
	} cases[] = {
		{ { "--nonsense" }, 1, "unknown option --nonsense" },
		{ { "plain" }, 1, "unknown option plain" },
		{ { "--data" }, 1, "--data needs a value" },
		{ { "--config", "/nonexistent/file" },
		  2,
		  "cannot read the configuration file /nonexistent/file: No such file or "
		  "directory" },
	};
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		const char *argv[3] = { cases[i].argv[0], cases[i].argv[1], cases[i].argv[2] };
		struct kb_options o;
		struct kb_err err = { 0 };

		t->row = argv[0];
		CHECK(t, !read_from(&arena, cases[i].argc, argv, &o, &err));
		CHECK_SV(t, kb_sv_str(err.msg), cases[i].want);
	}
	kb_arena_fini(&arena);
}

static void test_values(struct kb_test *t)
{
	struct kb_err err;
	bool yes = false;
	int64_t n;

	CHECK(t, kb_option_flag("--x", "yes", &yes, &err) && yes);
	CHECK(t, kb_option_flag("--x", "0", &yes, &err) && !yes);
	CHECK(t, !kb_option_flag("--x", "maybe", &yes, &err));
	CHECK(t, !kb_option_int("--n", "9", 0, 8, &n, &err));
	CHECK_SV(t, kb_sv_str(err.msg), "--n is 9; it must be a whole number from 0 to 8");
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "flags win over the environment, that over the file, that over defaults",
		  test_precedence },
		{ "wrong usage is named", test_wrong },
		{ "values are checked", test_values },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
