/* Second spellings: the table, and the writer that emits both. */
#include "base/json.h"
#include "test.h"

static const struct {
	const char *name, *text;
	size_t count;
	const char *error; /* part of the sentence; NULL: it is right */
} tables[] = {
	{ "none", "", 0, NULL },
	{ "one", "llm_response=x_response", 1, NULL },
	{ "two, with blanks and an empty one", " a = b ,, c=d,", 2, NULL },
	{ "no second", "a", 0, "name=second" },
	{ "an empty second", "a=", 0, "name=second" },
	{ "an empty name", "=b", 0, "name=second" },
	{ "itself", "a=a", 0, "already" },
	{ "a name twice", "a=b,a=c", 0, "already" },
	{ "a second twice", "a=b,c=b", 0, "already" },
	{ "a chain", "a=b,b=c", 0, "already" },
	{ "a quote", "a=b\"c", 0, "name=second" },
	{ "two equal signs", "a=b=c", 0, "name=second" },
	{ "61 letters", "a=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0,
	  "60" },
};

static void test_tables(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(tables); i++) {
		struct kb_arena arena = { 0 };
		struct kb_alias_list list;
		struct kb_err err = { 0 };
		bool ok;

		t->row = tables[i].name;
		ok = kb_alias_read(&arena, "--x", tables[i].text, &list, &err);
		CHECK(t, ok == !tables[i].error);
		if (ok)
			CHECK_INT(t, list.count, tables[i].count);
		else
			CHECK(t, strstr(err.msg, tables[i].error) && strstr(err.msg, "--x"));
		kb_arena_fini(&arena);
	}
	t->row = NULL;
}

static void test_writer(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_aliases aliases;
	struct kb_err err;
	struct kb_buf buf;
	struct kb_jw jw;

	CHECK(t, kb_alias_read(&arena, "f", "a=A,list=LIST,last=LAST", &aliases.fields, &err));
	CHECK(t, kb_alias_read(&arena, "v", "red=rouge", &aliases.values, &err));
	kb_buf_init(&buf, 1000);
	kb_jw_init(&jw, &buf);
	jw.aliases = &aliases;
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "a", 1);
	kb_jw_key_str(&jw, "b", "a");
	kb_jw_key(&jw, "list");
	kb_jw_array(&jw);
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "a", "x\"");
	kb_jw_end(&jw);
	kb_jw_int(&jw, 2);
	kb_jw_end(&jw);
	kb_jw_key(&jw, "c");
	kb_jw_choice(&jw, KB_SV("red"));
	kb_jw_key(&jw, "d");
	kb_jw_choice(&jw, KB_SV("blue"));
	jw.keys_as_they_are = true;
	kb_jw_key_int(&jw, "a", 3);
	kb_jw_field(&jw, "last");
	kb_jw_object(&jw);
	kb_jw_end(&jw);
	kb_jw_end(&jw);
	CHECK_SV(t, kb_buf_view(&buf),
	         "{\"a\":1,\"A\":1,\"b\":\"a\",\"list\":[{\"a\":\"x\\\"\",\"A\":\"x\\\"\"},2],"
	         "\"LIST\":[{\"a\":\"x\\\"\",\"A\":\"x\\\"\"},2],\"c\":\"rouge\",\"d\":\"blue\","
	         "\"a\":3,\"last\":{},\"LAST\":{}}");
	kb_buf_fini(&buf);

	/* What does not fit twice fails as what does not fit once. */
	kb_buf_init(&buf, 20);
	kb_jw_init(&jw, &buf);
	jw.aliases = &aliases;
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "a", "0123456");
	kb_jw_end(&jw);
	CHECK(t, buf.failed);
	kb_buf_fini(&buf);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a table of aliases is words with a second spelling", test_tables },
		{ "a field is written under both names, a choice in its second spelling",
		  test_writer },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
