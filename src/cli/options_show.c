/* The options as people read them: with what they are and where that comes from, and for help. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "store/store.h"

/* The address of a database may hold a password. */
static struct kb_sv shown(struct kb_arena *arena, const struct kb_option *option, const char *value)
{
	if (option->is_secret)
		return KB_SV("(not shown)");
	return strstr(value, "://") ? kb_store_place(arena, value) : kb_sv_str(value);
}

bool kb_options_each(struct kb_arena *arena, int argc, char **argv, kb_option_seen *seen, void *arg,
                     struct kb_err *err)
{
	struct kb_options flags = { 0 }, file = { 0 };
	const struct kb_option *table;
	size_t count;

	if (!kb_options_flags(argc, argv, 1, &flags, err))
		return false;
	file.config = flags.config ? flags.config : getenv("DOCENT_CONFIG");
	if (file.config && *file.config && !kb_options_file(arena, &file, err))
		return false;
	table = kb_options_table(&count);
	for (size_t i = 0; i < count; i++) {
		const struct kb_option *option = &table[i];
		const char *env = getenv(option->env), *value = kb_option_value(&flags, option);
		const char *from = value ? "flag" : "";

		if (!value && env && *env) {
			value = env;
			from = option->env;
		}
		if (!value && option->member != offsetof(struct kb_options, config)
		    && kb_option_value(&file, option)) {
			value = kb_option_value(&file, option);
			from = file.config;
		}
		if (!value && option->fallback) {
			value = option->fallback;
			from = "default";
		}
		seen(arg, option, value ? shown(arena, option, value) : (struct kb_sv){ 0 }, from);
	}
	return true;
}

static void print_option(void *arg, const struct kb_option *option, struct kb_sv value,
                         const char *from)
{
	(void)arg;
	if (value.p)
		printf("%-26s %-40.*s %s\n", option->flag, KB_SV_ARG(value), from);
	else
		printf("%s\n", option->flag);
}

bool kb_options_show(struct kb_arena *arena, int argc, char **argv, struct kb_err *err)
{
	return kb_options_each(arena, argc, argv, print_option, NULL, err);
}

void kb_options_help(bool markdown)
{
	const struct kb_option *table;
	size_t count;

	table = kb_options_table(&count);
	if (markdown)
		printf("| Flag | Environment | Default | What it does |\n| --- | --- | --- | --- "
		       "|\n");
	for (size_t i = 0; i < count; i++) {
		const struct kb_option *o = &table[i];
		char flag[64];

		snprintf(flag, sizeof(flag), "--%s%s%s", o->flag, o->arg ? " " : "",
		         o->arg ? o->arg : "");
		if (markdown)
			printf("| `%s` | `%s` | %s | %s |\n", flag, o->env,
			       o->fallback ? o->fallback : "", o->doc);
		else
			printf("  %-28s %s%s%s%s\n      %s\n", flag, o->env,
			       o->fallback ? " (default " : "", o->fallback ? o->fallback : "",
			       o->fallback ? ")" : "", o->doc);
	}
}
