/*
 * The rows of one store become those of another, whatever fails on the way. With
 * DOCENT_TEST_POSTGRES (fixture.h) they come from PostgreSQL; they always go to SQLite.
 */
#include "base/fault.h"
#include "raw.h"
#include "store/move.h"

struct world {
	struct fixture f;
	struct kb_agent agent;
	char to[80];
};

static void open_world(struct world *w, struct kb_test *t)
{
	*w = (struct world){ 0 };
	fixture_init(&w->f, t);
	w->agent = fixture_agent(&w->f, "a");
	fixture_pages(&w->f, w->agent.id, 600);
	fixture_index(&w->f, 16);
	for (int i = 0; i < 5; i++)
		fixture_say_to(&w->f, w->agent.id, i % 2 ? "one" : "two", "Ärzte?");
	snprintf(w->to, sizeof(w->to), "%s/to", w->f.dir);
	kb_store_close(w->f.store);
	w->f.store = NULL;
}

static void remove_target(struct world *w)
{
	static const char *const names[] = { "docent.db", "docent.db-wal", "docent.db-shm",
		                             "docent.lock" };

	for (size_t i = 0; i < KB_COUNTOF(names); i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/%s", w->to, names[i]);
		unlink(path);
	}
	rmdir(w->to);
}

static void close_world(struct world *w)
{
	remove_target(w);
	kb_store_close(w->f.store);
	kb_arena_fini(&w->f.arena);
	fixture_remove(&w->f);
}

static struct kb_store *open_for_move(struct world *w, const char *at)
{
	struct kb_store *store = kb_store_open_as(
	        &(struct kb_store_config){ .at = at, .use = KB_STORE_MOVE, .clock = &w->f.clock },
	        &w->f.err);

	NEED(&w->f, store);
	return store;
}

/* One run of docent move; `fault`: the step that fails, 0: none. */
static bool run(struct world *w, int fault, bool *fired, struct kb_err *err)
{
	struct kb_move move = { .from = open_for_move(w, w->f.at),
		                .to = open_for_move(w, w->to),
		                .from_place = "here",
		                .to_place = "there" };
	struct kb_arena arena = { 0 };
	struct kb_move_sum sum;
	bool ok;

	if (fault)
		kb_fault_arm(fault);
	ok = kb_move_begin(&move, &arena, err) && kb_move_rows(&move, err)
	     && kb_move_verify(&move, &sum, err) && kb_move_arrive(&move, err);
	*fired = fault && kb_fault_disarm();
	kb_store_close(move.to);
	kb_store_close(move.from);
	kb_arena_fini(&arena);
	return ok;
}

static bool opens(struct world *w, const char *at, enum kb_store_use use)
{
	struct kb_store *store = kb_store_open_as(
	        &(struct kb_store_config){ .at = at, .use = use, .clock = &w->f.clock }, &w->f.err);

	kb_store_close(store);
	return store != NULL;
}

/* Each run fails some steps later; what it has done stays done. */
static void test_faults(struct kb_test *t)
{
	enum { STEP = 2 * KB_TEST_FAULT_STEP };
	struct world w;
	struct kb_err err = { 0 };
	bool ok = false, fired = true, begun = false;
	int failed = 0;

	open_world(&w, t);
	for (int n = 1; fired && !t->failed; n += STEP) {
		ok = run(&w, n, &fired, &err);
		CHECK(t, ok || fired);
		failed += !ok;
		if (!begun && n > 100 && !ok)
			begun = !opens(&w, w.to, KB_STORE_TOOL);
	}
	CHECK(t, ok);
	CHECK(t, failed > 100 / STEP && begun);
	CHECK(t, opens(&w, w.to, KB_STORE_TOOL));
	CHECK(t, !opens(&w, w.f.at, KB_STORE_TOOL));
	CHECK_INT(t, w.f.err.code, KB_E_CONFLICT);
	CHECK(t, opens(&w, w.f.at, KB_STORE_ALONE));
	close_world(&w);
}

static void test_moved(struct kb_test *t)
{
	struct world w;
	struct fixture to;
	struct kb_err err = { 0 };
	struct kb_agent next;
	int64_t findings = 0;
	bool fired;

	open_world(&w, t);
	CHECK(t, run(&w, 0, &fired, &err));
	CHECK(t, run(&w, 0, &fired, &err)); /* it has been */
	to = w.f;
	to.store = kb_store_open(w.to, true, &w.f.clock, NULL, &w.f.err);
	NEED(&w.f, to.store);
	CHECK(t, kb_store_verify(to.store, fixture_say, t, &findings, &err));
	CHECK_INT(t, findings, 0);
	next = fixture_agent(&to, "b");
	CHECK_INT(t, next.id, w.agent.id + 1);
	CHECK(t, fixture_say_to(&to, w.agent.id, "one", "And?").id > 5);
	kb_store_close(to.store);
	close_world(&w);
}

/* A source that was opened between two runs is read again from its beginning. */
static void test_given_up(struct kb_test *t)
{
	struct world w;
	struct kb_err err = { 0 };
	bool fired = false;
	int64_t findings = 0;
	int n = 140;

	open_world(&w, t);
	CHECK(t, !run(&w, n, &fired, &err));
	CHECK(t, !opens(&w, w.to, KB_STORE_ALONE));
	fixture_open(&w.f);
	w.f.clock = (struct kb_clock){ 0 };
	fixture_say_to(&w.f, w.agent.id, "three", "In between?");
	fixture_pages(&w.f, w.agent.id, 1);
	kb_store_close(w.f.store);
	w.f.store = NULL;
	CHECK(t, run(&w, 0, &fired, &err));
	w.f.store = kb_store_open(w.to, true, NULL, NULL, &w.f.err);
	NEED(&w.f, w.f.store);
	CHECK(t, kb_store_verify(w.f.store, fixture_say, t, &findings, &err));
	CHECK_INT(t, findings, 0);
	close_world(&w);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what fails goes on where it was", test_faults },
		{ "ids, rows and counters are as before", test_moved },
		{ "whoever opens the source gives the move up", test_given_up },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
