#include "backup/take.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backup/copies.h"
#include "backup/prune.h"
#include "base/bell.h"
#include "base/crew.h"
#include "base/file.h"
#include "base/pool.h"
#include "base/temp.h"
#include "store/backups.h"
#include "store/move.h"
#include "store/snapshot.h"
#include "store/upkeep.h"

enum {
	PASSES = 3, /* of which the last but one has little to copy, and the last next to nothing */
	HANDS = 4,  /* that compress and send pieces */
	FOLDER = KB_TEMP_PATH - 32,
};
#define TURN_US  (10 * KB_SECOND_US)
#define RENEW_US (2 * KB_SECOND_US)

struct making {
	const struct kb_backup_task *task;
	struct kb_backup_made *out;
	struct kb_arena arena; /* of all passes */
	struct kb_store *store;
	struct kb_blobs *place;
	/* Of this turn alone, for the copy of the database and those of blobs: who has lost a turn
	 * and goes on for a moment touches nothing of the next one. */
	char dir[FOLDER], copy_dir[FOLDER];
	int64_t epoch;
	struct kb_installation installation;
	bool has_base;
	struct kb_backup_record base;   /* what it names is there */
	struct kb_backup_record record; /* of this pass */
	struct kb_copies copies;
	_Atomic int64_t new_bytes; /* beside blobs */

	/* Whether to go on: nobody asks to stop, and the turn is still ours. */
	struct kb_cancel cancel;
	struct kb_bell bell;
	pthread_t keeper;
	_Atomic bool turn_lost;
	_Atomic int64_t turn_until; /* as far as we know; of the steady clock */
};

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
static bool make_folder(const struct making *m, char out[FOLDER], const char *in,
                        const char *prefix, struct kb_err *err)
{
	if (snprintf(out, FOLDER, "%s/%s%" PRId64, in, prefix, m->epoch) >= FOLDER)
		return kb_fail(err, KB_E_INVALID, "%s is too long a name", in);
	return clear_older(in, prefix, m->epoch, err) && kb_backup_scratch(out, err);
}

/* Copies of blobs are made on the file system of the place, if that is a directory. */
static bool make_folders(struct making *m, struct kb_err *err)
{
	const struct kb_backup_where *where = m->task->where;
	char in[KB_TEMP_PATH];

	snprintf(in, sizeof(in), "%s/tmp", where->shown);
	return make_folder(m, m->dir, m->task->temp_dir, "backup-", err)
	       && make_folder(m, m->copy_dir, where->in_bucket ? m->task->temp_dir : in, "copies-",
	                      err);
}

static void end_folders(const struct making *m)
{
	if (m->dir[0])
		kb_backup_scratch_end(m->dir);
	if (m->copy_dir[0])
		kb_backup_scratch_end(m->copy_dir);
}

/* ---- the turn ---- */

static bool renew(struct making *m, struct kb_err *err)
{
	int64_t until = kb_clock_mono_us() + TURN_US;

	if (!kb_store_backup_renew(m->store, m->epoch, TURN_US, err))
		return false;
	atomic_store(&m->turn_until, until);
	return true;
}

static void *keep_turn(void *arg)
{
	struct making *m = arg;
	uint64_t heard = 0;
	struct kb_err err;

	while (kb_bell_wait(&m->bell, &heard, kb_clock_mono_us() + RENEW_US))
		if (!renew(m, &err) && err.code == KB_E_CONFLICT)
			atomic_store(&m->turn_lost, true);
	return NULL;
}

static bool is_over(void *arg)
{
	struct making *m = arg;

	return atomic_load(&m->turn_lost) || kb_cancelled(m->task->cancel, NULL);
}

/* For who removes: one that was stopped for a while may have lost its turn and not know it yet. A
 * backup goes on, and is told when it is to count. */
static bool is_doubtful(void *arg)
{
	struct making *m = arg;

	return is_over(m) || kb_clock_mono_us() > atomic_load(&m->turn_until);
}

/* ---- the database ---- */

struct pieces {
	struct making *making;
	int fd;
	size_t list, count;
	struct kb_piece_list base; /* of the same list, as far as there is one */
	struct kb_piece v[KB_PIECES_LIST];
	pthread_mutex_t lock;
	_Atomic bool failed;
	struct kb_err err;
};

static bool send_piece(struct pieces *in, struct kb_arena *arena, size_t i, struct kb_err *err)
{
	int64_t at = ((int64_t)in->list * KB_PIECES_LIST + (int64_t)i) * KB_PIECE_BYTES;
	size_t n = (size_t)KB_MIN((int64_t)KB_PIECE_BYTES, in->making->record.bytes - at);
	char *bytes = kb_arena_bytes(arena, n);
	char hex[KB_HASH_HEX];
	struct kb_blob_name name;
	struct kb_sv packed;

	if (pread(in->fd, bytes, n, at) != (ssize_t)n)
		return kb_fail_errno(err, "cannot read the copy of the database");
	kb_hash_hex(kb_sv(bytes, n), hex);
	kb_unhex(kb_sv_str(hex), in->v[i].hash);
	if (i < in->base.count && memcmp(in->base.v[i].hash, in->v[i].hash, KB_HASH_BYTES) == 0) {
		in->v[i] = in->base.v[i];
		return true;
	}
	if (!kb_piece_pack(arena, kb_sv(bytes, n), &packed, err)
	    || !kb_blob_put(in->making->place, packed, &name, err))
		return false;
	atomic_fetch_add(&in->making->new_bytes, (int64_t)packed.n);
	kb_unhex(kb_sv_str(name.hex), in->v[i].name);
	return true;
}

