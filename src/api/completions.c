/* The chat endpoint in the form that common client libraries speak. */
#include <stdio.h>
#include <string.h>

#include "api/closest_text.h"
#include "api/completions_read.h"
#include "api/filter.h"
#include "api/routes.h"
#include "api/session.h"
#include "api/shown_pages.h"
#include "base/utf8.h"
#include "http/sse.h"
#include "write/tokens.h"

/* ---- answers ---- */

/* Between the answer's text and the closest passages. */
#define PARTED "\n\n"

/* The model the caller named comes back; it chooses nothing. */
static void write_head(struct kb_jw *jw, struct kb_sv id, const char *object, struct kb_sv model,
                       int64_t created_s)
{
	kb_jw_object(jw);
	kb_jw_key_sv(jw, "id", id);
	kb_jw_key_str(jw, "object", object);
	kb_jw_key_int(jw, "created", created_s);
	kb_jw_key_opt(jw, "model", model);
}

/* Of what was sent and of what is answered; how the answer came about costs the caller nothing. */
static void write_usage(struct kb_jw *jw, const struct kb_turn *turn, struct kb_sv closest,
                        int64_t prompt_tokens)
{
	int64_t tokens = kb_tokens_count(turn->answer.text) + kb_tokens_count(closest);

	kb_jw_key(jw, "usage");
	kb_jw_object(jw);
	kb_jw_key_int(jw, "prompt_tokens", prompt_tokens);
	kb_jw_key_int(jw, "completion_tokens", tokens);
	kb_jw_key_int(jw, "total_tokens", prompt_tokens + tokens);
	kb_jw_key(jw, "completion_tokens_details");
	kb_jw_object(jw);
	kb_jw_key_int(jw, "reasoning_tokens", 0);
	kb_jw_key_int(jw, "accepted_prediction_tokens", 0);
	kb_jw_key_int(jw, "rejected_prediction_tokens", 0);
	kb_jw_end(jw);
	kb_jw_end(jw);
}

static void write_citations(struct kb_jw *jw, const struct kb_turn *turn)
{
	kb_jw_key(jw, "citations");
	kb_jw_array(jw);
	for (size_t i = 0; i < turn->message.citation_count; i++)
		kb_jw_int(jw, turn->message.citations[i]);
	kb_jw_end(jw);
}

/* Ours, where there are some; what chat programs show of them is in the text. */
static void write_closest(struct kb_jw *jw, const struct kb_turn *turn)
{
	kb_record_conflicts(jw, &turn->message);
	if (!turn->message.closest)
		return;
	kb_record_outcome(jw, &turn->message);
	kb_record_closest(jw, &turn->message);
	kb_record_checked(jw, &turn->message);
}

/* Of a caller that asked for [n]: where n stands in the answer first; else the whole of it.
 * Characters. */
static void find_mark(struct kb_call *call, const struct kb_turn *turn, size_t n, size_t *from,
                      size_t *to)
{
	struct kb_sv text = turn->answer.text, mark = kb_arena_printf(call->arena, "[%zu]", n);
	ptrdiff_t at = turn->inline_citations ? kb_sv_find(text, mark) : -1;

	*from = at >= 0 ? kb_utf8_count(kb_sv_sub(text, 0, (size_t)at)) : 0;
	*to = at >= 0 ? *from + mark.n : kb_utf8_count(text);
}

/* The cited documents as chat programs show sources. One that was deleted meanwhile has none. */
static void write_annotations(struct kb_call *call, struct kb_jw *jw, const struct kb_turn *turn)
{
	const struct kb_message *message = &turn->message;
	const struct kb_page *pages =
	        message->citation_count ? kb_shown_pages(call, message) : NULL;
	size_t from, to;

	kb_jw_key(jw, "annotations");
	kb_jw_array(jw);
	for (size_t i = 0; i < message->citation_count; i++) {
		if (!pages[i].id)
			continue;
		find_mark(call, turn, i + 1, &from, &to);
		kb_jw_object(jw);
		kb_jw_key_str(jw, "type", "url_citation");
		kb_jw_key(jw, "url_citation");
		kb_jw_object(jw);
		kb_jw_key_int(jw, "start_index", (int64_t)from);
		kb_jw_key_int(jw, "end_index", (int64_t)to);
		kb_jw_key_sv(jw, "url", kb_page_link(call, &pages[i]));
		kb_jw_key_sv(jw, "title", kb_page_title(&pages[i]));
		kb_jw_end(jw);
		kb_jw_end(jw);
	}
	kb_jw_end(jw);
}

