/*
 * How a call ends: whatever it is answered with leaves by leave(), once, with its status and, of a
 * failure, why. Envelopes and errors are written here too.
 */
#include "api/mcp.h"
#include "api/reasons.h"
#include "api/routes.h"
#include "base/utf8.h"

enum { REPLY_MAX = 64 << 20 };

#define NO_CACHE                                                                                   \
	{                                                                                          \
		KB_SV("cache-control"), KB_SV("no-cache, private")                                 \
	}

/* ---- the exit ---- */

/*
 * Each call passes here before anybody is told: who called (call->who), what for (call->row, its
 * verb and the path's parameters) and what came of it are known. What is to be kept of every call,
 * or of each that changes something (KB_WRITE, KB_MANAGE), is written here. Behind it the call may
 * be gone with its memory. What is refused while nobody is known yet comes on a loop thread, too.
 *
 * err: why it failed; NULL: it did not.
 */
static void leave(const struct kb_call *call, int status, const struct kb_err *err)
{
	if (err && status >= 500)
		kb_warn(&call->req->log, "request failed status=%d code=%s error=%s", status,
		        kb_err_info(err->code)->name, err->msg);
}

void kb_call_respond(struct kb_call *call, const struct kb_response *response)
{
	leave(call, response->status, NULL);
	kb_respond(call->req, response);
}

bool kb_call_respond_blob(struct kb_call *call, const struct kb_response *head, struct kb_sv blob,
                          bool ranges, struct kb_err *err)
{
	int64_t size;
	int fd;

	if (!kb_blob_open(call->api->blobs, kb_arena_str(call->arena, blob), &fd, &size, err))
		return false;
	leave(call, head->status, NULL);
	kb_respond_file(call->req, head, fd, size, ranges);
	return true;
}

struct kb_stream *kb_call_stream(struct kb_call *call, bool closes)
{
	const struct kb_response head = {
		.status = 200,
		.content_type = "text/event-stream",
		.fields = { { KB_SV("cache-control"), KB_SV("no-cache") },
		            { KB_SV("x-accel-buffering"), KB_SV("no") } },
		.close = closes,
	};

	leave(call, head.status, NULL);
	call->streaming = true;
	return kb_stream_begin(call->req, &head);
}

bool kb_call_respond_buf(struct kb_call *call, struct kb_response *head, struct kb_buf *buf,
                         struct kb_err *err)
{
	struct kb_buf written;
	bool ok = kb_buf_done(buf, &head->body, err);

	/* Once it is answered, the call may be gone with its memory, and `buf` may lie there. */
	written = *buf;
	*buf = (struct kb_buf){ 0 };
	if (ok)
		kb_call_respond(call, head);
	kb_buf_fini(&written);
	return ok;
}

/* ---- envelopes ---- */

void kb_api_jw(const struct kb_api *api, struct kb_jw *jw, struct kb_buf *buf)
{
	kb_jw_init(jw, buf);
	jw->aliases = &api->aliases;
}

void kb_call_begin_as(struct kb_call *call, struct kb_buf *buf, struct kb_jw *jw, const char *name)
{
	kb_buf_init(buf, REPLY_MAX);
	kb_api_jw(call->api, jw, buf);
	kb_jw_object(jw);
	kb_jw_key_str(jw, "status", "success");
	kb_jw_key(jw, name);
}

void kb_call_begin(struct kb_call *call, struct kb_buf *buf, struct kb_jw *jw)
{
	kb_call_begin_as(call, buf, jw, "data");
}

bool kb_call_reply(struct kb_call *call, int status, struct kb_buf *buf, struct kb_jw *jw,
                   struct kb_err *err)
{
	struct kb_response head = {
		.status = status,
		.content_type = "application/json",
		.fields = { NO_CACHE },
	};

	kb_jw_end(jw);
	KB_ASSERT(jw->depth == 0);
	return kb_call_respond_buf(call, &head, buf, err);
}

