/* The queue: leases, epochs, turns, and what a commit of ingestion leaves behind. */
#include "fixture.h"
#include "store/agent_new.h"

static struct kb_lease *lease(struct fixture *f, size_t max, size_t *count, int64_t *due)
{
	struct kb_leases leases;

	NEED(f, kb_store_pages_lease(
	                f->store, &f->arena,
	                &(struct kb_lease_want){ .max = max, .lease_us = 60 * KB_SECOND_US },
	                &leases, &f->err));
	*count = leases.count;
	*due = leases.next_due_at;
	return leases.v;
}

static struct kb_page page_of(struct fixture *f, int64_t agent_id, int64_t id)
{
	struct kb_page page;

	NEED(f, kb_store_page_get(f->store, &f->arena, agent_id, id, &page, &f->err));
	return page;
}

static struct kb_index_state state_of(struct fixture *f, int64_t agent_id)
{
	struct kb_index_state state;

	NEED(f, kb_store_index_state(f->store, &f->arena, agent_id, &state, &f->err));
	return state;
}

static bool finish(struct fixture *f, int64_t agent_id, const struct kb_page_result *result,
                   bool segment)
{
	return kb_store_pages_finish(f->store, agent_id, result, 1,
	                             segment ? &fixture_segment : NULL, &f->err);
}

static void test_indexing(struct kb_test *t)
{
	struct kb_index_state state;
	struct kb_agent_stats stats;
	struct kb_agent agent;
	struct kb_page page;
	struct fixture f;
	int64_t first, length, version;

	fixture_init(&f, t);
	agent = (struct kb_agent){ .account_id = f.account.id, .name = KB_SV("files") };
	CHECK(t, kb_store_agent_create_with_pages(
	                 f.store, &agent,
	                 &(struct kb_agent_start){
	                         .pages = &(struct kb_page_new){ .filename = KB_SV("a"),
	                                                         .blob = KB_SV("aa"),
	                                                         .is_ours = true,
	                                                         .size = 7 },
	                         .page_count = 1 },
	                 &first, &f.err));
	CHECK(t, !agent.is_active);
	page = page_of(&f, agent.id, first);
	CHECK_INT(t, page.crawl, KB_STATUS_QUEUED);
	CHECK_INT(t, page.index, KB_STATUS_QUEUED);
	CHECK(t, page.reason.n > 0);
	CHECK(t, kb_store_queue_length(f.store, &length, &f.err));
	CHECK_INT(t, length, 1);
	CHECK_INT(t, fixture_index(&f, 10), 1);
	CHECK(t, kb_store_agent_get(f.store, &f.arena, f.account.id, agent.id, &agent, &f.err));
	CHECK(t, agent.is_active);
	CHECK_INT(t, agent.index_version, 1);
	page = page_of(&f, agent.id, first);
	CHECK_INT(t, page.index, KB_STATUS_OK);
	CHECK_SV(t, page.title, "A title");
	CHECK_SV(t, page.text_blob, "bb");
	CHECK_SV(t, page.blob, "aa");
	state = state_of(&f, agent.id);
	CHECK_INT(t, state.version, 1);
	CHECK_INT(t, state.segment_count, 1);
	CHECK_INT(t, state.segments[0].version, 1);
	CHECK_SV(t, state.segments[0].blob, "cc");
	CHECK_INT(t, state.dead_count, 0);
	CHECK(t, kb_store_agent_stats(f.store, agent.id, &stats, &f.err));
	CHECK_INT(t, stats.pages_found, 1);
	CHECK_INT(t, stats.pages_crawled, 1);
	CHECK_INT(t, stats.pages_indexed, 1);
	CHECK_INT(t, stats.crawl_credits, 1);
	CHECK_INT(t, stats.words_indexed, 10);
	CHECK_INT(t, stats.storage_bytes, 7);
	CHECK(t, kb_store_page_delete(f.store, agent.id, first, &f.err));
	CHECK(t, kb_store_index_version(f.store, agent.id, &version, &f.err));
	CHECK_INT(t, version, 2);
	state = state_of(&f, agent.id);
	CHECK_INT(t, state.version, 2);
	CHECK_INT(t, state.dead_count, 1);
	CHECK_INT(t, state.dead[0].version, 2);
	CHECK(t, kb_store_agent_stats(f.store, agent.id, &stats, &f.err));
	CHECK_INT(t, stats.pages_found + stats.words_indexed + stats.storage_bytes, 0);
	CHECK_INT(t, stats.crawl_credits, 1);
	fixture_fini(&f);
}

