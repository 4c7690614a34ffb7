#include "cli/sync_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <fts.h>
#include <limits.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"

enum {
	PIECE_BYTES = 65536,
	QUIET_MS = 300,
	RESTLESS_MS = 5000, /* it is read even where it is never quiet */
	/* A file may change twice within a tick of the file system's clock. */
	TICK_NS = 2000 * 1000 * 1000,
};
#define IGNORED_MAX KB_MIB(64)
#define CHANGES                                                                                    \
	(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE_SELF     \
	 | IN_MOVE_SELF | IN_ONLYDIR)

extern char **environ;

/* ---- what Git leaves out ---- */

struct ignored {
	struct kb_sv *v; /* from the folder on, by bytes */
	size_t count;
};

static int by_bytes(const void *a, const void *b)
{
	return kb_sv_cmp(*(const struct kb_sv *)a, *(const struct kb_sv *)b);
}

/* Whether the folder is in a checkout. */
static bool is_checkout(const char *dir)
{
	char path[PATH_MAX], git[PATH_MAX + sizeof("/.git")];
	struct stat st;

	if (!realpath(dir, path))
		return false;
	for (;;) {
		char *slash = strrchr(path, '/');

		snprintf(git, sizeof(git), "%s/.git", path);
		if (lstat(git, &st) == 0)
			return true;
		if (!slash || !path[0])
			return false;
		*slash = '\0';
	}
}

/* What `git ls-files` prints. */
static bool ask_git(const char *dir, struct kb_arena *arena, struct kb_sv *out, struct kb_err *err)
{
	const char *argv[] = { "git",
		               "-c",
		               "core.fsmonitor=false",
		               "-C",
		               dir,
		               "ls-files",
		               "-z",
		               "--others",
		               "--ignored",
		               "--exclude-standard",
		               "--directory",
		               NULL };
	posix_spawn_file_actions_t actions;
	int pipes[2], status = 0, failed;
	pid_t pid;
	bool ok;

	if (pipe2(pipes, O_CLOEXEC))
		return kb_fail_errno(err, "asking git");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
	// posix_spawnp() takes the arguments without const and leaves them alone.
	failed = posix_spawnp(&pid, "git", &actions, NULL, (char **)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(pipes[1]);
	ok = failed ? kb_fail(err, KB_E_UNSUPPORTED,
	                      "%s is a Git checkout, and git cannot be started: %s", dir,
	                      strerror(failed))
	            : kb_fd_read_all(arena, pipes[0], IGNORED_MAX, out, err);
	close(pipes[0]);
	if (!failed)
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	return ok
	       && (status == 0
	           || kb_fail(err, KB_E_IO, "git cannot tell what it ignores in %s", dir));
}

static bool read_ignored(const char *dir, struct kb_arena *arena, struct ignored *out,
                         struct kb_err *err)
{
	struct kb_sv list = KB_SV(""), rest, part;
	size_t capacity = 0;

	*out = (struct ignored){ 0 };
	if (!is_checkout(dir))
		return true;
	if (!ask_git(dir, arena, &list, err))
		return false;
	for (size_t i = 0; i < list.n; i++)
		capacity += list.p[i] == '\0';
	out->v = KB_NEW_ARRAY(arena, capacity + 1, struct kb_sv);
	for (rest = list; kb_sv_split(&rest, '\0', &part);) {
		if (kb_sv_ends(part, KB_SV("/")))
			part.n--;
		if (part.n)
			out->v[out->count++] = part;
	}
	if (out->count)
		qsort(out->v, out->count, sizeof(*out->v), by_bytes);
	return true;
}

static bool is_ignored(const struct ignored *ignored, struct kb_sv path)
{
	return ignored->count && bsearch(&path, ignored->v, ignored->count, sizeof(path), by_bytes);
}

/* ---- its files ---- */

static int by_path(const void *a, const void *b)
{
	const struct kb_folder_file *one = a, *two = b;

	return kb_sv_cmp(one->path, two->path);
}

static bool is_included(const struct kb_folder *folder, const char *path, const char *name)
{
	for (size_t i = 0; i < folder->glob_count; i++)
		if (fnmatch(folder->globs[i], strchr(folder->globs[i], '/') ? path : name, 0) == 0)
			return true;
	return folder->glob_count == 0;
}

bool kb_folder_hash(const char *path, char out[KB_HASH_HEX])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char *piece = kb_xmalloc(PIECE_BYTES);
	struct kb_hasher hasher;
	ssize_t n = -1;
	int why;

	kb_hasher_init(&hasher);
	while (fd >= 0 && (n = read(fd, piece, PIECE_BYTES)) > 0)
		kb_hasher_add(&hasher, piece, (size_t)n);
	why = errno;
	kb_hasher_hex(&hasher, out);
	kb_fd_close(&fd);
	free(piece);
	errno = why;
	return n == 0;
}

/* A file that looks as it did the last time has the bytes it had then. False: it is gone. One that
 * cannot be read has no hash, and whoever sends it learns why. */
