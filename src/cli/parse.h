/* `docent parse FILE`: the JSON that ingestion would index. Returns the exit code. */
#ifndef KB_CLI_PARSE_H
#define KB_CLI_PARSE_H

int kb_cli_parse(int argc, char **argv);

#endif
