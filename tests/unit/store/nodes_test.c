/*
 * Two nodes on one database: work is leased to one of them at a time, and what both do at once is
 * done once. On SQLite the second node is a second connection to the file; on PostgreSQL (see
 * fixture.h) the two get in between each other's statements.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "base/fault.h"
#include "raw.h"
#include "store/answers_own.h"
#include "store/chores_own.h"
#include "store/hosts.h"
#include "store/leases.h"
#include "store/nodes_own.h"
#include "store/queue.h"
#include "store/repairs_own.h"
#include "store/store_own.h"
#include "store/upkeep.h"
#include "store/work.h"

enum { EACH = 3, HANDS = 2 * EACH, ITEMS = 60 };

struct world {
	struct fixture f;
	struct kb_store *nodes[2];
	struct kb_agent agent;
};

static struct kb_store *second_node(struct fixture *f)
{
	struct kb_store *store = kb_store_open_as(
	        &(struct kb_store_config){ .at = f->at,
	                                   .use = fixture_postgres() ? KB_STORE_NODE
	                                                             : KB_STORE_TOOL,
	                                   .node = "two",
	                                   .clock = &f->clock },
	        &f->err);
	char text[200];
	int64_t now;

	NEED(f, store);
	if (fixture_postgres())
		return store;
	now = kb_clock_now_us(&f->clock);
	snprintf(text, sizeof(text),
	         "INSERT INTO nodes (id, name, life, started_at, beat_at) VALUES (1, 'one', 1, 0, "
	         "%" PRId64 "), (2, 'two', 1, 0, %" PRId64 ")",
	         now, now);
	raw_run(f, text);
	store->node = 2;
	return store;
}

static void open_world(struct world *w, struct kb_test *t)
{
	struct kb_source added = { .url = KB_SV("http://h/sitemap.xml"), .settings = KB_SV("{}") };

	*w = (struct world){ 0 };
	fixture_init(&w->f, t);
	w->nodes[0] = w->f.store;
	w->nodes[1] = second_node(&w->f);
	w->agent = fixture_agent(&w->f, "a");
	added.agent_id = w->agent.id;
	NEED(&w->f, kb_store_source_add(w->f.store, &added, NULL, &w->f.err));
}

static void close_world(struct world *w)
{
	kb_store_close(w->nodes[1]);
	fixture_fini(&w->f);
}

/* ---- many hands ---- */

struct hand {
	struct world *w;
	struct kb_store *store;
	pthread_t thread;
	int number;
	void (*work)(struct hand *hand);
	int64_t got[ITEMS * 2];
	size_t count;
};

static void *run(void *arg)
{
	struct hand *hand = arg;

	hand->work(hand);
	return NULL;
}

/* All at once, half of them on each node. What they got is in `hands`. */
static void all_hands(struct world *w, struct hand *hands, void (*work)(struct hand *hand))
{
	for (int i = 0; i < HANDS; i++) {
		hands[i] = (struct hand){
			.w = w, .store = w->nodes[i % 2], .number = i, .work = work
		};
		pthread_create(&hands[i].thread, NULL, run, &hands[i]);
	}
	for (int i = 0; i < HANDS; i++)
		pthread_join(hands[i].thread, NULL);
}

static void got(struct hand *hand, int64_t id)
{
	if (hand->count < KB_COUNTOF(hand->got))
		hand->got[hand->count++] = id;
}

/* Everything once. */
static void check_once(struct kb_test *t, const struct hand *hands, size_t want)
{
	size_t sum = 0, twice = 0;

	for (int i = 0; i < HANDS; i++) {
		sum += hands[i].count;
		for (size_t j = 0; j < hands[i].count; j++)
			for (int k = 0; k <= i; k++)
				for (size_t l = 0; l < (k == i ? j : hands[k].count); l++)
					twice += hands[i].got[j] == hands[k].got[l];
	}
	CHECK_INT(t, sum, want);
	CHECK_INT(t, twice, 0);
}

/* ---- leases ---- */

/* Goes on until nothing has come for some rounds: another hand may have been faster. */
#define ROUNDS_WITHOUT 20

