/* The server as a whole: configuration, start, stop, counters. */
#include "http/server.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "http/conn.h"
#include "http/listen.h"

enum {
	LOOPS_MAX = 8,
	STOP_POLL_US = 2000,
	STOP_WARN_S = 10,
};

void kb_server_config_init(struct kb_server_config *config)
{
	*config = (struct kb_server_config){
		.host = "127.0.0.1",
		.upload_file_max = (int64_t)KB_MIB(100),
		.upload_total_max = (int64_t)KB_GIB(1),
		.upload_files_max = 50,
		.disk_reserve = (int64_t)KB_MIB(256),
		.admit_above = KB_KIB(64),
		.connections_max = 18000,
		.connections_per_address_max = 1000,
		.header_timeout_ms = 10 * 1000,
		.body_idle_timeout_ms = 20 * 1000,
		.idle_timeout_ms = 75 * 1000,
		.write_timeout_ms = 30 * 1000,
		.body_min_rate = 512,
		.body_rate_window_ms = 10 * 1000,
		.write_min_rate = 512,
		.write_rate_window_ms = 30 * 1000,
		.stream_buffer_max = KB_MIB(1),
	};
}

/* ---- lanes ---- */

static void on_stop(struct kb_task *task)
{
	struct kb_lane *lane = KB_OUTER(task, struct kb_lane, stop);
	struct kb_http_conn *next;

	kb_listen_stop(lane);
	for (struct kb_http_conn *conn = lane->conns; conn; conn = next) {
		next = conn->next;
		if (conn->step == KB_STEP_HEAD && !conn->begun_us)
			kb_conn_run(conn); /* which closes it, if nothing has arrived */
	}
}

static void on_kill(struct kb_task *task)
{
	struct kb_lane *lane = KB_OUTER(task, struct kb_lane, kill);
	struct kb_http_conn *next;

	for (struct kb_http_conn *conn = lane->conns; conn; conn = next) {
		next = conn->next;
		kb_conn_kill(conn);
	}
}

static void on_quit(struct kb_task *task)
{
	kb_loop_quit(KB_OUTER(task, struct kb_lane, quit)->loop);
}

static void on_pulse(struct kb_task *task)
{
	atomic_store(&KB_OUTER(task, struct kb_lane, pulse)->pulse_waits, false);
}

static void *run_lane(void *arg)
{
	kb_loop_run(((struct kb_lane *)arg)->loop);
	return NULL;
}

static bool open_lane(struct kb_server *server, int index, struct kb_err *err)
{
	struct kb_lane *lane = &server->lanes[index];

	lane->loop = kb_loop_new(err);
	if (!lane->loop)
		return false;
	lane->stop.run = on_stop;
	lane->kill.run = on_kill;
	lane->quit.run = on_quit;
	lane->pulse.run = on_pulse;
	lane->scratch = kb_xmalloc(KB_RECV_BYTES);
	kb_buf_init(&lane->out, SIZE_MAX / 2);
	return true;
}

static void close_lane(struct kb_lane *lane)
{
	KB_ASSERT(!lane->conns);
	while (lane->spare_calls) {
		struct kb_http_exchange *call = lane->spare_calls;

		lane->spare_calls = call->next_spare;
		kb_arena_fini(&call->arena);
		free(call);
	}
	kb_listen_close(lane);
	kb_loop_free(lane->loop);
	kb_buf_fini(&lane->out);
	free(lane->scratch);
}

/* ---- start ---- */

static void free_server(struct kb_server *server)
{
	for (int i = 0; i < server->lane_count; i++)
		close_lane(&server->lanes[i]);
	kb_router_free(server->router);
	kb_peers_free(server->peers);
	kb_tls_free(server->tls);
	free(server->lanes);
	free(server);
}

/* A descriptor a connection, and some for files and the rest of the process. */
static void raise_descriptor_limit(const struct kb_server_config *config)
{
	struct rlimit limit;
	rlim_t want = (rlim_t)config->connections_max + 1024;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= want)
		return;
	limit.rlim_cur = KB_MIN(want, limit.rlim_max);
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur < want)
		kb_warn(config->log, "few descriptors limit=%llu wanted=%llu",
		        (unsigned long long)limit.rlim_cur, (unsigned long long)want);
}

static int loops_wanted(int configured)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	if (configured <= 0)
		configured = (int)KB_MAX(cores, 1L);
	return KB_MIN(configured, (int)LOOPS_MAX);
}

static bool open_server(struct kb_server *server, struct kb_err *err)
{
	struct kb_server_config *config = &server->config;

	if (config->temp_dir && !kb_upload_clean(config->temp_dir, err))
		return false;
	if (config->tls_cert || config->tls_key) {
		server->tls = kb_tls_new(config->tls_cert, config->tls_key, err);
		if (!server->tls)
			return false;
	}
	for (int i = 0; i < server->lane_count; i++)
		if (!open_lane(server, i, err))
			return false;
	if (!kb_listen_open(server, err))
		return false;
	for (int i = 0; i < server->lane_count; i++)
		if (!kb_listen_start(&server->lanes[i], err))
			return false;
	return true;
}

