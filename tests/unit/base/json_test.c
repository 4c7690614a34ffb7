#include "base/json.h"

#include <math.h>

#include "test.h"

static void test_strict(struct kb_test *t)
{
	static const char *const bad[] = {
		"",      "01",   "{} x", "{\"a\":1,\"a\":2}", "\"\\ud800\"",         "\"\\u0000\"",
		"1e400", "[1.]", "nul",  "\"\xff\"",          "9223372036854775808",
	};
	struct kb_arena arena = { 0 };
	struct kb_err err;
	json_t *json = kb_json_parse(&arena, KB_SV("{\"s\":\"x\",\"n\":5,\"b\":true}"), &err);

	CHECK(t, json != NULL);
	CHECK_SV(t, kb_json_sv(json, "s", KB_SV("")), "x");
	CHECK_SV(t, kb_json_sv(json, "n", KB_SV("other")), "other");
	CHECK_INT(t, kb_json_int(json, "n", 0), 5);
	CHECK(t, kb_json_bool(json, "b", false));
	CHECK(t, kb_json_get(NULL, "x") == NULL);
	for (size_t i = 0; i < KB_COUNTOF(bad); i++) {
		t->row = bad[i];
		CHECK(t,
		      !kb_json_parse(&arena, kb_sv_str(bad[i]), &err) && err.code == KB_E_INVALID);
	}
	kb_arena_fini(&arena);
}

static void test_writer(struct kb_test *t)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_buf_init(&buf, 1000);
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "a", "q\"\\\n</script>\xe2\x80\xa8\xff");
	kb_jw_key(&jw, "b");
	kb_jw_array(&jw);
	kb_jw_int(&jw, -1);
	kb_jw_double(&jw, 0.1);
	kb_jw_double(&jw, (double)NAN);
	kb_jw_bool(&jw, true);
	kb_jw_null(&jw);
	kb_jw_array(&jw);
	kb_jw_end(&jw);
	kb_jw_end(&jw);
	kb_jw_key_time(&jw, "t", 0);
	kb_jw_key_opt(&jw, "o", (struct kb_sv){ 0 });
	kb_jw_end(&jw);
	CHECK_SV(t, kb_buf_view(&buf),
	         "{\"a\":\"q\\\"\\\\\\n\\u003c/script\\u003e\\u2028\\ufffd\","
	         "\"b\":[-1,0.1,null,true,null,[]],\"t\":\"1970-01-01T00:00:00.000000Z\",\"o\":"
	         "null}");
	kb_buf_fini(&buf);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "the reader is strict", test_strict },
		{ "the writer escapes and nests", test_writer },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