static void lease_pages(struct hand *hand)
{
	struct kb_arena arena = { 0 };
	struct kb_leases leases;
	struct kb_err err;

	for (int without = 0; without < ROUNDS_WITHOUT; without++) {
		if (!kb_store_pages_lease(
		            hand->store, &arena,
		            &(struct kb_lease_want){ .max = 3, .lease_us = 60 * KB_SECOND_US },
		            &leases, &err))
			abort();
		for (size_t i = 0; i < leases.count; i++, without = 0)
			got(hand, leases.v[i].page.id);
	}
	kb_arena_fini(&arena);
}

static void lease_visits(struct hand *hand)
{
	struct kb_arena arena = { 0 };
	struct kb_errand_lease lease;
	struct kb_err err;

	for (int without = 0; without < ROUNDS_WITHOUT; without++) {
		if (!kb_store_errand_lease(hand->store, &arena, KB_SV("h"), 60 * KB_SECOND_US,
		                           &lease, &err))
			abort();
		if (!lease.page.page.id)
			continue;
		without = 0;
		got(hand, lease.page.page.id);
		if (!kb_store_host_leave(hand->store, &lease.hold, 0, KB_HOST_ANSWERED, &err))
			abort();
	}
	kb_arena_fini(&arena);
}

static void lease_sources(struct hand *hand)
{
	struct kb_arena arena = { 0 };
	struct kb_source_lease lease;
	int64_t next_due_at;
	struct kb_err err;

	for (int without = 0; without < ROUNDS_WITHOUT; without++) {
		if (!kb_store_source_lease(hand->store, &arena, 60 * KB_SECOND_US, &lease,
		                           &next_due_at, &err))
			abort();
		if (lease.source.id) {
			without = 0;
			got(hand, lease.source.id);
		}
	}
	kb_arena_fini(&arena);
}

static void test_leases(struct kb_test *t)
{
	struct hand hands[HANDS];
	struct world w;

	open_world(&w, t);
	fixture_pages(&w.f, w.agent.id, ITEMS);
	t->row = "pages";
	all_hands(&w, hands, lease_pages);
	check_once(t, hands, ITEMS);
	t->row = "errands";
	for (int i = 0; i < ITEMS; i++) {
		struct kb_page_new page = { .url = kb_arena_printf(&w.f.arena, "http://h/%d", i) };
		int64_t first;

		NEED(&w.f, kb_store_pages_add(w.f.store, w.agent.id, &page, 1, &first, &w.f.err));
	}
	all_hands(&w, hands, lease_visits);
	check_once(t, hands, ITEMS);
	t->row = "sources";
	for (int i = 1; i < ITEMS; i++) {
		struct kb_source source = {
			.url = kb_arena_printf(&w.f.arena, "http://h/%d.xml", i),
			.settings = KB_SV("{}"),
			.agent_id = w.agent.id,
			.due_at = 1,
		};

		NEED(&w.f, kb_store_source_add(w.f.store, &source, NULL, &w.f.err));
	}
	all_hands(&w, hands, lease_sources);
	check_once(t, hands, ITEMS - 1);
	t->row = NULL;
	close_world(&w);
}

static _Atomic int in_host, worst_in_host;

static void enter_host(struct hand *hand)
{
	struct kb_host_turn turn;
	struct kb_err err;

	for (int i = 0; i < ITEMS / 2; i++) {
		if (!kb_store_host_enter(hand->store, KB_SV("h"), hand->number + 1, &turn, &err))
			abort();
		if (!turn.hold.since)
			continue;
		if (atomic_fetch_add(&in_host, 1) > 0)
			atomic_fetch_add(&worst_in_host, 1);
		atomic_fetch_sub(&in_host, 1);
		got(hand, i);
		if (!kb_store_host_leave(hand->store, &turn.hold, 0, KB_HOST_ANSWERED, &err))
			abort();
	}
}

