/* The server as peers see it: raw bytes in, answers and the connection's fate out. Streams and slow
 * peers are in server_peers_test.c, its start, caps and stop in server_life_test.c. */
#include "http/server.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "site.h"
#include "test.h"

#define H    "Host: a\r\n"
#define LAST "GET /hello HTTP/1.1\r\n" H "Connection: close\r\n\r\n"

/* Each row is sent, and LAST right behind it: if the connection lives on, "hello" is the end of
 * what comes back. */
static const struct {
	const char *name;
	struct kb_sv bytes;
	int status;
	bool open;
	const char *body; /* begins so; NULL: not looked at */
} rows[] = {
	{ "a request", KB_SV_INIT("GET /hello HTTP/1.1\r\n" H "\r\n"), 200, true, "hello" },
	{ "a fast one", KB_SV_INIT("GET /fast HTTP/1.1\r\n" H "\r\n"), 200, true, "fast" },
	{ "a fast one that needs a worker", KB_SV_INIT("GET /fast?slowly HTTP/1.1\r\n" H "\r\n"),
	  200, true, "slow" },
	{ "a parameter and the host", KB_SV_INIT("GET /items/a%20b HTTP/1.1\r\n" H "\r\n"), 200,
	  true, "item a b of a" },
	{ "absolute form", KB_SV_INIT("GET http://x.y/items/1 HTTP/1.1\r\n" H "\r\n"), 200, true,
	  "item 1 of x.y" },
	{ "OPTIONS *", KB_SV_INIT("OPTIONS * HTTP/1.1\r\n" H "\r\n"), 204, true, NULL },
	{ "an unknown path", KB_SV_INIT("GET /nothing HTTP/1.1\r\n" H "\r\n"), 404, true,
	  "refused: " },
	{ "another method", KB_SV_INIT("PUT /hello HTTP/1.1\r\n" H "\r\n"), 405, true,
	  "refused: " },
	{ "an unknown path with a small body",
	  KB_SV_INIT("POST /nothing HTTP/1.1\r\n" H "Content-Length: 3\r\n\r\nabc"), 404, true,
	  "refused: " },
	{ "HTTP/1.0", KB_SV_INIT("GET /hello HTTP/1.0\r\n\r\n"), 200, false, "hello" },
	{ "HTTP/1.0 with keep-alive",
	  KB_SV_INIT("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"), 200, true, "hello" },
	{ "Connection: close", KB_SV_INIT("GET /hello HTTP/1.1\r\n" H "Connection: close\r\n\r\n"),
	  200, false, "hello" },
	{ "a handler that closes", KB_SV_INIT("GET /fields HTTP/1.1\r\n" H "\r\n"), 201, false,
	  "" },
	{ "a malformed head", KB_SV_INIT("GET /hello HTTP/1.1\r\nHost : a\r\n\r\n"), 400, false,
	  "refused: " },
	{ "an unknown method", KB_SV_INIT("FOO /hello HTTP/1.1\r\n" H "\r\n"), 501, false,
	  "refused: " },
	{ "HTTP/2.0", KB_SV_INIT("GET /hello HTTP/2.0\r\n" H "\r\n"), 505, false, "refused: " },

	{ "a body", KB_SV_INIT("POST /echo HTTP/1.1\r\n" H "Content-Length: 5\r\n\r\nabcde"), 200,
	  true, "abcde" },
	{ "an empty body", KB_SV_INIT("POST /echo HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n"), 200,
	  true, "" },
	{ "POST without a length", KB_SV_INIT("POST /echo HTTP/1.1\r\n" H "\r\n"), 200, true, "" },
	{ "GET with a body", KB_SV_INIT("GET /echo HTTP/1.1\r\n" H "Content-Length: 2\r\n\r\n{}"),
	  200, true, "{}" },
	{ "a chunked body with extension and trailer",
	  KB_SV_INIT(
	          "POST /echo HTTP/1.1\r\n" H
	          "Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nT: u\r\n\r\n"),
	  200, true, "abcde" },
	{ "a malformed chunk",
	  KB_SV_INIT("POST /echo HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\nzz\r\n"), 400,
	  false, "refused: " },
	{ "a length over the limit",
	  KB_SV_INIT("POST /echo HTTP/1.1\r\n" H "Content-Length: 1001\r\n\r\n"), 400, false,
	  "refused: the request's body of 1001 bytes is over the limit of 1000 bytes" },
	{ "a body nobody wants",
	  KB_SV_INIT("DELETE /drop HTTP/1.1\r\n" H "Content-Length: 4\r\n\r\nabcd"), 200, true,
	  "hello" },
	{ "too much that nobody wants",
	  KB_SV_INIT("DELETE /drop HTTP/1.1\r\n" H "Content-Length: 65537\r\n\r\n"), 400, false,
	  "refused: " },
	{ "100-continue, the body sent at once",
	  KB_SV_INIT("POST /echo HTTP/1.1\r\n" H
	             "Expect: 100-continue\r\nContent-Length: 2\r\n\r\nok"),
	  200, true, "ok" },
	{ "100-continue for too much",
	  KB_SV_INIT("POST /echo HTTP/1.1\r\n" H
	             "Expect: 100-continue\r\nContent-Length: 5000\r\n\r\n"),
	  400, false, "refused: " },
	{ "100-continue to an unknown path",
	  KB_SV_INIT("POST /nothing HTTP/1.1\r\n" H
	             "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"),
	  404, false, "refused: " },
	{ "a form to JSON's address",
	  KB_SV_INIT("POST /form HTTP/1.1\r\n" H
	             "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 7\r\n\r\n"
	             "a=b+c&d"),
	  200, true, "a=b c;d=;" },
	{ "a stream", KB_SV_INIT("GET /stream HTTP/1.1\r\n" H "\r\n"), 200, true,
	  "4\r\none\n\r\n4\r\ntwo\n\r\n6\r\nthree\n\r\n0\r\n\r\n" },
	{ "a stream for HTTP/1.0", KB_SV_INIT("GET /stream HTTP/1.0\r\n\r\n"), 200, false,
	  "one\ntwo\nthree\n" },
};

