/* Request heads, their values, and chunked bodies, as tables. */
#include "http/http.h"

#include <stdlib.h>

#include "test.h"

/* Reads one head from bytes that arrive `step` at a time. 0: not complete; else the status. */
static int read_head(char *bytes, size_t n, size_t step, struct kb_http_head *head,
                     struct kb_err *why)
{
	struct kb_http_scan scan = { 0 };
	size_t head_n = 0;

	for (size_t have = 0; have < n;) {
		have = KB_MIN(have + step, n);
		switch (kb_http_scan_head(&scan, kb_sv(bytes, have), &head_n, why)) {
		case KB_HTTP_BAD:
			return why->status;
		case KB_HTTP_DONE:
			return kb_http_parse_head(bytes, head_n, head, why) ? 200 : why->status;
		default:
			break;
		}
	}
	return 0;
}

#define H "Host: a\r\n"

static const struct {
	const char *name;
	struct kb_sv bytes;
	int status; /* 200: accepted, 0: more is needed */
} heads[] = {
	{ "the smallest request", KB_SV_INIT("GET / HTTP/1.1\r\n" H "\r\n"), 200 },
	{ "not complete", KB_SV_INIT("GET / HTTP/1.1\r\n" H), 0 },
	{ "HTTP/1.0 needs no Host", KB_SV_INIT("GET / HTTP/1.0\r\n\r\n"), 200 },
	{ "an empty line before it", KB_SV_INIT("\r\nGET / HTTP/1.1\r\n" H "\r\n"), 200 },
	{ "a bare LF before it", KB_SV_INIT("\nGET / HTTP/1.1\r\n" H "\r\n"), 400 },
	{ "absolute form", KB_SV_INIT("GET http://b:80/x?y HTTP/1.1\r\n" H "\r\n"), 200 },
	{ "absolute form with a user", KB_SV_INIT("GET http://u@b/ HTTP/1.1\r\n" H "\r\n"), 400 },
	{ "absolute form without host", KB_SV_INIT("GET http:///x HTTP/1.1\r\n" H "\r\n"), 400 },
	{ "another scheme", KB_SV_INIT("GET ftp://b/x HTTP/1.1\r\n" H "\r\n"), 400 },
	{ "a target without slash", KB_SV_INIT("GET x HTTP/1.1\r\n" H "\r\n"), 400 },
	{ "asterisk form", KB_SV_INIT("OPTIONS * HTTP/1.1\r\n" H "\r\n"), 200 },
	{ "asterisk form with GET", KB_SV_INIT("GET * HTTP/1.1\r\n" H "\r\n"), 400 },
	{ "authority form", KB_SV_INIT("CONNECT a:1 HTTP/1.1\r\n" H "\r\n"), 501 },
	{ "an unknown method", KB_SV_INIT("FOO / HTTP/1.1\r\n" H "\r\n"), 501 },
	{ "methods have a case", KB_SV_INIT("get / HTTP/1.1\r\n" H "\r\n"), 501 },
	{ "a method that is no token", KB_SV_INIT("G(T / HTTP/1.1\r\n" H "\r\n"), 400 },
	{ "no method", KB_SV_INIT(" / HTTP/1.1\r\n" H "\r\n"), 400 },
	{ "two blanks after the method", KB_SV_INIT("GET  / HTTP/1.1\r\n" H "\r\n"), 400 },
	{ "two blanks after the target", KB_SV_INIT("GET /  HTTP/1.1\r\n" H "\r\n"), 400 },
	{ "a tab for a blank", KB_SV_INIT("GET\t/ HTTP/1.1\r\n" H "\r\n"), 400 },
	{ "a blank at the end", KB_SV_INIT("GET / HTTP/1.1 \r\n" H "\r\n"), 400 },
	{ "no version", KB_SV_INIT("GET /\r\n" H "\r\n"), 400 },
	{ "version 2.0", KB_SV_INIT("GET / HTTP/2.0\r\n" H "\r\n"), 505 },
	{ "version 1.2", KB_SV_INIT("GET / HTTP/1.2\r\n" H "\r\n"), 505 },
	{ "version 0.9", KB_SV_INIT("GET / HTTP/0.9\r\n\r\n"), 505 },
	{ "version 1.10", KB_SV_INIT("GET / HTTP/1.10\r\n" H "\r\n"), 400 },
	{ "a version in small letters", KB_SV_INIT("GET / http/1.1\r\n" H "\r\n"), 400 },
	{ "a fragment", KB_SV_INIT("GET /a#b HTTP/1.1\r\n" H "\r\n"), 400 },
	{ "UTF-8 in the target", KB_SV_INIT("GET /\xc3\xaf HTTP/1.1\r\n" H "\r\n"), 400 },
	{ "a control byte in the target", KB_SV_INIT("GET /\x01 HTTP/1.1\r\n" H "\r\n"), 400 },
	{ "a TLS hello", KB_SV_INIT("\x16\x03\x01\x02"), 400 },

	{ "no Host", KB_SV_INIT("GET / HTTP/1.1\r\nA: b\r\n\r\n"), 400 },
	{ "two Hosts", KB_SV_INIT("GET / HTTP/1.1\r\n" H H "\r\n"), 400 },
	{ "an empty Host", KB_SV_INIT("GET / HTTP/1.1\r\nHost:\r\n\r\n"), 200 },
	{ "a Host with a blank", KB_SV_INIT("GET / HTTP/1.1\r\nHost: a b\r\n\r\n"), 400 },
	{ "a Host with a path", KB_SV_INIT("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"), 400 },
	{ "an IPv6 Host", KB_SV_INIT("GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n"), 200 },
	{ "a blank before the colon", KB_SV_INIT("GET / HTTP/1.1\r\nHost : a\r\n\r\n"), 400 },
	{ "a field without colon", KB_SV_INIT("GET / HTTP/1.1\r\n" H "abc\r\n\r\n"), 400 },
	{ "a field without name", KB_SV_INIT("GET / HTTP/1.1\r\n" H ": b\r\n\r\n"), 400 },
	{ "an empty value", KB_SV_INIT("GET / HTTP/1.1\r\n" H "A:\r\n\r\n"), 200 },
	{ "a name that is no token", KB_SV_INIT("GET / HTTP/1.1\r\n" H "A(b: c\r\n\r\n"), 400 },
	{ "a folded field", KB_SV_INIT("GET / HTTP/1.1\r\n" H "A: b\r\n c\r\n\r\n"), 400 },
	{ "a fold before any field", KB_SV_INIT("GET / HTTP/1.1\r\n " H "\r\n"), 400 },
	{ "NUL in a value", KB_SV_INIT("GET / HTTP/1.1\r\n" H "A: b\0c\r\n\r\n"), 400 },
	{ "a control byte in a value", KB_SV_INIT("GET / HTTP/1.1\r\n" H "A: b\x1f\r\n\r\n"), 400 },
	{ "DEL in a value", KB_SV_INIT("GET / HTTP/1.1\r\n" H "A: \x7f\r\n\r\n"), 400 },
	{ "a tab in a value", KB_SV_INIT("GET / HTTP/1.1\r\n" H "A: b\tc\r\n\r\n"), 200 },
	{ "bytes over 127 in a value", KB_SV_INIT("GET / HTTP/1.1\r\n" H "A: \xff\r\n\r\n"), 200 },
	{ "bare CR in a value", KB_SV_INIT("GET / HTTP/1.1\r\n" H "A: b\rc\r\n\r\n"), 400 },
	{ "bare LF ends the request line", KB_SV_INIT("GET / HTTP/1.1\n" H "\r\n"), 400 },
	{ "bare LF ends a field", KB_SV_INIT("GET / HTTP/1.1\r\nHost: a\n\r\n"), 400 },
	{ "bare LF ends the head", KB_SV_INIT("GET / HTTP/1.1\r\n" H "\n"), 400 },
	{ "CR CR LF", KB_SV_INIT("GET / HTTP/1.1\r\r\n" H "\r\n"), 400 },

	{ "a length", KB_SV_INIT("POST / HTTP/1.1\r\n" H "Content-Length: 5\r\n\r\n"), 200 },
	{ "length +5", KB_SV_INIT("POST / HTTP/1.1\r\n" H "Content-Length: +5\r\n\r\n"), 400 },
	{ "length 5x", KB_SV_INIT("POST / HTTP/1.1\r\n" H "Content-Length: 5x\r\n\r\n"), 400 },
	{ "length -1", KB_SV_INIT("POST / HTTP/1.1\r\n" H "Content-Length: -1\r\n\r\n"), 400 },
	{ "length -0", KB_SV_INIT("POST / HTTP/1.1\r\n" H "Content-Length: -0\r\n\r\n"), 400 },
	{ "length 0x5", KB_SV_INIT("POST / HTTP/1.1\r\n" H "Content-Length: 0x5\r\n\r\n"), 400 },
	{ "an empty length", KB_SV_INIT("POST / HTTP/1.1\r\n" H "Content-Length:\r\n\r\n"), 400 },
	{ "a list of lengths", KB_SV_INIT("POST / HTTP/1.1\r\n" H "Content-Length: 5, 5\r\n\r\n"),
	  400 },
	{ "a length beyond 63 bits",
	  KB_SV_INIT("POST / HTTP/1.1\r\n" H "Content-Length: 9223372036854775808\r\n\r\n"), 400 },
	{ "two equal lengths",
	  KB_SV_INIT("POST / HTTP/1.1\r\n" H "Content-Length: 5\r\nContent-Length: 5\r\n\r\n"),
	  400 },
	{ "two different lengths",
	  KB_SV_INIT("POST / HTTP/1.1\r\n" H "Content-Length: 5\r\nContent-Length: 6\r\n\r\n"),
	  400 },
	{ "length and chunked",
	  KB_SV_INIT("POST / HTTP/1.1\r\n" H
	             "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"),
	  400 },
	{ "chunked", KB_SV_INIT("POST / HTTP/1.1\r\n" H "Transfer-Encoding: Chunked\r\n\r\n"),
	  200 },
	{ "xchunked", KB_SV_INIT("POST / HTTP/1.1\r\n" H "Transfer-Encoding: xchunked\r\n\r\n"),
	  400 },
	{ "gzip, chunked",
	  KB_SV_INIT("POST / HTTP/1.1\r\n" H "Transfer-Encoding: gzip, chunked\r\n\r\n"), 400 },
	{ "chunked, identity",
	  KB_SV_INIT("POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked, identity\r\n\r\n"), 400 },
	{ "chunked twice",
	  KB_SV_INIT("POST / HTTP/1.1\r\n" H
	             "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"),
	  400 },
	{ "an empty transfer coding",
	  KB_SV_INIT("POST / HTTP/1.1\r\n" H "Transfer-Encoding:\r\n\r\n"), 400 },
	{ "chunked with HTTP/1.0",
	  KB_SV_INIT("POST / HTTP/1.0\r\n" H "Transfer-Encoding: chunked\r\n\r\n"), 400 },
	{ "100-continue", KB_SV_INIT("POST / HTTP/1.1\r\n" H "Expect: 100-continue\r\n\r\n"), 200 },
	{ "another expectation", KB_SV_INIT("POST / HTTP/1.1\r\n" H "Expect: tea\r\n\r\n"), 417 },
};