static void test_hosts(struct kb_test *t)
{
	struct hand hands[HANDS];
	size_t entered = 0;
	struct world w;

	open_world(&w, t);
	all_hands(&w, hands, enter_host);
	for (int i = 0; i < HANDS; i++)
		entered += hands[i].count;
	CHECK(t, entered > 0);
	CHECK_INT(t, worst_in_host, 0);
	close_world(&w);
}

/* ---- work without a row of its own ---- */

static bool take(struct world *w, int node, struct kb_work *work)
{
	bool taken;

	NEED(&w->f, kb_store_work_take(w->nodes[node], work, 60 * KB_SECOND_US, &taken, &w->f.err));
	return taken;
}

static void silence(struct world *w, const char *node)
{
	char text[100];

	snprintf(text, sizeof(text), "UPDATE nodes SET beat_at = 1 WHERE name = '%s'", node);
	raw_run(&w->f, text);
}

static void test_work(struct kb_test *t)
{
	struct kb_work mine = { .kind = KB_WORK_MERGE }, other = mine;
	struct world w;

	open_world(&w, t);
	mine.agent_id = other.agent_id = w.agent.id;
	CHECK(t, take(&w, 0, &mine));
	CHECK(t, !take(&w, 1, &other));
	kb_store_work_done(w.nodes[0], &mine);
	CHECK(t, take(&w, 1, &other));
	CHECK(t, other.epoch > mine.epoch);
	/* Too late: it is the other's. */
	kb_store_work_done(w.nodes[0], &mine);
	CHECK(t, !take(&w, 0, &mine));
	/* It ends. */
	kb_clock_advance(&w.f.clock, 61 * KB_SECOND_US);
	CHECK(t, take(&w, 0, &mine));
	kb_store_work_done(w.nodes[0], &mine);
	/* A node that is silent has nothing. Both are here, as the clock jumped. */
	CHECK(t, take(&w, 1, &other));
	silence(&w, "two");
	CHECK(t, take(&w, 0, &mine));
	close_world(&w);
}

/* ---- starting ---- */

/* Two of the agent's pages, for a day. */
static void lease_two(struct world *w, int node)
{
	const struct kb_lease_want want = { .max = 2, .lease_us = KB_DAY_US };
	struct kb_leases leases;

	NEED(&w->f, kb_store_pages_lease(w->nodes[node], &w->f.arena, &want, &leases, &w->f.err));
	CHECK_INT(w->f.t, leases.count, 2);
}

static int64_t leased_by(struct world *w, int node)
{
	char query[100];

	snprintf(query, sizeof(query),
	         "SELECT count(*) FROM pages WHERE state = 2 AND lease_node = %" PRId64,
	         w->nodes[node]->node);
	return raw_int(&w->f, query);
}

static void test_void(struct kb_test *t)
{
	struct world w;

	open_world(&w, t);
	fixture_pages(&w.f, w.agent.id, 4);
	for (int node = 0; node < 2; node++)
		lease_two(&w, node);
	CHECK_INT(t, leased_by(&w, 0), 2);
	CHECK_INT(t, leased_by(&w, 1), 2);
	NEED(&w.f, kb_queue_void_leases(w.nodes[0], w.nodes[0]->node, &w.f.err));
	CHECK_INT(t, leased_by(&w, 0), 0);
	CHECK_INT(t, leased_by(&w, 1), 2);
	silence(&w, "two");
	NEED(&w.f, kb_queue_void_leases(w.nodes[0], w.nodes[0]->node, &w.f.err));
	CHECK_INT(t, leased_by(&w, 1), 0);
	close_world(&w);
}

