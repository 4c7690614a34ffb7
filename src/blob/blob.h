/*
 * Immutable bytes by content: originals, extracted text, segments.
 *
 * A blob's name is the BLAKE2b-256 of its bytes in hexadecimal. It is written once, durable when
 * put returns, and removed only by a sweep that starts from the store, which puts what cannot be
 * made again into a trash first. Reading or putting a blob that is in the trash brings it back. Any
 * worker may call at any time; every call may block. Names from users never get here.
 */
#ifndef KB_BLOB_BLOB_H
#define KB_BLOB_BLOB_H

#include "base/arena.h"
#include "base/hash.h"

struct kb_blobs; /* a directory now, an S3 bucket later, behind one struct of functions */

struct kb_blob_name {
	char hex[KB_HASH_HEX];
};

/* where: a directory, made if missing. */
struct kb_blobs *kb_blobs_open(const char *where, struct kb_err *err) KB_MUST_CHECK;
/* No call is in progress. */
void kb_blobs_close(struct kb_blobs *blobs);

bool kb_blob_put(struct kb_blobs *blobs, struct kb_sv bytes, struct kb_blob_name *name,
                 struct kb_err *err) KB_MUST_CHECK;
/* Takes a file of the same file system over by renaming it. Where that content is there already,
 * the file is removed. After a failure the file may still be there, and is the caller's. */
bool kb_blob_take(struct kb_blobs *blobs, const char *path, struct kb_blob_name *name,
                  int64_t *size, struct kb_err *err) KB_MUST_CHECK;

/* An open descriptor for reading, the caller's to close; *size in bytes. KB_E_NOT_FOUND when there
 * is none. */
bool kb_blob_open(struct kb_blobs *blobs, const char *name, int *fd, int64_t *size,
                  struct kb_err *err) KB_MUST_CHECK;
/* All bytes, checked against the name (KB_E_CORRUPT). */
bool kb_blob_read(struct kb_blobs *blobs, struct kb_arena *arena, const char *name, size_t max,
                  struct kb_sv *out, struct kb_err *err) KB_MUST_CHECK;
/* Checks the bytes against the name without keeping them. */
bool kb_blob_verify(struct kb_blobs *blobs, const char *name, struct kb_err *err) KB_MUST_CHECK;
/* Removes the blob if its bytes are not those of its name, so that a put of the right ones stores
 * them. One that is whole or not there is no mistake. */
bool kb_blob_drop_damaged(struct kb_blobs *blobs, const char *name,
                          struct kb_err *err) KB_MUST_CHECK;

/* For tests: calls fn for every blob with its name, size and age since last put; false from fn ends
 * it early. */
bool kb_blob_each(struct kb_blobs *blobs,
                  bool (*fn)(void *arg, const char *name, int64_t size, int64_t age_s), void *arg,
                  struct kb_err *err) KB_MUST_CHECK;
/* The two ways to end a blob that was not put since min_age_s: a put that is not committed yet is
 * younger, and a put of content that is there renews its age. A blob that is gone already, or too
 * young, is no mistake: then *done is false. */
bool kb_blob_remove(struct kb_blobs *blobs, const char *name, int64_t min_age_s, bool *done,
                    struct kb_err *err) KB_MUST_CHECK;
bool kb_blob_discard(struct kb_blobs *blobs, const char *name, int64_t min_age_s, bool *done,
                     struct kb_err *err) KB_MUST_CHECK;

/* Empties the trash of what is there since min_age_s; what `wanted` wants comes back instead,
 * whatever its age. */
struct kb_trash {
	int64_t kept, removed, recalled;
};
bool kb_blobs_empty_trash(struct kb_blobs *blobs, bool (*wanted)(void *arg, const char *name),
                          void *arg, int64_t min_age_s, struct kb_trash *out,
                          struct kb_err *err) KB_MUST_CHECK;
/* Removes what puts left behind that never ended. */
bool kb_blobs_tidy(struct kb_blobs *blobs, int64_t min_age_s, struct kb_err *err) KB_MUST_CHECK;

/* Which installation the blobs belong to: a random word of 128 bits beside them, the same as in its
 * store. Empty: none yet. KB_E_CORRUPT: there is something else in its place. */
enum { KB_BLOB_MARK = 2 * 16 + 1 };
bool kb_blobs_mark(struct kb_blobs *blobs, char mark[KB_BLOB_MARK],
                   struct kb_err *err) KB_MUST_CHECK;
bool kb_blobs_set_mark(struct kb_blobs *blobs, const char *mark, struct kb_err *err) KB_MUST_CHECK;

#endif
