#include "crawl/own_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "crawl/browser_impl.h"

static const char *temp_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir == '/' ? dir : "/tmp";
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	(void)remove(path); /* what stays is tried again by whoever comes next */
	return 0;
}

static void remove_tree(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* Its maker holds the folder as long as he lives: what nobody holds is left of a crash. */
static int hold(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB))
		kb_fd_close(&fd);
	return fd;
}

static bool is_ours(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0
	       && (st.st_uid == geteuid()
	           || (geteuid() == 0
	               && (st.st_uid == KB_USER_BROWSER || st.st_uid == KB_USER_FILM
	                   || st.st_uid == KB_USER_NOBODY)));
}

void kb_own_folder_sweep(const char *prefix)
{
	const char *dir = temp_dir();
	DIR *list = opendir(dir);
	struct dirent *entry;

	while (list && (entry = readdir(list))) {
		char path[PATH_MAX];
		int fd;

		if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0
		    || snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name) >= PATH_MAX)
			continue;
		fd = hold(path);
		if (fd >= 0 && is_ours(fd))
			remove_tree(path);
		kb_fd_close(&fd);
	}
	if (list)
		closedir(list);
}

bool kb_own_folder_make(const char *prefix, enum kb_user user, struct kb_own_folder *out,
                        struct kb_err *err)
{
	out->fd = -1;
	snprintf(out->path, sizeof(out->path), "%s/%sXXXXXX", temp_dir(), prefix);
	if (!mkdtemp(out->path)) {
		out->path[0] = '\0';
		return kb_fail_errno(err, "cannot make a folder in %s", temp_dir());
	}
	out->fd = hold(out->path);
	if (out->fd < 0 || (geteuid() == 0 && !kb_user_give(out->fd, user)))
		return kb_fail_errno(err, "cannot hand over the folder %s", out->path);
	return true;
}

void kb_own_folder_remove(struct kb_own_folder *folder)
{
	if (folder->path[0])
		remove_tree(folder->path);
	folder->path[0] = '\0';
	kb_fd_close(&folder->fd);
}