static void test_rows(struct kb_test *t)
{
	struct site site;

	site_init(&site);
	CHECK(t, site_start(&site));
	for (size_t i = 0; i < KB_COUNTOF(rows) && site.server; i++) {
		struct kb_arena arena = { 0 };
		struct kb_sv sent, answer;

		t->row = rows[i].name;
		sent = kb_arena_printf(&arena, "%.*s" LAST, KB_SV_ARG(rows[i].bytes));
		answer = site_ask(&arena, &site, sent);
		CHECK_INT(t, site_status(answer), rows[i].status);
		CHECK_INT(t,
		          kb_sv_ends(answer, KB_SV("hello")) && site_count(answer, "HTTP/1.1 ") > 1,
		          rows[i].open);
		if (rows[i].body)
			CHECK_SV(t, kb_sv_sub(site_body(answer), 0, strlen(rows[i].body)),
			         rows[i].body);
		CHECK(t, kb_sv_find(answer, KB_SV("X-Decorated: yes\r\n")) > 0);
		kb_arena_fini(&arena);
	}
	site_stop(&site, 1000);
}

/* ---- order, HEAD, pieces ---- */

static void test_pipelining(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_buf sent, want;
	struct kb_sv answer, got = KB_SV("");
	struct site site;

	site_init(&site);
	CHECK(t, site_start(&site));
	kb_buf_init(&sent, KB_MIB(1));
	kb_buf_init(&want, KB_MIB(1));
	for (int i = 0; i < 200; i++) {
		if (i % 3 == 0)
			kb_buf_str(&sent, "GET /fast HTTP/1.1\r\n" H "\r\n");
		else if (i % 3 == 1)
			kb_buf_printf(&sent, "GET /items/%d HTTP/1.1\r\n" H "\r\n", i);
		else
			kb_buf_printf(&sent,
			              "POST /echo HTTP/1.1\r\n" H "Content-Length: 4\r\n\r\n%04d",
			              i);
		if (i % 3 == 0)
			kb_buf_str(&want, "fast;");
		else if (i % 3 == 1)
			kb_buf_printf(&want, "item %d of a;", i);
		else
			kb_buf_printf(&want, "%04d;", i);
	}
	kb_buf_str(&sent, LAST);
	kb_buf_str(&want, "hello;");
	answer = site_ask(&arena, &site, kb_buf_view(&sent));
	CHECK_INT(t, site_count(answer, "HTTP/1.1 200 OK"), 201);
	while (answer.n) {
		ptrdiff_t length = kb_sv_find(answer, KB_SV("Content-Length: "));
		struct kb_sv body = site_body(answer);
		int64_t n = 0;

		if (length < 0)
			break;
		n = strtoll(answer.p + length + 16, NULL, 10);
		got = kb_arena_printf(&arena, "%.*s%.*s;", KB_SV_ARG(got),
		                      KB_SV_ARG(kb_sv_sub(body, 0, (size_t)n)));
		answer = kb_sv_from(body, (size_t)n);
	}
	kb_buf_byte(&want, '\0');
	CHECK_SV(t, got, want.p);
	kb_buf_fini(&sent);
	kb_buf_fini(&want);
	kb_arena_fini(&arena);
	site_stop(&site, 1000);
}

