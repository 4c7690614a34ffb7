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

static void test_bar(struct kb_test *t)
{
	static const struct {
		const char *name;
		struct kb_tally tally;
		struct kb_tally_pace pace;
		const char *want;
	} rows[] = {
		{ "what is counted here",
		  { .count = 4, .done = 1, .failed = 1 },
		  { .queued = -1 },
		  "[#######.......................] 1 of 4, 1 failed" },
		{ "what the service says takes its place",
		  { .count = 1 },
		  { .finished = 30, .queued = 60, .per_minute = 120, .left_s = 31 },
		  "[##########....................] 30 of 90 read, 120 a minute, about 31 s left" },
		{ "nothing that it cannot say",
		  { .count = 1, .note = "waiting for the service" },
		  { .queued = 60, .per_minute = -1, .left_s = -1 },
		  "[..............................] 0 of 60 read, waiting for the service" },
		{ "no pace when nothing is left",
		  { .count = 1, .done = 1 },
		  { .finished = 60, .per_minute = 120, .left_s = 0 },
		  "[##############################] 60 of 60 read" },
		{ "what is counted here while the service has none of it",
		  { .count = 300 },
		  { .queued = 0, .per_minute = -1, .left_s = -1 },
		  "[..............................] 0 of 300" },
		{ "documents that went meanwhile",
		  { .count = 1 },
		  { .finished = -5, .queued = 10, .per_minute = -1, .left_s = -1 },
		  "[..............................] 0 of 10 read" },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_tally_pace pace = rows[i].pace;
		struct kb_tally tally = rows[i].tally;
		char bar[KB_TALLY_BAR_CHARS];

		t->row = rows[i].name;
		tally.pace = pace.queued < 0 ? NULL : &pace;
		kb_tally_bar(&tally, 0, bar);
		CHECK_SV(t, kb_sv_str(bar), rows[i].want);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "the time left", test_left },
		{ "the bar", test_bar },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
