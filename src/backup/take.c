#include "backup/take.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backup/prune.h"
#include "backup/take_own.h"
#include "base/file.h"
#include "base/pool.h"
#include "store/backups.h"
#include "store/snapshot.h"

enum {
	PASSES = 3
}; /* of which the last but one has little to copy, and the last next to nothing */
#define TURN_US  (10 * KB_SECOND_US)
#define RENEW_US (2 * KB_SECOND_US)

/* ---- the folder ---- */

static const char *const left[] = { "docent.db",         "docent.db-wal", "docent.db-shm",
	                            "docent.db-journal", "docent.lock",   "docent.db.part" };

bool kb_backup_scratch(const char *directory, struct kb_err *err)
{
	if (!kb_dir_make(directory, err) || !kb_temp_clean(directory, KB_TEMP_ALL, err))
		return false;
	for (size_t i = 0; i < KB_COUNTOF(left); i++) {
		char path[KB_TEMP_PATH];

		snprintf(path, sizeof(path), "%s/%s", directory, left[i]);
		if (unlink(path) != 0 && errno != ENOENT)
			return kb_fail_errno(err, "cannot remove %s", path);
	}
	return true;
}

void kb_backup_scratch_end(const char *directory)
{
	struct kb_err err;

	if (kb_backup_scratch(directory, &err))
		rmdir(directory);
}

/* What is left beside it of turns that are over. */
static bool clear_older(const char *in, const char *prefix, int64_t epoch, struct kb_err *err)
{
	DIR *dir = opendir(in);
	struct dirent *entry;
	size_t n = strlen(prefix);

	if (!dir)
		return errno == ENOENT || kb_fail_errno(err, "cannot read %s", in);
	while ((entry = readdir(dir))) {
		char path[KB_TEMP_PATH];
		int64_t of;

		if (strncmp(entry->d_name, prefix, n) == 0
		    && kb_sv_to_int(kb_sv_str(entry->d_name + n), 1, epoch - 1, &of)
		    && snprintf(path, sizeof(path), "%s/%s", in, entry->d_name) < KB_TEMP_PATH)
			kb_backup_scratch_end(path);
	}
	closedir(dir);
	return true;
}

/* in/prefix-EPOCH, the only one. */
static bool make_folder(const struct kb_making *m, char out[KB_MAKING_FOLDER], const char *in,
                        const char *prefix, struct kb_err *err)
{
	if (snprintf(out, KB_MAKING_FOLDER, "%s/%s%" PRId64, in, prefix, m->epoch)
	    >= KB_MAKING_FOLDER)
		return kb_fail(err, KB_E_INVALID, "%s is too long a name", in);
	return clear_older(in, prefix, m->epoch, err) && kb_backup_scratch(out, err);
}

/* Copies of blobs are made on the file system of the place, if that is a directory. */
static bool make_folders(struct kb_making *m, struct kb_err *err)
{
	const struct kb_backup_where *where = m->task->where;
	char in[KB_TEMP_PATH];

	snprintf(in, sizeof(in), "%s/tmp", where->shown);
	return make_folder(m, m->dir, m->task->temp_dir, "backup-", err)
	       && make_folder(m, m->copy_dir, where->in_bucket ? m->task->temp_dir : in, "copies-",
	                      err);
}

static void end_folders(const struct kb_making *m)
{
	if (m->dir[0])
		kb_backup_scratch_end(m->dir);
	if (m->copy_dir[0])
		kb_backup_scratch_end(m->copy_dir);
}

/* ---- the turn ---- */

static bool renew(struct kb_making *m, struct kb_err *err)
{
	int64_t until = kb_clock_mono_us() + TURN_US;

	if (!kb_store_backup_renew(m->store, m->epoch, TURN_US, err))
		return false;
	atomic_store(&m->turn_until, until);
	return true;
}

