#include "base/json.h"
#include "base/json_flat.h"

#include <math.h>
#include <string.h>

#include "test.h"

static void test_strict(struct kb_test *t)
{
	static const struct {
		const char *text, *complaint;
	} bad[] = {
		{ "", "malformed JSON at byte 0: it ends too early" },
		{ "[1, 2", "malformed JSON at byte 5: it ends too early" },
		{ "{\"a\":\"b", "malformed JSON at byte 7: it ends too early" },
		{ "01", "malformed JSON at byte 1: what stands there does not belong there" },
		{ "nul", "malformed JSON at byte 3: what stands there does not belong there" },
		{ "[1.]", "malformed JSON at byte 3: what stands there does not belong there" },
		{ "{'a':1}", "malformed JSON at byte 2: what stands there does not belong there" },
		{ "[1,]", "malformed JSON at byte 4: what stands there does not belong there" },
		{ "[\"a\nb\"]",
		  "malformed JSON at byte 3: what stands there does not belong there" },
		{ "[\"\\x\"]",
		  "malformed JSON at byte 4: what stands there does not belong there" },
		{ "\"\\ud800\"",
		  "malformed JSON at byte 8: what stands there does not belong there" },
		{ "{} x", "malformed JSON at byte 4: something follows its end" },
		{ "{\"a\":1,\"a\":2}",
		  "malformed JSON at byte 10: a name stands twice in one object" },
		{ "\"\\u0000\"", "malformed JSON at byte 8: the character \\u0000 is not taken" },
		{ "{\"a\\u0000b\":1}",
		  "malformed JSON at byte 11: the character \\u0000 is not taken" },
		{ "1e400", "malformed JSON at byte 5: a number is too large" },
		{ "9223372036854775808", "malformed JSON at byte 19: a number is too large" },
		{ "\"\xff\"", "malformed JSON at byte 1: it is not valid UTF-8" },
	};
	struct kb_arena arena = { 0 };
	struct kb_err err;
	json_t *json = kb_json_parse(&arena, KB_SV("{\"s\":\"x\",\"n\":5,\"b\":true}"), &err);
	char deep[3000];

	CHECK(t, json != NULL);
	CHECK_SV(t, kb_json_sv(json, "s", KB_SV("")), "x");
	CHECK_SV(t, kb_json_sv(json, "n", KB_SV("other")), "other");
	CHECK_INT(t, kb_json_int(json, "n", 0), 5);
	CHECK(t, kb_json_bool(json, "b", false));
	CHECK(t, kb_json_get(NULL, "x") == NULL);
	for (size_t i = 0; i < KB_COUNTOF(bad); i++) {
		t->row = bad[i].text;
		CHECK(t, !kb_json_parse(&arena, kb_sv_str(bad[i].text), &err)
		                 && err.code == KB_E_INVALID);
		CHECK_SV(t, kb_sv_str(err.msg), bad[i].complaint);
	}
	t->row = "nesting";
	memset(deep, '[', sizeof(deep));
	CHECK(t, !kb_json_parse(&arena, kb_sv(deep, sizeof(deep)), &err));
	CHECK_SV(t, kb_sv_str(err.msg), "malformed JSON at byte 2049: it is nested too deeply");
	kb_arena_fini(&arena);
}

/* Beside the strict reader: what the fast one accepts means the same. */
static void test_flat(struct kb_test *t)
{
	static const struct {
		const char *text, *title; /* NULL: gives up */
	} cases[] = {
		{ "{\"id\":\"7\",\"title\":\"plain words of some length\"}",
		  "plain words of some length" },
		{ " { \"title\" : \"x\" , \"id\" : 12 } \r\n", "x" },
		{ "{\"title\":\"\"}", "" },
		{ "{\"title\":\"a \\\"quoted\\\" \\\\ \\n\\t \\/ word\",\"id\":0}",
		  "a \"quoted\" \\ \n\t / word" },
		{ "{\"title\":\"\\u00e9t\\u00E9 \\ud83d\\ude00!\"}",
		  "\u00e9t\u00e9 \xf0\x9f\x98\x80!" },
		{ "{\"title\":\"\u00e9t\u00e9, not only ASCII\"}",
		  "\u00e9t\u00e9, not only ASCII" },
		{ "{}", "" },
		{ "", NULL },
		{ "[]", NULL },
		{ "{\"title\":\"x\"} x", NULL },
		{ "{\"title\":\"x\",}", NULL },
		{ "{\"title\":\"x\"", NULL },
		{ "{\"title\":\"x", NULL },
		{ "{\"title\":\"x\\", NULL },
		{ "{\"title\":\"x\",\"title\":\"y\"}", NULL },
		{ "{\"title\":\"x\",\"a\":\"\",\"a\":\"\"}", NULL },
		{ "{\"title\":\"x\",\"a\":null}", NULL },
		{ "{\"title\":\"x\",\"a\":[]}", NULL },
		{ "{\"title\":\"x\",\"a\":-1}", NULL },
		{ "{\"title\":\"x\",\"a\":01}", NULL },
		{ "{\"title\":\"x\",\"a\":1.5}", NULL },
		{ "{\"title\":\"x\",\"a\":9999999999999999999}", NULL },
		{ "{\"title\":\"\\ud800 alone\"}", NULL },
		{ "{\"title\":\"\\udc00\\ud800\"}", NULL },
		{ "{\"title\":\"nothing \\u0000\"}", NULL },
		{ "{\"title\":\"bad \\x escape\"}", NULL },
		{ "{\"title\":\"a line\nwithin\"}", NULL },
		{ "{\"title\":\"12345678\xff\"}", NULL },
		{ "{\"title\":\"cut \xc3\"}", NULL },
	};
	struct kb_arena arena = { 0 };
	struct kb_err err;

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_json_member members[] = { { "title" }, { "id" } };
		struct kb_sv text = kb_sv_str(cases[i].text);
		bool ok = kb_json_flat(&arena, text, members, KB_COUNTOF(members));
		json_t *json = kb_json_parse(&arena, text, &err);

		t->row = cases[i].text;
		CHECK_INT(t, ok, cases[i].title != NULL);
		if (!ok)
			continue;
		CHECK(t, json != NULL);
		CHECK_SV(t, members[0].value, cases[i].title);
		CHECK(t, kb_sv_eq(kb_json_sv(json, "title", KB_SV("")), members[0].value));
		CHECK_INT(t, members[1].number, json_is_integer(kb_json_get(json, "id")));
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
		{ "the fast reader of flat objects agrees or gives up", test_flat },
		{ "the writer escapes and nests", test_writer },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
