#include "base/clock.h"

#include <stdio.h>
#include <time.h>

static int64_t shift_us(const struct kb_clock *clock)
{
	return clock ? atomic_load_explicit(&((struct kb_clock *)(uintptr_t)clock)->shift_us,
	                                    memory_order_relaxed)
	             : 0;
}

int64_t kb_clock_skew_us(const struct kb_clock *clock)
{
	return clock ? atomic_load_explicit(&((struct kb_clock *)(uintptr_t)clock)->skew_us,
	                                    memory_order_relaxed)
	             : 0;
}

void kb_clock_set_skew(struct kb_clock *clock, int64_t us)
{
	atomic_store_explicit(&clock->skew_us, us, memory_order_relaxed);
}

int64_t kb_clock_now_us(const struct kb_clock *clock)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * KB_SECOND_US + ts.tv_nsec / 1000 + shift_us(clock)
	       + kb_clock_skew_us(clock);
}

void kb_clock_advance(struct kb_clock *clock, int64_t us)
{
	atomic_fetch_add(&clock->shift_us, us);
}

int64_t kb_clock_mono_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * KB_SECOND_US + ts.tv_nsec / 1000;
}

int64_t kb_clock_steady_us(const struct kb_clock *clock)
{
	return kb_clock_mono_us() + shift_us(clock);
}

void kb_time_format(char out[KB_TIME_TEXT], int64_t us)
{
	int64_t seconds = us / KB_SECOND_US;
	int64_t rest = us % KB_SECOND_US;
	struct tm tm;
	time_t t;

	if (rest < 0) {
		rest += KB_SECOND_US;
		seconds--;
	}
	t = (time_t)seconds;
	if (!gmtime_r(&t, &tm) || tm.tm_year > 9999 - 1900 || tm.tm_year < -1900)
		tm = (struct tm){ .tm_year = 70, .tm_mday = 1 };
	snprintf(out, KB_TIME_TEXT, "%04u-%02u-%02uT%02u:%02u:%02u.%06uZ",
	         (unsigned)(tm.tm_year + 1900) % 10000, (unsigned)(tm.tm_mon + 1) % 100,
	         (unsigned)tm.tm_mday % 100, (unsigned)tm.tm_hour % 100, (unsigned)tm.tm_min % 100,
	         (unsigned)tm.tm_sec % 100, (unsigned)(rest % KB_SECOND_US));
}

bool kb_time_parse(struct kb_sv text, int64_t *us)
{
	char copy[40];
	struct tm tm = { 0 };
	long fraction = 0;
	int n = 0, digits;

	if (text.n >= sizeof(copy) || text.n < 10)
		return false;
	snprintf(copy, sizeof(copy), "%.*s", KB_SV_ARG(text));
	if (sscanf(copy, "%4d-%2d-%2d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &n) != 3 || n != 10)
		return false;
	if (copy[n] == 'T' || copy[n] == ' ') {
		int used = 0;

		if (sscanf(copy + n + 1, "%2d:%2d:%2d%n", &tm.tm_hour, &tm.tm_min, &tm.tm_sec,
		           &used)
		    != 3)
			return false;
		n += 1 + used;
		if (copy[n] == '.') {
			for (n++, digits = 0; copy[n] >= '0' && copy[n] <= '9'; n++, digits++)
				if (digits < 6)
					fraction = fraction * 10 + (copy[n] - '0');
			for (; digits < 6; digits++)
				fraction *= 10;
		}
		if (copy[n] == 'Z')
			n++;
	}
	if (copy[n] != '\0' || tm.tm_mon < 1 || tm.tm_mon > 12 || tm.tm_mday < 1 || tm.tm_mday > 31
	    || tm.tm_hour > 23 || tm.tm_min > 59 || tm.tm_sec > 60 || tm.tm_hour < 0
	    || tm.tm_min < 0 || tm.tm_sec < 0)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	*us = (int64_t)timegm(&tm) * KB_SECOND_US + fraction;
	return true;
}
