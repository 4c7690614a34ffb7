/*
 * Immutable bytes by content: originals, extracted text, segments.
 *
 * A blob's name is the BLAKE2b-256 of its bytes in hexadecimal. It is written once, durable when
 * put returns, and removed only by a sweep that starts from the store. Any worker may call at any
 * time; every call may block. Names from users never get here.
 *
 * They are kept in a directory or in an S3 bucket. In a directory what cannot be made again is put
 * into a trash first, and reading or putting it brings it back. In a bucket a row of the store
 * stands for each blob (struct kb_blob_ledger) and is what the sweep goes by, for several nodes
 * share a bucket and none of them sees what another has just begun; blobs on their way out stay
 * where they are. Reads go through a cache of whole blobs on a local disk, if there is one.
 */
#ifndef KB_BLOB_BLOB_H
#define KB_BLOB_BLOB_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/log.h"
#include "blob/bucket.h"
#include "blob/s3_call.h"

struct kb_blobs;

struct kb_blob_name {
	char hex[KB_HASH_HEX];
};

/* where: a directory, made if missing. */
struct kb_blobs *kb_blobs_open(const char *where, struct kb_err *err) KB_MUST_CHECK;

struct kb_blobs_bucket {
	struct kb_bucket_options options;
	struct kb_s3_patience patience;
	const char *cache_dir; /* made if missing; NULL: none */
	int64_t cache_bytes;
	int64_t part_bytes; /* of a blob that is sent in parts; 0: the usual */
	bool is_sealed; /* names are not the hashes of what is there: sealed.h looks at the bytes;
	                 * without a cache */
	const struct kb_log *log;
};
/* Asks nothing of the bucket yet. KB_E_INVALID names the option that is wrong. */
struct kb_blobs *kb_blobs_open_bucket(const struct kb_blobs_bucket *config,
                                      struct kb_err *err) KB_MUST_CHECK;
/* Calls to a bucket end within a second with KB_E_CANCELLED, and new ones at once. NULL is fine. */
void kb_blobs_cancel(struct kb_blobs *blobs);
/* No call is in progress. NULL is fine. */
void kb_blobs_close(struct kb_blobs *blobs);

/* Who is told of each blob before it is sent to a bucket, so that nobody removes it meanwhile. */
struct kb_blob_ledger {
	/* *known: it may be there already. KB_E_BUSY: it is being removed right now, and the call
	 * is repeated in a moment. */
	bool (*note)(void *arg, const char *name, struct kb_sv bytes, bool *known,
	             struct kb_err *err);
	void *arg;
};
/* Before the first put. */
void kb_blobs_set_ledger(struct kb_blobs *blobs, const struct kb_blob_ledger *ledger);
/* Whether they are in a bucket. */
bool kb_blobs_are_remote(const struct kb_blobs *blobs);
/* After a failure of one of them, for work that may wait: what a bucket refuses it refuses
 * everybody, so KB_E_IO becomes KB_E_AWAY there. Returns false. */
bool kb_blob_blame(const struct kb_blobs *blobs, struct kb_err *err);

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

/* KB_E_NOT_FOUND when there is none: as kb_blob_open, without the bytes. */
bool kb_blob_stat(struct kb_blobs *blobs, const char *name, int64_t *size,
                  struct kb_err *err) KB_MUST_CHECK;

/* Brings several blobs into the cache at once, for who will open them one after another. What
 * cannot be had says so when it is opened. Nothing to do for a directory. */
void kb_blobs_prefetch(struct kb_blobs *blobs, const char *const *names, size_t count);

/* While a blob is held its local copy is not given up for others: its file is mapped. */
void kb_blob_hold(struct kb_blobs *blobs, const char *name);
void kb_blob_release(struct kb_blobs *blobs, const char *name);

/* Calls fn for every blob with its name, size and age since last put; false from fn ends it early.
 * Sealed ones (sealed.h) have no names to list. In a bucket that is a listing, which is for an
 * operator's commands and not for daily work. */
bool kb_blob_each(struct kb_blobs *blobs,
                  bool (*fn)(void *arg, const char *name, int64_t size, int64_t age_s), void *arg,
                  struct kb_err *err) KB_MUST_CHECK;
