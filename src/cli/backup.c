/* docent backup: makes a backup, shows which there are, and sees whether they come back. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backup/drill.h"
#include "backup/take.h"
#include "base/file.h"
#include "base/temp.h"
#include "cli/backup_place.h"
#include "cli/cli.h"
#include "cli/key_file.h"
#include "cli/stop.h"

static const char usage[] =
        "usage: docent backup PLACE [--every SPAN] [--keep SPANS] [--take-over] [--data DIR] …\n"
        "       docent backup list PLACE\n"
        "       docent backup verify PLACE [--at TIME|ID]\n"
        "       docent backup key FILE\n"
        "\n"
        "Makes a backup of an installation, while it is served or not, in PLACE: a directory,\n"
        "or s3://BUCKET/PREFIX. Only what is not there yet is sent. A backup that was ended in\n"
        "the middle does not count, and the next one goes on with it.\n"
        "\n"
        "--every 15m makes one so often, until it is stopped; so does the service itself, with\n"
        "--backup. --keep 24h:all,30d:daily,1y:monthly lets go of older ones. --take-over:\n"
        "PLACE has the backups of this installation's life before it was restored.\n"
        "\n"
        "verify fetches the database, reads every blob, and asks each agent a question. TIME is\n"
        "like 2026-11-27T18:30:00Z and means the newest backup that is not younger.\n"
        "\n"
        "With --backup-key-file FILE backups are encrypted, in a place that has no others, and\n"
        "come back with that key alone. key makes one in FILE: keep it elsewhere too, and not\n"
        "in PLACE.\n"
        "\n"
        "--data, --store, --blob, --config, --s3-… and --backup-key-file are those of docent\n"
        "serve; the keys of --s3-… are for PLACE too.\n";

struct arguments {
	const char *verb, *place, *every, *keep, *at;
	bool take_over, help;
	struct kb_options options;
};

static bool read_arguments(int argc, char **argv, struct arguments *out)
{
	const struct {
		const char *flag;
		const char **value;
	} own[] = { { "--every", &out->every }, { "--keep", &out->keep }, { "--at", &out->at } };
	static const char *const verbs[] = { "list", "verify", "key" };
	int i = 1;

	out->verb = "make";
	for (size_t k = 0; k < KB_COUNTOF(verbs) && i == 1 && argc > 1; k++)
		if (strcmp(argv[1], verbs[k]) == 0)
			out->verb = argv[i++];
	for (; i < argc; i++) {
		size_t k = 0;

		while (k < KB_COUNTOF(own) && strcmp(argv[i], own[k].flag) != 0)
			k++;
		if (k < KB_COUNTOF(own) && i + 1 < argc)
			*own[k].value = argv[++i];
		else if (strcmp(argv[i], "--take-over") == 0)
			out->take_over = true;
		else if (strcmp(argv[i], "--help") == 0)
			out->help = true;
		else if (argv[i][0] != '-' && !out->place)
			out->place = argv[i];
		else if (k < KB_COUNTOF(own) || !kb_option_place(argc, argv, &i, &out->options))
			return false;
	}
	if (strcmp(out->verb, "make") != 0 && (out->every || out->keep || out->take_over))
		return false;
	return out->help || (out->place && (!out->at || strcmp(out->verb, "verify") == 0));
}

/* ---- making ---- */

static void say_lost(void *arg, const char *name, const char *why)
{
	(void)arg;
	printf("blob %s: %s\n", name, why);
}

static void say_made(const struct kb_backup_made *made)
{
	printf("%s: a database of %" PRId64 " bytes and %" PRId64 " blobs, of which %" PRId64
	       " were copied; %" PRId64 " bytes sent\n",
	       made->id, made->bytes, made->blobs, made->copied, made->new_bytes);
	if (made->dropped)
		printf("%" PRId64 " older backups were let go of; %" PRId64 " are there\n",
		       made->dropped, made->kept);
	fflush(stdout);
}

/* A whole backup, or a sentence. */
static bool make_one(const struct kb_backup_task *task, struct kb_err *err)
{
	struct kb_backup_made made;

	if (!kb_backup_make(task, &made, err))
		return false;
	say_made(&made);
	return !made.missing
	       || kb_fail(err, KB_E_CORRUPT,
	                  "the backup is not whole: %" PRId64
	                  " blobs are missing or damaged where they come from; docent check says "
	                  "more",
	                  made.missing);
}

static bool make_on_and_on(const struct kb_backup_task *task, int64_t every_us, struct kb_err *err)
{
	bool ok = true;

	while (!kb_cancelled(&kb_cli_stop, NULL)) {
		int64_t next = kb_clock_mono_us() + every_us;

		ok = make_one(task, err);
		if (!ok && !every_us)
			break;
		if (!ok && !kb_cancelled(&kb_cli_stop, NULL))
			kb_cli_fail(1, "%s", err->msg);
		if (!every_us)
			break;
		while (!kb_cancelled(&kb_cli_stop, NULL) && kb_clock_mono_us() < next)
			usleep(100000);
	}
	return ok || (every_us && kb_cancelled(&kb_cli_stop, NULL));
}

