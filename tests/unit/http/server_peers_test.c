/* The server and peers that are slow to read or to send: streams, large answers, deadlines. */
#include "http/server.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "site.h"
#include "test.h"

#define H    "Host: a\r\n"
#define LAST "GET /hello HTTP/1.1\r\n" H "Connection: close\r\n\r\n"

static void test_slow_reader(struct kb_test *t)
{
	struct kb_buf text;
	struct site site;
	int fd;

	site_init(&site);
	CHECK(t, site_start(&site));
	fd = site_connect(&site);
	kb_buf_init(&text, KB_MIB(16));
	site_send(fd, KB_SV("GET /big HTTP/1.1\r\n" H "\r\n"));
	site_sleep_ms(100); /* the answer fills every buffer on the way */
	site_send(fd, KB_SV(LAST));
	CHECK(t, site_read(fd, &text, NULL, site_hang_ms()));
	CHECK_INT(t, site_count(kb_sv_sub(kb_buf_view(&text), 0, 500), "HTTP/1.1 200"), 1);
	CHECK(t, text.n > KB_MIB(8));
	CHECK(t, kb_sv_ends(kb_buf_view(&text), KB_SV("hello")));
	kb_buf_fini(&text);
	close(fd);
	site_stop(&site, 1000);
}

/* ---- streams ---- */

static void test_peer_gone(struct kb_test *t)
{
	struct kb_server_stats stats;
	struct kb_buf text;
	struct site site;
	int fds[4];

	site_init(&site);
	CHECK(t, site_start(&site));
	kb_buf_init(&text, KB_MIB(1));
	for (size_t i = 0; i < KB_COUNTOF(fds); i++) {
		fds[i] = site_connect(&site);
		site_send(fds[i], KB_SV("GET /idle-stream HTTP/1.1\r\n" H "\r\n"));
		kb_buf_clear(&text);
		CHECK(t, !site_read(fds[i], &text, "begun\n", site_hang_ms()));
	}
	kb_server_stats(site.server, &stats);
	CHECK_INT(t, stats.streams, 4);
	close(fds[0]);
	CHECK(t, site_wait_for(&site.streams_gone, 1));
	close(fds[1]);
	CHECK(t, site_wait_for(&site.streams_gone, 2));
	atomic_store(&site.go, 1);
	CHECK(t, site_wait_for(&site.stream_ended, 4));
	kb_buf_clear(&text);
	CHECK(t, !site_read(fds[2], &text, "0\r\n\r\n", site_hang_ms()));
	CHECK(t, site_wait_open(&site, 2, 0));
	close(fds[2]);
	close(fds[3]);
	kb_buf_fini(&text);
	site_stop(&site, 1000);
}

static void test_flood(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_sv answer;
	struct site site;
	int fd;

	site_init(&site);
	site.config.stream_buffer_max = 256 * 1024;
	CHECK(t, site_start(&site));

	/* A peer that does not read: the writer is told, the buffer has its limit. */
	fd = site_connect(&site);
	site_send(fd, KB_SV("GET /flood HTTP/1.1\r\n" H "\r\n"));
	CHECK(t, site_wait_for(&site.stream_ended, 1));
	CHECK_INT(t, atomic_load(&site.streams_gone), 1);
	close(fd);

	/* A writer that waits for its reader: 20 MB arrive whole. */
	answer = site_ask(&arena, &site,
	                  KB_SV("GET /flood?wait HTTP/1.1\r\n" H "Connection: close\r\n\r\n"));
	CHECK_INT(t, site_count(answer, "1000\r\nx"), 5000);
	CHECK(t, kb_sv_ends(answer, KB_SV("\r\n0\r\n\r\n")));
	CHECK_INT(t, atomic_load(&site.streams_gone), 1);
	kb_arena_fini(&arena);
	site_stop(&site, 1000);
}

/* ---- slow peers ---- */

