#include "base/crew.h"

#include <pthread.h>

#include "base/cond.h"
#include "base/pool.h"

enum { ASK_MS = 200 };

struct shift {
	struct kb_crew *crew;
	_Atomic size_t next;
	size_t end;
	pthread_mutex_t mutex;
	pthread_cond_t ended;
	size_t running;
};

bool kb_crew_is_stopped(void *stop)
{
	return atomic_load((atomic_bool *)stop);
}

static void *work(void *arg)
{
	struct shift *shift = arg;

	while (!atomic_load(&shift->crew->stop)) {
		size_t i = atomic_fetch_add(&shift->next, 1);

		if (i >= shift->end)
			break;
		shift->crew->task(shift->crew->arg, i);
	}
	pthread_mutex_lock(&shift->mutex);
	shift->running--;
	pthread_cond_signal(&shift->ended);
	pthread_mutex_unlock(&shift->mutex);
	return NULL;
}

bool kb_crew_run(struct kb_crew *crew, size_t first, size_t end, struct kb_err *err)
{
	struct shift shift = { .crew = crew, .next = first, .end = end };
	size_t threads = KB_MIN(KB_MIN(end - first, (size_t)KB_CREW_MAX), crew->threads);
	pthread_t thread[KB_CREW_MAX];
	bool wanted = true;

	shift.running = threads;
	pthread_mutex_init(&shift.mutex, NULL);
	kb_cond_init(&shift.ended);
	for (size_t i = 0; i < threads; i++)
		thread[i] = kb_thread_start(crew->name, work, &shift);
	pthread_mutex_lock(&shift.mutex);
	while (shift.running) {
		kb_cond_until(&shift.ended, &shift.mutex,
		              kb_clock_mono_us() + ASK_MS * INT64_C(1000));
		pthread_mutex_unlock(&shift.mutex);
		if (wanted && kb_cancelled(crew->cancel, err)) {
			wanted = false;
			atomic_store(&crew->stop, true);
		}
		pthread_mutex_lock(&shift.mutex);
	}
	pthread_mutex_unlock(&shift.mutex);
	for (size_t i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	pthread_cond_destroy(&shift.ended);
	pthread_mutex_destroy(&shift.mutex);
	return wanted;
}