bool kb_call_reply_flag(struct kb_call *call, int status, const char *name, struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_call_begin(call, &buf, &jw);
	kb_jw_object(&jw);
	kb_jw_key_bool(&jw, name, true);
	kb_jw_end(&jw);
	return kb_call_reply(call, status, &buf, &jw, err);
}

/* ---- errors ---- */

/* Which member chat libraries read an error from, and what they call its kind. */
static const char *openai_type(int status)
{
	if (status == 401)
		return "authentication_error";
	if (status == 429)
		return "rate_limit_error";
	return status >= 500 ? "server_error" : "invalid_request_error";
}

/* Chat libraries ask again after any 429 and 5xx, unless they are told that it is no use. */
static bool is_in_vain(const struct kb_err *err)
{
	return err->code == KB_E_QUOTA || err->code == KB_E_UNSUPPORTED;
}

static void write_envelope(struct kb_call *call, struct kb_jw *jw, int status,
                           const struct kb_err *err)
{
	const char *message = kb_err_shown(err);
	struct kb_reason reason = kb_reason_of_refusal(kb_sv_str(message));

	kb_jw_object(jw);
	kb_jw_key_str(jw, "status", "error");
	kb_jw_key_sv(jw, "url",
	             kb_arena_printf(call->arena, "%.*s%.*s", KB_SV_ARG(kb_call_base_url(call)),
	                             KB_SV_ARG(kb_utf8_cut(call->req->target, 2000))));
	kb_jw_key(jw, "data");
	kb_jw_object(jw);
	kb_jw_key_int(jw, "code", status);
	kb_jw_key_str(jw, "message", message);
	kb_jw_end(jw);
	kb_jw_key_str(jw, "message", message);
	kb_reason_write(jw, &reason);
	kb_jw_key(jw, "error");
	kb_jw_object(jw);
	kb_jw_key_str(jw, "message", message);
	kb_jw_key_str(jw, "type", openai_type(status));
	kb_jw_key_null(jw, "param");
	kb_jw_key_str(jw, "code", kb_err_info(err->code)->name);
	kb_jw_end(jw);
	kb_jw_end(jw);
}

/* In the form that the clients of the address read. One that was refused before it found its row
 * (405) is known by its address. */
static void write_refusal(struct kb_call *call, struct kb_jw *jw, int status,
                          const struct kb_err *err)
{
	if (kb_sv_starts(call->req->path, KB_SV(KB_MCP_PATH)))
		kb_mcp_write_refusal(call, jw, status, kb_err_shown(err));
	else
		write_envelope(call, jw, status, err);
}

static int status_of(const struct kb_call *call, const struct kb_err *err)
{
	int status = kb_err_status(err);

	return call->row && call->row->invalid_is_422 && status == 400 && !err->status ? 422
	                                                                               : status;
}

static void write_error(struct kb_call *call, struct kb_response *response, struct kb_buf *buf,
                        const struct kb_err *err)
{
	struct kb_http_field *field = response->fields;
	struct kb_jw jw;

	kb_buf_init(buf, 64 << 10);
	kb_api_jw(call->api, &jw, buf);
	write_refusal(call, &jw, response->status, err);
	response->content_type = "application/json";
	response->body = kb_buf_view(buf);
	*field++ = (struct kb_http_field)NO_CACHE;
	if (response->status == 401)
		*field++ = (struct kb_http_field){ KB_SV("www-authenticate"), KB_SV("Bearer") };
	if (is_in_vain(err))
		*field++ = (struct kb_http_field){ KB_SV("x-should-retry"), KB_SV("false") };
}

void kb_call_error(struct kb_call *call, const struct kb_err *err)
{
	struct kb_response response = { .status = status_of(call, err) };
	struct kb_buf buf = { 0 };
	bool told = call->streaming; /* its handler has put the error into the stream */

	if (!told && !kb_dashboard_lost(call, err->code, &response))
		write_error(call, &response, &buf, err);
	response.retry_after_s = kb_err_retry_after(err);
	leave(call, response.status, err);
	if (!told)
		kb_respond(call->req, &response);
	kb_buf_fini(&buf);
}
