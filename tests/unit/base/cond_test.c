#include "base/cond.h"

#include "test.h"

/* Its times are the monotonic clock's: by the wall clock, which is far ahead of it, all would have
 * passed. */
static void test_until(struct kb_test *t)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	int64_t until_us = kb_clock_mono_us() + 20000;
	pthread_cond_t cond;

	kb_cond_init(&cond);
	pthread_mutex_lock(&lock);
	while (kb_cond_until(&cond, &lock, until_us))
		continue;
	CHECK(t, kb_clock_mono_us() >= until_us);
	CHECK(t, !kb_cond_until(&cond, &lock, until_us)); /* it has passed */
	pthread_mutex_unlock(&lock);
	pthread_cond_destroy(&cond);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a wait ends at its time of the monotonic clock", test_until },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
