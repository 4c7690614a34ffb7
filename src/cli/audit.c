/* docent audit: whether the rows of who did what are as they were written; what is kept. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "store/audit.h"

static const char usage[] =
        "usage: docent audit verify [--data DIR]\n"
        "       docent audit actions\n"
        "verify walks the chain of rows of each node, beside a running service too, and says\n"
        "where a row was changed or is missing; actions prints the table of what is kept";

static void say(void *arg, const char *finding)
{
	(void)arg;
	printf("%s\n", finding);
}

static int print_actions(void)
{
	printf("| Action | What was done |\n| --- | --- |\n");
	for (int i = KB_AUDIT_NOTHING + 1; i < KB_AUDIT_ACTION_COUNT; i++)
		printf("| `%s` | %s |\n", kb_audit_action_infos[i].name,
		       kb_audit_action_infos[i].doc);
	return 0;
}

static bool verify(const struct kb_places *places, struct kb_audit_found *found, struct kb_err *err)
{
	struct kb_store *store;
	bool ok;

	if (!kb_store_exists(places->store))
		return kb_fail(err, KB_E_NOT_FOUND, "there is no database there");
	store = kb_store_open(places->store, false, NULL, NULL, err);
	ok = store && kb_store_audit_verify(store, say, NULL, found, err);
	kb_store_close(store);
	return ok;
}

int kb_cli_audit(int argc, char **argv)
{
	struct kb_audit_found found = { 0 };
	struct kb_options options = { 0 };
	struct kb_arena arena = { 0 };
	struct kb_places places;
	struct kb_err err = { 0 };
	bool ok;

	if (kb_cli_help(argc, argv, usage))
		return 0;
	if (argc == 2 && strcmp(argv[1], "actions") == 0)
		return print_actions();
	ok = argc >= 2 && strcmp(argv[1], "verify") == 0;
	for (int i = 2; ok && i < argc; i++)
		ok = kb_option_place(argc, argv, &i, &options);
	if (!ok) {
		fprintf(stderr, "%s\n", usage);
		return 2;
	}
	ok = kb_options_complete(&arena, &options, &err)
	     && kb_options_places(&options, &places, &err) && verify(&places, &found, &err);
	kb_arena_fini(&arena);
	if (!ok)
		return kb_cli_fail(1, "%s", err.msg);
	printf("%" PRId64 " rows in %" PRId64 " chains, %" PRId64 " findings\n", found.rows,
	       found.chains, found.findings);
	if (found.gone)
		printf("%" PRId64 " older rows went by age (--audit-days)\n", found.gone);
	return found.findings ? 1 : 0;
}
