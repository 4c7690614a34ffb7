/* Fetching from a small peer on loopback, with names that the test resolves. */
#include "out/fetch.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/file.h"
#include "base/pool.h"
#include "test.h"

/* --- the peer: one thread, one connection after the other --- */

struct peer {
	int fd, port;
	pthread_t thread;
	_Atomic int requests, stop;
	char last[4096]; /* the last request, its body too; read after the fetch */
	struct kb_sv bomb;
};

static void say(int fd, const char *text)
{
	(void)!send(fd, text, strlen(text), MSG_NOSIGNAL);
}

static void say_body(int fd, const char *fields, struct kb_sv body)
{
	char head[600];

	snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\n%sContent-Length: %zu\r\n\r\n", fields,
	         body.n);
	say(fd, head);
	(void)!send(fd, body.p, body.n, MSG_NOSIGNAL);
}

KB_PRINTF(3, 4) static void redirect(int fd, int status, const char *fmt, ...)
{
	char place[300], head[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(place, sizeof(place), fmt, ap);
	va_end(ap);
	snprintf(head, sizeof(head),
	         "HTTP/1.1 %d Moved\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n", status, place);
	say(fd, head);
}

static void answer(struct peer *peer, int fd, const char *path)
{
	int n;

	if (strncmp(path, "/hello", 6) == 0) {
		say(fd, "HTTP/1.1 103 Early Hints\r\nETag: \"early\"\r\n\r\n");
		say_body(fd,
		         "Content-Type: text/plain; charset=utf-8\r\nETag: \"v1\"\r\n"
		         "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
		         "Content-Disposition: attachment; filename=\"../a.txt\"\r\n"
		         "Set-Cookie: a=b\r\n",
		         KB_SV("hello"));
	} else if (strcmp(path, "/empty") == 0) {
		say(fd, "HTTP/1.1 204 No Content\r\n\r\n");
	} else if (strcmp(path, "/cached") == 0) {
		if (strstr(peer->last, "If-None-Match: \"v1\"")
		    && strstr(peer->last, "If-Modified-Since: yesterday"))
			say(fd, "HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n\r\n");
		else
			say_body(fd, "", KB_SV("not cached"));
	} else if (strcmp(path, "/missing") == 0) {
		say(fd, "HTTP/1.1 404 Not Found\r\nContent-Encoding: gzip\r\nContent-Length: "
		        "9\r\n\r\nnot gzip!");
	} else if (strcmp(path, "/busy") == 0) {
		say(fd, "HTTP/1.1 503 Busy\r\nRetry-After: 120\r\nContent-Length: 0\r\n\r\n");
	} else if (strcmp(path, "/inner") == 0) {
		redirect(fd, 302, "http://169.254.169.254/latest/meta-data");
	} else if (strcmp(path, "/mapped") == 0) {
		redirect(fd, 307, "http://[::ffff:10.0.0.1]/");
	} else if (strcmp(path, "/inner-name") == 0) {
		redirect(fd, 301, "http://inner.test/");
	} else if (strcmp(path, "/file") == 0) {
		redirect(fd, 302, "file:///etc/passwd");
	} else if (strcmp(path, "/gopher") == 0) {
		redirect(fd, 302, "gopher://site.test:%d/", peer->port);
	} else if (strcmp(path, "/guarded") == 0) {
		redirect(fd, 302, "http://me:secret@site.test:%d/hello", peer->port);
	} else if (strcmp(path, "/nonsense") == 0) {
		redirect(fd, 302, "http://[/");
	} else if (strcmp(path, "/loop") == 0) {
		redirect(fd, 308, "/loop");
	} else if (sscanf(path, "/hops/%d", &n) == 1) {
		if (n > 0)
			redirect(fd, 303, "%d", n - 1);
		else
			say_body(fd, "", KB_SV("arrived"));
	} else if (strcmp(path, "/elsewhere") == 0) {
		redirect(fd, 302, "http://other.test:%d/hello", peer->port);
	} else if (strcmp(path, "/same") == 0) {
		redirect(fd, 302, "/hello");
	} else if (strcmp(path, "/nowhere") == 0) {
		say(fd, "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n");
	} else if (strcmp(path, "/large") == 0) {
		char block[4096] = { 0 };

		say(fd, "HTTP/1.1 200 OK\r\n\r\n");
		while (send(fd, block, sizeof(block), MSG_NOSIGNAL) > 0)
			;
	} else if (strcmp(path, "/bomb") == 0) {
		say_body(fd, "Content-Encoding: gzip\r\n", peer->bomb);
	} else if (strcmp(path, "/damaged") == 0) {
		say_body(fd, "Content-Encoding: gzip\r\n", KB_SV("no gzip at all"));
	} else if (strcmp(path, "/short") == 0) {
		say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort");
	} else if (strcmp(path, "/slow") == 0) {
		say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
		while (!atomic_load(&peer->stop)) {
			if (send(fd, "x", 1, MSG_NOSIGNAL) < 1)
				break;
			usleep(50000);
		}
	} else if (strcmp(path, "/silent") == 0) {
		for (int i = 0; i < 100 && !atomic_load(&peer->stop); i++)
			if (recv(fd, (char[1]){ 0 }, 1, MSG_DONTWAIT) == 0)
				break;
			else
				usleep(50000);
	} else {
		say_body(fd, "", KB_SV("?"));
	}
}

/* Until the end of the head, and of the body that it announces. */
static bool is_whole(const char *request, size_t n)
{
	const char *body = strstr(request, "\r\n\r\n"), *length;

	if (!body)
		return false;
	length = strstr(request, "Content-Length: ");
	return n >= (size_t)(body + 4 - request) + (length ? strtoul(length + 16, NULL, 10) : 0);
}

static void *peer_run(void *arg)
{
	struct peer *peer = arg;

	while (!atomic_load(&peer->stop)) {
		int fd = accept(peer->fd, NULL, NULL);
		size_t n = 0;
		char method[10] = "", path[200] = "";

		if (fd < 0)
			break;
		memset(peer->last, 0, sizeof(peer->last));
		while (n < sizeof(peer->last) - 1 && !is_whole(peer->last, n)) {
			ssize_t got = recv(fd, peer->last + n, sizeof(peer->last) - 1 - n, 0);

			if (got <= 0)
				break;
			n += (size_t)got;
		}
		atomic_fetch_add(&peer->requests, 1);
		if (sscanf(peer->last, "%9s %199s", method, path) == 2)
			answer(peer, fd, path);
		close(fd);
	}
	return NULL;
}

/* 64 MB of zeros in 64 KB. */
static struct kb_sv make_bomb(void)
{
	static const size_t zeros = KB_MIB(64);
	z_stream z = { 0 };
	char *out = kb_xmalloc(KB_KIB(256)), *in = kb_xcalloc(1, KB_MIB(1));

	KB_ASSERT(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) == Z_OK);
	z.next_out = (unsigned char *)out;
	z.avail_out = KB_KIB(256);
	for (size_t n = 0; n < zeros; n += KB_MIB(1)) {
		z.next_in = (unsigned char *)in;
		z.avail_in = KB_MIB(1);
		deflate(&z, n + KB_MIB(1) == zeros ? Z_FINISH : Z_NO_FLUSH);
	}
	deflateEnd(&z);
	free(in);
	return kb_sv(out, z.total_out);
}

