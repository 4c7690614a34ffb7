#include "base/histogram.h"

#define MS INT64_C(1000)

const int64_t kb_histogram_bounds_us[KB_HISTOGRAM_BOUNDS] = {
	1 * MS,   2 * MS,    5 * MS,    10 * MS,   25 * MS,    50 * MS,    100 * MS,   250 * MS,
	500 * MS, 1000 * MS, 2500 * MS, 5000 * MS, 10000 * MS, 30000 * MS, 60000 * MS, 300000 * MS,
};

void kb_histogram_add(struct kb_histogram *histogram, int64_t us)
{
	size_t place = 0;

	us = KB_MAX(us, (int64_t)0);
	while (place < KB_HISTOGRAM_BOUNDS && us > kb_histogram_bounds_us[place])
		place++;
	atomic_fetch_add_explicit(&histogram->counts[place], 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&histogram->sum_us, us, memory_order_relaxed);
}
