/* What a child that has been taken over can do: nothing but fail its document. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "fixture.h"
#include "parse/sandbox.h"

#define FORBIDDEN "the parser tried something forbidden on this document and was stopped"
#define CRASHED   "the parser crashed on this document"
#define TOO_LONG  "reading the document took longer than 1 s"

static void test_deeds(struct kb_test *t)
{
	// clang-format off
	static const struct {
		const char *name, *deed;
		enum kb_errc code;
		const char *sentence;
		bool not_under_sanitizer;
	} cases[] = {
		{ "a file cannot be opened", "open-passwd", KB_E_INVALID, "open: Permission denied" },
		{ "no descriptor of the server came along", "descriptors", KB_E_INVALID,
		  "descriptors: Bad file descriptor" },
		{ "nor its own program", "open-self", KB_E_INVALID, "open: Permission denied" },
		{ "there is no network", "socket", KB_E_INVALID, FORBIDDEN },
		{ "no new process", "fork", KB_E_INVALID, FORBIDDEN },
		{ "no other program", "execve", KB_E_INVALID, FORBIDDEN },
		{ "no signal to the server", "kill", KB_E_INVALID, FORBIDDEN },
		{ "no look into other processes", "ptrace", KB_E_INVALID, FORBIDDEN },
		{ "no memory to run code from", "mmap-exec", KB_E_INVALID, FORBIDDEN, true },
		{ "limits stay", "prlimit", KB_E_INVALID, "prlimit: Operation not permitted" },
		{ "an endless loop ends at the deadline", "loop", KB_E_TIMEOUT, TOO_LONG },
		{ "so does silence", "sleep", KB_E_TIMEOUT, TOO_LONG },
		{ "a crash", "segv", KB_E_INVALID, CRASHED },
		{ "an exit without an answer", "exit", KB_E_INVALID, CRASHED },
		{ "garbage without end", "garbage", KB_E_INVALID, CRASHED },
		{ "a length over every limit", "gigabytes", KB_E_INVALID, CRASHED },
		{ "half a message", "halfway", KB_E_INVALID, CRASHED },
		{ "a message out of turn", "greet", KB_E_INVALID, CRASHED },
		{ "text that is no UTF-8", "bad-utf8", KB_E_INVALID, CRASHED },
		{ "control characters", "control", KB_E_INVALID, CRASHED },
		{ "text that runs backwards", "bidi", KB_E_INVALID, CRASHED },
		{ "a page the document does not have", "page", KB_E_INVALID, CRASHED },
	};
	// clang-format on
	struct kb_parser_config config;
	struct kb_parser *parser, *strict;
	int leak;

	kb_parser_config_init(&config);
	config.program = bad_worker_program;
	/* One that is not close-on-exec, as libraries leave them. */
	leak = open("/etc/hostname", O_RDONLY);
	CHECK(t, leak >= 0 && fcntl(leak, F_DUPFD, 40) >= 40);
	/* A crash is seen when it happens, and that may be late. */
	config.timeout_ms = kb_test_patient(20000);
	parser = open_parser(t, &config);
	config.timeout_ms = 600;
	strict = open_parser(t, &config);
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_parser *chosen = cases[i].code == KB_E_TIMEOUT ? strict : parser;
		struct kb_arena arena = { 0 };
		struct kb_parsed parsed;
		struct kb_err err = { 0 };

		t->row = cases[i].name;
		if (cases[i].not_under_sanitizer && KB_SANDBOX_UNDER_SANITIZER)
			continue;
		CHECK(t, !parse_text(chosen, &arena, cases[i].deed, KB_SV("x"), &parsed, &err));
		CHECK_INT(t, err.code, cases[i].code);
		CHECK_SV(t, kb_sv_str(err.msg), cases[i].sentence);
		/* The server goes on. */
		err = (struct kb_err){ 0 };
		CHECK(t, parse_text(parser, &arena, "behave", KB_SV("x"), &parsed, &err));
		CHECK_SV(t, kb_sv_str(err.msg), "");
		kb_arena_fini(&arena);
	}
	kb_parser_close(strict);
	kb_parser_close(parser);
}

