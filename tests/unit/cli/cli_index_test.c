/* `docent index` from file to run, its refusals and their exit codes. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/file.h"
#include "cli/cli.h"
#include "test.h"

static const char docs[] =
        "{\"id\": \"returns\", \"title\": \"Returns\", \"text\": \"Goods may be returned within "
        "thirty days.\"}\n"
        "\n"
        "{\"id\": 17, \"title\": \"Refunds\", \"text\": \"A refund is paid within ten days.\"}\n"
        "{\"id\": \"d/3\", \"text\": \"Lamps are shipped on Mondays.\", \"more\": [1]}";
static const char queries[] = "{\"id\": \"q1\", \"text\": \"when is a refund paid?\"}\n"
                              "{\"id\": \"q2\", \"text\": \"unheard-of zebras\"}\n"
                              "{\"id\": \"q3\", \"text\": \"shipped lamp\"}\n";

struct place {
	char dir[64], docs[96], gz[96], queries[96], index[96], run[96];
};

static void write_text(struct kb_test *t, const char *path, const char *text)
{
	struct kb_err err;

	CHECK(t, kb_file_replace(path, kb_sv_str(text), &err));
}

static struct place make_place(struct kb_test *t)
{
	struct place p;
	gzFile gz;

	snprintf(p.dir, sizeof(p.dir), "/tmp/docent-cli-XXXXXX");
	CHECK(t, mkdtemp(p.dir));
	snprintf(p.docs, sizeof(p.docs), "%s/docs.jsonl", p.dir);
	snprintf(p.gz, sizeof(p.gz), "%s/docs.jsonl.gz", p.dir);
	snprintf(p.queries, sizeof(p.queries), "%s/queries.jsonl", p.dir);
	snprintf(p.index, sizeof(p.index), "%s/index", p.dir);
	snprintf(p.run, sizeof(p.run), "%s/run", p.dir);
	write_text(t, p.docs, docs);
	write_text(t, p.queries, queries);
	gz = gzopen(p.gz, "wb");
	CHECK(t, gz && gzwrite(gz, docs, sizeof(docs) - 1) == (int)sizeof(docs) - 1);
	CHECK(t, gzclose(gz) == Z_OK);
	return p;
}

/* A file of the index: of the build in `current`, or beside it where the name starts with a slash.
 */
static void index_path(const struct place *p, const char *name, char path[128])
{
	struct kb_arena arena = { 0 };
	struct kb_sv number = { 0 };
	struct kb_err err;

	snprintf(path, 128, "%s/current", p->index);
	if (*name == '/')
		snprintf(path, 128, "%s%s", p->index, name);
	else if (kb_file_read(&arena, path, 64, &number, &err)) {
		number = kb_sv_trim(number);
		snprintf(path, 128, "%s/build-%.*s/%s", p->index, KB_SV_ARG(number), name);
	}
	kb_arena_fini(&arena);
}

static void remove_place(const struct place *p)
{
	static const char *const names[] = { "segment", "ids",      "factors", "lsi",
		                             "",        "/current", "/lock",   "/" };

	for (size_t i = 0; i < KB_COUNTOF(names); i++) {
		char path[128];

		index_path(p, names[i], path);
		remove(path);
	}
	unlink(p->docs);
	unlink(p->gz);
	unlink(p->queries);
	unlink(p->run);
	rmdir(p->dir);
}

/* Runs `docent index` with up to eight arguments. */
#define RUN(...) run((const char *[]){ "index", __VA_ARGS__, NULL })
static int run(const char *const *args)
{
	char *argv[16];
	int argc = 0, code;

	for (; args[argc]; argc++)
		argv[argc] = kb_xstrdup(args[argc]);
	argv[argc] = NULL;
	code = kb_cli_index(argc, argv);
	for (int i = 0; i < argc; i++)
		free(argv[i]);
	return code;
}

/* The run without the scores, a line a hit. */
static void check_run(struct kb_test *t, const struct place *p)
{
	static const char *const want[] = { "q1 Q0 17 1 ", "q3 Q0 d/3 1 " };
	struct kb_arena arena = { 0 };
	struct kb_sv text, line;
	struct kb_err err;
	size_t n = 0;

	CHECK(t, kb_file_read(&arena, p->run, KB_MIB(1), &text, &err));
	while (kb_sv_split(&text, '\n', &line)) {
		if (!line.n)
			break;
		if (n < KB_COUNTOF(want))
			CHECK(t, kb_sv_starts(line, kb_sv_str(want[n])));
		CHECK(t, kb_sv_ends(line, KB_SV(" docent")));
		n++;
	}
	CHECK_INT(t, n, KB_COUNTOF(want));
	kb_arena_fini(&arena);
}

