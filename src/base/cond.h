/*
 * Waiting for a condition until a time: by the monotonic clock, which nobody sets. The wall clock
 * of pthread_cond_timedwait() goes back now and then, and a poll of a tenth of a second lasts an
 * hour.
 *
 * A thread of the background waits at a bell (bell.h), which a test's clock moves.
 */
#ifndef KB_BASE_COND_H
#define KB_BASE_COND_H

#include <pthread.h>

#include "base/clock.h"

/* Destroyed by pthread_cond_destroy(). */
void kb_cond_init(pthread_cond_t *cond);
/* Until it is signalled (or somebody wakes for nothing) or kb_clock_mono_us() is until_us: then
 * false. The caller holds the lock. */
bool kb_cond_until(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t until_us);

#endif
