/* The server's own life: what it takes on at most, how it starts and stops, what peers leave
 * behind. */
#include "http/server.h"

#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "site.h"
#include "test.h"

#define H    "Host: a\r\n"
#define LAST "GET /hello HTTP/1.1\r\n" H "Connection: close\r\n\r\n"

/* ---- caps and full queues ---- */

static void test_caps(struct kb_test *t)
{
	static const struct {
		const char *name;
		int all, each;
		bool loopback;
		int served; /* of ten */
	} caps[] = {
		{ "in all", 4, 0, false, 4 },
		{ "of one address", 100, 3, true, 3 },
		{ "this machine is not counted", 100, 3, false, 10 },
	};

	for (size_t i = 0; i < KB_COUNTOF(caps); i++) {
		int fds[10], served = 0, refused = 0;
		struct kb_buf text;
		struct site site;

		t->row = caps[i].name;
		site_init(&site);
		site.config.connections_max = caps[i].all;
		site.config.connections_per_address_max = caps[i].each;
		site.config.cap_loopback = caps[i].loopback;
		CHECK(t, site_start(&site));
		kb_buf_init(&text, KB_MIB(1));
		for (size_t k = 0; k < KB_COUNTOF(fds); k++) {
			fds[k] = site_connect(&site);
			site_send(fds[k], KB_SV("GET /fast HTTP/1.1\r\n" H "\r\n"));
			kb_buf_clear(&text);
			site_read(fds[k], &text, "\r\n\r\n", site_hang_ms());
			served += site_status(kb_buf_view(&text)) == 200;
			refused += site_status(kb_buf_view(&text)) == 503
			           && kb_sv_find(kb_buf_view(&text), KB_SV("Retry-After: ")) > 0;
		}
		CHECK_INT(t, served, caps[i].served);
		CHECK_INT(t, refused, 10 - caps[i].served);
		for (size_t k = 0; k < KB_COUNTOF(fds); k++)
			close(fds[k]);
		CHECK(t, site_wait_open(&site, 0, 0));
		fds[0] = site_connect(&site); /* there is room again */
		site_send(fds[0], KB_SV("GET /fast HTTP/1.1\r\n" H "\r\n"));
		kb_buf_clear(&text);
		site_read(fds[0], &text, "fast", site_hang_ms());
		CHECK_INT(t, site_status(kb_buf_view(&text)), 200);
		close(fds[0]);
		kb_buf_fini(&text);
		site_stop(&site, 1000);
	}
}

static void test_full_queue(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_sv answer;
	struct site site;
	int fds[120];

	site_init(&site);
	CHECK(t, site_start(&site));
	for (size_t i = 0; i < KB_COUNTOF(fds); i++) { /* 8 run, then 100 wait, then none fits */
		if (i == 8)
			CHECK(t, site_wait_for(&site.waiting, 8));
		fds[i] = site_connect(&site);
		site_send(fds[i], KB_SV("GET /wait HTTP/1.1\r\n" H "\r\n"));
	}
	for (int i = 0; i < 1000 && kb_pool_waiting(site.workers) < 100; i++)
		site_sleep_ms(10);
	answer = site_ask(&arena, &site,
	                  KB_SV("GET /hello HTTP/1.1\r\n" H "Connection: close\r\n\r\n"));
	CHECK_INT(t, site_status(answer), 503);
	CHECK(t, kb_sv_find(answer, KB_SV("\r\nRetry-After: 1\r\n")) > 0);
	answer = site_ask(&arena, &site,
	                  KB_SV("GET /fast HTTP/1.1\r\n" H "Connection: close\r\n\r\n"));
	CHECK_INT(t, site_status(answer), 200); /* needs no worker */
	atomic_store(&site.go, 1);
	for (size_t i = 0; i < KB_COUNTOF(fds); i++)
		close(fds[i]);
	kb_arena_fini(&arena);
	site_stop(&site, 1000);
}

