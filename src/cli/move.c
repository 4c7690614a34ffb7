/* docent move: an installation goes to another database, other blobs, or both. */
#include "store/move.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/move_blobs.h"
#include "cli/options.h"
#include "upkeep/installation.h"
#include "upkeep/sweep_bucket.h"

static const char usage[] =
        "usage: docent move --from DIR|postgresql://… [--from-blob DIR|s3://…]\n"
        "                   [--to DIR|postgresql://…] [--blob DIR|s3://…] [--discard]\n"
        "\n"
        "Copies an installation that is not being served: the database from --from to --to,\n"
        "the blobs from --from-blob to --blob. Without --to the database stays where it is.\n"
        "Blobs are in blobs/ of a directory that is named alone; with --to an address and\n"
        "without --blob they stay where they are.\n"
        "\n"
        "What is copied is compared with what was there before, and then takes its place: the\n"
        "one before rests, and docent adopt takes it back into use. A move that was ended in the\n"
        "middle goes on when the same command is given again, and begins anew where the one\n"
        "before was served meanwhile. --discard lets go of another move into the same database\n"
        "that has not ended.\n"
        "\n"
        "--config, --s3-endpoint, --s3-region, --s3-addressing, --s3-key-id, --s3-secret and\n"
        "--s3-secret-file are those of docent serve, for the bucket on either side.\n";

struct arguments {
	const char *from, *from_blob, *to, *blob;
	bool discard, help;
	struct kb_options options; /* of the bucket */
};

/* One of the two sides. */
struct side {
	struct kb_places places;
	struct kb_installed data;
};

struct task {
	struct arguments args;
	struct kb_arena arena;
	struct side from, to;
	bool store_moves, blobs_move;
	struct kb_move move;
	struct kb_copies blobs;
};

/* ---- arguments ---- */

static bool read_arguments(int argc, char **argv, struct arguments *out)
{
	const struct {
		const char *flag;
		const char **value;
	} own[] = { { "--from", &out->from },
		    { "--from-blob", &out->from_blob },
		    { "--to", &out->to },
		    { "--blob", &out->blob } };

	for (int i = 1; i < argc; i++) {
		size_t k = 0;

		while (k < KB_COUNTOF(own) && strcmp(argv[i], own[k].flag) != 0)
			k++;
		if (k < KB_COUNTOF(own) && i + 1 < argc)
			*own[k].value = argv[++i];
		else if (strcmp(argv[i], "--discard") == 0)
			out->discard = true;
		else if (strcmp(argv[i], "--help") == 0)
			out->help = true;
		else if (k < KB_COUNTOF(own) || !kb_option_place(argc, argv, &i, &out->options))
			return false;
	}
	return out->help
	       || (out->from && (out->to || out->blob) && !out->options.data && !out->options.store
	           && !out->options.blob);
}

/* A directory that is named alone has its blobs in it. */
static const char *blobs_in(struct kb_arena *arena, const char *store)
{
	return kb_store_is_address(store) ? NULL : kb_arena_printf(arena, "%s/blobs", store).p;
}

/* What comes from the environment and a file is about a bucket alone: the rest is said here. */
static bool read_side(struct task *task, struct side *out, const char *store, const char *blob,
                      struct kb_err *err)
{
	struct kb_options options = task->args.options;

	options.data = options.store = store;
	if (kb_store_is_address(store))
		options.data = ".";
	options.blob = blob;
	if (!kb_options_complete(&task->arena, &options, err)
	    || !kb_options_places(&options, &out->places, err))
		return false;
	out->data.store_at = kb_arena_str(&task->arena, kb_store_place(&task->arena, store));
	out->data.blobs_at = kb_arena_str(&task->arena, kb_sv_str(out->places.blobs));
	return true;
}

/* Where copies of blobs lie before they are put: beside those of a directory, and in a folder of
 * this move, so that it can clean up what an earlier run has left. */
static const char *temp_of(struct task *task)
{
	const char *data = task->args.to ? task->args.to : task->args.from, *tmp = getenv("TMPDIR");
	const char *blobs = task->to.places.blobs, *own = blobs_in(&task->arena, data);
	struct kb_sv dir = kb_sv_str(tmp && *tmp ? tmp : "/tmp");

	if (!task->to.places.in_bucket && (!own || strcmp(own, blobs) != 0))
		dir = kb_arena_printf(&task->arena, "%s/tmp", blobs);
	else if (own)
		dir = kb_arena_printf(&task->arena, "%s/tmp", data);
	return kb_arena_printf(&task->arena, "%.*s/docent-move-%.8s", KB_SV_ARG(dir),
	                       task->move.token)
	        .p;
}

static bool plan(struct task *task, struct kb_err *err)
{
	const struct arguments *args = &task->args;
	const char *from_blob = args->from_blob, *to = args->to ? args->to : args->from;
	const char *blob = args->blob;

	if (!from_blob)
		from_blob = blobs_in(&task->arena, args->from);
	if (!from_blob)
		return kb_fail(err, KB_E_INVALID,
		               "--from is a database: --from-blob has to say where its blobs are");
	if (!blob)
		blob = blobs_in(&task->arena, to);
	if (!blob)
		blob = from_blob;
	task->store_moves = strcmp(to, args->from) != 0;
	task->blobs_move = strcmp(blob, from_blob) != 0;
	if (!task->store_moves && !task->blobs_move)
		return kb_fail(err, KB_E_INVALID,
		               "both places are the same: there is nothing to move");
	return read_side(task, &task->from, args->from, from_blob, err)
	       && read_side(task, &task->to, to, blob, err);
}