static void peer_start(struct peer *peer)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	socklen_t n = sizeof(in);

	*peer = (struct peer){ .fd = socket(AF_INET, SOCK_STREAM, 0) };
	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	KB_ASSERT(bind(peer->fd, (struct sockaddr *)&in, n) == 0 && listen(peer->fd, 16) == 0
	          && getsockname(peer->fd, (struct sockaddr *)&in, &n) == 0);
	peer->port = ntohs(in.sin_port);
	peer->thread = kb_thread_start("peer", peer_run, peer);
}

static void peer_stop(struct peer *peer)
{
	atomic_store(&peer->stop, 1);
	shutdown(peer->fd, SHUT_RDWR);
	pthread_join(peer->thread, NULL);
	close(peer->fd);
}

/* --- the scene --- */

struct scene {
	struct peer peer;
	struct kb_fetcher *fetcher;
	struct kb_arena arena;
	struct kb_fetch_response response;
	struct kb_err err;
	int lookups;
};

static const struct {
	const char *name, *addresses[3];
} names[] = {
	{ "site.test", { "127.0.0.1" } },
	{ "site.test.", { "127.0.0.1" } },
	{ "other.test", { "127.0.0.1" } },
	{ "mixed.test", { "127.0.0.1", "10.0.0.1" } },
	{ "mixed6.test", { "127.0.0.1", "64:ff9b::a9fe:a9fe" } },
	{ "inner.test", { "10.0.0.1" } },
	{ "public.test", { "93.184.216.34" } },
	{ "half.test", { "127.0.0.1", "93.184.216.34" } },
};

