/*
 * Copies of blobs: each is read at the one place, checked against its name, and put at the other,
 * several at a time. What is there already is left as it is. One thread calls.
 */
#ifndef KB_BACKUP_COPIES_H
#define KB_BACKUP_COPIES_H

#include "blob/blob.h"

struct kb_copies {
	struct kb_blobs *from, *to;
	/* A folder of its own that is there, on the file system of blobs in a directory. */
	const char *temp;
	/* Of each that is missing or damaged where it comes from; from any thread. May be NULL. */
	void (*say)(void *arg, const char *name, const char *why);
	void *arg;
	const struct kb_cancel *cancel; /* may be NULL */

	int64_t copied, bytes, there, lost; /* so far; lost: missing or damaged */
};

/* lost_ones: which of them are lost, set for those alone; may be NULL. False: something else went
 * wrong. */
bool kb_copies_make(struct kb_copies *copies, const struct kb_sv *names, size_t count,
                    bool *lost_ones, struct kb_err *err) KB_MUST_CHECK;

#endif
