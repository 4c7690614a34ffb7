/* A request from its parsed head to its handler: what it is, who holds it, where it goes. */
#include <stdlib.h>
#include <string.h>

#include "base/field.h"
#include "base/file.h"
#include "http/conn.h"
#include "http/forwarded.h"

static void on_news(struct kb_task *task);

/* ---- life ---- */

#define CONTEXT "request="

/* "request=k3Xz0a-17", for every request: printf would be a tenth of a small answer. */
static void write_context(char out[KB_LOG_CONTEXT], const struct kb_server *server, int64_t id)
{
	char digits[24];
	size_t n = 0, at = sizeof(CONTEXT) - 1;

	do
		digits[n++] = (char)('0' + id % 10);
	while (id /= 10);
	memcpy(out, CONTEXT, at);
	memcpy(out + at, server->tag, KB_SERVER_TAG);
	at += KB_SERVER_TAG;
	out[at++] = '-';
	while (n)
		out[at++] = digits[--n];
	out[at] = '\0';
}

struct kb_http_exchange *kb_exchange_new(struct kb_http_conn *conn)
{
	struct kb_lane *lane = conn->lane;
	struct kb_http_exchange *call = lane->spare_calls;
	struct kb_arena arena = { 0 };

	if (call) {
		lane->spare_calls = call->next_spare;
		lane->spare_count--;
		arena = call->arena;
	} else {
		call = kb_xmalloc(sizeof(*call));
	}
	*call = (struct kb_http_exchange){
		.lane = lane,
		.refs = 1,
		.file_fd = -1,
		.keep_alive = true,
		.arena = arena,
		.task.run = on_news,
		.req = {
			.arena = &call->arena,
			.app = lane->server->config.app,
			.id = ++lane->last_id * lane->server->lane_count + (lane - lane->server->lanes),
			.method = { "", 0 },
			.target = { "", 0 },
			.path = { "", 0 },
			.query = { "", 0 },
			.host = { "", 0 },
			.tls = conn->tls != NULL,
			.conn = conn,
		},
	};
	memcpy(call->req.peer, conn->peer, sizeof(call->req.peer));
	write_context(call->log_context, lane->server, call->req.id);
	call->req.name = call->log_context + sizeof(CONTEXT) - 1;
	kb_log_child(&call->req.log, lane->server->config.log, call->log_context);
	return call;
}

static void hold(struct kb_http_exchange *call)
{
	atomic_fetch_add_explicit(&call->refs, 1, memory_order_relaxed);
}

static void end_call(struct kb_http_exchange *call)
{
	kb_body_fini(&call->body);
	kb_block_free(call->answer);
	kb_fd_close(&call->file_fd);
}

static void free_call(void *arg)
{
	struct kb_http_exchange *call = arg;

	end_call(call);
	kb_arena_fini(&call->arena);
	free(call);
}

void kb_exchange_release(struct kb_http_exchange *call, bool here)
{
	struct kb_lane *lane = call->lane;

	if (atomic_fetch_sub_explicit(&call->refs, 1, memory_order_acq_rel) > 1)
		return;
	if (!here || call->arena.defer) {
		free_call(call);
		return;
	}
	/* Removing files may take its time. */
	if (call->body.upload && kb_upload_has_files(call->body.upload)) {
		if (!kb_pool_submit(lane->server->config.workers, free_call, call))
			free_call(call);
		return;
	}
	if (lane->spare_count >= KB_SPARE_CALLS || call->arena.total > KB_SPARE_ARENA_MAX) {
		free_call(call);
		return;
	}
	end_call(call);
	kb_arena_reset(&call->arena);
	call->next_spare = lane->spare_calls;
	lane->spare_calls = call;
	lane->spare_count++;
}

/* ---- refusals ---- */

void kb_exchange_refuse(struct kb_http_exchange *call, const struct kb_err *err)
{
	struct kb_server_config *config = &call->lane->server->config;
	struct kb_err refusal = *err;
	struct kb_response plain;

	call->refused = true;
	refusal.status = kb_err_status(err);
	kb_debug(&call->req.log, "request refused peer=%s status=%d: %s", call->req.peer,
	         refusal.status, err->msg);
	if (config->refuse)
		config->refuse(&call->req, &refusal);
	if (atomic_load(&call->answered))
		return;
	plain = (struct kb_response){ .status = refusal.status,
		                      .content_type = "text/plain; charset=utf-8",
		                      .body = kb_arena_printf(&call->arena, "%s\n", err->msg),
		                      .retry_after_s = kb_err_retry_after(err) };
	kb_respond(&call->req, &plain);
}

const struct kb_err *kb_exchange_keep_err(struct kb_http_exchange *call, const struct kb_err *err)
{
	struct kb_err *copy = KB_NEW(&call->arena, struct kb_err);

	*copy = *err;
	return copy;
}

/* ---- to workers and back ---- */

bool kb_exchange_submit(struct kb_http_exchange *call, void (*fn)(void *call))
{
	hold(call);
	if (kb_pool_submit(call->lane->server->config.workers, fn, call)) {
		call->out = true;
		return true;
	}
	atomic_fetch_sub(&call->refs, 1);
	return false;
}

void kb_exchange_tell(struct kb_http_exchange *call, enum kb_news news)
{
	call->news = (uint8_t)news;
	kb_loop_post(call->lane->loop, &call->task);
}