/* However the bytes are cut, the judgement is the same. */
static void test_heads(struct kb_test *t)
{
	static struct kb_http_head head;
	struct kb_err why;

	for (size_t i = 0; i < KB_COUNTOF(heads); i++) {
		t->row = heads[i].name;
		for (size_t step = 1; step <= 40; step += 13) {
			char *copy = kb_xmalloc(heads[i].bytes.n);
			int status;

			memcpy(copy, heads[i].bytes.p, heads[i].bytes.n);
			status = read_head(copy, heads[i].bytes.n, step, &head, &why);
			CHECK_INT(t, status, heads[i].status);
			if (status >= 400)
				CHECK(t, why.code != KB_OK && why.msg[0]);
			free(copy);
		}
	}
}

static void test_parts_of_a_head(struct kb_test *t)
{
	char bytes[] = "\r\nPOST http://Example.org:8080/a/b?c=d HTTP/1.1\r\n"
	               "Host: other\r\nX-Thing: \t some value \t\r\nCONNECTION: x, Close\r\n"
	               "Content-Length: 12\r\nExpect: 100-Continue\r\n\r\n";
	static struct kb_http_head head;
	struct kb_err why;

	CHECK_INT(t, read_head(bytes, sizeof(bytes) - 1, 1000, &head, &why), 200);
	CHECK_SV(t, head.method, "POST");
	CHECK_SV(t, head.target, "http://Example.org:8080/a/b?c=d");
	CHECK_SV(t, head.path, "/a/b");
	CHECK_SV(t, head.query, "c=d");
	CHECK_SV(t, head.host, "Example.org:8080"); /* RFC 9112 3.2.2: it beats the field */
	CHECK_INT(t, head.minor, 1);
	CHECK(t, !head.keep_alive);
	CHECK(t, head.expect_continue);
	CHECK(t, !head.chunked);
	CHECK_INT(t, head.length, 12);
	CHECK_INT(t, head.field_count, 5);
	CHECK_SV(t, head.fields[1].name, "x-thing");
	CHECK_SV(t, head.fields[1].value, "some value");
}