/* ---- start and stop ---- */

static void test_address_taken(struct kb_test *t)
{
	struct kb_server *second;
	struct kb_err err;
	struct site site;

	site_init(&site);
	CHECK(t, site_start(&site));
	site.config.port = kb_server_port(site.server);
	second = kb_server_start(&site.config, &err);
	CHECK(t, second == NULL);
	CHECK(t, strstr(err.msg, "cannot listen on port"));
	site.config.host = "no such host";
	CHECK(t, kb_server_start(&site.config, &err) == NULL);
	site_stop(&site, 1000);
}

static void test_every_address(struct kb_test *t)
{
	static const char *const hosts[] = { "", "*", "localhost", "0.0.0.0" };

	for (size_t i = 0; i < KB_COUNTOF(hosts); i++) {
		struct kb_arena arena = { 0 };
		struct site site;

		t->row = hosts[i];
		site_init(&site);
		site.config.host = hosts[i];
		CHECK(t, site_start(&site));
		CHECK_INT(t, site_status(site_ask(&arena, &site, KB_SV(LAST))), 200);
		kb_arena_fini(&arena);
		site_stop(&site, 1000);
	}
}

static void *stop_soon(void *arg)
{
	site_stop(arg, site_hang_ms());
	return NULL;
}

/* Stopping closes idle connections, and lets a handler's answer and a stream come to their end. */
static void test_graceful_stop(struct kb_test *t)
{
	struct kb_buf idle, work, stream;
	struct site site;
	int idle_fd, work_fd, stream_fd;
	pthread_t stopper;

	site_init(&site);
	CHECK(t, site_start(&site));
	kb_buf_init(&idle, KB_MIB(1));
	kb_buf_init(&work, KB_MIB(1));
	kb_buf_init(&stream, KB_MIB(1));
	idle_fd = site_connect(&site);
	work_fd = site_connect(&site);
	stream_fd = site_connect(&site);
	site_send(work_fd, KB_SV("GET /wait HTTP/1.1\r\n" H "\r\n"));
	site_send(stream_fd, KB_SV("GET /idle-stream HTTP/1.1\r\n" H "\r\n"));
	CHECK(t, !site_read(stream_fd, &stream, "begun\n", site_hang_ms()));
	CHECK(t, site_wait_for(&site.waiting, 1));

	stopper = kb_thread_start("stopper", stop_soon, &site);
	CHECK(t, site_read(idle_fd, &idle, NULL, site_hang_ms()));
	CHECK_INT(t, idle.n, 0);
	CHECK(t, !site_read(work_fd, &work, NULL, 0));
	atomic_store(&site.go, 1);
	CHECK(t, site_read(work_fd, &work, NULL, site_hang_ms()));
	CHECK(t, kb_sv_find(kb_buf_view(&work), KB_SV("\r\nConnection: close\r\n")) > 0);
	CHECK(t, kb_sv_ends(kb_buf_view(&work), KB_SV("waited")));
	CHECK(t, site_read(stream_fd, &stream, NULL, site_hang_ms()));
	CHECK(t, kb_sv_ends(kb_buf_view(&stream), KB_SV("0\r\n\r\n")));
	pthread_join(stopper, NULL);
	close(idle_fd);
	close(work_fd);
	close(stream_fd);
	kb_buf_fini(&idle);
	kb_buf_fini(&work);
	kb_buf_fini(&stream);
}

/* A stream that does not end within the grace time loses its peer, and then its writer ends it. */
static void test_stop_while_streaming(struct kb_test *t)
{
	struct kb_buf text;
	struct site site;
	int64_t start;
	int fd;

	site_init(&site);
	CHECK(t, site_start(&site));
	kb_buf_init(&text, KB_MIB(1));
	fd = site_connect(&site);
	site_send(fd, KB_SV("GET /idle-stream HTTP/1.1\r\n" H "\r\n"));
	CHECK(t, !site_read(fd, &text, "begun\n", site_hang_ms()));
	start = kb_clock_mono_us();
	site_stop(&site, 200);
	CHECK(t, kb_clock_mono_us() - start > 190000); /* load makes it later, never earlier */
	CHECK_INT(t, atomic_load(&site.streams_gone), 1);
	CHECK(t, site_read(fd, &text, NULL, 100));
	close(fd);
	kb_buf_fini(&text);
}

