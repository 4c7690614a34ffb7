/*
 * Durable message writes, history reads and the caches of keys and agents.
 *
 * The peer is plain SQLite with the same durability (WAL, synchronous=FULL): the same message rows,
 * one commit each, in one table with the same key. Ours does more in each write: it finds the
 * conversation, marks it as used, gives an id and counts the query. Rounds alternate; medians.
 */
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "store/accounts.h"
#include "store/agent_new.h"
#include "store/agents.h"
#include "store/conversations.h"

enum {
	ROUNDS = 3,
	CLIENTS = 64,
	WRITES = 200, /* of a client, in a round */
	HISTORY = 20, /* messages of a history */
	READS = 4000, /* of a reading thread */
	READERS = 2,
	PEEKS = 400000, /* of a peeking thread */
	LATENCIES = CLIENTS * WRITES,
};

struct bench {
	char dir[64];
	struct kb_store *store;
	struct kb_account account;
	struct kb_agent agent;
	char key[KB_KEY_TEXT];
	char query[200], response[900];
};

struct client {
	struct bench *bench;
	int number;
	int64_t *latencies;
};

static void need(bool ok, const char *what, const struct kb_err *err)
{
	if (ok)
		return;
	fprintf(stderr, "bench store: %s: %s\n", what, err ? err->msg : "failed");
	exit(1);
}

static double seconds_since(int64_t start)
{
	return (double)(kb_clock_mono_us() - start) / 1e6;
}

static int by_number(const void *a, const void *b)
{
	const double one = *(const double *)a, two = *(const double *)b;

	return (one > two) - (one < two);
}

static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_number);
	return values[count / 2];
}

static int by_latency(const void *a, const void *b)
{
	const int64_t one = *(const int64_t *)a, two = *(const int64_t *)b;

	return (one > two) - (one < two);
}

