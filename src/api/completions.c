/* The chat endpoint in the form that common client libraries speak. */
#include <stdio.h>
#include <string.h>

#include "answer/tokens.h"
#include "api/filter.h"
#include "api/routes.h"
#include "api/session.h"
#include "base/utf8.h"
#include "http/sse.h"

enum { MESSAGES_MAX = 1000 };

/* ---- arguments that are not served: 501 with the contract's words ---- */

static bool is_other_text(const json_t *value)
{
	return json_is_string(value) && strcmp(json_string_value(value), "text") != 0;
}

static bool refuse_unsupported(const json_t *body, struct kb_err *err)
{
	const json_t *tools = kb_json_get(body, "tools"),
	             *functions = kb_json_get(body, "functions");
	const json_t *format = kb_json_get(body, "response_format");
	const json_t *modalities = kb_json_get(body, "modalities"), *item;
	const char *what = NULL;
	size_t i;

	if (json_is_object(kb_json_get(body, "audio")))
		what = "audio";
	else if (json_array_size(tools) > 0)
		what = "tools";
	else if (json_array_size(functions) > 0)
		what = "functions";
	else if (kb_json_int(body, "n", 1) > 1)
		what = "n above 1";
	else if (kb_json_bool(body, "logprobs", false))
		what = "logprobs";
	else if (is_other_text(kb_json_get(format, "type")))
		what = "response_format other than text";
	json_array_foreach(modalities, i, item) if (is_other_text(item)) what =
	        strcmp(json_string_value(item), "audio") == 0 ? "audio"
	                                                      : "modalities other than text";
	return !what || kb_fail(err, KB_E_UNSUPPORTED, "%s is not yet supported", what);
}

/* ---- the messages ---- */

/* One part of a message's content. Pictures are refused where no model sees them. */
static bool read_part(struct kb_call *call, struct kb_turn *turn, const json_t *part,
                      struct kb_buf *text, struct kb_err *err)
{
	struct kb_sv type = kb_json_sv(part, "type", KB_SV("text"));

	if (kb_sv_eq_str(type, "image_url") && kb_turn_may_show(call))
		return kb_turn_add_picture(call, turn, part, err);
	if (!kb_sv_eq_str(type, "text"))
		return kb_fail(err, KB_E_UNSUPPORTED, "content of type %.*s is not yet supported",
		               KB_SV_ARG(kb_sv_sub(type, 0, 40)));
	kb_buf_sv(text, kb_json_sv(part, "text", KB_SV("")));
	return true;
}

/* A message's content: a string, or parts: texts, which are joined, and pictures, which become the
 * turn's. */
