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

static void test_places(struct kb_test *t)
{
	static const struct {
		const char *argv[2];
		int argc, left; /* left: the last argument taken, -1: none */
	} cases[] = {
		{ { "--data", "d" }, 2, 1 },    { { "--store=s" }, 1, 0 },
		{ { "--blob", "b" }, 2, 1 },    { { "--config", "c" }, 2, 1 },
		{ { "--data" }, 1, -1 },        { { "list" }, 1, -1 },
		{ { "--listen", "x" }, 2, -1 }, { { "--nonsense" }, 1, -1 },
	};
	struct kb_options wrong = { .data = "d", .store = "mysql://h" };
	struct kb_options o = { .data = "d", .blob = "b" };
	struct kb_places places;
	struct kb_err err;

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };
		char *argv[2];
		int at = 0;

		t->row = cases[i].argv[0];
		for (int k = 0; k < cases[i].argc; k++)
			argv[k] = kb_arena_str(&arena, kb_sv_str(cases[i].argv[k]));
		CHECK_INT(t, kb_option_place(cases[i].argc, argv, &at, &(struct kb_options){ 0 }),
		          cases[i].left >= 0);
		CHECK_INT(t, at, KB_MAX(cases[i].left, 0));
		kb_arena_fini(&arena);
	}
	t->row = NULL;
	CHECK(t, kb_options_places(&o, &places, &err));
	CHECK_SV(t, kb_sv_str(places.store), "d");
	CHECK_SV(t, kb_sv_str(places.blobs), "b");
	CHECK_SV(t, kb_sv_str(places.temp), "b/tmp");
	o.blob = NULL;
	CHECK(t, kb_options_places(&o, &places, &err));
	CHECK_SV(t, kb_sv_str(places.blobs), "d/blobs");
	CHECK_SV(t, kb_sv_str(places.temp), "d/tmp");
	/* Nodes of one database may share a directory of blobs, but nothing unfinished in it. */
	o.blob = "b";
	o.store = "postgresql://u:secret@h/db";
	CHECK(t, kb_options_places(&o, &places, &err));
	CHECK_SV(t, kb_sv_str(places.store), o.store);
	CHECK(t, strncmp(places.temp, "b/tmp/", 6) == 0 && strlen(places.temp) == 6 + 16);
	CHECK(t, !kb_options_places(&wrong, &places, &err));
	CHECK_INT(t, err.code, KB_E_UNSUPPORTED);
}

static bool read_secret_of(struct kb_arena *arena, const char *flag, const char *path,
                           const char *beside, struct kb_options *out, struct kb_err *err)
{
	const char *argv[] = {
		kb_arena_printf(arena, "--%s-file=%s", flag, path).p,
		kb_arena_printf(arena, "--%s=%s", flag, beside ? beside : "").p,
	};

	*err = (struct kb_err){ 0 };
	return read_from(arena, beside ? 2 : 1, argv, out, err);
}

/* Each option that is secret can be had from a file. */
static void test_secrets(struct kb_test *t)
{
	static const struct {
		const char *text, *beside, *want, *wrong;
	} cases[] = {
		{ "hush\n", NULL, "hush", NULL },
		{ "  hush hush\r\n\n", NULL, "hush hush", NULL },
		{ "hush", "other", NULL, "are both given" },
		{ "", NULL, NULL, "holds nothing" },
		{ "\n \n", NULL, NULL, "holds nothing" },
		{ "hush\nhush\n", NULL, NULL, "holds more than one line" },
		{ NULL, NULL, NULL, "No such file or directory" },
	};
	char path[] = "/tmp/options-test-XXXXXX";
	int fd = mkstemp(path), secrets = 0;
	struct kb_arena arena = { 0 };
	size_t count;
	const struct kb_option *table = kb_options_table(&count);

	kb_fd_close(&fd);
	for (size_t i = 0; i < count; i++) {
		if (!table[i].is_secret)
			continue;
		secrets++;
		t->row = table[i].flag;
		for (size_t k = 0; k < KB_COUNTOF(cases); k++) {
			struct kb_options o;
			struct kb_err err;
			bool ok;

			unlink(path);
			if (cases[k].text)
				CHECK(t, kb_file_replace(path, kb_sv_str(cases[k].text), &err));
			ok = read_secret_of(&arena, table[i].flag, path, cases[k].beside, &o, &err);
			CHECK_INT(t, ok, cases[k].want != NULL);
			if (ok && cases[k].want)
				CHECK_SV(t, kb_sv_str(kb_option_value(&o, &table[i])),
				         cases[k].want);
			else
				CHECK(t, strstr(err.msg, table[i].flag)
				                 && strstr(err.msg, cases[k].wrong));
		}
	}
	CHECK(t, secrets >= 5);
	t->row = NULL;
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
		{ "subcommands take the options that say where the data is", test_places },
		{ "what is secret may stand in a file", test_secrets },
		{ "values are checked", test_values },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
