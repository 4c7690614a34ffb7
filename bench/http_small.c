/*
 * Small authenticated JSON reads a second: two loop threads, 64 kept connections, the load
 * generator on the same cores. Peer: one node:http process.
 *
 *   http_small [seconds]
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "process.h"

enum { CONNECTIONS = 64, CLIENTS = 2, SAMPLES = 1 << 20 };

#define KEY "1234|Zk3abcdefghijklmnopqrstuvwxyzABCDEF"
static const char request[] = "GET /api/v1/projects/12?x=y HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                              "Authorization: Bearer " KEY "\r\nAccept: application/json\r\n"
                              "User-Agent: bench/1.0\r\n\r\n";
static const char json[] = "{\"status\":\"success\",\"data\":{\"id\":12,\"name\":\"a small thing\","
                           "\"created_at\":\"2026-11-20T00:00:00.000000Z\"}}";

/* ---- the server ---- */

/* What an authenticated read costs at least: the key's hash, compared with the stored one. */
static bool on_read(struct kb_request *req)
{
	struct kb_sv field = kb_request_field(req, "authorization");
	char stored[KB_HASH_HEX], got[KB_HASH_HEX];
	int64_t id;

	memcpy(stored, req->app, sizeof(stored));
	if (!kb_sv_istarts(field, KB_SV("Bearer "))) {
		kb_respond(req, &(struct kb_response){ .status = 401 });
		return true;
	}
	kb_hash_hex(kb_sv_from(field, 7), got);
	if (!kb_equal_secret(kb_sv_str(got), kb_sv_str(stored))
	    || !kb_sv_to_int(req->params[0], 0, INT64_MAX, &id)) {
		kb_respond(req, &(struct kb_response){ .status = 401 });
		return true;
	}
	kb_respond(req, &(struct kb_response){ .content_type = "application/json",
	                                       .body = kb_sv_str(json) });
	return true;
}

static void on_slow_read(struct kb_request *req)
{
	kb_respond(req, &(struct kb_response){ .content_type = "application/json",
	                                       .body = kb_sv_str(json) });
}

static const struct kb_route routes[] = {
	{ .method = "GET",
	  .path = "/api/v1/projects/{id}",
	  .handle = on_slow_read,
	  .fast = on_read },
	{ .method = "GET", .path = "/worker/v1/projects/{id}", .handle = on_slow_read },
	{ .method = "POST", .path = "/api/v1/projects", .handle = on_slow_read },
	{ .method = "GET", .path = "/api/v1/user", .handle = on_slow_read },
};

static void prepare(struct kb_server_config *config)
{
	char *stored = kb_xmalloc(KB_HASH_HEX);

	kb_hash_hex(KB_SV(KEY), stored);
	config->app = stored;
	config->routes = routes;
	config->route_count = KB_COUNTOF(routes);
	config->loops = 2;
}

/* ---- the load ---- */

struct client {
	int port;
	int64_t end_us;
	int64_t answers, wrong;
	int64_t *delays;
	size_t delay_count;
	const char *request;
};

struct connection {
	int fd;
	int64_t sent_us;
	size_t have, want; /* bytes of the answer; want 0: its length is not known yet */
	char answer[1024];
};

static void ask(struct client *client, struct connection *connection)
{
	connection->have = connection->want = 0;
	connection->sent_us = kb_clock_mono_us();
	if (send(connection->fd, client->request, strlen(client->request), 0) < 0)
		exit(1);
}

static void take(struct client *client, struct connection *connection)
{
	ssize_t n = recv(connection->fd, connection->answer + connection->have,
	                 sizeof(connection->answer) - 1 - connection->have, 0);

	if (n <= 0) {
		fprintf(stderr, "the server closed a connection\n");
		exit(1);
	}
	connection->have += (size_t)n;
	connection->answer[connection->have] = '\0';
	if (!connection->want) {
		const char *end = strstr(connection->answer, "\r\n\r\n");

		if (!end)
			return;
		connection->want = (size_t)(end + 4 - connection->answer) + sizeof(json) - 1;
	}
	if (connection->have < connection->want)
		return;
	client->answers++;
	client->wrong += memcmp(connection->answer, "HTTP/1.1 200", 12) != 0
	                 || memcmp(connection->answer + connection->want - sizeof(json) + 1, json,
	                           sizeof(json) - 1)
	                            != 0;
	if (client->delay_count < SAMPLES)
		client->delays[client->delay_count++] = kb_clock_mono_us() - connection->sent_us;
	ask(client, connection);
}