static void test_whole_way(struct kb_test *t)
{
	struct place p = make_place(t);
	const char *const sources[] = { p.docs, p.gz };

	for (size_t i = 0; i < KB_COUNTOF(sources); i++) {
		t->row = sources[i];
		CHECK_INT(t, RUN("build", "--docs", sources[i], "--out", p.index), 0);
		CHECK_INT(t,
		          RUN("search", "--index", p.index, "--queries", p.queries, "--top", "1",
		              "--run", p.run),
		          0);
		check_run(t, &p);
		CHECK_INT(t, RUN("stats", "--index", p.index), 0);
		CHECK_INT(t, RUN("verify", "--index", p.index), 0);
	}
	remove_place(&p);
}

static void test_usage(struct kb_test *t)
{
	CHECK_INT(t, RUN("build"), 2);
	CHECK_INT(t, RUN("make"), 2);
	CHECK_INT(t, RUN("stats", "--index"), 2);
	CHECK_INT(t, RUN("stats", "--docs", "x"), 2);
	CHECK_INT(t, RUN("build", "--docs", "x", "--out", "y", "--colour", "red"), 2);
	CHECK_INT(t, run((const char *[]){ "index", NULL }), 2);
}

static void test_failures(struct kb_test *t)
{
	static const struct {
		const char *name, *docs;
	} rows[] = {
		{ "no JSON", "{\"id\": \"a\"" },
		{ "no object", "[1, 2]" },
		{ "no id", "{\"text\": \"b\"}" },
		{ "an id with a blank would break the run's columns", "{\"id\": \"a b\"}" },
	};
	struct place p = make_place(t);
	char path[128];

	CHECK_INT(t, RUN("build", "--docs", "/nonexistent", "--out", p.index), 1);
	CHECK_INT(t, RUN("stats", "--index", p.index), 1);
	CHECK_INT(t, RUN("build", "--docs", p.docs, "--out", p.index), 0);
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].name;
		write_text(t, p.docs, rows[i].docs);
		CHECK_INT(t, RUN("build", "--docs", p.docs, "--out", p.index), 1);
		CHECK_INT(t, RUN("verify", "--index", p.index), 0); /* the old index stays */
	}
	t->row = NULL;
	CHECK_INT(t,
	          RUN("search", "--index", p.index, "--queries", p.queries, "--run", p.run, "--top",
	              "0"),
	          1);
	index_path(&p, "ids", path);
	write_text(t, path, "one\n");
	CHECK_INT(t, RUN("verify", "--index", p.index), 1);
	index_path(&p, "segment", path);
	write_text(t, path, "no segment");
	CHECK_INT(t, RUN("verify", "--index", p.index), 1);
	remove_place(&p);
}

/* Many records of ever new words: more than the least memory of a build holds. */
static void write_many(struct kb_test *t, const char *path)
{
	enum { RECORDS = KB_TEST_UNDER_SANITIZER ? 6000 : 12000, WORDS = 30 };
	uint64_t state = 1;
	struct kb_buf buf;
	struct kb_sv text;
	struct kb_err err;

	kb_buf_init(&buf, KB_MIB(16));
	for (int i = 0; i < RECORDS; i++) {
		kb_buf_printf(&buf, "{\"id\":%d,\"title\":\"record\",\"text\":\"", i);
		for (int w = 0; w < WORDS; w++) {
			uint32_t n;

			state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
			for (n = (uint32_t)(state >> 40); n; n /= 20)
				kb_buf_byte(&buf, "bcdfghjklmnprstvwxza"[n % 20]);
			kb_buf_byte(&buf, ' ');
		}
		kb_buf_str(&buf, "\"}\n");
	}
	CHECK(t, kb_buf_done(&buf, &text, &err) && kb_file_replace(path, text, &err));
	kb_buf_fini(&buf);
}

/* The size of a file in the index directory; -1: there is none. */
static long size_in(const struct place *p, const char *name)
{
	char path[128];
	struct stat st;

	index_path(p, name, path);
	return stat(path, &st) == 0 ? (long)st.st_size : -1;
}

