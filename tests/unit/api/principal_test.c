/* Who may do what, and what the rows of the routes ask for. */
#include "api/principal.h"

#include <string.h>

#include "api/api.h"
#include "test.h"

static const int64_t two[] = { 7, 9 };

static void roles(struct kb_test *t)
{
	static const struct {
		const char *name;
		struct kb_key key;
		bool seven, eight, manages;
	} cases[] = {
		{ "a key of the account reaches and manages all of it",
		  { .id = 1, .account_id = 5 },
		  true,
		  true,
		  true },
		{ "a key of some agents reaches those, and manages nothing",
		  { .id = 2, .account_id = 5, .agents = two, .agent_count = KB_COUNTOF(two) },
		  true,
		  false,
		  false },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_principal who = kb_principal_of_key(&cases[i].key);
		struct kb_err err = { 0 };

		t->row = cases[i].name;
		CHECK(t, who.account == 5 && who.key == cases[i].key.id && !who.person);
		CHECK(t, kb_principal_reaches(&who, 7) == cases[i].seven);
		CHECK(t, kb_principal_reaches(&who, 8) == cases[i].eight);
		CHECK(t, kb_principal_may(&who, KB_READ, &err));
		CHECK(t, kb_principal_may(&who, KB_ASK, &err));
		CHECK(t, kb_principal_may(&who, KB_WRITE, &err));
		CHECK(t, kb_principal_may(&who, KB_MANAGE, &err) == cases[i].manages);
		CHECK(t, cases[i].manages || err.code == KB_E_FORBIDDEN);
		CHECK(t, kb_principal_user(&who) == 5);
	}
}

static void visitors(struct kb_test *t)
{
	const struct kb_visitor visitor = { .id = 3, .person_id = 4, .labels = KB_SV("[\"hr\"]") };
	struct kb_principal who = kb_principal_of_visitor(&visitor, 5);

	t->row = "a visitor asks and writes for an account whose user they are not";
	CHECK(t, kb_principal_is_visitor(&who) && who.account == 5 && who.person == 4);
	CHECK(t, kb_sv_eq_str(who.labels, "[\"hr\"]"));
	CHECK(t, kb_principal_user(&who) == 0);
	CHECK(t, kb_principal_may(&who, KB_ASK, NULL) && kb_principal_may(&who, KB_WRITE, NULL));
	CHECK(t, !kb_principal_may(&who, KB_MANAGE, NULL));
	who = (struct kb_principal){ 0 };
	t->row = "nobody in particular may nothing";
	for (int verb = KB_READ; verb < KB_VERB_COUNT; verb++)
		CHECK(t, !kb_principal_may(&who, (enum kb_verb)verb, NULL));
}

/* What reads by its method says so; what changes something by its method says that, but for those
 * that carry a long question in their body, and one that always refuses. */
static void rows(struct kb_test *t)
{
	static const char *const readers[] = {
		"/api/v1/projects/{projectId}/search",
		"/api/v1/projects/{projectId}/warm",
		"/api/v1/embeddings",
		"/register",
	};
	size_t count;
	const struct kb_api_route *routes = kb_api_routes(&count);

	for (size_t i = 0; i < count; i++) {
		bool gets = strcmp(routes[i].method, "GET") == 0, reads = gets;

		for (size_t k = 0; !gets && k < KB_COUNTOF(readers); k++)
			reads = reads || strcmp(routes[i].path, readers[k]) == 0;
		t->row = routes[i].path;
		if (reads)
			CHECK(t,
			      routes[i].verb == KB_READ || (gets && routes[i].verb == KB_MANAGE));
		else
			CHECK(t, routes[i].verb != KB_READ);
		/* Whoever knows nobody cannot say who manages or asks. */
		if (routes[i].role == KB_ROLE_NONE)
			CHECK(t, routes[i].verb == KB_READ || routes[i].verb == KB_WRITE);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what a key may do and reach", roles },
		{ "what a visitor may do", visitors },
		{ "the verb of a row is what its method does", rows },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
