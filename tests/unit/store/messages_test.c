/* Conversations and messages. */
#include "fixture.h"

static void test_history(struct kb_test *t)
{
	struct kb_message *history;
	struct kb_agent agent;
	struct kb_agent_stats stats;
	struct fixture f;
	int64_t queries;
	size_t count;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	CHECK(t, agent.is_active);
	for (int i = 0; i < 5; i++)
		fixture_say_to(&f, agent.id, "s1", (char[]){ (char)('a' + i), '\0' });
	CHECK(t, kb_store_message_history(f.store, &f.arena, agent.id, KB_SV("s1"), 0, 3, &history,
	                                  &count, &f.err));
	CHECK_INT(t, count, 3);
	CHECK_SV(t, history[0].query, "c");
	CHECK_SV(t, history[2].query, "e");
	CHECK(t, kb_store_queries_this_month(f.store, f.account.id, &queries, &f.err));
	CHECK_INT(t, queries, 5);
	CHECK(t, kb_store_agent_stats(f.store, agent.id, &stats, &f.err));
	CHECK_INT(t, stats.queries, 5);
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "history is the last messages, oldest first", test_history },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
