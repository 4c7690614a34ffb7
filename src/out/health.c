#include "out/health.h"

#include "base/clock.h"
#include "base/hash.h"

void kb_health_init(struct kb_health *health, const char *name, const char *what,
                    const struct kb_log *log)
{
	*health = (struct kb_health){ .what = what, .log = log, .stats.name = name };
	pthread_mutex_init(&health->lock, NULL);
}

void kb_health_fini(struct kb_health *health)
{
	pthread_mutex_destroy(&health->lock);
}

double kb_health_chance(void)
{
	uint32_t n;

	kb_random(&n, sizeof(n));
	return (double)n / UINT32_MAX;
}

bool kb_health_admit(struct kb_health *health, int64_t whose, struct kb_err *err)
{
	int64_t now = kb_clock_mono_us(), left_ms;
	bool may;

	pthread_mutex_lock(&health->lock);
	may = kb_breaker_admit(&health->breaker, now, whose);
	health->stats.requests += may;
	health->stats.kept_back += !may;
	left_ms = (health->breaker.until_us - now) / 1000;
	pthread_mutex_unlock(&health->lock);
	if (may)
		return true;
	return kb_fail(err, KB_E_UPSTREAM, "%s failed and is left alone for %" PRId64 " ms more",
	               health->what, KB_MAX(left_ms, (int64_t)1));
}

static void judge(struct kb_health *health, const struct kb_err *why,
                  const struct kb_health_request *request)
{
	switch (why->code) {
	case KB_OK:
	case KB_E_INVALID:
	case KB_E_TOO_LARGE:
		kb_breaker_good(&health->breaker);
		break;
	case KB_E_CANCELLED:
		kb_breaker_void(&health->breaker);
		break;
	default:
		health->stats.failures++;
		kb_breaker_bad(&health->breaker,
		               &(struct kb_breaker_failure){ .now_us = kb_clock_mono_us(),
		                                             .wish_ms = request->wish_ms,
		                                             .whose = request->whose,
		                                             .chance = kb_health_chance() });
	}
}

void kb_health_count(struct kb_health *health, const struct kb_err *why,
                     const struct kb_health_request *request)
{
	enum kb_breaker_state before, after;
	int64_t pause_ms, whose;

	pthread_mutex_lock(&health->lock);
	before = health->breaker.state;
	health->stats.took_us += request->took_us;
	judge(health, why, request);
	after = health->breaker.state;
	whose = health->breaker.whose;
	pause_ms = (health->breaker.until_us - kb_clock_mono_us()) / 1000;
	pthread_mutex_unlock(&health->lock);
	if (before == after || (before == KB_BREAKER_HALF_OPEN && after == KB_BREAKER_OPEN))
		return;
	if (after == KB_BREAKER_OPEN)
		kb_warn(health->log,
		        "server left alone server=%s state=open for_account=%" PRId64
		        " pause_ms=%" PRId64 " error=%s",
		        health->stats.name, whose, pause_ms, why->msg);
	else
		kb_info(health->log, "server answers again server=%s state=%s", health->stats.name,
		        kb_breaker_name(after));
}

void kb_health_stats(struct kb_health *health, struct kb_health_stats *out)
{
	pthread_mutex_lock(&health->lock);
	*out = health->stats;
	out->state = health->breaker.state;
	pthread_mutex_unlock(&health->lock);
}
