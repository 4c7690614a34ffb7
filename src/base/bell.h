/*
 * A bell: what a background thread waits at between two rounds of work.
 *
 * Others ring it when there may be work, and stop it when the thread is to end. The thread waits
 * until it hears a ring, until the stop, or until a time, whichever comes first. Rings are counted,
 * so one that comes while the thread is busy is never lost, and several threads may wait at one
 * bell: each keeps the count that it has heard.
 *
 *	uint64_t heard = 0;
 *	do
 *		work();
 *	while (kb_bell_wait(&bell, &heard, kb_clock_steady_us(clock) + POLL_US));
 *
 * Any thread may call anything but init and fini at any time. Times are those of
 * kb_clock_steady_us() of the bell's clock. A test that moves the clock calls kb_bell_look(), and
 * nobody sleeps.
 */
#ifndef KB_BASE_BELL_H
#define KB_BASE_BELL_H

#include <pthread.h>

#include "base/clock.h"

struct kb_bell {
	pthread_mutex_t lock;
	pthread_cond_t rung;
	const struct kb_clock *clock;
	uint64_t rings;
	bool stopped;
};

/* clock: NULL is the real one; else it outlives the bell. */
void kb_bell_init(struct kb_bell *bell, const struct kb_clock *clock);
/* Nobody waits any more. */
void kb_bell_fini(struct kb_bell *bell);

void kb_bell_ring(struct kb_bell *bell);
/* For good: every wait returns at once. */
void kb_bell_stop(struct kb_bell *bell);
bool kb_bell_is_stopped(struct kb_bell *bell);

/* Waits for more rings than *heard, or until until_us; *heard is brought up to date. False when the
 * bell is stopped. */
bool kb_bell_wait(struct kb_bell *bell, uint64_t *heard, int64_t until_us);
/* Waits until until_us, whoever rings. False when the bell is stopped. */
bool kb_bell_rest(struct kb_bell *bell, int64_t until_us);

/* The clock has been set: who waits looks at it again. */
void kb_bell_look(struct kb_bell *bell);

#endif