/* The answer to one request for a completion, whole or as a stream of chunks. */
struct chunks {
	const struct kb_api *api;
	struct kb_call *call;     /* of the last chunks */
	struct kb_stream *stream; /* NULL: whole */
	struct kb_turn *turn;
	struct kb_sv id, model;
	struct kb_sv closest; /* said after the answer's own text (closest_text.h) */
	int64_t created_s, prompt_tokens;
	bool include_usage;
	bool gone;
};

static const char *finish_of(const struct kb_turn *turn)
{
	return turn->answer.cut ? "length" : "stop";
}

static bool write_whole(struct kb_call *call, struct kb_turn *turn, const struct chunks *chunks,
                        struct kb_err *err)
{
	struct kb_sv closest = kb_closest_text(call, turn);
	struct kb_buf buf;
	struct kb_jw jw;

	kb_buf_init(&buf, 16 << 20);
	kb_api_jw(call->api, &jw, &buf);
	write_head(&jw, kb_arena_printf(call->arena, "%" PRId64, turn->message.id),
	           "chat.completion", chunks->model, turn->message.created_at / KB_SECOND_US);
	kb_jw_key(&jw, "choices");
	kb_jw_array(&jw);
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "index", 0);
	kb_jw_key(&jw, "message");
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "role", "assistant");
	kb_jw_key_sv(&jw, "content",
	             closest.n ? kb_arena_printf(call->arena, "%.*s%s%.*s",
	                                         KB_SV_ARG(turn->answer.text), PARTED,
	                                         KB_SV_ARG(closest))
	                       : turn->answer.text);
	kb_jw_key_null(&jw, "refusal");
	write_annotations(call, &jw, turn);
	kb_jw_end(&jw);
	kb_jw_key_null(&jw, "logprobs");
	kb_jw_key_str(&jw, "finish_reason", finish_of(turn));
	kb_jw_end(&jw);
	kb_jw_end(&jw);
	write_usage(&jw, turn, closest, chunks->prompt_tokens);
	write_citations(&jw, turn);
	write_closest(&jw, turn);
	return kb_call_reply(call, 200, &buf, &jw, err);
}

static void reply_whole(struct kb_call *call, struct kb_turn *turn, struct kb_err *err, void *arg)
{
	if (err->code != KB_OK || !write_whole(call, turn, arg, err))
		kb_call_error(call, err);
}

/* ---- the stream ---- */

static void send_frame(struct chunks *chunks, struct kb_sv json)
{
	struct kb_buf frame;

	if (chunks->gone)
		return;
	kb_buf_init(&frame, 17 << 20);
	kb_sse_event(&frame, NULL, json);
	chunks->gone = !kb_stream_write(chunks->stream, kb_buf_view(&frame));
	kb_buf_fini(&frame);
}

enum chunk_kind { CHUNK_ROLE, CHUNK_TEXT, CHUNK_STOP, CHUNK_USAGE };

static void send_chunk(struct chunks *chunks, enum chunk_kind kind, struct kb_sv text)
{
	struct kb_buf json;
	struct kb_jw jw;

	kb_buf_init(&json, 16 << 20);
	kb_api_jw(chunks->api, &jw, &json);
	write_head(&jw, chunks->id, "chat.completion.chunk", chunks->model, chunks->created_s);
	kb_jw_key(&jw, "choices");
	kb_jw_array(&jw);
	if (kind != CHUNK_USAGE) {
		kb_jw_object(&jw);
		kb_jw_key_int(&jw, "index", 0);
		kb_jw_key(&jw, "delta");
		kb_jw_object(&jw);
		if (kind == CHUNK_ROLE)
			kb_jw_key_str(&jw, "role", "assistant");
		if (kind != CHUNK_STOP)
			kb_jw_key_sv(&jw, "content", text);
		else if (chunks->turn->message.citation_count)
			write_annotations(chunks->call, &jw, chunks->turn);
		kb_jw_end(&jw);
		kb_jw_key_str(&jw, "finish_reason",
		              kind == CHUNK_STOP ? finish_of(chunks->turn) : NULL);
		kb_jw_end(&jw);
	}
	kb_jw_end(&jw);
	if (kind == CHUNK_USAGE)
		write_usage(&jw, chunks->turn, chunks->closest, chunks->prompt_tokens);
	if (kind == CHUNK_STOP && chunks->turn->message.citation_count)
		write_citations(&jw, chunks->turn);
	if (kind == CHUNK_STOP)
		write_closest(&jw, chunks->turn);
	kb_jw_end(&jw);
	send_frame(chunks, kb_buf_view(&json));
	kb_buf_fini(&json);
}

static void emit(void *arg, struct kb_sv fragment)
{
	send_chunk(arg, CHUNK_TEXT, fragment);
}

/* Nothing has come yet: a comment, which clients pass over, keeps the line open. */
static void hang_on(void *arg)
{
	struct chunks *chunks = arg;

	if (!chunks->gone)
		chunks->gone = !kb_stream_write(chunks->stream, KB_SV(": waiting\n\n"));
}

