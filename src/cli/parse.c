/* `docent parse`: one document through the same sandbox as ingestion, its blocks on stdout. */
#include "cli/cli.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "parse/scans.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

static bool parse_file(const char *path, bool ocr, struct kb_arena *arena, struct kb_buf *json,
                       struct kb_err *err)
{
	struct kb_parser_config config;
	struct kb_parser *parser;
	struct kb_parse_request request = { .filename = kb_sv_str(path), .wants_painted = ocr };
	struct kb_scan scan = { 0 };
	struct kb_parsed parsed;
	struct kb_jw jw;
	bool ok;

	request.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (request.fd < 0)
		return kb_fail_errno(err, "%s", path);
	kb_parser_config_init(&config);
	config.warm_children = 0;
	parser = kb_parser_open(&config, err);
	ok = parser && kb_parse(parser, arena, &request, &parsed, err)
	     && kb_scans_read(parser, arena, &request, &scan, &parsed, err);
	kb_parser_close(parser);
	close(request.fd);
	if (!ok)
		return false;
	if (scan.note.n)
		fprintf(stderr, "docent parse: %.*s\n", KB_SV_ARG(scan.note));
	kb_jw_init(&jw, json);
	kb_parsed_write(&parsed, &jw);
	kb_buf_byte(json, '\n');
	return true;
}

int kb_cli_parse(int argc, char **argv)
{
	struct kb_arena arena = { 0 };
	struct kb_err err = { 0 };
	struct kb_sv out;
	struct kb_buf json;
	bool ocr = argc == 3 && !strcmp(argv[1], "--ocr"), ok;

	if ((argc != 2 && !ocr) || !strcmp(argv[1], "--help")) {
		fprintf(argc == 2 ? stdout : stderr, "usage: docent parse [--ocr] FILE\n");
		return argc == 2 ? 0 : EXIT_USAGE;
	}
	kb_buf_init(&json, SIZE_MAX);
	ok = parse_file(argv[argc - 1], ocr, &arena, &json, &err) && kb_buf_done(&json, &out, &err)
	     && kb_fd_write_all(STDOUT_FILENO, out, "standard output", &err);
	if (!ok)
		fprintf(stderr, "docent parse: %s\n", err.msg);
	kb_buf_fini(&json);
	kb_arena_fini(&arena);
	return ok ? 0 : EXIT_FAILED;
}
