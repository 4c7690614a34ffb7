/* Tests that are kept are asked once for many changes, by a clock that is moved. */
#include "upkeep/kept.h"

#include "../store/raw.h"
#include "answer/answerer.h"
#include "base/log.h"
#include "store/kept.h"

enum { CHANGES = 4, WAIT_MS = 20000 };

struct world {
	struct fixture f;
	char blob_dir[80];
	struct kb_blobs *blobs;
	struct kb_log log;
	struct kb_upkeep_config config;
	struct kb_round *thread;
	struct kb_agent agent;
	struct kb_kept_put put; /* what was kept first */
	struct kb_kept_test test;
	_Atomic int64_t mark; /* of the node's models */
};

static int64_t mark_of(void *arg)
{
	struct world *w = arg;

	return w->mark;
}

static void world_init(struct world *w, struct kb_test *t)
{
	const struct kb_kept_put put = { .question = KB_SV("When does the pool open?"),
		                         .turns = KB_SV(""),
		                         .phrases = KB_SV(""),
		                         .labels = KB_SV(""),
		                         .refuse = true };
	struct kb_kept_put one = put;

	fixture_init(&w->f, t);
	w->log = (struct kb_log){ 0 };
	snprintf(w->blob_dir, sizeof(w->blob_dir), "%s-blobs", w->f.dir);
	w->blobs = kb_blobs_open(w->blob_dir, &w->f.err);
	NEED(&w->f, w->blobs);
	w->config = (struct kb_upkeep_config){
		.store = w->f.store, .blobs = w->blobs, .log = &w->log, .clock = &w->f.clock
	};
	w->mark = 7;
	w->config.models_mark = mark_of;
	w->config.models_mark_arg = w;
	w->config.catalog = kb_catalog_open(
	        w->f.store, w->blobs,
	        &(struct kb_catalog_limits){ .agents = 8, .heap_bytes = INT64_MAX }, &w->log);
	w->config.answerer = kb_answerer_open(w->f.store, w->config.catalog, &w->log);
	w->agent = fixture_agent(&w->f, "a");
	one.agent_id = w->agent.id;
	w->put = one;
	NEED(&w->f, kb_store_kept_put(w->f.store, &w->f.arena, &one, &w->test, &w->f.err));
	w->thread = kb_kept_start(&w->config);
}

static void world_fini(struct world *w)
{
	char command[128];

	kb_round_stop(w->thread);
	kb_answerer_close(w->config.answerer);
	kb_catalog_close(w->config.catalog);
	kb_blobs_close(w->blobs);
	snprintf(command, sizeof(command), "rm -rf '%s'", w->blob_dir);
	CHECK(w->f.t, system(command) == 0);
	fixture_fini(&w->f);
}

static bool touch(void *arg, struct kb_arena *arena, struct kb_agent *agent, struct kb_err *err)
{
	(void)arg;
	(void)arena;
	(void)agent;
	(void)err;
	return true;
}

/* The agent is another now. */
static void change(struct world *w)
{
	const struct kb_agent_edit edit = { .account_id = w->agent.account_id,
		                            .id = w->agent.id,
		                            .change = touch };

	NEED(&w->f, kb_store_agent_update(w->f.store, &w->f.arena, &edit, &w->agent, &w->f.err));
}

/* Once the query says so, or never. */
static bool comes(struct world *w, const char *query)
{
	for (int ms = 0; ms < kb_test_patient(WAIT_MS); ms += 10) {
		if (raw_int(&w->f, query))
			return true;
		usleep(10000);
	}
	return false;
}

#define SEEN                                                                                       \
	"SELECT seen_change = (SELECT updated_at FROM agents WHERE id = agent_id) FROM kept_turns"

static int64_t asked_at(struct world *w)
{
	return raw_int(&w->f, "SELECT asked_at FROM kept_tests");
}

static void test_quiet(struct kb_test *t)
{
	int64_t first, second;
	struct world w;

	world_init(&w, t);
	for (int i = 0; i < CHANGES; i++) {
		CHECK(t, comes(&w, SEEN));
		CHECK_INT(t, asked_at(&w), 0);
		change(&w);
		kb_clock_advance(&w.f.clock, 2 * KB_SECOND_US);
	}
	CHECK(t, comes(&w, SEEN));
	kb_clock_advance(&w.f.clock, 4 * KB_SECOND_US);
	CHECK(t, comes(&w, "SELECT state = 1 FROM kept_tests"));
	CHECK(t, comes(&w, "SELECT since_at = 0 FROM kept_turns"));
	first = asked_at(&w);

	/* What is never quiet is asked all the same. */
	change(&w);
	CHECK(t, comes(&w, "SELECT since_at > 0 FROM kept_turns"));
	change(&w);
	kb_clock_advance(&w.f.clock, 601 * KB_SECOND_US);
	for (int ms = 0; asked_at(&w) == first && ms < kb_test_patient(WAIT_MS); ms += 10)
		usleep(10000);
	second = asked_at(&w);
	CHECK(t, second > first);

	/* And once a day, though nothing has changed. */
	CHECK(t, comes(&w, "SELECT since_at = 0 FROM kept_turns"));
	kb_clock_advance(&w.f.clock, KB_DAY_US);
	for (int ms = 0; asked_at(&w) == second && ms < kb_test_patient(WAIT_MS); ms += 10)
		usleep(10000);
	CHECK(t, asked_at(&w) > second);
	CHECK_INT(t, raw_int(&w.f, "SELECT count(*) FROM messages"), 0);
	world_fini(&w);
}