/* Each row goes on where the one before ended. Of each owner's child two are kept. */
static void test_owners(struct kb_test *t)
{
	static const struct {
		const char *name;
		int64_t owner;
		const char *deed, *want; /* NULL: the document fails */
	} rows[] = {
		{ "the first has a fresh child", 1, "remember", "0 before" },
		{ "and the owner's next one the same", 1, "remember", "1 before" },
		{ "another owner has another", 2, "remember", "0 before" },
		{ "the first owner's is kept", 1, "remember", "2 before" },
		{ "a document that is refused", 1, "open-passwd", NULL },
		{ "ends the child", 1, "remember", "0 before" },
		{ "but nobody else's", 2, "remember", "1 before" },
		{ "a child that dies", 2, "segv", NULL },
		{ "is followed by a fresh one", 2, "remember", "0 before" },
		{ "a third owner takes the place", 3, "remember", "0 before" },
		{ "of the one that waited longest", 1, "remember", "0 before" },
		{ "not of the others", 3, "remember", "1 before" },
		{ "nobody is an owner too", 0, "remember", "0 before" },
	};
	struct kb_parser_config config;
	struct kb_parser *parser;

	kb_parser_config_init(&config);
	config.program = bad_worker_program;
	config.warm_children = 2;
	parser = open_parser(t, &config);
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_parsed parsed;
		struct kb_err err = { 0 };
		bool ok = parse_text_of(parser, &arena, rows[i].owner, rows[i].deed, KB_SV("x"),
		                        &parsed, &err);

		t->row = rows[i].name;
		CHECK_INT(t, ok, rows[i].want != NULL);
		if (ok && rows[i].want)
			CHECK_SV(t, parsed.blocks[0].text, rows[i].want);
		kb_arena_fini(&arena);
	}
	t->row = NULL;
	kb_parser_close(parser);
}

/* The line of /proc/PID/status that begins so, or "". */
static void status_line(const char *pid, const char *name, char *line, size_t n)
{
	char path[300];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/status", pid);
	file = fopen(path, "r");
	while (file && fgets(line, (int)n, file))
		if (strncmp(line, name, strlen(name)) == 0) {
			fclose(file);
			return;
		}
	if (file)
		fclose(file);
	*line = 0;
}

/* Where we are root, none of our children is. */
static void test_user(struct kb_test *t)
{
	struct kb_parser *parser = open_parser(t, NULL);
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	char line[200], parent[32];
	int children = 0;

	CHECK_INT(t, strstr(kb_parser_sandbox(parser), "user") != NULL, geteuid() == 0);
	snprintf(parent, sizeof(parent), "PPid:\t%d\n", (int)getpid());
	while (geteuid() == 0 && (entry = readdir(dir))) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		status_line(entry->d_name, "PPid:", line, sizeof(line));
		if (strcmp(line, parent) != 0)
			continue;
		children++;
		status_line(entry->d_name, "Uid:", line, sizeof(line));
		CHECK_SV(t, kb_sv_str(line), "Uid:\t65521\t65521\t65521\t65521\n");
		status_line(entry->d_name, "Gid:", line, sizeof(line));
		CHECK_SV(t, kb_sv_str(line), "Gid:\t65521\t65521\t65521\t65521\n");
		status_line(entry->d_name, "Groups:", line, sizeof(line));
		CHECK_SV(t, kb_sv_trim(kb_sv_str(line)), "Groups:");
		status_line(entry->d_name, "CapEff:", line, sizeof(line));
		CHECK_SV(t, kb_sv_str(line), "CapEff:\t0000000000000000\n");
	}
	CHECK(t, geteuid() != 0 || children > 0);
	closedir(dir);
	kb_parser_close(parser);
}

/* How a helper's filter ends a process that maps memory so; 0: it lets it. file: of a program's
 * file. */
static int ends_by(bool file, int prot, int then)
{
	int status, fd = open("/proc/self/exe", O_RDONLY);
	pid_t pid = fork();

	if (pid == 0) {
		const struct rlimit none = { 0, 0 };
		uint32_t layers = 0;
		struct kb_err err;
		void *at;

		setrlimit(RLIMIT_CORE, &none);
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
		    || !kb_sandbox_filter(KB_SANDBOX_HELPER, &layers, &err))
			_exit(99);
		at = mmap(NULL, 4096, prot, file ? MAP_PRIVATE : MAP_PRIVATE | MAP_ANONYMOUS,
		          file ? fd : -1, 0);
		_exit(at == MAP_FAILED || (then && mprotect(at, 4096, then)) ? 98 : 0);
	}
	close(fd);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

/* A helper is a program of others, whose libraries are mapped when it begins; more code than theirs
 * it never has. */
static void test_helper_memory(struct kb_test *t)
{
	enum { R = PROT_READ, W = PROT_WRITE, X = PROT_EXEC };
	static const struct {
		const char *name;
		bool file;
		int prot, then, ends;
	} rows[] = {
		{ "a library's code", true, R | X, 0, 0 },
		{ "its data", true, R | W, R, 0 },
		{ "memory", false, R | W, 0, 0 },
		{ "memory to run", false, R | X, 0, SIGSYS },
		{ "memory to write and run", false, R | W | X, 0, SIGSYS },
		{ "a file to write and run", true, R | W | X, 0, SIGSYS },
		{ "memory that is run once it is written", false, R | W, R | X, SIGSYS },
		{ "a file likewise", true, R | W, R | X, SIGSYS },
	};

	if (KB_SANDBOX_UNDER_SANITIZER)
		return;
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].name;
		CHECK_INT(t, ends_by(rows[i].file, rows[i].prot, rows[i].then), rows[i].ends);
	}
	t->row = NULL;
}