static void test_turns(struct kb_test *t)
{
	struct kb_lease *leases;
	struct kb_agent large, small, later;
	struct fixture f;
	int64_t due;
	size_t count;
	char order[16] = "";

	fixture_init(&f, t);
	large = fixture_agent(&f, "large");
	small = fixture_agent(&f, "small");
	later = fixture_agent(&f, "later");
	fixture_pages(&f, large.id, 40);
	fixture_pages(&f, small.id, 10);
	for (int i = 0; i < 8; i++) {
		char letter;

		if (i == 2)
			fixture_pages(&f, later.id, 5);
		leases = lease(&f, 5, &count, &due);
		CHECK_INT(t, count, 5);
		for (size_t j = 1; j < count; j++) {
			CHECK_INT(t, leases[j].page.agent_id, leases[0].page.agent_id);
			CHECK_INT(t, leases[j].page.id, leases[j - 1].page.id + 1);
		}
		letter = leases[0].page.agent_id == large.id   ? 'L'
		         : leases[0].page.agent_id == small.id ? 's'
		                                               : 'n';
		order[i] = letter;
	}
	CHECK_SV(t, kb_sv_str(order), "LsLsnLLL");
	fixture_fini(&f);
}

/* A turn of a thread that others never wait long for, or of any; the letter of its account. */
static char turn(struct fixture *f, const int64_t accounts[3], bool not_slow,
                 int64_t settle_account_id, int64_t settle_us, struct kb_lease **leases,
                 size_t *count)
{
	struct kb_lease_want want = { .max = 2,
		                      .lease_us = 600 * KB_SECOND_US,
		                      .not_slow = not_slow,
		                      .charge_us = 2 * KB_SECOND_US };
	struct kb_leases got;

	NEED(f, kb_store_turn_settle(f->store, settle_account_id, settle_us, &f->err));
	NEED(f, kb_store_pages_lease(f->store, &f->arena, &want, &got, &f->err));
	*leases = got.v;
	*count = got.count;
	for (int i = 0; *count && i < 3; i++) {
		struct kb_agent agent;

		if (kb_store_agent_get(f->store, &f->arena, accounts[i], (*leases)[0].page.agent_id,
		                       &agent, NULL))
			return (char)('A' + i);
	}
	return '-';
}

/* Each turn takes what is said of its account; C comes after the fourth, and again later. */
static void test_shares(struct kb_test *t)
{
	static const int64_t took_s[3] = { 30, 10, 1 };
	int64_t accounts[3], settle_id = 0, settle_us = 0;
	struct kb_agent agents[4];
	struct fixture f;
	char order[16] = "";

	fixture_init(&f, t);
	for (int i = 0; i < 3; i++) {
		struct kb_account account;
		char name[8] = { (char)('a' + i) };

		NEED(&f, kb_store_account_ensure(f.store, &f.arena, kb_sv_str(name), KB_SV(""),
		                                 &account, &f.err));
		accounts[i] = account.id;
		agents[i] = fixture_agent_of(&f, account.id, name);
	}
	/* Of the account that uses most there are two agents: that does not double its share. */
	agents[3] = fixture_agent_of(&f, accounts[0], "a2");
	fixture_pages(&f, agents[0].id, 20);
	fixture_pages(&f, agents[3].id, 20);
	fixture_pages(&f, agents[1].id, 40);
	for (int i = 0; i < 12; i++) {
		struct kb_lease *leases;
		size_t count;

		if (i == 4 || i == 8)
			fixture_pages(&f, agents[2].id, 2);
		order[i] = turn(&f, accounts, false, settle_id, settle_us, &leases, &count);
		settle_id = accounts[order[i] - 'A'];
		settle_us = (took_s[order[i] - 'A'] - 2) * KB_SECOND_US;
		if (order[i] == 'C') {
			struct kb_page_result results[2] = { fixture_result(&leases[0]),
				                             fixture_result(&leases[1]) };

			NEED(&f, kb_store_pages_finish(f.store, agents[2].id, results, 2,
			                               &fixture_segment, &f.err));
		}
	}
	/* A begins at 0, 30 and 60, B at 0, 10, 20, … 60; C is first whenever it comes. */
	CHECK_SV(t, kb_sv_str(order), "ABBBCABBCBAB");
	fixture_fini(&f);
}