static void test_keep_alive(struct kb_test *t)
{
	static const struct {
		const char *name, *head;
		bool keep_alive;
	} rows[] = {
		{ "1.1 stays", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", true },
		{ "1.1 with close ends", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
		  false },
		{ "1.0 ends", "GET / HTTP/1.0\r\n\r\n", false },
		{ "1.0 with keep-alive stays", "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
		  true },
	};
	static struct kb_http_head head;
	struct kb_err why;

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		char copy[128];
		size_t n = strlen(rows[i].head);

		t->row = rows[i].name;
		memcpy(copy, rows[i].head, n);
		CHECK_INT(t, read_head(copy, n, n, &head, &why), 200);
		CHECK_INT(t, head.keep_alive, rows[i].keep_alive);
	}
}

/* A head with a target, a number of fields, and one value of given sizes. */
static int sized_head(size_t target_n, int fields, size_t value_n)
{
	static struct kb_http_head head;
	struct kb_err why;
	struct kb_buf buf;
	int status;

	kb_buf_init(&buf, KB_MIB(1));
	kb_buf_str(&buf, "GET /");
	for (size_t i = 1; i < target_n; i++)
		kb_buf_byte(&buf, 'a');
	kb_buf_str(&buf, " HTTP/1.1\r\nHost: a\r\n");
	for (int i = 1; i < fields; i++)
		kb_buf_printf(&buf, "X-%d: y\r\n", i);
	if (value_n) {
		kb_buf_str(&buf, "X-Long: ");
		for (size_t i = 0; i < value_n; i++)
			kb_buf_byte(&buf, 'b');
		kb_buf_str(&buf, "\r\n");
	}
	kb_buf_str(&buf, "\r\n");
	status = read_head(buf.p, buf.n, 1000, &head, &why);
	kb_buf_fini(&buf);
	return status;
}

