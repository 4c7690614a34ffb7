/*
 * The table of subcommands as others read it: help, man pages, completions. The table itself is
 * main()'s.
 */
#ifndef KB_CLI_COMMAND_H
#define KB_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/* Which options of the service's table (options.h) a subcommand takes beside its own. */
enum kb_takes { KB_TAKES_OWN, KB_TAKES_PLACE, KB_TAKES_ALL };

struct kb_command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *usage, *doc; /* NULL: not for people */
	enum kb_takes takes;
	const char *verbs; /* words that come first, with blanks between; NULL: none */
};
struct kb_commands {
	const struct kb_command *v;
	size_t count;
};

/* man.c: docent(1), and docent.conf(5), on stdout. */
void kb_man_program(const struct kb_commands *commands);
void kb_man_file(void);

/* complete.c: a script for that shell on stdout; false where there is no such shell. */
bool kb_complete_write(const struct kb_commands *commands, const char *shell);

#endif
