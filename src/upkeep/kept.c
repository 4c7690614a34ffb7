#include "upkeep/kept.h"

#include "answer/kept.h"
#include "base/arena.h"
#include "store/work.h"

enum {
	LOOK_MS = 1000,  /* whether somebody has changed something; */
	LOOK_S = 60,     /* whether time alone has, or another node unheard */
	QUIET_S = 3,     /* without a change; */
	LONGEST_S = 600, /* what never is quiet is asked so often */
	DAY_S = 86400,
	BEAT_S = 300,  /* so often a node says that its models are there; */
	AWAY_S = 900,  /* of which nobody has said so for so long, others take the place */
	LEASE_S = 120, /* of a turn, */
	TURN_S = 60,   /* which ends long before */
	SLICE = 100,   /* tests in memory */
};

struct kept_round {
	struct kb_round round;
	int64_t changes;   /* of kb_store_changes(), before it looked last */
	int64_t looked_at; /* of kb_clock_steady_us(); 0: never */
	bool is_waiting;   /* some agent was not due yet, or not done */
	int64_t mark;      /* the models that this node has said it has; 0: none yet */
};

/* One agent's turn. */
struct turn {
	struct kept_round *kept;
	struct kb_agent agent; /* as it was when the turn began */
	int64_t models;        /* as they were */
	int64_t before;        /* who was not asked since then is */
	int64_t until_us;      /* of kb_clock_mono_us() */
	int64_t asked, failed;
};

