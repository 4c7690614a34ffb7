/* The database under the families: group commit, caches, the lock, other processes, the schema. */
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/fault.h"
#include "base/log.h"
#include "db/db.h"
#include "raw.h"
#include "server.h"
#include "store/cache.h"
#include "store/segments.h"

/* ---- group commit ---- */

enum { THREADS = 64, EACH = 20 };

struct worker {
	struct fixture *f;
	int64_t agent_id;
	int number, good, bad;
};

/* Every third write is one that must fail: the session is there already. */
static void *write_some(void *arg)
{
	struct worker *w = arg;
	struct kb_arena arena = { 0 };
	struct kb_err err;

	for (int i = 0; i < EACH; i++) {
		struct kb_conversation conversation;
		struct kb_message message = { .query = KB_SV("q"), .response = KB_SV("r") };

		w->good +=
		        kb_store_message_add(w->f->store, &arena,
		                             &(struct kb_session){ .agent_id = w->agent_id,
		                                                   .id = KB_SV("shared"),
		                                                   .account_id = w->f->account.id },
		                             &message, &conversation, &err);
		if (i % 3 == 0)
			w->bad += kb_store_conversation_create(
			                  w->f->store, &arena,
			                  &(struct kb_session){ .agent_id = w->agent_id,
			                                        .id = KB_SV("shared"),
			                                        .account_id = 1 },
			                  KB_SV("x"), &conversation, &err)
			                  ? 0
			                  : err.code == KB_E_CONFLICT;
	}
	kb_arena_fini(&arena);
	return NULL;
}

static void test_group_commit(struct kb_test *t)
{
	static struct worker workers[THREADS];
	struct kb_store_stats before, after;
	struct kb_transcript said;
	pthread_t threads[THREADS];
	struct kb_agent agent;
	struct fixture f;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	fixture_say_to(&f, agent.id, "shared", "first");
	kb_store_stats(f.store, &before);
	for (int i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){ &f, agent.id, .number = i };
		pthread_create(&threads[i], NULL, write_some, &workers[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		CHECK_INT(t, workers[i].good, EACH);
		CHECK_INT(t, workers[i].bad, (EACH + 2) / 3);
	}
	kb_store_stats(f.store, &after);
	/* A node says now and then that it is there. */
	CHECK(t, after.writes - before.writes == THREADS * EACH
	                 || (fixture_postgres() && after.writes - before.writes > THREADS * EACH));
	CHECK(t, fixture_postgres() || after.commits - before.commits < THREADS * EACH / 2);
	NEED(&f, kb_store_message_list(
	                 f.store, &f.arena,
	                 &(struct kb_session){ .agent_id = agent.id, .id = KB_SV("shared") },
	                 &(struct kb_list){ .limit = 1 }, &said, &f.err));
	CHECK_INT(t, said.messages.total, 1 + THREADS * EACH);
	fixture_fini(&f);
}

/* A commit that fails takes its writes with it, whoever shared it: nobody is told otherwise. */
static void *write_with_faults(void *arg)
{
	struct worker *w = arg;
	struct kb_arena arena = { 0 };
	struct kb_err err;

	for (int i = 0; i < EACH; i++) {
		struct kb_conversation conversation;
		struct kb_message message = { .query = KB_SV("q") };

		kb_fault_arm(1 + (i + w->number) % 14);
		w->good +=
		        kb_store_message_add(w->f->store, &arena,
		                             &(struct kb_session){ .agent_id = w->agent_id,
		                                                   .id = KB_SV("shared"),
		                                                   .account_id = w->f->account.id },
		                             &message, &conversation, &err);
		kb_fault_disarm();
	}
	kb_arena_fini(&arena);
	return NULL;
}

static void test_failing_commits(struct kb_test *t)
{
	enum { FEW = 16 };
	static struct worker workers[FEW];
	struct kb_transcript said;
	pthread_t threads[FEW];
	struct kb_agent agent;
	struct fixture f;
	int64_t good = 1;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "a");
	fixture_say_to(&f, agent.id, "shared", "first");
	for (int i = 0; i < FEW; i++) {
		workers[i] = (struct worker){ &f, agent.id, .number = i };
		pthread_create(&threads[i], NULL, write_with_faults, &workers[i]);
	}
	for (int i = 0; i < FEW; i++) {
		pthread_join(threads[i], NULL);
		good += workers[i].good;
	}
	NEED(&f, kb_store_message_list(
	                 f.store, &f.arena,
	                 &(struct kb_session){ .agent_id = agent.id, .id = KB_SV("shared") },
	                 &(struct kb_list){ .limit = 1 }, &said, &f.err));
	CHECK_INT(t, said.messages.total, good);
	CHECK(t, good < 1 + FEW * EACH);
	fixture_fini(&f);
}