static void test_deadlines(struct kb_test *t)
{
	static const struct {
		const char *name, *sent, *want;
		int trickle_ms; /* 0: nothing more; else one byte more this often */
	} slow[] = {
		{ "a head that does not end", "GET /hello HTTP/1.1\r\nHo", "HTTP/1.1 408 ", 0 },
		{ "a head that trickles", "GET /hello HTTP/1.1\r\nX: ", "HTTP/1.1 408 ", 20 },
		{ "nothing at all", "", "", 0 },
		{ "nothing after an answer", "GET /hello HTTP/1.1\r\n" H "\r\n", "HTTP/1.1 200 ",
		  0 },
		{ "a body that stops", "POST /echo HTTP/1.1\r\n" H "Content-Length: 500\r\n\r\nabc",
		  "HTTP/1.1 408 ", 0 },
		{ "a body that trickles",
		  "POST /echo HTTP/1.1\r\n" H "Content-Length: 500\r\n\r\nabc", "HTTP/1.1 408 ",
		  20 },
		{ "an upload that trickles",
		  "POST /upload HTTP/1.1\r\n" H "Content-Type: multipart/form-data; boundary=b\r\n"
		  "Content-Length: 500\r\n\r\n--b",
		  "HTTP/1.1 408 ", 20 },
	};
	struct pollfd fds[KB_COUNTOF(slow)];
	struct kb_buf texts[KB_COUNTOF(slow)];
	size_t open = KB_COUNTOF(slow);
	int64_t start = kb_clock_mono_us(), closed[KB_COUNTOF(slow)] = { 0 };
	struct site site;

	site_init(&site);
	site.config.header_timeout_ms = kb_test_patient(300);
	site.config.idle_timeout_ms = kb_test_patient(300);
	site.config.body_idle_timeout_ms = kb_test_patient(300);
	site.config.body_rate_window_ms = kb_test_patient(400);
	site.config.body_min_rate = 1000;
	CHECK(t, site_start(&site));
	for (size_t i = 0; i < KB_COUNTOF(slow); i++) {
		fds[i] = (struct pollfd){ .fd = site_connect(&site), .events = POLLIN };
		site_send(fds[i].fd, kb_sv_str(slow[i].sent));
		kb_buf_init(&texts[i], KB_MIB(1));
	}
	for (int ms = 0; open && ms < site_hang_ms(); ms += 10) {
		site_sleep_ms(10);
		for (size_t i = 0; i < KB_COUNTOF(slow); i++) {
			if (closed[i])
				continue;
			if (slow[i].trickle_ms && ms % slow[i].trickle_ms == 0)
				site_send(fds[i].fd, KB_SV("a"));
			if (site_read(fds[i].fd, &texts[i], NULL, 0)) {
				closed[i] = kb_clock_mono_us() - start;
				open--;
			}
		}
	}
	for (size_t i = 0; i < KB_COUNTOF(slow); i++) {
		t->row = slow[i].name;
		CHECK(t, closed[i] > 250000); /* load makes it later, never earlier */
		CHECK_SV(t, kb_sv_sub(kb_buf_view(&texts[i]), 0, strlen(slow[i].want)),
		         slow[i].want);
		kb_buf_fini(&texts[i]);
		close(fds[i].fd);
	}
	site_stop(&site, 1000);
}

static void test_write_stall(struct kb_test *t)
{
	struct kb_buf text;
	struct site site;
	int fd;

	site_init(&site);
	site.config.write_timeout_ms = 300;
	CHECK(t, site_start(&site));
	fd = site_connect(&site);
	kb_buf_init(&text, KB_MIB(16));
	site_send(fd, KB_SV("GET /big HTTP/1.1\r\n" H "\r\n"));
	CHECK(t, !site_read(fd, &text, "\r\n\r\n", site_hang_ms()));
	/* What was on its way when it stopped is still taken by its kernel, and counts. */
	CHECK(t, site_wait_open(&site, 0, 0));
	CHECK(t, site_read(fd, &text, NULL, site_hang_ms()));
	CHECK(t, text.n < KB_MIB(8));
	kb_buf_fini(&text);
	close(fd);
	site_stop(&site, 1000);
}

/* A peer that never stops for long, and takes about 3 MB a second of 8. */
static void test_write_rate(struct kb_test *t)
{
	static const struct {
		const char *name;
		int min_rate, window_ms;
		bool whole;
	} peers[] = {
		{ "slower than the floor", 20 * 1000 * 1000, 200, false },
		{ "above the floor", 1000, 1000, true },
	};

	for (size_t i = 0; i < KB_COUNTOF(peers); i++) {
		int64_t end = kb_clock_mono_us() + site_hang_ms() * INT64_C(1000);
		char piece[32 * 1024];
		struct site site;
		size_t got = 0;
		ssize_t n;
		int fd, small = sizeof(piece);

		t->row = peers[i].name;
		site_init(&site);
		site.config.write_timeout_ms = site_hang_ms();
		site.config.write_min_rate = peers[i].min_rate;
		site.config.write_rate_window_ms =
		        peers[i].whole ? kb_test_patient(peers[i].window_ms) : peers[i].window_ms;
		CHECK(t, site_start(&site));
		fd = site_connect(&site);
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
		site_send(fd, KB_SV("GET /big HTTP/1.1\r\n" H "Connection: close\r\n\r\n"));
		while ((n = recv(fd, piece, sizeof(piece), 0)) > 0 && kb_clock_mono_us() < end) {
			got += (size_t)n;
			site_sleep_ms(10);
		}
		CHECK_INT(t, got > KB_MIB(8), peers[i].whole);
		CHECK(t, got > sizeof(piece)); /* it was served for a while */
		close(fd);
		site_stop(&site, 1000);
	}
}

