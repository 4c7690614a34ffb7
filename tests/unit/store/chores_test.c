/* Leases of chores, and what their end stores. */
#include "fixture.h"
#include "store/chores.h"

enum { LEASE_US = 60 * 1000000 };

static struct kb_chore lease(struct fixture *f)
{
	struct kb_chore chore;

	NEED(f, kb_store_chore_lease(f->store, LEASE_US, &chore, &f->err));
	return chore;
}

static bool end(struct fixture *f, const struct kb_chore *chore, const struct kb_chore_end *how)
{
	return kb_store_chore_end(f->store, &f->arena, chore, how, &f->err);
}

static struct kb_conversation conversation(struct fixture *f, int64_t agent_id)
{
	struct kb_conversation out;

	NEED(f, kb_store_conversation_get(
	                f->store, &f->arena,
	                &(struct kb_session){ .agent_id = agent_id, .id = KB_SV("s") }, &out,
	                &f->err));
	return out;
}

static void test_leases(struct kb_test *t)
{
	const struct kb_chore_end named = { .text = KB_SV("A name"),
		                            .spent = { KB_SV("m"), 7, 3, 5 } };
	struct kb_chore first, second, third;
	struct kb_month_use used;
	struct kb_agent agent;
	struct fixture f;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	fixture_say_to(&f, agent.id, "s", "before");
	CHECK_INT(t, lease(&f).agent_id, 0); /* nobody wants them */
	kb_store_chores_wanted(f.store);
	fixture_say_to(&f, agent.id, "other", "hello");
	fixture_say_to(&f, agent.id, "other", "and again");

	first = lease(&f);
	second = lease(&f);
	third = lease(&f);
	CHECK(t, first.agent_id && second.agent_id && third.agent_id);
	CHECK_INT(t, lease(&f).agent_id, 0); /* a name and two insights */
	kb_clock_advance(&f.clock, LEASE_US);
	second = lease(&f);
	CHECK_INT(t, second.attempts, 2);
	CHECK(t, !end(&f, &first, &named)
	                 == (second.kind == first.kind && second.subject == first.subject));
	CHECK(t, end(&f, &second, &(struct kb_chore_end){ .again_us = LEASE_US }));
	CHECK(t, !end(&f, &(struct kb_chore){ .agent_id = agent.id, .epoch = 9 }, &named));
	CHECK_INT(t, f.err.code, KB_E_CONFLICT);
	NEED(&f, kb_store_used_this_month(f.store, f.account.id, &used, &f.err));
	CHECK(t, used.queries == 3 && used.model_tokens % 10 == 0);
	fixture_fini(&f);
}

static void test_names(struct kb_test *t)
{
	struct kb_conversation renamed;
	struct kb_agent agent;
	struct kb_chore chore;
	struct fixture f;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	kb_store_chores_wanted(f.store);
	fixture_say_to(&f, agent.id, "s", "hello");
	while ((chore = lease(&f)).agent_id && chore.kind != KB_CHORE_NAME)
		CHECK(t, end(&f, &chore, &(struct kb_chore_end){ 0 }));
	CHECK(t, end(&f, &chore,
	             &(struct kb_chore_end){ .text = KB_SV("By a model"), .again_us = 1 }));
	CHECK_SV(t, conversation(&f, agent.id).name, "By a model");
	NEED(&f, kb_store_conversation_rename(
	                 f.store, &f.arena,
	                 &(struct kb_session){ .agent_id = agent.id, .id = KB_SV("s") },
	                 KB_SV("By a person"), &renamed, &f.err));
	kb_clock_advance(&f.clock, LEASE_US);
	while ((chore = lease(&f)).agent_id)
		CHECK(t, end(&f, &chore, &(struct kb_chore_end){ .text = KB_SV("Again") }));
	CHECK_SV(t, conversation(&f, agent.id).name, "By a person");
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "a chore is one worker's at a time, and counted", test_leases },
		{ "a person's name stays", test_names },
	};

	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
