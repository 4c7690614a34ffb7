/* The queue: leases, epochs, turns, and what a commit of ingestion leaves behind. */
#include "fixture.h"

static void test_indexing(struct kb_test *t)
{
	struct kb_index_state state;
	struct kb_agent_stats stats;
	struct kb_agent agent;
	struct kb_page page;
	struct fixture f;
	int64_t first, length;

	fixture_init(&f, t);
	agent = (struct kb_agent){ .account_id = f.account.id, .name = KB_SV("files") };
	CHECK(t, kb_store_agent_create_with_pages(f.store, &agent,
	                                          &(struct kb_page_new){ .filename = KB_SV("a"),
	                                                                 .blob = KB_SV("aa"),
	                                                                 .is_file = true,
	                                                                 .size = 7 },
	                                          1, &first, &f.err));
	CHECK(t, !agent.is_active);
	CHECK(t, kb_store_queue_length(f.store, &length, &f.err));
	CHECK_INT(t, length, 1);
	CHECK_INT(t, fixture_index(&f, 10), 1);
	CHECK(t, kb_store_agent_get(f.store, &f.arena, f.account.id, agent.id, &agent, &f.err));
	CHECK(t, agent.is_active);
	CHECK_INT(t, agent.index_version, 1);
	CHECK(t, kb_store_page_get(f.store, &f.arena, agent.id, first, &page, &f.err));
	CHECK_INT(t, page.index, KB_STATUS_OK);
	CHECK_SV(t, page.title, "A title");
	CHECK_SV(t, page.text_blob, "bb");
	CHECK(t, kb_store_index_state(f.store, &f.arena, agent.id, &state, &f.err));
	CHECK_INT(t, state.version, 1);
	CHECK_INT(t, state.segment_count, 1);
	CHECK_INT(t, state.segments[0].version, 1);
	CHECK_INT(t, state.dead_count, 0);
	CHECK(t, kb_store_agent_stats(f.store, agent.id, &stats, &f.err));
	CHECK_INT(t, stats.pages_indexed, 1);
	CHECK_INT(t, stats.words_indexed, 10);
	CHECK_INT(t, stats.storage_bytes, 7);
	CHECK(t, kb_store_page_delete(f.store, agent.id, first, &f.err));
	CHECK(t, kb_store_index_state(f.store, &f.arena, agent.id, &state, &f.err));
	CHECK_INT(t, state.version, 2);
	CHECK_INT(t, state.dead_count, 1);
	CHECK_INT(t, state.dead[0].version, 2);
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a page goes from the queue into the index and out of it", test_indexing },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