/* Whether a row names the blob, so that the sweep leaves it. */
static bool is_named(struct fixture *f, const char *blob)
{
	struct kb_sv *names;
	bool found = false;
	size_t count;

	NEED(f, kb_store_blob_names(f->store, &f->arena, &names, &count, NULL, &f->err));
	for (size_t i = 0; i < count; i++)
		found = found || kb_sv_eq_str(names[i], blob);
	return found;
}

static void test_slow(struct kb_test *t)
{
	struct kb_leases quick;
	struct kb_page_result result;
	struct kb_lease *leases;
	struct kb_agent agent;
	struct fixture f;
	int64_t id, due;
	size_t count;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	id = fixture_pages(&f, agent.id, 3);
	leases = lease(&f, 2, &count, &due);
	CHECK_INT(t, count, 2);
	/* One is given back as slow; that was no attempt. The other takes another try later. */
	for (size_t i = 0; i < 2; i++) {
		CHECK(t, !leases[i].is_slow);
		result = fixture_result(&leases[i]);
		result.crawl = result.index = KB_STATUS_QUEUED;
		result.passages = 0;
		result.is_slow = result.untried = i == 0;
		result.parsed_blob = i == 0 ? KB_SV("parsed") : KB_SV("");
		result.next_try_at = kb_clock_now_us(&f.clock);
		CHECK(t, finish(&f, agent.id, &result, false));
	}
	CHECK_INT(t, page_of(&f, agent.id, id).attempts, 0);
	CHECK_INT(t, page_of(&f, agent.id, id + 1).attempts, 1);
	/* Slow ones come last, alone, and not to a thread that cannot wait for them. */
	leases = lease(&f, 9, &count, &due);
	CHECK_INT(t, count, 2);
	CHECK_INT(t, leases[0].page.id, id + 1);
	NEED(&f, kb_store_pages_lease(
	                 f.store, &f.arena,
	                 &(struct kb_lease_want){ .max = 9, .lease_us = 1, .not_slow = true },
	                 &quick, &f.err));
	CHECK_INT(t, quick.count, 0);
	CHECK(t, quick.next_due_at
	                 > kb_clock_now_us(&f.clock)); /* not to be asked for again at once */
	leases = lease(&f, 9, &count, &due);
	CHECK_INT(t, count, 1);
	CHECK(t, leases[0].is_slow);
	CHECK_INT(t, leases[0].page.id, id);
	CHECK_SV(t, leases[0].page.parsed_blob, "parsed");
	CHECK(t, is_named(&f, "parsed"));
	/* When it is done, nothing is known of its next version. */
	result = fixture_result(&leases[0]);
	result.is_slow = true;
	result.parsed_blob = KB_SV("parsed");
	CHECK(t, finish(&f, agent.id, &result, true));
	CHECK_SV(t, page_of(&f, agent.id, id).parsed_blob, "");
	CHECK(t, !is_named(&f, "parsed"));
	CHECK(t, kb_store_page_requeue(f.store, agent.id, id, &f.err));
	leases = lease(&f, 9, &count, &due);
	CHECK_INT(t, count, 1);
	CHECK(t, !leases[0].is_slow);
	fixture_fini(&f);
}