static bool know_file(const struct kb_folder *folder, struct kb_folder_file *file)
{
	const struct kb_folder_file *before =
	        folder->count ? bsearch(file, folder->files, folder->count, sizeof(*file), by_path)
	                      : NULL;

	if (before && before->size == file->size && before->mtime_ns == file->mtime_ns
	    && before->inode == file->inode) {
		memcpy(file->hash, before->hash, sizeof(file->hash));
		return true;
	}
	if (!kb_folder_hash(file->file, file->hash)) {
		file->hash[0] = '\0';
		return errno != ENOENT;
	}
	if (kb_clock_now_us(NULL) * 1000 - file->mtime_ns < TICK_NS)
		file->mtime_ns = -1;
	return true;
}

static bool watch_dir(const struct kb_folder *folder, const char *dir, struct kb_err *err)
{
	if (folder->inotify < 0 || inotify_add_watch(folder->inotify, dir, CHANGES) >= 0
	    || errno == ENOENT || errno == ENOTDIR)
		return true;
	if (errno == ENOSPC)
		return kb_fail(err, KB_E_EXHAUSTED,
		               "the system watches no more folders than it does: raise "
		               "fs.inotify.max_user_watches");
	return kb_fail_errno(err, "watching %s", dir);
}

struct reading {
	struct kb_arena arena;
	const struct kb_folder *folder;
	struct ignored ignored;
	struct kb_folder_file *files;
	size_t count, capacity;
};

static void take_file(struct reading *in, const FTSENT *entry, struct kb_sv path)
{
	const struct stat *st = entry->fts_statp;
	struct kb_folder_file file = {
		.path = kb_arena_sv(&in->arena, path),
		.file = kb_arena_printf(&in->arena, "%s", entry->fts_path).p,
		.size = st->st_size,
		.mtime_ns = st->st_mtim.tv_sec * INT64_C(1000000000) + st->st_mtim.tv_nsec,
		.inode = (int64_t)st->st_ino,
	};

	if (!know_file(in->folder, &file))
		return;
	KB_GROW(in->files, in->capacity, in->count + 1);
	in->files[in->count++] = file;
}

static bool take_entry(struct reading *in, FTS *tree, FTSENT *entry, size_t top, struct kb_err *err)
{
	struct kb_sv path = kb_sv_from(kb_sv_str(entry->fts_path), top);
	bool left_out = entry->fts_level > 0
	                && (entry->fts_name[0] == '.' || is_ignored(&in->ignored, path));

	switch (entry->fts_info) {
	case FTS_D:
		if (!left_out)
			return watch_dir(in->folder, entry->fts_path, err);
		fts_set(tree, entry, FTS_SKIP);
		return true;
	case FTS_F:
		if (!left_out && is_included(in->folder, path.p, entry->fts_name))
			take_file(in, entry, path);
		return true;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		return (entry->fts_level > 0 && entry->fts_errno == ENOENT)
		       || kb_fail(err, KB_E_IO, "%s: %s", entry->fts_path,
		                  strerror(entry->fts_errno));
	default:
		return true;
	}
}

static bool walk(struct reading *in, struct kb_err *err)
{
	char *dir = kb_xstrdup(in->folder->dir), *paths[] = { dir, NULL };
	size_t n = strlen(dir);
	FTSENT *entry;
	FTS *tree;
	bool ok = true;

	while (n > 1 && dir[n - 1] == '/')
		dir[--n] = '\0';
	tree = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
	if (!tree)
		ok = kb_fail_errno(err, "%s", dir);
	while (ok && (entry = fts_read(tree)))
		ok = entry->fts_level == 0 && entry->fts_info == FTS_F
		             ? kb_fail(err, KB_E_INVALID, "%s is a file; name a folder", dir)
		             : take_entry(in, tree, entry, n + (dir[n - 1] != '/'), err);
	if (tree)
		fts_close(tree);
	free(dir);
	return ok;
}

bool kb_folder_read(struct kb_folder *folder, struct kb_err *err)
{
	struct reading in = { .folder = folder };

	if (folder->watch && folder->inotify < 0) {
		folder->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
		if (folder->inotify < 0)
			return kb_fail_errno(err, "watching %s", folder->dir);
	}
	if (!read_ignored(folder->dir, &in.arena, &in.ignored, err) || !walk(&in, err)) {
		free(in.files);
		kb_arena_fini(&in.arena);
		return false;
	}
	free(folder->files);
	kb_arena_fini(&folder->arena);
	folder->arena = in.arena;
	folder->files = in.files;
	folder->count = in.count;
	if (folder->count)
		qsort(folder->files, folder->count, sizeof(*folder->files), by_path);
	return true;
}

/* ---- its changes ---- */

static bool drain(int fd)
{
	_Alignas(struct inotify_event) char events[4096];
	bool any = false;

	while (read(fd, events, sizeof(events)) > 0)
		any = true;
	return any;
}

bool kb_folder_wait(struct kb_folder *folder, struct kb_err *err)
{
	struct pollfd fd = { .fd = folder->inotify, .events = POLLIN };
	int64_t until = 0;

	for (;;) {
		int n = poll(&fd, 1, until ? QUIET_MS : -1);

		if (n < 0 && errno != EINTR)
			return kb_fail_errno(err, "watching %s", folder->dir);
		if (until && (n == 0 || kb_clock_mono_us() >= until))
			return true;
		if (drain(folder->inotify) && !until)
			until = kb_clock_mono_us() + RESTLESS_MS * INT64_C(1000);
	}
}

void kb_folder_close(struct kb_folder *folder)
{
	kb_fd_close(&folder->inotify);
	free(folder->files);
	kb_arena_fini(&folder->arena);
}
