/* Leases of chores, and what their end stores. */
#include "fixture.h"
#include "store/chores.h"
#include "store/starters.h"

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

static struct kb_sv starters(struct fixture *f, const struct kb_agent *agent,
                             const struct kb_starters_page *page, bool *wanted)
{
	struct kb_starters out = { 0 };

	NEED(f, kb_store_starters_get(f->store, &f->arena, agent, page, &out, &f->err));
	*wanted = out.wanted;
	return out.questions;
}

static void test_starters(struct kb_test *t)
{
	const struct kb_starters_page page = { KB_SV("Tickets"), KB_SV("https://a.example/t") };
	const struct kb_starters_page elsewhere = { KB_SV("Tickets"), KB_SV("https://b.example/") };
	const struct kb_chore_end written = { .text = KB_SV("What is it?\nWho is it?") };
	struct kb_starters_page read;
	struct kb_agent agent;
	struct kb_chore chore;
	struct fixture f;
	size_t chores = 0;
	bool wanted;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	CHECK_SV(t, starters(&f, &agent, &page, &wanted), "");
	CHECK(t, !wanted); /* nobody writes them */
	kb_store_chores_wanted(f.store);
	starters(&f, &agent, &page, &wanted);
	CHECK(t, wanted);
	NEED(&f, kb_store_starters_want(f.store, &agent, &page, &f.err));
	starters(&f, &agent, &page, &wanted);
	CHECK(t, !wanted);
	chore = lease(&f);
	CHECK_INT(t, chore.kind, KB_CHORE_STARTERS);
	NEED(&f, kb_store_starters_page(f.store, &f.arena, agent.id, chore.subject, &read, &f.err));
	CHECK_SV(t, read.title, "Tickets");
	CHECK_SV(t, read.address, "https://a.example/t");
	CHECK(t, end(&f, &chore, &written));
	CHECK_SV(t, starters(&f, &agent, &page, &wanted), "What is it?\nWho is it?");
	CHECK_SV(t, starters(&f, &agent, &elsewhere, &wanted), ""); /* its title alone is shared */

	/* Documents have changed: the old ones stay until there are new ones. */
	agent.index_version++;
	starters(&f, &agent, &page, &wanted);
	CHECK(t, !wanted);
	kb_clock_advance(&f.clock, (KB_STARTERS_AGAIN_S + 1) * KB_SECOND_US);
	CHECK_SV(t, starters(&f, &agent, &page, &wanted), "What is it?\nWho is it?");
	CHECK(t, wanted);

	/* A try that gives nothing is made again after a day. */
	NEED(&f, kb_store_starters_want(f.store, &agent, &elsewhere, &f.err));
	chore = lease(&f);
	CHECK(t, end(&f, &chore, &(struct kb_chore_end){ 0 }));
	starters(&f, &agent, &elsewhere, &wanted);
	CHECK(t, !wanted);
	kb_clock_advance(&f.clock, KB_DAY_US + KB_SECOND_US);
	starters(&f, &agent, &elsewhere, &wanted);
	CHECK(t, wanted);

	/* Whoever makes up pages gets so many of them a day. */
	for (int i = 0; i < KB_STARTERS_A_DAY + 10; i++) {
		struct kb_starters_page made = { kb_arena_printf(&f.arena, "page %d", i),
			                         KB_SV("") };

		NEED(&f, kb_store_starters_want(f.store, &agent, &made, &f.err));
	}
	while ((chore = lease(&f)).agent_id) {
		chores++;
		CHECK(t, end(&f, &chore, &written));
	}
	CHECK_INT(t, chores, KB_STARTERS_A_DAY);
	kb_clock_advance(&f.clock, (KB_STARTERS_KEPT_DAYS + 1) * KB_DAY_US);
	NEED(&f, kb_store_starters_want(f.store, &agent, &page, &f.err));
	CHECK_SV(t,
	         starters(&f, &agent, &(struct kb_starters_page){ KB_SV("page 1"), KB_SV("") },
	                  &wanted),
	         "");
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case tests[] = {
		{ "a chore is one worker's at a time, and counted", test_leases },
		{ "a person's name stays", test_names },
		{ "starters are a page's, bounded, and made again", test_starters },
	};

	return kb_test_main(argc, argv, tests, KB_COUNTOF(tests));
}
