/* Sending a message: the answer whole, or streamed as named events. */
#include <string.h>

#include "answer/closest.h"
#include "api/filter.h"
#include "api/routes.h"
#include "api/session.h"
#include "base/utf8.h"
#include "http/sse.h"

/* The stream of one answer. The answer goes on when its client has gone: it will be stored. */
struct events {
	const struct kb_api *api;
	struct kb_stream *stream;
	const struct kb_turn_face *face;
	bool gone;
};

/* Sends one event; `fill` writes the members after "status". */
static void send_event(struct events *events, const char *name,
                       void (*fill)(struct kb_jw *jw, const void *arg), const void *arg)
{
	struct kb_buf json, frame;
	struct kb_jw jw;

	if (events->gone)
		return;
	kb_buf_init(&json, 16 << 20);
	kb_buf_init(&frame, 17 << 20);
	kb_api_jw(events->api, &jw, &json);
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "status", name);
	fill(&jw, arg);
	kb_jw_end(&jw);
	kb_sse_event(&frame, name, kb_buf_view(&json));
	events->gone = !kb_stream_write(events->stream, kb_buf_view(&frame));
	kb_buf_fini(&json);
	kb_buf_fini(&frame);
}

static void fill_start(struct kb_jw *jw, const void *arg)
{
	kb_jw_key_sv(jw, "prompt", *(const struct kb_sv *)arg);
}

static void fill_progress(struct kb_jw *jw, const void *arg)
{
	kb_jw_key_sv(jw, "message", *(const struct kb_sv *)arg);
}

struct finished {
	struct kb_call *call;
	struct kb_turn *turn;
	const struct kb_turn_face *face;
};

static void fill_finish(struct kb_jw *jw, const void *arg)
{
	const struct finished *finished = arg;
	const struct kb_turn *turn = finished->turn;

	kb_jw_key_int(jw, "id", turn->message.id);
	kb_jw_key_time(jw, "created_at", turn->message.created_at);
	kb_jw_key_sv(jw, "session_id", turn->session_id);
	kb_jw_key(jw, "citations");
	if (turn->message.citation_count == 0) {
		kb_jw_null(jw);
	} else {
		kb_jw_array(jw);
		for (size_t i = 0; i < turn->message.citation_count; i++)
			kb_jw_int(jw, turn->message.citations[i]);
		kb_jw_end(jw);
	}
	if (turn->answer.kind == KB_ANSWER_NONE && turn->answer.closest.count) {
		kb_jw_key(jw, "closest_passages");
		kb_closest_write(jw, &turn->answer.closest);
	}
	if (finished->face->finish)
		finished->face->finish(finished->call, jw, finished->turn);
}

struct failure {
	const struct kb_call *call;
	const struct kb_err *err;
};

static void fill_error(struct kb_jw *jw, const void *arg)
{
	const struct failure *failure = arg;
	const struct kb_err_info *info = kb_err_info(failure->err->code);
	int status = failure->call->req->status;

	kb_jw_key_str(jw, "error", info->hide ? "Internal Server Error" : failure->err->msg);
	kb_jw_key_int(jw, "code", status ? status : info->status);
}

static void emit(void *arg, struct kb_sv fragment)
{
	send_event(arg, "progress", fill_progress, &fragment);
}

/* Clients show hang_in_there_msg by a clock of their own; this keeps the line open meanwhile. */
static void hang_on(void *arg)
{
	struct kb_sv nothing = KB_SV("");

	send_event(arg, "progress", fill_progress, &nothing);
}

static void end_stream(struct kb_call *call, struct kb_turn *turn, struct kb_err *err, void *arg)
{
	struct events *events = arg;

	if (events->face->over)
		events->face->over(call);
	if (err->code == KB_OK) {
		send_event(events, "finish", fill_finish,
		           &(struct finished){ call, turn, events->face });
	} else {
		kb_warn(&call->req->log, "answer failed in its stream error=%s", err->msg);
		if (events->face->failed)
			events->face->failed(call, turn, err);
		send_event(events, "error", fill_error, &(struct failure){ call, err });
	}
	kb_stream_end(events->stream);
}

