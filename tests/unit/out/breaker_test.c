/* When a server is left alone, and when it is tried again. */
#include "out/breaker.h"
#include "test.h"

enum { END, ADMIT, HELD, GOOD, BAD, WISH, VOID };

/* What happens, at which millisecond, and the state after it. ADMIT and HELD: a request asks, and
 * goes out or does not. WISH: a failure that asks for 5 s. */
static const struct {
	const char *name;
	struct {
		int what;
		int64_t at_ms;
		enum kb_breaker_state state;
		int64_t whose; /* 0: nobody's in particular */
	} steps[16];
} cases[] = {
	{ "four failures are no reason",
	  { { BAD, 0, KB_BREAKER_CLOSED },
	    { BAD, 0, KB_BREAKER_CLOSED },
	    { BAD, 0, KB_BREAKER_CLOSED },
	    { BAD, 0, KB_BREAKER_CLOSED },
	    { ADMIT, 0, KB_BREAKER_CLOSED } } },
	{ "one success begins the count anew",
	  { { BAD, 0, KB_BREAKER_CLOSED },
	    { BAD, 0, KB_BREAKER_CLOSED },
	    { BAD, 0, KB_BREAKER_CLOSED },
	    { BAD, 0, KB_BREAKER_CLOSED },
	    { GOOD, 0, KB_BREAKER_CLOSED },
	    { BAD, 0, KB_BREAKER_CLOSED },
	    { ADMIT, 0, KB_BREAKER_CLOSED } } },
	{ "five open it, for a second; then one may try",
	  { { BAD, 0, KB_BREAKER_CLOSED },
	    { BAD, 0, KB_BREAKER_CLOSED },
	    { BAD, 0, KB_BREAKER_CLOSED },
	    { BAD, 0, KB_BREAKER_CLOSED },
	    { BAD, 0, KB_BREAKER_OPEN },
	    { HELD, 999, KB_BREAKER_OPEN },
	    { ADMIT, 1000, KB_BREAKER_HALF_OPEN },
	    { HELD, 1000, KB_BREAKER_HALF_OPEN },
	    { GOOD, 1100, KB_BREAKER_CLOSED },
	    { ADMIT, 1100, KB_BREAKER_CLOSED } } },
	{ "a try that fails doubles the pause",
	  { { WISH, 0, KB_BREAKER_OPEN },
	    { HELD, 4999, KB_BREAKER_OPEN },
	    { ADMIT, 5000, KB_BREAKER_HALF_OPEN },
	    { BAD, 5000, KB_BREAKER_OPEN },
	    { HELD, 6999, KB_BREAKER_OPEN },
	    { ADMIT, 7000, KB_BREAKER_HALF_OPEN },
	    { BAD, 7000, KB_BREAKER_OPEN },
	    { HELD, 10999, KB_BREAKER_OPEN },
	    { ADMIT, 11000, KB_BREAKER_HALF_OPEN } } },
	{ "a try that came to nothing lets the next one through",
	  { { WISH, 0, KB_BREAKER_OPEN },
	    { ADMIT, 5000, KB_BREAKER_HALF_OPEN },
	    { HELD, 5000, KB_BREAKER_HALF_OPEN },
	    { VOID, 5000, KB_BREAKER_HALF_OPEN },
	    { ADMIT, 5000, KB_BREAKER_HALF_OPEN } } },
	{ "failures of requests that were out before it opened change nothing",
	  { { WISH, 0, KB_BREAKER_OPEN },
	    { BAD, 4000, KB_BREAKER_OPEN },
	    { BAD, 4000, KB_BREAKER_OPEN },
	    { ADMIT, 5000, KB_BREAKER_HALF_OPEN } } },
	{ "failures of one account are no reason for another",
	  { { BAD, 0, KB_BREAKER_CLOSED, 1 },
	    { BAD, 0, KB_BREAKER_CLOSED, 1 },
	    { BAD, 0, KB_BREAKER_CLOSED, 1 },
	    { BAD, 0, KB_BREAKER_CLOSED, 1 },
	    { BAD, 0, KB_BREAKER_OPEN, 1 },
	    { HELD, 0, KB_BREAKER_OPEN, 1 },
	    { HELD, 0, KB_BREAKER_OPEN, 0 },
	    { ADMIT, 0, KB_BREAKER_OPEN, 2 },
	    { ADMIT, 0, KB_BREAKER_OPEN, 3 },
	    { GOOD, 10, KB_BREAKER_CLOSED, 2 },
	    { ADMIT, 10, KB_BREAKER_CLOSED, 1 } } },
	{ "until another fails too",
	  { { WISH, 0, KB_BREAKER_OPEN, 1 },
	    { ADMIT, 0, KB_BREAKER_OPEN, 2 },
	    { BAD, 10, KB_BREAKER_OPEN, 2 },
	    { HELD, 10, KB_BREAKER_OPEN, 2 },
	    { HELD, 10, KB_BREAKER_OPEN, 3 },
	    { ADMIT, 5000, KB_BREAKER_HALF_OPEN, 3 },
	    { HELD, 5000, KB_BREAKER_HALF_OPEN, 2 } } },
	{ "five of several are a reason for all",
	  { { BAD, 0, KB_BREAKER_CLOSED, 1 },
	    { BAD, 0, KB_BREAKER_CLOSED, 1 },
	    { BAD, 0, KB_BREAKER_CLOSED, 2 },
	    { BAD, 0, KB_BREAKER_CLOSED, 1 },
	    { BAD, 0, KB_BREAKER_OPEN, 1 },
	    { HELD, 0, KB_BREAKER_OPEN, 1 },
	    { HELD, 0, KB_BREAKER_OPEN, 3 } } },
	{ "but their success closes it",
	  { { WISH, 0, KB_BREAKER_OPEN },
	    { GOOD, 100, KB_BREAKER_CLOSED },
	    { ADMIT, 100, KB_BREAKER_CLOSED } } },
};