/* Leases that have rows of their own, of both nodes: chores, repairs, answers. */
static void hold(struct world *w, int node)
{
	int64_t id = w->nodes[node]->node, far = INT64_C(1) << 60;
	int64_t agent_id = fixture_agent(&w->f, "of one node").id;
	char text[900];

	snprintf(text, sizeof(text),
	         "INSERT INTO chores (agent_id, kind, subject, within, due_at, lease_epoch, "
	         "attempts, lease_node) VALUES (%" PRId64 ", 0, 1, 0, %" PRId64 ", 1, 1, %" PRId64
	         ");"
	         "INSERT INTO repairs (agent_id, due_at, lease_epoch, attempts, created_at, "
	         "lease_node) VALUES (%" PRId64 ", %" PRId64 ", 1, 1, 0, %" PRId64 ");"
	         "INSERT INTO answers (agent_id, conversation_id, id, session_id, account_id, "
	         "query, text, bytes, ending, user_ip, user_agent, external_id, source, user_id, "
	         "child_id, created_at, owner, node, lease_until) VALUES (%" PRId64 ", 1, %" PRId64
	         ", 's', 1, '', '', 0, '', '', '', '', '', 1, 0, 0, 'o', %" PRId64 ", %" PRId64 ")",
	         agent_id, far, id, agent_id, far, id, agent_id, id, id, far);
	raw_run(&w->f, text);
}

static int64_t held(struct world *w, int node)
{
	int64_t id = w->nodes[node]->node, far = INT64_C(1) << 60;
	char query[400];

	snprintf(query, sizeof(query),
	         "SELECT (SELECT count(*) FROM chores WHERE lease_node = %" PRId64
	         " AND due_at = %" PRId64
	         ") + (SELECT count(*) FROM repairs WHERE lease_node = %" PRId64
	         " AND due_at = %" PRId64 ") + (SELECT count(*) FROM answers WHERE node = %" PRId64
	         " AND lease_until > 0)",
	         id, far, id, far, id);
	return raw_int(&w->f, query);
}

/* While it goes on, as look_for_gone() of nodes.c does. */
static void test_void_gone(struct kb_test *t)
{
	struct world w;

	open_world(&w, t);
	fixture_pages(&w.f, w.agent.id, 4);
	for (int node = 0; node < 2; node++) {
		lease_two(&w, node);
		hold(&w, node);
	}
	for (int silent = 0; silent < 2; silent++) {
		if (silent)
			silence(&w, "two");
		NEED(&w.f, kb_store_void_leases(w.nodes[0], 0, &w.f.err));
		CHECK_INT(t, leased_by(&w, 0), 2);
		CHECK_INT(t, leased_by(&w, 1), silent ? 0 : 2);
		CHECK_INT(t, held(&w, 0), 3);
		CHECK_INT(t, held(&w, 1), silent ? 0 : 3);
	}
	raw_run(&w.f, "DELETE FROM answers; DELETE FROM repairs");
	close_world(&w);
}

static void test_void_others(struct kb_test *t)
{
	struct world w;

	open_world(&w, t);
	for (int node = 0; node < 2; node++)
		hold(&w, node);
	for (int silent = 0; silent < 2; silent++) {
		int64_t me = w.nodes[0]->node;

		if (silent)
			silence(&w, "two");
		NEED(&w.f, kb_chores_void_leases(w.nodes[0], me, &w.f.err)
		                   && kb_repairs_void_leases(w.nodes[0], me, &w.f.err)
		                   && kb_answers_void_leases(w.nodes[0], me, &w.f.err));
		CHECK_INT(t, held(&w, 0), 0);
		CHECK_INT(t, held(&w, 1), silent ? 0 : 3);
	}
	raw_run(&w.f, "DELETE FROM answers; DELETE FROM repairs");
	close_world(&w);
}

static bool hear_nothing(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	(void)conn;
	(void)arg;
	return kb_fail(err, KB_E_UNCERTAIN, "nobody heard");
}

/* Of which lease nothing was heard the node cannot know, so it gives up its own. */
static void test_unheard(struct kb_test *t)
{
	struct kb_err err;
	struct world w;

	open_world(&w, t);
	fixture_pages(&w.f, w.agent.id, 4);
	for (int node = 0; node < 2; node++)
		lease_two(&w, node);
	kb_store_unheard_free(w.nodes[0]);
	CHECK_INT(t, leased_by(&w, 0), 2);
	CHECK(t, !kb_lease_write(w.nodes[0], hear_nothing, NULL, &err));
	kb_store_unheard_free(w.nodes[0]);
	CHECK_INT(t, leased_by(&w, 0), 0);
	CHECK_INT(t, leased_by(&w, 1), 2);
	close_world(&w);
}

