/* Which backups stay. */
#include "backup/keep.h"

#include "base/clock.h"
#include "test.h"

// clang-format off
static const struct {
	const char *name, *keep, *now, *backups, *stay; /* times with blanks between; "!": not whole */
} cases[] = {
	{ "nothing said keeps all", "", "2026-11-27", "2020-01-01 2026-11-26", "2020-01-01 2026-11-26" },
	{ "all of a span, and the newest of each day of a longer one", "24h:all,30d:daily",
	  "2026-11-27 12:00:00",
	  "2026-09-01 2026-11-20 2026-11-25T01:00:00Z 2026-11-25T02:00:00Z 2026-11-27T01:00:00Z "
	  "2026-11-27T02:00:00Z",
	  "2026-11-20 2026-11-25T02:00:00Z 2026-11-27T01:00:00Z 2026-11-27T02:00:00Z" },
	{ "the newest stays however old it is", "1h:all", "2026-11-27", "2020-01-01 2020-01-02", "2020-01-02" },
	{ "so does the newest whole one", "1h:all", "2026-11-27", "2020-01-01 !2020-01-02 !2020-01-03",
	  "2020-01-01 !2020-01-03" },
	{ "a month has its last one", "1y:monthly", "2026-11-27", "2026-01-01 2026-01-31 2026-02-01",
	  "2026-01-31 2026-02-01" },
	{ "December and January are two months", "1y:monthly", "2026-11-27", "2025-12-31 2026-01-01",
	  "2025-12-31 2026-01-01" },
	{ "a week begins on Monday", "1y:weekly", "2026-11-27", "2026-11-22 2026-11-23 2026-11-24",
	  "2026-11-22 2026-11-24" },
	{ "an hour, and a year", "1d:hourly,2y:yearly", "2026-11-27T12:00:00Z",
	  "2025-03-01 2025-04-01 2026-11-27T10:10:00Z 2026-11-27T10:50:00Z 2026-11-27T11:00:00Z",
	  "2025-04-01 2026-11-27T10:50:00Z 2026-11-27T11:00:00Z" },
};
// clang-format on

enum { MOST = 16 };

static size_t split(const char *text, struct kb_kept *out, struct kb_sv *words)
{
	size_t count = 0;

	for (const char *at = text; *at;) {
		size_t n = strcspn(at, " ");
		bool bad = *at == '!';
		bool ok = kb_time_parse(kb_sv(at + bad, n - bad), &out[count].at);

		KB_ASSERT(ok && count < MOST);
		out[count].is_whole = !bad;
		words[count++] = kb_sv(at, n);
		at += n + (at[n] == ' ');
	}
	return count;
}

static void test_judge(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_kept backups[MOST] = { 0 };
		struct kb_sv words[MOST];
		size_t count = split(cases[i].backups, backups, words);
		char stay[600] = "";
		struct kb_keep keep;
		struct kb_err err;
		int64_t now;

		t->row = cases[i].name;
		CHECK(t, kb_time_parse(kb_sv_str(cases[i].now), &now));
		CHECK(t, kb_keep_read(kb_sv_str(cases[i].keep), &keep, &err));
		kb_keep_judge(&keep, now, backups, count);
		for (size_t k = 0; k < count; k++)
			if (backups[k].stays) {
				size_t n = strlen(stay);

				snprintf(stay + n, sizeof(stay) - n, "%s%.*s", n ? " " : "",
				         KB_SV_ARG(words[k]));
			}
		CHECK_SV(t, kb_sv_str(stay), cases[i].stay);
	}
	t->row = NULL;
}

static void test_read(struct kb_test *t)
{
	static const char *const wrong[] = {
		"all",         "24h",
		"24h:",        "x:all",
		"0d:all",      "1d:all,",
		",1d:all",     "1d:weekly 2d:all",
		"1d:Daily",    "-1d:daily",
		"999999d:all", "1h:all,1h:all,1h:all,1h:all,1h:all,1h:all,1h:all,1h:all,1h:all"
	};
	struct kb_keep keep;
	struct kb_err err;
	int64_t us;

	for (size_t i = 0; i < KB_COUNTOF(wrong); i++)
		CHECK(t, !kb_keep_read(kb_sv_str(wrong[i]), &keep, &err));
	CHECK(t, kb_span_read(KB_SV("15m"), &us) && us == 900 * KB_SECOND_US);
	CHECK(t, kb_span_read(KB_SV("2w"), &us) && us == 14 * KB_DAY_US);
	CHECK(t, !kb_span_read(KB_SV("m"), &us) && !kb_span_read(KB_SV("15"), &us));
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "which stay", test_judge },
		{ "what is said", test_read },
	};

	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
