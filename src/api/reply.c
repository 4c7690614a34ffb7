/*
 * How a call ends: whatever it is answered with leaves by leave(), once, with its status and, of a
 * failure, why. Envelopes are written here too, errors in errors.c.
 */
#include "api/reply_own.h"

#include "api/audit.h"
#include "api/timings.h"

enum { REPLY_MAX = 64 << 20 };

#define NO_CACHE                                                                                   \
	{                                                                                          \
		KB_SV("cache-control"), KB_SV("no-cache, private")                                 \
	}

/* ---- the exit ---- */

/*
 * Each call passes here before anybody is told: who called (call->who), what for (call->row, its
 * verb and the path's parameters) and what came of it are known. What is kept of one that changes
 * something ends here (audit.h). Behind it the call may be gone with its memory. What is refused
 * while nobody is known yet comes on a loop thread, too.
 *
 * err: why it failed; NULL: it did not.
 */
static void leave(const struct kb_call *call, int status, const struct kb_err *err)
{
	kb_call_audit_end(call, err);
	if (call->began_us && call->row && call->api->timings)
		kb_timings_add(call->api->timings, call->row->verb, status,
		               kb_clock_mono_us() - call->began_us);
	if (err && status >= 500)
		kb_warn(&call->req->log, "request failed status=%d code=%s error=%s", status,
		        kb_err_info(err->code)->name, err->msg);
}

/* To its client, or to who reads it together with others. */
static void answer(const struct kb_call *call, const struct kb_response *response)
{
	if (!call->within) {
		kb_respond(call->req, response);
		return;
	}
	KB_ASSERT(!call->within->status);
	*call->within = *response;
	call->within->body = kb_arena_sv(call->arena, response->body);
}

void kb_call_respond(struct kb_call *call, const struct kb_response *response)
{
	leave(call, response->status, NULL);
	answer(call, response);
}

void kb_call_fail(struct kb_call *call, const struct kb_response *response, int status,
                  const struct kb_err *err)
{
	leave(call, status, err);
	if (response)
		answer(call, response);
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
		.fields = { KB_NO_CACHE },
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