/* A result that comes after the test was changed is nobody's. */
static void test_late(struct kb_test *t)
{
	struct kb_kept_put put = {
		.turns = KB_SV(""), .phrases = KB_SV(""), .labels = KB_SV(""), .refuse = true
	};
	struct kb_kept_test before, after;
	struct kb_kept_result late;
	struct world w;

	world_init(&w, t);
	kb_round_stop(w.thread);
	w.thread = NULL;
	before = w.test;
	put.agent_id = w.agent.id;
	put.id = before.id;
	put.question = KB_SV("When does it close?");
	kb_clock_advance(&w.f.clock, KB_SECOND_US);
	NEED(&w.f, kb_store_kept_put(w.f.store, &w.f.arena, &put, &after, &w.f.err));
	late = (struct kb_kept_result){ .test = &before, .answer = KB_SV("old") };
	NEED(&w.f, kb_store_kept_tried(w.f.store, &late, &w.f.err));
	CHECK_INT(t, raw_int(&w.f, "SELECT state FROM kept_tests"), KB_KEPT_WAITING);
	late.test = &after;
	NEED(&w.f, kb_store_kept_tried(w.f.store, &late, &w.f.err));
	CHECK_INT(t, raw_int(&w.f, "SELECT state FROM kept_tests"), KB_KEPT_PASSED);
	world_fini(&w);
}

#define ASKED_AT "SELECT asked_at FROM kept_tests ORDER BY id LIMIT 1"

/* Once the first test was asked after that, or never. */
static bool is_asked_after(struct world *w, int64_t then)
{
	for (int ms = 0; ms < kb_test_patient(WAIT_MS); ms += 10) {
		if (raw_int(&w->f, ASKED_AT) > then)
			return true;
		usleep(10000);
	}
	return false;
}

static void start_again(struct world *w)
{
	kb_round_stop(w->thread);
	kb_clock_advance(&w->f.clock, KB_SECOND_US);
	w->thread = kb_kept_start(&w->config);
}

static void test_models(struct kb_test *t)
{
	struct kb_kept_put second;
	struct kb_kept_test other;
	struct kb_kept_result result;
	struct world w;
	int64_t asked;

	world_init(&w, t);
	CHECK(t, comes(&w, SEEN));
	kb_clock_advance(&w.f.clock, 4 * KB_SECOND_US);
	CHECK(t, comes(&w, "SELECT tried_at > 0 FROM kept_turns"));
	asked = raw_int(&w.f, ASKED_AT);
	CHECK_INT(t, raw_int(&w.f, "SELECT since_at FROM kept_models"), 0);

	/* At a start with the same ones only the new test is asked. */
	start_again(&w);
	second = w.put;
	second.question = KB_SV("When does it close?");
	NEED(&w.f, kb_store_kept_put(w.f.store, &w.f.arena, &second, &other, &w.f.err));
	CHECK(t, comes(&w, "SELECT count(*) = 2 FROM kept_tests WHERE state = 1"));
	CHECK(t, comes(&w, "SELECT tried_version >= 0 FROM kept_turns"));
	CHECK_INT(t, raw_int(&w.f, ASKED_AT), asked);

	/* With others all are. */
	w.mark = 9;
	start_again(&w);
	CHECK(t, is_asked_after(&w, asked));
	CHECK(t, comes(&w, "SELECT count(*) = 0 FROM kept_tests, kept_models WHERE asked_at < "
	                   "kept_models.since_at"));
	CHECK_INT(t, raw_int(&w.f, "SELECT mark FROM kept_models"), 9);
	CHECK(t,
	      comes(&w, "SELECT tried_at >= (SELECT since_at FROM kept_models) FROM kept_turns"));

	/* A node was started with others still: what this one has asked is nobody's now, */
	kb_clock_advance(&w.f.clock, KB_SECOND_US);
	NEED(&w.f, kb_store_kept_models_are(w.f.store, 11, &w.f.err));
	asked = raw_int(&w.f, ASKED_AT);
	NEED(&w.f,
	     kb_store_kept_get(w.f.store, &w.f.arena, w.agent.id, w.test.id, &w.test, &w.f.err));
	result = (struct kb_kept_result){ .test = &w.test, .answer = KB_SV("old"), .models = 9 };
	NEED(&w.f, kb_store_kept_tried(w.f.store, &result, &w.f.err));
	CHECK_INT(t, raw_int(&w.f, ASKED_AT), asked);
	/* until that node is gone. */
	kb_clock_advance(&w.f.clock, 901 * KB_SECOND_US);
	CHECK(t, is_asked_after(&w, asked));
	CHECK_INT(t, raw_int(&w.f, "SELECT mark FROM kept_models"), 9);
	world_fini(&w);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "tests wait until it is quiet, but not for ever", test_quiet },
		{ "a late result is nobody's", test_late },
		{ "other models have all tests asked again, by the nodes that have them",
		  test_models },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
