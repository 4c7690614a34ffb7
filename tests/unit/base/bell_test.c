#include "base/bell.h"

#include <stdatomic.h>

#include "base/pool.h"
#include "test.h"

#define HOUR_US (3600 * KB_SECOND_US)

static void test_one_thread(struct kb_test *t)
{
	struct kb_clock clock = { 0 };
	struct kb_bell bell;
	uint64_t heard = 0;
	int64_t start;

	kb_bell_init(&bell, &clock);
	start = kb_clock_steady_us(&clock);

	t->row = "a ring before the wait is heard";
	kb_bell_ring(&bell);
	CHECK(t, kb_bell_wait(&bell, &heard, start + HOUR_US));
	CHECK_INT(t, heard, 1);

	t->row = "three rings are one reason to look";
	for (int i = 0; i < 3; i++)
		kb_bell_ring(&bell);
	CHECK(t, kb_bell_wait(&bell, &heard, start + HOUR_US));
	CHECK_INT(t, heard, 4);

	t->row = "a time that is past is no wait";
	CHECK(t, kb_bell_wait(&bell, &heard, start));
	kb_clock_advance(&clock, 2 * HOUR_US);
	CHECK(t, kb_bell_wait(&bell, &heard, start + HOUR_US));
	CHECK(t, kb_bell_rest(&bell, start + HOUR_US));

	t->row = "who has stopped never waits";
	CHECK(t, !kb_bell_is_stopped(&bell));
	kb_bell_stop(&bell);
	CHECK(t, kb_bell_is_stopped(&bell));
	CHECK(t, !kb_bell_wait(&bell, &heard, start + 100 * HOUR_US));
	CHECK(t, !kb_bell_rest(&bell, start + 100 * HOUR_US));
	kb_bell_fini(&bell);
}

/* A thread that counts its rounds: one a wait, of an hour each. */
struct watchman {
	struct kb_clock clock;
	struct kb_bell bell, round; /* round: rung after each */
	bool rests;                 /* rings do not wake it */
};

static void *watch(void *arg)
{
	struct watchman *w = arg;
	uint64_t heard = 0;
	bool go_on = true;

	while (go_on) {
		int64_t until = kb_clock_steady_us(&w->clock) + HOUR_US;

		kb_bell_ring(&w->round);
		go_on = w->rests ? kb_bell_rest(&w->bell, until)
		                 : kb_bell_wait(&w->bell, &heard, until);
	}
	return NULL;
}

static void test_hours_pass(struct kb_test *t)
{
	for (int rests = 0; rests < 2; rests++) {
		struct watchman w = { .rests = rests };
		uint64_t rounds = 0;
		pthread_t thread;

		t->row = rests ? "a rest ends with its time alone"
		               : "a wait ends with its time or a ring";
		kb_bell_init(&w.bell, &w.clock);
		kb_bell_init(&w.round, NULL);
		thread = kb_thread_start("watch", watch, &w);
		for (int hour = 0; hour < 50; hour++) {
			CHECK(t, kb_bell_wait(&w.round, &rounds, INT64_MAX / 2));
			if (hour % 2)
				kb_bell_ring(&w.bell);
			if (hour % 2 == 0 || rests)
				kb_clock_advance(&w.clock, HOUR_US);
			kb_bell_look(&w.bell);
		}
		kb_bell_stop(&w.bell);
		pthread_join(thread, NULL);
		CHECK(t, rounds >= 50);
		kb_bell_fini(&w.round);
		kb_bell_fini(&w.bell);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "rings, times and the stop", test_one_thread },
		{ "hours pass without sleeping", test_hours_pass },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
