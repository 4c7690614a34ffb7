#include "upkeep/openings.h"

#include <stdlib.h>

#include "answer/opening.h"
#include "base/arena.h"
#include "base/bell.h"
#include "base/pool.h"
#include "store/openings.h"
#include "store/work.h"

enum {
	LOOK_MS = 500, /* a visitor waits for the first one */
	LEASE_S = 120, /* longer than some dozens of questions take */
	OPENER_NICE = 10,
};

struct kb_opener {
	struct kb_upkeep_config config;
	struct kb_bell bell;
	struct kb_cancel cancel;
	pthread_t thread;
};

static bool is_stopping(void *arg)
{
	return kb_bell_is_stopped(&((struct kb_opener *)arg)->bell);
}

static bool make(struct kb_opener *opener, struct kb_arena *arena, int64_t agent_id,
                 struct kb_err *err)
{
	const struct kb_upkeep_config *config = &opener->config;
	const struct kb_opening_with with = { config->answerer, config->store, config->blobs,
		                              &opener->cancel };
	struct kb_opening opening;
	struct kb_agent agent;

	return kb_store_agent_find(config->store, arena, agent_id, &agent, err)
	       && kb_opening_make(&with, arena, &agent, &opening, err)
	       && kb_store_opening_put(config->store, agent_id, agent.index_version,
	                               kb_opening_text(arena, &opening), err);
}

/* False: there is nothing to do, or nothing can be done now. */
static bool work_one(struct kb_opener *opener)
{
	const struct kb_upkeep_config *config = &opener->config;
	struct kb_work work = { .kind = KB_WORK_OPENING };
	struct kb_arena arena = { 0 };
	struct kb_err err, again;
	bool taken, ok;

	if (!kb_store_opening_next(config->store, &work.agent_id, &err)
	    || (work.agent_id
	        && !kb_store_work_take(config->store, &work, LEASE_S * KB_SECOND_US, &taken,
	                               &err))) {
		kb_warn(config->log, "no opening taken error=%s", err.msg);
		return false;
	}
	if (!work.agent_id || !taken)
		return false;
	ok = make(opener, &arena, work.agent_id, &err);
	if (!ok && err.code != KB_E_CANCELLED) {
		kb_warn(config->log, "opening not made agent=%" PRId64 " error=%s", work.agent_id,
		        err.msg);
		if (!kb_store_opening_later(config->store, work.agent_id, &again))
			kb_warn(config->log, "opening not put off error=%s", again.msg);
	}
	kb_store_work_done(config->store, &work);
	kb_arena_fini(&arena);
	return ok;
}

static void *run(void *arg)
{
	struct kb_opener *opener = arg;

	kb_thread_set_nice(OPENER_NICE);
	do
		while (!kb_bell_is_stopped(&opener->bell) && work_one(opener))
			;
	while (kb_bell_rest(&opener->bell,
	                    kb_clock_steady_us(opener->bell.clock) + LOOK_MS * INT64_C(1000)));
	return NULL;
}

struct kb_opener *kb_opener_start(const struct kb_upkeep_config *config)
{
	struct kb_opener *opener;

	if (!config->answerer)
		return NULL;
	opener = kb_xcalloc(1, sizeof(*opener));
	opener->config = *config;
	opener->cancel = (struct kb_cancel){ is_stopping, opener };
	kb_bell_init(&opener->bell, config->clock);
	opener->thread = kb_thread_start("openings", run, opener);
	return opener;
}

void kb_opener_stop(struct kb_opener *opener)
{
	if (!opener)
		return;
	kb_bell_stop(&opener->bell);
	pthread_join(opener->thread, NULL);
	kb_bell_fini(&opener->bell);
	free(opener);
}
