/* The threads. What they do with a lease is in batch.c; merging and sweeping are in upkeep.c. */
#include "ingest/ingest.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/pool.h"
#include "base/temp.h"
#include "index/factors.h"
#include "ingest/batch.h"
#include "ingest/learn.h"
#include "ingest/remover.h"
#include "ingest/repair.h"
#include "ingest/web.h"
#include "store/agents.h"
#include "store/upkeep.h"
#include "store/vectors.h"

enum {
	POLL_MS = 1000,
	CHARGE_MS = 2000, /* of a turn, until it is known what it took */
	QUICK_MS = 2000,  /* for a page in the reserve */
	PAUSE_MS = 200,   /* when the world has failed; doubled while it does */
	PAUSE_MAX_MS = 10000,
	MERGE_SEGMENTS = 8,
	UPKEEP_MS = 500,
	/* Questions come first: who asks waits, who uploads does not. */
	INGEST_NICE = 5,
	UPKEEP_NICE = 10,
	LEARN_MS = 2000,
	LEARN_NICE = 10,
	REFUSED_MAX = 64,
	REFUSED_S = 600,
	SWEEP_LOOK_S = 30,    /* whether it is due */
	SWEEP_LEASE_S = 3600, /* a sweep takes minutes at most */
	PURGE_EVERY_S = 3600,
};

struct kb_ingest {
	struct kb_ingest_config config;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	uint64_t calls; /* of kb_ingest_wake(); a thread that saw fewer looks again */
	bool stopping;
	struct kb_cancel cancel; /* asks for `stopping` */
	int busy;                /* of the threads; without the reserve */
	pthread_t *threads, reserve;
	pthread_t upkeep, learner;
	struct kb_web *web;
	struct kb_remover *remover;
	struct kb_repairer *repairer;
	struct kb_vectorize *vectorize;
	struct kb_batch_counts batches;
	_Atomic int64_t purged_messages, purged_conversations;
	_Atomic int64_t merges, swept, learned, folded;
	_Atomic int64_t discarded, recalled, in_trash, unnamed;
	int64_t started_us;
};

static bool stopping(struct kb_ingest *in)
{
	bool yes;

	pthread_mutex_lock(&in->lock);
	yes = in->stopping;
	pthread_mutex_unlock(&in->lock);
	return yes;
}

static struct timespec in_ms(int64_t ms)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_sec += ms / 1000;
	at.tv_nsec += ms % 1000 * 1000000;
	if (at.tv_nsec >= 1000000000) {
		at.tv_sec++;
		at.tv_nsec -= 1000000000;
	}
	return at;
}

/* Waits for a wake-up newer than *seen, or the time. */
static void wait_for_work(struct kb_ingest *in, uint64_t *seen, int64_t ms)
{
	struct timespec until = in_ms(ms);

	pthread_mutex_lock(&in->lock);
	while (!in->stopping && in->calls == *seen)
		if (pthread_cond_timedwait(&in->wake, &in->lock, &until) != 0)
			break;
	*seen = in->calls;
	pthread_mutex_unlock(&in->lock);
}

/* Waits for the time, whoever calls. */
static void rest(struct kb_ingest *in, int64_t ms)
{
	struct timespec until = in_ms(ms);

	pthread_mutex_lock(&in->lock);
	while (!in->stopping)
		if (pthread_cond_timedwait(&in->wake, &in->lock, &until) != 0)
			break;
	pthread_mutex_unlock(&in->lock);
}

/* ---- leasing and reading ---- */

static void set_busy(struct kb_ingest *in, int change)
{
	pthread_mutex_lock(&in->lock);
	in->busy += change;
	pthread_mutex_unlock(&in->lock);
}

/* The reserve has nothing to do while another thread is free, which has more time for a page. */
static bool is_wanted(struct kb_ingest *in, bool reserve)
{
	bool yes;

	pthread_mutex_lock(&in->lock);
	yes = !reserve || in->busy == in->config.threads;
	pthread_mutex_unlock(&in->lock);
	return yes;
}

/* One turn. False: there was none; *wait_ms says how long there will be none. */
static bool take_turn(struct kb_ingest *in, const struct kb_batcher *batcher,
                      struct kb_lease_want *want, int64_t *wait_ms, int64_t *pause_ms)
{
	struct kb_arena arena = { 0 };
	struct kb_lease *leases = NULL;
	int64_t due = 0, start = kb_clock_mono_us();
	size_t count = 0;
	struct kb_err err;

