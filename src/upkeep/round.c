#include "upkeep/round.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/pool.h"
#include "store/work.h"

enum { ROUND_NICE = 10 };

bool kb_round_is_over(struct kb_round *round)
{
	return kb_bell_is_stopped(&round->bell);
}

static bool is_over(void *arg)
{
	return kb_round_is_over(arg);
}

static void *run(void *arg)
{
	struct kb_round *round = arg;
	int64_t rest_us = round->kind->look_ms * 1000;

	kb_thread_set_nice(ROUND_NICE);
	do
		round->kind->go(round);
	while (kb_bell_rest(&round->bell, kb_clock_steady_us(round->bell.clock) + rest_us));
	return NULL;
}

struct kb_round *kb_round_start(const struct kb_round_kind *kind,
                                const struct kb_upkeep_config *config)
{
	struct kb_round *round = kb_xcalloc(1, KB_MAX(kind->bytes, sizeof(*round)));

	round->kind = kind;
	round->config = *config;
	round->cancel = (struct kb_cancel){ is_over, round };
	kb_bell_init(&round->bell, config->clock);
	round->thread = kb_thread_start(kind->name, run, round);
	return round;
}

void kb_round_stop(struct kb_round *round)
{
	if (!round)
		return;
	kb_bell_stop(&round->bell);
	pthread_join(round->thread, NULL);
	kb_bell_fini(&round->bell);
	free(round);
}

/* False: there is nothing to do, or nothing can be done now. */
static bool make_one(struct kb_round *round, const struct kb_demand *wanted)
{
	const struct kb_upkeep_config *config = &round->config;
	struct kb_work work = { .kind = wanted->kind };
	struct kb_arena arena = { 0 };
	struct kb_err err, again;
	bool taken, ok;

	if (!wanted->next(config->store, &work.agent_id, &err)
	    || (work.agent_id
	        && !kb_store_work_take(config->store, &work, wanted->lease_s * KB_SECOND_US, &taken,
	                               &err))) {
		kb_warn(config->log, "no %s taken error=%s", wanted->what, err.msg);
		return false;
	}
	if (!work.agent_id || !taken)
		return false;
	ok = wanted->make(round, &arena, work.agent_id, &err);
	if (!ok && err.code != KB_E_CANCELLED) {
		kb_warn(config->log, "%s not made agent=%" PRId64 " error=%s", wanted->what,
		        work.agent_id, err.msg);
		if (!wanted->later(config->store, work.agent_id, &again))
			kb_warn(config->log, "%s not put off error=%s", wanted->what, again.msg);
	}
	kb_store_work_done(config->store, &work);
	kb_arena_fini(&arena);
	return ok;
}

void kb_demand_go(struct kb_round *round, const struct kb_demand *wanted)
{
	while (!kb_round_is_over(round) && make_one(round, wanted))
		;
}
