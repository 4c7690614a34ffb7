#include "api/limits.h"

#include <ini.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* ---- plans ---- */

struct reading {
	struct kb_arena *arena;
	struct kb_plans *plans;
	struct kb_err *err;
};

static int on_plan(void *user, const char *section, const char *name, const char *value)
{
	struct reading *reading = user;
	struct kb_plans *plans = reading->plans;
	struct kb_plan plan;

	(void)section;
	if (!kb_plan_read(reading->arena, kb_arena_sv(reading->arena, kb_sv_str(name)),
	                  kb_arena_sv(reading->arena, kb_sv_str(value)), &plan, reading->err))
		return 0;
	for (size_t i = 0; i < plans->count; i++)
		if (kb_sv_eq(plans->v[i].name, plan.name)) {
			plans->v[i] = plan;
			return 1;
		}
	plans->v[plans->count++] = plan;
	return plans->count < KB_PLANS_MAX;
}

bool kb_plans_read(struct kb_arena *arena, const char *file, const char *rate, struct kb_plans *out,
                   struct kb_err *err)
{
	struct reading reading = { .arena = arena, .plans = out, .err = err };
	size_t count;
	const struct kb_plan *built_in = kb_plans_built_in(&count);
	int line;

	out->v = KB_NEW_ARRAY(arena, KB_PLANS_MAX, struct kb_plan);
	memcpy(out->v, built_in, count * sizeof(*built_in));
	out->count = count;
	if (rate
	    && !kb_rate_read(kb_sv_str(rate), &out->v[0].rate_per_second, &out->v[0].burst, err))
		return false;
	if (!file)
		return true;
	*err = (struct kb_err){ 0 };
	line = ini_parse(file, on_plan, &reading);
	if (line < 0)
		return kb_fail_errno(err, "cannot read the plans in %s", file);
	if (line > 0 && err->code == KB_OK)
		return kb_fail(
		        err, KB_E_INVALID,
		        "%s:%d: not a line of the form name = figures, or more than %d plans", file,
		        line, KB_PLANS_MAX);
	return line == 0;
}

const struct kb_plan *kb_plans_get(const struct kb_plans *plans, struct kb_sv name)
{
	const struct kb_plan *plan = kb_plan_find(plans->v, plans->count, name);

	return plan ? plan : &plans->v[0];
}

/* ---- rates ---- */

enum {
	SHARDS = 16,
	BUCKETS = 1024, /* a shard; a table of fixed size: the oldest bucket gives way */
};

struct bucket {
	int64_t key_id;
	int64_t filled_at_us;
	double tokens;
};

struct kb_rates {
	_Atomic int64_t nodes;
	struct {
		pthread_mutex_t lock;
		struct bucket *buckets; /* BUCKETS of them, made when a rate is first asked for */
	} shards[SHARDS];
};

struct kb_rates *kb_rates_new(void)
{
	struct kb_rates *rates = kb_xcalloc(1, sizeof(*rates));

	rates->nodes = 1;

	for (size_t i = 0; i < SHARDS; i++)
		pthread_mutex_init(&rates->shards[i].lock, NULL);
	return rates;
}

void kb_rates_share(struct kb_rates *rates, int64_t nodes)
{
	atomic_store_explicit(&rates->nodes, nodes, memory_order_relaxed);
}

void kb_rates_free(struct kb_rates *rates)
{
	if (!rates)
		return;
	for (size_t i = 0; i < SHARDS; i++) {
		pthread_mutex_destroy(&rates->shards[i].lock);
		free(rates->shards[i].buckets);
	}
	free(rates);
}

/* The key's bucket, or in its stead the one of its few places that has rested longest: with a
 * thousand places a shard it has filled up long since, so nothing is forgotten. */
static struct bucket *find_bucket(struct bucket *buckets, int64_t key_id, int64_t burst)
{
	enum { PLACES = 8 };
	size_t first = (size_t)key_id * PLACES / SHARDS % (BUCKETS - PLACES);
	struct bucket *oldest = &buckets[first];

	for (size_t i = 0; i < PLACES; i++) {
		struct bucket *bucket = &buckets[first + i];

		if (bucket->key_id == key_id)
			return bucket;
		if (bucket->filled_at_us < oldest->filled_at_us)
			oldest = bucket;
	}
	*oldest = (struct bucket){ .key_id = key_id, .tokens = (double)burst };
	return oldest;
}

bool kb_rates_take(struct kb_rates *rates, int64_t key_id, const struct kb_plan *plan,
                   int64_t now_us, int64_t *left, int64_t *wait_ms)
{
	size_t shard = (size_t)key_id % SHARDS;
	int64_t nodes = atomic_load_explicit(&rates->nodes, memory_order_relaxed);
	int64_t burst = KB_MAX(plan->burst / nodes, INT64_C(1));
	double per_second = KB_MAX((double)plan->rate_per_second / (double)nodes, 1.0);
	struct bucket *bucket;
	bool ok;

	pthread_mutex_lock(&rates->shards[shard].lock);
	if (!rates->shards[shard].buckets)
		rates->shards[shard].buckets = kb_xcalloc(BUCKETS, sizeof(struct bucket));
	bucket = find_bucket(rates->shards[shard].buckets, key_id, burst);
	if (bucket->filled_at_us && now_us > bucket->filled_at_us)
		bucket->tokens += (double)(now_us - bucket->filled_at_us) * per_second / 1e6;
	if (bucket->tokens > (double)burst)
		bucket->tokens = (double)burst;
	bucket->filled_at_us = now_us;
	ok = bucket->tokens >= 1;
	if (ok)
		bucket->tokens -= 1;
	*left = (int64_t)bucket->tokens * nodes;
	*wait_ms = ok ? 0 : (int64_t)((1 - bucket->tokens) * 1000 / per_second) + 1;
	pthread_mutex_unlock(&rates->shards[shard].lock);
	return ok;
}