static void *keep_turn(void *arg)
{
	struct kb_making *m = arg;
	uint64_t heard = 0;
	struct kb_err err;

	while (kb_bell_wait(&m->bell, &heard, kb_clock_mono_us() + RENEW_US))
		if (!renew(m, &err) && err.code == KB_E_CONFLICT)
			atomic_store(&m->turn_lost, true);
	return NULL;
}

static bool is_over(void *arg)
{
	struct kb_making *m = arg;

	return atomic_load(&m->turn_lost) || kb_cancelled(m->task->cancel, NULL);
}

/* For who removes: one that was stopped for a while may have lost its turn and not know it yet. A
 * backup goes on, and is told when it is to count. */
static bool is_doubtful(void *arg)
{
	struct kb_making *m = arg;

	return is_over(m) || kb_clock_mono_us() > atomic_load(&m->turn_until);
}

/* ---- a pass ---- */

static bool run_pass(struct kb_making *m, struct kb_err *err)
{
	m->record = (struct kb_backup_record){ .state_at = kb_clock_now_us(m->task->clock),
		                               .program = KB_SV(DOCENT_VERSION),
		                               .mark = kb_sv_str(m->installation.mark) };
	/* Clocks of nodes are apart, and are set back: the order is that of making. */
	kb_backup_id(KB_MAX(m->record.state_at, m->has_base ? kb_backup_time(m->base.id) + 1 : 0),
	             m->record.id);
	return kb_backup_scratch(m->dir, err)
	       && kb_store_snapshot(m->store, m->dir, &m->cancel, err)
	       && kb_making_send_database(m, err) && kb_making_send_blobs(m, err);
}

/* A volume that is not mounted looks like a place to begin in, and what is written there fills
 * another disk. */
static bool is_mounted(struct kb_making *m, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_backups before;
	struct kb_backup_ids ids = { 0 };
	bool ok = kb_store_backups(m->store, &arena, &before, err)
	          && kb_backup_ids(m->place, &arena, &ids, err);

	if (ok && !ids.count && before.last_at && !m->task->take_over
	    && kb_sv_eq(before.place, kb_sv_str(m->task->where->shown)))
		ok = kb_fail(err, KB_E_CONFLICT,
		             "%s had backups and has none now: is its volume mounted? If they were "
		             "removed, say --take-over once",
		             m->task->where->shown);
	kb_arena_fini(&arena);
	return ok;
}

/* Whose place it is. */
static bool join_place(struct kb_making *m, struct kb_err *err)
{
	const struct kb_backup_task *task = m->task;
	char mark[KB_BLOB_MARK];

	if (!kb_store_installation(m->store, &m->installation, err))
		return false;
	if (!m->installation.mark[0])
		return kb_fail(
		        err, KB_E_CONFLICT,
		        "the installation has never been served: there is nothing to back up");
	if (!is_mounted(m, err) || !kb_backup_begin(&m->place, task->where, err)
	    || !kb_blobs_mark(m->place, mark, err))
		return false;
	if (strcmp(mark, m->installation.mark) == 0)
		return true;
	if (mark[0] && !task->take_over)
		return kb_fail(err, KB_E_CONFLICT,
		               "%s has the backups of another installation (%.8s, this is %.8s): "
		               "name another place; or, if this is that one restored, say "
		               "--take-over once",
		               task->where->shown, mark, m->installation.mark);
	return kb_blobs_set_mark(m->place, m->installation.mark, err);
}

/* The newest one, if it can be read: what it names is there and need not be looked at. One that a
 * clock has made which was wrong would stay the newest, and be what a restore takes, for as long.
 */
static bool find_base(struct kb_making *m, struct kb_err *err)
{
	struct kb_err why = { 0 };

	m->has_base = kb_backup_choose(m->place, &m->arena, NULL, &m->base, &why);
	if (m->has_base && kb_backup_time(m->base.id) > kb_clock_now_us(m->task->clock) + KB_DAY_US)
		return kb_fail(err, KB_E_CONFLICT,
		               "the newest backup in %s is of a time to come, %s: set the clock, "
		               "or remove snapshots/%s.json there",
		               m->task->where->shown, m->base.id, m->base.id);
	return m->has_base || why.code == KB_E_NOT_FOUND || why.code == KB_E_CORRUPT
	       || kb_fail(err, why.code, "%s", why.msg);
}

