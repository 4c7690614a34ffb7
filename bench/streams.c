/*
 * Many live event streams: N streams get 20 events each, one every 100 ms, from a few writer
 * threads through kb_stream_write(). Delay is from the event's planned time to its arrival at the
 * client. Peer: one node:http process.
 *
 *   streams [N]
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "http/sse.h"
#include "process.h"

enum {
	STREAMS = 10000,
	EVENTS = 20,
	INTERVAL_US = 100000,
	TICK_US = 1000, /* writers sleep no shorter than this */
	WRITERS = 4,
	OPEN_AT_ONCE = 200,
};

/* ---- the server ---- */

struct board {
	pthread_mutex_t lock;
	pthread_cond_t full;
	struct kb_stream **streams;
	size_t count, wanted;
	int64_t start_us;
};

static void on_stream(struct kb_request *req)
{
	struct board *board = req->app;
	struct kb_stream *stream =
	        kb_stream_begin(req, &(struct kb_response){ .content_type = "text/event-stream" });

	pthread_mutex_lock(&board->lock);
	board->streams[board->count++] = stream;
	if (board->count == board->wanted) {
		board->start_us = kb_clock_mono_us() + 500000;
		pthread_cond_broadcast(&board->full);
	}
	pthread_mutex_unlock(&board->lock);
}

struct writer {
	struct board *board;
	size_t first;
};

/* When event i of stream k is due: the streams are spread evenly over the interval. */
static int64_t due_us(const struct board *board, size_t k, int i)
{
	return board->start_us + i * (int64_t)INTERVAL_US
	       + (int64_t)(k * INTERVAL_US / board->wanted);
}

/* Serves every WRITERS-th stream. */
static void *write_events(void *arg)
{
	struct writer *writer = arg;
	struct board *board = writer->board;
	struct kb_buf frame;

	pthread_mutex_lock(&board->lock);
	while (board->count < board->wanted)
		pthread_cond_wait(&board->full, &board->lock);
	pthread_mutex_unlock(&board->lock);
	kb_buf_init(&frame, KB_KIB(4));
	for (int i = 0; i < EVENTS; i++) {
		for (size_t k = writer->first; k < board->wanted; k += WRITERS) {
			int64_t at = due_us(board, k, i), now;
			char json[128];

			while ((now = kb_clock_mono_us()) < at)
				usleep((useconds_t)KB_MAX(at - now, (int64_t)TICK_US));
			snprintf(json, sizeof(json), "{\"status\":\"progress\",\"at\":%" PRId64 "}",
			         at);
			kb_buf_clear(&frame);
			kb_sse_event(&frame, "progress", kb_sv_str(json));
			kb_stream_write(board->streams[k], kb_buf_view(&frame));
		}
	}
	for (size_t k = writer->first; k < board->wanted; k += WRITERS)
		kb_stream_end(board->streams[k]);
	kb_buf_fini(&frame);
	return NULL;
}

static const struct kb_route routes[] = {
	{ .method = "POST",
	  .path = "/api/v1/projects/{id}/messages",
	  .handle = on_stream,
	  .body_max = 64 * 1024 },
};

/* Streams asked for on the command line, which the server's process inherits. */
static size_t streams_wanted(void)
{
	const char *text = getenv("BENCH_STREAMS");

	return text ? (size_t)strtoul(text, NULL, 10) : STREAMS;
}

static void prepare(struct kb_server_config *config)
{
	struct board *board = kb_xcalloc(1, sizeof(*board));
	size_t wanted = streams_wanted();

	pthread_mutex_init(&board->lock, NULL);
	pthread_cond_init(&board->full, NULL);
	board->wanted = wanted;
	board->streams = kb_xcalloc(wanted, sizeof(struct kb_stream *));
	config->app = board;
	config->routes = routes;
	config->route_count = KB_COUNTOF(routes);
	config->loops = 2;
	for (size_t i = 0; i < WRITERS; i++) {
		struct writer *writer = kb_xcalloc(1, sizeof(*writer));

		*writer = (struct writer){ board, i };
		kb_thread_start("writer", write_events, writer);
	}
}

/* ---- the client ---- */

static const char request[] =
        "POST /api/v1/projects/12/messages?stream=1&lang=en HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        "Authorization: Bearer 1234|Zk3abcdefghijklmnopqrstuvwxyzABCDEF\r\n"
        "Accept: text/event-stream\r\nContent-Type: application/json\r\n"
        "User-Agent: bench/1.0\r\nContent-Length: 27\r\n\r\n{\"prompt\":\"Who is Tom? No\"}";