static void test_leases(struct kb_test *t)
{
	struct kb_lease *one, *two;
	struct kb_page_result result;
	struct kb_agent agent;
	struct fixture f;
	int64_t id, due;
	size_t count;
	bool held;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	lease(&f, 5, &count, &due);
	CHECK_INT(t, count, 0);
	CHECK_INT(t, due, 0);
	id = fixture_pages(&f, agent.id, 1);
	one = lease(&f, 5, &count, &due);
	CHECK_INT(t, count, 1);
	CHECK_INT(t, one[0].page.attempts, 1);
	/* In hand: nobody else gets it before its end. */
	lease(&f, 5, &count, &due);
	CHECK_INT(t, count, 0);
	CHECK(t, due > kb_clock_now_us(&f.clock) + 50 * KB_SECOND_US);
	kb_clock_advance(&f.clock, 50 * KB_SECOND_US);
	lease(&f, 5, &count, &due);
	CHECK_INT(t, count, 0);
	/* Run out, and leased anew: the first holder is too late for everything. */
	kb_clock_advance(&f.clock, 50 * KB_SECOND_US);
	two = lease(&f, 5, &count, &due);
	CHECK_INT(t, count, 1);
	CHECK_INT(t, two[0].page.attempts, 2);
	CHECK(t, two[0].epoch > one[0].epoch);
	CHECK(t, kb_store_pages_held(f.store, one, 1, &held, &f.err));
	CHECK(t, !held);
	CHECK(t, kb_store_pages_held(f.store, two, 1, &held, &f.err));
	CHECK(t, held);
	result = fixture_result(&one[0]);
	result.title = KB_SV("too late");
	CHECK(t, finish(&f, agent.id, &result, true));
	CHECK_INT(t, page_of(&f, agent.id, id).index, KB_STATUS_QUEUED);
	CHECK_INT(t, state_of(&f, agent.id).segment_count, 0);
	result = fixture_result(&two[0]);
	CHECK(t, finish(&f, agent.id, &result, true));
	CHECK_SV(t, page_of(&f, agent.id, id).title, "A title");
	/* Now there is a copy to be found: a late segment would hide or double it. */
	result = fixture_result(&one[0]);
	CHECK(t, !finish(&f, agent.id, &result, true));
	CHECK_INT(t, f.err.code, KB_E_CONFLICT);
	CHECK_INT(t, state_of(&f, agent.id).segment_count, 1);
	CHECK_INT(t, state_of(&f, agent.id).dead_count, 0);
	fixture_fini(&f);
}

static void test_restart(struct kb_test *t)
{
	struct kb_lease *before, *after;
	struct kb_page_result result;
	struct kb_agent agent;
	struct kb_store *tool;
	struct fixture f;
	int64_t due;
	size_t count;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	fixture_pages(&f, agent.id, 2);
	before = lease(&f, 2, &count, &due);
	CHECK_INT(t, count, 2);
	/* A tool beside the server frees nothing. */
	tool = kb_store_open(f.at, false, NULL, NULL, &f.err);
	NEED(&f, tool);
	kb_store_close(tool);
	lease(&f, 2, &count, &due);
	CHECK_INT(t, count, 0);
	fixture_reopen(&f);
	result = fixture_result(&before[0]);
	CHECK(t, finish(&f, agent.id, &result, true));
	CHECK_INT(t, page_of(&f, agent.id, before[0].page.id).index, KB_STATUS_QUEUED);
	after = lease(&f, 2, &count, &due);
	CHECK_INT(t, count, 2);
	CHECK(t, count && after[0].epoch > before[0].epoch);
	fixture_fini(&f);
}

