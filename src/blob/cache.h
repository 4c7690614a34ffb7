/*
 * Whole blobs on a local disk, for a driver whose own are far away:
 *
 *   <dir>/ab/abcd…   a blob
 *   <dir>/tmp/…      one on its way in
 *   <dir>/lock       held by the one process that uses the folder
 *
 * The folder is worth nothing but time: it may be lost, emptied or damaged whenever it is. A blob
 * is fetched once however many ask for it, comes in under its name only when it is whole, and its
 * bytes are checked against the name once a life of the process, before anybody is given them; one
 * that is damaged is fetched anew. Past its size the folder loses what was not used for longest,
 * but nothing that is held.
 *
 * Any thread may call at once, and calls may block; no lock is held while one waits for the disk's
 * bytes or the driver.
 */
#ifndef KB_BLOB_CACHE_H
#define KB_BLOB_CACHE_H

#include "base/log.h"
#include "blob/blob.h"

struct kb_blob_cache;

/* Made if missing. KB_E_CONFLICT: another process uses the folder. */
struct kb_blob_cache *kb_blob_cache_open(const char *dir, int64_t max_bytes,
                                         const struct kb_log *log,
                                         struct kb_err *err) KB_MUST_CHECK;
/* NULL is fine. */
void kb_blob_cache_close(struct kb_blob_cache *cache);

/* Brings a blob's bytes, whole and checked, into an empty file. */
struct kb_blob_source {
	bool (*fetch)(void *arg, const char *name, int fd, struct kb_err *err);
	void *arg;
};
/* A descriptor for reading, the caller's. Errors are the source's; KB_E_FULL: the disk is of no
 * use, whatever it says, and the caller may fetch for itself. The source says so too. */
bool kb_blob_cache_get(struct kb_blob_cache *cache, const char *name,
                       const struct kb_blob_source *source, int *fd, int64_t *size,
                       struct kb_err *err) KB_MUST_CHECK;

/* What was just put, so that it need not be fetched. The bytes are those of the name. Without
 * effect where the disk is full. */
void kb_blob_cache_put(struct kb_blob_cache *cache, const char *name, struct kb_sv bytes);
/* The same of a file, by renaming it. False: it is where it was, being of another file system, or
 * there already. */
bool kb_blob_cache_take(struct kb_blob_cache *cache, const char *name, const char *path);
/* Forgets it: it was removed, or is damaged. */
void kb_blob_cache_drop(struct kb_blob_cache *cache, const char *name);

/* A held blob stays: its file is mapped, so that its end would free nothing. One that is not there
 * is no mistake. */
void kb_blob_cache_hold(struct kb_blob_cache *cache, const char *name);
void kb_blob_cache_release(struct kb_blob_cache *cache, const char *name);

void kb_blob_cache_stats(struct kb_blob_cache *cache, struct kb_blob_cache_stats *out);

#endif
