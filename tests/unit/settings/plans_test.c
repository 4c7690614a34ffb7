/* Plans: the built-in ones, and those of the configuration. */
#include "settings/plans.h"

#include "test.h"

static void test_built_in(struct kb_test *t)
{
	static const struct {
		const char *name;
		int64_t queries, agents, pages, words;
	} wanted[] = {
		{ "basic", 500, 3, 1000, 30000000 },
		{ "standard", 1000, 10, 5000, 60000000 },
		{ "premium", 5000, 100, 20000, 300000000 },
		{ "custom", 0, 0, 0, 0 },
	};
	size_t count;
	const struct kb_plan *plans = kb_plans_built_in(&count), *plan;

	CHECK_SV(t, plans[0].name, "default");
	CHECK(t, plans[0].features == KB_FEATURE_ALL);
	CHECK_INT(t,
	          plans[0].queries_per_month | plans[0].agents | plans[0].pages_per_agent
	                  | plans[0].words | plans[0].rate_per_second | plans[0].burst
	                  | plans[0].max_actions,
	          0);
	CHECK_INT(t, count, 1 + KB_COUNTOF(wanted));
	for (size_t i = 0; i < KB_COUNTOF(wanted); i++) {
		t->row = wanted[i].name;
		plan = kb_plan_find(plans, count, kb_sv_str(wanted[i].name));
		CHECK(t, plan != NULL);
		if (!plan)
			continue;
		CHECK_INT(t, plan->queries_per_month, wanted[i].queries);
		CHECK_INT(t, plan->agents, wanted[i].agents);
		CHECK_INT(t, plan->pages_per_agent, wanted[i].pages);
		CHECK_INT(t, plan->words, wanted[i].words);
		/* labels and persona versions are the custom plan's */
		CHECK(t, !!(plan->features & KB_FEATURE_LABELS) == (i == 3));
		CHECK(t, !!(plan->features & KB_FEATURE_PERSONAS) == (i == 3));
	}
	CHECK(t, !kb_plan_find(plans, count, KB_SV("gold")));
}

static void test_read(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_plan plan;
	struct kb_err err;

	CHECK(t, kb_plan_read(&arena, KB_SV("team"),
	                      KB_SV(" queries=500  agents=3 pages=1000 words=30000000 rate=10/50 "
	                            "actions=5 features=labels,pdf_viewer "),
	                      &plan, &err));
	CHECK_SV(t, plan.name, "team");
	CHECK_INT(t, plan.queries_per_month, 500);
	CHECK_INT(t, plan.agents, 3);
	CHECK_INT(t, plan.pages_per_agent, 1000);
	CHECK_INT(t, plan.words, 30000000);
	CHECK_INT(t, plan.rate_per_second, 10);
	CHECK_INT(t, plan.burst, 50);
	CHECK_INT(t, plan.max_actions, 5);
	CHECK(t, plan.features == (KB_FEATURE_LABELS | KB_FEATURE_PDF_VIEWER));
	CHECK(t, kb_plan_read(&arena, KB_SV("all"), KB_SV(""), &plan, &err));
	CHECK(t, plan.features == KB_FEATURE_ALL && plan.queries_per_month == 0);
	CHECK(t, kb_plan_read(&arena, KB_SV("bare"), KB_SV("features=none"), &plan, &err));
	CHECK(t, plan.features == 0);
	kb_arena_fini(&arena);
}

static void test_refused(struct kb_test *t)
{
	static const struct {
		const char *name, *plan, *text, *message;
	} cases[] = {
		{ "a plan without a name", "", "agents=1", "a plan needs a name" },
		{ "a figure there is not", "a", "agnets=1", "a plan has no \"agnets\"" },
		{ "a figure that is none", "a", "agents=many", "agents=many is no count" },
		{ "a negative figure", "a", "words=-1", "words=-1 is no count" },
		{ "a word without a value", "a", "agents",
		  "\"agents\" is not of the form name=value" },
		{ "a feature there is not", "a", "features=labels,gold",
		  "there is no plan feature \"gold\"" },
		{ "an empty feature", "a", "features=", "there is no plan feature \"\"" },
		{ "a rate of nothing", "a", "rate=0",
		  "the rate \"0\" is neither \"off\" nor a second's requests and the burst, such "
		  "as "
		  "10/50 (1 to 1000000 each)" },
	};
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_plan plan = { .agents = 7 };
		struct kb_err err;

		t->row = cases[i].name;
		CHECK(t, !kb_plan_read(&arena, kb_sv_str(cases[i].plan), kb_sv_str(cases[i].text),
		                       &plan, &err));
		CHECK_SV(t, kb_sv_str(err.msg), cases[i].message);
		CHECK_INT(t, plan.agents, 7);
	}
	kb_arena_fini(&arena);
}

static void test_rate(struct kb_test *t)
{
	static const struct {
		const char *text;
		int64_t rate, burst; /* rate -1: refused */
	} cases[] = {
		{ "off", 0, 0 },     { "10/50", 10, 50 }, { "10", 10, 10 },  { "", -1, -1 },
		{ "10/", -1, -1 },   { "/50", -1, -1 },   { "0/5", -1, -1 }, { "10/0", -1, -1 },
		{ "1/2/3", -1, -1 }, { "-1", -1, -1 },    { "x", -1, -1 },   { "1000001", -1, -1 },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		int64_t rate = -1, burst = -1;
		bool ok;

		t->row = cases[i].text;
		ok = kb_rate_read(kb_sv_str(cases[i].text), &rate, &burst, NULL);
		CHECK(t, ok == (cases[i].rate >= 0));
		CHECK_INT(t, rate, cases[i].rate);
		CHECK_INT(t, burst, cases[i].burst);
	}
}

static void test_features(struct kb_test *t)
{
	for (uint64_t f = 1; f < KB_FEATURE_ALL; f <<= 1) {
		CHECK(t, kb_feature_title((enum kb_plan_feature)f)[0]);
		CHECK(t, kb_feature_name((enum kb_plan_feature)f)[0]);
	}
	CHECK_SV(t, kb_sv_str(kb_feature_title(KB_FEATURE_PDF_VIEWER)), "PDF viewer");
	CHECK_SV(t, kb_sv_str(kb_feature_name(KB_FEATURE_PDF_VIEWER)), "pdf_viewer");
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "the default plan limits nothing, the others have their figures", test_built_in },
		{ "a plan is read from configuration text", test_read },
		{ "a plan that is wrong is refused with the word", test_refused },
		{ "a rate is a second's requests and a burst", test_rate },
		{ "every feature has a title and a name", test_features },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
