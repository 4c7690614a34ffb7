/*
 * The files of a local folder: which there are, by what their bytes are, and when that has changed.
 *
 * Hidden files and links are left out, and in a Git checkout what its ignore rules leave out, too.
 * One thread.
 */
#ifndef KB_CLI_SYNC_FOLDER_H
#define KB_CLI_SYNC_FOLDER_H

#include "base/arena.h"
#include "base/hash.h"

struct kb_folder_file {
	struct kb_sv path; /* from the folder on, with '/' */
	const char *file;  /* to open it by */
	char hash[KB_HASH_HEX];
	int64_t size, mtime_ns, inode;
};

/* What the service calls a document's content_hash; of no link. errno says why not. */
bool kb_folder_hash(const char *path, char out[KB_HASH_HEX]) KB_MUST_CHECK;

struct kb_folder {
	const char *dir; /* the caller's, as are the globs */
	const char **globs;
	size_t glob_count; /* 0: every file */
	bool watch;
	int inotify; /* -1: not watched */
	struct kb_arena arena;
	struct kb_folder_file *files; /* by path, bytewise */
	size_t count;
};

/* Reads its files; of those that have changed since the last time, the bytes too. When it fails,
 * what was read the last time is there. */
bool kb_folder_read(struct kb_folder *folder, struct kb_err *err) KB_MUST_CHECK;
/* Where `watch` is set: waits until something in it changes, and then for a moment of quiet. */
bool kb_folder_wait(struct kb_folder *folder, struct kb_err *err) KB_MUST_CHECK;
void kb_folder_close(struct kb_folder *folder);

#endif