/* The place is still ours, and so is what the base named: whoever had the turn meanwhile, perhaps
 * while this process was stopped, may have let go of it. What is published before this is asked is
 * seen by who lets go later. */
static bool is_still_so(struct kb_making *m, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_backup_record base;
	char mark[KB_BLOB_MARK];
	bool ok = renew(m, err) && kb_blobs_mark(m->place, mark, err)
	          && (strcmp(mark, m->installation.mark) == 0
	              || kb_fail(err, KB_E_CONFLICT, "%s was taken over by another installation",
	                         m->task->where->shown))
	          && (!m->has_base || kb_backup_record(m->place, &arena, m->base.id, &base, err));

	kb_arena_fini(&arena);
	return ok;
}

static bool publish(struct kb_making *m, struct kb_err *err)
{
	struct kb_err why;

	m->record.held_bytes = (m->has_base ? m->base.held_bytes : 0) + m->copies.bytes
	                       + atomic_load(&m->new_bytes);
	if (!renew(m, err) || !kb_backup_publish(m->place, &m->record, err))
		return false;
	if (is_still_so(m, err))
		return true;
	if (!kb_backup_drop(m->place, m->record.id, &why) && m->task->log)
		kb_warn(m->task->log, "a backup that is not whole stays id=%s error=%s",
		        m->record.id, why.msg);
	return false;
}

/* A sweep looks at everything: by hand it follows what was let go of, on a calendar it comes with
 * the first backup of an hour. */
static bool is_time_to_sweep(const struct kb_making *m, const struct kb_pruned *pruned)
{
	const int64_t hour = 3600 * KB_SECOND_US;

	if (!m->task->every_us)
		return pruned->dropped > 0;
	return m->task->keep && m->task->keep->count && m->has_base
	       && m->base.state_at / hour != m->record.state_at / hour;
}

/* That the old ones cannot be let go of now makes the new one no worse. */
static void prune(struct kb_making *m)
{
	static const struct kb_keep all = { 0 };
	struct kb_pruned pruned = { 0 };
	struct kb_err err;
	bool ok = kb_backup_prune(m->place, m->task->keep ? m->task->keep : &all,
	                          kb_clock_now_us(m->task->clock), &pruned, &err);
	bool sweeps = ok && is_time_to_sweep(m, &pruned), swept = false;
	const struct kb_cancel doubt = { is_doubtful, m };

	if (sweeps)
		ok = swept = kb_backup_sweep(m->place, &doubt, &pruned, &err);
	if (!ok && m->task->log)
		kb_warn(m->task->log, "old backups stay error=%s", err.msg);
	m->out->kept = pruned.kept;
	m->out->dropped = pruned.dropped;
	m->out->held_bytes = swept ? pruned.held_bytes : m->record.held_bytes;
}

static bool open_place(struct kb_making *m, struct kb_err *err)
{
	struct kb_backup_where where = *m->task->where;

	where.cache_dir = NULL; /* nothing is read twice */
	m->place = kb_backup_reach(&where, m->task->log, err);
	return m->place != NULL;
}

static bool enter_place(struct kb_making *m, struct kb_err *err)
{
	if (!join_place(m, err))
		return false;
	m->copies = (struct kb_copies){ .from = m->task->blobs,
		                        .to = m->place,
		                        .temp = m->copy_dir,
		                        .arg = m->task->arg,
		                        .cancel = &m->cancel };
	return make_folders(m, err) && find_base(m, err);
}

