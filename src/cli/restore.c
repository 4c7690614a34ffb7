/*
 * docent restore: a backup becomes an installation, in a place that holds nothing.
 *
 *   DIR/restoring   which backup comes here; there until all of it has come
 *   DIR/restore/    its database, as SQLite's, while the blobs follow; and "arrived" where its rows
 *                   have come to a server, so that a run that is ended behind that tidies up alone
 *
 * The database is fetched, the blobs are copied as in a move of blobs alone (store/move.h), which
 * gives both a new mark; ids skip what the life before may have given out; and then the database
 * takes its place: by being renamed, or on a server, by the move of its rows. Each of these goes on
 * where an earlier run was ended.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backup/restore.h"
#include "backup/take.h"
#include "base/file.h"
#include "cli/backup_place.h"
#include "cli/cli.h"
#include "cli/move_blobs.h"
#include "store/snapshot.h"
#include "store/upkeep.h"
#include "upkeep/installation.h"
#include "upkeep/sweep_bucket.h"

static const char usage[] =
        "usage: docent restore PLACE [--at TIME|ID] [--data DIR]\n"
        "                      [--store DIR|postgresql://…] [--blob DIR|s3://…]\n"
        "\n"
        "Makes an installation of a backup in PLACE (docent backup): the newest one, or with\n"
        "--at the newest that is not younger than TIME, like 2026-11-27T18:30:00Z. Where it\n"
        "goes must hold nothing. It may go to another database, and other blobs, than it came\n"
        "from. A restore that was ended in the middle goes on when the same command is given\n"
        "again. The installation gets a new mark: nodes and blobs of its life before are not\n"
        "taken for its own.\n"
        "\n"
        "--config, --s3-… and --backup-key-file are those of docent serve; the keys of --s3-…\n"
        "are for PLACE and blobs.\n";

struct restore {
	const char *place_name, *at;
	bool help;
	struct kb_options options;
	struct kb_arena arena;
	struct kb_places places;
	bool to_server;
	const char *home;              /* DIR: of the database, or a node's */
	const char *staging, *arrived; /* DIR/restore, DIR/restore/arrived */
	const char *pinned;            /* DIR/restoring */
	struct kb_blobs *place, *blobs;
	struct kb_backup_record record;
	struct kb_installed data; /* in the staging folder */
	bool resumed;
	int lock; /* DIR, while this runs; or -1 */
};

static bool read_arguments(int argc, char **argv, struct restore *out)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--at") == 0 && i + 1 < argc)
			out->at = argv[++i];
		else if (strcmp(argv[i], "--help") == 0)
			out->help = true;
		else if (argv[i][0] != '-' && !out->place_name)
			out->place_name = argv[i];
		else if (!kb_option_place(argc, argv, &i, &out->options))
			return false;
	}
	return out->help || out->place_name;
}

/* ---- where it goes ---- */

/* What a run leaves that was ended while it wrote "restoring" is its temporary file. */
static bool is_left(const char *name)
{
	return strncmp(name, "restoring.", strlen("restoring.")) == 0;
}

static bool counts(const char *name)
{
	return strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && strcmp(name, "lost+found") != 0
	       && !is_left(name);
}

static bool is_empty(const char *path, bool *empty, struct kb_err *err)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	*empty = true;
	if (!dir)
		return access(path, F_OK) != 0 || kb_fail_errno(err, "cannot read %s", path);
	while ((entry = readdir(dir)))
		*empty = *empty && !counts(entry->d_name);
	closedir(dir);
	return true;
}

/* Of a restore that has begun here: "ID PLACE". */
static bool read_pinned(struct restore *r, struct kb_sv *id, struct kb_err *err)
{
	enum { PINNED_MAX = 4096 };
	struct kb_sv text;

	*id = KB_SV("");
	if (access(r->pinned, F_OK) != 0)
		return true;
	if (!kb_file_read(&r->arena, r->pinned, PINNED_MAX, &text, err))
		return false;
	text = kb_sv_trim(text);
	if (text.n > KB_BACKUP_ID
	    && kb_sv_eq(kb_sv_from(text, KB_BACKUP_ID), kb_sv_str(r->place_name))) {
		*id = kb_sv(text.p, KB_BACKUP_ID - 1);
		return true;
	}
	return kb_fail(err, KB_E_CONFLICT,
	               "%s holds a part of another restore (%.*s): go on with that one, or empty "
	               "the directory",
	               r->home, KB_SV_ARG(text));
}