static bool content_of(struct kb_call *call, struct kb_turn *turn, const json_t *message,
                       size_t index, struct kb_sv *out, struct kb_err *err)
{
	const json_t *content = kb_json_get(message, "content"), *part;
	struct kb_buf buf;
	bool ok = true;
	size_t i;

	*out = KB_SV("");
	if (!content || json_is_null(content))
		return true;
	if (json_is_string(content)) {
		*out = kb_sv(json_string_value(content), json_string_length(content));
		return true;
	}
	if (!json_is_array(content))
		return kb_fail(err, KB_E_INVALID, "messages[%zu].content must be a string", index);
	kb_buf_init(&buf, 1 << 20);
	json_array_foreach(content, i, part)
	{
		ok = read_part(call, turn, part, &buf, err);
		if (!ok)
			break;
	}
	*out = kb_arena_sv(call->arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return ok;
}

/* The last user message is the prompt, the ones before it are the history. *tokens: of them all. */
static bool read_messages(struct kb_call *call, struct kb_turn *turn, int64_t *tokens,
                          struct kb_err *err)
{
	const json_t *messages = kb_json_get(call->inputs.json, "messages"), *message;
	struct kb_sv *turns, *replies;
	size_t i, count = 0, pictures;

	*tokens = 0;
	if (!json_is_array(messages) || json_array_size(messages) == 0)
		return kb_fail(err, KB_E_INVALID,
		               "messages must be an array of at least one message");
	if (json_array_size(messages) > MESSAGES_MAX)
		return kb_fail(err, KB_E_INVALID, "messages holds %zu messages, the limit is %d",
		               json_array_size(messages), MESSAGES_MAX);
	turns = KB_NEW_ARRAY(call->arena, json_array_size(messages), struct kb_sv);
	replies = KB_NEW_ARRAY(call->arena, json_array_size(messages), struct kb_sv);
	json_array_foreach(messages, i, message)
	{
		struct kb_sv role = kb_json_sv(message, "role", KB_SV("")), text;

		if (!kb_sv_eq_str(role, "user") && !kb_sv_eq_str(role, "assistant")
		    && !kb_sv_eq_str(role, "system") && !kb_sv_eq_str(role, "developer"))
			return kb_fail(err, KB_E_INVALID,
			               "messages[%zu].role must be system, user or assistant", i);
		/* Pictures of the last user message are the prompt's; others are not shown. */
		pictures = kb_sv_eq_str(role, "user") ? 0 : turn->image_count;
		turn->image_count = pictures;
		if (!content_of(call, turn, message, i, &text, err))
			return false;
		if (!kb_sv_eq_str(role, "user"))
			turn->image_count = pictures;
		*tokens += kb_tokens_count(text);
		if (kb_sv_eq_str(role, "user"))
			turns[count++] = text;
		else if (kb_sv_eq_str(role, "assistant") && count)
			replies[count - 1] = text;
	}
	if (count == 0 || kb_sv_trim(turns[count - 1]).n == 0)
		return kb_fail(err, KB_E_INVALID,
		               "messages must hold a user message that is not empty");
	turn->prompt = turns[--count];
	if (kb_utf8_count(turn->prompt) > KB_PROMPT_CHARS)
		return kb_fail(err, KB_E_INVALID,
		               "the last user message has %zu characters, the limit is %d",
		               kb_utf8_count(turn->prompt), KB_PROMPT_CHARS);
	if (count > KB_HISTORY_TURNS) {
		turns += count - KB_HISTORY_TURNS;
		replies += count - KB_HISTORY_TURNS;
		count = KB_HISTORY_TURNS;
	}
	turn->turns = turns;
	turn->replies = replies;
	turn->turn_count = count;
	return true;
}

/* ---- answers ---- */

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
static void write_usage(struct kb_jw *jw, const struct kb_turn *turn, int64_t prompt_tokens)
{
	int64_t tokens = kb_tokens_count(turn->answer.text);

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

/* The answer to one request for a completion, whole or as a stream of chunks. */
struct chunks {
	const struct kb_api *api;
	struct kb_stream *stream; /* NULL: whole */
	struct kb_turn *turn;
	struct kb_sv id, model;
	int64_t created_s, prompt_tokens;
	bool include_usage;
	bool gone;
};

static bool write_whole(struct kb_call *call, struct kb_turn *turn, const struct chunks *chunks,
                        struct kb_err *err)
{
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
	kb_jw_key_sv(&jw, "content", turn->answer.text);
	kb_jw_end(&jw);
	kb_jw_key_null(&jw, "logprobs");
	kb_jw_key_str(&jw, "finish_reason", "stop");
	kb_jw_end(&jw);
	kb_jw_end(&jw);
	write_usage(&jw, turn, chunks->prompt_tokens);
	write_citations(&jw, turn);
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
		kb_jw_end(&jw);
		kb_jw_key_str(&jw, "finish_reason", kind == CHUNK_STOP ? "stop" : NULL);
		kb_jw_end(&jw);
	}
	kb_jw_end(&jw);
	if (kind == CHUNK_USAGE)
		write_usage(&jw, chunks->turn, chunks->prompt_tokens);
	if (kind == CHUNK_STOP && chunks->turn->message.citation_count)
		write_citations(&jw, chunks->turn);
	kb_jw_end(&jw);
	send_frame(chunks, kb_buf_view(&json));
	kb_buf_fini(&json);
}

static void emit(void *arg, struct kb_sv fragment)
{
	send_chunk(arg, CHUNK_TEXT, fragment);
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

	(void)turn;
	if (err->code == KB_OK) {
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
	chunks->stream = kb_stream_begin(call->req,
	                                 &(struct kb_response){
		                                .status = 200,
		                                .content_type = "text/event-stream",
		                                .fields = {
			                                { KB_SV("cache-control"), KB_SV("no-cache") },
			                                { KB_SV("x-accel-buffering"), KB_SV("no") },
		                                },
	                                });
	call->streaming = true;
	send_chunk(chunks, CHUNK_ROLE, KB_SV(""));
	kb_turn_answer(call, turn,
	               &(struct kb_turn_sink){ .take = emit, .done = end_stream, .arg = chunks });
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
	if (!refuse_unsupported(call->inputs.json, err)
	    || !read_messages(call, turn, &chunks->prompt_tokens, err)
	    || !kb_inputs_text(&call->inputs, call->arena, "model", 255, &model, err)
	    || !kb_inputs_text(&call->inputs, call->arena, "session_id", 128, &session_id, err)
	    || !kb_inputs_text(&call->inputs, call->arena, "external_id", KB_EXTERNAL_ID_CHARS,
	                       &turn->external_id, err)
	    || !kb_inputs_bool(&call->inputs, "is_inline_citation", &turn->inline_citations, err)
	    || !kb_filter_read(&call->inputs, call->arena, &turn->labels, err)
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
