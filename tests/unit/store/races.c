#include "races.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

#include "base/fault.h"

enum {
	STEPS_MAX = 400, /* of an order, both calls together */
	CHANGES_MAX = 2,
	ORDERS_MAX = 4096,
	LOOK_US = 300, /* before the database is asked who waits for whom */
	STUCK_MS = 30 * 1000,
};

/* When who goes on: `first`, until the other one takes over before these steps. */
struct order {
	int first, changes, at[CHANGES_MAX];
};

enum where { AT_GATE, GOING, ENDED };

struct side {
	struct race_stage *stage;
	int number;
	pthread_t thread;
	enum where where;
	bool may_go;
};

struct race_stage {
	struct kb_test *t;
	int failed_before; /* checks of other races */
	struct race_world w;
	const struct race *race;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	struct side sides[2];
	bool both[STEPS_MAX]; /* whether either could go on at that step */
	int steps;
	bool circle; /* both waited at once */
};

static void gate(void *arg)
{
	struct side *side = arg;
	struct race_stage *stage = side->stage;

	pthread_mutex_lock(&stage->lock);
	side->where = AT_GATE;
	pthread_cond_broadcast(&stage->moved);
	while (!side->may_go)
		pthread_cond_wait(&stage->moved, &stage->lock);
	side->may_go = false;
	side->where = GOING;
	pthread_mutex_unlock(&stage->lock);
}

static void *call(void *arg)
{
	struct side *side = arg;
	struct race_world *w = &side->stage->w;
	int i = side->number;

	gate(side);
	kb_fault_step(gate, side);
	w->errs[i] = (struct kb_err){ 0 };
	w->ok[i] = side->stage->race->calls[i](w, i, &w->errs[i]);
	kb_fault_step(NULL, NULL);
	pthread_mutex_lock(&side->stage->lock);
	side->where = ENDED;
	pthread_cond_broadcast(&side->stage->moved);
	pthread_mutex_unlock(&side->stage->lock);
	return NULL;
}

/* How many connections of this database wait for a lock. */
static int64_t how_many_wait(struct race_stage *stage)
{
	static const struct kb_sql waits = {
		"waits", "",
		"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
		"AND wait_event_type = 'Lock'"
	};
	struct kb_err err;
	int64_t count = 0;

	if (!kb_db_int(stage->w.raw, &waits, KB_NO_VALUES, 0, &count, &err))
		abort();
	return count;
}

/* Waits until the side stands at its next step or has ended, or waits for the other one. The lock
 * is held, and given back for a while. */
static bool settles(struct race_stage *stage, struct side *side)
{
	struct side *other = &stage->sides[!side->number];
	int64_t until = kb_clock_mono_us() + kb_test_patient(STUCK_MS) * INT64_C(1000);

	while (side->where == GOING) {
		struct timespec at;
		int64_t wait;

		clock_gettime(CLOCK_REALTIME, &at);
		at.tv_nsec += LOOK_US * 1000;
		if (at.tv_nsec >= 1000000000) {
			at.tv_sec++;
			at.tv_nsec -= 1000000000;
		}
		if (pthread_cond_timedwait(&stage->moved, &stage->lock, &at) == 0)
			continue;
		pthread_mutex_unlock(&stage->lock);
		wait = how_many_wait(stage);
		pthread_mutex_lock(&stage->lock);
		/* Where the other one goes too it will be over soon: it is not at a step. */
		if (wait > 0 && other->where == AT_GATE && side->where == GOING)
			return false;
		stage->circle |= wait > 1;
		if (kb_clock_mono_us() > until) {
			fprintf(stderr, "%s: stuck at step %d\n", stage->race->name, stage->steps);
			abort();
		}
	}
	return true;
}

static void go(struct race_stage *stage, struct side *side)
{
	side->may_go = true;
	side->where = GOING;
	pthread_cond_broadcast(&stage->moved);
}

/* Runs both calls in that order; tells in stage->both where it could have been another one. */
static void run(struct race_stage *stage, const struct order *order)
{
	int now = order->first, change = 0;

	stage->steps = 0;
	stage->circle = false;
	for (int i = 0; i < 2; i++) {
		stage->sides[i] = (struct side){ .stage = stage, .number = i, .where = GOING };
		pthread_create(&stage->sides[i].thread, NULL, call, &stage->sides[i]);
	}
	pthread_mutex_lock(&stage->lock);
	while (stage->sides[0].where != AT_GATE || stage->sides[1].where != AT_GATE)
		pthread_cond_wait(&stage->moved, &stage->lock);
	while (stage->sides[0].where != ENDED || stage->sides[1].where != ENDED) {
		struct side *side;

		/* One that waited may be on its way now: nothing is decided before it stands. */
		for (int i = 0; i < 2; i++)
			(void)settles(stage, &stage->sides[i]);
		if (stage->sides[0].where == ENDED && stage->sides[1].where == ENDED)
			break;
		if (stage->steps < STEPS_MAX)
			stage->both[stage->steps] = stage->sides[0].where == AT_GATE
			                            && stage->sides[1].where == AT_GATE;
		if (change < order->changes && order->at[change] == stage->steps) {
			now = !now;
			change++;
		}
		side = &stage->sides[now];
		if (side->where != AT_GATE) { /* it has ended, or waits */
			now = !now;
			side = &stage->sides[now];
		}
		if (side->where != AT_GATE)
			continue; /* both are under way: a deadlock, which the database ends */
		stage->steps++;
		go(stage, side);
		(void)settles(stage, side);
	}
	pthread_mutex_unlock(&stage->lock);
	for (int i = 0; i < 2; i++)
		pthread_join(stage->sides[i].thread, NULL);
}

