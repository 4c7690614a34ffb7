/*
 * A connection as a whole: loop, router, bodies, workers and the interface's own dispatch, on the
 * real route table and a real store.
 *
 * The input is a list of requests, three bytes each and more where they ask for it: which target,
 * which method, which body, how often; or bytes that are sent as they stand. All of it is written
 * without waiting for an answer, in pieces. What must hold:
 *
 *   - each request gets one answer, in the order of the requests, and the right one;
 *   - unless the connection ends before, with an answer that says so, and that either was asked for
 *     or is an error;
 *   - bytes that are no request change nothing about the requests before them;
 *   - the server ends the connection when the peer has, and never stops for longer than STALL_MS.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "api/routes.h"
#include "base/hash.h"
#include "blob/blob.h"
#include "door.h"
#include "http/router.h"
#include "store/agent_new.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	REQUESTS_MAX = 64,
	NAMED = 5, /* targets that a byte of an input names alone */
	REPEAT_MAX = 40,
	RAW_MAX = 64,
	EXPECTING = 6,    /* the body that waits for 100 Continue */
	STALL_MS = 15000, /* libFuzzer gives up an input after 20 s */
};

/* ---- the service ---- */

struct target {
	struct kb_sv path;
	bool keyed; /* its handler needs no more than the store: it may be called with a key */
};

static struct world {
	char dir[64], blobs[80];
	struct kb_arena arena;
	struct kb_clock clock;
	struct kb_log log;
	struct kb_api api;
	struct kb_server *server;
	struct kb_router *router; /* a second one: to know what is right */
	char key[KB_KEY_TEXT];
	int64_t agent_id;
	struct target *targets; /* in the arena: NAMED of them, then one for each route */
	size_t target_count;
} world;

/* Handlers that need only the store. */
static bool (*const store_handlers[])(struct kb_call *call, struct kb_err *err) = {
	kb_agents_read,
	kb_agents_list,
	kb_conversations_list,
	kb_user_read,
};

static bool needs_only_store(const struct kb_api_route *row)
{
	for (size_t i = 0; i < KB_COUNTOF(store_handlers); i++)
		if (row->handle == store_handlers[i])
			return true;
	return false;
}

static void add_target(struct kb_sv path, bool keyed)
{
	world.targets[world.target_count++] = (struct target){ path, keyed };
}

/* "/projects/{projectId}/pages/{pageId}" with the agent's id and with 1. */
static struct kb_sv fill(const char *path)
{
	struct kb_sv rest = kb_sv_from(kb_sv_str(path), 1), segment, out = KB_SV("");

	while (rest.n && kb_sv_split(&rest, '/', &segment)) {
		if (kb_sv_eq_str(segment, "{projectId}"))
			segment = kb_arena_printf(&world.arena, "%" PRId64, world.agent_id);
		else if (segment.p[0] == '{')
			segment = KB_SV("1");
		out = kb_arena_printf(&world.arena, "%.*s/%.*s", KB_SV_ARG(out),
		                      KB_SV_ARG(segment));
	}
	return out;
}

/* First those that inputs of the corpus name by their number, then a row of the table each. */
static void fill_targets(void)
{
	size_t count;
	const struct kb_api_route *rows = kb_api_routes(&count);

	world.targets = kb_arena_alloc(&world.arena, (NAMED + count) * sizeof(*world.targets));
	add_target(KB_SV("/healthz"), false);
	add_target(fill("/api/v1/projects/{projectId}"), true);
	add_target(KB_SV("/nothing"), false);
	add_target(KB_SV("/readyz"), false);
	add_target(KB_SV("/api/v1/projects"), true);
	for (size_t i = 0; i < count; i++)
		add_target(rows[i].path[1] ? fill(rows[i].path) : KB_SV("/"),
		           needs_only_store(&rows[i]));
}