/* Peers that vanish at every moment leave nothing behind. */
static void test_vanishing_peers(struct kb_test *t)
{
	static const char *const requests[] = {
		"GET /hello HTTP/1.1\r\n" H "\r\n",
		"GET /hello HTTP/1.1\r\n" H,
		"GET /stream HTTP/1.1\r\n" H "\r\n",
		"GET /flood?wait HTTP/1.1\r\n" H "\r\n",
		"GET /big HTTP/1.1\r\n" H "\r\n",
		"POST /large HTTP/1.1\r\n" H "Content-Length: 3000000\r\n\r\nabc",
		"POST /upload HTTP/1.1\r\n" H "Content-Type: multipart/form-data; boundary=b\r\n"
		"Content-Length: 3000000\r\n\r\n--b\r\nContent-Disposition: form-data; name=a; "
		"filename=b\r\n\r\nabc",
	};
	struct site site;

	site_init(&site);
	CHECK(t, site_start(&site));
	for (int i = 0; i < 700; i++) {
		int fd = site_connect(&site);
		struct linger reset = { .l_onoff = 1 };

		site_send(fd, kb_sv_str(requests[(size_t)i % KB_COUNTOF(requests)]));
		if (i % 3 == 0)
			site_sleep_ms(1);
		if (i % 2)
			setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
		close(fd);
	}
	CHECK(t, site_wait_open(&site, 0, 0));
	CHECK_INT(t, site_temp_files(&site), 0);
	site_stop(&site, 1000);
}

/* ---- whether loops turn ---- */

static _Atomic int held, go_on;

/* On a loop's own thread, where nothing may wait. */
static void hold_loop(struct kb_request *req, const struct kb_err *err)
{
	const struct kb_response response = { .status = err->status };

	atomic_store(&held, 1);
	while (!atomic_load(&go_on))
		site_sleep_ms(1);
	kb_respond(req, &response);
}

/* Asks now and then, as a watchdog does, until it says that. */
static bool comes_to(struct kb_server *server, bool turns)
{
	for (int ms = 0; ms < site_hang_ms(); ms += 20) {
		site_sleep_ms(20);
		if (kb_server_turns(server) == turns)
			return true;
	}
	return false;
}

static void test_turns(struct kb_test *t)
{
	struct site site;
	int fd;

	site_init(&site);
	site.config.refuse = hold_loop;
	site.config.loops = 2;
	CHECK(t, site_start(&site));
	CHECK(t, kb_server_turns(site.server)); /* nothing was asked of them yet */
	CHECK(t, comes_to(site.server, true));  /* idle ones turn when they are asked */
	fd = site_connect(&site);
	site_send(fd, KB_SV("GET /nowhere HTTP/1.1\r\n" H "\r\n"));
	CHECK(t, site_wait_for(&held, 1));
	kb_server_turns(site.server); /* those that had answered before */
	CHECK(t, comes_to(site.server, false));
	atomic_store(&go_on, 1);
	CHECK(t, comes_to(site.server, true));
	close(fd);
	site_stop(&site, 1000);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "connections are capped", test_caps },
		{ "a full queue is 503", test_full_queue },
		{ "a taken address is an error", test_address_taken },
		{ "listening on every address", test_every_address },
		{ "stopping lets answers and streams end", test_graceful_stop },
		{ "stopping ends streams after the grace time", test_stop_while_streaming },
		{ "peers that vanish leave nothing behind", test_vanishing_peers },
		{ "a loop that does not turn is seen", test_turns },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
