#include "upkeep/kept.h"

#include <stdlib.h>

#include "answer/kept.h"
#include "base/arena.h"
#include "base/bell.h"
#include "base/pool.h"
#include "store/work.h"

enum {
	LOOK_MS = 1000,  /* whether somebody has changed something; */
	LOOK_S = 60,     /* whether time alone has, or another node unheard */
	QUIET_S = 3,     /* without a change; */
	LONGEST_S = 600, /* what never is quiet is asked so often */
	DAY_S = 86400,
	LEASE_S = 120, /* of a turn, */
	TURN_S = 60,   /* which ends long before */
	SLICE = 100,   /* tests in memory */
	KEPT_NICE = 10,
};

struct kb_kept_thread {
	struct kb_upkeep_config config;
	struct kb_bell bell;
	struct kb_cancel cancel;
	pthread_t thread;
	/* The thread's. */
	int64_t changes;   /* of kb_store_changes(), before it looked last */
	int64_t looked_at; /* of kb_clock_steady_us(); 0: never */
	bool is_waiting;   /* some agent was not due yet, or not done */
};

static bool is_stopping(void *arg)
{
	return kb_bell_is_stopped(&((struct kb_kept_thread *)arg)->bell);
}

/* One agent's turn. */
struct turn {
	struct kb_kept_thread *thread;
	struct kb_agent agent; /* as it was when the turn began */
	int64_t before;        /* who was not asked since then is */
	int64_t until_us;      /* of kb_clock_mono_us() */
	int64_t asked, failed;
};

static bool ask(struct turn *turn, struct kb_kept_test *test, struct kb_err *err)
{
	struct kb_kept_thread *thread = turn->thread;
	const struct kb_anew_with with = { thread->config.answerer, thread->config.store,
		                           &thread->cancel };
	struct kb_arena arena = { 0 };
	struct kb_kept_result result;
	bool ok = kb_kept_ask(&with, &arena, &turn->agent, test, &result, err)
	          && kb_store_kept_tried(thread->config.store, &result, err);

	turn->asked += ok;
	turn->failed += ok && result.why != KB_KEPT_WHY_PASSED;
	kb_arena_fini(&arena);
	return ok;
}

/* *more: there may be further ones. */
static bool ask_some(struct turn *turn, bool *more, struct kb_err *err)
{
	const struct kb_kept_due due = { turn->agent.index_version, turn->agent.updated_at,
		                         turn->before, SLICE };
	struct kb_arena arena = { 0 };
	struct kb_kept_list tests = { 0 };
	bool ok = kb_store_kept_due(turn->thread->config.store, &arena, turn->agent.id, &due,
	                            &tests, err);

	*more = ok && tests.count == SLICE;
	for (size_t i = 0; ok && i < tests.count; i++) {
		if (kb_clock_mono_us() >= turn->until_us) {
			*more = true;
			break;
		}
		ok = ask(turn, &tests.v[i], err);
	}
	kb_arena_fini(&arena);
	return ok;
}

/* *done: all were asked. */
static bool ask_all(struct turn *turn, bool *done, struct kb_err *err)
{
	bool more = true;

	while (more && kb_clock_mono_us() < turn->until_us)
		if (!ask_some(turn, &more, err))
			return false;
	*done = !more;
	return true;
}

static bool run_turn(struct kb_kept_thread *thread, int64_t agent_id, struct kb_err *err)
{
	struct kb_store *store = thread->config.store;
	struct kb_arena arena = { 0 };
	struct turn turn = { .thread = thread,
		             .before = kb_clock_now_us(thread->config.clock) - DAY_S * KB_SECOND_US,
		             .until_us = kb_clock_mono_us() + TURN_S * KB_SECOND_US };
	bool done = false;
	bool ok = kb_store_agent_find(store, &arena, agent_id, &turn.agent, err)
	          && ask_all(&turn, &done, err)
	          && (!done
	              || kb_store_kept_turn(store, agent_id, turn.agent.index_version,
	                                    turn.agent.updated_at, err));

	if (ok && turn.asked)
		kb_info(thread->config.log,
		        "tests asked agent=%" PRId64 " asked=%" PRId64 " failed=%" PRId64, agent_id,
		        turn.asked, turn.failed);
	kb_arena_fini(&arena);
	return ok;
}

