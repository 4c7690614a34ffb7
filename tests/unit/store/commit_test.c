/*
 * Commits of which nothing is heard: a driver that makes them or not, or makes them late, and then
 * says that the database went away. On SQLite, and with DOCENT_TEST_POSTGRES (fixture.h) there.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "db/db.h"
#include "raw.h"

enum how { HEARD, MADE, LOST, LATE };

/* The driver under the double, and what is to become of the next commit. */
static struct world {
	const struct kb_driver *base;
	_Atomic enum how next;
	_Atomic int unheard;
	struct kb_db_conn *late; /* whose commit is still under way */
	_Atomic bool asked;      /* somebody has begun to ask what became of it */
	_Atomic int broken_count;
	_Atomic(struct kb_db_conn *) broken[64];
	pthread_t thread;
	_Atomic int told; /* notes */
} world;

static struct kb_driver doubled; /* the base, with what follows in its place */

static struct kb_db_conn *d_open(const char *where, bool writes, struct kb_err *err)
{
	struct kb_db_conn *conn = world.base->open(where, writes, err);

	if (conn)
		conn->driver = &doubled;
	return conn;
}

static bool is_broken(const struct kb_db_conn *conn)
{
	for (int i = 0; i < atomic_load(&world.broken_count); i++)
		if (world.broken[i] == conn)
			return true;
	return false;
}

static void d_close(struct kb_db_conn *conn)
{
	for (int i = 0; i < atomic_load(&world.broken_count); i++)
		if (world.broken[i] == conn)
			world.broken[i] = NULL;
	if (conn != world.late)
		world.base->close(conn);
}

static bool d_usable(struct kb_db_conn *conn)
{
	return !is_broken(conn) && (!world.base->usable || world.base->usable(conn));
}

static bool d_begin(struct kb_db_conn *conn, bool writes, struct kb_err *err)
{
	if (writes && world.late)
		atomic_store(&world.asked, true);
	return world.base->begin(conn, writes, err);
}

static void d_rollback(struct kb_db_conn *conn)
{
	if (conn != world.late)
		world.base->rollback(conn);
}

/* The commit reaches the database after somebody has asked for it. */
static void *commit_late(void *arg)
{
	struct kb_db_conn *conn = arg;
	struct kb_err err;

	while (!atomic_load(&world.asked))
		usleep(1000);
	usleep(50000);
	if (!world.base->commit(conn, &err))
		abort();
	world.base->close(conn);
	return NULL;
}

static bool d_commit(struct kb_db_conn *conn, struct kb_err *err)
{
	enum how how = atomic_exchange(&world.next, HEARD);
	bool ok = true;

	if (how == HEARD)
		return world.base->commit(conn, err);
	world.broken[atomic_fetch_add(&world.broken_count, 1)] = conn;
	atomic_fetch_add(&world.unheard, 1);
	if (how == MADE)
		ok = world.base->commit(conn, err);
	else if (how == LOST)
		world.base->rollback(conn);
	else
		world.late = conn;
	if (how == LATE)
		pthread_create(&world.thread, NULL, commit_late, conn);
	return ok && kb_fail(err, KB_E_UNCERTAIN, "the database went away during the commit");
}

/* Before anybody opens it. */
static void make_double(void)
{
	doubled = *world.base;
	doubled.writers = 2;
	doubled.is_shared = true;
	doubled.open = d_open;
	doubled.close = d_close;
	doubled.usable = d_usable;
	doubled.begin = d_begin;
	doubled.rollback = d_rollback;
	doubled.commit = d_commit;
}

static void told(void *arg, const struct kb_db_note *note)
{
	(void)arg;
	(void)note;
	atomic_fetch_add(&world.told, 1);
}

// clang-format off
static const struct kb_sql begin_count = { "begin_count", "",
	"INSERT INTO probes (id, at) VALUES (7, 0) ON CONFLICT (id) DO UPDATE SET at = 0" };
static const struct kb_sql count_on = { "count_on", "", "UPDATE probes SET at = at + 1 WHERE id = 7" };
// clang-format on

static bool run_begin(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	(void)arg;
	return kb_db_run(conn, &begin_count, KB_NO_VALUES, NULL, err);
}

static bool run_count(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	(void)arg;
	return kb_db_run(conn, &count_on, KB_NO_VALUES, NULL, err)
	       && kb_db_notify(conn, KB_TOPIC_AGENT, 1, err);
}

/* Deferred, and the row is there already. */
static bool run_twin(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	static const struct kb_sql twin = { "twin", "i",
		                            "INSERT INTO probes (id, at) VALUES ($1, 0)" };

	return run_count(conn, arg, err) && kb_db_defer(conn, &twin, KB_VALUES(kb_int(7)), err);
}

