#include "upkeep/remover.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/bell.h"
#include "base/pool.h"
#include "store/remove.h"

enum {
	LOOK_S = 60, /* without being woken */
	AGAIN_S = 5, /* after a failure */
	REMOVER_NICE = 5,
};

struct kb_remover {
	struct kb_store *store;
	const struct kb_log *log;
	pthread_t thread;
	struct kb_bell bell;
	_Atomic int64_t rows;
};

static void *work(void *arg)
{
	struct kb_remover *remover = arg;
	struct kb_removal removal = { 0 };
	uint64_t heard = 0;
	bool go_on = true;

	kb_thread_set_nice(REMOVER_NICE);
	while (go_on) {
		struct kb_err err;
		bool ok = kb_store_remove_some(remover->store, &removal, &err);
		int64_t now = kb_clock_steady_us(remover->bell.clock);

		if (!ok) {
			kb_warn(remover->log, "deleted rows not removed error=%s", err.msg);
			go_on = kb_bell_rest(&remover->bell, now + AGAIN_S * KB_SECOND_US);
		} else if (removal.left) {
			atomic_store(&remover->rows, removal.rows);
			go_on = kb_bell_rest(&remover->bell,
			                     now + KB_MAX(removal.took_us, INT64_C(1000)));
		} else {
			go_on = kb_bell_wait(&remover->bell, &heard, now + LOOK_S * KB_SECOND_US);
		}
	}
	return NULL;
}

struct kb_remover *kb_remover_start(const struct kb_upkeep_config *config)
{
	struct kb_remover *remover = kb_xcalloc(1, sizeof(*remover));

	remover->store = config->store;
	remover->log = config->log;
	kb_bell_init(&remover->bell, config->clock);
	remover->thread = kb_thread_start("remover", work, remover);
	return remover;
}

void kb_remover_stop(struct kb_remover *remover)
{
	if (!remover)
		return;
	kb_bell_stop(&remover->bell);
	pthread_join(remover->thread, NULL);
	kb_bell_fini(&remover->bell);
	free(remover);
}

void kb_remover_wake(struct kb_remover *remover)
{
	kb_bell_ring(&remover->bell);
}

int64_t kb_remover_rows(struct kb_remover *remover)
{
	return atomic_load(&remover->rows);
}