static bool is_free(struct restore *r, struct kb_err *err)
{
	bool empty;

	if (!is_empty(r->home, &empty, err))
		return false;
	if (!empty)
		return kb_fail(err, KB_E_CONFLICT,
		               "%s is not empty: a backup is restored into an empty directory only",
		               r->home);
	if (r->to_server && kb_store_exists(r->places.store))
		return kb_fail(err, KB_E_CONFLICT,
		               "the database in %.*s is not empty, or does not answer: a backup is "
		               "restored into an empty one only",
		               KB_SV_ARG(kb_store_place(&r->arena, r->places.store)));
	return true;
}

/* A file system that has no such locks goes without. */
static bool lock_home(struct restore *r, struct kb_err *err)
{
	if (!kb_dir_make(r->home, err))
		return false;
	r->lock = open(r->home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->lock < 0)
		return kb_fail_errno(err, "cannot open %s", r->home);
	return flock(r->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
	       || kb_fail(err, KB_E_CONFLICT, "another restore into %s is under way", r->home);
}

/* Which backup, so that a run that goes on takes the same, and that the place for it is free. */
static bool choose(struct restore *r, struct kb_err *err)
{
	struct kb_backup_record asked;
	struct kb_sv pinned;

	if (!lock_home(r, err) || !read_pinned(r, &pinned, err))
		return false;
	r->resumed = pinned.n > 0;
	if (!r->resumed)
		return is_free(r, err)
		       && kb_backup_choose(r->place, &r->arena, r->at, &r->record, err)
		       && kb_file_replace(
		               r->pinned,
		               kb_arena_printf(&r->arena, "%s %s\n", r->record.id, r->place_name),
		               err);
	if (!kb_backup_record(r->place, &r->arena, kb_arena_str(&r->arena, pinned), &r->record,
	                      err))
		return false;
	if (!r->at)
		return true;
	if (!kb_backup_choose(r->place, &r->arena, r->at, &asked, err))
		return false;
	return strcmp(asked.id, r->record.id) == 0
	       || kb_fail(err, KB_E_CONFLICT,
	                  "%s holds a part of the backup %s: go on with that one (--at %s), or "
	                  "empty the directory",
	                  r->home, r->record.id, r->record.id);
}

static bool open_places(struct restore *r, struct kb_err *err)
{
	struct kb_backup_where where;

	if (!kb_options_complete(&r->arena, &r->options, err)
	    || !kb_options_places(&r->options, &r->places, err)
	    || !kb_backup_where(&r->arena, r->place_name, &r->options, &where, err))
		return false;
	r->to_server = kb_store_is_address(r->places.store);
	r->home = r->to_server ? r->options.data : r->places.store;
	r->staging = kb_arena_printf(&r->arena, "%s/restore", r->home).p;
	r->pinned = kb_arena_printf(&r->arena, "%s/restoring", r->home).p;
	r->arrived = kb_arena_printf(&r->arena, "%s/arrived", r->staging).p;
	where.scratch = r->home;
	r->place = kb_backup_open(&where, NULL, err);
	return r->place != NULL;
}

/* ---- the blobs ---- */

/* The blobs have come with an earlier run: they have the mark of the database, which is no longer
 * that of the backup. */
static bool have_come(struct restore *r, bool *come, struct kb_err *err)
{
	struct kb_installation installation;
	char mark[KB_BLOB_MARK];

	if (!kb_store_installation(r->data.store, &installation, err)
	    || !kb_blobs_mark(r->blobs, mark, err))
		return false;
	*come = mark[0] && strcmp(mark, installation.mark) == 0
	        && !kb_sv_eq(r->record.mark, kb_sv_str(mark));
	return true;
}

static bool bring_blobs(struct restore *r, struct kb_err *err)
{
	struct kb_move move = { .from = r->data.store,
		                .to = r->data.store,
		                .from_place = r->place_name,
		                .to_place = r->places.blobs };
	struct kb_copies copies = { .from = r->place, .to = r->blobs };
	bool come;

	if (!have_come(r, &come, err))
		return false;
	if (come)
		return true;
	if (!kb_move_begin(&move, &r->arena, err)
	    || !kb_installation_expect(r->blobs, r->places.blobs, move.token, err))
		return false;
	copies.temp = r->places.in_bucket
	                      ? kb_arena_printf(&r->arena, "%s/copies", r->staging).p
	                      : kb_arena_printf(&r->arena, "%s/tmp/restore", r->places.blobs).p;
	kb_sweep_keep_ledger(r->blobs, r->data.store);
	if (!kb_move_blobs(&copies, &move, err))
		return false;
	printf("%" PRId64 " blobs are copied, %" PRId64 " were there\n", copies.copied,
	       copies.there);
	fflush(stdout);
	if (copies.lost > r->record.missing)
		return kb_fail(err, KB_E_CORRUPT,
		               "%" PRId64 " blobs are missing or damaged in the backup: restore "
		               "another one",
		               copies.lost - r->record.missing);
	if (copies.lost)
		printf("%" PRId64 " blobs were missing when the backup was made\n", copies.lost);
	return kb_store_skip_ids(r->data.store, err) && kb_move_arrive(&move, err);
}

/* ---- the database takes its place ---- */

static bool rename_database(struct restore *r, struct kb_err *err)
{
	const char *from = kb_arena_printf(&r->arena, "%s/docent.db", r->staging).p;
	const char *log = kb_arena_printf(&r->arena, "%s-wal", from).p;
	const char *to = kb_arena_printf(&r->arena, "%s/docent.db", r->home).p;
	struct stat st;

	if (stat(log, &st) == 0 && st.st_size)
		return kb_fail(err, KB_E_CONFLICT, "another process has %s open: stop it", from);
	if (!kb_path_sync(from, err))
		return false;
	if (rename(from, to) != 0)
		return kb_fail_errno(err, "cannot rename %s", from);
	return kb_path_sync(r->home, err);
}

static bool move_rows(struct restore *r, struct kb_err *err)
{
	struct kb_installed to = { .blobs = r->blobs, .blobs_at = r->places.blobs };
	struct kb_move move = { .from = r->data.store };
	struct kb_move_sum sum;
	bool ok;

	to.store = kb_store_open_as(
	        &(struct kb_store_config){ .at = r->places.store, .use = KB_STORE_MOVE }, err);
	move.to = to.store;
	move.from_place =
	        kb_arena_printf(&r->arena, "the backup %s in %s", r->record.id, r->place_name).p;
	move.to_place = kb_arena_str(&r->arena, kb_store_place(&r->arena, r->places.store));
	ok = to.store && kb_move_begin(&move, &r->arena, err);
	if (ok && !move.arrived)
		ok = kb_move_rows(&move, err) && kb_move_verify(&move, &sum, err);
	ok = ok && (!r->places.in_bucket || kb_sweep_enter_all(r->blobs, to.store, err))
	     && kb_move_arrive(&move, err);
	kb_store_close(to.store);
	return ok;
}

static bool settle(struct restore *r, struct kb_err *err)
{
	if (r->to_server && !move_rows(r, err))
		return false;
	kb_store_close(r->data.store);
	r->data.store = NULL;
	return r->to_server ? kb_file_replace(r->arrived, KB_SV("yes\n"), err)
	                    : rename_database(r, err);
}

static void remove_left(const struct restore *r)
{
	DIR *dir = opendir(r->home);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (is_left(entry->d_name))
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
}

/* What has come is named by nothing any more but this run's traces, which go. */
static bool clean_up(struct restore *r, struct kb_err *err)
{
	kb_backup_scratch_end(r->staging);
	remove_left(r);
	if (unlink(r->pinned) != 0)
		return kb_fail_errno(err, "cannot remove %s", r->pinned);
	unlink(r->arrived);
	rmdir(r->staging);
	return true;
}

/* An earlier run that was ended while it cleaned up. */
static bool is_settled(const struct restore *r)
{
	return r->resumed
	       && (r->to_server ? access(r->arrived, F_OK) == 0 : kb_store_exists(r->home));
}

static bool restore(struct restore *r, struct kb_err *err)
{
	if (!open_places(r, err) || !choose(r, err))
		return false;
	if (is_settled(r))
		return clean_up(r, err);
	printf("%s the backup %s\n", r->resumed ? "going on with" : "restoring", r->record.id);
	fflush(stdout);
	if (!kb_dir_make(r->staging, err)
	    || !kb_backup_fetch(r->place, &r->record, r->staging, NULL, err))
		return false;
	r->data.store = kb_store_open_as(
	        &(struct kb_store_config){ .at = r->staging, .use = KB_STORE_MOVE }, err);
	r->blobs = r->data.store ? kb_places_blobs(&r->places, false, NULL, err) : NULL;
	return r->blobs && bring_blobs(r, err) && settle(r, err) && clean_up(r, err);
}

int kb_cli_restore(int argc, char **argv)
{
	struct restore r = { .lock = -1 };
	struct kb_err err = { 0 };
	bool ok;

	if (!read_arguments(argc, argv, &r)) {
		fputs(usage, stderr);
		return 2;
	}
	if (r.help) {
		fputs(usage, stdout);
		return 0;
	}
	ok = restore(&r, &err);
	if (ok)
		printf("restored: the database is in %s, its blobs are in %s\n",
		       kb_arena_str(&r.arena, kb_store_place(&r.arena, r.places.store)),
		       r.places.blobs);
	kb_store_close(r.data.store);
	kb_blobs_close(r.blobs);
	kb_blobs_close(r.place);
	kb_fd_close(&r.lock);
	kb_arena_fini(&r.arena);
	return ok ? 0 : kb_cli_fail(1, "%s", err.msg);
}