void kb_turn_stream(struct kb_call *call, struct kb_turn *turn, const struct kb_turn_face *face)
{
	struct events *events = KB_NEW(call->arena, struct events);
	struct kb_sv nothing = KB_SV("");

	events->api = call->api;
	events->face = face;
	events->stream = kb_stream_begin(call->req,
	                                 &(struct kb_response){
		                                .status = 200,
		                                .content_type = "text/event-stream",
		                                .fields = {
			                                { KB_SV("cache-control"), KB_SV("no-cache") },
			                                { KB_SV("x-accel-buffering"), KB_SV("no") },
		                                },
		                                .close = true,
	                                });
	call->streaming = true;
	send_event(events, "start", fill_start, &turn->prompt);
	send_event(events, "progress", fill_progress, &nothing);
	kb_turn_answer(
	        call, turn,
	        &(struct kb_turn_sink){
	                .take = emit, .silent = hang_on, .done = end_stream, .arg = events });
}

static void reply_whole(struct kb_call *call, struct kb_turn *turn, struct kb_err *err, void *arg)
{
	struct kb_buf buf;
	struct kb_jw jw;

	(void)arg;
	if (err->code == KB_OK) {
		kb_call_begin(call, &buf, &jw);
		kb_record_message(&jw, &turn->message);
		if (kb_call_reply(call, 200, &buf, &jw, err))
			return;
	}
	kb_call_error(call, err);
}

static bool read_prompt(struct kb_call *call, struct kb_turn *turn, struct kb_err *err)
{
	struct kb_sv external = kb_request_query(call->req, "external_id");

	turn->external_id = external;
	if (!kb_inputs_text(&call->inputs, call->arena, "prompt", KB_PROMPT_CHARS, &turn->prompt,
	                    err)
	    || !kb_inputs_text(&call->inputs, call->arena, "external_id", KB_EXTERNAL_ID_CHARS,
	                       &turn->external_id, err))
		return false;
	if (!kb_utf8_valid(turn->external_id))
		return kb_fail(err, KB_E_INVALID, "external_id is not valid UTF-8");
	if (kb_utf8_count(turn->external_id) > KB_EXTERNAL_ID_CHARS)
		return kb_fail(err, KB_E_INVALID, "external_id has %zu characters, the limit is %d",
		               kb_utf8_count(turn->external_id), KB_EXTERNAL_ID_CHARS);
	if (kb_sv_trim(turn->prompt.p ? turn->prompt : KB_SV("")).n == 0)
		return kb_fail(err, KB_E_INVALID, "prompt can't be empty");
	return true;
}

/* Clients of the interface get what the contract says and no more. */
static const struct kb_turn_face plain = { 0 };

bool kb_messages_send(struct kb_call *call, struct kb_err *err)
{
	struct kb_turn *turn = KB_NEW(call->arena, struct kb_turn);
	bool stream;

	turn->session_id = call->req->params[1];
	turn->source = KB_SOURCE_API;
	if (!kb_session_id_check(turn->session_id, err) || !read_prompt(call, turn, err)
	    || !kb_filter_read(&call->inputs, call->arena, &turn->labels, err)
	    || !kb_turn_read_notes(call, turn, err) || !kb_turn_read_lang(call, turn, err)
	    || !kb_turn_read_own(call, turn, err) || !kb_wants_stream(call, &stream, err)
	    || !kb_turn_begin(call, turn, false, err))
		return false;
	turn->inline_citations = turn->settings.enable_inline_citations_api.v;
	if (stream)
		kb_turn_stream(call, turn, &plain);
	else
		kb_turn_answer(call, turn, &(struct kb_turn_sink){ .done = reply_whole });
	return true;
}
