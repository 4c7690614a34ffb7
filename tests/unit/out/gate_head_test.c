/* What a browser may ask a gate. */
#include "out/gate_head.h"

#include "../test.h"

#define GET   "GET http://h.org/a?b HTTP/1.1\r\n"
#define CLOSE "Connection: close\r\n\r\n"

static void test_rows(struct kb_test *t)
{
	// clang-format off
	static const struct {
		const char *name, *text;
		const char *origin; /* NULL: it is refused */
		const char *onward;
	} rows[] = {
		{ "a page is asked for by its path", GET "Host: h.org\r\n\r\n", "h.org:80",
		  "GET /a?b HTTP/1.1\r\nHost: h.org\r\n" CLOSE },
		{ "a request without fields", GET "\r\n", "h.org:80", "GET /a?b HTTP/1.1\r\n" CLOSE },
		{ "what is between us stays there", GET "Proxy-Connection: x\r\nKEEP-ALIVE: 5\r\nConnection: upgrade\r\nproxy-authorization: y\r\nA: b\r\n\r\n",
		  "h.org:80", "GET /a?b HTTP/1.1\r\nA: b\r\n" CLOSE },
		{ "a body goes on", "POST http://h.org:8080/ HTTP/1.1\r\nContent-Length: 2\r\n\r\nab", "h.org:8080",
		  "POST / HTTP/1.1\r\nContent-Length: 2\r\n" CLOSE "ab" },
		{ "a name's host is the parser's", "GET http://H.org\\@evil.org/ HTTP/1.1\r\n\r\n", "h.org:80",
		  "GET /@evil.org/ HTTP/1.1\r\n" CLOSE },
		{ "numbers of hosts are addresses", "GET http://0x7f.1/ HTTP/1.1\r\n\r\n", "127.0.0.1:80",
		  "GET / HTTP/1.1\r\n" CLOSE },
		{ "a tunnel", "CONNECT h.org:443 HTTP/1.1\r\nHost: h.org:443\r\n\r\n", "h.org:443", "" },
		{ "a tunnel to another port", "CONNECT h.org:80 HTTP/1.1\r\n\r\nab", "h.org:80", "ab" },
		{ "a tunnel to an address", "CONNECT [::1]:443 HTTP/1.1\r\n\r\n", "[::1]:443", "" },
		{ "a tunnel to two names", "CONNECT a.org@h.org:443 HTTP/1.1\r\n\r\n", NULL, NULL },
		{ "a tunnel to a page", "CONNECT h.org:443/a HTTP/1.1\r\n\r\n", NULL, NULL },
		{ "a tunnel to a question", "CONNECT h.org:443? HTTP/1.1\r\n\r\n", NULL, NULL },
		{ "a path alone", "GET /a HTTP/1.1\r\n\r\n", NULL, NULL },
		{ "a page of https in the clear", "GET https://h.org/ HTTP/1.1\r\n\r\n", NULL, NULL },
		{ "another scheme", "GET file:///etc/passwd HTTP/1.1\r\n\r\n", NULL, NULL },
		{ "another protocol", "GET http://h.org/ ICY\r\n\r\n", NULL, NULL },
		{ "no protocol", "GET http://h.org/\r\n\r\n", NULL, NULL },
		{ "no method", " http://h.org/ HTTP/1.1\r\n\r\n", NULL, NULL },
		{ "a method with a line end in it", "GE\rT http://h.org/ HTTP/1.1\r\n\r\n", NULL, NULL },
		{ "a line end of another kind", GET "A: b\nC: d\r\n\r\n", NULL, NULL },
		{ "a field without a name", GET ": b\r\n\r\n", NULL, NULL },
		{ "a field without a colon", GET "A\r\n\r\n", NULL, NULL },
		{ "a field that goes on", GET "Proxy-A: b\r\n c: d\r\n\r\n", NULL, NULL },
		{ "no end", GET "A: b\r\n", NULL, NULL },
		{ "nothing", "", NULL, NULL },
	};
	// clang-format on
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_gate_head head;

		t->row = rows[i].name;
		CHECK_INT(t, kb_gate_head_read(&arena, kb_sv_str(rows[i].text), &head),
		          rows[i].origin != NULL);
		if (!rows[i].origin)
			continue;
		CHECK_SV(t, kb_gate_origin(&arena, &head.url), rows[i].origin);
		CHECK_SV(t, head.onward, rows[i].onward);
	}
	t->row = NULL;
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a request of a browser is read strictly, and rewritten for its host",
		  test_rows },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
