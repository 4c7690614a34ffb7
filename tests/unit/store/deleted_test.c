/* What was deleted stands aside until its time is over: listed, kept from the sweep, taken back
 * whole, and gone once that time is past. */
#include "raw.h"
#include "store/deleted.h"
#include "store/takeback.h"

#define KEPT_US (3 * 86400 * KB_SECOND_US)

static void open_keeping(struct fixture *f, struct kb_test *t)
{
	fixture_init(f, t);
	kb_store_close(f->store);
	f->store = kb_store_open_as(&(struct kb_store_config){ .at = f->at,
	                                                       .use = KB_STORE_NODE,
	                                                       .clock = &f->clock,
	                                                       .keep_deleted_us = KEPT_US },
	                            &f->err);
	NEED(f, f->store);
}

static int64_t kept(struct fixture *f, int64_t agent_id)
{
	const struct kb_list list = { .limit = 10, .page = 1 };
	struct kb_deleted_list deleted;

	NEED(f, kb_store_deleted_list(f->store, &f->arena, agent_id, &list, &deleted, &f->err));
	CHECK_INT(f->t, deleted.count, deleted.total);
	return deleted.total;
}

static bool take_back(struct fixture *f, int64_t agent_id, int64_t id)
{
	return kb_store_page_take_back(
	        f->store, &(struct kb_takeback){ .agent_id = agent_id, .id = id }, &f->err);
}

static void test_document(struct kb_test *t)
{
	struct kb_agent agent;
	struct fixture f;
	int64_t first;

	open_keeping(&f, t);
	agent = fixture_agent(&f, "a");
	first = fixture_pages(&f, agent.id, 3);
	for (int64_t i = 0; i < 2; i++)
		CHECK(t, kb_store_page_delete(f.store, agent.id, first + i, &f.err));
	CHECK_INT(t, kept(&f, agent.id), 2);
	fixture_remove_rows(&f);
	CHECK_INT(t, kept(&f, agent.id), 2);

	CHECK(t, take_back(&f, agent.id, first));
	CHECK_INT(t, raw_int(&f, "SELECT count(*) FROM pages"), 2);
	CHECK_INT(t, kept(&f, agent.id), 1);
	CHECK(t, !take_back(&f, agent.id, first) && f.err.code == KB_E_NOT_FOUND);

	/* A moment before, and then. */
	kb_clock_advance(&f.clock, KEPT_US - 60 * KB_SECOND_US);
	CHECK_INT(t, kept(&f, agent.id), 1);
	kb_clock_advance(&f.clock, 60 * KB_SECOND_US);
	CHECK_INT(t, kept(&f, agent.id), 0);
	CHECK(t, !take_back(&f, agent.id, first + 1) && f.err.code == KB_E_NOT_FOUND);
	CHECK_INT(t, raw_int(&f, "SELECT count(*) FROM deleted_pages"), 1);
	fixture_remove_rows(&f);
	CHECK_INT(t, raw_int(&f, "SELECT count(*) FROM deleted_pages"), 0);
	CHECK_INT(t, raw_int(&f, "SELECT count(*) FROM pages"), 2);
	fixture_fini(&f);
}

static void test_agent(struct kb_test *t)
{
	struct kb_agent back, gone;
	struct kb_deleted_agents deleted;
	struct fixture f;

	open_keeping(&f, t);
	back = fixture_agent(&f, "back");
	gone = fixture_agent(&f, "gone");
	fixture_pages(&f, back.id, 2);
	fixture_pages(&f, gone.id, 2);
	CHECK(t, kb_store_agent_delete(f.store, f.account.id, back.id, &f.err));
	CHECK(t, kb_store_agent_delete(f.store, f.account.id, gone.id, &f.err));
	fixture_remove_rows(&f);
	CHECK_INT(t, raw_int(&f, "SELECT count(*) FROM pages"), 4);
	NEED(&f, kb_store_agents_deleted(f.store, &f.arena, f.account.id, &deleted, &f.err));
	CHECK_INT(t, deleted.count, 2);
	CHECK(t, kb_store_agent_take_back(f.store, f.account.id, back.id, &f.err));

	kb_clock_advance(&f.clock, KEPT_US + KB_SECOND_US);
	CHECK(t, !kb_store_agent_take_back(f.store, f.account.id, gone.id, &f.err));
	CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
	NEED(&f, kb_store_agents_deleted(f.store, &f.arena, f.account.id, &deleted, &f.err));
	CHECK_INT(t, deleted.count, 0);
	fixture_remove_rows(&f);
	CHECK_INT(t, raw_int(&f, "SELECT count(*) FROM pages"), 2);
	CHECK_INT(t, raw_int(&f, "SELECT count(*) FROM agents"), 1);
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a document is kept for its time, and no longer", test_document },
		{ "so is an agent", test_agent },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
