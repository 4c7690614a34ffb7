#include "upkeep/upkeep.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/bell.h"
#include "base/pool.h"
#include "index/factors.h"
#include "store/nodes.h"
#include "store/upkeep.h"
#include "store/vectors.h"
#include "store/work.h"
#include "upkeep/learn.h"
#include "upkeep/merge.h"
#include "upkeep/purge.h"
#include "upkeep/remover.h"
#include "upkeep/sweep_bucket.h"

enum {
	MERGE_SEGMENTS = 8,
	UPKEEP_MS = 500,
	LEARN_MS = 2000,
	EXACT_PASSAGES = 20000, /* learned from in a second or two */
	/* Questions come first, and reading documents. */
	UPKEEP_NICE = 10,
	LEARN_NICE = 10,
	REFUSED_MAX = 64,
	REFUSED_S = 600,
	SWEEP_LOOK_S = 30,    /* whether it is due */
	SWEEP_LEASE_S = 3600, /* a sweep takes minutes at most */
	PURGE_EVERY_S = 3600,
	WORK_LEASE_S = 1800, /* a node that dies gives it up sooner (store/work.h) */
};

struct kb_upkeep {
	struct kb_upkeep_config config;
	struct kb_bell bell; /* of the two threads here */
	struct kb_cancel cancel;
	pthread_t upkeep, learner;
	struct kb_remover *remover;
	struct kb_repairer *repairer;
	struct kb_vectorize *vectorize;
	struct kb_round *chores, *openings, *gaps, *conflicts, *kept, *lines;
	_Atomic int64_t purged_messages, purged_conversations;
	_Atomic int64_t merges, swept, learned, folded;
	_Atomic int64_t discarded, recalled, in_trash, unnamed;
	struct kb_sweep round; /* so far; the upkeep thread's */
	int64_t started_us;
};

static bool is_stopping(void *arg)
{
	struct kb_upkeep *up = arg;

	return kb_bell_is_stopped(&up->bell);
}

/* As all times here. */
static int64_t now_us(const struct kb_upkeep *up)
{
	return kb_clock_steady_us(up->config.clock);
}

/* Waits for a ring that was not heard, or the time; false when it is to end. */
static bool wait_for_work(struct kb_upkeep *up, uint64_t *seen, int64_t ms)
{
	return kb_bell_wait(&up->bell, seen, now_us(up) + ms * INT64_C(1000));
}

static struct kb_learn learning(struct kb_upkeep *up)
{
	return (struct kb_learn){ .catalog = up->config.catalog,
		                  .store = up->config.store,
		                  .blobs = up->config.blobs,
		                  .log = up->config.log,
		                  .temp_dir = up->config.temp_dir,
		                  .cancel = &up->cancel };
}

/* Gives new segments their columns, before a merge of them would have to. */
static void fold_new(struct kb_upkeep *up)
{
	struct kb_learn learn = learning(up);
	int64_t folded;
	struct kb_err err;

	if (!kb_learn_fold(&learn, &folded, &err))
		kb_warn(up->config.log, "cannot look for segments to fold error=%s", err.msg);
	atomic_fetch_add(&up->folded, folded);
}

/* Agents that could not be learned from, not to be tried again at once. */
struct refused {
	struct {
		int64_t agent_id, until_us;
	} v[REFUSED_MAX];
	size_t next;
};

static bool is_refused(const struct refused *refused, int64_t agent_id, int64_t now)
{
	for (size_t i = 0; i < REFUSED_MAX; i++)
		if (refused->v[i].agent_id == agent_id && refused->v[i].until_us > now)
			return true;
	return false;
}

/* Goes once round the agents that need a model. */
static void learn_due(struct kb_upkeep *up, struct refused *refused)
{
	struct kb_learn learn = learning(up);
	struct kb_work work = { .kind = KB_WORK_FACTORS };
	bool taken, learned;
	struct kb_err err;
	int64_t agent_id = 0;

	while (!kb_bell_is_stopped(&up->bell)) {
		const struct kb_factors_want want = { .after_agent_id = agent_id,
			                              .min_passages = KB_FACTORS_PASSAGES_MIN,
			                              .exact_passages = EXACT_PASSAGES };

		if (!kb_store_factors_due(up->config.store, &want, &agent_id, &err)) {
			kb_warn(up->config.log, "cannot look for agents to learn from error=%s",
			        err.msg);
			return;
		}
		if (agent_id == 0)
			return;
		if (is_refused(refused, agent_id, now_us(up)))
			continue;
		work.agent_id = agent_id;
		if (!kb_store_work_take(up->config.store, &work, WORK_LEASE_S * KB_SECOND_US,
		                        &taken, &err)) {
			kb_warn(up->config.log, "cannot take an agent to learn from error=%s",
			        err.msg);
			return;
		}
		if (!taken)
			continue;
		learned = kb_learn_agent(&learn, agent_id, &err);
		kb_store_work_done(up->config.store, &work);
		if (learned) {
			atomic_fetch_add(&up->learned, 1);
			kb_heap_trim();
			continue;
		}
		if (err.code == KB_E_CANCELLED)
			return;
		refused->v[refused->next].agent_id = agent_id;
		refused->v[refused->next].until_us = now_us(up) + REFUSED_S * KB_SECOND_US;
		refused->next = (refused->next + 1) % REFUSED_MAX;
		kb_info(up->config.log, "factors not learned agent=%" PRId64 " reason=%s", agent_id,
		        err.msg);
	}
}