static bool ask(struct turn *turn, struct kb_kept_test *test, struct kb_err *err)
{
	struct kept_round *kept = turn->kept;
	const struct kb_anew_with with = { kept->round.config.answerer, kept->round.config.store,
		                           &kept->round.cancel };
	struct kb_arena arena = { 0 };
	struct kb_kept_result result;
	bool ok = kb_kept_ask(&with, &arena, &turn->agent, test, &result, err);

	result.models = turn->models;
	ok = ok && kb_store_kept_tried(kept->round.config.store, &result, err);
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
	bool ok = kb_store_kept_due(turn->kept->round.config.store, &arena, turn->agent.id, &due,
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

/* *done: all were asked. What comes behind a start with other models is theirs to ask. */
static bool ask_all(struct turn *turn, bool *done, struct kb_err *err)
{
	struct kb_kept_models models;
	bool more = true;

	while (more && kb_clock_mono_us() < turn->until_us) {
		if (!kb_store_kept_models(turn->kept->round.config.store, &models, err))
			return false;
		if (models.mark != turn->models)
			break;
		if (!ask_some(turn, &more, err))
			return false;
	}
	*done = !more;
	return true;
}

/* Who was asked before that is to be asked again. */
static int64_t asked_before(const struct kept_round *kept, const struct kb_kept_models *models)
{
	return KB_MAX(kb_clock_now_us(kept->round.config.clock) - DAY_S * KB_SECOND_US,
	              models->since_at);
}

static bool run_turn(struct kept_round *kept, const struct kb_kept_models *models, int64_t agent_id,
                     struct kb_err *err)
{
	struct kb_store *store = kept->round.config.store;
	struct kb_arena arena = { 0 };
	struct turn turn = { .kept = kept,
		             .models = models->mark,
		             .before = asked_before(kept, models),
		             .until_us = kb_clock_mono_us() + TURN_S * KB_SECOND_US };
	bool done = false;
	bool ok = kb_store_agent_find(store, &arena, agent_id, &turn.agent, err)
	          && ask_all(&turn, &done, err)
	          && (!done
	              || kb_store_kept_turn(
	                      store,
	                      &(struct kb_kept_turn){ agent_id, turn.agent.index_version,
	                                              turn.agent.updated_at, models->mark },
	                      err));

	if (ok && turn.asked)
		kb_info(kept->round.config.log,
		        "tests asked agent=%" PRId64 " asked=%" PRId64 " failed=%" PRId64, agent_id,
		        turn.asked, turn.failed);
	kb_arena_fini(&arena);
	return ok;
}

static bool take_turn(struct kept_round *kept, const struct kb_kept_models *models,
                      int64_t agent_id, struct kb_err *err)
{
	struct kb_work work = { .kind = KB_WORK_KEPT, .agent_id = agent_id };
	bool taken, ok;

	if (!kb_store_work_take(kept->round.config.store, &work, LEASE_S * KB_SECOND_US, &taken,
	                        err))
		return false;
	if (!taken) /* another node is at it */
		return true;
	ok = run_turn(kept, models, agent_id, err);
	kb_store_work_done(kept->round.config.store, &work);
	return ok;
}

/* Notes what it is now; *due: it has been that for a while, or is never quiet. */
static bool look(struct kept_round *kept, const struct kb_kept_stale *stale, int64_t now, bool *due,
                 struct kb_err *err)
{
	bool same = stale->version == stale->seen_version && stale->change == stale->seen_change;

	*due = (same && now - stale->seen_at >= QUIET_S * KB_SECOND_US)
	       || (stale->since_at && now - stale->since_at >= LONGEST_S * KB_SECOND_US);
	return same || kb_store_kept_seen(kept->round.config.store, stale, err);
}

/* Nothing has changed since it looked, and nothing was left: most seconds are like that. */
static bool may_rest(struct kept_round *kept)
{
	int64_t changes = kb_store_changes(kept->round.config.store);
	int64_t now = kb_clock_steady_us(kept->round.bell.clock);

	if (kept->looked_at && !kept->is_waiting && changes == kept->changes
	    && now - kept->looked_at < LOOK_S * KB_SECOND_US)
		return true;
	kept->changes = changes;
	kept->looked_at = now;
	return false;
}

/* Which models tests are asked of, and whether this node has these. It has the say when it is
 * started, or when its models change; and when those that had it are gone. */
static bool know_models(struct kept_round *kept, struct kb_kept_models *out, bool *ours,
                        struct kb_err *err)
{
	const struct kb_upkeep_config *config = &kept->round.config;
	int64_t mark = config->models_mark ? config->models_mark(config->models_mark_arg) : 1;
	int64_t unseen_us;

	if (!kb_store_kept_models(config->store, out, err))
		return false;
	unseen_us = kb_clock_now_us(config->clock) - out->seen_at;
	*ours = out->mark == mark;
	if (*ours ? unseen_us < BEAT_S * KB_SECOND_US
	          : kept->mark == mark && unseen_us < AWAY_S * KB_SECOND_US) {
		kept->mark = mark;
		return true;
	}
	if (!kb_store_kept_models_are(config->store, mark, err)
	    || !kb_store_kept_models(config->store, out, err))
		return false;
	kept->mark = mark;
	*ours = out->mark == mark; /* else another was started in this very moment */
	return true;
}

/* Goes once round all agents. One whose turn fails waits for the next round. */
static void go_round(struct kept_round *kept)
{
	struct kb_kept_stale stale = { 0 };
	bool found = false, ours = false, due;
	struct kb_kept_models models;
	struct kb_err err;

	if (may_rest(kept))
		return;
	kept->is_waiting = true; /* also where it cannot be looked */
	if (!know_models(kept, &models, &ours, &err)) {
		kb_warn(kept->round.config.log, "cannot look for tests error=%s", err.msg);
		return;
	}
	if (!ours) {
		kept->is_waiting = false;
		return;
	}
	while (!kb_round_is_over(&kept->round)) {
		int64_t now = kb_clock_now_us(kept->round.config.clock);

		if (!kb_store_kept_stale(kept->round.config.store, stale.agent_id,
		                         asked_before(kept, &models), &stale, &err)
		    || (stale.agent_id && !look(kept, &stale, now, &due, &err))) {
			kb_warn(kept->round.config.log, "cannot look for tests error=%s", err.msg);
			return;
		}
		if (!stale.agent_id) {
			kept->is_waiting = found;
			return;
		}
		found = true;
		if (due && !take_turn(kept, &models, stale.agent_id, &err)
		    && err.code != KB_E_CANCELLED && err.code != KB_E_NOT_FOUND)
			kb_warn(kept->round.config.log,
			        "tests not asked agent=%" PRId64 " error=%s", stale.agent_id,
			        err.msg);
	}
}

static void go(struct kb_round *round)
{
	go_round(KB_OUTER(round, struct kept_round, round));
}

struct kb_round *kb_kept_start(const struct kb_upkeep_config *config)
{
	static const struct kb_round_kind kind = { "tests", LOOK_MS, sizeof(struct kept_round),
		                                   go };

	return config->answerer ? kb_round_start(&kind, config) : NULL;
}