static void test_results(struct kb_test *t)
{
	static const struct {
		const char *name;
		enum kb_status crawl, index;
		int64_t passages;
		bool segment;
		bool waits, active; /* afterwards */
	} rows[] = {
		{ "ok", KB_STATUS_OK, KB_STATUS_OK, 2, true, false, true },
		{ "ok without text", KB_STATUS_OK, KB_STATUS_OK, 0, false, false, true },
		{ "cannot be read", KB_STATUS_OK, KB_STATUS_FAILED, 0, false, false, false },
		{ "cannot be fetched", KB_STATUS_FAILED, KB_STATUS_NA, 0, false, false, false },
		{ "over the plan", KB_STATUS_LIMITED, KB_STATUS_LIMITED, 0, false, false, false },
		{ "again later", KB_STATUS_QUEUED, KB_STATUS_QUEUED, 0, false, true, false },
		{ "fetched, index later", KB_STATUS_OK, KB_STATUS_QUEUED, 0, false, true, false },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_page_result result;
		struct kb_lease *leases;
		struct kb_agent agent;
		struct kb_page page;
		struct fixture f;
		int64_t due;
		size_t count;

		t->row = rows[i].name;
		fixture_init(&f, t);
		agent = (struct kb_agent){ .account_id = f.account.id, .name = KB_SV("a") };
		CHECK(t,
		      kb_store_agent_create_with_pages(
		              f.store, &agent,
		              &(struct kb_agent_start){ .pages = &(struct kb_page_new){ .size = 1 },
		                                        .page_count = 1 },
		              &due, &f.err));
		leases = lease(&f, 1, &count, &due);
		result = fixture_result(&leases[0]);
		result.crawl = rows[i].crawl;
		result.index = rows[i].index;
		result.passages = rows[i].passages;
		result.reason = KB_SV("because");
		result.next_try_at = kb_clock_now_us(&f.clock) + 10 * KB_SECOND_US;
		CHECK(t, finish(&f, agent.id, &result, rows[i].segment));
		page = page_of(&f, agent.id, leases[0].page.id);
		CHECK_INT(t, page.crawl, rows[i].crawl);
		CHECK_INT(t, page.index, rows[i].index);
		CHECK_SV(t, page.reason, "because");
		CHECK_INT(t, page.next_try_at, rows[i].waits ? result.next_try_at : 0);
		NEED(&f, kb_store_agent_find(f.store, &f.arena, agent.id, &agent, &f.err));
		CHECK_INT(t, agent.is_active, rows[i].active);
		lease(&f, 1, &count, &due);
		CHECK_INT(t, count, 0);
		CHECK_INT(t, due, rows[i].waits ? result.next_try_at : 0);
		kb_clock_advance(&f.clock, 11 * KB_SECOND_US);
		lease(&f, 1, &count, &due);
		CHECK_INT(t, count, rows[i].waits);
		fixture_fini(&f);
	}
	t->row = NULL;
}

static void test_revisit(struct kb_test *t)
{
	struct kb_page_result result;
	struct kb_lease *leases;
	struct kb_agent agent;
	struct kb_page page;
	struct fixture f;
	int64_t id, due;
	size_t count;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	id = fixture_pages(&f, agent.id, 1);
	fixture_index(&f, 1);

	/* A failed visit keeps what is found, and its words. */
	CHECK(t, kb_store_page_requeue(f.store, agent.id, id, &f.err));
	leases = lease(&f, 1, &count, &due);
	result = (struct kb_page_result){ .page_id = id,
		                          .epoch = leases[0].epoch,
		                          .crawl = KB_STATUS_FAILED,
		                          .index = KB_STATUS_NA };
	CHECK(t, finish(&f, agent.id, &result, false));
	page = page_of(&f, agent.id, id);
	CHECK_INT(t, page.crawl, KB_STATUS_FAILED);
	CHECK_SV(t, page.text_blob, "bb");
	CHECK_INT(t, page.words, 10);
	CHECK_INT(t, state_of(&f, agent.id).version, 1);
	CHECK_INT(t, state_of(&f, agent.id).dead_count, 0);

	/* A good one replaces it. */
	CHECK(t, kb_store_page_requeue(f.store, agent.id, id, &f.err));
	fixture_index(&f, 1);
	CHECK_INT(t, state_of(&f, agent.id).version, 2);
	CHECK_INT(t, state_of(&f, agent.id).segment_count, 2);
	CHECK_INT(t, state_of(&f, agent.id).dead_count, 1);
	CHECK_INT(t, state_of(&f, agent.id).dead[0].version, 2);

	/* One without text leaves nothing to be found; the original goes when it is not kept. */
	CHECK(t, kb_store_page_requeue(f.store, agent.id, id, &f.err));
	leases = lease(&f, 1, &count, &due);
	result = fixture_result(&leases[0]);
	result.passages = 0;
	result.drop_original = true;
	CHECK(t, finish(&f, agent.id, &result, false));
	page = page_of(&f, agent.id, id);
	CHECK(t, !page.is_file_kept);
	CHECK_SV(t, page.blob, "");
	CHECK_INT(t, state_of(&f, agent.id).version, 3);
	CHECK_INT(t, state_of(&f, agent.id).dead[0].version, 3);

	/* Passages need a segment. */
	CHECK(t, kb_store_page_requeue(f.store, agent.id, id, &f.err));
	leases = lease(&f, 1, &count, &due);
	result = fixture_result(&leases[0]);
	CHECK(t, !finish(&f, agent.id, &result, false));
	CHECK_INT(t, f.err.code, KB_E_INVALID);
	fixture_fini(&f);
}