/* ---- the agents' cache ---- */

struct race {
	struct fixture *f;
	int64_t agent_id;
	_Atomic int64_t acknowledged; /* the newest update that returned */
	_Atomic bool stop;
	_Atomic int stale, peeks;
};

static bool set_name(void *arg, struct kb_arena *arena, struct kb_agent *agent, struct kb_err *err)
{
	(void)err;
	agent->name = kb_arena_printf(arena, "%" PRId64, *(int64_t *)arg);
	agent->index_version = 1000; /* not its to change */
	agent->is_active = false;
	agent->account_id = 999;
	return true;
}

static void *read_names(void *arg)
{
	struct race *race = arg;
	struct kb_arena arena = { 0 };
	struct kb_err err;

	while (!race->stop) {
		int64_t least = race->acknowledged, seen;
		struct kb_agent agent;
		bool peeked = kb_store_peek_agent(race->f->store, &arena, race->f->account.id,
		                                  race->agent_id, &agent);

		if (!peeked
		    && !kb_store_agent_get(race->f->store, &arena, race->f->account.id,
		                           race->agent_id, &agent, &err))
			abort();
		race->peeks += peeked;
		if (!kb_sv_to_int(agent.name, 0, INT64_MAX, &seen) || seen < least)
			race->stale++;
		kb_arena_reset(&arena);
	}
	kb_arena_fini(&arena);
	return NULL;
}

