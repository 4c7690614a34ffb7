/* The threads. What they do with a lease is in batch.c, with a page of it in take.c. */
#include "ingest/ingest.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/bell.h"
#include "base/pool.h"
#include "ingest/batch.h"

enum {
	POLL_MS = 1000,
	CHARGE_MS = 2000, /* of a turn, until it is known what it took */
	QUICK_MS = 2000,  /* for a page in the reserve */
	PAUSE_MS = 200,   /* when the world has failed; doubled while it does */
	PAUSE_MAX_MS = 10000,
	WATCH_MS = 600000, /* of who waits for the reserve, which rings */
	INGEST_NICE = 5,   /* questions come first: who asks waits, who uploads does not */
};

struct kb_ingest {
	struct kb_ingest_config config;
	struct kb_bell bell;
	struct kb_bell handed; /* where those in reserve wait for their turn of it */
	struct kb_cancel cancel;
	pthread_mutex_t lock;
	int busy;        /* of the threads; without the reserve's */
	bool in_reserve; /* one is */
	int going_on;    /* who were in reserve, and are at a page that takes long */
	pthread_t *threads, *reserves;
	struct kb_batch_counts batches;
};

static int64_t in_ms(const struct kb_ingest *in, int64_t ms)
{
	return kb_clock_steady_us(in->config.clock) + ms * INT64_C(1000);
}

/* ---- the reserve ---- */

/*
 * One thread more than the others reads while all of them are busy, and no page holds it for long,
 * so that there is one for those who come while slow pages have all the others. When a page turns
 * out to be slow it goes on with that, so that it is parsed once, and the next one takes its place.
 */
struct reserve {
	struct kb_ingest *in;
	bool handed_on;
};

/* A batcher's: as many go on at most as there are other threads. */
static bool hand_on(void *arg)
{
	struct reserve *reserve = arg;
	struct kb_ingest *in = reserve->in;

	if (reserve->handed_on)
		return true;
	pthread_mutex_lock(&in->lock);
	reserve->handed_on = in->going_on < in->config.threads;
	if (reserve->handed_on) {
		in->going_on++;
		in->in_reserve = false;
	}
	pthread_mutex_unlock(&in->lock);
	if (reserve->handed_on)
		kb_bell_ring(&in->handed);
	return reserve->handed_on;
}

/* Waits until it is this thread's. False: the service stops. */
static bool enter_reserve(struct reserve *reserve)
{
	struct kb_ingest *in = reserve->in;
	uint64_t seen = 0;
	bool entered;

	do {
		pthread_mutex_lock(&in->lock);
		entered = !in->in_reserve;
		in->in_reserve = true;
		pthread_mutex_unlock(&in->lock);
	} while (!entered && kb_bell_wait(&in->handed, &seen, in_ms(in, WATCH_MS)));
	return entered && !kb_bell_is_stopped(&in->bell);
}

static void leave_reserve(struct reserve *reserve)
{
	struct kb_ingest *in = reserve->in;

	pthread_mutex_lock(&in->lock);
	if (reserve->handed_on)
		in->going_on--;
	else
		in->in_reserve = false;
	pthread_mutex_unlock(&in->lock);
	reserve->handed_on = false;
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
                      const struct kb_lease_want *want, int64_t *wait_ms, int64_t *pause_ms)
{
	struct kb_arena arena = { 0 };
	struct kb_leases leases;
	int64_t start = kb_clock_mono_us();
	struct kb_err err;

	*wait_ms = POLL_MS;
	if (!kb_store_pages_lease(in->config.store, &arena, want, &leases, &err)) {
		kb_error_log(in->config.log, "cannot lease pages error=%s", err.msg);
	} else if (leases.next_due_at) {
		*wait_ms = (leases.next_due_at - kb_clock_now_us(in->config.clock)) / 1000 + 1;
	}
	*wait_ms = KB_MAX(INT64_C(1), KB_MIN(*wait_ms, (int64_t)POLL_MS));
	if (leases.count) {
		bool ok;

		if (!want->not_slow)
			set_busy(in, 1);
		ok = kb_batch_run(batcher, leases.v, leases.count);
		if (!want->not_slow)
			set_busy(in, -1);
		*pause_ms = ok ? 0 : KB_MIN(KB_MAX(*pause_ms * 2, PAUSE_MS), PAUSE_MAX_MS);
		/* Else its charge has to do; and where the world has failed, nobody would hear. */
		if (ok
		    && !kb_store_turn_settle(in->config.store, leases.v[0].account_id,
		                             kb_clock_mono_us() - start - want->charge_us, &err))
			kb_error_log(in->config.log, "cannot settle a turn error=%s", err.msg);
	}
	kb_arena_fini(&arena);
	return leases.count > 0;
}