static void test_meanwhile(struct kb_test *t)
{
	struct kb_page_result results[3];
	struct kb_index_state state;
	struct kb_lease *leases;
	struct kb_agent agent;
	struct fixture f;
	int64_t id, due;
	size_t count;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	id = fixture_pages(&f, agent.id, 3);
	leases = lease(&f, 3, &count, &due);
	CHECK_INT(t, count, 3);
	for (size_t i = 0; i < 3; i++)
		results[i] = fixture_result(&leases[i]);
	CHECK(t, kb_store_page_delete(f.store, agent.id, id, &f.err)); /* version 1 */
	CHECK(t, kb_store_page_requeue(f.store, agent.id, id + 1, &f.err));
	CHECK(t, kb_store_pages_finish(f.store, agent.id, results, 3, &fixture_segment, &f.err));
	state = state_of(&f, agent.id);
	/* The segment is version 2; two of its pages are dead in it, so below 3. */
	CHECK_INT(t, state.version, 3);
	CHECK_INT(t, state.segments[0].version, 2);
	CHECK_INT(t, state.dead_count, 2);
	CHECK_INT(t, state.dead[0].page_id, id);
	CHECK_INT(t, state.dead[0].version, 3);
	CHECK_INT(t, state.dead[1].page_id, id + 1);
	CHECK_INT(t, page_of(&f, agent.id, id + 1).index, KB_STATUS_QUEUED);
	CHECK_INT(t, page_of(&f, agent.id, id + 2).index, KB_STATUS_OK);
	CHECK_INT(t, fixture_index(&f, 3), 1);
	state = state_of(&f, agent.id);
	CHECK_INT(t, state.segments[1].version, 4);
	CHECK_INT(t, state.dead[1].version, 3);
	fixture_fini(&f);
}

/* Two workers read at once what a plan has one place for. */
static void test_last_place(struct kb_test *t)
{
	struct kb_page_result results[3];
	struct kb_index_state state;
	struct kb_lease *leases;
	struct kb_agent agent;
	struct kb_page page;
	struct fixture f;
	int64_t id, due;
	size_t count;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	id = fixture_pages(&f, agent.id, 3);
	leases = lease(&f, 3, &count, &due);
	CHECK_INT(t, count, 3);
	for (size_t i = 0; i < 3; i++) {
		results[i] = fixture_result(&leases[i]);
		results[i].pages_most = 2;
	}
	CHECK(t, finish(&f, agent.id, &results[0], true)); /* version 1 */
	CHECK(t, kb_store_pages_finish(f.store, agent.id, results + 1, 2, &fixture_segment,
	                               &f.err)); /* version 2 */
	CHECK_INT(t, page_of(&f, agent.id, id + 1).index, KB_STATUS_OK);
	page = page_of(&f, agent.id, id + 2);
	CHECK_INT(t, page.index, KB_STATUS_LIMITED);
	CHECK_INT(t, page.passages, 0);
	CHECK_SV(t, page.reason, "the plan allows 2 documents an agent");
	state = state_of(&f, agent.id);
	CHECK_INT(t, state.version, 3);
	CHECK_INT(t, state.dead_count, 1);
	CHECK_INT(t, state.dead[0].page_id, id + 2);
	/* What is there may be read again. */
	CHECK(t, kb_store_page_requeue(f.store, agent.id, id, &f.err));
	leases = lease(&f, 1, &count, &due);
	CHECK_INT(t, count, 1);
	results[0] = fixture_result(&leases[0]);
	results[0].pages_most = 2;
	CHECK(t, finish(&f, agent.id, &results[0], true));
	CHECK_INT(t, page_of(&f, agent.id, id).index, KB_STATUS_OK);
	fixture_fini(&f);
}

