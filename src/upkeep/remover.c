#include "upkeep/remover.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/arena.h"
#include "base/pool.h"
#include "store/remove.h"

enum {
	LOOK_MS = 60000, /* without being woken */
	AGAIN_MS = 5000, /* after a failure */
	REMOVER_NICE = 5,
};

struct kb_remover {
	struct kb_store *store;
	const struct kb_log *log;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool stopping, woken;
	_Atomic int64_t rows;
};

/* False when it is to end. */
static bool wait_us(struct kb_remover *remover, int64_t us, bool until_woken)
{
	int64_t until = kb_clock_mono_us() + us;
	bool go_on;

	pthread_mutex_lock(&remover->lock);
	while (!remover->stopping && !(until_woken && remover->woken))
		if (pthread_cond_timedwait(
		            &remover->changed, &remover->lock,
		            &(struct timespec){ until / KB_SECOND_US, until % KB_SECOND_US * 1000 })
		    != 0)
			break;
	if (until_woken)
		remover->woken = false;
	go_on = !remover->stopping;
	pthread_mutex_unlock(&remover->lock);
	return go_on;
}

static void *work(void *arg)
{
	struct kb_remover *remover = arg;
	struct kb_removal removal = { 0 };
	bool go_on = true;

	kb_thread_set_nice(REMOVER_NICE);
	while (go_on) {
		struct kb_err err;

		if (!kb_store_remove_some(remover->store, &removal, &err)) {
			kb_warn(remover->log, "deleted rows not removed error=%s", err.msg);
			go_on = wait_us(remover, AGAIN_MS * INT64_C(1000), false);
		} else if (removal.left) {
			atomic_store(&remover->rows, removal.rows);
			go_on = wait_us(remover, KB_MAX(removal.took_us, INT64_C(1000)), false);
		} else {
			go_on = wait_us(remover, LOOK_MS * INT64_C(1000), true);
		}
	}
	return NULL;
}

struct kb_remover *kb_remover_start(struct kb_store *store, const struct kb_log *log)
{
	struct kb_remover *remover = kb_xcalloc(1, sizeof(*remover));
	pthread_condattr_t monotonic;

	remover->store = store;
	remover->log = log;
	pthread_mutex_init(&remover->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&remover->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	remover->thread = kb_thread_start("remover", work, remover);
	return remover;
}

void kb_remover_stop(struct kb_remover *remover)
{
	if (!remover)
		return;
	pthread_mutex_lock(&remover->lock);
	remover->stopping = true;
	pthread_cond_broadcast(&remover->changed);
	pthread_mutex_unlock(&remover->lock);
	pthread_join(remover->thread, NULL);
	pthread_cond_destroy(&remover->changed);
	pthread_mutex_destroy(&remover->lock);
	free(remover);
}

void kb_remover_wake(struct kb_remover *remover)
{
	pthread_mutex_lock(&remover->lock);
	remover->woken = true;
	pthread_cond_broadcast(&remover->changed);
	pthread_mutex_unlock(&remover->lock);
}

int64_t kb_remover_rows(struct kb_remover *remover)
{
	return atomic_load(&remover->rows);
}
