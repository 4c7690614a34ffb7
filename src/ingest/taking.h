/*
 * One page of a batch, from its bytes to what the batch commits, and the steps it takes. Private to
 * batch.c, which makes a result of whatever came of it, taking.c, which runs the steps, and
 * taking_long.c, which has those that may take minutes.
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
 * Every step may end it. Hear, scan and insets are taken of a page that was leased as a slow one;
 * of any other they end it with LATER, and it is leased again as one that is slow.
 */
#ifndef KB_INGEST_TAKING_H
#define KB_INGEST_TAKING_H

#include "ingest/batch.h"
#include "settings/options.h"
#include "store/agents.h"

/* One batch in the making. */
struct kb_batch {
	const struct kb_batcher *by;
	struct kb_arena arena;
	int64_t agent_id, account_id;
	struct kb_page_result results[KB_BATCH_PAGES];
	size_t count;
	int64_t text_bytes, passages, pages, started_us;
	int64_t all_bytes; /* of text, of all commits */
	struct kb_agent agent;
	struct kb_agent_options options;
	struct kb_ingest_limits limits;
	struct kb_batch_room {
		int64_t pages, words;
	} used, taken; /* of the agent's plan: committed, and by the results in hand */
	/* That looks at pictures within documents; NULL: nobody does. */
	const struct kb_model *seer;
	struct kb_err outage; /* that ended the reading; KB_OK: none has */
};

/* A row a step: its place in the enumeration, and its function. */
// clang-format off
#define KB_TAKE_STEPS(STEP) \
	STEP(OPEN,    open) \
	STEP(PARSE,   parse)     /* in a child; and whether a browser would see more */ \
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
	KB_TAKE_LATER,                             /* it takes long: nothing was done */
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
	struct kb_sv note; /* what a person should know of its scripts */
};

#define KB_TAKE_TAKES(place, name) enum kb_take_step kb_take_##name(struct kb_taking *taking);
KB_TAKE_STEPS(KB_TAKE_TAKES)

/* ---- taking.c ---- */

/* Takes the steps: DONE, LATER or FAILED. */
enum kb_take_step kb_take(struct kb_taking *taking);

/* ---- batch.c ---- */

int64_t kb_batch_now_us(const struct kb_batch *batch);
/* Its agent is. */
bool kb_batch_is_deleted(const struct kb_batch *batch);
/* The page waits for another turn. */
void kb_batch_again(const struct kb_batch *batch, const struct kb_lease *lease, int64_t pause_s,
                    struct kb_page_result *result);

#endif