/* Takes turns until it stops, or until another thread took over the reserve (NULL: this is none).
 */
static void take_turns(struct kb_ingest *in, struct reserve *reserve)
{
	struct kb_batcher batcher = { .config = &in->config,
		                      .cancel = &in->cancel,
		                      .bell = &in->bell,
		                      .writer = kb_segment_writer_new(),
		                      .counts = &in->batches,
		                      .quick_ms = reserve ? QUICK_MS : 0,
		                      .hand_on = reserve ? hand_on : NULL,
		                      .hand_on_arg = reserve };
	const struct kb_lease_want want = { .max = KB_BATCH_PAGES,
		                            .lease_us = KB_BATCH_LEASE_S * KB_SECOND_US,
		                            .not_slow = reserve != NULL,
		                            .charge_us = CHARGE_MS * INT64_C(1000) };
	int64_t wait_ms = 0, pause_ms = 0; /* pause: grows while the world fails */
	uint64_t seen = 0;

	while (!kb_bell_is_stopped(&in->bell) && !(reserve && reserve->handed_on)) {
		if (!is_wanted(in, reserve))
			(void)kb_bell_wait(&in->bell, &seen, in_ms(in, POLL_MS));
		else if (!take_turn(in, &batcher, &want, &wait_ms, &pause_ms))
			(void)kb_bell_wait(&in->bell, &seen, in_ms(in, wait_ms));
		else if (pause_ms)
			(void)kb_bell_rest(&in->bell, in_ms(in, pause_ms));
	}
	kb_segment_writer_free(batcher.writer);
}

static void *ingest_thread(void *arg)
{
	kb_thread_set_nice(INGEST_NICE);
	take_turns(arg, NULL);
	return NULL;
}

static void *reserve_thread(void *arg)
{
	struct reserve reserve = { .in = arg };

	kb_thread_set_nice(INGEST_NICE);
	while (enter_reserve(&reserve)) {
		take_turns(reserve.in, &reserve);
		leave_reserve(&reserve);
	}
	return NULL;
}

static bool is_stopping(void *arg)
{
	struct kb_ingest *in = arg;

	return kb_bell_is_stopped(&in->bell);
}

struct kb_ingest *kb_ingest_start(const struct kb_ingest_config *config)
{
	struct kb_ingest *in = kb_xcalloc(1, sizeof(*in));

	in->config = *config;
	in->cancel = (struct kb_cancel){ is_stopping, in };
	pthread_mutex_init(&in->lock, NULL);
	kb_bell_init(&in->bell, in->config.clock);
	kb_bell_init(&in->handed, in->config.clock);
	in->threads = kb_xcalloc((size_t)config->threads, sizeof(*in->threads));
	for (int i = 0; i < config->threads; i++)
		in->threads[i] = kb_thread_start("ingest", ingest_thread, in);
	in->reserves = kb_xcalloc((size_t)config->threads + 1, sizeof(*in->reserves));
	for (int i = 0; i <= config->threads; i++)
		in->reserves[i] = kb_thread_start("ingest-reserve", reserve_thread, in);
	return in;
}

void kb_ingest_stop(struct kb_ingest *in)
{
	if (!in)
		return;
	kb_bell_stop(&in->bell);
	kb_bell_stop(&in->handed);
	for (int i = 0; i < in->config.threads; i++)
		pthread_join(in->threads[i], NULL);
	for (int i = 0; i <= in->config.threads; i++)
		pthread_join(in->reserves[i], NULL);
	kb_bell_fini(&in->handed);
	kb_bell_fini(&in->bell);
	pthread_mutex_destroy(&in->lock);
	free(in->reserves);
	free(in->threads);
	free(in);
}

void kb_ingest_wake(struct kb_ingest *in)
{
	kb_bell_ring(&in->bell);
}

struct kb_histogram *kb_ingest_readings(struct kb_ingest *in)
{
	return in->batches.readings;
}

void kb_ingest_stats(struct kb_ingest *in, struct kb_ingest_stats *out)
{
	*out = (struct kb_ingest_stats){
		.parsed = atomic_load(&in->batches.parsed),
		.unchanged = atomic_load(&in->batches.unchanged),
		.indexed = atomic_load(&in->batches.indexed),
		.failed = atomic_load(&in->batches.failed),
		.retried = atomic_load(&in->batches.retried),
		.passages = atomic_load(&in->batches.passages),
	};
}