/* ---- both at once ---- */

static void remove_all(struct hand *hand)
{
	struct kb_removal removal = { .slice = 2 };
	struct kb_err err;

	for (int without = 0; without < ROUNDS_WITHOUT; without++) {
		if (!kb_store_remove_some(hand->store, &removal, &err)) {
			fprintf(stderr, "%s\n", err.msg);
			abort();
		}
		if (removal.left)
			without = 0;
	}
}

static void add_and_remove(struct hand *hand)
{
	struct world *w = hand->w;
	struct kb_err err;

	if (hand->number >= 2) {
		remove_all(hand);
		return;
	}
	for (int i = 0; i < 10; i++) {
		struct kb_page_new page = {
			.filename = KB_SV("f"), .blob = KB_SV("aa"), .is_ours = true, .size = 7
		};
		int64_t first;

		if (!kb_store_pages_add(hand->store, w->agent.id, &page, 1, &first, &err))
			abort();
	}
}

/* The pages of a deleted source go while others come: the totals are right, every page that waits
 * has its turn (kb_store_verify(), at the end). */
static void test_removal(struct kb_test *t)
{
	struct hand hands[HANDS];
	struct kb_source upload;
	struct world w;

	open_world(&w, t);
	fixture_pages(&w.f, w.agent.id, ITEMS);
	NEED(&w.f, kb_store_source_upload(w.f.store, &w.f.arena, w.agent.id, &upload, &w.f.err));
	NEED(&w.f, kb_store_source_delete(w.f.store, w.agent.id, upload.id, &w.f.err));
	all_hands(&w, hands, add_and_remove);
	CHECK_INT(t, raw_int(&w.f, "SELECT count(*) FROM pages"), 20);
	close_world(&w);
}

static void converse(struct hand *hand)
{
	struct world *w = hand->w;
	struct kb_arena arena = { 0 };
	struct kb_err err;

	for (int i = 0; i < 10; i++) {
		char name[16];
		struct kb_session session = { .agent_id = w->agent.id,
			                      .account_id = w->f.account.id };
		struct kb_message message = { .query = KB_SV("q"), .source = KB_SV("api") };
		struct kb_conversation conversation;

		snprintf(name, sizeof(name), "s%d", i);
		session.id = kb_sv_str(name);
		if (!kb_store_message_add(hand->store, &arena, &session, &message, &conversation,
		                          &err)) {
			fprintf(stderr, "%s\n", err.msg);
			abort();
		}
		got(hand, message.id);
	}
	kb_arena_fini(&arena);
}

static void test_conversations(struct kb_test *t)
{
	struct hand hands[HANDS];
	struct world w;

	open_world(&w, t);
	all_hands(&w, hands, converse);
	check_once(t, hands, HANDS * 10);
	CHECK_INT(t, raw_int(&w.f, "SELECT count(*) FROM conversations"), 10);
	CHECK_INT(t, raw_int(&w.f, "SELECT count(*) FROM messages"), HANDS * 10);
	close_world(&w);
}

enum { NEW = 12 };

/* Each begins in another of the conversations that are new in this round, so that what shares a
 * transaction on one node stands in the way of the other one's again and again. */
static void mingle(struct hand *hand)
{
	struct kb_arena arena = { 0 };

	for (int i = 0; i < ITEMS; i++) {
		int number = i / NEW * NEW + (i + 5 * hand->number) % NEW;
		char name[24];
		struct kb_session session = { .agent_id = hand->w->agent.id,
			                      .account_id = hand->w->f.account.id };
		struct kb_message message = { .query = KB_SV("q"), .source = KB_SV("api") };
		struct kb_conversation conversation;
		struct kb_err err;

		snprintf(name, sizeof(name), "m%d", number);
		session.id = kb_sv_str(name);
		if (!kb_store_message_add(hand->store, &arena, &session, &message, &conversation,
		                          &err)) {
			fprintf(stderr, "%s\n", err.msg);
			abort();
		}
		got(hand, message.id);
	}
	kb_arena_fini(&arena);
}

