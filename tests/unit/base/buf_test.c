#include "base/buf.h"

#include "test.h"

static void test_limit(struct kb_test *t)
{
	struct kb_buf buf;
	struct kb_sv out;
	struct kb_err err;

	kb_buf_init(&buf, 10);
	kb_buf_str(&buf, "12345");
	kb_buf_int(&buf, -42);
	CHECK(t, kb_buf_done(&buf, &out, &err));
	CHECK_SV(t, out, "12345-42");
	kb_buf_str(&buf, "abc");
	kb_buf_str(&buf, "d"); /* fits, but the error is sticky */
	CHECK(t, !kb_buf_done(&buf, &out, &err) && err.code == KB_E_TOO_LARGE);
	CHECK_SV(t, kb_buf_view(&buf), "12345-42");
	kb_buf_clear(&buf);
	kb_buf_int(&buf, INT64_MIN);
	CHECK(t, buf.failed);
	kb_buf_fini(&buf);
}

static void test_binary(struct kb_test *t)
{
	struct kb_buf buf;

	kb_buf_init(&buf, 100);
	kb_buf_u32(&buf, 0x03040506);
	kb_buf_varint(&buf, 300);
	CHECK_INT(t, buf.n, 6);
	CHECK(t, memcmp(buf.p, "\x06\x05\x04\x03\xac\x02", 6) == 0);
	kb_buf_printf(&buf, "%s", "end");
	CHECK_INT(t, buf.n, 9);
	kb_buf_fini(&buf);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a buffer keeps its limit and its error", test_limit },
		{ "integers are little-endian or LEB128", test_binary },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
