#include "api/input.h"

#include "test.h"

static struct kb_inputs inputs_of(struct kb_test *t, struct kb_arena *arena, const char *json)
{
	struct kb_request req = { .arena = arena, .body = kb_sv_str(json) };
	struct kb_inputs inputs;
	struct kb_err err;

	CHECK(t, kb_inputs_read(&req, &inputs, &err));
	return inputs;
}

static void test_forms(struct kb_test *t)
{
	static const struct {
		const char *json;
		bool ok, want;
	} cases[] = {
		{ "{\"x\":true}", true, true },
		{ "{\"x\":\"TRUE\"}", true, true },
		{ "{\"x\":\"1\"}", true, true },
		{ "{\"x\":1}", true, true },
		{ "{\"x\":\"0\"}", true, false },
		{ "{\"x\":\"False\"}", true, false },
		{ "{\"x\":2}", false, false },
		{ "{\"x\":\"yes\"}", false, false },
		{ "{\"x\":[true]}", false, false },
		{ "{\"x\":null}", true, false },
		{ "{}", true, false },
	};
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_inputs inputs = inputs_of(t, &arena, cases[i].json);
		bool flag = false;
		struct kb_err err;

		t->row = cases[i].json;
		CHECK(t, kb_inputs_bool(&inputs, "x", &flag, &err) == cases[i].ok);
		CHECK(t, flag == cases[i].want);
	}
	kb_arena_fini(&arena);
}

static void test_text_and_numbers(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_inputs inputs = inputs_of(
	        t, &arena,
	        "{\"n\":\"12\",\"i\":7,\"s\":\"\xc3\xa4\xc3\xb6\",\"null\":null,\"l\":[1]}");
	struct kb_sv text = KB_SV("before");
	struct kb_err err;
	int64_t n = 0;

	CHECK(t, kb_inputs_int(&inputs, "n", 0, 20, &n, &err) && n == 12);
	CHECK(t, !kb_inputs_int(&inputs, "n", 0, 11, &n, &err));
	CHECK(t, !kb_inputs_text(&inputs, &arena, "i", 9, &text, &err)); /* a number is no text */
	CHECK(t, kb_inputs_handle(&inputs, &arena, "i", 9, &text, &err));
	CHECK_SV(t, text, "7");
	CHECK(t, kb_inputs_text(&inputs, &arena, "s", 2, &text, &err)); /* characters, not bytes */
	CHECK(t, !kb_inputs_text(&inputs, &arena, "s", 1, &text, &err));
	CHECK_SV(t, kb_sv_str(err.msg), "s has 2 characters, the limit is 1");
	text = KB_SV("before");
	CHECK(t, kb_inputs_text(&inputs, &arena, "missing", 9, &text, &err));
	CHECK_SV(t, text, "before");
	CHECK(t, kb_inputs_text(&inputs, &arena, "null", 9, &text, &err) && text.p == NULL);
	CHECK(t, !kb_inputs_text(&inputs, &arena, "l", 9, &text, &err));
	kb_arena_fini(&arena);
}

static void test_bodies(struct kb_test *t)
{
	static const char *const bad[] = { "[]", "1", "{", "{\"a\":1,}" };
	struct kb_arena arena = { 0 };
	struct kb_inputs inputs = inputs_of(t, &arena, " \r\n");
	struct kb_err err;

	CHECK_INT(t, inputs.count, 0);
	for (size_t i = 0; i < KB_COUNTOF(bad); i++) {
		struct kb_request req = { .arena = &arena, .body = kb_sv_str(bad[i]) };

		t->row = bad[i];
		CHECK(t, !kb_inputs_read(&req, &inputs, &err) && err.code == KB_E_INVALID);
	}
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a flag comes in many spellings", test_forms },
		{ "text and numbers are taken for each other and measured", test_text_and_numbers },
		{ "a body is a JSON object or nothing", test_bodies },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