	*wait_ms = POLL_MS;
	if (!kb_store_pages_lease(in->config.store, &arena, want, &leases, &count, &due, &err)) {
		kb_error_log(in->config.log, "cannot lease pages error=%s", err.msg);
	} else {
		want->settle_us = 0;
		if (due)
			*wait_ms = (due - kb_clock_now_us(in->config.clock)) / 1000 + 1;
	}
	*wait_ms = KB_MAX(INT64_C(1), KB_MIN(*wait_ms, (int64_t)POLL_MS));
	if (count) {
		bool ok;

		if (!want->not_slow)
			set_busy(in, 1);
		ok = kb_batch_run(batcher, leases, count);
		if (!want->not_slow)
			set_busy(in, -1);
		*pause_ms = ok ? 0 : KB_MIN(KB_MAX(*pause_ms * 2, PAUSE_MS), PAUSE_MAX_MS);
		want->settle_account_id = leases[0].account_id;
		want->settle_us = kb_clock_mono_us() - start - want->charge_us;
	}
	kb_arena_fini(&arena);
	return count > 0;
}

/* reserve: a thread that no page holds for long, so that there is one for those who come while
 * slow pages have all the others. */
static void run_thread(struct kb_ingest *in, bool reserve)
{
	struct kb_batcher batcher = { .config = &in->config,
		                      .cancel = &in->cancel,
		                      .writer = kb_segment_writer_new(),
		                      .counts = &in->batches,
		                      .quick_ms = reserve ? QUICK_MS : 0 };
	struct kb_lease_want want = { .lease_us = KB_BATCH_LEASE_S * KB_SECOND_US,
		                      .not_slow = reserve,
		                      .charge_us = CHARGE_MS * INT64_C(1000) };
	int64_t wait_ms = 0, pause_ms = 0; /* pause: grows while the world fails */
	uint64_t seen = 0;

	kb_thread_set_nice(INGEST_NICE);
	while (!stopping(in)) {
		bool wanted = is_wanted(in, reserve);

		want.max = wanted ? KB_BATCH_PAGES : 0;
		if (!wanted && !want.settle_us)
			wait_for_work(in, &seen, POLL_MS);
		else if (!take_turn(in, &batcher, &want, &wait_ms, &pause_ms))
			wait_for_work(in, &seen, wait_ms);
		else if (pause_ms)
			rest(in, pause_ms);
	}
	kb_segment_writer_free(batcher.writer);
}

static void *ingest_thread(void *arg)
{
	run_thread(arg, false);
	return NULL;
}

static void *reserve_thread(void *arg)
{
	run_thread(arg, true);
	return NULL;
}

static bool is_stopping(void *arg)
{
	return stopping(arg);
}

static struct kb_learn learning(struct kb_ingest *in)
{
	return (struct kb_learn){ .catalog = in->config.catalog,
		                  .store = in->config.store,
		                  .blobs = in->config.blobs,
		                  .log = in->config.log,
		                  .temp_dir = in->config.temp_dir,
		                  .cancel = &in->cancel };
}

/* Gives new segments their columns, before a merge of them would have to. */
static void fold_new(struct kb_ingest *in)
{
	struct kb_learn learn = learning(in);
	int64_t folded;
	struct kb_err err;

	if (!kb_learn_fold(&learn, &folded, &err))
		kb_warn(in->config.log, "cannot look for segments to fold error=%s", err.msg);
	atomic_fetch_add(&in->folded, folded);
}

/* Agents that could not be learned from, not to be tried again at once. */
struct refused {
	struct {
		int64_t agent_id, until_us;
	} v[REFUSED_MAX];
	size_t next;
};

static bool is_refused(const struct refused *refused, int64_t agent_id)
{
	for (size_t i = 0; i < REFUSED_MAX; i++)
		if (refused->v[i].agent_id == agent_id
		    && refused->v[i].until_us > kb_clock_mono_us())
			return true;
	return false;
}

/* Goes once round the agents that need a model. */
static void learn_due(struct kb_ingest *in, struct refused *refused)
{
	struct kb_learn learn = learning(in);
	struct kb_err err;
	int64_t agent_id = 0;

	while (!stopping(in)) {
		if (!kb_store_factors_due(in->config.store, KB_FACTORS_PASSAGES_MIN, agent_id,
		                          &agent_id, &err)) {
			kb_warn(in->config.log, "cannot look for agents to learn from error=%s",
			        err.msg);
			return;
		}
		if (agent_id == 0)
			return;
		if (is_refused(refused, agent_id))
			continue;
		if (kb_learn_agent(&learn, agent_id, &err)) {
			atomic_fetch_add(&in->learned, 1);
			kb_heap_trim();
			continue;
		}
		if (err.code == KB_E_CANCELLED)
			return;
		refused->v[refused->next].agent_id = agent_id;
		refused->v[refused->next].until_us = kb_clock_mono_us() + REFUSED_S * KB_SECOND_US;
		refused->next = (refused->next + 1) % REFUSED_MAX;
		kb_info(in->config.log, "factors not learned agent=%" PRId64 " reason=%s", agent_id,
		        err.msg);
	}
}

