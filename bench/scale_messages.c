/*
 * Durable messages of many clients at once, on whatever database: for bench/scale.mjs.
 *
 *   scale_messages STORE AGENTS CLIENTS SECONDS     prints "RATE P50_US P99_US"
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/accounts.h"
#include "store/agent_new.h"
#include "store/agents.h"
#include "store/conversations.h"

enum { CLIENTS_MAX = 256, AGENTS_MAX = 1000, EACH_MAX = 200000 };

struct bench {
	struct kb_store *store;
	struct kb_account account;
	int64_t agents[AGENTS_MAX];
	int agent_count;
	int64_t end;
	char query[200], response[900];
};

struct client {
	struct bench *bench;
	int number;
	size_t count;
	int32_t *latencies;
};

static void need(bool ok, const struct kb_err *err)
{
	if (ok)
		return;
	fprintf(stderr, "scale_messages: %s\n", err->msg);
	exit(1);
}

static int number(const char *text, int max)
{
	int64_t n;

	if (!kb_sv_to_int(kb_sv_str(text), 1, max, &n))
		exit(2);
	return (int)n;
}

static void *write_some(void *arg)
{
	struct client *client = arg;
	struct bench *b = client->bench;
	struct kb_arena arena = { 0 };
	char session[32];
	struct kb_err err;

	snprintf(session, sizeof(session), "session-%d", client->number);
	while (client->count < EACH_MAX) {
		int64_t start = kb_clock_mono_us();
		struct kb_conversation conversation;
		struct kb_message message = { .query = kb_sv_str(b->query),
			                      .response = kb_sv_str(b->response),
			                      .answered = true };

		if (start >= b->end)
			break;
		need(kb_store_message_add(
		             b->store, &arena,
		             &(struct kb_session){
		                     .agent_id = b->agents[client->number % b->agent_count],
		                     .id = kb_sv_str(session),
		                     .account_id = b->account.id },
		             &message, &conversation, &err),
		     &err);
		client->latencies[client->count++] = (int32_t)(kb_clock_mono_us() - start);
		kb_arena_reset(&arena);
	}
	kb_arena_fini(&arena);
	return NULL;
}

static int by_number(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

static void report(struct client *clients, int count, double seconds)
{
	size_t all = 0, at = 0;
	int32_t *latencies;

	for (int i = 0; i < count; i++)
		all += clients[i].count;
	latencies = kb_xcalloc(all + 1, sizeof(*latencies));
	for (int i = 0; i < count; i++) {
		memcpy(latencies + at, clients[i].latencies, clients[i].count * sizeof(*latencies));
		at += clients[i].count;
	}
	qsort(latencies, all, sizeof(*latencies), by_number);
	printf("%.0f %d %d\n", (double)all / seconds, latencies[all / 2],
	       latencies[all * 99 / 100]);
	free(latencies);
}

static void open_bench(struct bench *b, const char *at)
{
	struct kb_arena arena = { 0 };
	struct kb_err err = { 0 };
	char name[32];

	snprintf(name, sizeof(name), "bench-%d", (int)getpid()); /* several at once */
	b->store = kb_store_open_as(
	        &(struct kb_store_config){ .at = at, .use = KB_STORE_NODE, .node = name }, &err);
	need(b->store != NULL, &err);
	need(kb_store_account_ensure(b->store, &arena, KB_SV("bench"), KB_SV(""), &b->account,
	                             &err),
	     &err);
	for (int i = 0; i < b->agent_count; i++) {
		struct kb_agent agent = { .account_id = b->account.id,
			                  .name = KB_SV("bench"),
			                  .type = KB_SV("SITEMAP"),
			                  .options = KB_SV("{}"),
			                  .settings = KB_SV("{}") };

		need(kb_store_agent_create(b->store, &agent, &err), &err);
		b->agents[i] = agent.id;
	}
	memset(b->query, 'q', sizeof(b->query) - 1);
	memset(b->response, 'r', sizeof(b->response) - 1);
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static struct client clients[CLIENTS_MAX];
	pthread_t threads[CLIENTS_MAX];
	struct bench b = { 0 };
	int count, seconds;
	int64_t start;

	if (argc != 5)
		return 2;
	b.agent_count = number(argv[2], AGENTS_MAX);
	count = number(argv[3], CLIENTS_MAX);
	seconds = number(argv[4], 600);
	open_bench(&b, argv[1]);
	start = kb_clock_mono_us();
	b.end = start + seconds * KB_SECOND_US;
	for (int i = 0; i < count; i++) {
		clients[i] = (struct client){ .bench = &b, .number = i };
		clients[i].latencies = kb_xcalloc(EACH_MAX, sizeof(int32_t));
		pthread_create(&threads[i], NULL, write_some, &clients[i]);
	}
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	report(clients, count, (double)(kb_clock_mono_us() - start) / 1e6);
	kb_store_close(b.store);
	return 0;
}
