#include "api/events.h"

#include "http/sse.h"

enum { JSON_MAX = 16 << 20, FRAME_MAX = 17 << 20 };

void kb_events_begin(struct kb_call *call, struct kb_events *events)
{
	events->api = call->api;
	events->stream = kb_call_stream(call, true);
}

static void send_bytes(struct kb_events *events, struct kb_sv bytes)
{
	events->gone = events->gone || !kb_stream_write(events->stream, bytes);
	events->sent_us = kb_clock_mono_us();
}

/* Sends one event; `fill` writes the members after "status". */
static void send_event(struct kb_events *events, const char *name,
                       void (*fill)(struct kb_jw *jw, const void *arg), const void *arg)
{
	struct kb_buf json, frame;
	struct kb_jw jw;

	if (events->gone)
		return;
	kb_buf_init(&json, JSON_MAX);
	kb_buf_init(&frame, FRAME_MAX);
	kb_api_jw(events->api, &jw, &json);
	kb_jw_object(&jw);
	kb_jw_key_str(&jw, "status", name);
	fill(&jw, arg);
	kb_jw_end(&jw);
	if (events->numbered)
		kb_sse_id(&frame, events->at);
	kb_sse_event(&frame, name, kb_buf_view(&json));
	send_bytes(events, kb_buf_view(&frame));
	kb_buf_fini(&json);
	kb_buf_fini(&frame);
}

static void fill_start(struct kb_jw *jw, const void *arg)
{
	const struct kb_message *message = arg;

	kb_jw_key_sv(jw, "prompt", message->query);
}

struct start {
	const struct kb_message *message;
	struct kb_sv session_id;
};

static void fill_numbered_start(struct kb_jw *jw, const void *arg)
{
	const struct start *start = arg;

	fill_start(jw, start->message);
	kb_jw_key_int(jw, "id", start->message->id);
	kb_jw_key_sv(jw, "session_id", start->session_id);
}

static void fill_progress(struct kb_jw *jw, const void *arg)
{
	kb_jw_key_sv(jw, "message", *(const struct kb_sv *)arg);
}

static void fill_waiting(struct kb_jw *jw, const void *arg)
{
	kb_jw_key_sv(jw, "text", *(const struct kb_sv *)arg);
}

static void fill_reading(struct kb_jw *jw, const void *arg)
{
	kb_jw_key_int(jw, "sources", (int64_t) * (const size_t *)arg);
}

struct finish {
	const struct kb_events_end *end;
	bool numbered;
};

static void fill_finish(struct kb_jw *jw, const void *arg)
{
	const struct finish *finish = arg;
	const struct kb_events_end *end = finish->end;
	const struct kb_message *message = end->message;

	kb_jw_key_int(jw, "id", message->id);
	kb_jw_key_time(jw, "created_at", message->created_at);
	kb_jw_key_sv(jw, "session_id", end->session_id);
	kb_jw_key(jw, "citations");
	kb_record_citations(jw, message);
	if (!end->for_visitor) {
		/* Other streams have what their clients know and no more, unless there is more to
		 * show. */
		if (finish->numbered || message->closest)
			kb_record_outcome(jw, message);
		kb_record_closest(jw, message);
		kb_record_checked(jw, message);
		kb_record_conflicts(jw, message);
	}
	if (end->more)
		end->more(end->arg, jw);
}

static void fill_error(struct kb_jw *jw, const void *arg)
{
	const struct kb_err *err = arg;

	kb_jw_key_str(jw, "error", kb_err_shown(err));
	kb_jw_key_int(jw, "code", kb_err_status(err));
}

void kb_events_start(struct kb_events *events, const struct kb_message *message)
{
	if (events->numbered)
		send_event(events, "start", fill_numbered_start,
		           &(struct start){ message, events->session_id });
	else
		send_event(events, "start", fill_start, message);
	kb_events_progress(events, KB_SV(""));
}

void kb_events_progress(struct kb_events *events, struct kb_sv text)
{
	events->at += (int64_t)text.n;
	send_event(events, "progress", fill_progress, &text);
}

void kb_events_reading(struct kb_events *events, size_t sources)
{
	send_event(events, "reading", fill_reading, &sources);
}

void kb_events_waiting(struct kb_events *events, struct kb_sv text)
{
	send_event(events, "waiting", fill_waiting, &text);
}

void kb_events_finish(struct kb_events *events, const struct kb_events_end *end)
{
	struct finish finish = { end, events->numbered };

	send_event(events, "finish", fill_finish, &finish);
}

void kb_events_error(struct kb_events *events, const struct kb_err *err)
{
	send_event(events, "error", fill_error, err);
}

void kb_events_comment(struct kb_events *events)
{
	KB_ASSERT(events->numbered);
	send_bytes(events, KB_SV(":\n\n"));
}