static void test_limits(struct kb_test *t)
{
	CHECK_INT(t, sized_head(KB_HTTP_LINE_MAX - 13, 1, 0), 200); /* "GET " and " HTTP/1.1" */
	CHECK_INT(t, sized_head(KB_HTTP_LINE_MAX - 12, 1, 0), 414);
	CHECK_INT(t, sized_head(1, KB_HTTP_FIELDS_MAX, 0), 200);
	CHECK_INT(t, sized_head(1, KB_HTTP_FIELDS_MAX + 1, 0), 431);
	CHECK_INT(t, sized_head(1, 500, 0), 431);
	CHECK_INT(t, sized_head(1, 1, 30000), 200);
	CHECK_INT(t, sized_head(1, 1, KB_HTTP_HEAD_MAX), 431);
	CHECK_INT(t, sized_head(1, 1, 100000), 431);
}

static void test_ranges(struct kb_test *t)
{
	static const struct {
		const char *name, *field;
		int64_t size;
		enum kb_http_range kind;
		int64_t from, n;
	} rows[] = {
		{ "first bytes", "bytes=0-9", 100, KB_RANGE_PART, 0, 10 },
		{ "from a place on", "bytes=90-", 100, KB_RANGE_PART, 90, 10 },
		{ "the last ones", "bytes=-5", 100, KB_RANGE_PART, 95, 5 },
		{ "more than there are", "bytes=50-500", 100, KB_RANGE_PART, 50, 50 },
		{ "a suffix over all", "bytes=-500", 100, KB_RANGE_PART, 0, 100 },
		{ "behind the end", "bytes=100-", 100, KB_RANGE_UNSATISFIABLE, 0, 0 },
		{ "an empty suffix", "bytes=-0", 100, KB_RANGE_UNSATISFIABLE, 0, 0 },
		{ "of nothing", "bytes=0-", 0, KB_RANGE_UNSATISFIABLE, 0, 0 },
		{ "two ranges are ignored", "bytes=0-1,5-6", 100, KB_RANGE_ALL, 0, 0 },
		{ "another unit", "lines=0-1", 100, KB_RANGE_ALL, 0, 0 },
		{ "the wrong way round", "bytes=9-0", 100, KB_RANGE_ALL, 0, 0 },
		{ "malformed", "bytes=a-b", 100, KB_RANGE_ALL, 0, 0 },
		{ "no numbers", "bytes=-", 100, KB_RANGE_ALL, 0, 0 },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		int64_t from = 0, n = 0;

		t->row = rows[i].name;
		CHECK_INT(t, kb_http_parse_range(kb_sv_str(rows[i].field), rows[i].size, &from, &n),
		          rows[i].kind);
		if (rows[i].kind == KB_RANGE_PART) {
			CHECK_INT(t, from, rows[i].from);
			CHECK_INT(t, n, rows[i].n);
		}
	}
}

