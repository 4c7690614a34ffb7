#include "base/clock.h"

#include "test.h"

static void test_text(struct kb_test *t)
{
	static const struct {
		int64_t us;
		const char *text;
	} cases[] = {
		{ 0, "1970-01-01T00:00:00.000000Z" },
		{ INT64_C(1687713148000001), "2023-06-25T17:12:28.000001Z" },
		{ -1, "1969-12-31T23:59:59.999999Z" },
	};
	int64_t us;

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		char text[KB_TIME_TEXT];

		kb_time_format(text, cases[i].us);
		CHECK_SV(t, kb_sv_str(text), cases[i].text);
		CHECK(t, kb_time_parse(kb_sv_str(text), &us));
		CHECK_INT(t, us, cases[i].us);
	}
	CHECK(t, kb_time_parse(KB_SV("2023-06-25"), &us) && us == INT64_C(1687651200000000));
	CHECK(t,
	      kb_time_parse(KB_SV("2023-06-25 00:00:01"), &us) && us == INT64_C(1687651201000000));
	CHECK(t, !kb_time_parse(KB_SV("2023-13-25"), &us));
	CHECK(t, !kb_time_parse(KB_SV("yesterday.."), &us));
}

static void test_shift(struct kb_test *t)
{
	struct kb_clock clock = { 0 };
	int64_t before = kb_clock_now_us(&clock);

	kb_clock_advance(&clock, KB_DAY_US);
	CHECK(t, kb_clock_now_us(&clock) - before >= KB_DAY_US);
}

static void test_skew(struct kb_test *t)
{
	struct kb_clock clock = { 0 };
	int64_t now = kb_clock_now_us(&clock), steady = kb_clock_steady_us(&clock);

	kb_clock_set_skew(&clock, -KB_DAY_US);
	CHECK_INT(t, kb_clock_skew_us(&clock), -KB_DAY_US);
	CHECK(t, kb_clock_now_us(&clock) < now);
	CHECK(t, kb_clock_steady_us(&clock) >= steady);
	CHECK_INT(t, kb_clock_skew_us(NULL), 0);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "time has one text form and reads it back", test_text },
		{ "a test can move the clock", test_shift },
		{ "a machine's time is put right, and waits are not touched", test_skew },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