/* ---- both sides ---- */

static struct kb_store *open_store(const struct side *side, struct kb_err *err)
{
	return kb_store_open_as(
	        &(struct kb_store_config){ .at = side->places.store, .use = KB_STORE_MOVE }, err);
}

static bool open_sides(struct task *task, struct kb_err *err)
{
	struct side *from = &task->from, *to = &task->to;

	if (!kb_store_exists(from->places.store))
		return kb_fail(err, KB_E_NOT_FOUND, "there is no database in %s",
		               from->data.store_at);
	from->data.store = open_store(from, err);
	if (from->data.store)
		from->data.blobs = kb_places_blobs(&from->places, false, NULL, err);
	if (!from->data.blobs)
		return false;
	to->data.store = task->store_moves ? open_store(to, err) : from->data.store;
	if (to->data.store)
		to->data.blobs = task->blobs_move ? kb_places_blobs(&to->places, false, NULL, err)
		                                  : from->data.blobs;
	return to->data.blobs != NULL;
}

static void close_sides(struct task *task)
{
	if (task->blobs_move)
		kb_blobs_close(task->to.data.blobs);
	kb_blobs_close(task->from.data.blobs);
	if (task->store_moves)
		kb_store_close(task->to.data.store);
	kb_store_close(task->from.data.store);
}

/* ---- the move ---- */

static void say_table(void *arg, const char *table, int64_t rows)
{
	(void)arg;
	printf("  %-22s %10" PRId64 " rows\n", table, rows);
}

static bool begin(struct task *task, struct kb_err *err)
{
	struct kb_installed *from = &task->from.data, *to = &task->to.data;

	task->move = (struct kb_move){
		.from = from->store,
		.to = to->store,
		.from_place = task->store_moves ? from->store_at : from->blobs_at,
		.to_place = task->store_moves ? to->store_at : to->blobs_at,
		.discard = task->args.discard,
		.say = say_table,
	};
	if (!kb_move_begin(&task->move, &task->arena, err))
		return false;
	if (task->move.resumed && !task->move.arrived)
		printf("going on with a move that has begun\n");
	fflush(stdout);
	return true;
}

/* Which mark the blobs get: that of the installation, whose database has it too. Where blobs move
 * alone, a new one, so that those left behind are not taken for them. */
static bool expect_blobs(struct task *task, struct kb_err *err)
{
	struct kb_installation installation;

	return kb_store_installation(task->from.data.store, &installation, err)
	       && kb_installation_expect(task->to.data.blobs, task->to.data.blobs_at,
	                                 task->store_moves ? installation.mark : task->move.token,
	                                 err);
}

static bool move_blobs(struct task *task, struct kb_err *err)
{
	task->blobs = (struct kb_copies){ .from = task->from.data.blobs,
		                          .to = task->to.data.blobs,
		                          .temp = temp_of(task) };
	kb_sweep_keep_ledger(task->to.data.blobs, task->to.data.store);
	if (!kb_move_blobs(&task->blobs, &task->move, err))
		return false;
	printf("%" PRId64 " blobs are copied, %" PRId64 " were there\n", task->blobs.copied,
	       task->blobs.there);
	fflush(stdout);
	return true;
}

/* All that the database names is at its place, or was not there before either. */
static bool count_blobs(struct task *task, struct kb_err *err)
{
	struct kb_adopted before, after;

	if (!kb_installation_count(&task->to.data, &after, err))
		return false;
	if (after.missing && !kb_installation_count(&task->from.data, &before, err))
		return false;
	if (after.missing && after.missing > before.missing + task->blobs.lost)
		return kb_fail(err, KB_E_CORRUPT,
		               "%" PRId64 " blobs are missing in %s that are in %s: begin the move "
		               "again",
		               after.missing - before.missing, task->to.data.blobs_at,
		               task->from.data.blobs_at);
	printf("%" PRId64 " blobs are named", after.named);
	if (after.missing)
		printf("; %" PRId64 " of them are lost: they were missing or damaged before",
		       after.missing);
	printf("\n");
	return true;
}

static bool run(struct task *task, struct kb_err *err)
{
	struct kb_move_sum sum;

	if (!begin(task, err))
		return false;
	if (task->move.arrived)
		return kb_move_arrive(&task->move, err);
	if (!kb_installation_join(&task->from.data, err)
	    || (task->blobs_move && !expect_blobs(task, err)) || !kb_move_rows(&task->move, err)
	    || (task->blobs_move && !move_blobs(task, err)))
		return false;
	if (task->store_moves && !kb_move_verify(&task->move, &sum, err))
		return false;
	if (task->store_moves)
		printf("%" PRId64 " rows of %" PRId64 " tables are the same in both\n", sum.rows,
		       sum.tables);
	fflush(stdout); /* a run that ends behind the arrival has said it */
	return count_blobs(task, err) && kb_move_arrive(&task->move, err);
}

int kb_cli_move(int argc, char **argv)
{
	struct task task = { 0 };
	struct kb_err err = { 0 };
	bool ok;

	if (!read_arguments(argc, argv, &task.args)) {
		fputs(usage, stderr);
		return 2;
	}
	if (task.args.help) {
		fputs(usage, stdout);
		return 0;
	}
	ok = plan(&task, &err) && open_sides(&task, &err) && run(&task, &err);
	if (ok)
		printf("moved: the database is in %s, its blobs are in %s\n", task.to.data.store_at,
		       task.to.data.blobs_at);
	close_sides(&task);
	kb_arena_fini(&task.arena);
	return ok ? 0 : kb_cli_fail(1, "%s", err.msg);
}
