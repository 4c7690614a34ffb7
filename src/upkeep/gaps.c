#include "upkeep/gaps.h"

#include "answer/alike.h"
#include "answer/anew.h"
#include "base/arena.h"
#include "store/gaps.h"
#include "store/work.h"

enum {
	LOOK_MS = 1000,
	AGAIN_S = 5,         /* documents change often while they are read */
	LEASE_S = 120,       /* of a turn, */
	TURN_S = 60,         /* which ends long before */
	EVENTS = 1000,       /* looked at in one transaction */
	GROUPS_MOST = 60000, /* of an agent, at once in memory */
	HEADS = 8000,        /* of those that are there, to begin with */
	DUE = 200,           /* asked anew for one change of the documents */
	ANSWERED_S = 3600,   /* a person's answer is in the index by then */
};

/* One agent's turn. */
struct turn {
	struct kb_round *round;
	struct kb_work work;
	int64_t until_us; /* of kb_clock_mono_us() */
};

static bool is_over(const struct turn *turn)
{
	return kb_clock_mono_us() >= turn->until_us || kb_round_is_over(turn->round);
}

/* ---- grouping ---- */

static bool learn_groups(const struct turn *turn, struct kb_alike *alike, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_gap_list heads;
	bool ok = kb_store_gap_heads(turn->round->config.store, &arena, turn->work.agent_id, HEADS,
	                             &heads, err);

	for (size_t i = ok ? heads.count : 0; i > 0; i--)
		(void)kb_alike_place(alike, heads.v[i - 1].id, heads.v[i - 1].question, KB_SV(""));
	kb_arena_fini(&arena);
	return ok;
}

/* Why it is one now; 0: it is none. */
static int64_t why_of(const struct kb_gap_event *event)
{
	int64_t why = (event->why | event->gap_why) & (KB_GAP_UNANSWERED | KB_GAP_SHAKY);

	if (!event->question.p)
		return 0;
	return event->is_disliked ? why | KB_GAP_DISLIKED : why;
}

static void place(struct kb_alike *alike, struct kb_gap_event *event)
{
	event->placed_why = why_of(event);
	if (!event->placed_why)
		return;
	event->placed = event->gap_id ? event->gap_id
	                              : kb_alike_place(alike, event->message_id, event->question,
	                                               event->before);
	if (!event->placed)
		event->placed = event->message_id;
}

/* *more: there may be further ones. */
static bool group_some(const struct turn *turn, struct kb_alike *alike, bool *more,
                       struct kb_err *err)
{
	struct kb_store *store = turn->round->config.store;
	struct kb_arena arena = { 0 };
	struct kb_gap_events events;
	bool ok = kb_store_gap_events(store, &arena, turn->work.agent_id, EVENTS, &events, err);

	*more = ok && events.count == EVENTS;
	for (size_t i = 0; ok && i < events.count; i++)
		place(alike, &events.v[i]);
	ok = ok && (!events.count || kb_store_gap_place(store, turn->work.agent_id, &events, err));
	kb_arena_fini(&arena);
	return ok;
}

static bool group(const struct turn *turn, struct kb_err *err)
{
	const struct kb_meaning *meaning = kb_answerer_meaning(turn->round->config.answerer);
	struct kb_alike *alike = kb_alike_new(meaning, GROUPS_MOST);
	bool ok = learn_groups(turn, alike, err), more = true;

	while (ok && more && !is_over(turn)) {
		/* The oldest make room. */
		if (kb_alike_count(alike) + EVENTS > GROUPS_MOST) {
			kb_alike_free(alike);
			alike = kb_alike_new(meaning, GROUPS_MOST);
			ok = learn_groups(turn, alike, err);
		}
		ok = ok && group_some(turn, alike, &more, err);
	}
	kb_alike_free(alike);
	return ok;
}

/* ---- asking anew ---- */

static bool ask_gap(const struct turn *turn, const struct kb_agent *agent, const struct kb_gap *gap,
                    struct kb_err *err)
{
	struct kb_round *round = turn->round;
	const struct kb_anew_with with = { round->config.answerer, round->config.store,
		                           &round->cancel };
	struct kb_gap_tried tried = { .agent_id = agent->id,
		                      .gap_id = gap->id,
		                      .version = agent->index_version };