struct kb_server *kb_server_start(const struct kb_server_config *config, struct kb_err *err)
{
	struct kb_server *server = kb_xcalloc(1, sizeof(*server));

	KB_ASSERT(config->workers);
	for (size_t i = 0; i < config->route_count; i++)
		KB_ASSERT(config->routes[i].handle);
	server->config = *config;
	server->router = kb_router_new(config->routes, config->route_count);
	server->peers = kb_peers_new(config->connections_per_address_max, config->cap_loopback);
	server->lane_count = loops_wanted(config->loops);
	server->lanes = kb_xcalloc((size_t)server->lane_count, sizeof(*server->lanes));
	for (int i = 0; i < server->lane_count; i++) {
		server->lanes[i].server = server;
		for (size_t k = 0; k < KB_LISTENERS_MAX; k++)
			server->lanes[i].listeners[k].source.fd = -1;
	}
	kb_random_text(server->tag, KB_SERVER_TAG);
	raise_descriptor_limit(config);
	if (!open_server(server, err)) {
		free_server(server);
		return NULL;
	}
	for (int i = 0; i < server->lane_count; i++)
		server->lanes[i].thread = kb_thread_start("net", run_lane, &server->lanes[i]);
	return server;
}

bool kb_server_tls_read(struct kb_server *server, struct kb_err *err)
{
	return !server->tls
	       || kb_tls_read_again(server->tls, server->config.tls_cert, server->config.tls_key,
	                            err);
}

void kb_server_tls_settle(struct kb_server *server, bool take)
{
	if (server->tls)
		kb_tls_settle(server->tls, take);
}

int kb_server_port(const struct kb_server *server)
{
	return server->port;
}

/* ---- stop ---- */

/* Waits until no connection is left, or for so long; -1: without end. */
static bool wait_for_end(struct kb_server *server, int64_t ms)
{
	int64_t start = kb_clock_mono_us(), warned = start;

	/* In this order: without connections no question is asked. */
	while (atomic_load(&server->connections) > 0 || atomic_load(&server->questions) > 0) {
		int64_t now = kb_clock_mono_us();

		if (ms >= 0 && now - start >= ms * 1000)
			return false;
		if (ms < 0 && now - warned >= STOP_WARN_S * KB_SECOND_US) {
			kb_warn(server->config.log,
			        "stopping waits for unanswered requests n=%" PRId64,
			        atomic_load(&server->connections));
			warned = now;
		}
		/* Looked at: whoever ends a connection need not ring for a stop that comes once. */
		usleep(STOP_POLL_US);
	}
	return true;
}

void kb_server_stop(struct kb_server *server, int grace_ms)
{
	if (!server)
		return;
	atomic_store(&server->stopping, true);
	for (int i = 0; i < server->lane_count; i++)
		kb_loop_post(server->lanes[i].loop, &server->lanes[i].stop);
	wait_for_end(server, grace_ms);
	if (server->config.hurry)
		server->config.hurry(server->config.app);
	for (int i = 0; i < server->lane_count; i++)
		kb_loop_post(server->lanes[i].loop, &server->lanes[i].kill);
	/* Whoever still works on a request points into its memory. */
	wait_for_end(server, -1);
	for (int i = 0; i < server->lane_count; i++) {
		kb_loop_post(server->lanes[i].loop, &server->lanes[i].quit);
		pthread_join(server->lanes[i].thread, NULL);
	}
	free_server(server);
}

bool kb_server_turns(struct kb_server *server)
{
	bool all = true;

	for (int i = 0; i < server->lane_count; i++) {
		struct kb_lane *lane = &server->lanes[i];

		if (atomic_exchange(&lane->pulse_waits, true))
			all = false;
		else
			kb_loop_post(lane->loop, &lane->pulse);
	}
	return all;
}

void kb_server_stats(struct kb_server *server, struct kb_server_stats *out)
{
	*out = (struct kb_server_stats){ .connections = atomic_load(&server->connections) };
	for (int i = 0; i < server->lane_count; i++) {
		struct kb_lane *lane = &server->lanes[i];

		out->streams += atomic_load_explicit(&lane->streams, memory_order_relaxed);
		out->requests += atomic_load_explicit(&lane->requests, memory_order_relaxed);
		out->refused += atomic_load_explicit(&lane->refused, memory_order_relaxed);
		out->bytes_in += atomic_load_explicit(&lane->bytes_in, memory_order_relaxed);
		out->bytes_out += atomic_load_explicit(&lane->bytes_out, memory_order_relaxed);
	}
}