static void *learner_thread(void *arg)
{
	struct kb_ingest *in = arg;
	struct refused *refused = kb_xcalloc(1, sizeof(*refused));
	uint64_t seen = 0;

	kb_thread_set_nice(LEARN_NICE);
	while (!stopping(in)) {
		learn_due(in, refused);
		wait_for_work(in, &seen, LEARN_MS);
	}
	free(refused);
	return NULL;
}

static void merge_one(struct kb_ingest *in, bool *again)
{
	struct kb_ingest_config *config = &in->config;
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
	kb_vectorize_hold(in->vectorize);
	ok = kb_merge_agent(config->catalog, config->store, config->blobs, config->temp_dir,
	                    agent_id, &in->cancel, &merged, &err);
	kb_vectorize_release(in->vectorize);
	if (!ok) {
		if (err.code != KB_E_CONFLICT && err.code != KB_E_NOT_FOUND
		    && err.code != KB_E_CANCELLED)
			kb_error_log(config->log, "segments not merged agent=%" PRId64 " error=%s",
			             agent_id, err.msg);
		return;
	}
	if (merged) {
		atomic_fetch_add(&in->merges, 1);
		kb_heap_trim();
	}
	*again = merged;
}

static void purge(struct kb_ingest *in)
{
	struct kb_purge_sum sum;

	if (!in->config.keep_days)
		return;
	kb_purge_conversations(&in->config, &in->cancel, &sum);
	atomic_fetch_add(&in->purged_messages, sum.messages);
	atomic_fetch_add(&in->purged_conversations, sum.conversations);
}

static void sweep(struct kb_ingest *in)
{
	struct kb_ingest_config *config = &in->config;
	struct kb_sweep sum;
	struct kb_err err;
	int64_t epoch;

	if (kb_clock_mono_us() - in->started_us < config->sweep.first_s * KB_SECOND_US)
		return;
	if (!kb_store_upkeep_take(config->store, "sweep", SWEEP_LEASE_S * KB_SECOND_US, &epoch,
	                          &err)) {
		kb_warn(config->log, "cannot look whether blobs are to be swept error=%s", err.msg);
		return;
	}
	if (!epoch)
		return;
	if (!kb_sweep_blobs(config->store, config->blobs, &config->sweep, &sum, &err))
		kb_warn(config->log, "blobs not swept error=%s", err.msg);
	if (sum.removed + sum.discarded + sum.recalled)
		kb_info(config->log,
		        "blobs swept removed=%" PRId64 " to_trash=%" PRId64 " from_trash=%" PRId64,
		        sum.removed, sum.discarded, sum.recalled);
	if (sum.left)
		kb_warn(config->log,
		        "more blobs are named by no row than one sweep may end: is this the right "
		        "database? blobs=%" PRId64 " unnamed=%" PRId64 " left=%" PRId64,
		        sum.blobs, sum.unnamed, sum.left);
	atomic_fetch_add(&in->swept, sum.removed);
	atomic_fetch_add(&in->discarded, sum.discarded);
	atomic_fetch_add(&in->recalled, sum.recalled);
	atomic_store(&in->in_trash, sum.in_trash);
	atomic_store(&in->unnamed, sum.unnamed);
	if (!kb_store_upkeep_done(config->store, "sweep", epoch,
	                          config->sweep.every_s * KB_SECOND_US, &err))
		kb_warn(config->log, "the sweep's end was not noted error=%s", err.msg);
}

static void *upkeep_thread(void *arg)
{
	struct kb_ingest *in = arg;
	int64_t looked_at = 0, purged_at = 0;
	uint64_t seen = 0;

	kb_thread_set_nice(UPKEEP_NICE);
	while (!stopping(in)) {
		bool again;

		fold_new(in);
		merge_one(in, &again);
		if (kb_clock_mono_us() - looked_at > SWEEP_LOOK_S * KB_SECOND_US) {
			looked_at = kb_clock_mono_us();
			sweep(in);
		}
		if (purged_at == 0
		    || kb_clock_mono_us() - purged_at > PURGE_EVERY_S * KB_SECOND_US) {
			purged_at = kb_clock_mono_us();
			purge(in);
		}
		if (!again)
			wait_for_work(in, &seen, UPKEEP_MS);
	}
	return NULL;
}