static bool run_wrong(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	return run_count(conn, arg, err) && kb_fail(err, KB_E_INVALID, "this one is wrong");
}

struct hand {
	struct kb_db *db;
	pthread_t thread;
	int good, wrong, other;
};

static void *work(void *arg)
{
	struct hand *hand = arg;

	for (int i = 0; i < 30; i++) {
		struct kb_err err;
		bool is_wrong = i % 5 == 4;
		kb_write_fn *fn = is_wrong ? run_wrong : run_count;
		bool ok =
		        i % 3 ? kb_db_append(hand->db, &(struct kb_db_append){ 0 }, fn, NULL, &err)
		              : kb_db_write(hand->db, fn, NULL, &err);

		hand->good += ok;
		hand->wrong += !ok && err.code == KB_E_INVALID;
		hand->other += !ok && err.code != KB_E_INVALID;
	}
	return NULL;
}

static struct kb_db *open_double(struct fixture *f)
{
	char path[300];
	struct kb_db *db;

	world = (struct world){ .base = fixture_postgres() ? &kb_driver_postgres
		                                           : &kb_driver_sqlite };
	make_double();
	snprintf(path, sizeof(path), "%s%s", f->at, fixture_postgres() ? "" : "/docent.db");
	db = kb_db_open(
	        &(struct kb_db_config){ .driver = &doubled, .where = path, .committed = told },
	        &f->err);
	NEED(f, db);
	NEED(f, kb_db_write(db, run_begin, NULL, &f->err));
	atomic_store(&world.told, 0);
	return db;
}

/* Alone: each way in which nothing is heard. */
static void test_one(struct kb_test *t)
{
	static const struct {
		const char *name;
		enum how how;
	} rows[] = { { "it was made", MADE },
		     { "it was not", LOST },
		     { "it is made while it is asked for", LATE } };
	struct fixture f;

	fixture_init(&f, t);
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_db *db = open_double(&f);

		t->row = rows[i].name;
		atomic_store(&world.next, rows[i].how);
		CHECK(t, kb_db_write(db, run_count, NULL, &f.err));
		if (rows[i].how == LATE)
			pthread_join(world.thread, NULL);
		CHECK_INT(t, raw_int(&f, "SELECT at FROM probes WHERE id = 7"), 1);
		CHECK_INT(t, world.unheard, 1);
		CHECK_INT(t, world.told, 1);
		kb_db_close(db);
	}
	t->row = NULL;
	fixture_fini(&f);
}

/* Many at once, some of them wrong: each of the others is done once. */
static void test_many(struct kb_test *t)
{
	enum { HANDS = 8 };
	struct hand hands[HANDS];
	struct kb_db *db;
	struct fixture f;
	int good = 0;

	fixture_init(&f, t);
	db = open_double(&f);
	atomic_store(&world.next, LOST); /* one is unheard, however late this thread goes on */
	for (int i = 0; i < HANDS; i++) {
		hands[i] = (struct hand){ .db = db };
		pthread_create(&hands[i].thread, NULL, work, &hands[i]);
	}
	for (int i = 0; i < 40; i++) {
		atomic_store(&world.next, i % 2 ? MADE : LOST);
		usleep(2000);
	}
	for (int i = 0; i < HANDS; i++) {
		pthread_join(hands[i].thread, NULL);
		CHECK_INT(t, hands[i].wrong, 6);
		CHECK_INT(t, hands[i].other, 0);
		good += hands[i].good;
	}
	CHECK(t, world.unheard > 0);
	CHECK_INT(t, good, HANDS * 24);
	CHECK_INT(t, world.told, good);
	CHECK_INT(t, raw_int(&f, "SELECT at FROM probes WHERE id = 7"), good);
	kb_db_close(db);
	fixture_fini(&f);
}

/* Writes that share transactions, and some of them fail only when a later one is run. */
static void *work_deferred(void *arg)
{
	struct hand *hand = arg;

	for (int i = 0; i < 10; i++) {
		struct kb_err err;
		bool ok = kb_db_append(hand->db, &(struct kb_db_append){ 0 },
		                       i % 5 == hand->good % 5 ? run_twin : run_count, NULL, &err);

		hand->good += ok;
		hand->wrong += !ok && err.code == KB_E_CONFLICT;
		hand->other += !ok && err.code != KB_E_CONFLICT;
	}
	return NULL;
}

