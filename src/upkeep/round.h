/*
 * A thread of upkeep that goes round: it does what there is to be done, rests, and looks again. Of
 * low priority. Private to this folder.
 */
#ifndef KB_UPKEEP_ROUND_H
#define KB_UPKEEP_ROUND_H

#include <pthread.h>

#include "base/bell.h"
#include "upkeep/config.h"

struct kb_round;

struct kb_round_kind {
	const char *name; /* of the thread */
	int64_t look_ms;  /* between two rounds */
	size_t bytes;     /* of what begins with the round; 0: nothing is behind it */
	void (*go)(struct kb_round *round); /* one round; ends once kb_round_is_over() */
};

struct kb_round {
	const struct kb_round_kind *kind;
	struct kb_upkeep_config config;
	struct kb_bell bell;
	struct kb_cancel cancel; /* for what it calls: once it is to end */
	pthread_t thread;
};

struct kb_round *kb_round_start(const struct kb_round_kind *kind,
                                const struct kb_upkeep_config *config);
bool kb_round_is_over(struct kb_round *round);
/* Gives up what is in hand. NULL is fine. */
void kb_round_stop(struct kb_round *round);

/* What is made of an agent when somebody has wanted it: the store says of which agent next, one
 * node takes it by a lease, and what fails is put off. */
struct kb_demand {
	const char *kind; /* of work: KB_WORK_… */
	int64_t lease_s;  /* longer than it takes */
	const char *what; /* for messages */
	bool (*next)(struct kb_store *store, int64_t *agent_id, struct kb_err *err);
	bool (*make)(struct kb_round *round, struct kb_arena *arena, int64_t agent_id,
	             struct kb_err *err);
	bool (*later)(struct kb_store *store, int64_t agent_id, struct kb_err *err);
};
/* A round: one agent after the other, until there is none or one fails. */
void kb_demand_go(struct kb_round *round, const struct kb_demand *wanted);

#endif