static void test_mingled(struct kb_test *t)
{
	struct hand hands[HANDS];
	struct world w;

	open_world(&w, t);
	all_hands(&w, hands, mingle);
	check_once(t, hands, HANDS * ITEMS);
	CHECK_INT(t, raw_int(&w.f, "SELECT count(*) FROM conversations"), ITEMS);
	CHECK_INT(t, raw_int(&w.f, "SELECT sum(queries) FROM agent_months"), HANDS * ITEMS);
	close_world(&w);
}

/* What is undone at its end and run again, as after a clash, leaves what one run does. */
static void test_again(struct kb_test *t)
{
	struct kb_listing listing = { .v = (struct kb_listed[]){ { .url = KB_SV("http://h/a") },
		                                                 { .url = KB_SV("http://h/b") } },
		                      .count = 2,
		                      .add_new = true };
	struct kb_source_lease lease;
	int64_t queued, due, id;
	struct world w;

	open_world(&w, t);
	raw_run(&w.f, "UPDATE sources SET due_at = 1 WHERE url <> ''");
	kb_fault_repeat_writes(fixture_postgres() != NULL);
	NEED(&w.f, kb_store_source_lease(w.f.store, &w.f.arena, 60 * KB_SECOND_US, &lease, &due,
	                                 &w.f.err));
	NEED(&w.f, kb_store_source_found(w.f.store, &lease, &listing, &queued, &w.f.err));
	CHECK_INT(t, queued, 2);
	id = fixture_pages(&w.f, w.agent.id, 3);
	CHECK_INT(t, fixture_index(&w.f, 10), 3);
	CHECK(t, kb_store_page_requeue(w.f.store, w.agent.id, id, &w.f.err));
	CHECK(t, kb_store_page_delete(w.f.store, w.agent.id, id + 1, &w.f.err));
	CHECK_INT(t, fixture_index(&w.f, 10), 1);
	fixture_say_to(&w.f, w.agent.id, "s", "q");
	kb_fault_repeat_writes(false);
	CHECK_INT(t, raw_int(&w.f, "SELECT sum(pages_found) FROM agent_totals"), 4);
	CHECK_INT(t, raw_int(&w.f, "SELECT sum(pages_indexed) FROM agent_totals"), 2);
	CHECK_INT(t, raw_int(&w.f, "SELECT count(*) FROM messages"), 1);
	CHECK_INT(t, raw_int(&w.f, "SELECT sum(queries) FROM agent_totals"), 1);
	close_world(&w);
}

enum { AGENTS = 4, ROUNDS = 8 };
static int64_t agents[AGENTS];

/* Each node goes through the agents in another order. */
static void ask_many(struct hand *hand)
{
	struct world *w = hand->w;
	struct kb_arena arena = { 0 };
	struct kb_err err;

	for (int i = 0; i < AGENTS * ROUNDS; i++) {
		int at = hand->number % 2 ? i % AGENTS : AGENTS - 1 - i % AGENTS;
		char name[24];
		struct kb_session session = { .agent_id = agents[at],
			                      .account_id = w->f.account.id };
		struct kb_message message = { .query = KB_SV("q"), .source = KB_SV("api") };
		struct kb_conversation conversation;

		snprintf(name, sizeof(name), "h%d", hand->number);
		session.id = kb_sv_str(name);
		if (!kb_store_message_add(hand->store, &arena, &session, &message, &conversation,
		                          &err)) {
			fprintf(stderr, "%s\n", err.msg);
			abort();
		}
		got(hand, message.id);
	}
	kb_arena_fini(&arena);
}

