#include "test.h"

#include "answer/outcome.h"

static void test_outcome(struct kb_test *t)
{
	static const struct {
		const char *name;
		size_t sentences;
		float gate_z;
		bool answered;
		enum kb_named_kind named; /* 0: nothing */
		enum kb_named_verdict verdict;
		const char *want;
	} cases[] = {
		{ "the gate is open", 3, 1, true, 0, KB_NAMED_NOTHING, "answer" },
		{ "open by another gate than the usual one", 3, -1, true, 0, KB_NAMED_NOTHING,
		  "answer" },
		{ "just below the gate", 3, -.1f, false, 0, KB_NAMED_NOTHING, "closest" },
		{ "far below it", 3, -6, false, 0, KB_NAMED_NOTHING, "nothing" },
		{ "nothing was found", 0, 0, false, 0, KB_NAMED_NOTHING, "nothing" },
		{ "nothing was found, and a code is asked for", 0, 0, false, KB_NAMED_CODE,
		  KB_NAMED_LACKING, "nothing" },
		{ "the code is held, and the rest is far", 3, -6, false, KB_NAMED_CODE,
		  KB_NAMED_HELD, "closest" },
		{ "the code is held and the gate is open", 3, 1, true, KB_NAMED_CODE, KB_NAMED_HELD,
		  "answer" },
		{ "a year alone says nothing of the subject", 3, -6, false, KB_NAMED_YEAR,
		  KB_NAMED_HELD, "nothing" },
		{ "a code that only siblings of hold", 3, -1, false, KB_NAMED_CODE,
		  KB_NAMED_LACKING, "closest" },
		{ "a code that nothing holds is no answer, however near the rest", 3, 4, true,
		  KB_NAMED_CODE, KB_NAMED_LACKING, "closest" },
		{ "a code that nothing holds, and another subject", 3, -6, false, KB_NAMED_CODE,
		  KB_NAMED_LACKING, "nothing" },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		const struct kb_selection selection = { .count = cases[i].sentences,
			                                .gate_z = cases[i].gate_z,
			                                .answered = cases[i].answered };
		const struct kb_named_things named = { .v = { { .kind = cases[i].named } },
			                               .count = cases[i].named != 0 };

		t->row = cases[i].name;
		CHECK_SV(t,
		         kb_sv_str(kb_outcome_name(
		                 kb_outcome_of(&selection, &named, cases[i].verdict))),
		         cases[i].want);
	}
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what comes of a search", test_outcome },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
