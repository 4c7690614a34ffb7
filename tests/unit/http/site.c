/* The test's web site: see site.h. */
#include "site.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "test.h"

static struct site *site_of(struct kb_request *req)
{
	return req->app;
}

static void say(struct kb_request *req, int status, struct kb_sv text)
{
	kb_respond(req, &(struct kb_response){
	                        .status = status, .content_type = "text/plain", .body = text });
}

static void on_hello(struct kb_request *req)
{
	say(req, 200, KB_SV("hello"));
}

static bool on_fast(struct kb_request *req)
{
	if (kb_request_query(req, "slowly").p)
		return false;
	say(req, 200, KB_SV("fast"));
	return true;
}

static void on_slow(struct kb_request *req)
{
	say(req, 200, KB_SV("slow"));
}

static void on_echo(struct kb_request *req)
{
	say(req, 200, req->body);
}

static void on_item(struct kb_request *req)
{
	say(req, 200,
	    kb_arena_printf(req->arena, "item %.*s of %.*s", KB_SV_ARG(req->params[0]),
	                    KB_SV_ARG(req->host)));
}

/* "name=value;" for fields, "name:filename:size:first bytes' hash;" for files. */
static void on_form(struct kb_request *req)
{
	struct kb_sv text = KB_SV("");

	for (size_t i = 0; i < req->part_count; i++) {
		const struct kb_form_part *part = &req->parts[i];
		char hash[KB_HASH_HEX] = "none";

		if (!part->filename.p) {
			text = kb_arena_printf(req->arena, "%.*s%.*s=%.*s;", KB_SV_ARG(text),
			                       KB_SV_ARG(part->name), KB_SV_ARG(part->value));
			continue;
		}
		if (part->path) {
			struct kb_hasher hasher;
			char piece[4096];
			ssize_t n;
			int fd = open(part->path, O_RDONLY);

			kb_hasher_init(&hasher);
			while ((n = read(fd, piece, sizeof(piece))) > 0)
				kb_hasher_add(&hasher, piece, (size_t)n);
			close(fd);
			kb_hasher_hex(&hasher, hash);
		}
		text = kb_arena_printf(req->arena, "%.*s%.*s:%.*s:%" PRId64 ":%.8s;",
		                       KB_SV_ARG(text), KB_SV_ARG(part->name),
		                       KB_SV_ARG(part->filename), part->size, hash);
	}
	say(req, 200, text);
}

/* "?owner=7": whose answer it is. */
static void read_owner(struct kb_request *req)
{
	struct kb_sv owner = kb_request_query(req, "owner");

	if (owner.p)
		KB_ASSERT(kb_sv_to_int(owner, 1, INT64_MAX, &req->owner));
}

static const struct kb_response stream_head = { .status = 200,
	                                        .content_type = "text/event-stream" };

static void on_stream(struct kb_request *req)
{
	struct site *site = site_of(req);
	struct kb_stream *stream = kb_stream_begin(req, &stream_head);

	kb_stream_write(stream, KB_SV("one\n"));
	kb_stream_wait(stream, 1);
	kb_stream_write(stream, KB_SV("two\n"));
	kb_stream_write(stream, KB_SV("three\n"));
	kb_stream_end(stream);
	atomic_fetch_add(&site->stream_ended, 1);
}

/* Opens a stream, says one thing, and then only watches. */
static void on_idle_stream(struct kb_request *req)
{
	struct site *site = site_of(req);
	struct kb_stream *stream;

	read_owner(req);
	stream = kb_stream_begin(req, &stream_head);
	kb_stream_write(stream, KB_SV("begun\n"));
	while (kb_stream_write(stream, kb_sv("", 0)) && !atomic_load(&site->go))
		usleep(2000);
	if (!atomic_load(&site->go))
		atomic_fetch_add(&site->streams_gone, 1);
	kb_stream_end(stream);
	atomic_fetch_add(&site->stream_ended, 1);
}

/* Writes as fast as it may, with back-pressure if the query asks for it. */
static void on_flood(struct kb_request *req)
{
	struct site *site = site_of(req);
	bool wait = kb_request_query(req, "wait").p != NULL;
	struct kb_stream *stream = kb_stream_begin(req, &stream_head);
	static const char piece[4096] = "x";
	bool ok = true;

	for (int i = 0; i < 5000 && ok; i++) {
		ok = kb_stream_write(stream, kb_sv(piece, sizeof(piece)));
		if (ok && wait)
			ok = kb_stream_wait(stream, 64 * 1024);
	}
	if (!ok)
		atomic_fetch_add(&site->streams_gone, 1);
	kb_stream_end(stream);
	atomic_fetch_add(&site->stream_ended, 1);
}