/* Runs fn in `count` threads and gives the seconds until all have ended. */
static double in_threads(struct bench *bench, void *(*fn)(void *), size_t count, int64_t *latencies)
{
	struct client clients[CLIENTS];
	pthread_t threads[CLIENTS];
	int64_t start = kb_clock_mono_us();

	for (size_t i = 0; i < count; i++) {
		clients[i] =
		        (struct client){ bench, (int)i, latencies ? latencies + i * WRITES : NULL };
		pthread_create(&threads[i], NULL, fn, &clients[i]);
	}
	for (size_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return seconds_since(start);
}

/* ---- ours ---- */

static void *write_messages(void *arg)
{
	struct client *client = arg;
	struct bench *bench = client->bench;
	struct kb_arena arena = { 0 };
	struct kb_err err;

	for (int i = 0; i < WRITES; i++) {
		struct kb_sv session =
		        kb_arena_printf(&arena, "%d-%d", client->number, i / HISTORY);
		int64_t citations[] = { 12074, 12075, 12080 }, start = kb_clock_mono_us();
		struct kb_conversation conversation;
		struct kb_message message = {
			.query = kb_sv(bench->query, sizeof(bench->query)),
			.response = kb_sv(bench->response, sizeof(bench->response)),
			.citations = citations,
			.citation_count = 3,
			.answered = true,
			.source = KB_SV("api"),
		};

		need(kb_store_message_add(bench->store, &arena,
		                          &(struct kb_session){ .agent_id = bench->agent.id,
		                                                .id = session,
		                                                .account_id = bench->account.id },
		                          &message, &conversation, &err),
		     "message", &err);
		client->latencies[i] = kb_clock_mono_us() - start;
		kb_arena_reset(&arena);
	}
	kb_arena_fini(&arena);
	return NULL;
}

static void *read_histories(void *arg)
{
	struct client *client = arg;
	struct bench *bench = client->bench;
	struct kb_arena arena = { 0 };
	struct kb_err err;

	for (int i = 0; i < READS; i++) {
		struct kb_sv session = kb_arena_printf(&arena, "%d-%d", i % CLIENTS,
		                                       i / CLIENTS % (WRITES / HISTORY));
		struct kb_message_list messages;

		need(kb_store_message_history(
		             bench->store, &arena,
		             &(struct kb_session){ .agent_id = bench->agent.id, .id = session },
		             &(struct kb_history_want){ .since = 0, .limit = HISTORY }, &messages,
		             &err)
		             && messages.count == HISTORY,
		     "history", &err);
		kb_arena_reset(&arena);
	}
	kb_arena_fini(&arena);
	return NULL;
}

static void *peek_keys(void *arg)
{
	struct bench *bench = ((struct client *)arg)->bench;
	struct kb_arena arena = { 0 };
	struct kb_err err;
	struct kb_key key;

	for (int i = 0; i < PEEKS; i++) {
		if (!kb_store_peek_key(bench->store, &arena, kb_sv_str(bench->key), &key))
			need(kb_store_key_check(bench->store, &arena, kb_sv_str(bench->key), &key,
			                        &err),
			     "key", &err);
		kb_arena_reset(&arena);
	}
	kb_arena_fini(&arena);
	return NULL;
}

static void *peek_agents(void *arg)
{
	struct bench *bench = ((struct client *)arg)->bench;
	struct kb_arena arena = { 0 };
	struct kb_agent agent;
	struct kb_err err;

	for (int i = 0; i < PEEKS; i++) {
		if (!kb_store_peek_agent(bench->store, &arena, bench->account.id, bench->agent.id,
		                         &agent))
			need(kb_store_agent_get(bench->store, &arena, bench->account.id,
			                        bench->agent.id, &agent, &err),
			     "agent", &err);
		kb_arena_reset(&arena);
	}
	kb_arena_fini(&arena);
	return NULL;
}

/* ---- the peer ---- */

static sqlite3 *peer_open(const char *dir)
{
	char path[128];
	sqlite3 *handle;

	snprintf(path, sizeof(path), "%s/peer.db", dir);
	need(sqlite3_open(path, &handle) == SQLITE_OK, "peer", NULL);
	need(sqlite3_exec(handle,
	                  "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
	                  "PRAGMA wal_autocheckpoint=4000;"
	                  "CREATE TABLE messages (agent_id BIGINT, conversation_id BIGINT, "
	                  "id BIGINT, query TEXT, response TEXT, citations TEXT, source TEXT, "
	                  "created_at BIGINT, PRIMARY KEY (agent_id, conversation_id, id))",
	                  NULL, NULL, NULL)
	             == SQLITE_OK,
	     "peer", NULL);
	return handle;
}

/* One row a commit; gives rows a second. */
static double peer_writes(struct bench *bench, sqlite3 *handle, int64_t *id)
{
	sqlite3_stmt *stmt;
	int64_t start = kb_clock_mono_us();
	enum { ROWS = CLIENTS * WRITES / 4 };

	sqlite3_prepare_v2(handle, "INSERT INTO messages VALUES (1, ?, ?, ?, ?, ?, 'api', ?)", -1,
	                   &stmt, NULL);
	for (int i = 0; i < ROWS; i++) {
		sqlite3_bind_int64(stmt, 1, *id / HISTORY);
		sqlite3_bind_int64(stmt, 2, ++*id);
		sqlite3_bind_text(stmt, 3, bench->query, sizeof(bench->query), SQLITE_STATIC);
		sqlite3_bind_text(stmt, 4, bench->response, sizeof(bench->response), SQLITE_STATIC);
		sqlite3_bind_text(stmt, 5, "12074,12075,12080", -1, SQLITE_STATIC);
		sqlite3_bind_int64(stmt, 6, start);
		need(sqlite3_step(stmt) == SQLITE_DONE, "peer", NULL);
		sqlite3_reset(stmt);
	}
	sqlite3_finalize(stmt);
	return ROWS / seconds_since(start);
}

/* ---- all of it ---- */

static void setup(struct bench *bench)
{
	struct kb_arena arena = { 0 };
	struct kb_err err;

	snprintf(bench->dir, sizeof(bench->dir), "/var/tmp/docent-bench-XXXXXX");
	need(mkdtemp(bench->dir) != NULL, "directory", NULL);
	bench->store = kb_store_open(bench->dir, true, NULL, NULL, &err);
	need(bench->store, "open", &err);
	need(kb_store_account_ensure(bench->store, &arena, KB_SV("bench"), KB_SV(""),
	                             &bench->account, &err),
	     "account", &err);
	bench->agent = (struct kb_agent){
		.account_id = bench->account.id,
		.name = KB_SV("bench"),
		.settings =
		        KB_SV("{\"default_prompt\":\"Ask\",\"persona_instructions\":\"Brief.\"}"),
	};
	need(kb_store_agent_create(bench->store, &bench->agent, &err), "agent", &err);
	need(kb_store_key_create(bench->store,
	                         &(struct kb_key_new){ .account_id = bench->account.id },
	                         bench->key, &err),
	     "key", &err);
	memset(bench->query, 'q', sizeof(bench->query));
	memset(bench->response, 'r', sizeof(bench->response));
	bench->account.name = bench->account.email = bench->account.plan = KB_SV("");
	kb_arena_fini(&arena);
}

static void remove_files(struct bench *bench)
{
	static const char *const files[] = { "docent.db",   "docent.db-wal", "docent.db-shm",
		                             "docent.lock", "peer.db",       "peer.db-wal",
		                             "peer.db-shm" };

	for (size_t i = 0; i < KB_COUNTOF(files); i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/%s", bench->dir, files[i]);
		unlink(path);
	}
	rmdir(bench->dir);
}

int main(void)
{
	static int64_t latencies[LATENCIES];
	double ours[ROUNDS], peer[ROUNDS], p50[ROUNDS], p99[ROUNDS], seconds;
	struct kb_store_stats before, after;
	struct bench bench = { 0 };
	sqlite3 *handle;
	int64_t id = 0;

	kb_crypto_init();
	setup(&bench);
	handle = peer_open(bench.dir);
	kb_store_stats(bench.store, &before);
	for (int i = 0; i < ROUNDS; i++) {
		peer[i] = peer_writes(&bench, handle, &id);
		seconds = in_threads(&bench, write_messages, CLIENTS, latencies);
		ours[i] = CLIENTS * WRITES / seconds;
		qsort(latencies, LATENCIES, sizeof(*latencies), by_latency);
		p50[i] = (double)latencies[LATENCIES / 2] / 1e3;
		p99[i] = (double)latencies[LATENCIES / 100 * 99] / 1e3;
	}
	kb_store_stats(bench.store, &after);
	printf("durable message writes, rows of 1.2 KB\n");
	printf("  %-44s %10.0f /s\n", "plain SQLite, one row a commit", median(peer, ROUNDS));
	printf("  %-44s %10.0f /s   p50 %.1f ms, p99 %.1f ms, %.1f writes a commit\n",
	       "kb_store_message_add, 64 threads", median(ours, ROUNDS), median(p50, ROUNDS),
	       median(p99, ROUNDS),
	       (double)(after.writes - before.writes) / (double)(after.commits - before.commits));
	seconds = in_threads(&bench, read_histories, 1, NULL);
	printf("history of %d messages\n  %-44s %10.0f /s\n", HISTORY,
	       "kb_store_message_history, 1 thread", READS / seconds);
	seconds = in_threads(&bench, read_histories, READERS, NULL);
	printf("  %-44s %10.0f /s\n", "kb_store_message_history, 2 threads",
	       READERS * READS / seconds);
	seconds = in_threads(&bench, peek_keys, 1, NULL);
	printf("from memory\n  %-44s %10.0f /s   %.0f ns\n", "kb_store_peek_key, 1 thread",
	       PEEKS / seconds, seconds / PEEKS * 1e9);
	seconds = in_threads(&bench, peek_keys, READERS, NULL);
	printf("  %-44s %10.0f /s\n", "kb_store_peek_key, 2 threads", READERS * PEEKS / seconds);
	seconds = in_threads(&bench, peek_agents, 1, NULL);
	printf("  %-44s %10.0f /s   %.0f ns\n", "kb_store_peek_agent, 1 thread", PEEKS / seconds,
	       seconds / PEEKS * 1e9);
	sqlite3_close(handle);
	kb_store_close(bench.store);
	remove_files(&bench);
	return 0;
}