/* ---- chunked ---- */

static const struct {
	const char *name;
	struct kb_sv bytes;
	enum kb_chunked_result end;
	const char *body;
	size_t rest; /* bytes behind the body */
} bodies[] = {
	{ "one chunk", KB_SV_INIT("5\r\nhello\r\n0\r\n\r\n"), KB_CHUNKED_DONE, "hello", 0 },
	{ "two chunks", KB_SV_INIT("2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"), KB_CHUNKED_DONE, "hello",
	  0 },
	{ "no chunk", KB_SV_INIT("0\r\n\r\n"), KB_CHUNKED_DONE, "", 0 },
	{ "what follows stays", KB_SV_INIT("1\r\na\r\n0\r\n\r\nGET"), KB_CHUNKED_DONE, "a", 3 },
	{ "leading zeros and capitals", KB_SV_INIT("00A\r\n0123456789\r\n000\r\n\r\n"),
	  KB_CHUNKED_DONE, "0123456789", 0 },
	{ "an extension", KB_SV_INIT("1;a\r\nx\r\n0;b=c\r\n\r\n"), KB_CHUNKED_DONE, "x", 0 },
	{ "quoted extensions", KB_SV_INIT("1;a=\"b;\\\"\";c=d\r\nx\r\n0\r\n\r\n"), KB_CHUNKED_DONE,
	  "x", 0 },
	{ "trailers", KB_SV_INIT("1\r\nx\r\n0\r\nA: b\r\nC:\r\n\r\n"), KB_CHUNKED_DONE, "x", 0 },
	{ "not complete", KB_SV_INIT("5\r\nhel"), KB_CHUNKED_MORE, "hel", 0 },
	{ "no size", KB_SV_INIT("\r\nx\r\n0\r\n\r\n"), KB_CHUNKED_BAD, "", 0 },
	{ "a size that is no number", KB_SV_INIT("g\r\n"), KB_CHUNKED_BAD, "", 0 },
	{ "0x", KB_SV_INIT("0x1\r\na\r\n0\r\n\r\n"), KB_CHUNKED_BAD, "", 0 },
	{ "a sign", KB_SV_INIT("+1\r\na\r\n0\r\n\r\n"), KB_CHUNKED_BAD, "", 0 },
	{ "a blank before the size", KB_SV_INIT(" 1\r\na\r\n0\r\n\r\n"), KB_CHUNKED_BAD, "", 0 },
	{ "a blank after the size", KB_SV_INIT("1 \r\na\r\n0\r\n\r\n"), KB_CHUNKED_BAD, "", 0 },
	{ "a size of 2^64 + 1", KB_SV_INIT("10000000000000001\r\na\r\n0\r\n\r\n"), KB_CHUNKED_BAD,
	  "", 0 },
	{ "bare LF after the size", KB_SV_INIT("1\na\r\n0\r\n\r\n"), KB_CHUNKED_BAD, "", 0 },
	{ "bare CR after the size", KB_SV_INIT("1\ra\r\n0\r\n\r\n"), KB_CHUNKED_BAD, "", 0 },
	{ "bare LF after data", KB_SV_INIT("1\r\na\n0\r\n\r\n"), KB_CHUNKED_BAD, "a", 0 },
	{ "longer than its size", KB_SV_INIT("1\r\nab\r\n0\r\n\r\n"), KB_CHUNKED_BAD, "a", 0 },
	{ "a line end in an extension", KB_SV_INIT("1;a\nb\r\nx\r\n0\r\n\r\n"), KB_CHUNKED_BAD, "",
	  0 },
	{ "an extension without name", KB_SV_INIT("1;\r\nx\r\n0\r\n\r\n"), KB_CHUNKED_BAD, "", 0 },
	{ "a trailer without colon", KB_SV_INIT("0\r\nabc\r\n\r\n"), KB_CHUNKED_BAD, "", 0 },
	{ "a folded trailer", KB_SV_INIT("0\r\nA: b\r\n c\r\n\r\n"), KB_CHUNKED_BAD, "", 0 },
	{ "a blank before a trailer's colon", KB_SV_INIT("0\r\nA : b\r\n\r\n"), KB_CHUNKED_BAD, "",
	  0 },
	{ "a length in a trailer", KB_SV_INIT("0\r\nContent-length: 5\r\n\r\n"), KB_CHUNKED_BAD, "",
	  0 },
	{ "a host in a trailer", KB_SV_INIT("0\r\nA: b\r\nHost:c\r\n\r\n"), KB_CHUNKED_BAD, "", 0 },
	{ "NUL in a trailer", KB_SV_INIT("0\r\nA: \0\r\n\r\n"), KB_CHUNKED_BAD, "", 0 },
	{ "bare LF ends the body", KB_SV_INIT("0\r\n\n"), KB_CHUNKED_BAD, "", 0 },
};

