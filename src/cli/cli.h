/* The subcommands of `docent`, one file each. Each gets its own arguments (argv[0] is its name) and
 * returns the exit code: 0 done, 1 failed, 2 wrong usage, and of ask 3: no answer. Errors are one
 * line on stderr. */
#ifndef KB_CLI_CLI_H
#define KB_CLI_CLI_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"

int kb_cli_serve(int argc, char **argv);
int kb_cli_key(int argc, char **argv);
int kb_cli_ask(int argc, char **argv);
int kb_cli_add(int argc, char **argv);
int kb_cli_eval(int argc, char **argv);
int kb_cli_sync(int argc, char **argv);
int kb_cli_parse(int argc, char **argv);
int kb_cli_index(int argc, char **argv);
int kb_cli_check(int argc, char **argv);
int kb_cli_config(int argc, char **argv);
int kb_cli_doctor(int argc, char **argv);
int kb_cli_support(int argc, char **argv);
int kb_cli_models(int argc, char **argv);
int kb_cli_oidc(int argc, char **argv);
int kb_cli_audit(int argc, char **argv);
int kb_cli_secrets(int argc, char **argv);
int kb_cli_adopt(int argc, char **argv);
int kb_cli_export(int argc, char **argv);
int kb_cli_import(int argc, char **argv);
int kb_cli_import_file(int argc, char **argv); /* what import does with a file */
int kb_cli_backup(int argc, char **argv);
int kb_cli_restore(int argc, char **argv);
int kb_cli_move(int argc, char **argv);
int kb_cli_proxy(int argc, char **argv);

/* Whether `docent serve` would take argv[1..argc), and the files that they name; with a store, also
 * whether it would open its door as that stands. Nothing is started. */
struct kb_store;
bool kb_serve_would(struct kb_arena *arena, int argc, char **argv, struct kb_store *store,
                    struct kb_err *err) KB_MUST_CHECK;

/* Whether --help is among the arguments; the usage is then on stdout, and all is done. */
bool kb_cli_help(int argc, char **argv, const char *usage);
/* "docent: <message>" on stderr; returns the code. */
int kb_cli_fail(int code, const char *fmt, ...) KB_PRINTF(2, 3);

#endif
