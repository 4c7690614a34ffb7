/*
 * The unit tests' few words. A test program is a list of tests:
 *
 *   static void test_split(struct kb_test *t) { CHECK(t, 1 + 1 == 2); }
 *   int main(int argc, char **argv)
 *   {
 *           static const struct kb_test_case cases[] = { { "split keeps words", test_split } };
 *           return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
 *   }
 *
 * With an argument it runs only the tests whose name contains it. It prints a line a failed check,
 * and last "N passed, N failed" (tests, not checks).
 *
 * A test that cannot run on this machine says so with kb_test_skip() and returns. Where
 * DOCENT_NO_SKIPS is set, as in continuous integration, that is a failure.
 *
 * Where DOCENT_TEST_SLOWEST is set, the processor's time of each test is printed, as of stories.
 *
 * What a test waits for has kb_test_patient(): milliseconds of an idle machine. How much longer
 * this one may take is measured when a run starts (scripts/test-unit).
 */
#ifndef KB_TEST_H
#define KB_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/sv.h"

/* Whether a sanitizer is at work, which takes many times as long: what it sees in few rounds of the
 * same, it need not see in many, and what grows with a text is not its to time. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KB_TEST_UNDER_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KB_TEST_UNDER_SANITIZER 1
#endif
#endif
#ifndef KB_TEST_UNDER_SANITIZER
#define KB_TEST_UNDER_SANITIZER 0
#endif
/* Where each step of something is made to fail: every so many-th. That a path of errors loses
 * memory is the address sanitizer's to see; that threads meet on it is not told by all of its
 * places. */
#ifdef __SANITIZE_THREAD__
#define KB_TEST_FAULT_STEP 13
#else
#define KB_TEST_FAULT_STEP 1
#endif

struct kb_test {
	const char *name;
	const char *row; /* the table row in hand, for messages; a test sets it */
	int failed;
	bool skipped;
};

struct kb_test_case {
	const char *name;
	void (*run)(struct kb_test *t);
};

#define CHECK(t, condition)                                                                        \
	((condition) ? (void)0 : kb_test_fail((t), __FILE__, __LINE__, #condition))
#define CHECK_SV(t, got, want) kb_test_sv((t), __FILE__, __LINE__, #got, (got), kb_sv_str(want))
#define CHECK_INT(t, got, want)                                                                    \
	kb_test_int((t), __FILE__, __LINE__, #got, (int64_t)(got), (int64_t)(want))

static inline void kb_test_fail(struct kb_test *t, const char *file, int line, const char *what)
{
	t->failed++;
	fprintf(stderr, "%s:%d: %s%s%s: failed: %s\n", file, line, t->name, t->row ? ": " : "",
	        t->row ? t->row : "", what);
}

static inline void kb_test_sv(struct kb_test *t, const char *file, int line, const char *what,
                              struct kb_sv got, struct kb_sv want)
{
	if (kb_sv_eq(got, want))
		return;
	kb_test_fail(t, file, line, what);
	fprintf(stderr, "  got  \"%.*s\"\n  want \"%.*s\"\n", KB_SV_ARG(got), KB_SV_ARG(want));
}

static inline void kb_test_int(struct kb_test *t, const char *file, int line, const char *what,
                               int64_t got, int64_t want)
{
	if (got == want)
		return;
	kb_test_fail(t, file, line, what);
	fprintf(stderr, "  got  %" PRId64 "\n  want %" PRId64 "\n", got, want);
}

static inline void kb_test_skip(struct kb_test *t, const char *why)
{
	const char *strict = getenv("DOCENT_NO_SKIPS");

	t->skipped = true;
	if (strict && *strict)
		kb_test_fail(t, __FILE__, __LINE__, why);
	else
		printf("skipped: %s: %s\n", t->name, why);
}

/* As tests/api/lib/patience.mjs has it for stories: the measured factor, or the load of the last
 * minute for each processor and two busy processes, whichever is more. */
static inline int kb_test_patient(int ms)
{
	enum { MOST = 12, USUAL_LOAD = 2 };
	const char *given = getenv("DOCENT_TEST_PATIENCE");
	double factor = given ? strtod(given, NULL) : 1, load = 0;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (processors > 0 && getloadavg(&load, 1) == 1)
		load /= (double)processors * USUAL_LOAD;
	if (!(factor > load))
		factor = load;
	return (int)(ms * (factor < 1 ? 1 : factor > MOST ? MOST : factor));
}

/* The folder of the evaluation's data, which are no part of the project: where it is missing, the
 * test is skipped (NULL), and that is no failure anywhere. */
static inline const char *kb_test_data(struct kb_test *t)
{
	const char *named = getenv("DOCENT_TEST_DATA");
	const char *folder = named ? named : "../shared/data";

	if (access(folder, R_OK) == 0)
		return folder;
	t->skipped = true;
	printf("skipped: %s: no evaluation data at %s\n", t->name, folder);
	return NULL;
}

/* Seconds of processor that this process and those it has waited for have taken. */
static inline double kb_test_processor(void)
{
	struct rusage own, children;

	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &children);
	return (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec + children.ru_utime.tv_sec
	                + children.ru_stime.tv_sec)
	       + (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec + children.ru_utime.tv_usec
	                  + children.ru_stime.tv_usec)
	                 / 1e6;
}

static inline int kb_test_main(int argc, char **argv, const struct kb_test_case *cases,
                               size_t count)
{
	int passed = 0, failed = 0;
	bool told = getenv("DOCENT_TEST_SLOWEST") != NULL;

	kb_crypto_init();
	for (size_t i = 0; i < count; i++) {
		struct kb_test t = { .name = cases[i].name };
		double before = told ? kb_test_processor() : 0;

		if (argc > 1 && !strstr(cases[i].name, argv[1]))
			continue;
		cases[i].run(&t);
		if (told)
			printf("%5.1f s of processor  %s\n", kb_test_processor() - before,
			       cases[i].name);
		if (t.failed) {
			failed++;
			fprintf(stderr, "FAILED %s\n", cases[i].name);
		} else if (!t.skipped) {
			passed++;
		}
	}
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0;
}

#endif
