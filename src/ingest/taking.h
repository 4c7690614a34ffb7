/*
 * One page of a batch, from its bytes to what the batch commits, and the steps it takes. Private to
 * batch.c, which makes a result of whatever came of it, take.c, which runs the steps, take_long.c,
 * which has those that may take minutes, and kept.c.
 *
 *   open     > hear, parse
 *   parse    > scan, film           or it waits for a browser
 *   hear     > film
 *   scan     > film
 *   film     > follow
 *   follow   > compare              or it is not to be found itself
 *   compare  > insets, index        or it says what it said before
 *   insets   > index
 *
 * Every step may end it. Hear, scan and insets are taken of a page that was leased as a slow one.
 * Of any other they end it with LATER, and it is leased again as one that is slow; what was parsed
 * of it is kept till then (kept.h).
 */
#ifndef KB_INGEST_TAKING_H
#define KB_INGEST_TAKING_H

#include "ingest/batcher.h"

/* A row a step: its place in the enumeration, and its function. */
// clang-format off
#define KB_TAKE_STEPS(STEP) \
	STEP(OPEN,    open) \
	STEP(PARSE,   parse)     /* in a child, once; and whether a browser would see more */ \
	STEP(HEAR,    hear)      /* what is said in a recording */ \
	STEP(SCAN,    scan)      /* what is painted */ \
	STEP(FILM,    film)      /* subtitles have the name of the page that plays them */ \
	STEP(FOLLOW,  follow)    /* where a page of a website leads */ \
	STEP(COMPARE, compare)   /* with what it said when it was read last */ \
	STEP(INSETS,  insets)    /* what the pictures in it show */ \
	STEP(INDEX,   index)     /* its passages, in the segment */
// clang-format on

#define KB_TAKE_PLACE(place, name) KB_TAKE_##place,
enum kb_take_step {
	KB_TAKE_STEPS(KB_TAKE_PLACE) KB_TAKE_DONE, /* the result says what came of it */
	KB_TAKE_LATER,                             /* it takes long: it was parsed at most */
	KB_TAKE_FAILED,                            /* for the reason in err */
};

struct kb_taking {
	struct kb_batch *batch;
	const struct kb_lease *lease;
	struct kb_page_result *result;
	struct kb_err err;

	int fd; /* of its bytes; -1: not open */
	int64_t size;
	struct kb_parse_request request;
	struct kb_parsed parsed;
	/* Asked when it has been parsed for the batcher's quick_ms: whether to go on. */
	bool (*goes_on)(struct kb_taking *taking);
	bool goes, left; /* what it has said */

	struct kb_sv note; /* what a person should know of its scripts */
	struct kb_sv kept; /* LATER: the blob of what was parsed; empty: nothing was */
};

#define KB_TAKE_TAKES(place, name) enum kb_take_step kb_take_##name(struct kb_taking *taking);
KB_TAKE_STEPS(KB_TAKE_TAKES)

/* Takes the steps: DONE, LATER or FAILED. */
enum kb_take_step kb_take(struct kb_taking *taking);

#endif