static void test_counters(struct kb_test *t)
{
	struct hand hands[HANDS];
	struct world w;

	open_world(&w, t);
	for (int i = 0; i < AGENTS; i++)
		agents[i] = fixture_agent(&w.f, "many").id;
	all_hands(&w, hands, ask_many);
	check_once(t, hands, HANDS * AGENTS * ROUNDS);
	CHECK_INT(t, raw_int(&w.f, "SELECT sum(queries) FROM agent_months"),
	          HANDS * AGENTS * ROUNDS);
	for (int i = 0; i < AGENTS; i++) {
		char query[100];

		snprintf(query, sizeof(query),
		         "SELECT queries FROM agent_totals WHERE agent_id = %" PRId64, agents[i]);
		CHECK_INT(t, raw_int(&w.f, query), HANDS * ROUNDS);
	}
	close_world(&w);
}

static void test_counted(struct kb_test *t)
{
	struct world w;

	open_world(&w, t);
	if (fixture_postgres()) {
		CHECK_INT(t, kb_store_nodes(w.nodes[1]), 2);
	} else {
		CHECK_INT(t, kb_store_nodes(w.nodes[0]), 1);
	}
	close_world(&w);
}

/* ---- ids ---- */

enum { SINGLES = 3, LINES = 12, LINE = 50000 };

/* What a thread takes of the sequence of pages until told to stop: one at a time, or in lines. */
struct taker {
	struct world *w;
	int64_t count;
	_Atomic bool *stop;
	int64_t *taken;
	size_t taken_count, room;
};

static bool take_ids(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct taker *taker = arg;

	return kb_db_next_id(conn, "page", taker->count, &taker->taken[taker->taken_count], err);
}

static void *take_many(void *arg)
{
	struct taker *taker = arg;
	struct kb_store *store = taker->w->nodes[taker->count > 1];

	while (taker->taken_count < taker->room && !atomic_load(taker->stop)) {
		struct kb_err err;

		if (kb_db_write(store->db, take_ids, taker, &err))
			taker->taken_count++;
		else
			kb_test_fail(taker->w->f.t, __FILE__, __LINE__, err.msg);
	}
	return NULL;
}

