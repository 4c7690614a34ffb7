/* docent check: every reference of the store and every checksum of the blobs, of a server at rest.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/crew.h"
#include "base/pool.h"
#include "blob/blob.h"
#include "cli/cli.h"
#include "cli/encoding.h"
#include "cli/options.h"
#include "store/repairs.h"
#include "store/upkeep.h"
#include "upkeep/sweep.h"

static void say(void *arg, const char *finding)
{
	(void)arg;
	printf("%s\n", finding);
}

/* ---- blobs ---- */

enum {
	BUCKET_AT_ONCE = 16, /* most of the time goes by waiting for a bucket's server */
	SAY_EVERY_S = 10,
};

/* What was found of the blobs that rows name. */
struct look {
	struct kb_blobs *blobs;
	const struct kb_sv *names; /* sorted */
	struct kb_err **bad;       /* of each; NULL: it is there and whole */
	size_t count;
	_Atomic size_t done;
	int64_t say_us; /* when it is told next how far this is */
};

static void look_at(void *arg, size_t i)
{
	struct look *in = arg;
	char name[KB_HASH_HEX + 1]; /* what is longer than a name stays so */
	struct kb_err bad;

	snprintf(name, sizeof(name), "%.*s", KB_SV_ARG(in->names[i]));
	if (!kb_blob_verify(in->blobs, name, &bad)) {
		in->bad[i] = kb_xcalloc(1, sizeof(bad));
		*in->bad[i] = bad;
	}
	atomic_fetch_add(&in->done, 1);
}

/* Asked several times a second while the blobs are looked at. It goes on. */
static bool say_how_far(void *arg)
{
	struct look *in = arg;
	int64_t now = kb_clock_mono_us();

	if (now >= in->say_us) {
		fprintf(stderr, "%zu of %zu blobs checked\n", atomic_load(&in->done), in->count);
		in->say_us = now + SAY_EVERY_S * KB_SECOND_US;
	}
	return false;
}

static bool look_at_all(struct look *in, struct kb_err *err)
{
	const struct kb_cancel told = { say_how_far, in };
	struct kb_crew crew = { .name = "check",
		                .threads = kb_blobs_are_remote(in->blobs) ? BUCKET_AT_ONCE : 1,
		                .task = look_at,
		                .arg = in,
		                .cancel = &told };

	in->bad = kb_xcalloc(KB_MAX(in->count, (size_t)1), sizeof(struct kb_err *));
	in->say_us = kb_clock_mono_us() + SAY_EVERY_S * KB_SECOND_US;
	return kb_crew_run(&crew, 0, in->count, err);
}

static void look_fini(struct look *in)
{
	for (size_t i = 0; in->bad && i < in->count; i++)
		free(in->bad[i]);
	free(in->bad);
}

/* Blobs that rows name: there and whole. */
static bool check_blobs(struct kb_store *store, struct kb_arena *arena, struct look *in,
                        int64_t *findings, struct kb_err *err)
{
	struct kb_sv *names;

	if (!kb_store_blob_names(store, arena, &names, &in->count, NULL, err))
		return false;
	in->names = names;
	if (!look_at_all(in, err))
		return false;
	for (size_t i = 0; i < in->count; i++) {
		if (!in->bad[i])
			continue;
		printf("blob %.*s: %s\n", KB_SV_ARG(names[i]), in->bad[i]->msg);
		++*findings;
	}
	printf("%zu blobs checked\n", in->count);
	return true;
}

/* ---- both together ---- */

/* That the two belong together; where that is not marked, whether the rows name most of what is
 * there. Where it is, much that nobody names is what no sweep has come to yet: raw pages of a large
 * website, merged segments. */
static bool check_installation(struct kb_store *store, struct kb_blobs *blobs, bool *together,
                               int64_t *findings, struct kb_err *err)
{
	const struct kb_sweep_limits limits = kb_sweep_usual();
	struct kb_installation installation;
	struct kb_err bad = { 0 };
	char mark[KB_BLOB_MARK];
	int64_t all, unnamed;

	if (!kb_store_installation(store, &installation, err)
	    || !kb_sweep_count(store, blobs, &all, &unnamed, err))
		return false;
	*together = kb_blobs_mark(blobs, mark, &bad) && strcmp(mark, installation.mark) == 0;
	if (!*together) {
		printf("the database and the blobs are not marked as belonging together "
		       "(%.8s, %.8s)%s%s\n",
		       installation.mark[0] ? installation.mark : "none", mark[0] ? mark : "none",
		       bad.msg[0] ? ": " : "", bad.msg);
		++*findings;
	}
	printf("%" PRId64 " of %" PRId64 " blobs are named by no row\n", unnamed, all);
	if (!*together && kb_sweep_is_much(&limits, all, unnamed)) {
		printf("so many that this may be the wrong database\n");
		++*findings;
	}
	return true;
}

