/*
 * Completions for bash, zsh and fish, made of the tables of subcommands and of options.
 *
 * What each of them may be told of is the same: the commands, their verbs, the flags that stand in
 * a command's usage or belong to the service's table, and whether a flag's value is a file.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/sv.h"
#include "cli/command.h"
#include "cli/options.h"

/* A flag of a command. */
struct flag {
	struct kb_sv name; /* without the hyphens */
	const char *doc;   /* NULL: the usage says no more */
	bool has_value;    /* a word follows */
	bool is_file, is_directory;
};
enum { FLAGS_MAX = 160 };

struct flags {
	struct flag v[FLAGS_MAX];
	size_t count;
};

static bool has(const struct flags *flags, struct kb_sv name)
{
	for (size_t i = 0; i < flags->count; i++)
		if (kb_sv_eq(flags->v[i].name, name))
			return true;
	return false;
}

static void add(struct flags *flags, struct kb_sv name, struct kb_sv value, const char *doc)
{
	if (flags->count == FLAGS_MAX || has(flags, name))
		return;
	flags->v[flags->count++] = (struct flag){ .name = name,
		                                  .doc = doc,
		                                  .has_value = value.n > 0,
		                                  .is_directory = kb_sv_starts(value, KB_SV("DIR")),
		                                  .is_file = kb_sv_starts(value, KB_SV("FILE")) };
}

/* "--name" and the word of capitals behind it, wherever they stand in a usage. */
static void add_of_usage(struct flags *flags, const char *usage)
{
	for (const char *at = usage; (at = strstr(at, "--")) != NULL;) {
		size_t n = 0, value = 0;
		const char *name = at += 2;

		while (islower((unsigned char)name[n]) || name[n] == '-')
			n++;
		if (name[n] == ' ')
			while (isupper((unsigned char)name[n + 1 + value]))
				value++;
		if (n)
			add(flags, kb_sv(name, n), kb_sv(name + n + 1, value), NULL);
		at += n;
	}
}

static void find_flags(const struct kb_command *command, struct flags *out)
{
	const struct kb_option *table;
	size_t count;

	out->count = 0;
	table = kb_options_table(&count);
	for (size_t i = 0; i < count; i++)
		if (command->takes == KB_TAKES_ALL
		    || (command->takes == KB_TAKES_PLACE && table[i].is_place))
			add(out, kb_sv_str(table[i].flag),
			    kb_sv_str(table[i].is_switch ? "" : table[i].arg), table[i].doc);
	add_of_usage(out, command->usage); /* what it has of its own */
	add(out, KB_SV("help"), KB_SV(""), "Say what it does.");
}

/* Without what a quoted word of that shell must not hold; the first sentence is enough. */
static void print_doc(const char *doc, const char * not )
{
	for (const char *c = doc; *c && *c != '\n'; c++) {
		if (strchr(not, *c))
			putchar(' ');
		else
			putchar(*c);
		if (*c == ';' || (*c == '.' && c[1] == ' '))
			return;
	}
}

/* ---- bash ---- */

static void bash_command(const struct kb_command *command)
{
	struct flags flags;

	find_flags(command, &flags);
	printf("\t%s)\n\t\tflags=\"", command->name);
	for (size_t i = 0; i < flags.count; i++)
		printf("%s--%.*s", i ? " " : "", KB_SV_ARG(flags.v[i].name));
	printf("\"\n\t\tverbs=\"%s\"\n\t\tcase $before in\n", command->verbs ? command->verbs : "");
	for (size_t i = 0; i < flags.count; i++) {
		const struct flag *flag = &flags.v[i];

		if (flag->has_value)
			printf("\t\t--%.*s) kind=%s ;;\n", KB_SV_ARG(flag->name),
			       flag->is_directory ? "directory"
			       : flag->is_file    ? "file"
			                          : "word");
	}
	printf("\t\tesac\n\t\t;;\n");
}