static void test_merge(struct kb_test *t)
{
	struct kb_index_state state;
	struct kb_agent agent;
	struct fixture f;
	int64_t id, ids[8], candidate;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	id = fixture_pages(&f, agent.id, 4);
	for (int i = 0; i < 4; i++)
		fixture_index(&f, 1);
	CHECK(t, kb_store_merge_candidate(f.store, 5, &candidate, &f.err));
	CHECK_INT(t, candidate, 0);
	CHECK(t, kb_store_merge_candidate(f.store, 4, &candidate, &f.err));
	CHECK_INT(t, candidate, agent.id);
	CHECK(t, kb_store_page_delete(f.store, agent.id, id, &f.err));
	state = state_of(&f, agent.id);
	CHECK_INT(t, state.version, 5);
	for (size_t i = 0; i < 4; i++)
		ids[i] = state.segments[i].id;
	/* Deleted while the merge runs: dead in the merged segment. */
	CHECK(t, kb_store_page_delete(f.store, agent.id, id + 1, &f.err));
	CHECK(t, !kb_store_segments_merge(f.store, agent.id,
	                                  &(struct kb_merged){ .version = 99,
	                                                       .old_ids = ids,
	                                                       .old_count = 2,
	                                                       .segment = fixture_segment },
	                                  &f.err));
	CHECK_INT(t, f.err.code, KB_E_INVALID);
	CHECK(t, !kb_store_segments_merge(f.store, agent.id,
	                                  &(struct kb_merged){ .version = 1,
	                                                       .old_ids = ids,
	                                                       .old_count = 4,
	                                                       .segment = fixture_segment },
	                                  &f.err));
	CHECK_INT(t, f.err.code, KB_E_INVALID);
	CHECK(t, kb_store_segments_merge(f.store, agent.id,
	                                 &(struct kb_merged){ .version = 5,
	                                                      .old_ids = ids,
	                                                      .old_count = 4,
	                                                      .segment = fixture_segment },
	                                 &f.err));
	CHECK(t, !kb_store_segments_merge(f.store, agent.id,
	                                  &(struct kb_merged){ .version = 5,
	                                                       .old_ids = ids,
	                                                       .old_count = 4,
	                                                       .segment = fixture_segment },
	                                  &f.err));
	CHECK_INT(t, f.err.code, KB_E_CONFLICT);
	state = state_of(&f, agent.id);
	CHECK_INT(t, state.segment_count, 1);
	CHECK_INT(t, state.segments[0].version, 5);
	CHECK_INT(t, state.dead_count, 1);
	CHECK_INT(t, state.dead[0].page_id, id + 1);
	CHECK_INT(t, state.dead[0].version, 6);
	CHECK_INT(t, state.version, 7);
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a page goes from the queue into the index and out of it", test_indexing },
		{ "agents take turns", test_turns },
		{ "accounts share the time, not the documents", test_shares },
		{ "slow pages wait for a thread that has the time", test_slow },
		{ "a lease ends, and has one holder", test_leases },
		{ "a restart frees the leases, a tool does not", test_restart },
		{ "every kind of result has its place", test_results },
		{ "a second visit replaces or keeps", test_revisit },
		{ "deleted and requeued meanwhile: dead in the new segment", test_meanwhile },
		{ "the last place of a plan is taken once", test_last_place },
		{ "a merge replaces segments and frees dead rows", test_merge },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
