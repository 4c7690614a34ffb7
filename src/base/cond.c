#include "base/cond.h"

#include <time.h>

void kb_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

bool kb_cond_until(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t until_us)
{
	const struct timespec until = { until_us / KB_SECOND_US, until_us % KB_SECOND_US * 1000 };

	return pthread_cond_timedwait(cond, lock, &until) == 0;
}