static void on_file(struct kb_request *req)
{
	const struct site *site = site_of(req);
	struct kb_sv path = kb_arena_printf(req->arena, "%s/file", site->dir);
	int fd = open(path.p, O_RDONLY | O_CLOEXEC);
	off_t size = lseek(fd, 0, SEEK_END);

	kb_respond_file(req, &(struct kb_response){ .content_type = "text/plain" }, fd, size, true);
}

static void on_wait(struct kb_request *req)
{
	struct site *site = site_of(req);

	atomic_fetch_add(&site->waiting, 1);
	while (!atomic_load(&site->go))
		usleep(1000);
	say(req, 200, KB_SV("waited"));
}

static void on_fields(struct kb_request *req)
{
	kb_respond(req,
	           &(struct kb_response){ .status = 201,
	                                  .fields = { { KB_SV("X-Odd"), KB_SV("a\r\nEvil: yes") } },
	                                  .close = true });
}

static void on_big(struct kb_request *req)
{
	size_t n = KB_MIB(8);

	read_owner(req);
	say(req, 200, kb_sv(memset(kb_arena_bytes(req->arena, n), 'b', n), n));
}

static void on_refusal(struct kb_request *req, const struct kb_err *err)
{
	const struct kb_response response = {
		.status = err->status,
		.content_type = "text/plain",
		.body = kb_arena_printf(req->arena, "refused: %s", err->msg),
		.retry_after_s = kb_err_retry_after(err),
	};

	kb_respond(req, &response);
}

static bool on_admission(struct kb_request *req)
{
	struct site *site = site_of(req);

	atomic_fetch_add(&site->admitted, 1);
	if (!atomic_load(&site->refuse_admission))
		return true;
	say(req, 401, KB_SV("who are you?"));
	return false;
}

static bool on_owner(void *app, int64_t owner)
{
	const struct site *site = app;

	return atomic_load(&site->lost) != owner;
}

static void on_decoration(struct kb_request *req, struct kb_buf *head)
{
	(void)req;
	kb_buf_str(head, "X-Decorated: yes\r\n");
}

static const struct kb_route routes[] = {
	{ .method = "GET", .path = "/hello", .handle = on_hello },
	{ .method = "GET", .path = "/fast", .handle = on_slow, .fast = on_fast },
	{ .method = "GET", .path = "/items/{id}", .handle = on_item },
	{ .method = "GET", .path = "/echo", .handle = on_echo, .body_max = 1000 },
	{ .method = "POST", .path = "/echo", .handle = on_echo, .body_max = 1000 },
	{ .method = "POST", .path = "/large", .handle = on_echo, .body_max = 4 * 1024 * 1024 },
	{ .method = "DELETE", .path = "/drop", .handle = on_hello },
	{ .method = "POST", .path = "/form", .handle = on_form, .body_max = 2000 },
	{ .method = "POST",
	  .path = "/upload",
	  .handle = on_form,
	  .body_max = 2000,
	  .upload = true },
	{ .method = "GET", .path = "/stream", .handle = on_stream },
	{ .method = "GET", .path = "/idle-stream", .handle = on_idle_stream },
	{ .method = "GET", .path = "/flood", .handle = on_flood },
	{ .method = "GET", .path = "/file", .handle = on_file },
	{ .method = "GET", .path = "/wait", .handle = on_wait },
	{ .method = "GET", .path = "/fields", .handle = on_fields },
	{ .method = "GET", .path = "/big", .handle = on_big },
};

void site_init(struct site *site)
{
	memset(site, 0, sizeof(*site));
	snprintf(site->dir, sizeof(site->dir), "/tmp/docent-net-XXXXXX");
	KB_ASSERT(mkdtemp(site->dir));
	snprintf(site->temp_dir, sizeof(site->temp_dir), "%s/uploads", site->dir);
	kb_log_init(&site->log, KB_LOG_OFF, KB_LOG_TEXT, 2);
	kb_server_config_init(&site->config);
	site->config.routes = routes;
	site->config.route_count = KB_COUNTOF(routes);
	site->config.log = &site->log;
	site->config.app = site;
	site->config.port = 0;
	site->config.loops = 2;
	site->config.temp_dir = site->temp_dir;
	site->config.refuse = on_refusal;
	site->config.admit = on_admission;
	site->config.decorate = on_decoration;
	site->config.owner_holds = on_owner;
	site->config.disk_reserve = 0;
}