static void test_agent_cache(struct kb_test *t)
{
	enum { READERS = 4, UPDATES = KB_TEST_UNDER_SANITIZER ? 60 : 300 };
	bool cached = !fixture_postgres(); /* other nodes may write there: nothing is kept */
	struct race race = { 0 };
	pthread_t threads[READERS];
	struct kb_agent agent;
	struct fixture f;

	fixture_init(&f, t);
	agent = fixture_agent(&f, "0");
	race.f = &f;
	race.agent_id = agent.id;
	for (int i = 0; i < READERS; i++)
		pthread_create(&threads[i], NULL, read_names, &race);
	for (int64_t i = 1; i <= UPDATES; i++) {
		CHECK(t, kb_store_agent_update(f.store, &f.arena,
		                               &(struct kb_agent_edit){ .account_id = f.account.id,
		                                                        .id = agent.id,
		                                                        .change = set_name,
		                                                        .arg = &i },
		                               &agent, &f.err));
		race.acknowledged = i;
	}
	while (cached && race.peeks == 0)
		sched_yield();
	race.stop = true;
	for (int i = 0; i < READERS; i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(t, race.stale, 0);
	CHECK_INT(t, race.peeks > 0, cached);
	CHECK(t, kb_store_agent_get(f.store, &f.arena, f.account.id, agent.id, &agent, &f.err));
	CHECK_INT(t, agent.index_version, 0);
	CHECK(t, agent.is_active);
	CHECK_INT(t, agent.account_id, f.account.id);
	CHECK_SV(t, agent.options, "{\"is_ocr_enabled\":1}");
	/* In memory now, but only for its account. */
	CHECK_INT(t, kb_store_peek_agent(f.store, &f.arena, f.account.id, agent.id, &agent),
	          cached);
	CHECK(t, !kb_store_peek_agent(f.store, &f.arena, f.account.id + 1, agent.id, &agent));
	CHECK(t, kb_store_agent_delete(f.store, f.account.id, agent.id, &f.err));
	CHECK(t, !kb_store_peek_agent(f.store, &f.arena, f.account.id, agent.id, &agent));
	fixture_fini(&f);
}

static void test_many_agents(struct kb_test *t)
{
	enum { MANY = KB_TEST_UNDER_SANITIZER ? 1500 : 3000 };
	bool cached = !fixture_postgres();
	struct kb_agent agent;
	struct fixture f;
	int64_t first;
	int peeked = 0;

	fixture_init(&f, t);
	first = fixture_agent(&f, "0").id;
	for (int i = 1; i < MANY; i++)
		fixture_agent(&f, kb_arena_printf(&f.arena, "%d", i).p);
	for (int i = 0; i < MANY; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%d", i);
		CHECK(t, kb_store_agent_get(f.store, &f.arena, f.account.id, first + i, &agent,
		                            &f.err));
		CHECK_INT(t,
		          kb_store_peek_agent(f.store, &f.arena, f.account.id, first + i, &agent),
		          cached);
		CHECK_SV(t, agent.name, name);
	}
	for (int i = 0; i < MANY; i++)
		peeked += kb_store_peek_agent(f.store, &f.arena, f.account.id, first + i, &agent);
	CHECK(t, !cached ? peeked == 0 : peeked > 500 && peeked <= 1024); /* bounded */
	fixture_fini(&f);
}

/* ---- keys and other processes ---- */

static void test_keys(struct kb_test *t)
{
	static const char *const bad[] = { "",     "|",      "1000",       "1000|",
		                           "abc|", "99|xyz", "1000|short", "-1000|x" };
	char one[KB_KEY_TEXT], two[KB_KEY_TEXT], wrong[KB_KEY_TEXT];
	struct kb_account *accounts;
	struct kb_key key, *keys;
	struct kb_agent agent;
	struct fixture f;
	int64_t count;
	size_t n;

	fixture_init(&f, t);
	CHECK(t, kb_store_key_count(f.store, &count, &f.err));
	CHECK_INT(t, count, 0);
	agent = fixture_agent(&f, "a");
	CHECK(t, kb_store_key_create(f.store, &(struct kb_key_new){ .account_id = f.account.id },
	                             one, &f.err));
	CHECK(t,
	      kb_store_key_create(
	              f.store, &(struct kb_key_new){ f.account.id, 0, KB_SV("two"), &agent.id, 1 },
	              two, &f.err));
	CHECK_INT(t, strlen(one), 5 + 43);
	CHECK(t, strncmp(one, "1000|", 5) == 0);
	CHECK(t, !kb_store_peek_key(f.store, &f.arena, kb_sv_str(one), &key));
	CHECK(t, kb_store_key_check(f.store, &f.arena, kb_sv_str(one), &key, &f.err));
	CHECK(t, kb_store_peek_key(f.store, &f.arena, kb_sv_str(one), &key));
	CHECK_INT(t, key.account_id, f.account.id);
	CHECK_INT(t, key.agent_count, 0);
	CHECK(t, kb_store_key_check(f.store, &f.arena, kb_sv_str(two), &key, &f.err));
	for (int i = 0; i < 2; i++) {
		CHECK_INT(t, key.agent_count, 1);
		CHECK_INT(t, key.agents[0], agent.id);
		CHECK(t, kb_store_peek_key(f.store, &f.arena, kb_sv_str(two), &key));
	}
	for (size_t i = 0; i < KB_COUNTOF(bad); i++) {
		t->row = bad[i];
		CHECK(t, !kb_store_key_check(f.store, &f.arena, kb_sv_str(bad[i]), &key, &f.err));
		CHECK_INT(t, f.err.code, KB_E_UNAUTHORIZED);
	}
	t->row = NULL;
	memcpy(wrong, one, sizeof(wrong));
	wrong[20] = wrong[20] == 'x' ? 'y' : 'x';
	CHECK(t, !kb_store_peek_key(f.store, &f.arena, kb_sv_str(wrong), &key));
	CHECK(t, !kb_store_key_check(f.store, &f.arena, kb_sv_str(wrong), &key, &f.err));
	CHECK_INT(t, f.err.code, KB_E_UNAUTHORIZED);
	CHECK(t, !kb_store_key_create(
	                 f.store,
	                 &(struct kb_key_new){ f.account.id, 0, KB_SV(""), &(int64_t){ 999 }, 1 },
	                 wrong, &f.err));
	CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
	CHECK(t, !kb_store_key_create(f.store, &(struct kb_key_new){ .account_id = 999 }, wrong,
	                              &f.err));
	CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);

	CHECK(t, kb_store_key_list(f.store, &f.arena, &keys, &accounts, &n, &f.err));
	CHECK_INT(t, n, 2);
	CHECK_INT(t, keys[1].id, 1001);
	CHECK_SV(t, accounts[0].handle, "one");
	CHECK(t, kb_sv_starts(keys[0].label, KB_SV("1000|")) && keys[0].label.n < 15);

	/* A key of an agent that is gone is limited to nothing, not to everything. */
	CHECK(t, kb_store_agent_delete(f.store, f.account.id, agent.id, &f.err));
	CHECK(t, kb_store_key_check(f.store, &f.arena, kb_sv_str(two), &key, &f.err));
	CHECK_INT(t, key.agent_count, 1);

	CHECK(t, kb_store_key_revoke(f.store, 1000, &f.err));
	CHECK(t, !kb_store_peek_key(f.store, &f.arena, kb_sv_str(one), &key));
	CHECK(t, !kb_store_key_check(f.store, &f.arena, kb_sv_str(one), &key, &f.err));
	CHECK(t, !kb_store_key_revoke(f.store, 1000, &f.err));
	CHECK_INT(t, f.err.code, KB_E_NOT_FOUND);
	CHECK(t, kb_store_key_count(f.store, &count, &f.err));
	CHECK_INT(t, count, 1);
	fixture_fini(&f);
}

