#include "upkeep/conflicts.h"

#include <stdlib.h>

#include "answer/disagree.h"
#include "base/arena.h"
#include "base/bell.h"
#include "base/pool.h"
#include "store/conflicts.h"
#include "store/work.h"

enum {
	LOOK_MS = 500, /* who looks at them waits */
	LEASE_S = 600, /* longer than all of an agent takes to be read */
	CONFLICTS_NICE = 10,
};

struct kb_conflict_thread {
	struct kb_upkeep_config config;
	struct kb_bell bell;
	struct kb_cancel cancel;
	pthread_t thread;
};

static bool is_stopping(void *arg)
{
	return kb_bell_is_stopped(&((struct kb_conflict_thread *)arg)->bell);
}

static bool find(struct kb_conflict_thread *thread, struct kb_arena *arena, int64_t agent_id,
                 struct kb_err *err)
{
	const struct kb_upkeep_config *config = &thread->config;
	struct kb_disagreements found;
	struct kb_live live;
	bool ok;

	if (!kb_catalog_get(config->catalog, agent_id, &live, err))
		return false;
	ok = kb_disagree_find(live.snapshot, &thread->cancel, arena, &found, err)
	     && kb_store_conflicts_put(config->store, agent_id, live.version,
	                               kb_disagree_text(arena, &found), err);
	kb_live_release(&live);
	return ok;
}

/* False: there is nothing to do, or nothing can be done now. */
static bool work_one(struct kb_conflict_thread *thread)
{
	const struct kb_upkeep_config *config = &thread->config;
	struct kb_work work = { .kind = KB_WORK_CONFLICTS };
	struct kb_arena arena = { 0 };
	struct kb_err err, again;
	bool taken, ok;

	if (!kb_store_conflicts_next(config->store, &work.agent_id, &err)
	    || (work.agent_id
	        && !kb_store_work_take(config->store, &work, LEASE_S * KB_SECOND_US, &taken,
	                               &err))) {
		kb_warn(config->log, "no conflicts taken error=%s", err.msg);
		return false;
	}
	if (!work.agent_id || !taken)
		return false;
	ok = find(thread, &arena, work.agent_id, &err);
	if (!ok && err.code != KB_E_CANCELLED) {
		kb_warn(config->log, "conflicts not looked for agent=%" PRId64 " error=%s",
		        work.agent_id, err.msg);
		if (!kb_store_conflicts_later(config->store, work.agent_id, &again))
			kb_warn(config->log, "conflicts not put off error=%s", again.msg);
	}
	kb_store_work_done(config->store, &work);
	kb_arena_fini(&arena);
	return ok;
}

static void *run(void *arg)
{
	struct kb_conflict_thread *thread = arg;

	kb_thread_set_nice(CONFLICTS_NICE);
	do
		while (!kb_bell_is_stopped(&thread->bell) && work_one(thread))
			;
	while (kb_bell_rest(&thread->bell,
	                    kb_clock_steady_us(thread->bell.clock) + LOOK_MS * INT64_C(1000)));
	return NULL;
}

struct kb_conflict_thread *kb_conflict_thread_start(const struct kb_upkeep_config *config)
{
	struct kb_conflict_thread *thread;

	if (!config->answerer)
		return NULL;
	thread = kb_xcalloc(1, sizeof(*thread));
	thread->config = *config;
	thread->cancel = (struct kb_cancel){ is_stopping, thread };
	kb_bell_init(&thread->bell, config->clock);
	thread->thread = kb_thread_start("conflicts", run, thread);
	return thread;
}

void kb_conflict_thread_stop(struct kb_conflict_thread *thread)
{
	if (!thread)
		return;
	kb_bell_stop(&thread->bell);
	pthread_join(thread->thread, NULL);
	kb_bell_fini(&thread->bell);
	free(thread);
}