/* The loop's share of a turn ends between two of them, at every place. */
static void test_pipelined_fast(struct kb_test *t)
{
	static const int counts[] = { 31, 32, 33, 34, 64, 65, 66, 200 };
	struct site site;

	site_init(&site);
	CHECK(t, site_start(&site));
	for (size_t i = 0; i < KB_COUNTOF(counts); i++) {
		struct kb_arena arena = { 0 };
		struct kb_buf sent;
		struct kb_sv answer;

		kb_buf_init(&sent, KB_MIB(1));
		for (int k = 0; k < counts[i]; k++)
			kb_buf_str(&sent, "GET /fast HTTP/1.1\r\n" H "\r\n");
		kb_buf_str(&sent, LAST);
		answer = site_ask(&arena, &site, kb_buf_view(&sent));
		CHECK_INT(t, site_count(answer, "HTTP/1.1 200 OK"), counts[i] + 1);
		CHECK_INT(t, site_count(answer, "\r\n\r\nfast"), counts[i]);
		CHECK(t, kb_sv_ends(answer, KB_SV("hello")));
		kb_buf_fini(&sent);
		kb_arena_fini(&arena);
	}
	site_stop(&site, 1000);
}

static void test_head(struct kb_test *t)
{
	static const struct {
		const char *name, *target, *length;
	} targets[] = {
		{ "of a handler", "/hello", "Content-Length: 5\r\n" },
		{ "of a fast one", "/fast", "Content-Length: 4\r\n" },
		{ "of a large body", "/big", "Content-Length: 8388608\r\n" },
		{ "of a file", "/file", "Content-Length: 10\r\n" },
		{ "of a stream", "/stream", "Transfer-Encoding: chunked\r\n" },
		{ "of nothing", "/nothing", "HTTP/1.1 404" },
	};
	struct kb_err err;
	struct site site;

	site_init(&site);
	CHECK(t, site_start(&site));
	for (size_t i = 0; i < KB_COUNTOF(targets); i++) {
		struct kb_arena arena = { 0 };
		struct kb_sv path = kb_arena_printf(&arena, "%s/file", site.dir), answer;

		t->row = targets[i].name;
		CHECK(t, kb_file_replace(path.p, KB_SV("0123456789"), &err));
		answer = site_ask(&arena, &site,
		                  kb_arena_printf(&arena, "HEAD %s HTTP/1.1\r\n" H "\r\n" LAST,
		                                  targets[i].target));
		CHECK(t, kb_sv_find(answer, kb_sv_str(targets[i].length)) >= 0);
		CHECK(t, kb_sv_starts(site_body(answer), KB_SV("HTTP/1.1 200 OK\r\n")));
		CHECK(t, kb_sv_ends(answer, KB_SV("\r\n\r\nhello")));
		kb_arena_fini(&arena);
	}
	site_stop(&site, 1000);
}