static void test_other_process(struct kb_test *t)
{
	char text[KB_KEY_TEXT];
	struct kb_store *tool, *second;
	struct kb_account account;
	struct kb_key key;
	struct fixture f;
	char holder[32];

	fixture_init(&f, t);
	second = kb_store_open_as(&(struct kb_store_config){ .at = f.at, .use = KB_STORE_ALONE },
	                          &f.err);
	CHECK(t, !second);
	CHECK_INT(t, f.err.code, KB_E_CONFLICT);
	snprintf(holder, sizeof(holder), fixture_postgres() ? "node one" : "process %d",
	         (int)getpid());
	CHECK(t, strstr(f.err.msg, holder) != NULL);

	tool = kb_store_open(f.at, false, NULL, NULL, &f.err);
	NEED(&f, tool);
	CHECK(t,
	      kb_store_account_ensure(tool, &f.arena, KB_SV("other"), KB_SV(""), &account, &f.err));
	CHECK(t, kb_store_key_create(tool, &(struct kb_key_new){ .account_id = account.id }, text,
	                             &f.err));
	CHECK(t, kb_store_key_check(f.store, &f.arena, kb_sv_str(text), &key, &f.err));
	CHECK(t, kb_store_key_revoke(tool, key.id, &f.err));
	/* The copy of the key counts until it is too old. */
	static_assert(KB_CACHE_MAX_AGE_US <= KB_SECOND_US, "a revoked key stops within a second");
	kb_clock_advance(&f.clock, KB_CACHE_MAX_AGE_US);
	CHECK(t, !kb_store_peek_key(f.store, &f.arena, kb_sv_str(text), &key));
	CHECK(t, !kb_store_key_check(f.store, &f.arena, kb_sv_str(text), &key, &f.err));
	CHECK(t, kb_store_ready(f.store, &f.err));
	for (size_t i = 0; !fixture_postgres() && i < 3; i++) {
		static const char *const files[] = { "docent.db", "docent.db-wal", "docent.lock" };
		char path[128];
		struct stat st;

		snprintf(path, sizeof(path), "%s/%s", f.dir, files[i]);
		CHECK(t, stat(path, &st) == 0 && (st.st_mode & 0077) == 0);
	}
	kb_store_close(tool);
	fixture_fini(&f);
}

/* A server that is killed leaves its lock to a child that has not yet run its own program. */
static void test_lock_left_to_child(struct kb_test *t)
{
	enum { CHILD_US = 300 * 1000 };
	struct fixture f;
	pid_t server;
	int status;

	if (fixture_postgres())
		return;
	fixture_init(&f, t);
	kb_store_close(f.store);
	server = fork();
	if (server == 0) {
		if (!kb_store_open(f.at, true, NULL, NULL, &f.err))
			_exit(1);
		if (fork() == 0)
			usleep(CHILD_US);
		_exit(0);
	}
	CHECK(t, waitpid(server, &status, 0) == server && status == 0);
	fixture_open(&f);
	fixture_fini(&f);
}

/* ---- the schema ---- */

static void set_schema(struct fixture *f, int64_t version)
{
	char sql[128];

	snprintf(sql, sizeof(sql), "INSERT INTO schema_migrations VALUES (%" PRId64 ", 'x', 0)",
	         version);
	raw_run(f, sql);
}

static void test_newer_schema(struct kb_test *t)
{
	struct fixture f;

	fixture_init(&f, t);
	kb_store_close(f.store);
	set_schema(&f, kb_schema_newest() + 3);
	for (int exclusive = 0; exclusive < 2; exclusive++) {
		f.store = kb_store_open(f.at, exclusive, NULL, NULL, &f.err);
		CHECK(t, !f.store);
		CHECK_INT(t, f.err.code, KB_E_UNSUPPORTED);
	}
	kb_arena_fini(&f.arena);
	fixture_remove(&f);
}

