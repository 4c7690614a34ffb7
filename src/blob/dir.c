/*
 * Blobs in a directory:
 *
 *   <root>/ab/cd/abcd…   the blob of that name
 *   <root>/tmp/…         puts that have not ended
 *   <root>/trash/abcd…   a blob that was discarded; its time (mtime) is that of the discard
 *   <root>/installation  the mark of the installation that the blobs belong to
 *   <root>/snapshots/…   records, each under its name
 *
 * A blob is written beside its place, synced, renamed into it, and its directory is synced: after
 * a power cut it is there whole or not at all. Its age is that of its last put (mtime).
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/file.h"
#include "blob/blob.h"
#include "blob/driver.h"

enum {
	FANOUT = 65536,              /* directories on the second level */
	PLACE = 3 + 3 + KB_HASH_HEX, /* "ab/cd/" and the name */
	TEMPORARY = 4 + 32 + 1,      /* "tmp/", 16 random bytes in hexadecimal */
	TRASHED = 6 + KB_HASH_HEX,   /* "trash/" and the name */
};
#define MARK_FILE "installation"
#define RECORDS   "snapshots"

struct directory {
	int root; /* descriptor: every path is relative to it */
	/* Puts share it; a removal has it alone, so that it never takes a blob that a put has just
	 * found in place. */
	pthread_rwlock_t lock;
	/* Second-level directories known to be there durably. */
	_Atomic unsigned char ready[FANOUT];
};

static void place_of(const char *name, char place[PLACE])
{
	snprintf(place, PLACE, "%.2s/%.2s/%.64s", name, name + 2, name);
}

static void trashed_of(const char *name, char path[TRASHED])
{
	snprintf(path, TRASHED, "trash/%.64s", name);
}