static void test_byte_by_byte(struct kb_test *t)
{
	static const char request[] =
	        "POST /echo HTTP/1.1\r\n" H
	        "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n" LAST;
	struct kb_buf text;
	struct site site;
	int fd;

	site_init(&site);
	CHECK(t, site_start(&site));
	fd = site_connect(&site);
	kb_buf_init(&text, KB_MIB(1));
	for (size_t i = 0; i < sizeof(request) - 1; i++) {
		site_send(fd, kb_sv(request + i, 1));
		if (i % 16 == 0)
			site_sleep_ms(1);
	}
	CHECK(t, site_read(fd, &text, NULL, site_hang_ms()));
	CHECK_INT(t, site_count(kb_buf_view(&text), "200 OK"), 2);
	CHECK(t, kb_sv_find(kb_buf_view(&text), KB_SV("\r\n\r\nabcHTTP")) > 0);
	kb_buf_fini(&text);
	close(fd);
	site_stop(&site, 1000);
}

static void test_half_closed(struct kb_test *t)
{
	struct kb_buf text;
	struct site site;
	int fd;

	site_init(&site);
	CHECK(t, site_start(&site));
	fd = site_connect(&site);
	kb_buf_init(&text, KB_MIB(1));
	site_send(fd, KB_SV("GET /hello HTTP/1.1\r\n" H "\r\n"));
	shutdown(fd, SHUT_WR);
	CHECK(t, site_read(fd, &text, NULL, site_hang_ms()));
	CHECK(t, kb_sv_ends(kb_buf_view(&text), KB_SV("hello")));
	kb_buf_fini(&text);
	close(fd);
	site_stop(&site, 1000);
}

static void test_continue(struct kb_test *t)
{
	struct kb_buf text;
	struct site site;
	int fd;

	site_init(&site);
	CHECK(t, site_start(&site));
	fd = site_connect(&site);
	kb_buf_init(&text, KB_MIB(1));
	site_send(fd, KB_SV("POST /echo HTTP/1.1\r\n" H
	                    "Expect: 100-continue\r\nContent-Length: 4\r\n\r\n"));
	CHECK(t, !site_read(fd, &text, "\r\n\r\n", site_hang_ms()));
	CHECK_SV(t, kb_buf_view(&text), "HTTP/1.1 100 Continue\r\n\r\n");
	site_send(fd, KB_SV("body"));
	CHECK(t, !site_read(fd, &text, "body", site_hang_ms()));
	CHECK_INT(t, site_status(kb_buf_view(&text)), 200);
	kb_buf_fini(&text);
	close(fd);
	site_stop(&site, 1000);
}

static void test_fields(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_sv answer;
	struct site site;

	site_init(&site);
	CHECK(t, site_start(&site));
	answer = site_ask(&arena, &site, KB_SV("PUT /echo HTTP/1.1\r\n" H "\r\n" LAST));
	CHECK(t, kb_sv_find(answer, KB_SV("\r\nAllow: GET, POST, HEAD\r\n")) > 0);
	answer = site_ask(&arena, &site, KB_SV("GET /fields HTTP/1.1\r\n" H "\r\n"));
	CHECK(t, kb_sv_find(answer, KB_SV("\r\nX-Odd: a  Evil: yes\r\n")) > 0);
	CHECK(t, kb_sv_find(answer, KB_SV(" GMT\r\n")) > 0);
	CHECK(t, kb_sv_find(answer, KB_SV("\r\nConnection: close\r\n")) > 0);
	kb_arena_fini(&arena);
	site_stop(&site, 1000);
}