/* Answers in progress end with the right to them, streams and others, and no others do. */
static void test_lost_owner(struct kb_test *t)
{
	static const struct {
		const char *name, *target;
		bool ends;
	} answers[] = {
		{ "a stream", "/idle-stream?owner=7", true },
		{ "an answer that waits for its reader", "/big?owner=7", true },
		{ "a second stream", "/idle-stream?owner=7", true },
		{ "another owner's stream", "/idle-stream?owner=8", false },
		{ "another owner's waiting answer", "/big?owner=8", false },
		{ "nobody's stream", "/idle-stream", false },
	};
	int64_t end = kb_clock_mono_us() + site_hang_ms() * INT64_C(1000);
	int fds[KB_COUNTOF(answers)];
	struct kb_buf texts[KB_COUNTOF(answers)];
	struct site site;

	site_init(&site);
	CHECK(t, site_start(&site));
	for (size_t i = 0; i < KB_COUNTOF(answers); i++) {
		struct kb_arena arena = { 0 };

		kb_buf_init(&texts[i], KB_MIB(64));
		fds[i] = site_connect(&site);
		site_send(fds[i], kb_arena_printf(&arena, "GET %s HTTP/1.1\r\n" H "\r\n",
		                                  answers[i].target));
		CHECK(t,
		      !site_read(fds[i], &texts[i], "\r\n\r\n", site_hang_ms())); /* it has begun */
		kb_arena_fini(&arena);
	}
	atomic_store(&site.lost, 7);
	CHECK(t, site_wait_for(&site.streams_gone, 2));
	CHECK(t, site_wait_open(&site, 3, 2));
	atomic_store(&site.go, 1);
	for (size_t i = 0; i < KB_COUNTOF(answers); i++) {
		bool whole;

		t->row = answers[i].name;
		while (!site_read(fds[i], &texts[i], "\r\n0\r\n\r\n", 50) && texts[i].n < KB_MIB(8)
		       && kb_sv_find(kb_buf_view(&texts[i]), KB_SV("\r\n0\r\n\r\n")) < 0
		       && kb_clock_mono_us() < end)
			;
		whole = kb_sv_ends(kb_buf_view(&texts[i]), KB_SV("0\r\n\r\n"))
		        || texts[i].n > KB_MIB(8);
		CHECK_INT(t, !whole, answers[i].ends);
		kb_buf_fini(&texts[i]);
		close(fds[i]);
	}
	site_stop(&site, 1000);
}

/* 2,000 peers that never finish their heads: others are answered beside them, and they are gone
 * although some of them go on sending. */
static void test_slow_loris(struct kb_test *t)
{
	enum { PEERS = 2000 };
	static int fds[PEERS];
	int64_t end, beside = 0;
	struct kb_server_stats stats;
	struct site site;

	site_init(&site);
	site.config.header_timeout_ms = kb_test_patient(3000);
	CHECK(t, site_start(&site));
	for (int i = 0; i < PEERS; i++) {
		fds[i] = site_connect(&site);
		CHECK(t, fds[i] >= 0 && site_send(fds[i], KB_SV("GET /hello HTTP/1.1\r\nX: a")));
	}
	end = kb_clock_mono_us() + site_hang_ms() * INT64_C(1000);
	do {
		struct kb_arena arena = { 0 };

		CHECK_INT(t, site_status(site_ask(&arena, &site, KB_SV(LAST))), 200);
		kb_arena_fini(&arena);
		kb_server_stats(site.server, &stats);
		beside = KB_MAX(beside, stats.connections);
		for (int i = 0; i < PEERS; i += 10)
			send(fds[i], "a", 1, MSG_NOSIGNAL);
		site_sleep_ms(20);
	} while (stats.connections > 0 && kb_clock_mono_us() < end);
	CHECK_INT(t, stats.connections, 0);
	CHECK(t, beside > PEERS / 2);
	for (int i = 0; i < PEERS; i++)
		close(fds[i]);
	site_stop(&site, 1000);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a large answer waits for its reader", test_slow_reader },
		{ "a stream's writer learns that the peer is gone", test_peer_gone },
		{ "streams have a limit, and writers may wait", test_flood },
		{ "slow peers are dropped", test_deadlines },
		{ "a peer that stops reading is dropped", test_write_stall },
		{ "a peer that takes too little in its time is dropped", test_write_rate },
		{ "answers end when their owner loses the right to them", test_lost_owner },
		{ "2,000 slow-loris peers hold up nobody, and are gone at the deadline",
		  test_slow_loris },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
