#include "api/schema.h"

#include "api/api.h"
#include "settings/options.h"
#include "test.h"

/* Every type word of a list of members is known. */
static void check_types(struct kb_test *t, const char *members)
{
	static const char *const plain[] = { "int",  "num", "str", "bool",
		                             "time", "obj", "any", "file" };
	struct kb_sv name, type;
	const char *list = members;
	bool optional;

	while (kb_schema_next(&list, &name, &optional, &type)) {
		bool known = false;
		char word[64] = "";

		if (kb_sv_ends(type, KB_SV("?")))
			type.n--;
		while (type.n && type.p[0] == '[') {
			CHECK(t, kb_sv_ends(type, KB_SV("]")));
			type = kb_sv_sub(type, 1, type.n - 2);
		}
		snprintf(word, sizeof(word), "%.*s", KB_SV_ARG(type));
		for (size_t i = 0; i < KB_COUNTOF(plain); i++)
			known = known || strcmp(word, plain[i]) == 0;
		CHECK(t, known || kb_schema_exists(word));
		CHECK(t, name.n > 0);
	}
}

static void test_words(struct kb_test *t)
{
	size_t count;
	const struct kb_schema *schemas = kb_schemas(&count);

	for (size_t i = 0; i < count; i++) {
		t->row = schemas[i].name;
		CHECK(t, !schemas[i].members != !schemas[i].write);
		for (size_t j = 0; j < i; j++)
			CHECK(t, strcmp(schemas[i].name, schemas[j].name) != 0);
		if (schemas[i].members)
			check_types(t, schemas[i].members);
	}
}

/* Whether that schema has the member. */
static bool has_member(const char *schema, const char *member)
{
	size_t count;
	const struct kb_schema *schemas = kb_schemas(&count);
	struct kb_sv name, type;
	bool optional;

	for (size_t i = 0; i < count; i++) {
		const char *list = schemas[i].members;

		if (strcmp(schemas[i].name, schema) != 0 || !list)
			continue;
		while (kb_schema_next(&list, &name, &optional, &type))
			if (kb_sv_eq_str(name, member))
				return true;
	}
	return false;
}

/* The options of an agent are a table of their own: it and the lists of members agree. */
static void test_options(struct kb_test *t)
{
	static const char *const schemas[] = { "Agent", "AgentFields", "SourceFields" };
	size_t count;
	const struct kb_setting *fields = kb_agent_options_fields(&count);

	for (size_t i = 0; i < count; i++)
		for (size_t s = 0; s < KB_COUNTOF(schemas); s++) {
			t->row = fields[i].name;
			CHECK(t, has_member(schemas[s], fields[i].name));
		}
}

static void test_rows(struct kb_test *t)
{
	size_t count;
	const struct kb_api_route *rows = kb_api_routes(&count);

	for (size_t i = 0; i < count; i++) {
		t->row = rows[i].path;
		CHECK(t, rows[i].handle || rows[i].fast);
		CHECK(t, rows[i].summary && rows[i].tag && rows[i].status >= 200);
		CHECK(t, !rows[i].request || kb_schema_exists(rows[i].request));
		CHECK(t, !rows[i].response || kb_schema_exists(rows[i].response));
		CHECK(t, !rows[i].request || rows[i].body_max);
		if (rows[i].query)
			check_types(t, rows[i].query);
	}
}

static void test_description(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_buf buf;
	struct kb_jw jw;
	struct kb_err err;
	json_t *json;

	kb_buf_init(&buf, 4 << 20);
	kb_jw_init(&jw, &buf);
	kb_openapi_write(&jw);
	json = kb_json_parse(&arena, kb_buf_view(&buf), &err);
	CHECK(t, json != NULL);
	CHECK(t, json_object_size(kb_json_get(json, "paths")) > 10);
	kb_buf_fini(&buf);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "every type word of every schema is known", test_words },
		{ "an agent's options are in the schemas that take and give them", test_options },
		{ "every route says what it takes and gives", test_rows },
		{ "the description is one JSON document", test_description },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
