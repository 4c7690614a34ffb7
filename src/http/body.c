/* Request bodies: where they go, how much of them, and how fast they must come. */
#include <stdlib.h>

#include "base/field.h"
#include "base/size.h"
#include "http/conn.h"

enum {
	/* Beside the bytes of files and fields: boundaries and heads of parts. */
	FORM_OVERHEAD = 512 * 1024,
};

static bool is_multipart(const struct kb_http_exchange *call)
{
	return kb_sv_ieq_str(kb_media_type(kb_request_field(&call->req, "content-type")),
	                     "multipart/form-data");
}

static struct kb_upload_limits limits_of(const struct kb_http_exchange *call)
{
	const struct kb_server_config *config = &call->lane->server->config;
	const struct kb_route *route = call->req.route;
	int64_t total_max = config->upload_total_max;

	if (route->upload_max)
		total_max = KB_MIN(total_max, route->upload_max);
	return (struct kb_upload_limits){
		.files = route->upload && config->temp_dir,
		.files_max = config->upload_files_max,
		.file_max = KB_MIN(config->upload_file_max, total_max),
		.files_total_max = total_max,
		.text_max = route->upload ? (size_t)KB_FORM_TEXT_BYTES_MAX
		                          : KB_MIN(route->body_max, (size_t)KB_FORM_TEXT_BYTES_MAX),
		.temp_dir = config->temp_dir,
		.disk_reserve = config->disk_reserve,
	};
}

/* The most bytes of body that can be right. */
static int64_t most_bytes(const struct kb_http_exchange *call)
{
	struct kb_upload_limits limits;

	switch (call->body.sink) {
	case KB_SINK_DROP:
		return KB_BODY_DROP_MAX;
	case KB_SINK_MEMORY:
		return (int64_t)call->req.route->body_max;
	default:
		limits = limits_of(call);
		return (limits.files ? limits.files_total_max : 0) + (int64_t)limits.text_max
		       + FORM_OVERHEAD;
	}
}

static bool fail_size(const struct kb_http_exchange *call, int64_t n, struct kb_err *err)
{
	char figure[KB_SIZE_TEXT], limit[KB_SIZE_TEXT];
	struct kb_upload_limits limits;

	if (call->body.sink == KB_SINK_UPLOAD) {
		limits = limits_of(call);
		if (limits.files)
			return kb_fail(err, KB_E_TOO_LARGE,
			               "the request's body of %s is too large: the files of one "
			               "request may have %s together",
			               kb_size_text(figure, n),
			               kb_size_text(limit, limits.files_total_max));
	}
	return kb_fail(err, KB_E_TOO_LARGE, "the request's body of %s%s is over the limit of %s",
	               call->body.framing == KB_BODY_CHUNKED ? "more than " : "",
	               kb_size_text(figure, n), kb_size_text(limit, most_bytes(call)));
}

/* ---- beginning ---- */

static enum kb_sink choose_sink(const struct kb_http_exchange *call)
{
	const struct kb_route *route = call->req.route;

	if (call->err || (route->body_max == 0 && !route->upload))
		return KB_SINK_DROP;
	if (is_multipart(call))
		return KB_SINK_UPLOAD;
	return route->body_max ? KB_SINK_MEMORY : KB_SINK_DROP;
}

/* On a worker: may this body come, and is there room for it? */
static void admit(void *arg)
{
	struct kb_http_exchange *call = arg;
	const struct kb_server_config *config = &call->lane->server->config;
	bool ok = !config->admit || config->admit(&call->req);
	struct kb_err err;

	if (ok && call->body.sink == KB_SINK_UPLOAD) {
		struct kb_upload_limits limits = limits_of(call);

		if (limits.files && !kb_upload_check_disk(&limits, call->body.left, &err)) {
			kb_exchange_refuse(call, &err);
			ok = false;
		}
	}
	if (ok)
		kb_exchange_tell(call, KB_NEWS_ADMITTED);
	kb_exchange_release(call, false);
}

enum kb_http_step kb_body_start(struct kb_http_conn *conn, struct kb_http_exchange *call)
{
	const struct kb_server_config *config = &call->lane->server->config;
	struct kb_body *body = &call->body;
	struct kb_err err;

	body->sink = (uint8_t)choose_sink(call);
	if (call->err && (call->expect_continue || body->left > most_bytes(call)))
		return kb_conn_refuse(conn, call->err);
	if (body->left > most_bytes(call)) {
		fail_size(call, body->left, &err);
		return kb_conn_refuse(conn, &err);
	}
	if (!call->err && (config->admit || body->sink == KB_SINK_UPLOAD)
	    && (body->framing == KB_BODY_CHUNKED || body->left > (int64_t)config->admit_above)) {
		kb_conn_deadline(conn, 0);
		return kb_exchange_submit(call, admit) ? KB_STEP_ADMIT : kb_conn_refuse_busy(conn);
	}
	return kb_body_admitted(conn, call);
}

