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
		for (int role = KB_ROLE_MEMBER; role <= KB_ROLE_KEEPER; role++)
			CHECK(t, kb_principal_is(&who, (enum kb_role)role, 7, &err));
		CHECK(t, kb_principal_is(&who, KB_ROLE_OWNER, 0, &err) == cases[i].manages);
		CHECK(t, cases[i].manages || err.code == KB_E_FORBIDDEN);
		CHECK(t, kb_principal_is(&who, KB_ROLE_AUDITOR, 0, &err) == cases[i].manages);
		kb_principal_enter(&who, 7, KB_ASK);
		CHECK(t, !who.person && !kb_principal_person(&who));
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
	CHECK(t, kb_principal_is(&who, KB_ROLE_VISITOR, 0, NULL));
	for (int role = KB_ROLE_MEMBER; role < KB_ROLE_COUNT; role++)
		CHECK(t, !kb_principal_is(&who, (enum kb_role)role, 7, NULL));
	who = (struct kb_principal){ 0 };
	t->row = "nobody in particular may nothing";
	for (int role = 0; role < KB_ROLE_COUNT; role++)
		CHECK(t, !kb_principal_is(&who, (enum kb_role)role, 7, NULL));
}

/* Roles of a person for agent 7, and for one that is not named. */
static void people(struct kb_test *t)
{
#define IS(role) (1u << KB_ROLE_##role)
	enum { ALL = IS(ASKER) | IS(READER) | IS(EDITOR) | IS(CHECKER) | IS(KEEPER) };
	static const struct {
		const char *name;
		enum kb_standing standing;
		struct kb_grant grants[2];
		size_t count;
		bool reaches_seven, reaches_eight;
		unsigned seven, any;
	} cases[] = {
		{ "a member without rights reaches nothing", .any = 0 },
		{ "an auditor reaches no agent", KB_PERSON_AUDITOR, .any = IS(AUDITOR),
		  .seven = IS(AUDITOR) },
		{ "an owner is all", KB_PERSON_OWNER, .reaches_seven = true, .reaches_eight = true,
		  .seven = ALL | IS(AUDITOR) | IS(OWNER), .any = ALL | IS(AUDITOR) | IS(OWNER) },
		{ "asking is asking", .grants = { { 7, KB_RIGHT_ASK } }, .count = 1,
		  .reaches_seven = true, .seven = IS(ASKER), .any = IS(ASKER) },
		{ "who sees conversations asks", .grants = { { 7, KB_RIGHT_CONVERSATIONS } },
		  .count = 1, .reaches_seven = true, .seven = IS(ASKER) | IS(READER),
		  .any = IS(ASKER) | IS(READER) },
		{ "who manages content sees no conversation", .grants = { { 7, KB_RIGHT_CONTENT } },
		  .count = 1, .reaches_seven = true, .seven = IS(ASKER) | IS(EDITOR),
		  .any = IS(ASKER) | IS(EDITOR) },
		{ "who improves answers sees what was asked", .grants = { { 7, KB_RIGHT_ANSWERS } },
		  .count = 1, .reaches_seven = true, .seven = IS(ASKER) | IS(READER) | IS(CHECKER),
		  .any = IS(ASKER) | IS(READER) | IS(CHECKER) },
		{ "who manages an agent is all there, and nothing elsewhere",
		  .grants = { { 7, KB_RIGHT_MANAGE } }, .count = 1, .reaches_seven = true,
		  .seven = ALL, .any = ALL },
		{ "a right for each agent holds beside one for this",
		  .grants = { { 0, KB_RIGHT_ASK }, { 7, KB_RIGHT_CONTENT } }, .count = 2,
		  .reaches_seven = true, .reaches_eight = true, .seven = IS(ASKER) | IS(EDITOR),
		  .any = IS(ASKER) | IS(EDITOR) },
		{ "what is granted of another agent says nothing of this one",
		  .grants = { { 8, KB_RIGHT_MANAGE } }, .count = 1, .reaches_eight = true,
		  .any = ALL },
	};
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		const struct kb_person person = { .id = 3,
			                          .account_id = 5,
			                          .standing = cases[i].standing,
			                          .grants = cases[i].grants,
			                          .grant_count = cases[i].count,
			                          .labels = KB_SV("[\"hr\"]") };
		struct kb_principal who = kb_principal_of_person(&arena, &person, 0);

		t->row = cases[i].name;
		CHECK(t, who.account == 5 && who.member == 3 && who.person == -3);
		CHECK(t, kb_principal_user(&who) == 5 && kb_sv_eq_str(who.labels, "[\"hr\"]"));
		CHECK(t, kb_principal_reaches(&who, 7) == cases[i].reaches_seven);
		CHECK(t, kb_principal_reaches(&who, 8) == cases[i].reaches_eight);
		CHECK(t, kb_principal_is(&who, KB_ROLE_MEMBER, 0, NULL));
		for (int role = KB_ROLE_ASKER; role < KB_ROLE_COUNT; role++) {
			CHECK(t, kb_principal_is(&who, (enum kb_role)role, 7, NULL)
			                 == ((cases[i].seven >> role & 1) != 0));
			CHECK(t, kb_principal_is(&who, (enum kb_role)role, 0, NULL)
			                 == ((cases[i].any >> role & 1) != 0));
		}
		/* Whose conversations: those of others are read by readers, changed by keepers. */
		kb_principal_enter(&who, 7, KB_READ);
		CHECK(t, (who.person == 0) == ((cases[i].seven & IS(READER)) != 0));
		kb_principal_enter(&who, 7, KB_ASK);
		CHECK(t, (who.person == 0) == ((cases[i].seven & IS(KEEPER)) != 0));
		CHECK(t, kb_principal_person(&who) == -3);
	}
	kb_arena_fini(&arena);
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
			CHECK(t, routes[i].verb == KB_READ);
		else
			CHECK(t, routes[i].verb != KB_READ);
		/* Whoever knows nobody cannot say who asks. */
		if (routes[i].role == KB_ROLE_NONE)
			CHECK(t, routes[i].verb == KB_READ || routes[i].verb == KB_WRITE);
		/* What is done to an agent is for a role there, or for the account's owner. */
		if (routes[i].role > KB_ROLE_VISITOR && strstr(routes[i].path, "{projectId}"))
			CHECK(t, routes[i].role != KB_ROLE_MEMBER);
	}
}

