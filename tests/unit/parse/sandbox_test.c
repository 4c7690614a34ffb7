/* What a child that has been taken over can do: nothing but fail its document. */
#include <fcntl.h>
#include <stdlib.h>

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
	struct kb_parser *parser;
	int leak;

	kb_parser_config_init(&config);
	config.program = bad_worker_program;
	config.timeout_ms = 600;
	/* One that is not close-on-exec, as libraries leave them. */
	leak = open("/etc/hostname", O_RDONLY);
	CHECK(t, leak >= 0 && fcntl(leak, F_DUPFD, 40) >= 40);
	parser = open_parser(t, &config);
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_arena arena = { 0 };
		struct kb_parsed parsed;
		struct kb_err err = { 0 };

		t->row = cases[i].name;
		if (cases[i].not_under_sanitizer && KB_SANDBOX_UNDER_SANITIZER)
			continue;
		CHECK(t, !parse_text(parser, &arena, cases[i].deed, KB_SV("x"), &parsed, &err));
		CHECK_INT(t, err.code, cases[i].code);
		CHECK_SV(t, kb_sv_str(err.msg), cases[i].sentence);
		/* The server goes on. */
		err = (struct kb_err){ 0 };
		CHECK(t, parse_text(parser, &arena, "behave", KB_SV("x"), &parsed, &err));
		CHECK_SV(t, kb_sv_str(err.msg), "");
		kb_arena_fini(&arena);
	}
	kb_parser_close(parser);
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

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a child that has been taken over only fails its document", test_deeds },
		{ "a document that needs too much memory fails with the limit", test_memory },
		{ "a document with too much text fails with the limit", test_output_limit },
		{ "without a sandbox nothing is parsed", test_refuses_without_sandbox },
		{ "the layers are named", test_layers },
	};

	fixture_init(argv[0]);
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