static void one_order(struct race_stage *stage, const struct order *order)
{
	struct race_world *w = &stage->w;
	struct kb_test *t = stage->t;
	bool failed_before = t->failed;
	char row[100];

	w->order++;
	for (int i = 0; i < 2; i++) {
		kb_arena_reset(&w->arenas[i]);
		w->ok[i] = false;
	}
	memset(w->ids, 0, sizeof(w->ids));
	stage->race->set_up(w);
	run(stage, order);
	snprintf(row, sizeof(row), "%s, first %d, changes at %d %d", stage->race->name,
	         order->first, order->changes > 0 ? order->at[0] : -1,
	         order->changes > 1 ? order->at[1] : -1);
	t->row = row;
	CHECK(t, !stage->circle || !stage->race->no_circle);
	if (stage->race->end)
		stage->race->end(w);
	fixture_sound(&w->f);
	if (t->failed && !failed_before)
		fprintf(stderr, "  the calls said: %s / %s\n", w->ok[0] ? "ok" : w->errs[0].msg,
		        w->ok[1] ? "ok" : w->errs[1].msg);
	t->row = NULL;
}

/* Orders with one change more than this one, behind its last. */
static size_t add_children(const struct race_stage *stage, const struct order *order,
                           struct order *out, size_t count)
{
	int from = order->changes ? order->at[order->changes - 1] + 1 : 1;

	for (int i = from; i < stage->steps && i < STEPS_MAX && count < ORDERS_MAX; i++)
		if (stage->both[i]) {
			out[count] = *order;
			out[count].at[out[count].changes++] = i;
			count++;
		}
	return count;
}

static struct kb_store *open_node(struct race_world *w, const char *name)
{
	struct kb_store *store = kb_store_open_as(
	        &(struct kb_store_config){
	                .at = w->f.at, .use = KB_STORE_NODE, .node = name, .clock = &w->f.clock },
	        &w->f.err);

	NEED(&w->f, store);
	return store;
}

static void open_world(struct race_world *w, struct kb_test *t)
{
	char command[400];

	*w = (struct race_world){ .f = { .t = t } };
	fixture_place(&w->f);
	/* Two that wait for each other are to be found out soon. */
	snprintf(command, sizeof(command),
	         "psql -h '%s' -U docent -d postgres -qc 'ALTER DATABASE \"%s\" SET "
	         "deadlock_timeout = 20' >/dev/null",
	         fixture_postgres(), strrchr(w->f.dir, '/') + 1);
	if (system(command) != 0)
		abort();
	w->nodes[0] = w->f.store = open_node(w, "one");
	w->nodes[1] = open_node(w, "two");
	NEED(&w->f, kb_store_account_ensure(w->f.store, &w->f.arena, KB_SV("one"), KB_SV(""),
	                                    &w->f.account, &w->f.err));
}

/* Of a race that fails one order is told. */
static bool has_failed(const struct race_stage *stage)
{
	return stage->t->failed > stage->failed_before;
}

/* Some of them, evenly. */
static void run_some(struct race_stage *stage, const struct order *orders, size_t count,
                     size_t wanted)
{
	size_t step = wanted ? (count + wanted - 1) / wanted : 0;

	for (size_t i = 0; step && i < count && !has_failed(stage); i += step)
		one_order(stage, &orders[i]);
}

struct race_stage *race_open(struct kb_test *t)
{
	struct race_stage *stage = kb_xcalloc(1, sizeof(*stage));
	char at[300];

	stage->t = t;
	open_world(&stage->w, t);
	snprintf(at, sizeof(at), "%s&statements=unnamed", stage->w.f.at);
	stage->w.raw = kb_driver_postgres.open(at, true, &stage->w.f.err);
	NEED(&stage->w.f, stage->w.raw);
	pthread_mutex_init(&stage->lock, NULL);
	pthread_cond_init(&stage->moved, NULL);
	return stage;
}

void race_run(struct race_stage *stage, const struct race *race, long wanted)
{
	const char *other = getenv("DOCENT_RACES");
	struct order *orders = kb_xcalloc(ORDERS_MAX, sizeof(*orders));
	size_t count = 0, ones, most;

	wanted = other ? strtol(other, NULL, 10) : wanted;
	most = wanted ? (size_t)wanted : ORDERS_MAX;
	stage->race = race;
	stage->failed_before = stage->t->failed;
	for (int first = 0; first < 2 && !has_failed(stage); first++) {
		const struct order whole = { .first = first };

		one_order(stage, &whole);
		count = add_children(stage, &whole, orders, count);
	}
	ones = count;
	if (most <= ones)
		run_some(stage, orders, ones, most);
	/* Those with a second change begin as these; where it may be is known by running them. */
	for (size_t i = 0; most > ones && i < ones && !has_failed(stage); i++) {
		one_order(stage, &orders[i]);
		count = add_children(stage, &orders[i], orders, count);
	}
	run_some(stage, orders + ones, count - ones, most > ones ? most - ones : 0);
	free(orders);
}

void race_close(struct race_stage *stage)
{
	struct race_world *w = &stage->w;

	stage->w.raw->driver->close(stage->w.raw);
	pthread_cond_destroy(&stage->moved);
	pthread_mutex_destroy(&stage->lock);
	for (int i = 0; i < 2; i++)
		kb_arena_fini(&w->arenas[i]);
	kb_store_close(w->nodes[1]);
	fixture_fini(&w->f);
	free(stage);
}