static void test_chunked(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(bodies); i++) {
		t->row = bodies[i].name;
		for (size_t step = 1; step < 30; step += 7) {
			enum kb_chunked_result result = KB_CHUNKED_MORE;
			struct kb_chunked chunked = { 0 };
			struct kb_buf body;
			struct kb_sv in = { "", 0 }, data;
			struct kb_err err;
			size_t have = 0;

			kb_buf_init(&body, 1000);
			while (result == KB_CHUNKED_MORE && have < bodies[i].bytes.n) {
				in = kb_sv_sub(bodies[i].bytes, have, step);
				have += in.n;
				while ((result = kb_chunked_next(&chunked, &in, 3, &data, &err))
				       == KB_CHUNKED_DATA)
					kb_buf_sv(&body, data);
			}
			CHECK_INT(t, result, bodies[i].end);
			CHECK_SV(t, kb_buf_view(&body), bodies[i].body);
			if (result == KB_CHUNKED_DONE)
				CHECK_INT(t, in.n + bodies[i].bytes.n - have, bodies[i].rest);
			if (result == KB_CHUNKED_BAD)
				CHECK_INT(t, kb_chunked_next(&chunked, &in, 3, &data, &err),
				          KB_CHUNKED_BAD);
			kb_buf_fini(&body);
		}
	}
}

static void test_chunk_overhead(struct kb_test *t)
{
	static const char extension[] = "1;abcdefghijklmnopqrstuvwxyz\r\nx\r\n";
	enum kb_chunked_result result = KB_CHUNKED_DATA;
	struct kb_chunked chunked = { 0 };
	struct kb_err err;
	size_t n = 0;

	while (n < 100000 && result != KB_CHUNKED_BAD) {
		struct kb_sv in = kb_sv_str(extension), data;

		while ((result = kb_chunked_next(&chunked, &in, 100, &data, &err))
		       == KB_CHUNKED_DATA)
			;
		n += sizeof(extension) - 1;
	}
	CHECK_INT(t, result, KB_CHUNKED_BAD);
	CHECK(t, n < KB_CHUNK_EXTENSIONS_MAX * 2);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "heads are accepted or refused, however they arrive", test_heads },
		{ "a head's parts", test_parts_of_a_head },
		{ "keep-alive by version and field", test_keep_alive },
		{ "limits of line, head and fields", test_limits },
		{ "byte ranges", test_ranges },
		{ "chunked bodies, however they arrive", test_chunked },
		{ "extensions of all chunks together are limited", test_chunk_overhead },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