/* What is changed is kept; but asking is no change, whatever it begins. What is read is kept where
 * the operator wants it (kb_audit_reads_of()). */
static void actions(struct kb_test *t)
{
	/* Some are commands' alone or the service's own, and a row may do one of two things. */
	bool used[KB_AUDIT_ACTION_COUNT] = {
		[KB_AUDIT_NOTHING] = true,      [KB_AUDIT_KEY_LINK] = true,
		[KB_AUDIT_PROGRAM_DENY] = true, [KB_AUDIT_ADDRESS_SHUT] = true,
		[KB_AUDIT_KEY_TRIED] = true,    [KB_AUDIT_AUDIT_PURGE] = true,
		[KB_AUDIT_SECRET_SEAL] = true,  [KB_AUDIT_AGENT_EXPORT] = true,
		[KB_AUDIT_AGENT_IMPORT] = true
	};
	size_t count;
	const struct kb_api_route *routes = kb_api_routes(&count);

	for (size_t i = 0; i < count; i++) {
		bool writes = routes[i].verb == KB_WRITE && routes[i].role > KB_ROLE_ASKER;

		t->row = routes[i].path;
		used[routes[i].action] = true;
		if (writes)
			CHECK(t, routes[i].action != KB_AUDIT_NOTHING);
		if (routes[i].verb != KB_WRITE || routes[i].role == KB_ROLE_VISITOR)
			CHECK(t, routes[i].action == KB_AUDIT_NOTHING
			                 || kb_audit_reads_of(routes[i].action)
			                            != KB_AUDIT_READS_NONE);
	}
	for (int i = 0; i < KB_AUDIT_ACTION_COUNT; i++) {
		t->row = kb_audit_action_infos[i].name;
		CHECK(t, used[i]);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what a key may do and reach", roles },
		{ "what a visitor may do", visitors },
		{ "what a person may do, by their rights", people },
		{ "what a row changes is kept", actions },
		{ "the verb of a row is what its method does", rows },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
