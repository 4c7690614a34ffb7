/* docent check: every reference of the store and every checksum of the blobs, of a server at rest.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blob/blob.h"
#include "cli/cli.h"
#include "ingest/catalog.h"

static void say(void *arg, const char *finding)
{
	(void)arg;
	printf("%s\n", finding);
}

/* Blobs that rows name: there, whole, and segments also readable. */
static bool check_blobs(struct kb_store *store, struct kb_blobs *blobs, struct kb_arena *arena,
                        int64_t *findings, struct kb_err *err)
{
	struct kb_sv *names;
	size_t count;

	if (!kb_store_blob_names(store, arena, &names, &count, NULL, err))
		return false;
	for (size_t i = 0; i < count; i++) {
		struct kb_err bad;

		if (kb_blob_verify(blobs, kb_arena_str(arena, names[i]), &bad))
			continue;
		printf("blob %.*s: %s\n", KB_SV_ARG(names[i]), bad.msg);
		++*findings;
	}
	printf("%zu blobs checked\n", count);
	return true;
}

int kb_cli_check(int argc, char **argv)
{
	const char *environment = getenv("DOCENT_DATA");
	const char *data = environment && *environment ? environment : "data";
	struct kb_arena arena = { 0 };
	struct kb_store *store;
	struct kb_blobs *blobs = NULL;
	struct kb_err err = { 0 };
	int64_t findings = 0;
	char path[512];
	bool ok = false;

	if (argc == 3 && strcmp(argv[1], "--data") == 0) {
		data = argv[2];
	} else if (argc != 1) {
		fprintf(stderr, "usage: docent check [--data DIR]\n");
		return 2;
	}
	snprintf(path, sizeof(path), "%s/blobs", data);
	/* Exclusive: a running server changes what is checked, so it is asked to stop first. */
	store = kb_store_open(data, true, NULL, NULL, &err);
	if (store)
		blobs = kb_blobs_open(path, &err);
	ok = store && blobs && kb_store_verify(store, say, NULL, &findings, &err)
	     && check_blobs(store, blobs, &arena, &findings, &err);
	kb_blobs_close(blobs);
	kb_store_close(store);
	kb_arena_fini(&arena);
	if (!ok)
		return kb_cli_fail(1, "%s", err.msg);
	if (findings)
		return kb_cli_fail(1, "%" PRId64 " findings", findings);
	printf("sound\n");
	return 0;
}