/* What builds leave of themselves: the folder of the last one, its name, and the lock. */
static int entries_in(const char *dir)
{
	DIR *folder = opendir(dir);
	const struct dirent *entry;
	int n = 0;

	while (folder && (entry = readdir(folder)) != NULL)
		n += entry->d_name[0] != '.';
	if (folder)
		closedir(folder);
	return n;
}

/* A build that is killed at any time leaves the index that was there, or the new one, whole. */
static void test_killed(struct kb_test *t)
{
	enum { KILLS = KB_TEST_UNDER_SANITIZER ? 3 : 24 };
	struct place p = make_place(t);
	int killed = 0;

	CHECK_INT(t, RUN("build", "--docs", p.docs, "--out", p.index), 0);
	write_many(t, p.docs);
	for (int i = 0; i < KILLS; i++) {
		pid_t child = fork();
		int status;

		if (child == 0)
			_exit(RUN("build", "--docs", p.docs, "--out", p.index, "--memory", "16"));
		usleep(40000 * (useconds_t)i);
		kill(child, SIGKILL);
		CHECK(t, waitpid(child, &status, 0) == child);
		killed += WIFSIGNALED(status);
		CHECK_INT(t, RUN("verify", "--index", p.index), 0);
	}
	CHECK(t, killed > 0);
	CHECK_INT(t, RUN("build", "--docs", p.docs, "--out", p.index, "--factors", "off"), 0);
	CHECK_INT(t, entries_in(p.index), 3);
	CHECK_INT(t, RUN("verify", "--index", p.index), 0);
	remove_place(&p);
}

/* A folder of somebody else's in the index directory stays, whatever its name. */
static void test_beside(struct kb_test *t)
{
	struct place p = make_place(t);
	char folder[128], path[160];

	CHECK_INT(t, RUN("build", "--docs", p.docs, "--out", p.index), 0);
	index_path(&p, "/build-77", folder);
	snprintf(path, sizeof(path), "%s/letters.txt", folder);
	CHECK(t, mkdir(folder, 0700) == 0);
	write_text(t, path, "dear reader");
	CHECK_INT(t, RUN("build", "--docs", p.docs, "--out", p.index), 0);
	CHECK(t, access(path, F_OK) == 0);
	unlink(path);
	rmdir(folder);
	remove_place(&p);
}

static void test_one_at_a_time(struct kb_test *t)
{
	struct place p = make_place(t);
	char path[128];
	int lock;

	CHECK_INT(t, RUN("build", "--docs", p.docs, "--out", p.index), 0);
	index_path(&p, "/lock", path);
	lock = open(path, O_RDWR);
	CHECK(t, lock >= 0 && flock(lock, LOCK_EX) == 0);
	CHECK_INT(t, RUN("build", "--docs", p.docs, "--out", p.index), 1);
	CHECK_INT(t, RUN("verify", "--index", p.index), 0);
	close(lock);
	CHECK_INT(t, RUN("build", "--docs", p.docs, "--out", p.index), 0);
	remove_place(&p);
}

/* Parts that were written because the memory was used up make the same index. */
static void test_memory(struct kb_test *t)
{
	struct place p = make_place(t);
	long whole;

	write_many(t, p.docs);
	CHECK_INT(t, RUN("build", "--docs", p.docs, "--out", p.index, "--factors", "off"), 0);
	whole = size_in(&p, "segment");
	CHECK(t, whole > 0);
	CHECK_INT(t,
	          RUN("build", "--docs", p.docs, "--out", p.index, "--factors", "off", "--memory",
	              "16"),
	          0);
	CHECK_INT(t, size_in(&p, "part-0"), -1);
	/* Frames of stored text end where parts did. */
	CHECK(t, size_in(&p, "segment") != whole);
	CHECK(t,
	      labs(size_in(&p, "segment") - whole) < whole / (KB_TEST_UNDER_SANITIZER ? 25 : 100));
	CHECK_INT(t, RUN("verify", "--index", p.index), 0);
	CHECK_INT(t, RUN("build", "--docs", p.docs, "--out", p.index, "--memory", "15"), 1);
	CHECK_INT(t, RUN("build", "--docs", p.docs, "--out", p.index, "--memory", "much"), 1);
	remove_place(&p);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "build, search, stats and verify", test_whole_way },
		{ "wrong usage exits with 2", test_usage },
		{ "failures exit with 1 and leave the old index", test_failures },
		{ "a build that is killed leaves an index that is whole", test_killed },
		{ "what others put beside an index stays", test_beside },
		{ "one build at a time", test_one_at_a_time },
		{ "a build within its memory", test_memory },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
