/*
 * Removing what was deleted. store.h's rules hold.
 *
 * Deleting an agent or a source is one small transaction: no read knows it any more. Its other rows
 * go afterwards, a slice of some milliseconds at a time, so that no other write waits long. What is
 * left to do stands in the rows themselves: a process that ends in between leaves it to the next.
 * An agent that can be taken back is left alone until that time has passed, and so are documents
 * (deleted.h), of which then nothing is left.
 */
#ifndef KB_STORE_REMOVE_H
#define KB_STORE_REMOVE_H

#include "store/store.h"

/* One slice after the other; the caller's, zeroed at first. */
struct kb_removal {
	int64_t slice;   /* rows of the next one: as many as lately took some milliseconds */
	int64_t rows;    /* removed, of all slices */
	int64_t took_us; /* the last one, of the writer's time */
	bool left;       /* there is more to do */
};
bool kb_store_remove_some(struct kb_store *store, struct kb_removal *removal,
                          struct kb_err *err) KB_MUST_CHECK;

#endif