static bool resolve(void *arg, const char *name, struct kb_addresses *out, struct kb_err *err)
{
	struct scene *s = arg;

	s->lookups++;
	for (size_t i = 0; i < KB_COUNTOF(names); i++)
		for (int k = 0; strcmp(names[i].name, name) == 0 && names[i].addresses[k]; k++) {
			struct kb_address *a = &out->v[out->count++];

			a->family = strchr(names[i].addresses[k], ':') ? AF_INET6 : AF_INET;
			inet_pton(a->family, names[i].addresses[k], a->bytes);
		}
	return out->count || kb_fail(err, KB_E_UPSTREAM, "%s has no address", name);
}

static void scene_start(struct kb_test *t, struct scene *s, const char *allow)
{
	memset(s, 0, sizeof(*s));
	peer_start(&s->peer);
	s->fetcher = kb_fetcher_new(allow, "Tester/1", "/tmp", &s->err);
	CHECK(t, s->fetcher != NULL);
	kb_fetcher_set_resolver(s->fetcher, resolve, s);
}

static void scene_stop(struct scene *s)
{
	kb_fd_close(&s->response.fd);
	kb_fetcher_free(s->fetcher);
	peer_stop(&s->peer);
	kb_arena_fini(&s->arena);
}

/* path: after http://site.test:PORT, or a whole URL in which %d is the port. */
static bool fetch_with(struct scene *s, const char *path, struct kb_fetch_request request)
{
	struct kb_fetch_patience usual = kb_fetch_patience(kb_test_patient(1));
	char url[300];

	if (!request.patience.whole && !request.patience.slow)
		request.patience = usual;
	if (path[0] == '/') {
		snprintf(url, sizeof(url), "http://site.test:%d%s", s->peer.port, path);
		request.url = kb_sv_str(url);
	} else {
		const char *at = strstr(path, "%d");

		request.url = kb_sv_str(path);
		if (at)
			request.url = kb_arena_printf(&s->arena, "%.*s%d%s", (int)(at - path), path,
			                              s->peer.port, at + 2);
	}
	if (s->response.fd > 0)
		kb_fd_close(&s->response.fd);
	s->err = (struct kb_err){ 0 };
	return kb_fetch(s->fetcher, &s->arena, &request, &s->response, &s->err);
}

static bool fetch(struct scene *s, const char *path)
{
	return fetch_with(s, path, (struct kb_fetch_request){ 0 });
}

static struct kb_sv body(struct scene *s)
{
	struct kb_sv text = KB_SV("");

	if (s->response.fd < 0
	    || !kb_fd_read_all(&s->arena, s->response.fd, KB_MIB(1), &text, &s->err))
		return KB_SV("(none)");
	return text;
}

/* --- tests --- */

