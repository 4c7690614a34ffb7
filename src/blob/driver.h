/* What keeps the bytes: a directory, or a bucket. Only files of src/blob include this. Names were
 * checked: 64 lower hexadecimal digits. */
#ifndef KB_BLOB_DRIVER_H
#define KB_BLOB_DRIVER_H

#include "base/err.h"

/* Of blob.h. */
struct kb_blob_ledger;
struct kb_blobs_bucket;
struct kb_blobs_stats;
struct kb_arena;

struct kb_blob_driver {
	void (*close)(void *impl);
	/* Durable when it returns; content that is there is only renewed. */
	bool (*put)(void *impl, const char *name, struct kb_sv bytes, struct kb_err *err);
	/* The same with a file, which is gone afterwards. */
	bool (*take)(void *impl, const char *name, const char *path, int64_t size,
	             struct kb_err *err);
	bool (*get)(void *impl, const char *name, int *fd, int64_t *size, struct kb_err *err);
	bool (*stat)(void *impl, const char *name, int64_t *size, struct kb_err *err);
	/* Removes the blob if it is still older than min_age_s. */
	bool (*remove)(void *impl, const char *name, int64_t min_age_s, bool *removed,
	               struct kb_err *err);
	bool (*each)(void *impl,
	             bool (*fn)(void *arg, const char *name, int64_t size, int64_t age_s),
	             void *arg, struct kb_err *err);
	/* Removes what puts that never ended have left behind. */
	bool (*tidy)(void *impl, int64_t min_age_s, struct kb_err *err);

	/* The trash of a directory; a bucket has none. */
	/* As remove, but into the trash; its age there begins. get brings it back. */
	bool (*discard)(void *impl, const char *name, int64_t min_age_s, bool *discarded,
	                struct kb_err *err);
	/* Out of the trash, as if put now. One that is not there is no mistake. */
	bool (*recall)(void *impl, const char *name, struct kb_err *err);
	/* As each, of the trash; age_s since the discard. */
	bool (*each_discarded)(void *impl,
	                       bool (*fn)(void *arg, const char *name, int64_t size, int64_t age_s),
	                       void *arg, struct kb_err *err);
	/* Removes it from the trash for good. */
	bool (*purge)(void *impl, const char *name, struct kb_err *err);

	/* The mark of the installation the blobs belong to, in KB_BLOB_MARK bytes; empty: none. */
	bool (*mark)(void *impl, char *mark, struct kb_err *err);
	/* Durable when it returns. */
	bool (*set_mark)(void *impl, const char *mark, struct kb_err *err);

	/* Records: names were checked. put is durable when it returns, and what was there goes at
	 * once; get says KB_E_NOT_FOUND; drop of none is no mistake. */
	bool (*record_put)(void *impl, const char *name, struct kb_sv bytes, struct kb_err *err);
	bool (*record_get)(void *impl, struct kb_arena *arena, const char *name, struct kb_sv *out,
	                   struct kb_err *err);
	bool (*record_drop)(void *impl, const char *name, struct kb_err *err);
	/* Calls fn for each name, in any order. */
	bool (*records)(void *impl, void (*fn)(void *arg, struct kb_sv name), void *arg,
	                struct kb_err *err);

	/* What these are sealed in (sealed.h), and under which name; NULL: they are themselves what
	 * is kept. */
	struct kb_blobs *(*within)(void *impl);
	void (*name_within)(void *impl, const char *name, char *out);

	/* Where it is more than getting them; NULL: it is not. */
	/* Checks what is kept, not a copy of it, which goes. */
	bool (*verify)(void *impl, const char *name, struct kb_err *err);

	/* Of a bucket alone; NULL: there is nothing to do. */
	void (*prefetch)(void *impl, const char *const *names, size_t count);
	void (*hold)(void *impl, const char *name, bool hold);
	void (*cancel)(void *impl);
	void (*set_ledger)(void *impl, const struct kb_blob_ledger *ledger);
	bool (*ready)(void *impl, struct kb_err *err);
	void (*stats)(void *impl, struct kb_blobs_stats *out);
};

struct kb_blobs {
	const struct kb_blob_driver *driver;
	void *impl;
};
/* NULL where impl is. */
struct kb_blobs *kb_blobs_new(const struct kb_blob_driver *driver, void *impl);

extern const struct kb_blob_driver kb_blob_directory, kb_blob_s3;
void *kb_blob_directory_open(const char *where, struct kb_err *err);
void *kb_blob_s3_open(const struct kb_blobs_bucket *config, struct kb_err *err);

#endif
