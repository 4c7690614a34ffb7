#include "base/pool.h"

#include <stdatomic.h>
#include <unistd.h>

#include "base/fault.h"
#include "test.h"

static void add_one(void *arg)
{
	atomic_fetch_add((_Atomic int *)arg, 1);
}

static void wait_for_it(void *arg)
{
	while (!atomic_load((_Atomic int *)arg))
		usleep(1000);
}

static void test_all_run(struct kb_test *t)
{
	struct kb_pool *pool = kb_pool_open("test", 4, 1000);
	_Atomic int count = 0;

	for (int i = 0; i < 1000; i++)
		while (!kb_pool_submit(pool, add_one, &count))
			usleep(100);
	kb_pool_close(pool);
	CHECK_INT(t, atomic_load(&count), 1000);
}

static void test_full(struct kb_test *t)
{
	struct kb_pool *pool = kb_pool_open("test", 1, 2);
	_Atomic int go = 0;
	int taken = 0;

	for (int i = 0; i < 10; i++)
		taken += kb_pool_submit(pool, wait_for_it, &go);
	CHECK(t, taken >= 2 && taken <= 3); /* two wait, perhaps one runs */
	atomic_store(&go, 1);
	kb_pool_close(pool);
}

/* Where the system has no further thread, those there are do the work; without any, it is refused.
 */
static void test_no_thread(struct kb_test *t)
{
	struct kb_pool *pool = kb_pool_open("test", 4, 100);
	_Atomic int count = 0;

	kb_fault_arm(1);
	CHECK(t, !kb_pool_submit(pool, add_one, &count));
	CHECK(t, kb_fault_disarm());
	CHECK(t, kb_pool_submit(pool, add_one, &count));
	for (int i = 0; i < 50; i++) {
		kb_fault_arm(1);
		CHECK(t, kb_pool_submit(pool, add_one, &count));
		kb_fault_disarm();
	}
	kb_pool_close(pool);
	CHECK_INT(t, atomic_load(&count), 51);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "every job runs before close returns", test_all_run },
		{ "a full queue refuses", test_full },
		{ "threads that cannot be started are done without", test_no_thread },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