static void *learner_thread(void *arg)
{
	struct kb_upkeep *up = arg;
	struct refused *refused = kb_xcalloc(1, sizeof(*refused));
	uint64_t seen = 0;

	kb_thread_set_nice(LEARN_NICE);
	do
		learn_due(up, refused);
	while (wait_for_work(up, &seen, LEARN_MS));
	free(refused);
	return NULL;
}

static void merge_one(struct kb_upkeep *up, bool *again)
{
	struct kb_upkeep_config *config = &up->config;
	struct kb_work work = { .kind = KB_WORK_MERGE };
	bool merged = false, ok;
	int64_t agent_id;
	struct kb_err err;

	*again = false;
	if (!kb_store_merge_candidate(config->store, MERGE_SEGMENTS, &agent_id, &err)) {
		kb_warn(config->log, "cannot look for segments to merge error=%s", err.msg);
		return;
	}
	if (agent_id == 0)
		return;
	work.agent_id = agent_id;
	if (!kb_store_work_take(config->store, &work, WORK_LEASE_S * KB_SECOND_US, again, &err)
	    || !*again)
		return;
	*again = false;
	kb_vectorize_hold(up->vectorize);
	ok = kb_merge_agent(&(struct kb_merge_places){ .catalog = config->catalog,
	                                               .store = config->store,
	                                               .blobs = config->blobs,
	                                               .temp_dir = config->temp_dir },
	                    agent_id, &up->cancel, &merged, &err);
	kb_vectorize_release(up->vectorize);
	kb_store_work_done(config->store, &work);
	if (!ok) {
		if (err.code != KB_E_CONFLICT && err.code != KB_E_NOT_FOUND
		    && err.code != KB_E_CANCELLED)
			kb_error_log(config->log, "segments not merged agent=%" PRId64 " error=%s",
			             agent_id, err.msg);
		return;
	}
	if (merged) {
		atomic_fetch_add(&up->merges, 1);
		kb_heap_trim();
	}
	*again = merged;
}

static void purge(struct kb_upkeep *up)
{
	struct kb_work work = { .kind = KB_WORK_PURGE };
	struct kb_purge_sum sum;
	struct kb_err err;
	bool taken = false;

	if (!up->config.keep_days)
		return;
	if (!kb_store_work_take(up->config.store, &work, WORK_LEASE_S * KB_SECOND_US, &taken, &err))
		kb_warn(up->config.log, "cannot look for conversations to purge error=%s", err.msg);
	if (!taken)
		return;
	kb_purge_conversations(&up->config, &up->cancel, &sum);
	kb_purge_audit(&up->config, &up->cancel);
	kb_purge_guesses(&up->config);
	kb_store_work_done(up->config.store, &work);
	atomic_fetch_add(&up->purged_messages, sum.messages);
	atomic_fetch_add(&up->purged_conversations, sum.conversations);
}

/* What a sweep, or a page of one, has come to. */
static void say_sweep(struct kb_upkeep *up, const struct kb_sweep *sum)
{
	if (sum->removed + sum->discarded + sum->recalled)
		kb_info(up->config.log,
		        "blobs swept removed=%" PRId64 " to_trash=%" PRId64 " from_trash=%" PRId64,
		        sum->removed, sum->discarded, sum->recalled);
	if (sum->left)
		kb_warn(up->config.log,
		        "more blobs are named by no row than one sweep may end: is this the right "
		        "database? blobs=%" PRId64 " unnamed=%" PRId64 " left=%" PRId64,
		        sum->blobs, sum->unnamed, sum->left);
	atomic_fetch_add(&up->swept, sum->removed);
	atomic_fetch_add(&up->discarded, sum->discarded);
	atomic_fetch_add(&up->recalled, sum->recalled);
}

/* The two figures of a whole round, of which a sweep may be a page. */
static void count_round(struct kb_upkeep *up, const struct kb_sweep *sum, bool more)
{
	up->round.in_trash += sum->in_trash;
	up->round.unnamed += sum->unnamed;
	if (more)
		return;
	atomic_store(&up->in_trash, up->round.in_trash);
	atomic_store(&up->unnamed, up->round.unnamed);
	up->round = (struct kb_sweep){ 0 };
}

