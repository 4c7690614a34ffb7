#include "base/err.h"

#include <errno.h>

#include "test.h"

static void test_table(struct kb_test *t)
{
	for (int code = 0; code < KB_ERRC_COUNT; code++) {
		const struct kb_err_info *info = kb_err_info((enum kb_errc)code);

		CHECK(t, info->name && info->status >= 200 && info->status < 600);
	}
}

static void test_errno(struct kb_test *t)
{
	struct kb_err err;

	errno = ENOSPC;
	CHECK(t, !kb_fail_errno(&err, "cannot write %s", "x") && err.code == KB_E_FULL);
	CHECK_SV(t, kb_sv_str(err.msg), "cannot write x: No space left on device");
	CHECK(t, !kb_fail(NULL, KB_E_INVALID, "nobody listens"));
}

static void test_retry_after(struct kb_test *t)
{
	struct kb_err err;

	kb_fail_for(&err, KB_E_EXHAUSTED, 7, "too many");
	CHECK_INT(t, kb_err_retry_after(&err), 7);
	kb_fail(&err, KB_E_EXHAUSTED, "too many at once"); /* the time of before is forgotten */
	CHECK_INT(t, kb_err_retry_after(&err), 1);
	kb_fail(&err, KB_E_BUSY, "a queue is full");
	CHECK_INT(t, kb_err_retry_after(&err), 1);
	kb_fail(&err, KB_E_QUOTA, "used up");
	CHECK_INT(t, kb_err_retry_after(&err), 0);
	kb_fail(&err, KB_E_UNCERTAIN, "it may have happened");
	CHECK_INT(t, kb_err_retry_after(&err), 0);
	kb_fail_for(&err, KB_E_INVALID, 7, "no");
	CHECK_INT(t, kb_err_retry_after(&err), 0);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "every code has a row", test_table },
		{ "a full disk is told from other failures", test_errno },
		{ "what passes says when to come back", test_retry_after },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