/* The peer's time begins now. */
static void start_clock(struct kb_http_conn *conn, struct kb_body *body)
{
	body->last_us = body->window_us = kb_loop_now_us(conn->lane->loop);
	body->window_bytes = 0;
}

enum kb_http_step kb_body_admitted(struct kb_http_conn *conn, struct kb_http_exchange *call)
{
	struct kb_body *body = &call->body;
	struct kb_err err;

	kb_buf_init(&body->bytes, SIZE_MAX / 2);
	kb_buf_init(&body->piece, SIZE_MAX / 2);
	if (body->sink == KB_SINK_UPLOAD) {
		struct kb_upload_limits limits = limits_of(call);

		body->upload = kb_upload_new(
		        &call->arena, kb_request_field(&call->req, "content-type"), &limits, &err);
		if (!body->upload)
			return kb_conn_refuse(conn, &err);
	}
	if (call->expect_continue && conn->in.n == 0)
		kb_buf_str(&conn->lane->out, "HTTP/1.1 100 Continue\r\n\r\n");
	start_clock(conn, body);
	return KB_STEP_BODY;
}

/* ---- storing an upload ---- */

static void store_piece(void *arg)
{
	struct kb_http_exchange *call = arg;
	struct kb_body *body = &call->body;
	struct kb_err err;

	if (!kb_upload_feed(body->upload, kb_buf_view(&body->piece), &err))
		body->store_err = kb_exchange_keep_err(call, &err);
	kb_exchange_tell(call, KB_NEWS_STORED);
	kb_exchange_release(call, false);
}

/* The last piece: then the form is complete and its handler runs. */
static void store_rest(void *arg)
{
	struct kb_http_exchange *call = arg;
	struct kb_body *body = &call->body;
	struct kb_err err;

	if (!kb_upload_feed(body->upload, kb_buf_view(&body->bytes), &err)
	    || !kb_upload_finish(body->upload, &call->req.parts, &call->req.part_count, &err)) {
		kb_exchange_refuse(call, &err);
		kb_exchange_release(call, false);
		return;
	}
	kb_buf_fini(&body->bytes);
	kb_buf_fini(&body->piece);
	kb_exchange_handle(call);
}

/* The piece is full: hands it to a worker, and reads on into the other one. */
static enum kb_http_step hand_over(struct kb_http_conn *conn, struct kb_http_exchange *call)
{
	struct kb_body *body = &call->body;
	struct kb_buf full = body->bytes;

	if (body->storing) {
		body->held_up = true;
		kb_conn_deadline(conn, 0);
		return KB_STEP_PARK;
	}
	body->bytes = body->piece;
	kb_buf_clear(&body->bytes);
	body->piece = full;
	if (!kb_exchange_submit(call, store_piece))
		return kb_conn_refuse_busy(conn);
	body->storing = true;
	return KB_STEP_BODY;
}

static enum kb_http_step complete(struct kb_http_conn *conn, struct kb_http_exchange *call)
{
	struct kb_body *body = &call->body;

	if (body->storing) {
		kb_conn_deadline(conn, 0);
		return KB_STEP_PARK;
	}
	if (call->err)
		return kb_conn_refuse(conn, call->err);
	if (body->sink != KB_SINK_UPLOAD) {
		call->req.body = kb_buf_view(&body->bytes);
		return kb_exchange_work(conn, call);
	}
	kb_conn_deadline(conn, 0);
	return kb_exchange_submit(call, store_rest) ? KB_STEP_WORK : kb_conn_refuse_busy(conn);
}

/* ---- reading ---- */

static bool count_bytes(struct kb_http_conn *conn, struct kb_http_exchange *call, size_t n,
                        struct kb_err *err)
{
	struct kb_body *body = &call->body;

	body->received += (int64_t)n;
	body->window_bytes += (int64_t)n;
	body->last_us = kb_loop_now_us(conn->lane->loop);
	if (body->framing == KB_BODY_LENGTH) {
		body->left -= (int64_t)n;
		body->done = body->left == 0;
	}
	return body->received <= most_bytes(call) || fail_size(call, body->received, err);
}

/* Bytes that may be read before something else must happen. */
static size_t room_of(const struct kb_body *body)
{
	if (body->sink == KB_SINK_UPLOAD)
		return KB_BODY_PIECE - body->bytes.n;
	return KB_RECV_BYTES;
}

/* Takes the next slice of what has arrived. false: the body is refused. */
static bool take_slice(struct kb_http_conn *conn, struct kb_http_exchange *call, struct kb_err *err)
{
	struct kb_body *body = &call->body;
	struct kb_sv in = conn->in, data = { "", 0 };
	bool ok = true;

	if (body->framing == KB_BODY_LENGTH) {
		data = kb_sv_sub(in, 0,
		                 (size_t)KB_MIN((uint64_t)body->left, (uint64_t)room_of(body)));
		in = kb_sv_from(in, data.n);
	} else {
		enum kb_chunked_result result =
		        kb_chunked_next(&body->chunked, &in, room_of(body), &data, err);

		ok = result != KB_CHUNKED_BAD;
		body->done = result == KB_CHUNKED_DONE;
		if (result != KB_CHUNKED_DATA)
			data.n = 0;
	}
	ok = ok && count_bytes(conn, call, data.n, err);
	if (ok && body->sink != KB_SINK_DROP)
		kb_buf_sv(&body->bytes, data);
	kb_conn_take(conn, conn->in.n - in.n);
	return ok;
}