static bool sync_at(const struct directory *dir, const char *path, struct kb_err *err)
{
	int fd = kb_fault() ? -1 : openat(dir->root, path, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
	bool ok = fd >= 0 && !kb_fault() && fsync(fd) == 0;

	if (!ok)
		kb_fail_errno(err, "cannot sync the blobs' directory %s", path);
	kb_fd_close(&fd);
	return ok;
}

static bool make_at(const struct directory *dir, const char *path, struct kb_err *err)
{
	if (!kb_fault() && (mkdirat(dir->root, path, 0700) == 0 || errno == EEXIST))
		return true;
	return kb_fail_errno(err, "cannot make the blobs' directory %s", path);
}

/* Makes the two directories of a name, durably, once a process. */
static bool prepare(struct directory *dir, const char *name, struct kb_err *err)
{
	size_t slot = strtoul((char[]){ name[0], name[1], name[2], name[3], '\0' }, NULL, 16);
	char first[] = { name[0], name[1], '\0' };
	char second[] = { name[0], name[1], '/', name[2], name[3], '\0' };

	if (atomic_load(&dir->ready[slot]))
		return true;
	if (!make_at(dir, first, err) || !make_at(dir, second, err) || !sync_at(dir, first, err)
	    || !sync_at(dir, ".", err))
		return false;
	atomic_store(&dir->ready[slot], 1);
	return true;
}

void *kb_blob_directory_open(const char *where, struct kb_err *err)
{
	struct directory *dir;
	int root;

	if (!kb_dir_make(where, err))
		return NULL;
	root = kb_fault() ? -1 : open(where, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root < 0) {
		kb_fail_errno(err, "cannot open the blobs' directory %s", where);
		return NULL;
	}
	dir = kb_xcalloc(1, sizeof(*dir));
	dir->root = root;
	pthread_rwlock_init(&dir->lock, NULL);
	if (make_at(dir, "tmp", err) && make_at(dir, "trash", err))
		return dir;
	kb_fd_close(&dir->root);
	pthread_rwlock_destroy(&dir->lock);
	free(dir);
	return NULL;
}

static void directory_close(void *impl)
{
	struct directory *dir = impl;

	kb_fd_close(&dir->root);
	pthread_rwlock_destroy(&dir->lock);
	free(dir);
}

/* ---- writing ---- */

/* True when a blob of that size is in place, durably; then its age begins again. A damaged one of
 * another size is replaced. */
static bool renewed(const struct directory *dir, const char *place, int64_t size)
{
	char parent[] = { place[0], place[1], '/', place[3], place[4], '\0' };
	struct stat st;

	return !kb_fault() && fstatat(dir->root, place, &st, AT_SYMLINK_NOFOLLOW) == 0
	       && S_ISREG(st.st_mode) && st.st_size == size
	       && utimensat(dir->root, place, NULL, AT_SYMLINK_NOFOLLOW) == 0
	       && sync_at(dir, parent, NULL);
}

/* Renames a synced file into the blob's place. */
static bool settle(struct directory *dir, int from_dir, const char *from, const char *place,
                   struct kb_err *err)
{
	char parent[] = { place[0], place[1], '/', place[3], place[4], '\0' };

	if (kb_fault() || renameat(from_dir, from, dir->root, place) != 0)
		return kb_fail_errno(err, "cannot move a blob into its place");
	return sync_at(dir, parent, err);
}

/* Of this put alone: other processes put too. */
static void name_temporary(char path[TEMPORARY])
{
	unsigned char random[16];

	kb_random(random, sizeof(random));
	snprintf(path, TEMPORARY, "tmp/");
	kb_hex(random, sizeof(random), path + 4);
}

static bool write_temporary(struct directory *dir, const char *path, struct kb_sv bytes,
                            struct kb_err *err)
{
	int fd = kb_fault()
	                 ? -1
	                 : openat(dir->root, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool ok;

	if (fd < 0)
		return kb_fail_errno(err, "cannot create a blob");
	ok = kb_fd_write_all(fd, bytes, "a blob", err);
	if (ok && (kb_fault() || fsync(fd) != 0))
		ok = kb_fail_errno(err, "cannot sync a blob");
	kb_fd_close(&fd);
	if (!ok)
		unlinkat(dir->root, path, 0);
	return ok;
}

static bool put_new(struct directory *dir, const char *name, const char *place, struct kb_sv bytes,
                    struct kb_err *err)
{
	char path[TEMPORARY];

	name_temporary(path);
	if (!prepare(dir, name, err) || !write_temporary(dir, path, bytes, err))
		return false;
	if (settle(dir, dir->root, path, place, err))
		return true;
	unlinkat(dir->root, path, 0); /* fails when only the last sync did */
	return false;
}

static bool directory_put(void *impl, const char *name, struct kb_sv bytes, struct kb_err *err)
{
	struct directory *dir = impl;
	char place[PLACE];
	bool ok;

	place_of(name, place);
	pthread_rwlock_rdlock(&dir->lock);
	ok = renewed(dir, place, (int64_t)bytes.n) || put_new(dir, name, place, bytes, err);
	pthread_rwlock_unlock(&dir->lock);
	return ok;
}

/* Makes the file's bytes durable and its age begin now. */
static bool sync_file(const char *path, struct kb_err *err)
{
	int fd = kb_fault() ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	bool ok = fd >= 0 && futimens(fd, NULL) == 0 && fchmod(fd, 0600) == 0 && !kb_fault()
	          && fsync(fd) == 0;

	if (!ok)
		kb_fail_errno(err, "cannot sync %s", path);
	kb_fd_close(&fd);
	return ok;
}

static bool directory_take(void *impl, const char *name, const char *path, int64_t size,
                           struct kb_err *err)
{
	struct directory *dir = impl;
	char place[PLACE];
	bool ok;

	place_of(name, place);
	pthread_rwlock_rdlock(&dir->lock);
	if (renewed(dir, place, size)) {
		ok = !kb_fault() && unlink(path) == 0;
		if (!ok)
			kb_fail_errno(err, "cannot remove %s", path);
	} else {
		ok = prepare(dir, name, err) && sync_file(path, err)
		     && settle(dir, AT_FDCWD, path, place, err);
	}
	pthread_rwlock_unlock(&dir->lock);
	return ok;
}

/* ---- reading ---- */

static bool is_there(const struct directory *dir, const char *path)
{
	return faccessat(dir->root, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Into its place with the age of a put; not over one that was put anew. */
static bool bring_back(struct directory *dir, const char *name, const char *path, const char *place,
                       struct kb_err *err)
{
	bool ok = is_there(dir, place)
	                  ? unlinkat(dir->root, path, 0) == 0
	                  : prepare(dir, name, err)
	                            && utimensat(dir->root, path, NULL, AT_SYMLINK_NOFOLLOW) == 0
	                            && settle(dir, dir->root, path, place, err);

	/* Somebody else may have been faster. */
	return ok || is_there(dir, place)
	       || kb_fail_errno(err, "cannot bring blob %s back from the trash", name);
}

static bool directory_recall(void *impl, const char *name, struct kb_err *err)
{
	struct directory *dir = impl;
	char place[PLACE], path[TRASHED];
	bool ok;

	place_of(name, place);
	trashed_of(name, path);
	pthread_rwlock_rdlock(&dir->lock);
	ok = !is_there(dir, path) || bring_back(dir, name, path, place, err);
	pthread_rwlock_unlock(&dir->lock);
	return ok;
}

static int open_blob(const struct directory *dir, const char *place)
{
	return kb_fault() ? -1 : openat(dir->root, place, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

static bool directory_get(void *impl, const char *name, int *fd, int64_t *size, struct kb_err *err)
{
	struct directory *dir = impl;
	char place[PLACE];
	struct stat st;

	place_of(name, place);
	*fd = open_blob(dir, place);
	if (*fd < 0 && errno == ENOENT) {
		if (!directory_recall(dir, name, err))
			return false;
		*fd = open_blob(dir, place);
	}
	if (*fd < 0 && errno == ENOENT)
		return kb_fail(err, KB_E_NOT_FOUND, "there is no blob %s", name);
	if (*fd < 0 || fstat(*fd, &st) != 0) {
		kb_fail_errno(err, "cannot open blob %s", name);
		kb_fd_close(fd);
		return false;
	}
	if (!S_ISREG(st.st_mode)) {
		kb_fd_close(fd);
		return kb_corrupt(err, "blob %s is not a file", name);
	}
	*size = st.st_size;
	return true;
}

/* Opening brings it back from the trash. */
static bool directory_stat(void *impl, const char *name, int64_t *size, struct kb_err *err)
{
	int fd;
	bool ok = directory_get(impl, name, &fd, size, err);

	kb_fd_close(&fd);
	return ok;
}

/* ---- removing ---- */

/* time() may be some milliseconds behind what the kernel stamps files with: a file of the next
 * second is new, not of a negative age that is below every limit. */
static int64_t age_of(const struct stat *st)
{
	return KB_MAX((int64_t)(time(NULL) - st->st_mtime), INT64_C(0));
}

/* Ends a blob of that age: in the trash, or for good. */
static bool end(struct directory *dir, const char *name, int64_t min_age_s, bool to_trash,
                bool *done, struct kb_err *err)
{
	char place[PLACE], path[TRASHED];
	struct stat st;
	bool ok = true;

	*done = false;
	place_of(name, place);
	trashed_of(name, path);
	pthread_rwlock_wrlock(&dir->lock);
	if (fstatat(dir->root, place, &st, AT_SYMLINK_NOFOLLOW) == 0 && age_of(&st) >= min_age_s) {
		/* The time first: one that is in the trash already has its own. */
		ok = !kb_fault()
		     && (to_trash ? utimensat(dir->root, place, NULL, AT_SYMLINK_NOFOLLOW) == 0
		                            && renameat(dir->root, place, dir->root, path) == 0
		                  : unlinkat(dir->root, place, 0) == 0);
		*done = ok;
		if (!ok)
			kb_fail_errno(err, "cannot remove blob %s", name);
	}
	pthread_rwlock_unlock(&dir->lock);
	return ok;
}

static bool directory_remove(void *impl, const char *name, int64_t min_age_s, bool *removed,
                             struct kb_err *err)
{
	return end(impl, name, min_age_s, false, removed, err);
}

static bool directory_discard(void *impl, const char *name, int64_t min_age_s, bool *discarded,
                              struct kb_err *err)
{
	return end(impl, name, min_age_s, true, discarded, err);
}

static bool directory_purge(void *impl, const char *name, struct kb_err *err)
{
	struct directory *dir = impl;
	char path[TRASHED];

	trashed_of(name, path);
	if (!kb_fault() && (unlinkat(dir->root, path, 0) == 0 || errno == ENOENT))
		return true;
	return kb_fail_errno(err, "cannot remove blob %s from the trash", name);
}

/* ---- walking ---- */

/* One directory, read to its end before anybody acts on it. */
struct names {
	char (*names)[KB_HASH_HEX];
	size_t count, capacity;
};

/* The entries of that many characters, all hexadecimal. A directory that is missing is empty. */
static bool read_names(const struct directory *dir, const char *path, size_t length,
                       struct names *out, struct kb_err *err)
{
	int fd = kb_fault() ? -1 : openat(dir->root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	bool ok;

	out->count = 0;
	if (!stream) {
		ok = errno == ENOENT || kb_fail_errno(err, "cannot read the directory %s", path);
		kb_fd_close(&fd);
		return ok;
	}
	errno = 0;
	while ((entry = kb_fault() ? NULL : readdir(stream))) {
		if (strlen(entry->d_name) != length
		    || strspn(entry->d_name, "0123456789abcdef") != length)
			continue;
		KB_GROW(out->names, out->capacity, out->count + 1);
		snprintf(out->names[out->count++], KB_HASH_HEX, "%.64s", entry->d_name);
	}
	ok = errno == 0 || kb_fail_errno(err, "cannot read the directory %s", path);
	closedir(stream);
	return ok;
}

struct walk {
	struct directory *dir;
	bool (*fn)(void *arg, const char *name, int64_t size, int64_t age_s);
	void *arg;
	struct names first, second, blobs;
	bool stopped;
};

static bool walk_blobs(struct walk *walk, const char *path, struct kb_err *err)
{
	if (!read_names(walk->dir, path, KB_HASH_HEX - 1, &walk->blobs, err))
		return false;
	for (size_t i = 0; i < walk->blobs.count && !walk->stopped; i++) {
		char place[PLACE];
		struct stat st;

		place_of(walk->blobs.names[i], place);
		/* Gone since, or a stray in the wrong directory: no blob. */
		if (fstatat(walk->dir->root, place, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		walk->stopped = !walk->fn(walk->arg, walk->blobs.names[i], st.st_size, age_of(&st));
	}
	return true;
}

static bool walk_second(struct walk *walk, const char *first, struct kb_err *err)
{
	if (!read_names(walk->dir, first, 2, &walk->second, err))
		return false;
	for (size_t i = 0; i < walk->second.count && !walk->stopped; i++) {
		char path[6];

		snprintf(path, sizeof(path), "%.2s/%.2s", first, walk->second.names[i]);
		if (!walk_blobs(walk, path, err))
			return false;
	}
	return true;
}

static bool directory_each(void *impl,
                           bool (*fn)(void *arg, const char *name, int64_t size, int64_t age_s),
                           void *arg, struct kb_err *err)
{
	struct walk walk = { .dir = impl, .fn = fn, .arg = arg };
	bool ok = read_names(walk.dir, ".", 2, &walk.first, err);

	for (size_t i = 0; ok && i < walk.first.count && !walk.stopped; i++)
		ok = walk_second(&walk, walk.first.names[i], err);
	free(walk.first.names);
	free(walk.second.names);
	free(walk.blobs.names);
	return ok;
}

static bool directory_each_discarded(void *impl,
                                     bool (*fn)(void *arg, const char *name, int64_t size,
                                                int64_t age_s),
                                     void *arg, struct kb_err *err)
{
	struct directory *dir = impl;
	struct names names = { 0 };
	bool ok = read_names(dir, "trash", KB_HASH_HEX - 1, &names, err);

	for (size_t i = 0; ok && i < names.count; i++) {
		char path[TRASHED];
		struct stat st;

		trashed_of(names.names[i], path);
		if (fstatat(dir->root, path, &st, AT_SYMLINK_NOFOLLOW) == 0
		    && !fn(arg, names.names[i], st.st_size, age_of(&st)))
			break;
	}
	free(names.names);
	return ok;
}

static bool directory_tidy(void *impl, int64_t min_age_s, struct kb_err *err)
{
	struct directory *dir = impl;
	struct names names = { 0 };
	bool ok = read_names(dir, "tmp", TEMPORARY - 5, &names, err);

	for (size_t i = 0; ok && i < names.count; i++) {
		char path[TEMPORARY];
		struct stat st;

		snprintf(path, sizeof(path), "tmp/%.32s", names.names[i]);
		if (fstatat(dir->root, path, &st, AT_SYMLINK_NOFOLLOW) == 0
		    && age_of(&st) >= min_age_s)
			unlinkat(dir->root, path, 0);
	}
	free(names.names);
	return ok;
}

/* ---- whose they are ---- */

static bool directory_mark(void *impl, char mark[KB_BLOB_MARK], struct kb_err *err)
{
	struct directory *dir = impl;
	int fd = kb_fault() ? -1 : openat(dir->root, MARK_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char text[KB_BLOB_MARK + 1] = "";
	ssize_t n;

	mark[0] = '\0';
	if (fd < 0)
		return errno == ENOENT || kb_fail_errno(err, "cannot open %s", MARK_FILE);
	n = read(fd, text, sizeof(text) - 1);
	kb_fd_close(&fd);
	if (n < 0)
		return kb_fail_errno(err, "cannot read %s", MARK_FILE);
	if (n != KB_BLOB_MARK || text[n - 1] != '\n'
	    || strspn(text, "0123456789abcdef") != KB_BLOB_MARK - 1)
		return kb_corrupt(err,
		                  "the file %s beside the blobs holds no mark of an installation",
		                  MARK_FILE);
	snprintf(mark, KB_BLOB_MARK, "%.*s", KB_BLOB_MARK - 1, text);
	return true;
}

static bool directory_set_mark(void *impl, const char *mark, struct kb_err *err)
{
	struct directory *dir = impl;
	char text[KB_BLOB_MARK + 1], path[TEMPORARY];

	snprintf(text, sizeof(text), "%s\n", mark);
	name_temporary(path);
	if (!write_temporary(dir, path, kb_sv_str(text), err))
		return false;
	if (!kb_fault() && renameat(dir->root, path, dir->root, MARK_FILE) == 0)
		return sync_at(dir, ".", err);
	kb_fail_errno(err, "cannot write %s", MARK_FILE);
	unlinkat(dir->root, path, 0);
	return false;
}

/* ---- records ---- */

enum { RECORD_PATH = sizeof(RECORDS) + KB_BLOB_RECORD + 1 };

static void record_path(const char *name, char path[RECORD_PATH])
{
	snprintf(path, RECORD_PATH, RECORDS "/%s", name);
}

static bool directory_record_put(void *impl, const char *name, struct kb_sv bytes,
                                 struct kb_err *err)
{
	struct directory *dir = impl;
	char path[RECORD_PATH], temporary[TEMPORARY];

	record_path(name, path);
	name_temporary(temporary);
	if (!make_at(dir, RECORDS, err) || !sync_at(dir, ".", err)
	    || !write_temporary(dir, temporary, bytes, err))
		return false;
	if (!kb_fault() && renameat(dir->root, temporary, dir->root, path) == 0)
		return sync_at(dir, RECORDS, err);
	kb_fail_errno(err, "cannot write %s", path);
	unlinkat(dir->root, temporary, 0);
	return false;
}

static bool directory_record_get(void *impl, struct kb_arena *arena, const char *name,
                                 struct kb_sv *out, struct kb_err *err)
{
	struct directory *dir = impl;
	char path[RECORD_PATH];
	bool ok;
	int fd;

	record_path(name, path);
	fd = kb_fault() ? -1 : openat(dir->root, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 && errno == ENOENT)
		return kb_fail(err, KB_E_NOT_FOUND, "there is no %s", path);
	if (fd < 0)
		return kb_fail_errno(err, "cannot open %s", path);
	ok = kb_fd_read_all(arena, fd, KB_BLOB_RECORD_BYTES, out, err);
	kb_fd_close(&fd);
	return ok;
}

static bool directory_record_drop(void *impl, const char *name, struct kb_err *err)
{
	struct directory *dir = impl;
	char path[RECORD_PATH];

	record_path(name, path);
	if ((kb_fault() || unlinkat(dir->root, path, 0) != 0) && errno != ENOENT)
		return kb_fail_errno(err, "cannot remove %s", path);
	return true;
}

static bool directory_records(void *impl, void (*fn)(void *arg, struct kb_sv name), void *arg,
                              struct kb_err *err)
{
	struct directory *dir = impl;
	int fd = kb_fault() ? -1 : openat(dir->root, RECORDS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	bool ok;

	if (!stream) {
		ok = errno == ENOENT || kb_fail_errno(err, "cannot read the directory %s", RECORDS);
		kb_fd_close(&fd);
		return ok;
	}
	errno = 0;
	while ((entry = kb_fault() ? NULL : readdir(stream)))
		fn(arg, kb_sv_str(entry->d_name));
	ok = errno == 0 || kb_fail_errno(err, "cannot read the directory %s", RECORDS);
	closedir(stream);
	return ok;
}

const struct kb_blob_driver kb_blob_directory = {
	.close = directory_close,
	.put = directory_put,
	.take = directory_take,
	.get = directory_get,
	.stat = directory_stat,
	.remove = directory_remove,
	.each = directory_each,
	.tidy = directory_tidy,
	.discard = directory_discard,
	.recall = directory_recall,
	.each_discarded = directory_each_discarded,
	.purge = directory_purge,
	.mark = directory_mark,
	.set_mark = directory_set_mark,
	.record_put = directory_record_put,
	.record_get = directory_record_get,
	.record_drop = directory_record_drop,
	.records = directory_records,
};