/* What each and remove of the place within know a blob by, for who keeps order where they are
 * sealed. Of blobs that are not, the place is their own, and so is the name. */
struct kb_blobs *kb_blobs_within(struct kb_blobs *blobs);
void kb_blob_name_within(struct kb_blobs *blobs, const char *name, char out[KB_HASH_HEX]);
/* The two ways to end a blob of a directory that was not put since min_age_s: a put that is not
 * committed yet is younger, and a put of content that is there renews its age. A blob that is gone
 * already, or too young, is no mistake: then *done is false. Of a bucket the ledger knows the ages:
 * there is only remove, with 0. */
bool kb_blob_remove(struct kb_blobs *blobs, const char *name, int64_t min_age_s, bool *done,
                    struct kb_err *err) KB_MUST_CHECK;
bool kb_blob_discard(struct kb_blobs *blobs, const char *name, int64_t min_age_s, bool *done,
                     struct kb_err *err) KB_MUST_CHECK;

/* Empties the trash of what is there since min_age_s; what `wanted` wants comes back instead,
 * whatever its age. */
struct kb_trash_rule {
	bool (*wanted)(void *arg, const char *name);
	void *arg;
	int64_t min_age_s;
	const struct kb_cancel *cancel; /* asked before each; may be NULL */
};
struct kb_trash {
	int64_t kept, removed, recalled;
};
bool kb_blobs_empty_trash(struct kb_blobs *blobs, const struct kb_trash_rule *rule,
                          struct kb_trash *out, struct kb_err *err) KB_MUST_CHECK;
/* Removes what puts left behind that never ended. */
bool kb_blobs_tidy(struct kb_blobs *blobs, int64_t min_age_s, struct kb_err *err) KB_MUST_CHECK;

/* Which installation the blobs belong to: a random word of 128 bits beside them, the same as in its
 * store. Empty: none yet. KB_E_CORRUPT: there is something else in its place. */
enum { KB_BLOB_MARK = 2 * 16 + 1 };
bool kb_blobs_mark(struct kb_blobs *blobs, char mark[KB_BLOB_MARK],
                   struct kb_err *err) KB_MUST_CHECK;
bool kb_blobs_set_mark(struct kb_blobs *blobs, const char *mark, struct kb_err *err) KB_MUST_CHECK;

/* ---- records ---- */

/* Small texts under names of the caller's, apart from the blobs: what says which of them belong
 * together. A name is 1 to KB_BLOB_RECORD letters, digits, hyphens and dots, no dot first. */
enum { KB_BLOB_RECORD = 80, KB_BLOB_RECORD_BYTES = 4 << 20 };
/* Durable when it returns: whoever reads finds the old text or the new one, whole. */
bool kb_blobs_record_put(struct kb_blobs *blobs, const char *name, struct kb_sv bytes,
                         struct kb_err *err) KB_MUST_CHECK;
/* KB_E_NOT_FOUND where there is none. */
bool kb_blobs_record_get(struct kb_blobs *blobs, struct kb_arena *arena, const char *name,
                         struct kb_sv *out, struct kb_err *err) KB_MUST_CHECK;
/* One that is gone already is no mistake. */
bool kb_blobs_record_drop(struct kb_blobs *blobs, const char *name,
                          struct kb_err *err) KB_MUST_CHECK;
struct kb_blob_records {
	struct kb_sv *v; /* names, sorted */
	size_t count;
};
bool kb_blobs_records(struct kb_blobs *blobs, struct kb_arena *arena, struct kb_blob_records *out,
                      struct kb_err *err) KB_MUST_CHECK;

/* ---- how they are doing ---- */

/* Whether they can be read right now; answers within seconds. A directory always can. */
bool kb_blobs_ready(struct kb_blobs *blobs, struct kb_err *err) KB_MUST_CHECK;

struct kb_blob_cache_stats {
	int64_t blobs, bytes, held; /* right now; held: how often any of them is */
	int64_t hits, misses, evictions, damaged;
	int64_t failures; /* blobs that the disk did not take */
};
struct kb_blobs_stats {
	bool is_remote;
	struct kb_health_stats server;
	int64_t sent_bytes, fetched_bytes;
	struct kb_blob_cache_stats cache;
};
void kb_blobs_stats(struct kb_blobs *blobs, struct kb_blobs_stats *out);

#endif
