/*
 * The events of an answer's stream, in the one form that all its streams have.
 *
 *   start       the prompt
 *   progress    a piece of the text; an empty one follows start, and keeps a silent line open
 *   finish      the stored message: id, time, session, citations; outcome and closest passages
 *               where there are such passages
 *   error       there is no whole answer; what came before it is what there is
 *
 * A numbered stream is for clients that have asked for it. Each of its events has an id: how many
 * bytes (UTF-8) of the text its reader has then, which is where another stream may go on; start
 * names the message and its conversation; `reading` tells how many sources a model has to read, and
 * `waiting` brings hang_in_there_msg to who has heard nothing for a while; finish always names the
 * outcome. Other streams have none of that: some readers take every line they do not know for
 * content.
 *
 * One thread at a time.
 */
#ifndef KB_API_EVENTS_H
#define KB_API_EVENTS_H

#include "api/api.h"

struct kb_events {
	const struct kb_api *api;
	struct kb_stream *stream;
	bool numbered;
	struct kb_sv session_id; /* of a numbered one */
	bool gone;               /* the reader; nothing is sent any more */
	int64_t at;              /* bytes of the text that the reader has */
	int64_t sent_us;         /* the last of them (kb_clock_mono_us()) */
};

/* Begins the answer of the call; errors go into the stream from now on. */
void kb_events_begin(struct kb_call *call, struct kb_events *events);
/* With the first, empty progress. */
void kb_events_start(struct kb_events *events, const struct kb_message *message);
void kb_events_progress(struct kb_events *events, struct kb_sv text);
void kb_events_reading(struct kb_events *events, size_t sources);
void kb_events_waiting(struct kb_events *events, struct kb_sv text);
struct kb_events_end {
	const struct kb_message *message;
	struct kb_sv session_id;
	bool for_visitor;                          /* closest passages come in a form of its own */
	void (*more)(void *arg, struct kb_jw *jw); /* further members; NULL: none */
	void *arg;
};
void kb_events_finish(struct kb_events *events, const struct kb_events_end *end);
void kb_events_error(struct kb_events *events, const struct kb_err *err);
/* A line that says nothing, in a numbered stream: whether its reader is there still. */
void kb_events_comment(struct kb_events *events);

#endif