static int by_name(const void *a, const void *b)
{
	return kb_sv_cmp(*(const struct kb_sv *)a, *(const struct kb_sv *)b);
}

/* A segment's blob is one of those that rows name. */
static bool is_damaged(const struct look *in, struct kb_sv blob)
{
	const struct kb_sv *found =
	        in->count ? bsearch(&blob, in->names, in->count, sizeof(*in->names), by_name)
	                  : NULL;
	const struct kb_err *bad = found ? in->bad[found - in->names] : NULL;

	return bad && (bad->code == KB_E_CORRUPT || bad->code == KB_E_NOT_FOUND);
}

/* Segments, by agent; what is found damaged is made anew from the next start on. Blobs of another
 * installation say nothing about them. */
static bool check_segments(struct kb_store *store, const struct look *in, struct kb_arena *arena,
                           int64_t *findings, struct kb_err *err)
{
	enum { AT_ONCE = 1000 };
	struct kb_segment_place after = { 0 };
	struct kb_segment_places places;

	do {
		if (!kb_store_segment_places(store, arena, &after, AT_ONCE, &places, err))
			return false;
		for (size_t i = 0; i < places.count; i++) {
			after = places.v[i];
			if (!after.is_damaged && !is_damaged(in, after.blob))
				continue;
			printf("segment %" PRId64 " of agent %" PRId64
			       " is damaged (blob %.*s); it is "
			       "made anew from the stored texts after the next start\n",
			       after.segment_id, after.agent_id, KB_SV_ARG(after.blob));
			++*findings;
			if (!kb_store_segment_damaged(store, after.agent_id, after.segment_id,
			                              after.blob, err))
				return false;
		}
	} while (places.count == AT_ONCE);
	return true;
}

static bool check(struct kb_store *store, struct kb_blobs *blobs, struct kb_arena *arena,
                  int64_t *findings, struct kb_err *err)
{
	struct look look = { .blobs = blobs };
	bool together, ok;

	ok = kb_store_verify(store, say, NULL, findings, err)
	     && check_blobs(store, arena, &look, findings, err)
	     && check_installation(store, blobs, &together, findings, err)
	     && (!together || check_segments(store, &look, arena, findings, err));
	look_fini(&look);
	return ok;
}

/* The encoder is no part of the data, but whoever checks wants to know why words are alone. */
static void check_encoder(const char *named, int64_t *findings)
{
	struct kb_err err;

	if (kb_encoding_check(named, &err))
		return;
	printf("encoder: %s\n", err.msg);
	++*findings;
}

int kb_cli_check(int argc, char **argv)
{
	static const char usage[] = "usage: docent check [--data DIR] [--store DIR] "
	                            "[--blob DIR|s3://…] [--config FILE]";
	struct kb_arena arena = { 0 };
	struct kb_store *store = NULL;
	struct kb_blobs *blobs = NULL;
	struct kb_options options = { 0 };
	struct kb_places places;
	struct kb_err err = { 0 };
	int64_t findings = 0;
	bool ok = false;

	if (kb_cli_help(argc, argv, usage))
		return 0;
	for (int i = 1; i < argc; i++)
		if (!kb_option_place(argc, argv, &i, &options)) {
			fprintf(stderr, "%s\n", usage);
			return 2;
		}
	if (!kb_options_complete(&arena, &options, &err)
	    || !kb_options_places(&options, &places, &err))
		goto out;
	if (!kb_store_exists(places.store)) {
		kb_fail(&err, KB_E_NOT_FOUND, "there is no database in %.*s",
		        KB_SV_ARG(kb_store_place(&arena, places.store)));
		goto out;
	}
	/* Exclusive: a running server changes what is checked, so it is asked to stop first. */
	store = kb_store_open_as(
	        &(struct kb_store_config){ .at = places.store, .use = KB_STORE_ALONE }, &err);
	if (store)
		blobs = kb_places_blobs(&places, false, NULL, &err);
	ok = blobs && check(store, blobs, &arena, &findings, &err);
	if (ok && !options.embed_url)
		check_encoder(options.encoder, &findings);
out:
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
