/* Manual pages, made of the tables of subcommands and of options, in the language of man(7). */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"

/* What begins with a dot or an apostrophe would be a request. A word between ` is bold. */
static void text(const char *words)
{
	bool bold = false;

	if (*words == '.' || *words == '\'')
		fputs("\\&", stdout);
	for (const char *c = words; *c; c++) {
		if (*c == '`') {
			bold = !bold;
			fputs(bold ? "\\fB" : "\\fP", stdout);
		} else if (*c == '\\') {
			fputs("\\e", stdout);
		} else if (*c == '-') {
			fputs("\\-", stdout);
		} else {
			putchar(*c);
		}
	}
}

static void line(const char *words)
{
	text(words);
	putchar('\n');
}

static void section(const char *name)
{
	printf(".SH %s\n", name);
}

/* A term, as bold as it is typed, and what it is. */
static void item(const char *term, const char *rest, const char *doc)
{
	fputs(".TP\n\\fB", stdout);
	text(term);
	fputs("\\fP ", stdout);
	line(rest);
	line(doc);
}

static void write_commands(const struct kb_commands *commands)
{
	for (size_t i = 0; i < commands->count; i++)
		if (commands->v[i].usage)
			item(commands->v[i].name, commands->v[i].usage, commands->v[i].doc);
}

/* as_file: named as in the file. */
static void write_options(bool as_file)
{
	const struct kb_option *table;
	size_t count;

	table = kb_options_table(&count);
	for (size_t i = 0; i < count; i++) {
		const struct kb_option *o = &table[i];
		char term[80];

		snprintf(term, sizeof(term), "%s%s%s", as_file ? "" : "--", o->flag,
		         as_file ? " =" : "");
		item(term, o->arg ? o->arg : as_file ? "yes or no" : "", o->doc);
		fputs("(", stdout);
		text(o->env);
		if (o->fallback && *o->fallback) {
			fputs("; default ", stdout);
			text(o->fallback);
		}
		fputs(")\n", stdout);
	}
}

static void head(const char *name, int part, const char *doc)
{
	char title[32];
	size_t n = 0;

	for (; name[n] && n + 1 < sizeof(title); n++)
		title[n] = (char)(name[n] >= 'a' && name[n] <= 'z' ? name[n] - 32 : name[n]);
	title[n] = '\0';
	printf(".TH %s %d \"\" \"Docent %s\"\n", title, part, DOCENT_VERSION);
	section("NAME");
	printf("%s \\- %s\n", name, doc);
}

void kb_man_program(const struct kb_commands *commands)
{
	head("docent", 1, "answer questions from your documents, with citations");
	section("SYNOPSIS");
	line("`docent` COMMAND [OPTION]…");
	section("DESCRIPTION");
	line("Docent reads files and websites, and answers questions about them with quotes that "
	     "name their place, over HTTP, MCP and in a dashboard. `docent serve` is the service; "
	     "the other commands look after it, or ask it.");
	section("COMMANDS");
	write_commands(commands);
	line("`docent` COMMAND `--help` says more of each.");
	section("OPTIONS OF THE SERVICE");
	line("Each may be given as a flag, as a variable of the environment (in parentheses), or "
	     "in "
	     "the file of `--config`; a flag wins over the environment, that over the file.");
	write_options(false);
	section("SIGNALS");
	item("SIGHUP", "",
	     "The model catalogue, the certificate and the block list are read again, all or "
	     "none. The file of `--roles` is read whenever somebody comes. All else wants a "
	     "restart.");
	item("SIGTERM", "", "The service stops: answers in progress may end (`--stop-grace`).");
	section("EXIT STATUS");
	item("0", "", "Done.");
	item("1", "", "It did not work; a line on standard error says why.");
	item("2", "", "Wrong usage.");
	item("3", "", "Of `docent ask`: there is no answer.");
	section("FILES");
	item("/etc/docent/docent.conf", "", "Options of the packaged service.");
	item("/var/lib/docent", "", "Its data.");
	section("SEE ALSO");
	line("`docent.conf`(5)");
}

void kb_man_file(void)
{
	head("docent.conf", 5, "options of the docent service");
	section("DESCRIPTION");
	line("The file that `docent serve` `--config` names has a line for each option: its name, "
	     "an equals sign, its value. Lines that begin with a semicolon or # are comments. What "
	     "is not there is as the default says; variables of the environment and flags win over "
	     "the file. `docent config` `--config` FILE shows what came of it, `docent doctor` "
	     "`--config` FILE whether it works.");
	section("OPTIONS");
	write_options(true);
	section("SEE ALSO");
	line("`docent`(1)");
}