static void test_answers(struct kb_test *t)
{
	struct scene s;

	setenv("http_proxy", "http://127.0.0.1:9", 1); /* not ours */
	scene_start(t, &s, "127.0.0.0/8");
	CHECK(t, fetch(&s, "/hello"));
	CHECK_INT(t, s.response.status, 200);
	CHECK_SV(t, s.response.content_type, "text/plain; charset=utf-8");
	CHECK_SV(t, s.response.etag, "\"v1\"");
	CHECK_SV(t, s.response.filename, "a.txt");
	CHECK_INT(t, s.response.bytes, 5);
	CHECK_SV(t, body(&s), "hello");
	CHECK(t, strstr(s.peer.last, "User-Agent: Tester/1\r\n") != NULL);
	CHECK(t, strstr(s.peer.last, "Cookie") == NULL);

	CHECK(t, fetch_with(&s, "/hello",
	                    (struct kb_fetch_request){ .plain_browser = true,
	                                               .etag = KB_SV("a\r\nX-Evil: 1") }));
	CHECK(t, strstr(s.peer.last, "User-Agent: Mozilla/5.0") != NULL);
	CHECK(t, strstr(s.peer.last, "X-Evil") == NULL);

	CHECK(t, fetch(&s, "/empty"));
	CHECK_INT(t, s.response.bytes, 0);
	CHECK_SV(t, body(&s), "");

	CHECK(t, fetch_with(&s, "/cached",
	                    (struct kb_fetch_request){ .etag = KB_SV("\"v1\""),
	                                               .last_modified = KB_SV("yesterday") }));
	CHECK_INT(t, s.response.status, 304);
	CHECK_INT(t, s.response.fd, -1);

	CHECK(t, fetch(&s, "/missing"));
	CHECK_INT(t, s.response.status, 404);
	CHECK_INT(t, s.response.fd, -1);

	CHECK(t, fetch(&s, "/busy"));
	CHECK_INT(t, s.response.status, 503);
	CHECK_INT(t, s.response.retry_after_s, 120);

	CHECK(t, fetch(&s, "http://127.1:%d/hello"));
	CHECK_SV(t, body(&s), "hello");
	CHECK(t, fetch(&s, "http://[::ffff:127.0.0.1]:%d/hello"));
	CHECK(t, fetch(&s, "http://site.test.:%d/hello"));
	CHECK(t, fetch(&s, "http://SITE.te%73t:%d/a/../hello?x y#z"));
	CHECK(t, strncmp(s.peer.last, "GET /hello?x%20y HTTP/1.1\r\n", 27) == 0);
	scene_stop(&s);
	unsetenv("http_proxy");
}

static void test_redirects(struct kb_test *t)
{
	struct scene s;

	scene_start(t, &s, "127.0.0.0/8");
	CHECK(t, fetch(&s, "/hops/5#part"));
	CHECK_INT(t, s.response.redirects, 5);
	CHECK_INT(t, s.lookups, 6);
	CHECK_SV(t, body(&s), "arrived");
	CHECK(t, kb_sv_ends(s.response.url, KB_SV("/hops/0")));
	CHECK(t, !fetch(&s, "/hops/6"));
	CHECK(t, !fetch(&s, "/loop"));
	CHECK_INT(t, s.err.code, KB_E_INVALID);
	CHECK(t, strstr(s.err.msg, "redirects more than 5 times") != NULL);
	CHECK(t, fetch(&s, "/nowhere"));
	CHECK_INT(t, s.response.status, 302);
	CHECK(t, !fetch(&s, "/nonsense"));
	CHECK(t, strstr(s.err.msg, "no URL") != NULL);

	/* The user of the URL stays with its origin. */
	CHECK(t, fetch(&s, "http://me:s%20cret@site.test:%d/same"));
	CHECK(t, strstr(s.peer.last, "Authorization: Basic bWU6cyBjcmV0\r\n") != NULL);
	CHECK(t, kb_sv_find(s.response.url, KB_SV("me:")) < 0);
	CHECK(t, fetch(&s, "http://me:secret@site.test:%d/elsewhere"));
	CHECK(t, strstr(s.peer.last, "Host: other.test") != NULL);
	CHECK(t, strstr(s.peer.last, "Authorization") == NULL);
	scene_stop(&s);
}