static void test_memory(struct kb_test *t)
{
	struct kb_parser_config config;
	struct kb_parser *parser;
	struct kb_arena arena = { 0 };
	struct kb_parsed parsed;
	struct kb_err err = { 0 };
	size_t n = KB_MIB(40);
	char *text = malloc(n);

	if (KB_SANDBOX_UNDER_SANITIZER) {
		free(text);
		return;
	}
	/* Many small words: their text alone, with its copies, is twice the limit. */
	for (size_t i = 0; i < n; i++)
		text[i] = i % 60 == 0 ? '\n' : i % 30 == 0 ? '\n' : 'a';
	kb_parser_config_init(&config);
	config.memory_max = KB_MIB(160);
	parser = open_parser(t, &config);
	CHECK(t, !parse_text(parser, &arena, "a.csv", kb_sv(text, n), &parsed, &err));
	CHECK_INT(t, err.code, KB_E_TOO_LARGE);
	CHECK_SV(t, kb_sv_str(err.msg), "the parser ran out of its 160 MB of memory");
	err = (struct kb_err){ 0 };
	CHECK(t, parse_text(parser, &arena, "a.txt", KB_SV("next"), &parsed, &err));
	kb_parser_close(parser);
	kb_arena_fini(&arena);
	free(text);
}

static void test_output_limit(struct kb_test *t)
{
	struct kb_parser_config config;
	struct kb_parser *parser;
	struct kb_arena arena = { 0 };
	struct kb_parsed parsed;
	struct kb_err err = { 0 };
	size_t n = KB_MIB(3);
	char *text = malloc(n);

	memset(text, 'a', n);
	kb_parser_config_init(&config);
	config.output_max = KB_MIB(1);
	parser = open_parser(t, &config);
	CHECK(t, !parse_text(parser, &arena, "a.txt", kb_sv(text, n), &parsed, &err));
	CHECK_INT(t, err.code, KB_E_TOO_LARGE);
	CHECK_SV(t, kb_sv_str(err.msg), "the document holds more than 1 MB of text");
	kb_parser_close(parser);
	kb_arena_fini(&arena);
	free(text);
}

static void test_refuses_without_sandbox(struct kb_test *t)
{
	struct kb_parser_config config;
	struct kb_err err = { 0 };

	kb_parser_config_init(&config);
	config.program = "/bin/false"; /* no child that greets: no proof of walls */
	CHECK(t, !kb_parser_open(&config, &err));
	CHECK_INT(t, err.code, KB_E_UNSUPPORTED);
	CHECK_SV(t, kb_sv_str(err.msg), "the parser process did not start");
	config.program = "/nowhere/docent";
	CHECK(t, !kb_parser_open(&config, &err));
	CHECK_SV(t, kb_sv_str(err.msg),
	         "the parser process /nowhere/docent cannot be started: No such file or directory");
}

static void test_layers(struct kb_test *t)
{
	struct kb_parser *parser = open_parser(t, NULL);

	CHECK(t, strstr(kb_parser_sandbox(parser), "seccomp") != NULL);
	CHECK(t, strstr(kb_parser_sandbox(parser), "rlimits") != NULL);
	kb_parser_close(parser);
}

/* A helper starts the program only for the parent that started it. */
static void test_orphan(struct kb_test *t)
{
	char command[5000];

	snprintf(command, sizeof(command), "%s parse-worker --role exec $$ /bin/true; exit $?",
	         worker_program);
	CHECK_INT(t, WEXITSTATUS(system(command)), 0);
	snprintf(command, sizeof(command), "%s parse-worker --role exec 1 /bin/true; exit $?",
	         worker_program);
	CHECK_INT(t, WEXITSTATUS(system(command)), 126);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a child that has been taken over only fails its document", test_deeds },
		{ "no child reads documents of two owners, or goes on after a failure",
		  test_owners },
		{ "a child of root is a user of no rights", test_user },
		{ "a helper runs no memory that it could write", test_helper_memory },
		{ "a document that needs too much memory fails with the limit", test_memory },
		{ "a document with too much text fails with the limit", test_output_limit },
		{ "without a sandbox nothing is parsed", test_refuses_without_sandbox },
		{ "the layers are named", test_layers },
		{ "a helper whose parent has gone does not begin", test_orphan },
	};

	fixture_init(argv[0]);
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