static void pages_came(void *arg)
{
	struct kb_ingest *in = arg;

	pthread_mutex_lock(&in->lock);
	in->calls++;
	pthread_cond_broadcast(&in->wake);
	pthread_mutex_unlock(&in->lock);
}

struct kb_ingest *kb_ingest_start(const struct kb_ingest_config *config)
{
	struct kb_ingest *in = kb_xcalloc(1, sizeof(*in));
	pthread_condattr_t monotonic;
	struct kb_err err;

	in->config = *config;
	in->started_us = kb_clock_mono_us();
	in->cancel = (struct kb_cancel){ is_stopping, in };
	/* What an earlier life was writing when it was killed. Nobody else writes here: the store
	 * is open for this process alone. */
	if (!kb_temp_clean(config->temp_dir, KB_TEMP_ALL, &err))
		kb_warn(config->log, "temporary files are left error=%s", err.msg);
	pthread_mutex_init(&in->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&in->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	in->threads = kb_xcalloc((size_t)config->threads, sizeof(*in->threads));
	for (int i = 0; i < config->threads; i++)
		in->threads[i] = kb_thread_start("ingest", ingest_thread, in);
	in->reserve = kb_thread_start("ingest-reserve", reserve_thread, in);
	in->vectorize = kb_vectorize_start(config);
	in->upkeep = kb_thread_start("upkeep", upkeep_thread, in);
	in->learner = kb_thread_start("learner", learner_thread, in);
	in->web = kb_web_start(config, pages_came, in);
	in->remover = kb_remover_start(config->store, config->log);
	in->repairer = kb_repairer_start(config, pages_came, in);
	return in;
}

void kb_ingest_stop(struct kb_ingest *in)
{
	if (!in)
		return;
	kb_web_stop(in->web);
	kb_remover_stop(in->remover);
	kb_repairer_stop(in->repairer);
	pthread_mutex_lock(&in->lock);
	in->stopping = true;
	pthread_cond_broadcast(&in->wake);
	pthread_mutex_unlock(&in->lock);
	for (int i = 0; i < in->config.threads; i++)
		pthread_join(in->threads[i], NULL);
	pthread_join(in->reserve, NULL);
	pthread_join(in->upkeep, NULL);
	pthread_join(in->learner, NULL);
	kb_vectorize_stop(in->vectorize);
	pthread_cond_destroy(&in->wake);
	pthread_mutex_destroy(&in->lock);
	free(in->threads);
	free(in);
}

void kb_ingest_wake(struct kb_ingest *in)
{
	pages_came(in);
	kb_web_wake(in->web);
	kb_remover_wake(in->remover);
}

void kb_ingest_stats(struct kb_ingest *in, struct kb_ingest_stats *out)
{
	struct kb_vectorize_stats embedded;
	struct kb_web_stats web;
	struct kb_repair_stats repair;

	kb_repairer_stats(in->repairer, &repair);
	kb_vectorize_stats(in->vectorize, &embedded);
	kb_web_stats(in->web, &web);
	*out = (struct kb_ingest_stats){
		.removed = kb_remover_rows(in->remover),
		.fetched = web.fetched,
		.not_modified = web.unchanged,
		.fetch_failed = web.failed,
		.fetch_retried = web.again,
		.sources_read = web.sources_read,
		.unchanged = atomic_load(&in->batches.unchanged),
		.indexed = atomic_load(&in->batches.indexed),
		.failed = atomic_load(&in->batches.failed),
		.retried = atomic_load(&in->batches.retried),
		.passages = atomic_load(&in->batches.passages),
		.merges = atomic_load(&in->merges),
		.swept = atomic_load(&in->swept),
		.discarded = atomic_load(&in->discarded),
		.recalled = atomic_load(&in->recalled),
		.in_trash = atomic_load(&in->in_trash),
		.unnamed = atomic_load(&in->unnamed),
		.learned = atomic_load(&in->learned),
		.folded = atomic_load(&in->folded),
		.vectorize = embedded,
		.repair = repair,
		.purged_messages = atomic_load(&in->purged_messages),
		.purged_conversations = atomic_load(&in->purged_conversations),
	};
}
