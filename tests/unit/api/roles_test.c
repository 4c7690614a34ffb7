/* What groups are: the file of --roles, line by line. */
#include "api/roles.h"

#include "test.h"

static const char file[] = "# staff first\n"
                           "\n"
                           "staff = default:ask\n"
                           "  Editors of 12 = default:content@12 \n"
                           "more editors = default:answers@12\n"
                           "CN=Staff,OU=Groups = default:ask\n"
                           "it = default:owner\n"
                           "watch = default:auditor\n"
                           "plain = default:member\n"
                           "far = support:manage\n"
                           "hr > hr\n"
                           "a > b > Secret\n"
                           "staff > staff\n";

static void judged(struct kb_test *t)
{
	static const struct {
		const char *name, *groups, *account, *labels;
		enum kb_standing standing;
		size_t grants;
		int64_t agent, rights; /* of the last grant */
	} cases[] = {
		{ "nobody's groups are nothing", "", "", "[]" },
		{ "an unknown group is nothing", "others, Staff", "", "[]" },
		{ "a right for each agent, and a label", "staff", "default", "[\"staff\"]", 0, 1, 0,
		  KB_RIGHT_ASK },
		{ "a right for one", "Editors of 12", "default", "[]", 0, 1, 12, KB_RIGHT_CONTENT },
		{ "rights for one agent come together", "Editors of 12, more editors", "default",
		  "[]", 0, 1, 12, KB_RIGHT_CONTENT | KB_RIGHT_ANSWERS },
		{ "a directory's name, with semicolons between", "x; CN=Staff,OU=Groups", "default",
		  "[]", 0, 1, 0, KB_RIGHT_ASK },
		{ "the higher standing counts", "watch, it, plain", "default", "[]",
		  KB_PERSON_OWNER },
		{ "an auditor", "watch", "default", "[]", KB_PERSON_AUDITOR },
		{ "a member without rights is let in", "plain", "default", "[]" },
		{ "another account", "far", "support", "[]", 0, 1, 0, KB_RIGHT_MANAGE },
		{ "of two accounts the first of the file", "far, staff", "default", "[\"staff\"]",
		  0, 1, 0, KB_RIGHT_ASK },
		{ "a label alone lets nobody in", "hr", "", "[\"hr\"]" },
		{ "the last sign parts a line", "a > b", "", "[\"Secret\"]" },
	};
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_groups groups = kb_groups_read(&arena, kb_sv_str(cases[i].groups));
		struct kb_person who = { 0 };
		struct kb_sv account = { 0 };
		struct kb_err err;

		t->row = cases[i].name;
		CHECK(t, kb_roles_judge(&arena, kb_sv_str(file), &groups, &who, &account, &err));
		CHECK(t, kb_sv_eq_str(account, cases[i].account));
		CHECK(t, kb_sv_eq_str(who.labels, cases[i].labels));
		CHECK(t, who.standing == cases[i].standing);
		CHECK(t, who.grant_count == cases[i].grants);
		if (who.grant_count) {
			CHECK_INT(t, who.grants[who.grant_count - 1].agent_id, cases[i].agent);
			CHECK_INT(t, who.grants[who.grant_count - 1].rights, cases[i].rights);
		}
	}
	kb_arena_fini(&arena);
}

static void refused(struct kb_test *t)
{
	static const char *const lines[] = {
		"staff",          "staff=default:ask",    "staff = ask",    "staff = default:",
		" = default:ask", "staff = default:king", "staff > ",       "staff = :ask",
		"staff = d:ask@", "staff = d:ask@x",      "it = d:owner@1",
	};
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(lines); i++) {
		struct kb_groups none = { 0 };
		struct kb_person who = { 0 };
		struct kb_sv account = { 0 };
		struct kb_err err = { 0 };

		t->row = lines[i];
		CHECK(t, !kb_roles_judge(&arena, kb_sv_str(lines[i]), &none, &who, &account, &err));
		CHECK_INT(t, err.code, KB_E_INVALID);
	}
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what somebody's groups give them", judged },
		{ "a line that says nothing is refused, whoever it is for", refused },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
