/* docent adopt: the operator's word that a database and blobs belong together. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "store/move.h"
#include "upkeep/installation.h"

static bool adopt(const struct kb_places *places, bool discard, struct kb_arena *arena,
                  struct kb_err *err)
{
	const char *store_at = kb_arena_str(arena, kb_store_place(arena, places->store));
	struct kb_installed data = { .store_at = store_at, .blobs_at = places->blobs };
	struct kb_adopted sum;
	bool ok;

	if (!kb_store_exists(places->store))
		return kb_fail(err, KB_E_NOT_FOUND, "there is no database in %s", store_at);
	/* Exclusive: a server at work on the two has to know. */
	data.store = kb_store_open_as(
	        &(struct kb_store_config){ .at = places->store, .use = KB_STORE_ALONE }, err);
	if (data.store)
		data.blobs = kb_places_blobs(places, false, NULL, err);
	ok = data.blobs && kb_installation_adopt(&data, discard, &sum, err)
	     && kb_move_forget(data.store, err);
	if (ok)
		printf("the database in %s and the blobs in %s belong together from now on\n"
		       "%" PRId64 " blobs are named, %" PRId64 " of them are missing; %" PRId64
		       " are there\n",
		       store_at, places->blobs, sum.named, sum.missing, sum.blobs);
	kb_blobs_close(data.blobs);
	kb_store_close(data.store);
	return ok;
}

int kb_cli_adopt(int argc, char **argv)
{
	static const char usage[] = "usage: docent adopt [--data DIR] [--store DIR] "
	                            "[--blob DIR|s3://…] [--config FILE] [--discard]";
	struct kb_options options = { 0 };
	struct kb_arena arena = { 0 };
	struct kb_places places;
	struct kb_err err = { 0 };
	bool discard = false, ok;

	if (kb_cli_help(argc, argv, usage))
		return 0;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--discard") == 0) {
			discard = true;
		} else if (!kb_option_place(argc, argv, &i, &options)) {
			fprintf(stderr, "%s\n", usage);
			return 2;
		}
	}
	ok = kb_options_complete(&arena, &options, &err)
	     && kb_options_places(&options, &places, &err) && adopt(&places, discard, &arena, &err);
	kb_arena_fini(&arena);
	return ok ? 0 : kb_cli_fail(1, "%s", err.msg);
}
