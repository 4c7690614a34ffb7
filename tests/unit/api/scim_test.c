/* What a directory asks for: filters as Entra ID and Okta send them, and what is none. */
#include "api/scim.h"

#include "test.h"

static void filters(struct kb_test *t)
{
	static const struct {
		const char *name, *text, *attribute, *value;
		size_t count; /* 0: it cannot be read */
	} cases[] = {
		{ "one term", "userName eq \"ann\"", "userName", "ann", 1 },
		{ "names and words in any case", "USERNAME EQ \"ann\"", "username", "ann", 1 },
		{ "a schema's name before it", KB_SCIM_CORE "User:userName eq \"a\"", "userName",
		  "a", 1 },
		{ "a part of what a bracket chooses", "emails[type eq \"work\"].value eq \"a@b\"",
		  "emails.value", "a@b", 1 },
		{ "a truth", "active eq true", "active", "true", 1 },
		{ "signs in quotes", "displayName eq \"a \\\"b\\\" and ]\"", "displayName",
		  "a \"b\" and ]", 1 },
		{ "several terms", "id eq \"1\" and members eq \"2\"", "id", "1", 2 },
		{ "no value", "userName eq", NULL, NULL, 0 },
		{ "no end of the quotes", "userName eq \"a", NULL, NULL, 0 },
		{ "a sign at the end", "userName eq \"a\\", NULL, NULL, 0 },
		{ "another word", "userName co \"a\"", NULL, NULL, 0 },
		{ "or is not served", "id eq \"1\" or id eq \"2\"", NULL, NULL, 0 },
		{ "an end without a term", "id eq \"1\" and ", NULL, NULL, 0 },
		{ "a bracket that stays open", "emails[type eq \"work\" eq \"a\"", NULL, NULL, 0 },
		{ "a part without a name", "name. eq \"a\"", NULL, NULL, 0 },
		{ "too many terms", "a eq 1 and a eq 1 and a eq 1 and a eq 1 and a eq 1 and a eq 1",
		  NULL, NULL, 0 },
	};
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_scim_filter filter;
		struct kb_err err;
		bool ok = kb_scim_filter_read(&arena, kb_sv_str(cases[i].text), &filter, &err);

		t->row = cases[i].name;
		CHECK(t, ok == (cases[i].count > 0));
		if (!ok)
			continue;
		CHECK_INT(t, filter.count, cases[i].count);
		CHECK(t, kb_scim_path_is(&filter.terms[0].path, cases[i].attribute));
		CHECK_SV(t, filter.terms[0].value, cases[i].value);
	}
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "filters are read as directories send them", filters },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
