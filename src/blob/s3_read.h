/*
 * What an S3 server answers: the few elements of its XML that are looked at, and what its error
 * codes mean in our words. The bytes are foreign. Pure; any thread.
 */
#ifndef KB_BLOB_S3_READ_H
#define KB_BLOB_S3_READ_H

#include "base/arena.h"
#include "base/err.h"

/* Takes the content of the next element of that name from *rest; false where there is none. */
bool kb_s3_element(struct kb_sv *rest, const char *name, struct kb_sv *content);
/* The text of the first element of that name, its entities undone, in the arena; empty: none. */
struct kb_sv kb_s3_text(struct kb_arena *arena, struct kb_sv xml, const char *name);

/* An error as the server put it. */
struct kb_s3_refusal {
	int status;
	struct kb_sv code;   /* of the body; empty: none */
	struct kb_sv region; /* where it says that the bucket is; empty: nothing said */
	struct kb_sv date;   /* of the answer */
	const char *doing;   /* "read" */
};
/* "its server …" to go behind "the bucket NAME at HOST: ". */
struct kb_sv kb_s3_explain(struct kb_arena *arena, const struct kb_s3_refusal *refusal);
/* Whether the same request may succeed later. */
bool kb_s3_may_pass(const struct kb_s3_refusal *refusal);

#endif