static bool take_turn(struct kb_kept_thread *thread, int64_t agent_id, struct kb_err *err)
{
	struct kb_work work = { .kind = KB_WORK_KEPT, .agent_id = agent_id };
	bool taken, ok;

	if (!kb_store_work_take(thread->config.store, &work, LEASE_S * KB_SECOND_US, &taken, err))
		return false;
	if (!taken) /* another node is at it */
		return true;
	ok = run_turn(thread, agent_id, err);
	kb_store_work_done(thread->config.store, &work);
	return ok;
}

/* Notes what it is now; *due: it has been that for a while, or is never quiet. */
static bool look(struct kb_kept_thread *thread, const struct kb_kept_stale *stale, int64_t now,
                 bool *due, struct kb_err *err)
{
	bool same = stale->version == stale->seen_version && stale->change == stale->seen_change;

	*due = (same && now - stale->seen_at >= QUIET_S * KB_SECOND_US)
	       || (stale->since_at && now - stale->since_at >= LONGEST_S * KB_SECOND_US);
	return same || kb_store_kept_seen(thread->config.store, stale, err);
}

/* Nothing has changed since it looked, and nothing was left: most seconds are like that. */
static bool may_rest(struct kb_kept_thread *thread)
{
	int64_t changes = kb_store_changes(thread->config.store);
	int64_t now = kb_clock_steady_us(thread->bell.clock);

	if (thread->looked_at && !thread->is_waiting && changes == thread->changes
	    && now - thread->looked_at < LOOK_S * KB_SECOND_US)
		return true;
	thread->changes = changes;
	thread->looked_at = now;
	return false;
}

/* Goes once round all agents. One whose turn fails waits for the next round. */
static void go_round(struct kb_kept_thread *thread)
{
	struct kb_kept_stale stale = { 0 };
	bool found = false, due;
	struct kb_err err;

	if (may_rest(thread))
		return;
	thread->is_waiting = true; /* also where it cannot be looked */
	while (!is_stopping(thread)) {
		int64_t now = kb_clock_now_us(thread->config.clock);

		if (!kb_store_kept_stale(thread->config.store, stale.agent_id,
		                         now - DAY_S * KB_SECOND_US, &stale, &err)
		    || (stale.agent_id && !look(thread, &stale, now, &due, &err))) {
			kb_warn(thread->config.log, "cannot look for tests error=%s", err.msg);
			return;
		}
		if (!stale.agent_id) {
			thread->is_waiting = found;
			return;
		}
		found = true;
		if (due && !take_turn(thread, stale.agent_id, &err) && err.code != KB_E_CANCELLED
		    && err.code != KB_E_NOT_FOUND)
			kb_warn(thread->config.log, "tests not asked agent=%" PRId64 " error=%s",
			        stale.agent_id, err.msg);
	}
}

static void *run(void *arg)
{
	struct kb_kept_thread *thread = arg;

	kb_thread_set_nice(KEPT_NICE);
	do
		go_round(thread);
	while (kb_bell_rest(&thread->bell,
	                    kb_clock_steady_us(thread->bell.clock) + LOOK_MS * INT64_C(1000)));
	return NULL;
}

struct kb_kept_thread *kb_kept_thread_start(const struct kb_upkeep_config *config)
{
	struct kb_kept_thread *thread;

	if (!config->answerer)
		return NULL;
	thread = kb_xcalloc(1, sizeof(*thread));
	thread->config = *config;
	thread->cancel = (struct kb_cancel){ is_stopping, thread };
	kb_bell_init(&thread->bell, config->clock);
	thread->thread = kb_thread_start("tests", run, thread);
	return thread;
}

void kb_kept_thread_stop(struct kb_kept_thread *thread)
{
	if (!thread)
		return;
	kb_bell_stop(&thread->bell);
	pthread_join(thread->thread, NULL);
	kb_bell_fini(&thread->bell);
	free(thread);
}
