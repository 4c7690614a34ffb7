/* A parser whose children are the test program worker_main.c, and documents from memory. */
#ifndef KB_TEST_PARSE_FIXTURE_H
#define KB_TEST_PARSE_FIXTURE_H

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "parse/parse.h"
#include "test.h"

static char worker_program[4096], bad_worker_program[4096];

/* parse_worker lies in the folder parse/ beside the test programs. */
static inline void fixture_init(const char *argv0)
{
	const char *slash = strrchr(argv0, '/');
	int n = slash ? (int)(slash - argv0) : 1;

	snprintf(worker_program, sizeof(worker_program), "%.*s/parse/parse_worker", n,
	         slash ? argv0 : ".");
	snprintf(bad_worker_program, sizeof(bad_worker_program), "%.*s/parse/bad_worker", n,
	         slash ? argv0 : ".");
}

static inline struct kb_parser *open_parser(struct kb_test *t, const struct kb_parser_config *with)
{
	struct kb_parser_config config;
	struct kb_parser *parser;
	struct kb_err err = { 0 };

	kb_parser_config_init(&config);
	if (with)
		config = *with;
	if (!config.program)
		config.program = worker_program;
	parser = kb_parser_open(&config, &err);
	CHECK_SV(t, kb_sv_str(err.msg), "");
	if (!parser)
		_exit(1);
	return parser;
}

static inline bool parse_text_of(struct kb_parser *parser, struct kb_arena *arena, int64_t owner,
                                 const char *filename, struct kb_sv bytes, struct kb_parsed *parsed,
                                 struct kb_err *err)
{
	struct kb_parse_request request = { .filename = kb_sv_str(filename), .owner = owner };
	bool ok;

	request.fd = memfd_create("document", MFD_CLOEXEC);
	ok = request.fd >= 0 && write(request.fd, bytes.p, bytes.n) == (ssize_t)bytes.n
	     && lseek(request.fd, 0, SEEK_SET) == 0
	     && kb_parse(parser, arena, &request, parsed, err);
	close(request.fd);
	return ok;
}

static inline bool parse_text(struct kb_parser *parser, struct kb_arena *arena,
                              const char *filename, struct kb_sv bytes, struct kb_parsed *parsed,
                              struct kb_err *err)
{
	return parse_text_of(parser, arena, 0, filename, bytes, parsed, err);
}

#endif