static bool make(struct arguments *args, struct kb_arena *arena, struct kb_err *err)
{
	struct kb_backup_where where;
	struct kb_places places;
	struct kb_keep keep;
	struct kb_backup_task task = {
		.take_over = args->take_over, .keep = &keep, .say = say_lost, .cancel = &kb_cli_stop
	};
	int64_t every_us = 0;
	bool ok;

	if (args->every && !kb_span_read(kb_sv_str(args->every), &every_us))
		return kb_fail(err, KB_E_INVALID, "--every is %s; it must be like 15m, 6h or 1d",
		               args->every);
	if (!kb_keep_read(kb_sv_str(args->keep ? args->keep : ""), &keep, err)
	    || !kb_options_places(&args->options, &places, err)
	    || !kb_backup_where(arena, args->place, &args->options, &where, err))
		return false;
	if (!kb_store_exists(places.store))
		return kb_fail(err, KB_E_NOT_FOUND, "there is no database in %.*s",
		               KB_SV_ARG(kb_store_place(arena, places.store)));
	kb_cli_stop_on_signals();
	task.store_at = places.store;
	task.planned_us = every_us;
	task.where = &where;
	task.temp_dir = places.temp;
	task.blobs = kb_places_blobs(&places, false, NULL, err);
	ok = task.blobs && make_on_and_on(&task, every_us, err);
	kb_blobs_close(task.blobs);
	return ok;
}

/* ---- looking ---- */

static bool list(struct kb_blobs *place, struct kb_arena *arena, struct kb_err *err)
{
	struct kb_backup_ids ids;

	if (!kb_backup_ids(place, arena, &ids, err))
		return false;
	for (size_t i = 0; i < ids.count; i++) {
		struct kb_backup_record record;
		struct kb_err bad;

		if (!kb_backup_record(place, arena, ids.v[i], &record, &bad))
			printf("%s  damaged: %s\n", ids.v[i], bad.msg);
		else
			printf("%s  database %" PRId64 " bytes, %" PRId64 " blobs%s\n", record.id,
			       record.bytes, record.blobs, record.missing ? ", not whole" : "");
	}
	return true;
}

static void say_finding(void *arg, const char *finding)
{
	(void)arg;
	printf("%s\n", finding);
}

static bool verify(struct kb_blobs *place, const char *at, const char *temp, struct kb_err *err)
{
	struct kb_drill drill = { .place = place, .at = at, .temp_dir = temp, .say = say_finding };

	if (!kb_drill_run(&drill, err))
		return false;
	printf("%s: %" PRId64 " blobs read, %" PRId64 " agents, %" PRId64 " of them asked\n",
	       drill.id, drill.blobs, drill.agents, drill.asked);
	if (drill.findings)
		return kb_fail(err, KB_E_CORRUPT, "%" PRId64 " findings", drill.findings);
	printf("it comes back\n");
	return true;
}

static bool look(struct arguments *args, struct kb_arena *arena, struct kb_err *err)
{
	const char *tmp = getenv("TMPDIR");
	char *temp = kb_arena_str(arena, kb_arena_printf(arena, "%s/docent-verify-XXXXXX",
	                                                 tmp && *tmp ? tmp : "/tmp"));
	struct kb_backup_where where;
	struct kb_blobs *place;
	bool ok;

	if (!kb_backup_where(arena, args->place, &args->options, &where, err))
		return false;
	if (!mkdtemp(temp))
		return kb_fail_errno(err, "cannot make a folder in %s", tmp ? tmp : "/tmp");
	where.scratch = temp;
	place = kb_backup_open(&where, NULL, err);
	ok = place
	     && (strcmp(args->verb, "list") == 0 ? list(place, arena, err)
	                                         : verify(place, args->at, temp, err));
	kb_blobs_close(place);
	rmdir(temp);
	return ok;
}

/* ---- a key ---- */

static bool make_key(const char *path, struct kb_err *err)
{
	struct kb_seal_key key;
	char hex[KB_KEY_FILE_HEX], id[KB_SEAL_ID];
	bool ok = kb_key_file_make(path, hex, err) && kb_seal_key_read(kb_sv_str(hex), &key);

	explicit_bzero(hex, sizeof(hex));
	if (!ok)
		return false;
	kb_seal_key_id(&key, id);
	explicit_bzero(&key, sizeof(key));
	printf("the key %s is in %s: without it no backup comes back that is made with it\n", id,
	       path);
	return true;
}

static bool run(struct arguments *args, struct kb_arena *arena, struct kb_err *err)
{
	if (strcmp(args->verb, "key") == 0)
		return make_key(args->place, err);
	return kb_options_complete(arena, &args->options, err)
	       && (strcmp(args->verb, "make") == 0 ? make(args, arena, err)
	                                           : look(args, arena, err));
}

int kb_cli_backup(int argc, char **argv)
{
	struct arguments args = { 0 };
	struct kb_arena arena = { 0 };
	struct kb_err err = { 0 };
	bool ok;

	if (!read_arguments(argc, argv, &args)) {
		fputs(usage, stderr);
		return 2;
	}
	if (args.help) {
		fputs(usage, stdout);
		return 0;
	}
	ok = run(&args, &arena, &err);
	kb_arena_fini(&arena);
	return ok ? 0 : kb_cli_fail(1, "%s", err.msg);
}
