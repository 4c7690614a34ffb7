#include "out/breaker.h"

bool kb_breaker_admit(struct kb_breaker *breaker, int64_t now_us, int64_t whose)
{
	if (breaker->state == KB_BREAKER_CLOSED)
		return true;
	if (breaker->whose && whose && whose != breaker->whose)
		return true;
	if (breaker->state == KB_BREAKER_OPEN && now_us >= breaker->until_us)
		breaker->state = KB_BREAKER_HALF_OPEN;
	if (breaker->state == KB_BREAKER_OPEN || breaker->trying)
		return false;
	return breaker->trying = true;
}

void kb_breaker_good(struct kb_breaker *breaker)
{
	*breaker = (struct kb_breaker){ 0 };
}

void kb_breaker_bad(struct kb_breaker *breaker, const struct kb_breaker_failure *failure)
{
	int64_t wish_ms = failure->wish_ms, pause;

	if (!breaker->failures)
		breaker->whose = failure->whose;
	else if (breaker->whose != failure->whose)
		breaker->whose = 0;
	/* One that was let out before it opened says nothing new. */
	if (breaker->state == KB_BREAKER_OPEN && !wish_ms)
		return;
	breaker->failures++;
	breaker->trying = false;
	if (breaker->state == KB_BREAKER_CLOSED && breaker->failures < KB_BREAKER_FAILURES
	    && !wish_ms)
		return;
	breaker->pause_ms =
	        breaker->pause_ms ? KB_MIN(breaker->pause_ms * 2, (int64_t)KB_BREAKER_PAUSE_MAX_MS)
	                          : KB_BREAKER_PAUSE_MS;
	pause = (int64_t)((double)breaker->pause_ms * (.5 + .5 * failure->chance));
	pause = KB_MAX(pause, KB_MIN(wish_ms, (int64_t)KB_BREAKER_WISH_MAX_MS));
	breaker->state = KB_BREAKER_OPEN;
	breaker->until_us = KB_MAX(breaker->until_us, failure->now_us + pause * 1000);
}

void kb_breaker_void(struct kb_breaker *breaker)
{
	breaker->trying = false;
}

const char *kb_breaker_name(enum kb_breaker_state state)
{
	static const char *const names[] = {
		[KB_BREAKER_CLOSED] = "closed",
		[KB_BREAKER_OPEN] = "open",
		[KB_BREAKER_HALF_OPEN] = "half-open",
	};

	return names[state];
}
