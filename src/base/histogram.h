/*
 * How long something took, over and over: counts by bounds that a figure of Prometheus has. Adding
 * is two atomic additions, from any thread; reading is for /metrics, and sees what has been added
 * some moments ago at the latest. Zeroed is empty.
 */
#ifndef KB_BASE_HISTOGRAM_H
#define KB_BASE_HISTOGRAM_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/common.h"

/* From a millisecond to five minutes; the last place is of what took longer. */
enum { KB_HISTOGRAM_BOUNDS = 16 };
extern const int64_t kb_histogram_bounds_us[KB_HISTOGRAM_BOUNDS];

struct kb_histogram {
	_Atomic int64_t counts[KB_HISTOGRAM_BOUNDS + 1]; /* each of its own bound alone */
	_Atomic int64_t sum_us;
};

void kb_histogram_add(struct kb_histogram *histogram, int64_t us);

#endif
