/*
 * Time: one clock that tests can set, and the one text form the interface uses.
 *
 * Instants are microseconds since 1970 (UTC) in int64_t, durations say their unit in their name. A
 * clock is passed to whatever depends on the calendar (retention, locks, leases) or waits in the
 * background; NULL is the real time. kb_clock_mono_us() is for measuring and for deadlines towards
 * peers and processes, which no test moves; it never jumps. Any thread may call anything.
 */
#ifndef KB_BASE_CLOCK_H
#define KB_BASE_CLOCK_H

#include <stdatomic.h>

#include "base/sv.h"

#define KB_SECOND_US INT64_C(1000000)
#define KB_DAY_US    (INT64_C(86400) * KB_SECOND_US)

struct kb_clock {
	_Atomic int64_t shift_us; /* added to the real time; a zeroed clock is the real one */
	/* Likewise, but not to the steady time: what the machine's time lacks to that by which all
	 * processes of an installation go. */
	_Atomic int64_t skew_us;
};

int64_t kb_clock_now_us(const struct kb_clock *clock);
/* For tests. Who waits at a bell of the clock looks at it after kb_bell_look() or a ring. */
void kb_clock_advance(struct kb_clock *clock, int64_t us);
/* The machine's time is that much behind. */
void kb_clock_set_skew(struct kb_clock *clock, int64_t us);
int64_t kb_clock_skew_us(const struct kb_clock *clock);
int64_t kb_clock_mono_us(void);
/* The same, moved with the clock: for waits, turns and ages that a test lets pass without sleeping.
 */
int64_t kb_clock_steady_us(const struct kb_clock *clock);

enum { KB_TIME_TEXT = 28 }; /* "2023-06-25T17:12:28.000000Z" and its terminator */
void kb_time_format(char out[KB_TIME_TEXT], int64_t us);

/* Reads that form, a date alone, or "YYYY-MM-DD HH:MM:SS" (UTC). */
bool kb_time_parse(struct kb_sv text, int64_t *us) KB_MUST_CHECK;

#endif
