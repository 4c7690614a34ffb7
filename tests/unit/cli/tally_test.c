/* How long a command with many documents still takes. */
#include "base/clock.h"
#include "cli/tally.h"
#include "test.h"

static void test_left(struct kb_test *t)
{
	static const struct {
		const char *name;
		size_t done, count;
		int64_t took_s;
		const char *want;
	} rows[] = {
		{ "the first ones say nothing", 4, 100, 60, "" },
		{ "nor do the first seconds", 50, 100, 2, "" },
		{ "seconds", 50, 100, 30, "about 31 s left" },
		{ "minutes", 10, 100, 60, "about 9 min left" },
		{ "hours", 10, 10000, 60, "about 16 h left" },
		{ "none when all is done", 100, 100, 60, "" },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		const struct kb_tally tally = { .count = rows[i].count, .done = rows[i].done };
		char left[KB_TALLY_LEFT_CHARS];

		t->row = rows[i].name;
		kb_tally_left(&tally, rows[i].took_s * KB_SECOND_US, left);
		CHECK_SV(t, kb_sv_str(left), rows[i].want);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = { { "the time left", test_left } };

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