static void *run_client(void *arg)
{
	struct client *client = arg;
	struct connection connections[CONNECTIONS / CLIENTS];
	struct epoll_event events[CONNECTIONS];
	int epoll = epoll_create1(0);

	for (size_t i = 0; i < KB_COUNTOF(connections); i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.ptr = &connections[i] };

		connections[i].fd = bench_connect(client->port);
		epoll_ctl(epoll, EPOLL_CTL_ADD, connections[i].fd, &event);
		ask(client, &connections[i]);
	}
	while (kb_clock_mono_us() < client->end_us) {
		int n = epoll_wait(epoll, events, CONNECTIONS, 100);

		for (int i = 0; i < n; i++)
			take(client, events[i].data.ptr);
	}
	for (size_t i = 0; i < KB_COUNTOF(connections); i++)
		close(connections[i].fd);
	close(epoll);
	return NULL;
}

struct figures {
	double rate, cpu_us; /* answers a second; the server's processor time for one */
	int64_t p50, p99;
};

static struct figures measure(struct bench_process *server, const char *text, double seconds)
{
	struct client clients[CLIENTS];
	pthread_t threads[CLIENTS];
	struct figures figures = { 0 };
	int64_t answers = 0, wrong = 0,
	        *delays = kb_xcalloc(CLIENTS * (size_t)SAMPLES, sizeof(*delays));
	int64_t start = kb_clock_mono_us();
	double cpu = bench_cpu_s(server->pid);
	size_t count = 0;

	for (size_t i = 0; i < CLIENTS; i++) {
		clients[i] = (struct client){ .port = server->port,
			                      .end_us = start + (int64_t)(seconds * 1e6),
			                      .delays = kb_xcalloc(SAMPLES, sizeof(*delays)),
			                      .request = text };
		threads[i] = kb_thread_start("client", run_client, &clients[i]);
	}
	for (size_t i = 0; i < CLIENTS; i++) {
		pthread_join(threads[i], NULL);
		answers += clients[i].answers;
		wrong += clients[i].wrong;
		memcpy(delays + count, clients[i].delays, clients[i].delay_count * sizeof(*delays));
		count += clients[i].delay_count;
		free(clients[i].delays);
	}
	if (wrong || !answers) {
		fprintf(stderr, "%" PRId64 " of %" PRId64 " answers are wrong\n", wrong, answers);
		exit(1);
	}
	figures.rate = (double)answers * 1e6 / (double)(kb_clock_mono_us() - start);
	figures.cpu_us = (bench_cpu_s(server->pid) - cpu) * 1e6 / (double)answers;
	qsort(delays, count, sizeof(*delays), bench_compare_int64);
	figures.p50 = delays[count / 2];
	figures.p99 = delays[count * 99 / 100];
	free(delays);
	return figures;
}

static void print(const char *name, struct figures figures, double peer_rate)
{
	printf("%-26s %9.0f %9.1f %8.2f %8.2f %8.2f\n", name, figures.rate, figures.cpu_us,
	       (double)figures.p50 / 1000, (double)figures.p99 / 1000,
	       peer_rate > 0 ? figures.rate / peer_rate : 1.0);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 3;
	struct bench_process docent = bench_start_docent(prepare);
	struct bench_process node = bench_start_node("small", KEY);
	struct figures ours, slow, theirs = { 0 };
	char worker_request[sizeof(request) + 8];

	kb_crypto_init();
	snprintf(worker_request, sizeof(worker_request), "GET /worker%s", request + 8);
	if (node.pid) {
		measure(&node, request, seconds / 3); /* warm up its compiler */
		theirs = measure(&node, request, seconds);
	}
	ours = measure(&docent, request, seconds);
	slow = measure(&docent, worker_request, seconds);
	printf("small authenticated JSON reads, %d kept connections, load on the same cores\n",
	       CONNECTIONS);
	printf("%-26s %9s %9s %8s %8s %8s\n", "", "reads/s", "cpu us", "p50 ms", "p99 ms", "ratio");
	print("docent, fast (2 loops)", ours, theirs.rate);
	print("docent, through a worker", slow, theirs.rate);
	if (node.pid)
		print("node:http", theirs, theirs.rate);
	else
		printf("node is not installed: no peer\n");
	bench_stop(&docent);
	bench_stop(&node);
	return 0;
}
