/* Sending a message: the answer whole, or streamed as named events. */
#include <string.h>

#include "api/filter.h"
#include "api/follow.h"
#include "api/routes.h"
#include "api/session.h"
#include "base/utf8.h"

/* The stream of one answer. The answer goes on when its client has gone: it will be stored. */
struct streamed {
	struct kb_events events;
	struct kb_sv hang_in_there;
	const struct kb_turn_face *face;
	struct kb_call *call;
	struct kb_turn *turn;
};

static void emit(void *arg, struct kb_sv fragment)
{
	struct streamed *streamed = arg;

	kb_events_progress(&streamed->events, fragment);
}

/* How much a model has to read is no visitor's matter. */
static void tell_reading(void *arg, size_t sources)
{
	struct streamed *streamed = arg;

	if (streamed->events.numbered && !kb_principal_is_visitor(&streamed->call->who))
		kb_events_reading(&streamed->events, sources);
}

/* Clients that have not asked to be told show hang_in_there_msg by a clock of their own; the empty
 * event keeps the line open meanwhile. */
static void hang_on(void *arg)
{
	struct streamed *streamed = arg;

	if (streamed->events.numbered)
		kb_events_waiting(&streamed->events, streamed->hang_in_there);
	else
		kb_events_progress(&streamed->events, KB_SV(""));
}

/* What the surface has to say beside the message. */
static void add_own(void *arg, struct kb_jw *jw)
{
	struct streamed *streamed = arg;

	if (streamed->face->finish)
		streamed->face->finish(streamed->call, jw, streamed->turn);
}

static void end_stream(struct kb_call *call, struct kb_turn *turn, struct kb_err *err, void *arg)
{
	struct streamed *streamed = arg;
	const struct kb_turn_face *face = streamed->face;

	if (face->over)
		face->over(call, turn);
	if (err->code == KB_OK) {
		kb_events_finish(
		        &streamed->events,
		        &(struct kb_events_end){ .message = &turn->message,
		                                 .session_id = turn->session_id,
		                                 .for_visitor = kb_principal_is_visitor(&call->who),
		                                 .more = add_own,
		                                 .arg = streamed });
	} else {
		kb_warn(&call->req->log, "answer failed in its stream error=%s", err->msg);
		if (face->failed)
			face->failed(call, turn, err);
		kb_events_error(&streamed->events, err);
	}
	kb_stream_end(streamed->events.stream);
}

void kb_turn_stream(struct kb_call *call, struct kb_turn *turn, const struct kb_turn_face *face)
{
	struct streamed *streamed = KB_NEW(call->arena, struct streamed);

	streamed->events.numbered = face->numbered;
	streamed->events.session_id = turn->session_id;
	streamed->hang_in_there =
	        kb_settings_text_in(&turn->settings, turn->lang, KB_TEXT_HANG_IN_THERE);
	streamed->face = face;
	streamed->call = call;
	streamed->turn = turn;
	turn->message.query = turn->prompt;
	kb_events_begin(call, &streamed->events);
	kb_events_start(&streamed->events, &turn->message);
	kb_turn_answer(call, turn,
	               &(struct kb_turn_sink){ .take = emit,
	                                       .reading = tell_reading,
	                                       .silent = hang_on,
	                                       .done = end_stream,
	                                       .arg = streamed });
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
	    || !kb_inputs_handle(&call->inputs, call->arena, "external_id", KB_EXTERNAL_ID_CHARS,
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

/* Clients of the interface get what the contract says and no more, unless they ask. */
static const struct kb_turn_face plain = { 0 }, numbered = { .numbered = true };

static bool wants_inline(const struct kb_settings *settings)
{
	return settings->enable_inline_citations_api.v;
}

bool kb_messages_send(struct kb_call *call, struct kb_err *err)
{
	struct kb_turn *turn = KB_NEW(call->arena, struct kb_turn);
	bool stream, resumable;

	turn->session_id = call->req->params[1];
	turn->source = kb_request_field(call->req, "authorization").p || !kb_call_sign_in(call).n
	                       ? KB_SOURCE_API
	                       : KB_SOURCE_WEB;
	turn->wants_inline = wants_inline;
	if (!kb_session_id_check(turn->session_id, err) || !read_prompt(call, turn, err)
	    || !kb_call_labels(call, &call->inputs, &turn->labels, err)
	    || !kb_turn_read_notes(call, turn, err) || !kb_turn_read_lang(call, turn, err)
	    || !kb_turn_read_own(call, turn, err) || !kb_wants_stream(call, &stream, err)
	    || !kb_wants_resumable(call, &resumable, err) || !kb_turn_begin(call, turn, false, err))
		return false;
	/* A numbered stream names its message from the start on. */
	if (stream && resumable && !kb_turn_number(call, turn, err))
		return false;
	if (stream)
		kb_turn_stream(call, turn, resumable ? &numbered : &plain);
	else
		kb_turn_answer(call, turn, &(struct kb_turn_sink){ .done = reply_whole });
	return true;
}

/* ---- continuing ---- */

/* From where: of the query, or what a client sends by itself that has lost its line. */
static bool read_from(struct kb_call *call, int64_t *from, struct kb_err *err)
{
	struct kb_sv text = kb_request_query(call->req, "from");

	*from = 0;
	if (!text.n)
		text = kb_request_field(call->req, "last-event-id");
	return !text.n || kb_sv_to_int(kb_sv_trim(text), 0, INT64_MAX, from)
	       || kb_fail(err, KB_E_INVALID,
	                  "from must be the number of bytes of the answer that are there already");
}

bool kb_messages_follow(struct kb_call *call, struct kb_err *err)
{
	struct kb_follower *follower = KB_NEW(call->arena, struct kb_follower);
	struct kb_settings settings;

	if (!read_from(call, &follower->events.at, err)
	    || !kb_call_message(call, &follower->message, err)
	    || !kb_call_settings(call, &call->agent, &settings, err))
		return false;
	follower->session = kb_call_session(call, call->req->params[1]);
	follower->hang_in_there = kb_settings_text_in(
	        &settings, kb_request_query(call->req, "lang"), KB_TEXT_HANG_IN_THERE);
	follower->events.numbered = true;
	follower->events.session_id = follower->session.id;
	follower->for_visitor = kb_principal_is_visitor(&call->who);
	kb_events_begin(call, &follower->events);
	kb_events_start(&follower->events, &follower->message);
	if (follower->message.running) {
		kb_follow(call->api->followers, follower);
	} else {
		kb_follow_end(follower, &follower->message);
		kb_stream_end(follower->events.stream);
	}
	return true;
}