/* The tables and indexes as SQLite keeps them. */
static struct kb_sv schema_of(struct kb_db_conn *conn, struct kb_arena *arena)
{
	static const struct kb_sql sql = { "schema", "",
		                           "SELECT coalesce(sql, name) FROM sqlite_master "
		                           "ORDER BY type, name" };
	struct kb_sv all = KB_SV("");
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql, KB_NO_VALUES);
	while (kb_rows_next(&rows))
		all = kb_arena_printf(arena, "%s%s\n", all.p, kb_rows_text(&rows, arena, 0).p);
	if (!kb_rows_close(&rows, NULL))
		abort();
	return all;
}

static void test_migrations(struct kb_test *t)
{
	enum { EVERY = KB_TEST_UNDER_SANITIZER ? 10 : 1 };
	struct kb_arena arena = { 0 };
	struct kb_sv whole = { 0 };
	struct kb_err err;

	for (size_t i = kb_migration_count + 1; i-- > 0;) {
		int64_t from = i ? kb_migrations[i - 1].version : 0, version = -1;
		struct kb_db_conn *conn;

		if (i % EVERY && i < kb_migration_count)
			continue;
		conn = kb_driver_sqlite.open(":memory:", true, &err);
		CHECK(t, conn != NULL);
		CHECK(t, kb_schema_migrate(conn, from, 1, &err));
		CHECK(t, kb_schema_version(conn, &version, &err));
		CHECK_INT(t, version, from);
		CHECK(t, kb_schema_migrate(conn, kb_schema_newest(), 2, &err));
		CHECK(t, kb_schema_version(conn, &version, &err));
		CHECK_INT(t, version, kb_schema_newest());
		if (!whole.p)
			whole = schema_of(conn, &arena);
		CHECK_SV(t, schema_of(conn, &arena), whole.p);
		conn->driver->close(conn);
	}
	CHECK(t, whole.n > 1000);
	kb_arena_fini(&arena);
}

/* A migration that landed after a later one is applied where only the later one is recorded. */
static void test_migration_between(struct kb_test *t)
{
	static const struct kb_sql record = { "record", "",
		                              "INSERT INTO schema_migrations VALUES (13, 'x', 0)" };
	struct kb_arena arena = { 0 };
	struct kb_sv schema[2];
	struct kb_err err;

	for (int later = 0; later < 2; later++) {
		struct kb_db_conn *conn = kb_driver_sqlite.open(":memory:", true, &err);

		CHECK(t, conn && kb_schema_migrate(conn, 11, 1, &err));
		for (size_t i = 0; later && i < kb_migration_count; i++)
			if (kb_migrations[i].version == 13)
				CHECK(t, conn->driver->script(conn, kb_migrations[i].text, &err)
				                 && kb_db_run(conn, &record, KB_NO_VALUES, NULL,
				                              &err));
		CHECK(t, kb_schema_migrate(conn, kb_schema_newest(), 2, &err));
		schema[later] = schema_of(conn, &arena);
		conn->driver->close(conn);
	}
	CHECK_SV(t, schema[1], schema[0].p);
	kb_arena_fini(&arena);
}

/* The same at the next opening of a store that has all the later ones. */
static void test_migration_missing(struct kb_test *t)
{
	struct fixture f;

	fixture_init(&f, t);
	kb_store_close(f.store);
	raw_run(&f, "DELETE FROM schema_migrations WHERE version = 36;"
	            "ALTER TABLE chores DROP COLUMN lease_node;"
	            "ALTER TABLE repairs DROP COLUMN lease_node");
	fixture_open(&f);
	CHECK_INT(t, raw_int(&f, "SELECT count(lease_node) FROM chores"), 0);
	CHECK_INT(t, raw_int(&f, "SELECT count(*) FROM schema_migrations WHERE version = 36"), 1);
	fixture_fini(&f);
}