static void close_world(void)
{
	char command[128];

	kb_server_stop(world.server, 1000);
	kb_pool_close(world.api.workers);
	kb_router_free(world.router);
	kb_rates_free(world.api.rates);
	kb_blobs_close(world.api.blobs);
	kb_store_close(world.api.store);
	kb_arena_fini(&world.arena);
	snprintf(command, sizeof(command), "rm -rf %s", world.dir);
	KB_ASSERT(system(command) == 0);
}

static void open_store(void)
{
	struct kb_account account;
	struct kb_agent agent = { .name = KB_SV("Fuzzed"),
		                  .type = KB_SV("SITEMAP"),
		                  .options = KB_SV("{}"),
		                  .settings = KB_SV("{}") };
	struct kb_err err;

	snprintf(world.dir, sizeof(world.dir), "%s/docent-fuzz-XXXXXX",
	         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	KB_ASSERT(mkdtemp(world.dir));
	world.api.store = kb_store_open(world.dir, true, &world.clock, &world.log, &err);
	KB_ASSERT(world.api.store);
	snprintf(world.blobs, sizeof(world.blobs), "%s/blobs", world.dir);
	world.api.blobs = kb_blobs_open(world.blobs, &err);
	KB_ASSERT(world.api.blobs);
	KB_ASSERT(kb_store_account_ensure(world.api.store, &world.arena, KB_SV("one"), KB_SV(""),
	                                  &account, &err));
	agent.account_id = account.id;
	KB_ASSERT(kb_store_agent_create(world.api.store, &agent, &err));
	KB_ASSERT(kb_store_key_create(world.api.store,
	                              &(struct kb_key_new){ .account_id = account.id }, world.key,
	                              &err));
	world.agent_id = agent.id;
}

static void open_world(void)
{
	struct kb_server_config config;
	struct kb_err err;

	kb_crypto_init();
	kb_log_init(&world.log, KB_LOG_OFF, KB_LOG_TEXT, STDERR_FILENO);
	open_store();
	KB_ASSERT(kb_plans_read(&world.arena, NULL, NULL, &world.api.plans, &err));
	world.api.clock = &world.clock;
	world.api.log = &world.log;
	world.api.rates = kb_rates_new();
	world.api.metrics_token = "nobody knows it";
	world.api.openapi = KB_SV("{}");
	world.api.workers = kb_pool_open("fuzz", 2, 100);
	kb_server_config_init(&config);
	config.port = 0;
	config.loops = 1;
	config.routes = kb_api_net_routes(&world.arena, &config.route_count);
	config.workers = world.api.workers;
	config.log = &world.log;
	config.app = &world.api;
	config.refuse = kb_api_refuse;
	config.admit = kb_api_admit;
	config.decorate = kb_api_decorate;
	world.router = kb_router_new(config.routes, config.route_count);
	fill_targets();
	world.server = kb_server_start(&config, &err);
	KB_ASSERT(world.server);
	world.api.server = world.server;
	atexit(close_world);
}

/* ---- requests from the input ---- */

struct input {
	const uint8_t *p, *end;
};

static uint8_t next(struct input *in)
{
	return in->p < in->end ? *in->p++ : 0;
}

/* What a request must get. */
struct wanted {
	int status; /* 0: any but a failure of the server's */
	const char *method;
	const struct target *target;
	bool may_close;   /* it was asked for, or the answer need not wait for the body */
	const char *says; /* in the body; NULL: nothing is known of it */
	char url[24];     /* in the body of an error */
};

struct script {
	struct kb_buf bytes;
	struct wanted wanted[REQUESTS_MAX];
	size_t count;
	bool raw; /* bytes followed that are no request of ours: nothing is known of what comes then
	           */
};

static const char *const methods[] = { "GET",   "HEAD",   "POST",    "PUT",
	                               "PATCH", "DELETE", "OPTIONS", "GET" };

static bool is_for_visitors(const char *path)
{
	static const char *const begins[] = { "/public/", "/embed/", "/c/", "/projects/" };

	for (size_t i = 0; i < KB_COUNTOF(begins); i++)
		if (strncmp(path, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

static int status_of(const char *method, const struct target *target, bool keyed)
{
	struct kb_arena arena = { 0 };
	struct kb_match match;
	struct kb_err err;
	const struct kb_api_route *row = NULL;

	if (strcmp(method, "OPTIONS") == 0)
		return 204; /* a browser asks first: it is told what it may */
	if (kb_router_find(world.router, &arena, kb_sv_str(method), target->path, &match, &err))
		row = match.route->app;
	kb_arena_fini(&arena);
	if (!row)
		return kb_err_info(err.code)->status;
	if (row->role == KB_ROLE_VISITOR || is_for_visitors(row->path))
		return 0; /* no agent is public here: a page that says so, or an error */
	if (row->role != KB_ROLE_NONE)
		return keyed ? 200 : 401;
	if (strcmp(row->path, "/session") == 0 && strcmp(method, "GET") != 0)
		return strcmp(method, "HEAD") == 0 ? 200 : 0; /* for pages of the service alone */
	return row->handle == kb_system_metrics || row->handle == kb_mcp_register ? 403
	       : row->handle == kb_licenses_check                                 ? 0
	       : row->handle == kb_oidc_logout                                    ? 0
	       : row->handle == kb_oidc_login || row->handle == kb_oidc_callback
	               ? 404 /* no provider signs anybody in here */
	       : row->handle == kb_oauth_token || row->handle == kb_oauth_revoke ? 0
	       : row->handle == kb_oauth_about || row->handle == kb_mcp_about
	               ? 404 /* the service has no name to give tokens for */
	       : strncmp(row->path, "/assets/", 8) == 0 || strncmp(row->path, "/web/", 5) == 0
	               ? 404
	               : 200;
}

static const char *body_of(const struct target *target, int status)
{
	if (status != 200)
		return NULL;
	if (kb_sv_eq_str(target->path, "/healthz"))
		return "{\"status\":\"ok\"}";
	if (kb_sv_eq_str(target->path, "/readyz"))
		return "{\"status\":\"ready\"}";
	if (kb_sv_eq(target->path, world.targets[1].path))
		return "\"project_name\":\"Fuzzed\"";
	return NULL;
}

static void add_body(struct kb_buf *buf, int kind, int n)
{
	static const char *const bodies[] = {
		"\r\n",
		"Content-Length: 1\r\n\r\nx",
		"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
		"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"Transfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n1\r\nd\r\n0\r\nT: u\r\n\r\n",
		"Content-Length: 0\r\n\r\n",
		"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}",
	};

	if (kind < (int)KB_COUNTOF(bodies)) {
		kb_buf_str(buf, bodies[kind]);
		return;
	}
	n = n * 64 + 1;
	kb_buf_printf(buf, "Content-Length: %d\r\n\r\n", n);
	while (n--)
		kb_buf_byte(buf, 'b');
}

/* One request, or several alike. */
static void add_requests(struct script *script, struct input *in, uint8_t op)
{
	uint8_t named = next(in);
	size_t at = named < NAMED ? named : (size_t)named << 8 | next(in);
	const struct target *target = &world.targets[at % world.target_count];
	uint8_t how = next(in);
	const char *method = methods[how & 7];
	int kind = how >> 3 & 7, repeat = op & 0x40 ? next(in) % REPEAT_MAX + 1 : 1;
	int body_n = kind == 7 ? next(in) : 0;
	bool keyed = target->keyed && (kb_sv_eq_str(kb_sv_str(method), "GET") || how & 1)
	             && how & 0x40 && (how & 7) <= 1;
	bool asks_close = (op & 0x3f) == 0x3f;
	int status = status_of(method, target, keyed);

	for (int i = 0; i < repeat && script->count < REQUESTS_MAX; i++) {
		struct wanted *wanted = &script->wanted[script->count];

		*wanted = (struct wanted){ .status = status,
			                   .method = method,
			                   .target = target,
			                   .may_close = asks_close || kind == EXPECTING,
			                   .says = body_of(target, status) };
		snprintf(wanted->url, sizeof(wanted->url), "?n=%zu\"", script->count);
		kb_buf_printf(&script->bytes, "%s %.*s?n=%zu HTTP/1.1\r\nHost: a\r\n", method,
		              KB_SV_ARG(target->path), script->count);
		if (keyed)
			kb_buf_printf(&script->bytes, "Authorization: Bearer %s\r\n", world.key);
		if (asks_close)
			kb_buf_str(&script->bytes, "Connection: close\r\n");
		add_body(&script->bytes, kind, body_n);
		script->count += !script->raw;
	}
}

static void add_raw(struct script *script, struct input *in)
{
	size_t n = next(in) % RAW_MAX;

	n = KB_MIN(n, (size_t)(in->end - in->p));
	kb_buf_add(&script->bytes, (const char *)in->p, n);
	in->p += n;
	script->raw = script->raw || n;
}

static void read_script(struct script *script, struct input *in)
{
	kb_buf_init(&script->bytes, KB_MIB(32));
	while (in->p < in->end && script->count < REQUESTS_MAX && script->bytes.n < KB_MIB(1)) {
		uint8_t op = next(in);

		if (op & 0x80)
			add_raw(script, in);
		else
			add_requests(script, in, op);
	}
}

/* ---- the connection ---- */

/* Sends in pieces of `step` bytes and receives until the server has closed. */
static void converse(struct kb_sv bytes, size_t step, struct kb_buf *answers)
{
	int fds[2];
	bool open = true;

	KB_ASSERT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0);
	fuzz_door_take(world.server, fds[1]);
	for (;;) {
		struct pollfd poll_fd = { .fd = fds[0],
			                  .events = (short)(POLLIN | (open ? POLLOUT : 0)) };
		int ready = poll(&poll_fd, 1, STALL_MS);
		ssize_t n;

		if (ready < 0 && errno == EINTR) /* libFuzzer looks at its clock */
			continue;
		KB_ASSERT(ready == 1); /* or the server has stopped */
		if (open && poll_fd.revents & (POLLOUT | POLLERR)) {
			n = bytes.n ? send(fds[0], bytes.p, KB_MIN(step, bytes.n), MSG_NOSIGNAL)
			            : 0;
			bytes = n > 0 ? kb_sv_from(bytes, (size_t)n) : bytes;
			/* It may be gone already, with an error's answer. */
			if (bytes.n == 0 || (n < 0 && errno != EAGAIN)) {
				shutdown(fds[0], SHUT_WR);
				open = false;
			}
		}
		n = recv(fds[0], kb_buf_room(answers, 65536), 65536, 0);
		if (n == 0 || (n < 0 && errno != EAGAIN))
			break;
		kb_buf_advance(answers, n > 0 ? (size_t)n : 0);
	}
	close(fds[0]);
}

/* ---- answers ---- */

struct answer {
	int status;
	bool close;
	struct kb_sv body;
};

/* Takes the next final answer off the front. */
static struct answer take_answer(struct kb_sv *bytes, bool head)
{
	struct answer answer = { 0 };

	do {
		ptrdiff_t end = kb_sv_find(*bytes, KB_SV("\r\n\r\n")), at;
		struct kb_sv fields;
		int64_t n = 0, status = 0;

		KB_ASSERT(end > 12 && kb_sv_starts(*bytes, KB_SV("HTTP/1.1 ")));
		KB_ASSERT(kb_sv_to_int(kb_sv_sub(*bytes, 9, 3), 100, 599, &status));
		fields = kb_sv_sub(*bytes, 0, (size_t)end + 2);
		*bytes = kb_sv_from(*bytes, (size_t)end + 4);
		answer.status = (int)status;
		answer.close = kb_sv_find(fields, KB_SV("\r\nConnection: close\r\n")) >= 0;
		at = kb_sv_find(fields, KB_SV("\r\nContent-Length: "));
		if (status < 200 || status == 204)
			continue;
		KB_ASSERT(at >= 0);
		fields = kb_sv_from(fields, (size_t)at + 18);
		KB_ASSERT(kb_sv_to_int(kb_sv_sub(fields, 0, (size_t)kb_sv_find_byte(fields, '\r')),
		                       0, INT32_MAX, &n));
		if (head)
			continue;
		KB_ASSERT((size_t)n <= bytes->n);
		answer.body = kb_sv_sub(*bytes, 0, (size_t)n);
		*bytes = kb_sv_from(*bytes, (size_t)n);
	} while (answer.status < 200);
	return answer;
}

/* Ends the run, saying what came. */
static void need(bool ok, const char *what, const struct wanted *wanted,
                 const struct answer *answer)
{
	if (ok)
		return;
	fprintf(stderr, "%s %.*s%s wanted %d and got %d%s: %.*s\n", wanted->method,
	        KB_SV_ARG(wanted->target->path), wanted->url, wanted->status, answer->status, what,
	        KB_SV_ARG(kb_sv_sub(answer->body, 0, 500)));
	abort();
}

/* Errors of JSON-RPC, SCIM and OAuth do not say whose they are. */
static bool is_of_another_form(struct kb_sv body)
{
	return kb_sv_find(body, KB_SV("\"jsonrpc\"")) >= 0
	       || kb_sv_find(body, KB_SV("scim:api:messages")) >= 0
	       || kb_sv_find(body, KB_SV("\"error_description\"")) >= 0;
}

static void check_answer(const struct answer *answer, const struct wanted *wanted)
{
	need(wanted->status ? answer->status == wanted->status : answer->status < 500,
	     ", another status", wanted, answer);
	need(!answer->close || wanted->may_close || answer->status >= 400, ", and the end", wanted,
	     answer);
	if (strcmp(wanted->method, "HEAD") == 0)
		return;
	if (answer->status >= 400)
		need(kb_sv_find(answer->body, kb_sv_str(wanted->url)) >= 0
		             || is_of_another_form(answer->body),
		     ", of another request", wanted, answer);
	else if (wanted->says)
		need(kb_sv_find(answer->body, kb_sv_str(wanted->says)) >= 0, ", another answer",
		     wanted, answer);
}

static void check_answers(struct kb_sv bytes, const struct script *script)
{
	bool closed = false;
	size_t count = 0;

	for (; count < script->count && bytes.n; count++) {
		struct answer answer =
		        take_answer(&bytes, strcmp(script->wanted[count].method, "HEAD") == 0);

		KB_ASSERT(!closed);
		check_answer(&answer, &script->wanted[count]);
		closed = answer.close;
	}
	KB_ASSERT(closed || count == script->count);
	KB_ASSERT(bytes.n == 0 || (script->raw && !closed));
	/* What the raw bytes were taken for, we do not know; an answer to HEAD has no body. */
	if (bytes.n)
		KB_ASSERT(kb_sv_starts(bytes, KB_SV("HTTP/1.1 ")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct script script;
	struct input in = { data, data + size };
	struct kb_buf answers;
	size_t step;

	if (!world.server)
		open_world();
	if (size == 0)
		return 0;
	script.count = 0;
	script.raw = false;
	step = next(&in);
	read_script(&script, &in);
	kb_buf_init(&answers, SIZE_MAX / 2);
	converse(kb_buf_view(&script.bytes), step ? step * 16 : SIZE_MAX, &answers);
	check_answers(kb_buf_view(&answers), &script);
	kb_buf_fini(&answers);
	kb_buf_fini(&script.bytes);
	return 0;
}