/* ---- bodies ---- */

/* A body of n bytes in chunks of 100, or with its length. */
static void add_body(struct kb_buf *buf, size_t n, bool chunked)
{
	if (chunked)
		kb_buf_str(buf, "Transfer-Encoding: chunked\r\n\r\n");
	else
		kb_buf_printf(buf, "Content-Length: %zu\r\n\r\n", n);
	for (size_t i = 0; i < n; i++) {
		if (chunked && i % 100 == 0)
			kb_buf_printf(buf, "%s%zx\r\n", i ? "\r\n" : "",
			              KB_MIN(n - i, (size_t)100));
		kb_buf_byte(buf, (char)('a' + i % 26));
	}
	if (chunked)
		kb_buf_str(buf, "\r\n0\r\n\r\n");
}

static bool is_pattern(struct kb_sv body)
{
	for (size_t i = 0; i < body.n; i++)
		if (body.p[i] != (char)('a' + i % 26))
			return false;
	return true;
}

static void test_bodies(struct kb_test *t)
{
	static const struct {
		const char *name, *target;
		size_t n;
		bool chunked;
		int status;
		bool whole; /* it comes back */
	} bodies[] = {
		{ "exactly the limit", "/echo", 1000, false, 200, true },
		{ "exactly the limit in chunks", "/echo", 1000, true, 200, true },
		{ "one more in chunks", "/echo", 1001, true, 400, false },
		{ "much more in chunks", "/echo", 100000, true, 400, false },
		{ "much more", "/echo", 3000000, false, 400, false },
		{ "a large one", "/large", 4 * 1024 * 1024, false, 200, true },
		{ "a large one in chunks", "/large", 1024 * 1024, true, 200, true },
		{ "a large one to an unknown path", "/nothing", 3000000, false, 404, false },
		{ "a large one in chunks to an unknown path", "/nothing", 3000000, true, 404,
		  false },
	};
	struct site site;

	site_init(&site);
	CHECK(t, site_start(&site));
	for (size_t i = 0; i < KB_COUNTOF(bodies); i++) {
		struct kb_arena arena = { 0 };
		struct kb_buf sent;
		struct kb_sv answer;

		t->row = bodies[i].name;
		kb_buf_init(&sent, KB_MIB(16));
		kb_buf_printf(&sent, "POST %s HTTP/1.1\r\n" H "Connection: close\r\n",
		              bodies[i].target);
		add_body(&sent, bodies[i].n, bodies[i].chunked);
		answer = site_ask(&arena, &site, kb_buf_view(&sent));
		CHECK_INT(t, site_status(answer), bodies[i].status);
		if (bodies[i].whole) {
			struct kb_sv body = site_body(answer);

			CHECK_INT(t, body.n, bodies[i].n);
			CHECK(t, is_pattern(body));
		}
		kb_buf_fini(&sent);
		kb_arena_fini(&arena);
	}
	site_stop(&site, 1000);
}

static void test_admission(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_buf sent;
	struct site site;
	struct kb_sv answer;

	site_init(&site);
	CHECK(t, site_start(&site));
	kb_buf_init(&sent, KB_MIB(2));
	kb_buf_str(&sent, "POST /large HTTP/1.1\r\n" H "Expect: 100-continue\r\n");
	add_body(&sent, 500000, false);
	kb_buf_str(&sent, LAST);

	answer = site_ask(&arena, &site, kb_buf_view(&sent));
	CHECK_INT(t, site_status(answer), 200);
	CHECK_INT(t, atomic_load(&site.admitted), 1);
	CHECK(t, kb_sv_ends(answer, KB_SV("hello")));

	atomic_store(&site.refuse_admission, 1);
	answer = site_ask(&arena, &site, kb_buf_view(&sent));
	CHECK_INT(t, site_status(answer), 401);
	CHECK_INT(t, site_count(answer, "100 Continue"), 0);
	CHECK_INT(t, site_count(answer, "HTTP/1.1"), 1); /* and the connection has ended */
	CHECK_SV(t, site_body(answer), "who are you?");

	answer = site_ask(&arena, &site,
	                  KB_SV("POST /echo HTTP/1.1\r\n" H "Content-Length: 1\r\n\r\na" LAST));
	CHECK_INT(t, site_status(answer), 200); /* small ones are not asked about */
	CHECK_INT(t, atomic_load(&site.admitted), 2);
	kb_buf_fini(&sent);
	kb_arena_fini(&arena);
	site_stop(&site, 1000);
}