static void test_methods(struct kb_test *t)
{
	static const struct kb_fetch_field json[] = {
		{ KB_SV_INIT("Content-Type"), KB_SV_INIT("application/json") },
		{ KB_SV_INIT("X-Signature"), KB_SV_INIT("t=1,v=2") },
	};
	static const struct {
		const char *name, *path, *method, *body;
		bool with_fields;
		int status, requests;
		const char *begins, *holds, *ends; /* of the last request */
	} rows[] = {
		{ "a body makes a POST", "/hello", NULL, "a=b", false, 200, 1,
		  "POST /hello HTTP/1.1", "\r\nContent-Type: application/x-www-form-urlencoded\r\n",
		  "\r\n\r\na=b" },
		{ "the caller's fields", "/hello", "POST", "{}", true, 200, 1, "POST /hello",
		  "\r\nContent-Type: application/json\r\nX-Signature: t=1,v=2\r\n", "\r\n\r\n{}" },
		{ "another method", "/hello", "PUT", "1", true, 200, 1, "PUT /hello",
		  "\r\nContent-Length: 1\r\n", "\r\n\r\n1" },
		{ "an empty body", "/hello", "POST", NULL, false, 200, 1, "POST /hello",
		  "\r\nContent-Length: 0\r\n", "\r\n\r\n" },
		{ "no body", "/hello", "DELETE", NULL, true, 200, 1, "DELETE /hello",
		  "\r\nX-Signature: t=1,v=2\r\n", "\r\n\r\n" },
		{ "the head alone", "/hello", "HEAD", NULL, false, 200, 1, "HEAD /hello", "",
		  "\r\n\r\n" },
		{ "a refusal", "/missing", NULL, "a=b", false, 404, 1, "POST /missing", "",
		  "\r\n\r\na=b" },
		{ "what may change something follows no redirect", "/same", NULL, "a=b", false, 302,
		  1, "POST /same", "", "a=b" },
		{ "nor without a body", "/same", "DELETE", NULL, false, 302, 1, "DELETE /same", "",
		  "" },
		{ "a head follows them", "/same", "HEAD", NULL, true, 200, 2, "HEAD /hello",
		  "\r\nX-Signature: t=1,v=2\r\n", "" },
		{ "fields stay with the origin", "/elsewhere", NULL, NULL, true, 200, 2,
		  "GET /hello", "\r\nHost: other.test", "" },
	};
	struct scene s;

	scene_start(t, &s, "127.0.0.0/8");
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_fetch_request request = { .method = rows[i].method };
		struct kb_sv last;
		int before = atomic_load(&s.peer.requests);

		t->row = rows[i].name;
		if (rows[i].body)
			request.body = kb_sv_str(rows[i].body);
		if (rows[i].with_fields) {
			request.fields = json;
			request.field_count = KB_COUNTOF(json);
		}
		CHECK(t, fetch_with(&s, rows[i].path, request));
		CHECK_INT(t, s.response.status, rows[i].status);
		CHECK_INT(t, atomic_load(&s.peer.requests) - before, rows[i].requests);
		last = kb_sv_str(s.peer.last);
		CHECK(t, kb_sv_starts(last, kb_sv_str(rows[i].begins)));
		CHECK(t, kb_sv_find(last, kb_sv_str(rows[i].holds)) >= 0);
		CHECK(t, kb_sv_ends(last, kb_sv_str(rows[i].ends)));
		CHECK(t, !strstr(s.peer.last, "Expect"));
	}
	CHECK(t, !strstr(s.peer.last, "X-Signature"));
	CHECK(t, fetch_with(&s, "/hello", (struct kb_fetch_request){ .body = KB_SV("a") }));
	CHECK_SV(t, body(&s), "hello");
	scene_stop(&s);
}

static void test_fields_refused(struct kb_test *t)
{
	static const struct kb_fetch_field rows[] = {
		{ KB_SV_INIT("X-Evil\r\nHost"), KB_SV_INIT("a") },
		{ KB_SV_INIT("X"), KB_SV_INIT("a\r\nX-Evil: 1") },
		{ KB_SV_INIT("X"), KB_SV_INIT(" ") },
		{ KB_SV_INIT(""), KB_SV_INIT("a") },
		{ KB_SV_INIT("host"), KB_SV_INIT("inner.test") },
		{ KB_SV_INIT("Transfer-Encoding"), KB_SV_INIT("chunked") },
	};
	struct scene s;

	scene_start(t, &s, "127.0.0.0/8");
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].name.p;
		CHECK(t, !fetch_with(&s, "/hello",
		                     (struct kb_fetch_request){ .fields = &rows[i],
		                                                .field_count = 1 }));
		CHECK_INT(t, s.err.code, KB_E_INVALID);
		CHECK_INT(t, atomic_load(&s.peer.requests), 0);
	}
	scene_stop(&s);
}

