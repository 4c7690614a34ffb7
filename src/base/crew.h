/*
 * Some threads that share a count of equal tasks, and whoever waits for them.
 *
 * The caller's thread does none itself: it asks its own `cancel` several times a second, and once
 * that says yes the crew is told to stop. A task asks `stop` in between.
 */
#ifndef KB_BASE_CREW_H
#define KB_BASE_CREW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { KB_CREW_MAX = 16 }; /* threads */

struct kb_crew {
	const char *name; /* of its threads */
	size_t threads;   /* at most; never more than tasks */
	void (*task)(void *arg, size_t i);
	void *arg;
	const struct kb_cancel *cancel; /* may be NULL */
	atomic_bool stop;               /* also set by a task: no more are begun */
};

/* Does the tasks from `first` to before `end`. False: cancelled, or told to stop by `cancel`. */
bool kb_crew_run(struct kb_crew *crew, size_t first, size_t end, struct kb_err *err) KB_MUST_CHECK;

/* Whether a crew is to stop, as a kb_cancel with its `stop`. */
bool kb_crew_is_stopped(void *stop);

#endif