static void send_task(void *arg, size_t i)
{
	struct pieces *in = arg;
	struct kb_arena arena = { 0 };
	struct kb_err err;

	if (!in->failed && !send_piece(in, &arena, i, &err)) {
		pthread_mutex_lock(&in->lock);
		in->failed = true;
		in->err = err;
		pthread_mutex_unlock(&in->lock);
	}
	kb_arena_fini(&arena);
}

/* What the place has already under that name is not sent again. */
static bool put_list(struct making *m, struct kb_sv bytes, struct kb_sv known, struct kb_sv *name,
                     struct kb_err *err)
{
	struct kb_blob_name got;
	char hex[KB_HASH_HEX];

	kb_hash_hex(bytes, hex);
	*name = kb_arena_sv(&m->arena, kb_sv_str(hex));
	if (m->has_base && kb_sv_eq(known, *name))
		return true;
	atomic_fetch_add(&m->new_bytes, (int64_t)bytes.n);
	return kb_blob_put(m->place, bytes, &got, err);
}

static bool send_list(struct making *m, struct pieces *in, struct kb_hasher *hasher,
                      struct kb_err *err)
{
	struct kb_crew crew = { .name = "pieces",
		                .threads = HANDS,
		                .task = send_task,
		                .arg = in,
		                .cancel = &m->cancel };
	struct kb_arena arena = { 0 };
	bool is_known = m->has_base && in->list < m->base.list_count;
	struct kb_sv known = is_known ? m->base.lists[in->list] : KB_SV("");
	struct kb_err why;
	bool ok;

	in->count = kb_pieces_in_list(m->record.bytes, in->list);
	in->base.count = 0;
	/* A list of the base that cannot be read spares nothing. */
	if (is_known && !kb_backup_pieces(m->place, &arena, &m->base, in->list, &in->base, &why))
		in->base.count = 0;
	ok = kb_crew_run(&crew, 0, in->count, err)
	     && (!in->failed || kb_fail(err, in->err.code, "%s", in->err.msg));
	for (size_t i = 0; ok && i < in->count; i++)
		kb_hasher_add(hasher, in->v[i].hash, KB_HASH_BYTES);
	ok = ok
	     && put_list(m, kb_sv((const char *)in->v, in->count * sizeof(in->v[0])), known,
	                 &m->record.lists[in->list], err);
	kb_arena_fini(&arena);
	return ok;
}

static bool send_database(struct making *m, struct kb_err *err)
{
	int64_t list = (int64_t)KB_PIECE_BYTES * KB_PIECES_LIST;
	struct pieces *in = kb_xcalloc(1, sizeof(*in));
	struct kb_hasher hasher;
	struct stat st = { 0 };
	char path[KB_TEMP_PATH];
	bool ok;

	snprintf(path, sizeof(path), "%s/docent.db", m->dir);
	in->making = m;
	in->fd = open(path, O_RDONLY | O_CLOEXEC);
	ok = (in->fd >= 0 && fstat(in->fd, &st) == 0) || kb_fail_errno(err, "cannot open %s", path);
	pthread_mutex_init(&in->lock, NULL);
	kb_hasher_init(&hasher);
	if (ok) {
		m->record.bytes = st.st_size;
		m->record.list_count = (size_t)((st.st_size + list - 1) / list);
		m->record.lists = KB_NEW_ARRAY(&m->arena, m->record.list_count, struct kb_sv);
	}
	for (in->list = 0; ok && in->list < m->record.list_count; in->list++)
		ok = send_list(m, in, &hasher, err);
	kb_hasher_hex(&hasher, m->record.hash);
	kb_fd_close(&in->fd);
	pthread_mutex_destroy(&in->lock);
	free(in);
	return ok;
}

/* ---- the blobs ---- */

static int by_text(const void *a, const void *b)
{
	return kb_sv_cmp(*(const struct kb_sv *)a, *(const struct kb_sv *)b);
}

/* The names without those that the base has, which are there. */
static void without_base(struct making *m, struct kb_arena *arena, int list, struct kb_sv *names,
                         size_t *count)
{
	struct kb_listed_blobs known;
	size_t left_count = 0;
	struct kb_err why;

	if (!m->has_base || !kb_backup_names(m->place, arena, &m->base, list, &known, &why))
		return;
	for (size_t i = 0; i < *count; i++)
		if (!bsearch(&names[i], known.v, known.count, sizeof(*known.v), by_text))
			names[left_count++] = names[i];
	*count = left_count;
}