static void test_deferred(struct kb_test *t)
{
	enum { HANDS = 12 };
	struct hand hands[HANDS];
	struct kb_db *db;
	struct fixture f;
	int good = 0, wrong = 0;

	fixture_init(&f, t);
	db = open_double(&f);
	atomic_store(&world.next, LOST); /* one is unheard, however late this thread goes on */
	for (int i = 0; i < HANDS; i++) {
		hands[i] = (struct hand){ .db = db };
		pthread_create(&hands[i].thread, NULL, work_deferred, &hands[i]);
	}
	for (int i = 0; i < HANDS; i++) {
		pthread_join(hands[i].thread, NULL);
		CHECK_INT(t, hands[i].other, 0);
		CHECK_INT(t, hands[i].good + hands[i].wrong, 10);
		good += hands[i].good;
		wrong += hands[i].wrong;
	}
	CHECK(t, wrong > 0);
	CHECK_INT(t, world.told, good);
	CHECK_INT(t, raw_int(&f, "SELECT at FROM probes WHERE id = 7"), good);
	kb_db_close(db);
	fixture_fini(&f);
}

/* Read, and one more written, without a lock: right only if no other one comes between. */
struct asking {
	struct kb_db_append append;
	struct kb_db_value id;
	bool is_wrong;
	int64_t was, ticket;
};

static bool run_asking(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	static const struct kb_sql put = { "put", "ii", "UPDATE probes SET at = $2 WHERE id = $1" },
	                           sum = { "sum", "ii",
		                           "UPDATE probes SET at = at + $2 WHERE id = $1" };
	struct asking *in = arg;

	in->was = -1;
	in->ticket = in->append.id;
	while (kb_rows_next(&in->append.rows))
		in->was = kb_rows_int(&in->append.rows, 0);
	kb_db_count(conn, &sum, 1, KB_VALUES(kb_int(7), kb_int(1)));
	return kb_rows_close(&in->append.rows, err)
	       && kb_db_defer(conn, &put, KB_VALUES(in->id, kb_int(in->was + 1)), err)
	       && (!in->is_wrong || kb_fail(err, KB_E_INVALID, "this one is wrong"));
}

static void *work_asking(void *arg)
{
	static const struct kb_sql look = { "look", "i", "SELECT at FROM probes WHERE id = $1" };
	struct hand *hand = arg;

	for (int i = 0; i < 30; i++) {
		bool is_odd = (i + hand->good) % 2;
		struct asking in = { .id = kb_int(is_odd ? 9 : 8), .is_wrong = i % 5 == 4 };
		struct kb_err err;
		bool ok;

		in.append = (struct kb_db_append){ .within = is_odd ? KB_SV("9") : KB_SV("8"),
			                           .sql = &look,
			                           .values = { &in.id, 1 },
			                           .sequence = i % 2 ? "message" : NULL };
		ok = kb_db_append(hand->db, &in.append, run_asking, &in, &err);
		hand->good += ok;
		hand->wrong += !ok && err.code == KB_E_INVALID;
		hand->other += (!ok && err.code != KB_E_INVALID) || (in.ticket > 0) != (i % 2 > 0);
	}
	return NULL;
}

static bool run_begin_asking(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	static const struct kb_sql rows = { "begin_asking", "",
		                            "INSERT INTO probes (id, at) VALUES (8, 0), (9, 0)" };

	(void)arg;
	return kb_db_run(conn, &rows, KB_NO_VALUES, NULL, err);
}

static void test_asking(struct kb_test *t)
{
	enum { HANDS = 12 };
	struct hand hands[HANDS];
	struct kb_db *db;
	struct fixture f;
	int good = 0;

	fixture_init(&f, t);
	db = open_double(&f);
	NEED(&f, kb_db_write(db, run_begin_asking, NULL, &f.err));
	for (int i = 0; i < HANDS; i++) {
		hands[i] = (struct hand){ .db = db };
		pthread_create(&hands[i].thread, NULL, work_asking, &hands[i]);
	}
	for (int i = 0; i < HANDS; i++) {
		pthread_join(hands[i].thread, NULL);
		CHECK_INT(t, hands[i].other, 0);
		CHECK_INT(t, hands[i].wrong, 6);
		good += hands[i].good;
	}
	CHECK_INT(t, good, HANDS * 24);
	CHECK_INT(t, raw_int(&f, "SELECT at FROM probes WHERE id = 7"), good);
	CHECK_INT(t, raw_int(&f, "SELECT sum(at) FROM probes WHERE id IN (8, 9)"), good);
	kb_db_close(db);
	fixture_fini(&f);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a commit of which nothing was heard is found, or made", test_one },
		{ "of many at once each is made once", test_many },
		{ "what fails late fails alone, and for who wrote it", test_deferred },
		{ "what asks together asks nothing that another one of it changes; who fails "
		  "counts "
		  "nothing",
		  test_asking },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