static void test_closed(struct kb_test *t)
{
	static const struct {
		const char *name, *url, *why;
		enum kb_errc code;
		int asked; /* requests that the peer saw */
	} rows[] = {
		{ "an inner name", "http://inner.test/", "not open", KB_E_INVALID, 0 },
		{ "one inner address among others", "http://mixed.test:%d/hello", "not open",
		  KB_E_INVALID, 0 },
		{ "one inner address behind NAT64", "http://mixed6.test:%d/hello", "not open",
		  KB_E_INVALID, 0 },
		{ "metadata", "http://169.254.169.254/", "not open", KB_E_INVALID, 0 },
		{ "the unspecified address", "http://[::]/", "not open", KB_E_INVALID, 0 },
		{ "NAT64", "http://[64:ff9b::a9fe:a9fe]/", "not open", KB_E_INVALID, 0 },
		{ "6to4", "http://[2002:a9fe:a9fe::]/", "not open", KB_E_INVALID, 0 },
		{ "IPv4-mapped", "http://[::ffff:169.254.169.254]/", "not open", KB_E_INVALID, 0 },
		{ "zero", "http://0/", "not open", KB_E_INVALID, 0 },
		{ "a redirect to metadata", "/inner", "not open", KB_E_INVALID, 1 },
		{ "a redirect to a mapped address", "/mapped", "not open", KB_E_INVALID, 1 },
		{ "a redirect to an inner name", "/inner-name", "not open", KB_E_INVALID, 1 },
		{ "a redirect to a file", "/file", "only http and https", KB_E_INVALID, 1 },
		{ "a redirect to gopher", "/gopher", "only http and https", KB_E_INVALID, 1 },
		{ "a redirect with a password", "/guarded", "holds a user name or password",
		  KB_E_INVALID, 1 },
		{ "a file", "file:///etc/passwd", "only http and https", KB_E_INVALID, 0 },
		{ "data", "data:text/plain,x", "only http and https", KB_E_INVALID, 0 },
		{ "gopher", "gopher://site.test:%d/", "only http and https", KB_E_INVALID, 0 },
		{ "no URL", "site.test", "not a valid URL", KB_E_INVALID, 0 },
		{ "a port of the web's hosts", "http://public.test:8080/", "port 8080",
		  KB_E_INVALID, 0 },
		{ "a port that only one address opens", "http://half.test:%d/", "open to fetching",
		  KB_E_INVALID, 0 },
		{ "no such name", "http://none.test/", "has no address", KB_E_UPSTREAM, 0 },
		{ "a name that is none", "http://a,b.test/", "has no address", KB_E_UPSTREAM, 0 },
		{ "nobody listens", "http://127.0.0.1:1/", "cannot be fetched", KB_E_UPSTREAM, 0 },
	};
	struct scene s;

	scene_start(t, &s, "127.0.0.0/8");
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		int before = s.peer.requests;

		t->row = rows[i].name;
		CHECK(t, !fetch(&s, rows[i].url));
		CHECK_INT(t, s.err.code, rows[i].code);
		CHECK(t, strstr(s.err.msg, rows[i].why) != NULL);
		CHECK_INT(t, s.peer.requests - before, rows[i].asked);
		CHECK_INT(t, s.response.fd, -1);
		/* A name never tells which address it led to. */
		if (rows[i].asked || strstr(rows[i].url, ".test"))
			CHECK(t, !strstr(s.err.msg, "10.0.0") && !strstr(s.err.msg, "169.254"));
	}
	scene_stop(&s);

	t->row = "nothing is open unless it is named";
	scene_start(t, &s, NULL);
	CHECK(t, !fetch(&s, "/hello"));
	CHECK_INT(t, s.err.code, KB_E_INVALID);
	CHECK_INT(t, s.peer.requests, 0);
	scene_stop(&s);

	t->row = "a network that cannot be read";
	CHECK(t, !kb_fetcher_new("127.0.0.0/8,nowhere", NULL, "/tmp", &s.err));
	CHECK(t, strstr(s.err.msg, "nowhere") != NULL);
}

static void test_limits(struct kb_test *t)
{
	struct kb_fetch_request small = { .bytes_max = 100000 }, brief = { .patience.whole = 1 };
	struct kb_fetch_request impatient = { .patience.slow = 1 };
	struct scene s;

	scene_start(t, &s, "127.0.0.0/8");
	s.peer.bomb = make_bomb();
	CHECK(t, !fetch_with(&s, "/large", small));
	CHECK_INT(t, s.err.code, KB_E_TOO_LARGE);
	CHECK(t, !fetch_with(&s, "/bomb", small));
	CHECK_INT(t, s.err.code, KB_E_TOO_LARGE);
	CHECK(t, strstr(s.err.msg, "sends more than ") != NULL);
	CHECK(t, fetch(&s, "/bomb")); /* within the limit it is only a large file */
	CHECK_INT(t, s.response.bytes, KB_MIB(64));
	CHECK(t, !fetch(&s, "/damaged"));
	CHECK_INT(t, s.err.code, KB_E_UPSTREAM);
	CHECK(t, !fetch(&s, "/short"));
	CHECK_INT(t, s.err.code, KB_E_UPSTREAM);
	CHECK(t, !fetch_with(&s, "/slow", brief));
	CHECK_INT(t, s.err.code, KB_E_TIMEOUT);
	CHECK(t, strstr(s.err.msg, "was not done within 1 seconds") != NULL);
	CHECK(t, !fetch_with(&s, "/silent", brief));
	CHECK_INT(t, s.err.code, KB_E_TIMEOUT);
	CHECK(t, !fetch_with(&s, "/silent", impatient));
	CHECK_INT(t, s.err.code, KB_E_TIMEOUT);
	CHECK(t, strstr(s.err.msg, "does not answer within 1 seconds") != NULL);
	scene_stop(&s);
	free((void *)(uintptr_t)s.peer.bomb.p);
}

