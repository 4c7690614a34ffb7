/* What a browser says, made fit for a strict reader. */
#include "crawl/devtools.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

static const struct {
	const char *name, *in, *want;
} rows[] = {
	{ "text without escapes stays", "{\"a\":\"b\"}", "{\"a\":\"b\"}" },
	{ "a pair stays", "\"\\ud83d\\ude00\"", "\"\\ud83d\\ude00\"" },
	{ "a first half alone is mended", "\"\\ud83dx\"", "\"\\ufffdx\"" },
	{ "a second half alone is mended", "\"\\ude00\"", "\"\\ufffd\"" },
	{ "two first halves", "\"\\ud83d\\ud83d\\ude00\"", "\"\\ufffd\\ud83d\\ude00\"" },
	{ "NUL is mended", "\"a\\u0000b\"", "\"a\\ufffdb\"" },
	{ "what only looks like an escape stays", "\"\\\\ud83d\"", "\"\\\\ud83d\"" },
	{ "other escapes stay", "\"\\n\\u00e4\\\\\"", "\"\\n\\u00e4\\\\\"" },
	{ "an escape that is cut stays", "\\ud8", "\\ud8" },
	{ "a backslash at the end stays", "a\\", "a\\" },
	{ "nothing", "", "" },
};

static void test_mend(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		size_t n = strlen(rows[i].in);
		char *text = kb_xmalloc(n + 1); /* of its own, for a sanitizer to see its end */

		memcpy(text, rows[i].in, n);
		kb_devtools_mend(text, n);
		t->row = rows[i].name;
		CHECK(t, kb_sv_eq_str(kb_sv(text, n), rows[i].want));
		free(text);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "halves of characters become one that can be read", test_mend },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
