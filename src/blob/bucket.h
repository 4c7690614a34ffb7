/*
 * Where a bucket is: what the options say about it, checked, and what follows from that. Pure but
 * for the arena.
 */
#ifndef KB_BLOB_BUCKET_H
#define KB_BLOB_BUCKET_H

#include "base/arena.h"
#include "base/err.h"

struct kb_bucket_options {
	const char *where;      /* s3://bucket or s3://bucket/prefix */
	const char *endpoint;   /* the address of its server; NULL: Amazon's of the region */
	const char *region;     /* NULL: us-east-1 */
	const char *key_id;     /* of the key that requests are signed with */
	const char *secret;     /* of that key */
	const char *addressing; /* "path", "host", or NULL: path with an endpoint, else host */
};

struct kb_bucket {
	struct kb_sv name, prefix; /* the prefix with its slash at the end, or empty */
	const char *region, *key_id, *secret;
	struct kb_sv base;  /* the bucket's address, without a slash at its end */
	struct kb_sv host;  /* to connect to */
	int port;           /* likewise */
	bool is_address;    /* the host is no name */
	struct kb_sv shown; /* "the bucket NAME at HOST", for sentences */
};

/* Whether --blob names a bucket. */
bool kb_bucket_is_named(const char *where);
/* KB_E_INVALID names the option. What *out has lives in the arena. */
bool kb_bucket_check(struct kb_arena *arena, const struct kb_bucket_options *options,
                     struct kb_bucket *out, struct kb_err *err) KB_MUST_CHECK;

#endif