/* The times in the events that have just come, taken from their text. */
static size_t read_events(char *text, size_t n, int64_t *delays, size_t room)
{
	int64_t now = kb_clock_mono_us();
	size_t count = 0;
	char *at = text;

	text[n] = '\0';
	while (count < room && (at = strstr(at, "\"at\":"))) {
		delays[count++] = now - strtoll(at + 5, NULL, 10);
		at += 5;
	}
	return count;
}

struct figures {
	double rss_each, cpu_s, idle_rss_each;
	int64_t p50, p99, most;
	size_t events;
};

static void watch(struct bench_process *server, size_t n, struct figures *figures)
{
	int64_t before = bench_rss_bytes(server->pid), *delays;
	struct epoll_event events[512];
	int *fds = kb_xcalloc(n, sizeof(*fds));
	int epoll = epoll_create1(0);
	double cpu = bench_cpu_s(server->pid);
	size_t room = n * EVENTS, count = 0;
	int64_t last = 0, peak = 0;
	static char text[65536];

	delays = kb_xcalloc(room, sizeof(*delays));
	for (size_t i = 0; i < n; i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.u64 = i };

		fds[i] = bench_connect(server->port);
		fcntl(fds[i], F_SETFL, O_NONBLOCK);
		epoll_ctl(epoll, EPOLL_CTL_ADD, fds[i], &event);
		if (send(fds[i], request, sizeof(request) - 1, 0) < 0)
			exit(1);
		if (i % OPEN_AT_ONCE == 0)
			usleep(10000);
		if (i == n - 1) {
			usleep(250000); /* all are open, none has had an event */
			figures->idle_rss_each =
			        (double)(bench_rss_bytes(server->pid) - before) / (double)n;
		}
	}
	while (count < room) {
		int ready = epoll_wait(epoll, events, KB_COUNTOF(events), 3000);

		if (ready <= 0)
			break;
		for (int i = 0; i < ready; i++) {
			int fd = fds[events[i].data.u64];
			ssize_t got = recv(fd, text, sizeof(text) - 1, 0);

			if (got <= 0)
				epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL);
			else
				count += read_events(text, (size_t)got, delays + count,
				                     room - count);
		}
		if (kb_clock_mono_us() - last > 100000) {
			last = kb_clock_mono_us();
			peak = KB_MAX(peak, bench_rss_bytes(server->pid));
		}
	}
	figures->rss_each = (double)(peak - before) / (double)n;
	figures->cpu_s = bench_cpu_s(server->pid) - cpu;
	figures->events = count;
	qsort(delays, count, sizeof(*delays), bench_compare_int64);
	if (count) {
		figures->p50 = delays[count / 2];
		figures->p99 = delays[count * 99 / 100];
		figures->most = delays[count - 1];
	}
	for (size_t i = 0; i < n; i++)
		close(fds[i]);
	close(epoll);
	free(fds);
	free(delays);
}

static void print(const char *name, const struct figures *figures)
{
	printf("%-12s %9zu %12.0f %12.0f %8.1f %8.1f %8.1f %8.2f\n", name, figures->events,
	       figures->idle_rss_each, figures->rss_each, (double)figures->p50 / 1000,
	       (double)figures->p99 / 1000, (double)figures->most / 1000, figures->cpu_s);
}

int main(int argc, char **argv)
{
	struct figures ours = { 0 }, theirs = { 0 };
	struct bench_process docent, node;
	size_t n;

	if (argc > 1)
		setenv("BENCH_STREAMS", argv[1], 1);
	n = streams_wanted();
	docent = bench_start_docent(prepare);
	bench_raise_descriptors();
	watch(&docent, n, &ours);
	bench_stop(&docent);
	node = bench_start_node("streams", argc > 1 ? argv[1] : "10000");
	if (node.pid)
		watch(&node, n, &theirs);
	bench_stop(&node);
	printf("%zu event streams, %d events each at %d ms\n", n, EVENTS, INTERVAL_US / 1000);
	printf("%-12s %9s %12s %12s %8s %8s %8s %8s\n", "", "events", "B/idle", "B/peak", "p50 ms",
	       "p99 ms", "max ms", "cpu s");
	print("docent", &ours);
	if (theirs.events)
		print("node:http", &theirs);
	return ours.events == n * EVENTS ? 0 : 1;
}
