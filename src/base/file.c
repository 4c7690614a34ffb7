#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fault.h"

void kb_fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void free_bytes(void *p)
{
	free(p);
}

static bool read_all(struct kb_arena *arena, int fd, const char *what, size_t max,
                     struct kb_sv *out, struct kb_err *err)
{
	struct kb_buf buf;

	kb_buf_init(&buf, max + 1);
	for (;;) {
		char *room;
		ssize_t n;

		if (buf.n > max) {
			kb_buf_fini(&buf);
			return kb_fail(err, KB_E_TOO_LARGE, "%s is larger than %zu bytes", what,
			               max);
		}
		room = kb_buf_room(&buf, KB_MIN(KB_MAX(buf.n, KB_KIB(16)), max + 1 - buf.n));
		KB_ASSERT(room);
		n = kb_fault() ? -1
		               : read(fd, room, KB_MIN(KB_MAX(buf.n, KB_KIB(16)), max + 1 - buf.n));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			kb_fail_errno(err, "cannot read %s", what);
			kb_buf_fini(&buf);
			return false;
		}
		if (n == 0)
			break;
		kb_buf_advance(&buf, (size_t)n);
	}
	kb_buf_byte(&buf, '\0');
	if (!buf.failed)
		buf.n--;
	kb_arena_on_fini(arena, free_bytes, buf.p);
	*out = kb_buf_view(&buf);
	return true;
}

bool kb_file_read(struct kb_arena *arena, const char *path, size_t max, struct kb_sv *out,
                  struct kb_err *err)
{
	int fd = kb_fault() ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	bool ok;

	if (fd < 0)
		return kb_fail_errno(err, "cannot open %s", path);
	ok = read_all(arena, fd, path, max, out, err);
	kb_fd_close(&fd);
	return ok;
}

bool kb_fd_read_all(struct kb_arena *arena, int fd, size_t max, struct kb_sv *out,
                    struct kb_err *err)
{
	return read_all(arena, fd, "the input", max, out, err);
}

bool kb_fd_open_again(int fd, int *out, struct kb_err *err)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	*out = kb_fault() ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	return *out >= 0 || kb_fail_errno(err, "opening the document again");
}

bool kb_fd_write_all(int fd, struct kb_sv bytes, const char *what, struct kb_err *err)
{
	while (bytes.n) {
		ssize_t n = kb_fault() ? -1 : write(fd, bytes.p, bytes.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return kb_fail_errno(err, "cannot write %s", what);
		bytes = kb_sv_from(bytes, (size_t)n);
	}
	return true;
}

bool kb_path_sync(const char *path, struct kb_err *err)
{
	int fd = kb_fault() ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0 && !kb_fault() && fsync(fd) == 0;

	if (!ok)
		kb_fail_errno(err, "cannot sync %s", path);
	kb_fd_close(&fd);
	return ok;
}

/* The directory part of a path, in place of it. */
static void parent_of(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash)
		snprintf(path, 2, ".");
	else if (slash == path)
		path[1] = '\0';
	else
		*slash = '\0';
}

bool kb_file_replace(const char *path, struct kb_sv bytes, struct kb_err *err)
{
	size_t n = strlen(path) + 16;
	char *temporary = kb_xmalloc(n);
	bool ok = false;
	int fd;

	snprintf(temporary, n, "%s.tmpXXXXXX", path);
	fd = kb_fault() ? -1 : mkostemp(temporary, O_CLOEXEC);
	if (fd < 0) {
		kb_fail_errno(err, "cannot create a file beside %s", path);
		free(temporary);
		return false;
	}
	if (!kb_fd_write_all(fd, bytes, path, err))
		goto out;
	if (kb_fault() || fsync(fd) != 0 || kb_fault() || rename(temporary, path) != 0) {
		kb_fail_errno(err, "cannot write %s", path);
		goto out;
	}
	snprintf(temporary, n, "%s", path);
	parent_of(temporary);
	ok = kb_path_sync(temporary, err);
	temporary[0] = '\0';
out:
	kb_fd_close(&fd);
	if (temporary[0])
		unlink(temporary);
	free(temporary);
	return ok;
}

bool kb_dir_make(const char *path, struct kb_err *err)
{
	char *copy = kb_xstrdup(path);
	bool ok = true;

	for (char *p = copy + 1; ok; p++) {
		char saved = *p;

		if (saved != '/' && saved != '\0')
			continue;
		*p = '\0';
		if (mkdir(copy, 0700) != 0 && errno != EEXIST)
			ok = kb_fail_errno(err, "cannot make the directory %s", copy);
		*p = saved;
		if (saved == '\0')
			break;
	}
	free(copy);
	return ok;
}
