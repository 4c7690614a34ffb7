/* docent: picks the subcommand. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "crawl/browser.h"
#include "crawl/films.h"
#include "parse/parse.h"

static int version(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	printf("docent %s\n", DOCENT_VERSION);
	return 0;
}

static int help(int argc, char **argv);
static int man(int argc, char **argv);
static int completions(int argc, char **argv);

// clang-format off
static const struct kb_command commands[] = {
	{ "serve", kb_cli_serve, "[--data DIR] [--listen HOST:PORT] [--config FILE] …", "run the service (serve --help lists the options)", .takes = KB_TAKES_ALL },
	{ "key", kb_cli_key, "create|list|revoke [--data DIR] …", "make, list and revoke API keys", .takes = KB_TAKES_PLACE, .verbs = "create link list revoke" },
	{ "ask", kb_cli_ask, "--url URL --key KEY --agent ID [--json] [TEXT]", "ask an agent, by TEXT or standard input; prints the answer and its sources" },
	{ "add", kb_cli_add, "--url URL --key KEY --agent ID [--no-wait] PATH|URL…", "add files, folders and addresses to an agent and say what became of each" },
	{ "sync", kb_cli_sync, "--url URL --key KEY --agent ID [--watch] [--include GLOB]… [--delete] [--prefix NAME] [--base-url URL] DIR", "keep an agent's documents like the files of a folder or Git checkout" },
	{ "eval", kb_cli_eval, "--url URL --key KEY --agent ID [--junit F] [--against F] [--min LIST] … TABLE|draft", "ask an agent a table of questions and say how well it answers; nothing is stored (eval --help says more)" },
	{ "parse", kb_cli_parse, "[--ocr] FILE", "show what ingestion would index of a file, as JSON" },
	{ "index", kb_cli_index, "build|search|stats|verify …", "the search core alone, on JSON lines", .verbs = "build search stats verify" },
	{ "proxy", kb_cli_proxy, "[--url URL] [--agent ID] [--origin ORIGIN] [--listen HOST:PORT]", "let a browser extension ask one agent without holding a key (proxy --help lists the options)" },
	{ "config", kb_cli_config, "[OPTION]…", "show each option of the service, its value, and where that comes from", .takes = KB_TAKES_ALL },
	{ "doctor", kb_cli_doctor, "[--json] [OPTION]…", "look at what the service stands on, and say what to do (with the options of docent serve)", .takes = KB_TAKES_ALL },
	{ "support", kb_cli_support, "[--out FILE] [--log-file FILE] [OPTION]…", "pack what a maintainer needs to help, without secrets and texts (with the options of docent serve)", .takes = KB_TAKES_ALL },
	{ "oidc", kb_cli_oidc, "check [OPTION]…", "ask the provider of sign-ins what it offers, and say what is missing", .takes = KB_TAKES_ALL, .verbs = "check" },
	{ "models", kb_cli_models, "check [OPTION]…", "ask each model server of the configuration one question and say what works", .takes = KB_TAKES_ALL, .verbs = "check" },
	{ "check", kb_cli_check, "[--data DIR]", "verify every reference and checksum of a data directory", .takes = KB_TAKES_PLACE },
	{ "secrets", kb_cli_secrets, "list|rotate|unseal [--data DIR] … | key FILE", "make a key for secrets in the database, say which are sealed, and seal them anew", .takes = KB_TAKES_PLACE, .verbs = "list rotate unseal key" },
	{ "audit", kb_cli_audit, "verify [--data DIR] | actions", "verify that the rows of who did what are as they were written, and print what is kept", .takes = KB_TAKES_PLACE, .verbs = "verify actions" },
	{ "adopt", kb_cli_adopt, "[--data DIR] [--store DIR] [--blob DIR|s3://…] [--discard]", "say that a database and blobs belong together, after one of them was restored", .takes = KB_TAKES_PLACE },
	{ "backup", kb_cli_backup, "PLACE [--every SPAN] [--keep SPANS] [--data DIR] … | list PLACE | verify PLACE [--at TIME] | key FILE", "back up an installation while it runs, see which backups there are, and whether they come back (backup --help says more)", .takes = KB_TAKES_PLACE, .verbs = "list verify key" },
	{ "restore", kb_cli_restore, "PLACE [--at TIME] [--data DIR] [--store DIR|postgresql://…] [--blob DIR|s3://…]", "make an installation of a backup, where there is none", .takes = KB_TAKES_PLACE },
	{ "move", kb_cli_move, "--from DIR|postgresql://… [--from-blob DIR|s3://…] [--to DIR|postgresql://…] [--blob DIR|s3://…]", "copy an installation to another database, other blobs, or both; the one before then rests (move --help says more)" },
	{ "export", kb_cli_export, "--agent ID --to FILE [--without-conversations] [--data DIR] …", "write an agent to a file, index included (export --help says more)", .takes = KB_TAKES_PLACE },
	{ "import", kb_cli_import, "FILE [--account HANDLE] [--data DIR] … | --from URL --from-key KEY --url URL --key KEY --map FILE [--only ID]…", "make an agent of such a file; or bring agents of another service that speaks this interface, with all that can come (import --help says more)", .takes = KB_TAKES_PLACE },
	{ "completions", completions, "bash|zsh|fish", "print a script with which that shell completes commands and options", .verbs = "bash zsh fish" },
	{ "man", man, "[docent.conf]", "print the manual page, docent(1) or docent.conf(5), in the language of man", .verbs = "docent.conf" },
	{ "version", version, "", "print the version" },
	{ "help", help, "", "print this" },
	{ "browser-child", kb_browser_child_main, NULL, NULL }, /* becomes a browser; not for people */
	{ "film-child", kb_film_child_main, NULL, NULL },       /* likewise, what reads a film */
	{ "parse-worker", kb_parse_worker_main, NULL, NULL }, /* the sandboxed child; not for people */
};
// clang-format on

static int help(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	printf("Docent answers questions from your documents, with citations.\n\nusage:\n");
	for (size_t i = 0; i < KB_COUNTOF(commands); i++)
		if (commands[i].usage)
			printf("  docent %-8s %s\n      %s\n", commands[i].name, commands[i].usage,
			       commands[i].doc);
	return 0;
}

static const struct kb_commands table = { commands, KB_COUNTOF(commands) };

static int man(int argc, char **argv)
{
	bool is_file = argc == 2 && strcmp(argv[1], "docent.conf") == 0;

	if (argc > 1 && !is_file)
		return kb_cli_fail(2, "usage: docent man [docent.conf]");
	if (is_file)
		kb_man_file();
	else
		kb_man_program(&table);
	return 0;
}

static int completions(int argc, char **argv)
{
	if (argc != 2 || !kb_complete_write(&table, argv[1]))
		return kb_cli_fail(2, "usage: docent completions bash|zsh|fish");
	return 0;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "help";

	kb_crypto_init();
	signal(SIGPIPE, SIG_IGN);
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
		name = "help";
	if (strcmp(name, "--version") == 0)
		name = "version";
	for (size_t i = 0; i < KB_COUNTOF(commands); i++)
		if (strcmp(commands[i].name, name) == 0)
			return commands[i].run(argc > 1 ? argc - 1 : argc,
			                       argc > 1 ? argv + 1 : argv);
	return kb_cli_fail(2, "unknown command %s; `docent help` lists them", name);
}