bool site_start(struct site *site)
{
	struct kb_err err;

	site->workers = kb_pool_open("site", 8, 100);
	site->config.workers = site->workers;
	site->server = kb_server_start(&site->config, &err);
	if (!site->server)
		fprintf(stderr, "%s\n", err.msg);
	return site->server != NULL;
}

void site_stop(struct site *site, int grace_ms)
{
	char command[128];

	kb_server_stop(site->server, grace_ms);
	kb_pool_close(site->workers);
	snprintf(command, sizeof(command), "rm -rf %s", site->dir);
	KB_ASSERT(system(command) == 0);
}

int site_temp_files(const struct site *site)
{
	DIR *dir = opendir(site->temp_dir);
	struct dirent *entry;
	int n = 0;

	while (dir && (entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return n;
}

int site_connect(const struct site *site)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
		                       .sin_port = htons((uint16_t)kb_server_port(site->server)),
		                       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (struct sockaddr *)(void *)&address, sizeof(address)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

bool site_send(int fd, struct kb_sv bytes)
{
	while (bytes.n) {
		ssize_t n = send(fd, bytes.p, bytes.n, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		bytes = kb_sv_from(bytes, (size_t)n);
	}
	return true;
}

bool site_read(int fd, struct kb_buf *text, const char *until, int timeout_ms)
{
	int64_t end = kb_clock_mono_us() + timeout_ms * INT64_C(1000);

	for (;;) {
		struct pollfd wait = { .fd = fd, .events = POLLIN };
		int64_t left = end - kb_clock_mono_us();
		ssize_t n;

		if (until && kb_sv_find(kb_buf_view(text), kb_sv_str(until)) >= 0)
			return false;
		if (poll(&wait, 1, (int)KB_MAX((left + 999) / 1000, (int64_t)0)) == 0)
			return false;
		n = recv(fd, kb_buf_room(text, 65536), 65536, 0);
		if (n <= 0)
			return true;
		kb_buf_advance(text, (size_t)n);
	}
}

struct kb_sv site_ask(struct kb_arena *arena, const struct site *site, struct kb_sv bytes)
{
	int fd = site_connect(site);
	struct kb_sv answer = KB_SV("");
	struct kb_buf text;

	if (fd < 0)
		return answer;
	kb_buf_init(&text, KB_MIB(64));
	site_send(fd, bytes);
	if (site_read(fd, &text, NULL, site_hang_ms()))
		answer = kb_arena_sv(arena, kb_buf_view(&text));
	else
		answer = KB_SV("the connection was not closed");
	kb_buf_fini(&text);
	close(fd);
	return answer;
}

int site_status(struct kb_sv answer)
{
	int64_t status;

	while (kb_sv_starts(answer, KB_SV("HTTP/1.1 "))) {
		if (!kb_sv_to_int(kb_sv_sub(answer, 9, 3), 100, 599, &status))
			return 0;
		if (status != 100)
			return (int)status;
		answer = site_body(answer);
	}
	return 0;
}

struct kb_sv site_body(struct kb_sv answer)
{
	ptrdiff_t at = kb_sv_find(answer, KB_SV("\r\n\r\n"));

	return at < 0 ? KB_SV("") : kb_sv_from(answer, (size_t)at + 4);
}

int site_count(struct kb_sv text, const char *needle)
{
	const char *p = text.p, *end = text.p + text.n;
	size_t length = strlen(needle);
	int n = 0;

	/* A sanitizer reads the whole of what is searched for a string, with each call. */
	for (; p < end && (p = memchr(p, needle[0], (size_t)(end - p))) != NULL; p++)
		n += (size_t)(end - p) >= length && memcmp(p, needle, length) == 0;
	return n;
}

int site_hang_ms(void)
{
	return kb_test_patient(30 * 1000);
}

void site_sleep_ms(int ms)
{
	usleep((useconds_t)ms * 1000);
}

bool site_wait_for(_Atomic int *value, int wanted)
{
	for (int i = 0, most = site_hang_ms(); i < most && atomic_load(value) != wanted; i++)
		site_sleep_ms(1);
	return atomic_load(value) == wanted;
}

bool site_wait_open(const struct site *site, int64_t connections, int64_t streams)
{
	struct kb_server_stats stats;

	for (int ms = 0, most = site_hang_ms(); ms < most; ms += 10) {
		kb_server_stats(site->server, &stats);
		if (stats.connections == connections && stats.streams == streams)
			return true;
		site_sleep_ms(10);
	}
	return false;
}
