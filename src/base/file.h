/*
 * Files and descriptors: whole reads, whole writes, durable replacement. Each step may be made to
 * fail (fault.h).
 *
 * All calls may block and are for workers, not for a loop thread.
 */
#ifndef KB_BASE_FILE_H
#define KB_BASE_FILE_H

#include "base/arena.h"

/* Reads all of a file; KB_E_TOO_LARGE over max bytes. */
bool kb_file_read(struct kb_arena *arena, const char *path, size_t max, struct kb_sv *out,
                  struct kb_err *err) KB_MUST_CHECK;
/* Reads until the end of a descriptor, which stays open. The same. */
bool kb_fd_read_all(struct kb_arena *arena, int fd, size_t max, struct kb_sv *out,
                    struct kb_err *err) KB_MUST_CHECK;
/* The same file by a descriptor of its own: programs that read one description of a file move each
 * other's place in it. Also where the file has no name. */
bool kb_fd_open_again(int fd, int *out, struct kb_err *err) KB_MUST_CHECK;
/* Writes all of it, going on after short writes. `what` names the target in the error. */
bool kb_fd_write_all(int fd, struct kb_sv bytes, const char *what,
                     struct kb_err *err) KB_MUST_CHECK;
/* Writes a file so that after a crash the old or the new content is there: a temporary file beside
 * it, fsync, rename, fsync of the directory. */
bool kb_file_replace(const char *path, struct kb_sv bytes, struct kb_err *err) KB_MUST_CHECK;
/* fsync of a file or directory by path. */
bool kb_path_sync(const char *path, struct kb_err *err) KB_MUST_CHECK;
/* Makes a directory and its parents (mode 0700). */
bool kb_dir_make(const char *path, struct kb_err *err) KB_MUST_CHECK;
void kb_fd_close(int *fd); /* closes and sets -1; -1 is fine */

#endif