static void sweep(struct kb_upkeep *up)
{
	struct kb_upkeep_config *config = &up->config;
	bool is_bucket = kb_blobs_are_remote(config->blobs), more = false, ok, cancelled;
	struct kb_sweep sum;
	struct kb_err err;
	int64_t epoch;

	if (now_us(up) - up->started_us < config->sweep.first_s * KB_SECOND_US)
		return;
	if (!kb_store_upkeep_take(config->store, "sweep", SWEEP_LEASE_S * KB_SECOND_US, &epoch,
	                          &err)) {
		kb_warn(config->log, "cannot look whether blobs are to be swept error=%s", err.msg);
		return;
	}
	if (!epoch)
		return;
	ok = is_bucket ? kb_sweep_bucket(config->store, config->blobs, &config->sweep, &sum, &more,
	                                 &err)
	               : kb_sweep_blobs(config->store, config->blobs, &config->sweep, &sum, &err);
	/* A sweep that a stop cuts short goes on at the next start, or on another node. */
	cancelled = !ok && err.code == KB_E_CANCELLED;
	if (!ok && !cancelled)
		kb_warn(config->log, "blobs not swept error=%s", err.msg);
	more = more && ok;
	say_sweep(up, &sum);
	count_round(up, &sum, more);
	if (!kb_store_upkeep_done(config->store, "sweep", epoch,
	                          more || cancelled ? 0 : config->sweep.every_s * KB_SECOND_US,
	                          &err))
		kb_warn(config->log, "the sweep's end was not noted error=%s", err.msg);
}

static void *upkeep_thread(void *arg)
{
	struct kb_upkeep *up = arg;
	int64_t looked_at = 0, purged_at = 0;
	uint64_t seen = 0;

	kb_thread_set_nice(UPKEEP_NICE);
	while (!kb_bell_is_stopped(&up->bell)) {
		bool again;

		kb_store_unheard_free(up->config.store);
		fold_new(up);
		merge_one(up, &again);
		if (now_us(up) - looked_at > SWEEP_LOOK_S * KB_SECOND_US) {
			looked_at = now_us(up);
			sweep(up);
		}
		if (purged_at == 0 || now_us(up) - purged_at > PURGE_EVERY_S * KB_SECOND_US) {
			purged_at = now_us(up);
			purge(up);
		}
		if (!again)
			wait_for_work(up, &seen, UPKEEP_MS);
	}
	return NULL;
}

struct kb_upkeep *kb_upkeep_start(const struct kb_upkeep_config *config)
{
	struct kb_upkeep *up = kb_xcalloc(1, sizeof(*up));

	up->config = *config;
	up->started_us = now_us(up);
	up->cancel = (struct kb_cancel){ is_stopping, up };
	up->config.sweep.cancel = &up->cancel;
	kb_bell_init(&up->bell, config->clock);
	up->vectorize = kb_vectorize_start(config);
	up->upkeep = kb_thread_start("upkeep", upkeep_thread, up);
	up->learner = kb_thread_start("learner", learner_thread, up);
	up->remover = kb_remover_start(config);
	up->repairer = kb_repairer_start(config);
	up->chores = kb_chores_start(config);
	up->openings = kb_openings_start(config);
	up->gaps = kb_gaps_start(config);
	up->conflicts = kb_conflicts_start(config);
	up->kept = kb_kept_start(config);
	up->lines = kb_audit_lines_start(config);
	return up;
}

void kb_upkeep_stop(struct kb_upkeep *up)
{
	if (!up)
		return;
	kb_bell_stop(&up->bell);
	kb_remover_stop(up->remover);
	kb_repairer_stop(up->repairer);
	kb_round_stop(up->chores);
	kb_round_stop(up->gaps);
	kb_round_stop(up->conflicts);
	kb_round_stop(up->kept);
	kb_round_stop(up->lines);
	kb_round_stop(up->openings);
	pthread_join(up->upkeep, NULL);
	pthread_join(up->learner, NULL);
	kb_vectorize_stop(up->vectorize);
	kb_bell_fini(&up->bell);
	free(up);
}

void kb_upkeep_wake(struct kb_upkeep *up)
{
	kb_bell_ring(&up->bell);
	kb_remover_wake(up->remover);
}

void kb_upkeep_stats(struct kb_upkeep *up, struct kb_upkeep_stats *out)
{
	*out = (struct kb_upkeep_stats){
		.removed = kb_remover_rows(up->remover),
		.merges = atomic_load(&up->merges),
		.swept = atomic_load(&up->swept),
		.discarded = atomic_load(&up->discarded),
		.recalled = atomic_load(&up->recalled),
		.in_trash = atomic_load(&up->in_trash),
		.unnamed = atomic_load(&up->unnamed),
		.learned = atomic_load(&up->learned),
		.folded = atomic_load(&up->folded),
		.purged_messages = atomic_load(&up->purged_messages),
		.purged_conversations = atomic_load(&up->purged_conversations),
	};
	kb_repairer_stats(up->repairer, &out->repair);
	kb_vectorize_stats(up->vectorize, &out->vectorize);
	kb_chores_stats(up->chores, &out->chores);
	kb_audit_lines_stats(up->lines, &out->lines);
}