static void send_error(struct chunks *chunks, const struct kb_err *err)
{
	const struct kb_err_info *info = kb_err_info(err->code);
	struct kb_buf json;
	struct kb_jw jw;

	kb_buf_init(&json, 4096);
	kb_api_jw(chunks->api, &jw, &json);
	kb_jw_object(&jw);
	kb_jw_key(&jw, "error");
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "message", kb_err_shown(err));
	kb_jw_key_str(&jw, "type", "server_error");
	kb_jw_key_null(&jw, "param");
	kb_jw_key_str(&jw, "code", info->name);
	kb_jw_end(&jw);
	kb_jw_end(&jw);
	send_frame(chunks, kb_buf_view(&json));
	kb_buf_fini(&json);
}

static void end_stream(struct kb_call *call, struct kb_turn *turn, struct kb_err *err, void *arg)
{
	struct chunks *chunks = arg;

	chunks->call = call;
	if (err->code == KB_OK) {
		chunks->closest = kb_closest_text(call, turn);
		if (chunks->closest.n)
			send_chunk(chunks, CHUNK_TEXT,
			           kb_arena_printf(call->arena, "%s%.*s", PARTED,
			                           KB_SV_ARG(chunks->closest)));
		send_chunk(chunks, CHUNK_STOP, KB_SV(""));
		if (chunks->include_usage)
			send_chunk(chunks, CHUNK_USAGE, KB_SV(""));
		send_frame(chunks, KB_SV("[DONE]"));
	} else {
		kb_warn(&call->req->log, "answer failed in its stream error=%s", err->msg);
		send_error(chunks, err);
	}
	kb_stream_end(chunks->stream);
}

/* Its chunks carry the message's id from the first on, so it is taken ahead. */
static bool reply_stream(struct kb_call *call, struct kb_turn *turn, struct chunks *chunks,
                         struct kb_err *err)
{
	if (!kb_turn_number(call, turn, err))
		return false;
	chunks->id = kb_arena_printf(call->arena, "%" PRId64, turn->message.id);
	chunks->stream = kb_call_stream(call, false);
	send_chunk(chunks, CHUNK_ROLE, KB_SV(""));
	kb_turn_answer(
	        call, turn,
	        &(struct kb_turn_sink){
	                .take = emit, .silent = hang_on, .done = end_stream, .arg = chunks });
	return true;
}

bool kb_completions_create(struct kb_call *call, struct kb_err *err)
{
	struct kb_turn *turn = KB_NEW(call->arena, struct kb_turn);
	struct chunks *chunks = KB_NEW(call->arena, struct chunks);
	struct kb_sv model = { 0 }, session_id = { 0 };
	bool stream;

	turn->source = KB_SOURCE_COMPLETIONS;
	if (!call->inputs.json)
		return kb_fail(err, KB_E_INVALID, "the body must be a JSON object with messages");
	if (!kb_completions_refuse_unserved(call->inputs.json, err)
	    || !kb_completions_read_messages(call, turn, &chunks->prompt_tokens, err)
	    || !kb_inputs_handle(&call->inputs, call->arena, "model", 255, &model, err)
	    || !kb_inputs_handle(&call->inputs, call->arena, "session_id", 128, &session_id, err)
	    || !kb_inputs_handle(&call->inputs, call->arena, "external_id", KB_EXTERNAL_ID_CHARS,
	                         &turn->external_id, err)
	    || !kb_inputs_bool(&call->inputs, "is_inline_citation", &turn->inline_citations, err)
	    || !kb_call_labels(call, &call->inputs, &turn->labels, err)
	    || !kb_turn_read_notes(call, turn, err) || !kb_turn_read_lang(call, turn, err)
	    || !kb_wants_stream(call, &stream, err))
		return false;
	if (session_id.n) {
		if (!kb_session_id_check(session_id, err))
			return false;
		turn->session_id = session_id;
	} else {
		kb_turn_new_session(call, turn);
	}
	/* The caller's own messages are the history; with a session and no history, the stored one
	 * is. */
	if (!kb_turn_begin(call, turn, turn->turn_count > 0 || !session_id.n, err)
	    || !kb_turn_show_pictures(call, turn, err))
		return false;
	chunks->api = call->api;
	chunks->turn = turn;
	chunks->model = model;
	chunks->created_s = kb_clock_now_us(call->api->clock) / KB_SECOND_US;
	chunks->include_usage = kb_json_bool(kb_json_get(call->inputs.json, "stream_options"),
	                                     "include_usage", false);
	if (stream)
		return reply_stream(call, turn, chunks, err);
	kb_turn_answer(call, turn, &(struct kb_turn_sink){ .done = reply_whole, .arg = chunks });
	return true;
}
