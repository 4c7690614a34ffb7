/* `docent index build|search|stats|verify`: the search library by itself. Exit codes: 0 done, 1
 * failed, 2 wrong usage. argv[0] is "index". */
#ifndef KB_CLI_INDEX_H
#define KB_CLI_INDEX_H

int kb_cli_index(int argc, char **argv);

#endif