/* ---- files ---- */

static void test_files(struct kb_test *t)
{
	static const struct {
		const char *name, *field;
		int status;
		const char *body, *header;
	} ranges[] = {
		{ "all", "", 200, "0123456789", "Accept-Ranges: bytes" },
		{ "a range", "Range: bytes=2-4\r\n", 206, "234", "Content-Range: bytes 2-4/10" },
		{ "the end", "Range: bytes=-3\r\n", 206, "789", "Content-Range: bytes 7-9/10" },
		{ "behind the end", "Range: bytes=10-\r\n", 416, "", "Content-Range: bytes */10" },
		{ "two ranges", "Range: bytes=0-1,3-4\r\n", 200, "0123456789",
		  "Content-Length: 10" },
		{ "If-Range", "Range: bytes=2-4\r\nIf-Range: \"x\"\r\n", 200, "0123456789",
		  "Content-Length: 10" },
	};
	struct kb_arena arena = { 0 };
	struct kb_buf big;
	struct kb_err err;
	struct site site;
	struct kb_sv path, answer;

	site_init(&site);
	CHECK(t, site_start(&site));
	path = kb_arena_printf(&arena, "%s/file", site.dir);
	CHECK(t, kb_file_replace(path.p, KB_SV("0123456789"), &err));
	for (size_t i = 0; i < KB_COUNTOF(ranges); i++) {
		t->row = ranges[i].name;
		answer = site_ask(&arena, &site,
		                  kb_arena_printf(&arena,
		                                  "GET /file HTTP/1.1\r\n" H
		                                  "Connection: close\r\n%s\r\n",
		                                  ranges[i].field));
		CHECK_INT(t, site_status(answer), ranges[i].status);
		CHECK_SV(t, site_body(answer), ranges[i].body);
		CHECK(t, kb_sv_find(answer, kb_sv_str(ranges[i].header)) > 0);
	}
	t->row = "12 MB";
	kb_buf_init(&big, KB_MIB(16));
	for (int i = 0; i < 3 * 1024 * 1024; i++)
		kb_buf_u32(&big, (uint32_t)i);
	CHECK(t, kb_file_replace(path.p, kb_buf_view(&big), &err));
	answer = site_ask(&arena, &site,
	                  KB_SV("GET /file HTTP/1.1\r\n" H "Connection: close\r\n\r\n"));
	CHECK(t, kb_sv_eq(site_body(answer), kb_buf_view(&big)));
	kb_buf_fini(&big);
	kb_arena_fini(&arena);
	site_stop(&site, 1000);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "requests as a table: status, body, connection", test_rows },
		{ "200 pipelined requests are answered in order", test_pipelining },
		{ "200 pipelined requests that the loop answers", test_pipelined_fast },
		{ "HEAD has the fields and no body", test_head },
		{ "a request may come byte by byte", test_byte_by_byte },
		{ "a peer that closed its direction gets its answer", test_half_closed },
		{ "100-continue is sent when the body is wanted", test_continue },
		{ "Allow, and values that cannot end their line", test_fields },
		{ "bodies up to their limit, refusals despite what still comes", test_bodies },
		{ "large bodies are admitted before they are read", test_admission },
		{ "files and ranges", test_files },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