/* Patience is for each of the limits, the wait for the first byte among them. */
static void test_patience(struct kb_test *t)
{
	struct kb_fetch_patience once = kb_fetch_patience(1), thrice = kb_fetch_patience(3);

	CHECK_INT(t, once.whole, KB_FETCH_TIMEOUT_S);
	CHECK_INT(t, once.connect, KB_FETCH_CONNECT_S);
	CHECK_INT(t, once.slow, KB_FETCH_SLOW_S);
	CHECK_INT(t, thrice.whole, 3 * once.whole);
	CHECK_INT(t, thrice.connect, 3 * once.connect);
	CHECK_INT(t, thrice.slow, 3 * once.slow);
}

static void *cancel_soon(void *arg)
{
	struct scene *s = arg;

	while (s->peer.requests == 0)
		usleep(1000);
	kb_fetcher_cancel(s->fetcher);
	return NULL;
}

static void test_cancel(struct kb_test *t)
{
	struct scene s;
	pthread_t thread;

	scene_start(t, &s, "127.0.0.0/8");
	thread = kb_thread_start("cancel", cancel_soon, &s);
	CHECK(t, !fetch(&s, "/slow"));
	CHECK_INT(t, s.err.code, KB_E_CANCELLED);
	pthread_join(thread, NULL);
	CHECK(t, !fetch(&s, "/hello"));
	CHECK_INT(t, s.err.code, KB_E_CANCELLED);
	CHECK_INT(t, s.peer.requests, 1);
	scene_stop(&s);
}

static void test_system_resolver(struct kb_test *t)
{
	atomic_bool cancelled = false;
	struct kb_addresses found = { 0 };
	struct kb_err err;

	CHECK(t, kb_resolve("localhost", kb_clock_mono_us() + kb_test_patient(10) * KB_SECOND_US,
	                    &cancelled, &found, &err));
	CHECK(t,
	      found.count > 0 && (found.v[0].family == AF_INET || found.v[0].family == AF_INET6));
	CHECK(t, !kb_resolve("name.invalid", kb_clock_mono_us() + KB_SECOND_US, &cancelled, &found,
	                     &err));
	CHECK(t, err.code == KB_E_UPSTREAM || err.code == KB_E_TIMEOUT);
	atomic_store(&cancelled, true);
	CHECK(t, !kb_resolve("a.invalid", kb_clock_mono_us() + 10 * KB_SECOND_US, &cancelled,
	                     &found, &err)
	                 && (err.code == KB_E_CANCELLED || err.code == KB_E_UPSTREAM));
}

static void test_faults(struct kb_test *t)
{
	struct scene s;

	scene_start(t, &s, "127.0.0.0/8");
	for (int n = 1; n < 100; n++) {
		bool ok, fired;

		kb_fault_arm(n);
		ok = fetch(&s, "/hello");
		fired = kb_fault_disarm();
		CHECK(t, ok || (fired && s.err.code != KB_OK && s.response.fd == -1));
		if (!fired)
			break;
		CHECK(t, n < 99);
	}
	scene_stop(&s);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "an answer with its fields and its body", test_answers },
		{ "redirects are followed by hand", test_redirects },
		{ "a method, fields and a body", test_methods },
		{ "fields that cannot be sent", test_fields_refused },
		{ "what is closed is not connected to", test_closed },
		{ "a peer cannot take more than its share", test_limits },
		{ "patience is for every limit", test_patience },
		{ "a fetch ends when the service stops", test_cancel },
		{ "the system's resolver", test_system_resolver },
		{ "each step fails once", test_faults },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