/* Receives: where the length is known, straight to where the bytes belong. */
static enum kb_more receive(struct kb_http_conn *conn, struct kb_http_exchange *call, bool *ok,
                            struct kb_err *err)
{
	struct kb_body *body = &call->body;
	enum kb_more more;
	size_t max, n = 0;

	if (body->framing != KB_BODY_LENGTH || body->sink == KB_SINK_DROP)
		return kb_conn_more(conn, KB_RECV_BYTES);
	max = (size_t)KB_MIN((uint64_t)body->left, (uint64_t)room_of(body));
	more = kb_conn_receive(conn, kb_buf_room(&body->bytes, max), max, &n);
	kb_buf_advance(&body->bytes, n);
	*ok = count_bytes(conn, call, n, err);
	return more;
}

static void set_deadline(struct kb_http_conn *conn, const struct kb_body *body)
{
	const struct kb_server_config *config = &conn->lane->server->config;

	kb_conn_deadline(conn,
	                 KB_MIN(body->last_us + config->body_idle_timeout_ms * INT64_C(1000),
	                        body->window_us + config->body_rate_window_ms * INT64_C(1000)));
}

/* A mistake in the body: told at once, or when the worker has let go of the upload. */
static enum kb_http_step refuse_body(struct kb_http_conn *conn, struct kb_http_exchange *call,
                                     const struct kb_err *err)
{
	struct kb_body *body = &call->body;

	if (call->err)
		err = call->err;
	if (!body->storing)
		return kb_conn_refuse(conn, err);
	body->refusal = kb_xmalloc(sizeof(*body->refusal)); /* the arena is the worker's now */
	*body->refusal = *err;
	kb_conn_deadline(conn, 0);
	return KB_STEP_PARK;
}

enum kb_http_step kb_body_read(struct kb_http_conn *conn)
{
	struct kb_http_exchange *call = conn->call;
	struct kb_body *body = &call->body;
	bool ok = true;
	struct kb_err err;

	if (!body->storing && body->store_err)
		return kb_conn_refuse(conn, body->store_err);
	if (body->refusal)
		return body->storing ? KB_STEP_PARK : kb_conn_refuse(conn, body->refusal);
	if (body->held_up && !body->storing) {
		body->held_up = false;
		start_clock(conn, body);
	}
	while (!body->done) {
		enum kb_more more = KB_MORE_BYTES;

		if (room_of(body) == 0) {
			enum kb_http_step step = hand_over(conn, call);

			if (step != KB_STEP_BODY)
				return step;
		}
		if (conn->budget_bytes <= 0)
			return kb_conn_put_off(conn);
		if (conn->in.n)
			ok = take_slice(conn, call, &err);
		else
			more = receive(conn, call, &ok, &err);
		if (!ok)
			return refuse_body(conn, call, &err);
		if (more == KB_MORE_END)
			return KB_STEP_CLOSED;
		if (more == KB_MORE_WAIT) {
			if (conn->lane->out.n) /* 100 Continue */
				kb_conn_flush(conn);
			set_deadline(conn, body);
			return KB_STEP_PARK;
		}
	}
	return complete(conn, call);
}

bool kb_body_is_slow(struct kb_http_conn *conn, struct kb_err *err)
{
	const struct kb_server_config *config = &conn->lane->server->config;
	struct kb_body *body = &conn->call->body;
	int64_t now = kb_loop_now_us(conn->lane->loop);

	if (body->held_up || body->refusal || body->done)
		return false;
	if (now - body->last_us >= config->body_idle_timeout_ms * INT64_C(1000)) {
		kb_fail(err, KB_E_TIMEOUT, "nothing of the request's body came for %d ms",
		        config->body_idle_timeout_ms);
		return !body->storing;
	}
	if (now - body->window_us >= config->body_rate_window_ms * INT64_C(1000)) {
		int64_t wanted =
		        (int64_t)config->body_min_rate * config->body_rate_window_ms / 1000;

		if (body->window_bytes < wanted) {
			kb_fail(err, KB_E_TIMEOUT,
			        "the request's body came at %" PRId64
			        " bytes in %d ms, at least %" PRId64 " are wanted",
			        body->window_bytes, config->body_rate_window_ms, wanted);
			return !body->storing;
		}
		body->window_us = now;
		body->window_bytes = 0;
	}
	set_deadline(conn, body);
	return false;
}

void kb_body_fini(struct kb_body *body)
{
	kb_buf_fini(&body->bytes);
	kb_buf_fini(&body->piece);
	free(body->refusal);
	body->refusal = NULL;
	kb_upload_free(body->upload);
	body->upload = NULL;
}
