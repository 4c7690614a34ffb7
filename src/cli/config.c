/* docent config: what the service would be told, and by what. */
#include "cli/cli.h"
#include "cli/options.h"

int kb_cli_config(int argc, char **argv)
{
	struct kb_arena arena = { 0 };
	struct kb_err err = { 0 };
	bool ok;

	if (kb_cli_help(argc, argv, "usage: docent config [OPTION]… (those of docent serve)"))
		return 0;
	ok = kb_options_show(&arena, argc, argv, &err);
	kb_arena_fini(&arena);
	return ok ? 0 : kb_cli_fail(2, "%s", err.msg);
}
