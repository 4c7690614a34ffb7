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

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "every code has a row", test_table },
		{ "a full disk is told from other failures", test_errno },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