static void write_bash(const struct kb_commands *commands)
{
	printf("# Completion of docent for bash; printed by: docent completions bash\n"
	       "_docent() {\n"
	       "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
	       "\tlocal flags='' verbs='' kind=''\n"
	       "\tCOMPREPLY=()\n"
	       "\tif ((COMP_CWORD == 1)); then\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -W \"");
	for (size_t i = 0; i < commands->count; i++)
		if (commands->v[i].usage)
			printf("%s ", commands->v[i].name);
	printf("\" -- \"$word\")\n\t\treturn\n\tfi\n\tcase ${COMP_WORDS[1]} in\n");
	for (size_t i = 0; i < commands->count; i++)
		if (commands->v[i].usage)
			bash_command(&commands->v[i]);
	printf("\tesac\n"
	       "\tcase $kind in\n"
	       "\tdirectory) mapfile -t COMPREPLY < <(compgen -d -- \"$word\") && return ;;\n"
	       "\tfile) mapfile -t COMPREPLY < <(compgen -f -- \"$word\") && return ;;\n"
	       "\tword) return ;;\n"
	       "\tesac\n"
	       "\tif [[ $word == -* ]]; then\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -W \"$flags\" -- \"$word\")\n"
	       "\telif ((COMP_CWORD == 2)) && [[ -n $verbs ]]; then\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -W \"$verbs\" -- \"$word\")\n"
	       "\telse\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
	       "\tfi\n"
	       "}\n"
	       "complete -o filenames -F _docent docent\n");
}

/* ---- zsh ---- */

static void zsh_command(const struct kb_command *command)
{
	struct flags flags;

	find_flags(command, &flags);
	printf("\t%s)\n\t\t_arguments -S \\\n", command->name);
	for (size_t i = 0; i < flags.count; i++) {
		const struct flag *flag = &flags.v[i];

		printf("\t\t\t'--%.*s", KB_SV_ARG(flag->name));
		if (flag->doc) {
			putchar('[');
			print_doc(flag->doc, "'[]:\\");
			putchar(']');
		}
		if (flag->has_value)
			printf(":%s:%s", flag->is_directory ? "directory" : "value",
			       flag->is_directory ? "_files -/"
			       : flag->is_file    ? "_files"
			                          : " ");
		printf("' \\\n");
	}
	if (command->verbs)
		printf("\t\t\t'1:verb:(%s)' \\\n", command->verbs);
	printf("\t\t\t'*:file:_files'\n\t\t;;\n");
}

static void write_zsh(const struct kb_commands *commands)
{
	printf("#compdef docent\n"
	       "# Completion of docent for zsh; printed by: docent completions zsh\n"
	       "_docent() {\n"
	       "\tlocal -a commands=(\n");
	for (size_t i = 0; i < commands->count; i++) {
		if (!commands->v[i].usage)
			continue;
		printf("\t\t'%s:", commands->v[i].name);
		print_doc(commands->v[i].doc, "'\\:");
		printf("'\n");
	}
	printf("\t)\n"
	       "\tif ((CURRENT == 2)); then\n"
	       "\t\t_describe command commands\n"
	       "\t\treturn\n"
	       "\tfi\n"
	       "\tshift words\n"
	       "\t((CURRENT--))\n"
	       "\tcase $words[1] in\n");
	for (size_t i = 0; i < commands->count; i++)
		if (commands->v[i].usage)
			zsh_command(&commands->v[i]);
	printf("\tesac\n}\n_docent \"$@\"\n");
}

/* ---- fish ---- */

static void fish_command(const struct kb_command *command)
{
	struct flags flags;

	find_flags(command, &flags);
	printf("complete -c docent -n __fish_use_subcommand -f -a %s -d '", command->name);
	print_doc(command->doc, "'\\");
	printf("'\n");
	if (command->verbs)
		printf("complete -c docent -n '__fish_seen_subcommand_from %s' -f -a '%s'\n",
		       command->name, command->verbs);
	for (size_t i = 0; i < flags.count; i++) {
		const struct flag *flag = &flags.v[i];

		printf("complete -c docent -n '__fish_seen_subcommand_from %s' -l %.*s%s",
		       command->name, KB_SV_ARG(flag->name),
		       !flag->has_value                      ? ""
		       : flag->is_file || flag->is_directory ? " -r -F"
		                                             : " -x");
		if (flag->doc) {
			printf(" -d '");
			print_doc(flag->doc, "'\\");
			putchar('\'');
		}
		putchar('\n');
	}
}

static void write_fish(const struct kb_commands *commands)
{
	printf("# Completion of docent for fish; printed by: docent completions fish\n");
	for (size_t i = 0; i < commands->count; i++)
		if (commands->v[i].usage)
			fish_command(&commands->v[i]);
}

bool kb_complete_write(const struct kb_commands *commands, const char *shell)
{
	static const struct {
		const char *name;
		void (*write)(const struct kb_commands *commands);
	} shells[] = { { "bash", write_bash }, { "zsh", write_zsh }, { "fish", write_fish } };

	for (size_t i = 0; i < KB_COUNTOF(shells); i++)
		if (strcmp(shells[i].name, shell) == 0) {
			shells[i].write(commands);
			return true;
		}
	return false;
}