static void fail(struct kb_breaker *breaker, int64_t now_us, int64_t wish_ms, double chance,
                 int64_t whose)
{
	kb_breaker_bad(breaker, &(struct kb_breaker_failure){ .now_us = now_us,
	                                                      .wish_ms = wish_ms,
	                                                      .whose = whose,
	                                                      .chance = chance });
}

static void test_states(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_breaker breaker = { 0 };

		t->row = cases[i].name;
		for (size_t k = 0; k < 16 && cases[i].steps[k].what != END; k++) {
			int64_t now = cases[i].steps[k].at_ms * 1000;
			int64_t whose = cases[i].steps[k].whose;

			switch (cases[i].steps[k].what) {
			case ADMIT:
				CHECK(t, kb_breaker_admit(&breaker, now, whose));
				break;
			case HELD:
				CHECK(t, !kb_breaker_admit(&breaker, now, whose));
				break;
			case GOOD:
				kb_breaker_good(&breaker);
				break;
			case VOID:
				kb_breaker_void(&breaker);
				break;
			default:
				fail(&breaker, now, cases[i].steps[k].what == WISH ? 5000 : 0, 1,
				     whose);
			}
			CHECK_INT(t, breaker.state, cases[i].steps[k].state);
		}
	}
}

static void test_bounds(struct kb_test *t)
{
	struct kb_breaker breaker = { 0 };
	int64_t now = 0;

	for (int i = 0; i < 40; i++) {
		fail(&breaker, now, 0, i % 2, 0);
		if (breaker.state != KB_BREAKER_OPEN)
			continue;
		CHECK(t, breaker.until_us - now <= KB_BREAKER_PAUSE_MAX_MS * INT64_C(1000));
		CHECK(t, breaker.until_us - now >= KB_BREAKER_PAUSE_MS * INT64_C(500));
		now = breaker.until_us;
		CHECK(t, kb_breaker_admit(&breaker, now, 0));
	}
	/* Chance spreads a pause over its second half. */
	fail(&breaker, now, 0, 0, 0);
	CHECK_INT(t, breaker.until_us - now, KB_BREAKER_PAUSE_MAX_MS * 500);
	/* However long a server wishes. */
	fail(&breaker, now, INT64_MAX / 2000, 0, 0);
	CHECK_INT(t, breaker.until_us - now, KB_BREAKER_WISH_MAX_MS * INT64_C(1000));
	CHECK_SV(t, kb_sv_str(kb_breaker_name(KB_BREAKER_HALF_OPEN)), "half-open");
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "a breaker goes from state to state", test_states },
		{ "its pauses have bounds", test_bounds },
	};

	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
