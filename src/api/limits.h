/*
 * The plans and models that an operator has, and the rate of each key: a token bucket, which lives
 * in this process. What is counted in the store is quota.h.
 */
#ifndef KB_API_LIMITS_H
#define KB_API_LIMITS_H

#include "base/arena.h"
#include "settings/plans.h"

/* The plans an operator has: the built-in ones, with those of a file over them, and the rate of the
 * default plan. */
enum { KB_PLANS_MAX = 100 };

struct kb_plans {
	struct kb_plan *v;
	size_t count;
};
/* file: lines of "name = queries=500 agents=3 …" (plans.h); NULL: none. rate: "10/50"; NULL: none.
 */
bool kb_plans_read(struct kb_arena *arena, const char *file, const char *rate, struct kb_plans *out,
                   struct kb_err *err) KB_MUST_CHECK;
/* An account whose plan is no longer configured has the default one. */
const struct kb_plan *kb_plans_get(const struct kb_plans *plans, struct kb_sv name);

struct kb_rates;
struct kb_rates *kb_rates_new(void);
void kb_rates_free(struct kb_rates *rates);
/* How many nodes share the rates: each gives out its part, one request a second and at once at the
 * least. 1 at first; any thread. */
void kb_rates_share(struct kb_rates *rates, int64_t nodes);
/* Takes one token of the key's bucket, which fills at the plan's rate up to its burst; false when
 * it is empty: then *wait_ms says when there is one. *left is what remains. now_us: of a clock that
 * never goes back. Any thread; does not block. */
bool kb_rates_take(struct kb_rates *rates, int64_t key_id, const struct kb_plan *plan,
                   int64_t now_us, int64_t *left, int64_t *wait_ms);

#endif
