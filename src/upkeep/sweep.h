/*
 * The sweep: blobs that no row of the store names come to an end, slowly.
 *
 * It is built so that a store which is wrong (empty, of yesterday, somebody else's) costs nothing
 * that cannot be brought back. That a blob is named by no row is noted in the store, with the time;
 * what stays so for a day is put into the blobs' trash, and removed from there after some days.
 * What is named again before comes back. What the index made can be made again of the texts: it
 * waits minutes only and needs no trash. A sweep ends no more than a share of all blobs.
 *
 * Pages of documents that nobody has looked at for a month are forgotten first (store/views.h), and
 * so are pictures of the web (store/pictures.h).
 *
 * Rows and the times of files decide, nothing that only this process knows; one node sweeps at a
 * time (kb_store_upkeep_take).
 */
#ifndef KB_UPKEEP_SWEEP_H
#define KB_UPKEEP_SWEEP_H

#include "base/clock.h"
#include "blob/blob.h"
#include "store/store.h"

struct kb_sweep_limits {
	int64_t first_s;    /* after the start, before this process sweeps at all */
	int64_t every_s;    /* from the end of one sweep to the next */
	int64_t made_s;     /* so long unnamed, what the index made is removed */
	int64_t views_days; /* so many unused, what was made to be looked at is made anew the next
	                       time */
	int64_t unnamed_s;  /* so long unnamed, anything else goes into the trash */
	int64_t trash_s;    /* and is removed after so long there */
	int64_t page;       /* so many rows of a bucket's ledger at a time (sweep_bucket.h) */
	/* At most one of so many blobs ends in one sweep, where that is more than `least`. */
	int64_t share, least;
	const struct kb_cancel *cancel; /* asked before each blob; may be NULL */
};
struct kb_sweep_limits kb_sweep_usual(void);

struct kb_sweep {
	int64_t blobs, unnamed; /* before it */
	int64_t removed;        /* made by the index, or long enough in the trash */
	int64_t discarded, recalled, in_trash;
	int64_t views; /* pages that were looked at, and pictures, forgotten before it */
	int64_t left;  /* due, but more than the share */
};
/* One sweep of a directory, whenever it is called. None while an agent is copied. After a failure,
 * and where it is cancelled (KB_E_CANCELLED), *out says what has been done. */
bool kb_sweep_blobs(struct kb_store *store, struct kb_blobs *blobs,
                    const struct kb_sweep_limits *limits, struct kb_sweep *out,
                    struct kb_err *err) KB_MUST_CHECK;

/* Forgets what was made to be looked at, and was not for a while. */
bool kb_sweep_views(struct kb_store *store, const struct kb_sweep_limits *limits,
                    struct kb_sweep *out, struct kb_err *err) KB_MUST_CHECK;

/* How many blobs are named by no row now. */
bool kb_sweep_count(struct kb_store *store, struct kb_blobs *blobs, int64_t *blobs_count,
                    int64_t *unnamed, struct kb_err *err) KB_MUST_CHECK;
/* Whether that is so much that the store may be the wrong one. */
bool kb_sweep_is_much(const struct kb_sweep_limits *limits, int64_t blobs, int64_t unnamed);

#endif