static void on_news(struct kb_task *task)
{
	struct kb_http_exchange *call = KB_OUTER(task, struct kb_http_exchange, task);
	struct kb_http_conn *conn = call->req.conn;

	call->out = false;
	call->body.storing = false;
	if (conn->source.fd < 0) {
		kb_conn_kill(conn);
		return;
	}
	switch (call->news) {
	case KB_NEWS_ANSWER:
		call->done = true;
		conn->closing = conn->closing || call->answer_close;
		/* Refused at its door: the peer may still be sending the body. */
		conn->unread = conn->unread || !call->body.done;
		kb_conn_queue(conn, call->answer);
		call->answer = NULL;
		conn->step = KB_STEP_SEND;
		break;
	case KB_NEWS_ADMITTED:
		conn->step = (uint8_t)kb_body_admitted(conn, call);
		break;
	default: /* KB_NEWS_STORED: the body goes on */
		break;
	}
	kb_conn_run(conn);
}

static void fill_pairs(struct kb_http_exchange *call)
{
	struct kb_sv type = kb_media_type(kb_request_field(&call->req, "content-type"));
	struct kb_err err;

	if (call->req.body.n == 0 || !kb_sv_ieq_str(type, "application/x-www-form-urlencoded"))
		return;
	if (!kb_form_pairs(&call->arena, call->req.body, &call->req.parts, &call->req.part_count,
	                   &err))
		kb_exchange_refuse(call, &err);
}

void kb_exchange_handle(struct kb_http_exchange *call)
{
	kb_job_set(call->log_context);
	fill_pairs(call);
	if (!atomic_load(&call->answered))
		call->req.route->handle(&call->req);
	kb_job_set(NULL);
	kb_exchange_release(call, false);
}

static void handle_job(void *call)
{
	kb_exchange_handle(call);
}

enum kb_http_step kb_exchange_work(struct kb_http_conn *conn, struct kb_http_exchange *call)
{
	kb_conn_deadline(conn, 0);
	return kb_exchange_submit(call, handle_job) ? KB_STEP_WORK : kb_conn_refuse_busy(conn);
}

/* ---- the beginning ---- */

static void fill_request(struct kb_http_exchange *call, const struct kb_http_head *head)
{
	struct kb_request *req = &call->req;

	req->method = head->method;
	req->target = head->target;
	req->path = head->path;
	req->query = head->query;
	req->host = head->host;
	req->fields = KB_NEW_ARRAY(&call->arena, head->field_count, struct kb_http_field);
	req->field_count = head->field_count;
	memcpy(req->fields, head->fields, head->field_count * sizeof(*req->fields));
	call->head_only = kb_sv_eq_str(head->method, "HEAD");
	call->http10 = head->minor == 0;
	call->keep_alive = head->keep_alive;
	call->expect_continue = head->expect_continue;
	call->body.framing = head->chunked      ? KB_BODY_CHUNKED
	                     : head->length > 0 ? KB_BODY_LENGTH
	                                        : KB_BODY_NONE;
	call->body.left = head->length > 0 ? head->length : 0;
	call->body.done = call->body.framing == KB_BODY_NONE;
}

static bool find_route(struct kb_http_exchange *call, struct kb_err *err)
{
	struct kb_request *req = &call->req;
	struct kb_match match;
	bool found;

	found = kb_router_find(call->lane->server->router, &call->arena, req->method, req->path,
	                       &match, err);
	req->path = match.path;
	call->allow = match.allow;
	if (!found)
		return false;
	req->route = match.route;
	req->param_count = match.param_count;
	memcpy(req->params, match.params, match.param_count * sizeof(*req->params));
	return true;
}

/* OPTIONS * asks about the server as a whole (RFC 9110 9.3.7). */
static enum kb_http_step answer_options(struct kb_http_conn *conn, struct kb_http_exchange *call)
{
	call->allow = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
	conn->unread = !call->body.done;
	kb_respond(&call->req, &(struct kb_response){ .status = 204 });
	return KB_STEP_SEND;
}

enum kb_http_step kb_exchange_start(struct kb_http_conn *conn, struct kb_http_exchange *call)
{
	struct kb_err err;

	fill_request(call, &conn->lane->head);
	call->req.from_proxy = conn->is_proxy;
	if (conn->is_proxy) {
		kb_forwarded_client(&conn->lane->server->config.proxies, call->req.fields,
		                    call->req.field_count, call->req.peer);
		kb_forwarded_place(call->req.fields, call->req.field_count, &call->req.tls,
		                   &call->req.host);
	}
	if (kb_sv_eq_str(call->req.path, "*"))
		return answer_options(conn, call);
	if (!find_route(call, &err)) {
		if (call->body.done)
			return kb_conn_refuse(conn, &err);
		call->err = kb_exchange_keep_err(call, &err);
		return kb_body_start(conn, call);
	}
	if (!call->body.done)
		return kb_body_start(conn, call);
	if (call->req.route->fast && call->req.route->fast(&call->req)) {
		if (call->done)
			return KB_STEP_SEND;
		/* Somebody else will answer. */
		call->out = true;
		kb_conn_deadline(conn, 0);
		return KB_STEP_WORK;
	}
	return kb_exchange_work(conn, call);
}

/* ---- what a handler asks ---- */

bool kb_request_deserted(const struct kb_request *req)
{
	return atomic_load(&((const struct kb_http_exchange *)(const void *)req)->deserted);
}

struct kb_sv kb_request_field(const struct kb_request *req, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < req->field_count; i++)
		if (req->fields[i].name.n == n && memcmp(req->fields[i].name.p, name, n) == 0)
			return req->fields[i].value;
	return kb_sv(NULL, 0);
}
