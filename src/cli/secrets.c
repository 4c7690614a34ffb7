/* docent secrets: a key that secrets in the database are sealed with, and sealing them. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/key_file.h"
#include "cli/options.h"
#include "store/secrets.h"

static const char usage[] =
        "usage: docent secrets key FILE\n"
        "       docent secrets list [--data DIR] [--secrets-key-file FILE,…]\n"
        "       docent secrets rotate [--data DIR] --secrets-key-file FILE,OLD…\n"
        "       docent secrets unseal [--data DIR] --secrets-key-file FILE,…\n"
        "\n"
        "key makes a key in FILE: keep it elsewhere too, and not beside the backups. list says\n"
        "which secrets the database has, and which key seals them. rotate seals all of them\n"
        "with the first key, those that are readable too; the keys behind it open what is\n"
        "sealed with them. unseal makes them readable again. All of it beside a running\n"
        "service too, whose nodes have the keys first.\n"
        "--data, --store, --config and --secrets-key-file are those of docent serve.\n";

struct arguments {
	const char *verb, *file;
	struct kb_options options;
};

static bool read_arguments(int argc, char **argv, struct arguments *out)
{
	static const char *const verbs[] = { "key", "list", "rotate", "unseal" };

	for (size_t i = 0; i < KB_COUNTOF(verbs) && argc > 1; i++)
		if (strcmp(argv[1], verbs[i]) == 0)
			out->verb = verbs[i];
	if (!out->verb)
		return false;
	for (int i = 2; i < argc; i++) {
		if (strcmp(out->verb, "key") == 0 && !out->file && argv[i][0] != '-')
			out->file = argv[i];
		else if (!kb_option_place(argc, argv, &i, &out->options))
			return false;
	}
	return strcmp(out->verb, "key") != 0 || out->file;
}

static bool make_key(const char *path, struct kb_err *err)
{
	struct kb_secret_key key;
	char hex[KB_KEY_FILE_HEX];
	bool ok = kb_key_file_make(path, hex, err) && kb_secret_key_read(kb_sv_str(hex), &key);

	explicit_bzero(hex, sizeof(hex));
	if (ok)
		printf("the key %s is in %s: without it nothing opens that is sealed with it\n",
		       key.id, path);
	explicit_bzero(&key, sizeof(key));
	return ok;
}

static bool list(struct kb_store *store, struct kb_arena *arena, struct kb_err *err)
{
	struct kb_secrets_row *rows;
	size_t count;

	if (!kb_store_secrets_list(store, arena, &rows, &count, err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (rows[i].key.n)
			printf("%" PRId64 " %s: sealed with the key %.*s%s\n", rows[i].count,
			       rows[i].what, KB_SV_ARG(rows[i].key),
			       rows[i].opens ? "" : ", which is not named");
		else
			printf("%" PRId64 " %s: readable\n", rows[i].count, rows[i].what);
	if (!count)
		printf("the database has no secrets\n");
	return true;
}

static bool turn(struct kb_store *store, bool plain, struct kb_err *err)
{
	int64_t changed;

	if (!kb_store_secrets_turn(store, plain, &changed, err))
		return false;
	printf("%" PRId64 " secrets were %s\n", changed, plain ? "made readable" : "sealed anew");
	return true;
}

static bool run(const struct arguments *args, struct kb_arena *arena, struct kb_err *err)
{
	struct kb_secret_keys keys;
	struct kb_places places;
	struct kb_store *store;
	bool ok;

	if (!kb_options_places(&args->options, &places, err)
	    || (args->options.secrets_key_file
	        && !kb_secret_keys_read(arena, args->options.secrets_key_file, &keys, err)))
		return false;
	if (!kb_store_exists(places.store))
		return kb_fail(err, KB_E_NOT_FOUND, "there is no database there");
	store = kb_store_open_as(
	        &(struct kb_store_config){ .at = places.store,
	                                   .use = KB_STORE_TOOL,
	                                   .secret_keys =
	                                           args->options.secrets_key_file ? &keys : NULL },
	        err);
	if (!store)
		return false;
	ok = strcmp(args->verb, "list") == 0 ? list(store, arena, err)
	                                     : turn(store, strcmp(args->verb, "unseal") == 0, err);
	kb_store_close(store);
	explicit_bzero(&keys, sizeof(keys));
	return ok;
}

int kb_cli_secrets(int argc, char **argv)
{
	struct arguments args = { 0 };
	struct kb_arena arena = { 0 };
	struct kb_err err = { 0 };
	bool ok;

	if (kb_cli_help(argc, argv, usage))
		return 0;
	if (!read_arguments(argc, argv, &args)) {
		fputs(usage, stderr);
		return 2;
	}
	ok = strcmp(args.verb, "key") == 0
	             ? make_key(args.file, &err)
	             : kb_options_complete(&arena, &args.options, &err) && run(&args, &arena, &err);
	kb_arena_fini(&arena);
	return ok ? 0 : kb_cli_fail(1, "%s", err.msg);
}