static bool make(struct kb_making *m, struct kb_err *err)
{
	bool ok = open_place(m, err) && enter_place(m, err);

	for (int pass = 0; ok && pass < PASSES; pass++) {
		/* What is lost for good is told of once. */
		m->copies.say = pass == PASSES - 1 ? m->task->say : NULL;
		ok = run_pass(m, err);
		if (!m->copies.lost)
			break;
	}
	if (!ok || !publish(m, err))
		return false;
	*m->out = (struct kb_backup_made){ .made = true,
		                           .bytes = m->record.bytes,
		                           .new_bytes = m->copies.bytes + m->new_bytes,
		                           .blobs = m->record.blobs,
		                           .copied = m->copies.copied,
		                           .missing = m->record.missing };
	memcpy(m->out->id, m->record.id, sizeof(m->out->id));
	prune(m);
	return true;
}

/* ---- the whole ---- */

static void tell(struct kb_making *m, bool ok, const struct kb_err *why)
{
	struct kb_arena arena = { 0 };
	struct kb_backup_outcome outcome = { .state_at = m->record.state_at,
		                             .kept = m->out->kept,
		                             .held_bytes = m->out->held_bytes,
		                             .place = kb_sv_str(m->task->where->shown),
		                             .is_sealed = m->task->where->key != NULL };
	struct kb_err err;

	if (!ok)
		outcome.failure = kb_sv_str(why->msg[0] ? why->msg : "it failed");
	else if (m->record.missing)
		outcome.failure = kb_arena_printf(
		        &arena, "%" PRId64 " blobs are missing or damaged", m->record.missing);
	if (!kb_store_backup_done(m->store, m->epoch, &outcome, &err) && m->task->log)
		kb_warn(m->task->log, "the outcome of a backup is not noted error=%s", err.msg);
	kb_arena_fini(&arena);
}

static bool take_turn(struct kb_making *m, struct kb_err *err)
{
	if (m->task->every_us)
		return kb_store_backup_take(m->store, TURN_US, m->task->every_us, &m->epoch, err);
	/* Somebody's turn ends within some seconds, unless a backup is being made. */
	for (int64_t end = kb_clock_mono_us() + TURN_US + RENEW_US;;) {
		struct kb_bell pause;

		if (!kb_store_backup_take(m->store, TURN_US, 0, &m->epoch, err))
			return false;
		if (m->epoch || kb_clock_mono_us() > end || kb_cancelled(m->task->cancel, NULL))
			break;
		kb_bell_init(&pause, NULL);
		kb_bell_rest(&pause, kb_clock_mono_us() + KB_SECOND_US / 4);
		kb_bell_fini(&pause);
	}
	return m->epoch
	       || kb_fail(err, KB_E_CONFLICT, "a backup is being made already: wait for its end");
}

static bool make_in_turn(struct kb_making *m, struct kb_err *err)
{
	bool ok;

	kb_bell_init(&m->bell, NULL);
	m->keeper = kb_thread_start("backup turn", keep_turn, m);
	m->cancel = (struct kb_cancel){ is_over, m };
	ok = (!m->task->planned_us || kb_store_backup_plan(m->store, m->task->planned_us, err))
	     && make(m, err);
	kb_bell_stop(&m->bell);
	pthread_join(m->keeper, NULL);
	kb_bell_fini(&m->bell);
	if (!ok && atomic_load(&m->turn_lost))
		kb_fail(err, KB_E_CONFLICT, "another backup was begun meanwhile");
	tell(m, ok, err);
	end_folders(m);
	kb_blobs_close(m->place);
	return ok;
}

bool kb_backup_make(const struct kb_backup_task *task, struct kb_backup_made *out,
                    struct kb_err *err)
{
	struct kb_making *m = kb_xcalloc(1, sizeof(*m));
	bool ok;

	*out = (struct kb_backup_made){ 0 };
	m->task = task;
	m->out = out;
	m->store = kb_store_open_as(&(struct kb_store_config){ .at = task->store_at,
	                                                       .use = KB_STORE_TOOL,
	                                                       .log = task->log },
	                            err);
	ok = m->store && take_turn(m, err) && (!m->epoch || make_in_turn(m, err));
	kb_store_close(m->store);
	kb_arena_fini(&m->arena);
	free(m);
	return ok;
}