/* What the list will hold: what is there now. */
static size_t without_lost(struct kb_sv *all, size_t count, const struct kb_sv *tried,
                           const bool *lost, size_t tried_count)
{
	size_t kept = 0, t = 0;

	for (size_t i = 0; i < count; i++) {
		while (t < tried_count && kb_sv_cmp(tried[t], all[i]) < 0)
			t++;
		if (t < tried_count && lost[t] && kb_sv_eq(tried[t], all[i]))
			continue;
		all[kept++] = all[i];
	}
	return kept;
}

static bool send_blobs(struct making *m, struct kb_store *copy, int list, struct kb_err *err)
{
	const struct kb_move names_of = { .from = copy };
	struct kb_arena arena = { 0 };
	struct kb_sv *names, *tried;
	size_t count, tried_count;
	bool *lost, ok;

	ok = !kb_cancelled(&m->cancel, err)
	     && kb_move_blob_names(&names_of, &arena, list, &names, &count, err);
	if (!ok || !count) {
		m->record.blob_lists[list] = KB_SV("");
		kb_arena_fini(&arena);
		return ok;
	}
	tried = kb_arena_copy(&arena, names, count * sizeof(*names));
	tried_count = count;
	lost = KB_NEW_ARRAY(&arena, count, bool);
	without_base(m, &arena, list, tried, &tried_count);
	ok = kb_copies_make(&m->copies, tried, tried_count, lost, err);
	count = ok ? without_lost(names, count, tried, lost, tried_count) : 0;
	m->record.blobs += (int64_t)count;
	m->record.blob_lists[list] = KB_SV("");
	if (ok && count)
		ok = put_list(m, kb_blob_list_write(&arena, names, count),
		              m->has_base ? m->base.blob_lists[list] : KB_SV(""),
		              &m->record.blob_lists[list], err);
	kb_arena_fini(&arena);
	return ok;
}

static bool send_all_blobs(struct making *m, struct kb_err *err)
{
	struct kb_store *copy = kb_store_open_as(
	        &(struct kb_store_config){ .at = m->dir, .use = KB_STORE_MOVE }, err);
	struct kb_installation of;
	bool ok = copy && kb_store_installation(copy, &of, err);

	if (ok && strcmp(of.mark, m->installation.mark) != 0)
		ok = kb_fail(err, KB_E_IO, "the copy of the database in %s has gone", m->dir);
	m->copies.lost = 0;
	m->record.blobs = 0;
	for (int i = 0; ok && i < KB_BLOB_LISTS; i++)
		ok = send_blobs(m, copy, i, err);
	m->record.missing = m->copies.lost;
	kb_store_close(copy);
	return ok;
}

/* ---- a pass ---- */

static bool run_pass(struct making *m, struct kb_err *err)
{
	m->record = (struct kb_backup_record){ .state_at = kb_clock_now_us(m->task->clock),
		                               .program = KB_SV(DOCENT_VERSION),
		                               .mark = kb_sv_str(m->installation.mark) };
	/* Clocks of nodes are apart, and are set back: the order is that of making. */
	kb_backup_id(KB_MAX(m->record.state_at, m->has_base ? kb_backup_time(m->base.id) + 1 : 0),
	             m->record.id);
	return kb_backup_scratch(m->dir, err)
	       && kb_store_snapshot(m->store, m->dir, &m->cancel, err) && send_database(m, err)
	       && send_all_blobs(m, err);
}

/* A volume that is not mounted looks like a place to begin in, and what is written there fills
 * another disk. */
static bool is_mounted(struct making *m, struct kb_err *err)
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
static bool join_place(struct making *m, struct kb_err *err)
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
static bool find_base(struct making *m, struct kb_err *err)
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
static bool is_still_so(struct making *m, struct kb_err *err)
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

static bool publish(struct making *m, struct kb_err *err)
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
static bool is_time_to_sweep(const struct making *m, const struct kb_pruned *pruned)
{
	const int64_t hour = 3600 * KB_SECOND_US;

	if (!m->task->every_us)
		return pruned->dropped > 0;
	return m->task->keep && m->task->keep->count && m->has_base
	       && m->base.state_at / hour != m->record.state_at / hour;
}

/* That the old ones cannot be let go of now makes the new one no worse. */
static void prune(struct making *m)
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

static bool open_place(struct making *m, struct kb_err *err)
{
	struct kb_backup_where where = *m->task->where;

	where.cache_dir = NULL; /* nothing is read twice */
	m->place = kb_backup_reach(&where, m->task->log, err);
	return m->place != NULL;
}

static bool enter_place(struct making *m, struct kb_err *err)
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

static bool make(struct making *m, struct kb_err *err)
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

static void tell(struct making *m, bool ok, const struct kb_err *why)
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

static bool take_turn(struct making *m, struct kb_err *err)
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

static bool make_in_turn(struct making *m, struct kb_err *err)
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
	struct making *m = kb_xcalloc(1, sizeof(*m));
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
