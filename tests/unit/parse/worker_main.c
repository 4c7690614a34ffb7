/* The smallest program that is a parser child: what the tests start instead of docent. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "parse/parse.h"

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "parse-worker"))
		return kb_parse_worker_main(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "parse"))
		return kb_cli_parse(argc - 1, argv + 1);
	fprintf(stderr, "usage: parse_worker parse FILE\n");
	return 2;
}