	if (!kb_anew_gap(&with, agent, gap, &tried, err)
	    || !kb_store_gap_tried(round->config.store, &tried, err))
		return false;
	if (tried.closes && gap->state == KB_GAP_OPEN)
		kb_info(round->config.log, "gap closed by documents agent=%" PRId64 " gap=%" PRId64,
		        agent->id, gap->id);
	return true;
}

static bool ask_anew(const struct turn *turn, struct kb_err *err)
{
	struct kb_store *store = turn->round->config.store;
	const int64_t now = kb_clock_now_us(turn->round->config.clock);
	struct kb_arena arena = { 0 };
	struct kb_gap_due due = { .since = now - ANSWERED_S * KB_SECOND_US, .limit = DUE };
	struct kb_gap_list gaps = { 0 };
	struct kb_agent agent;
	bool ok = kb_store_agent_find(store, &arena, turn->work.agent_id, &agent, err);

	due.version = ok ? agent.index_version : 0;
	ok = ok && kb_store_gap_due(store, &arena, agent.id, &due, &gaps, err);
	for (size_t i = 0; ok && i < gaps.count; i++) {
		if (is_over(turn)) { /* the others have their turn next time */
			kb_arena_fini(&arena);
			return true;
		}
		ok = ask_gap(turn, &agent, &gaps.v[i], err);
	}
	ok = ok && kb_store_gap_turn(store, agent.id, due.version, err);
	kb_arena_fini(&arena);
	return ok;
}

/* ---- turns ---- */

/* One kind of work, of one agent after another. */
struct job {
	bool (*next)(struct kb_round *round, int64_t after, int64_t *agent_id, struct kb_err *err);
	bool (*run)(const struct turn *turn, struct kb_err *err);
	const char *name;
};

static bool next_waiting(struct kb_round *round, int64_t after, int64_t *agent_id,
                         struct kb_err *err)
{
	return kb_store_gap_waiting(round->config.store, after, agent_id, err);
}

static bool next_stale(struct kb_round *round, int64_t after, int64_t *agent_id, struct kb_err *err)
{
	int64_t now = kb_clock_now_us(round->config.clock);

	return kb_store_gap_stale(round->config.store, after, now - AGAIN_S * KB_SECOND_US,
	                          agent_id, err);
}

static const struct job jobs[] = {
	{ next_waiting, group, "grouped" },
	{ next_stale, ask_anew, "asked anew" },
};

static bool take_turn(struct kb_round *round, const struct job *job, int64_t agent_id,
                      struct kb_err *err)
{
	struct turn turn = { .round = round,
		             .work = { .kind = KB_WORK_GAPS, .agent_id = agent_id },
		             .until_us = kb_clock_mono_us() + TURN_S * KB_SECOND_US };
	bool taken, ok;

	if (!kb_store_work_take(round->config.store, &turn.work, LEASE_S * KB_SECOND_US, &taken,
	                        err))
		return false;
	if (!taken) /* another node is at it */
		return true;
	ok = job->run(&turn, err);
	kb_store_work_done(round->config.store, &turn.work);
	return ok;
}

/* Goes once round all agents. One whose turn fails waits for the next round. */
static void go_round(struct kb_round *round, const struct job *job)
{
	int64_t agent_id = 0;
	struct kb_err err;

	while (!kb_round_is_over(round)) {
		if (!job->next(round, agent_id, &agent_id, &err)) {
			kb_warn(round->config.log, "cannot look for gaps error=%s", err.msg);
			return;
		}
		if (!agent_id)
			return;
		if (!take_turn(round, job, agent_id, &err) && err.code != KB_E_CANCELLED
		    && err.code != KB_E_NOT_FOUND)
			kb_warn(round->config.log, "gaps not %s agent=%" PRId64 " error=%s",
			        job->name, agent_id, err.msg);
	}
}

static void go(struct kb_round *round)
{
	for (size_t i = 0; i < KB_COUNTOF(jobs); i++)
		go_round(round, &jobs[i]);
}

struct kb_round *kb_gaps_start(const struct kb_upkeep_config *config)
{
	static const struct kb_round_kind kind = { "gaps", LOOK_MS, 0, go };

	return config->answerer ? kb_round_start(&kind, config) : NULL;
}
