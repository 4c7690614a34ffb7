/*
 * Two calls of the store, each through a node of its own, in many orders of their statements.
 *
 * Each call stops before each thing that it asks the database, and one of them goes on at a time.
 * An order is who goes first, and after which steps the other one takes over; where one waits for a
 * row that the other holds, that one goes on by itself. All orders with one such change are run,
 * and of those with two as many as there is time for: what goes wrong goes wrong with few changes
 * (Musuvathi and Qadeer, "Iterative Context Bounding for Systematic Testing of Multithreaded
 * Programs", PLDI 2007). `orders` says how many of a race are run about, DOCENT_RACES another
 * number; 0: all.
 */
#ifndef KB_STORE_RACES_H
#define KB_STORE_RACES_H

#include "raw.h"

struct race_world {
	struct fixture f; /* node one */
	struct kb_store *nodes[2];
	struct kb_db_conn *raw; /* a connection past the store */
	int order;              /* counts from 1; texts and names of an order are its own */
	int64_t ids[8];         /* what set_up made, for the calls */
	void *own[4];
	bool ok[2]; /* how the calls ended; for the end */
	struct kb_err errs[2];
	struct kb_arena arenas[2]; /* of the calls; emptied before each order */
};

struct race {
	const char *name;
	void (*set_up)(struct race_world *w);
	/* A call that fails says so; whether it may is for `end` to judge. */
	bool (*calls[2])(struct race_world *w, int side, struct kb_err *err);
	/* What must hold behind any order, beside that the store is sound. */
	void (*end)(struct race_world *w);
	/* The two take rows in one order: neither waits for the other while that waits for it. */
	bool no_circle;
};

/* Two nodes on a new database, for any number of races. */
struct race_stage *race_open(struct kb_test *t);
/* Runs the race in some of its orders; `orders` as above. */
void race_run(struct race_stage *stage, const struct race *race, long orders);
void race_close(struct race_stage *stage);

#endif
