#include "api/limits.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "test.h"

static void test_bucket(struct kb_test *t)
{
	struct kb_rates *rates = kb_rates_new();
	const struct kb_plan plan = { .rate_per_second = 10, .burst = 5 };
	int64_t left, wait_ms, now = 1000000;

	for (int i = 0; i < 5; i++) /* the burst */
		CHECK(t, kb_rates_take(rates, 7, &plan, now, &left, &wait_ms));
	CHECK_INT(t, left, 0);
	CHECK(t, !kb_rates_take(rates, 7, &plan, now, &left, &wait_ms));
	CHECK(t, wait_ms >= 100 && wait_ms <= 102); /* a tenth of a second fills one */
	CHECK(t, kb_rates_take(rates, 8, &plan, now, &left, &wait_ms)); /* another key's own */
	CHECK(t, kb_rates_take(rates, 7, &plan, now + 100000, &left, &wait_ms));
	CHECK(t, !kb_rates_take(rates, 7, &plan, now + 100000, &left, &wait_ms));
	for (int i = 0; i < 5; i++) /* never more than the burst */
		CHECK(t, kb_rates_take(rates, 7, &plan, now + 100000000, &left, &wait_ms));
	CHECK(t, !kb_rates_take(rates, 7, &plan, now + 100000000, &left, &wait_ms));
	kb_rates_share(rates, 2); /* each of two nodes gives out half */
	for (int i = 0; i < 2; i++)
		CHECK(t, kb_rates_take(rates, 7, &plan, now + 200000000, &left, &wait_ms));
	CHECK(t, !kb_rates_take(rates, 7, &plan, now + 200000000, &left, &wait_ms));
	CHECK(t, wait_ms >= 200 && wait_ms <= 202);
	kb_rates_free(rates);
}

static void test_file(struct kb_test *t)
{
	char path[] = "/tmp/limits-test-XXXXXX";
	int fd = mkstemp(path);
	struct kb_arena arena = { 0 };
	struct kb_plans plans;
	struct kb_err err;

	CHECK(t, kb_fd_write_all(fd, KB_SV("team = queries=10 agents=2\nbasic = queries=7\n"), "f",
	                         &err));
	CHECK(t, kb_plans_read(&arena, path, "3/9", &plans, &err));
	CHECK_INT(t, kb_plans_get(&plans, KB_SV("team"))->agents, 2);
	CHECK_INT(t, kb_plans_get(&plans, KB_SV("basic"))->queries_per_month,
	          7); /* over the built-in */
	CHECK_INT(t, kb_plans_get(&plans, KB_SV("gone"))->queries_per_month, 0);
	CHECK_INT(t, kb_plans_get(&plans, KB_SV("default"))->rate_per_second, 3);
	CHECK_INT(t, kb_plans_get(&plans, KB_SV("default"))->burst, 9);
	CHECK(t, !kb_plans_read(&arena, "/nonexistent", NULL, &plans, &err));
	CHECK(t, !kb_plans_read(&arena, NULL, "much", &plans, &err) && err.code == KB_E_INVALID);
	CHECK(t, ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0
	                 && kb_fd_write_all(fd, KB_SV("team = queries=many\n"), "f", &err));
	CHECK(t, !kb_plans_read(&arena, path, NULL, &plans, &err) && err.code == KB_E_INVALID);
	kb_fd_close(&fd);
	unlink(path);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a bucket gives a burst, then the rate", test_bucket },
		{ "plans come from a file over the built-in ones", test_file },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