static void test_lines(struct kb_test *t)
{
	enum { ROOM = 100000 };
	struct taker takers[SINGLES + 1];
	pthread_t threads[SINGLES + 1];
	_Atomic bool stop = false;
	struct world w;

	open_world(&w, t);
	for (int i = 0; i <= SINGLES; i++) {
		takers[i] = (struct taker){ .w = &w,
			                    .count = i < SINGLES ? 1 : LINE,
			                    .room = i < SINGLES ? ROOM : LINES,
			                    .stop = &stop };
		takers[i].taken = KB_NEW_ARRAY(&w.f.arena, takers[i].room, int64_t);
		pthread_create(&threads[i], NULL, take_many, &takers[i]);
	}
	pthread_join(threads[SINGLES], NULL);
	atomic_store(&stop, true);
	for (int i = 0; i < SINGLES; i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(t, takers[SINGLES].taken_count, LINES);
	for (int i = 0; i < LINES; i++) {
		int64_t first = takers[SINGLES].taken[i];

		for (int j = 0; j < i; j++)
			CHECK(t, llabs(first - takers[SINGLES].taken[j]) >= LINE);
		for (int j = 0; j < SINGLES; j++)
			for (size_t k = 0; k < takers[j].taken_count; k++)
				CHECK(t, takers[j].taken[k] < first
				                 || takers[j].taken[k] >= first + LINE);
	}
	close_world(&w);
}

/* A node that has begun to lay a line aside stands still before its next statement, while others
 * take many ids. */
static struct {
	struct fixture *f;
	struct kb_driver driver;
	bool has_begun;
	int64_t last; /* that others have got */
} still;

static bool start_late(struct kb_db_conn *conn, const struct kb_sql *what,
                       struct kb_db_values values, void **cursor, struct kb_err *err)
{
	if (still.has_begun)
		still.last = raw_int(still.f, "SELECT max(nextval('ids_page')) FROM "
		                              "generate_series(1, 300000)");
	still.has_begun = still.has_begun || strcmp(what->name, "line_hold") == 0;
	return kb_driver_postgres.start(conn, what, values, cursor, err);
}

static void test_late_line(struct kb_test *t)
{
	struct fixture f;
	struct kb_db_conn *conn;
	int64_t first, next;

	if (!fixture_postgres())
		return; /* SQLite has one writer */
	fixture_init(&f, t);
	raw_run(&f, "ALTER SEQUENCE ids_page INCREMENT BY 2"); /* nothing is in a line by chance */
	still.f = &f;
	still.driver = kb_driver_postgres;
	still.driver.start = start_late;
	conn = raw_open(&f);
	conn->driver = &still.driver;
	NEED(&f, kb_driver_postgres.begin(conn, true, &f.err)
	                 && kb_driver_postgres.next_id(conn, "page", LINE, &first, &f.err)
	                 && kb_driver_postgres.commit(conn, &f.err));
	kb_driver_postgres.close(conn);
	next = raw_int(&f, "SELECT nextval('ids_page')");
	CHECK(t, still.last > 0 && first > still.last);
	CHECK(t, next > still.last && next >= first + LINE);
	fixture_fini(&f);
}

/* ---- the installation ---- */

static void test_installation(struct kb_test *t)
{
	struct kb_installation made[2] = { { .mark = "one" }, { .mark = "two" } }, read;
	struct world w;

	open_world(&w, t);
	for (int i = 0; i < 2; i++) {
		NEED(&w.f, kb_store_installation_begin(w.nodes[i], &made[i], &w.f.err));
		CHECK(t, strcmp(made[i].mark, "one") == 0);
	}
	made[0].bound = true;
	NEED(&w.f, kb_store_installation_set(w.nodes[0], &made[0], &w.f.err));
	read = (struct kb_installation){ .mark = "three" };
	NEED(&w.f, kb_store_installation_begin(w.nodes[1], &read, &w.f.err));
	CHECK(t, strcmp(read.mark, "one") == 0);
	CHECK(t, read.bound);
	close_world(&w);
}

/* Names stand in log lines and figures. */
static void test_names(struct kb_test *t)
{
	static char long_name[102], longest[101];
	static const struct {
		const char *name;
		bool fits;
	} rows[] = {
		{ "n-1_a.example", true },  { longest, true },
		{ long_name, false },       { "", false },
		{ "a b", false },           { "a\nb", false },
		{ "kn\xc3\xb6ten", false }, { "a\"b", false },
	};
	struct fixture f;

	if (!fixture_postgres())
		return; /* of one process's own database there is one node, without a name */
	memset(long_name, 'a', sizeof(long_name) - 1);
	memset(longest, 'a', sizeof(longest) - 1);
	fixture_init(&f, t);
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_store *store = kb_store_open_as(
		        &(struct kb_store_config){
		                .at = f.at, .use = KB_STORE_NODE, .node = rows[i].name },
		        &f.err);

		t->row = rows[i].name;
		CHECK(t, (store != NULL) == rows[i].fits);
		CHECK(t, store || f.err.code == KB_E_INVALID);
		kb_store_close(store);
	}
	t->row = NULL;
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "each page, visit and source is leased once, whoever asks", test_leases },
		{ "a host is asked by one process at a time", test_hosts },
		{ "work is one node's until it gives it back, its time ends or it is silent",
		  test_work },
		{ "a node that starts voids its own leases, and those of nodes that are gone",
		  test_void },
		{ "a node that goes on frees what nodes held that are gone, and keeps its own",
		  test_void_gone },
		{ "and those of chores, repairs and answers", test_void_others },
		{ "a node gives up what it holds when nobody heard whether it took more",
		  test_unheard },
		{ "two nodes remove the same pages once, while others come", test_removal },
		{ "messages of two nodes in one new conversation meet in it", test_conversations },
		{ "messages of two nodes in many new conversations, in any order, are all kept",
		  test_mingled },
		{ "what is run again after a clash leaves what one run does", test_again },
		{ "messages of two nodes to many agents are all counted", test_counters },
		{ "a node knows how many there are", test_counted },
		{ "a node's name has letters, digits and little else", test_names },
		{ "ids in a line are to be had while others take single ones", test_lines },
		{ "a line that is laid aside late takes nobody's ids", test_late_line },
		{ "nodes that make the installation at once agree on its mark", test_installation },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