/* Names that were given while one name said both who an account is and what it is called. */
static void test_handles(struct kb_test *t)
{
	static const struct {
		const char *name, *email, *handle;
	} rows[] = {
		{ "default", "", "default" },
		{ "Ann Lee", "", "Ann Lee" },
		{ "eve@example.org", "eve@example.org", "eve@example.org" },
		{ "dan@example.org", "bob@example.org", "bob@example.org" }, /* took a name */
		{ "Carol", "carol@example.org", "carol@example.org" },
		{ "frank@example.org", "", "account-6" }, /* the same */
		{ "Old", "gus@example.org", "Old" },      /* the next was made as gus since */
		{ "gus@example.org", "gus@example.org", "gus@example.org" },
		{ "Henry", "ida@example.org", "Henry" }, /* the next is called so */
		{ "ida@example.org", "joe@example.org", "joe@example.org" },
	};
	static const struct kb_sql add = { "add", "itt",
		                           "INSERT INTO accounts VALUES ($1, $2, $3, '', 0, 0, "
		                           "'', '')" };
	static const struct kb_sql read = { "read", "",
		                            "SELECT name, handle FROM accounts "
		                            "ORDER BY id" };
	struct kb_arena arena = { 0 };
	struct kb_db_rows list;
	struct kb_err err;
	struct kb_db_conn *conn = kb_driver_sqlite.open(":memory:", true, &err);
	size_t n = 0;

	CHECK(t, conn && kb_schema_migrate(conn, 7, 1, &err));
	for (size_t i = 0; i < KB_COUNTOF(rows); i++)
		CHECK(t,
		      kb_db_run(conn, &add,
		                KB_VALUES(kb_int((int64_t)i + 1), kb_text(kb_sv_str(rows[i].name)),
		                          kb_text(kb_sv_str(rows[i].email))),
		                NULL, &err));
	CHECK(t, kb_schema_migrate(conn, kb_schema_newest(), 2, &err));
	kb_rows_open(&list, conn, &read, KB_NO_VALUES);
	while (kb_rows_next(&list) && n < KB_COUNTOF(rows)) {
		t->row = rows[n].name;
		CHECK_SV(t, kb_rows_text(&list, &arena, 0), rows[n].name);
		CHECK_SV(t, kb_rows_text(&list, &arena, 1), rows[n].handle);
		n++;
	}
	t->row = NULL;
	CHECK(t, kb_rows_close(&list, &err));
	CHECK_INT(t, n, KB_COUNTOF(rows));
	conn->driver->close(conn);
	kb_arena_fini(&arena);
}

/* ---- a database that is away ---- */

/* Who asks may not want to know why. */
static void test_away(struct kb_test *t)
{
	const char *elsewhere = fixture_postgres();
	struct kb_index_state state;
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct fixture f = { .t = t };
	struct postgres pg;
	struct kb_log log;
	struct kb_err err;

	if (!postgres_start(t, &pg))
		return;
	setenv("DOCENT_TEST_POSTGRES", pg.dir, 1);
	fixture_place(&f);
	kb_log_init(&log, KB_LOG_WARN, KB_LOG_TEXT, nowhere);
	f.store = kb_store_open(f.at, true, &f.clock, &log, &f.err);
	CHECK(t, f.store);
	postgres_stop(t, &pg);
	for (int i = 0; i < 3; i++)
		CHECK(t, !kb_store_index_state(f.store, &f.arena, 1, &state, NULL));
	CHECK(t, !kb_store_index_state(f.store, &f.arena, 1, &state, &err));
	CHECK_INT(t, err.code, KB_E_BUSY);
	kb_store_close(f.store);
	if (elsewhere)
		setenv("DOCENT_TEST_POSTGRES", elsewhere, 1);
	else
		unsetenv("DOCENT_TEST_POSTGRES");
	kb_arena_fini(&f.arena);
	rmdir(f.dir);
	close(nowhere);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "64 writers share commits and one that fails fails alone", test_group_commit },
		{ "writes of a failed commit fail", test_failing_commits },
		{ "the agents' cache never shows less than what was acknowledged",
		  test_agent_cache },
		{ "the agents' cache is bounded", test_many_agents },
		{ "a key opens its account and nothing else", test_keys },
		{ "other processes: no second server, keys seen at once or in a second",
		  test_other_process },
		{ "a killed server's lock ends with its children", test_lock_left_to_child },
		{ "a schema from the future is refused", test_newer_schema },
		{ "every earlier schema becomes the present one", test_migrations },
		{ "a migration between recorded ones is applied", test_migration_between },
		{ "one that a store lacks is applied when it is opened", test_migration_missing },
		{ "accounts that were renamed are known by what they were made under",
		  test_handles },
		{ "a database that is away is no matter of who asks", test_away },
	};
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
