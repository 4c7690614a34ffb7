/*
 * What a chat server answers, read strictly and within bounds: the text, and how it ended.
 *
 * The OpenAI format as servers really speak it, streamed or whole, whichever comes: the first byte
 * tells, not what was asked for. The rules:
 *
 *   text      choices of index 0 alone, `content` that is a string; null or nothing is no text
 *   thoughts  `reasoning`, `reasoning_content` and a leading <think>…</think> are never text
 *   the end   a `finish_reason` that is not empty, or [DONE]; nothing counts after [DONE]. A stream
 *             that ends without either has failed
 *   errors    a member `error` ends the answer as a failure, whatever came before. Its words are
 *             never kept: they may hold a key, or the prompt
 *   noise     events that cannot be read are passed over and counted; with too many of them, or
 *             with nothing else, the answer has failed. Tool calls, chunks without choices and
 *             unknown members are passed over
 *   bytes     ill-formed UTF-8 and lone halves of characters become U+FFFD, control characters go
 *   nothing   a piece that is empty but for the role says nothing: servers send such ones to keep a
 *             line open. Thoughts and tool calls are something
 *
 * Pure but for what it hands on; one thread at a time.
 */
#ifndef KB_UPSTREAM_CHAT_READ_H
#define KB_UPSTREAM_CHAT_READ_H

#include "upstream/sse_read.h"

enum {
	KB_CHAT_EVENT_MAX = 1 << 20, /* bytes of an event, or of a whole answer */
	KB_CHAT_NOISE_MAX = 16,      /* events that cannot be read */
};

enum kb_chat_finish {
	KB_CHAT_UNFINISHED,
	KB_CHAT_STOP,
	KB_CHAT_LENGTH,   /* max_tokens was reached */
	KB_CHAT_FILTERED, /* the server's own moderation cut it off */
};

struct kb_chat_usage {
	int64_t prompt_tokens, completion_tokens; /* -1: the server did not say */
};

struct kb_chat_reader {
	struct kb_sse_reader events;
	struct kb_buf whole; /* of an answer that is no stream */
	enum { KB_CHAT_BLANK, KB_CHAT_STREAM, KB_CHAT_WHOLE } form;
	enum { KB_THINK_START, KB_THINK_IN, KB_THINK_AFTER, KB_THINK_OVER } thinking;
	char held[16]; /* the beginning of a <think>, or of its end */
	size_t held_count;
	enum kb_chat_finish finish;
	bool done;         /* [DONE], or the whole answer was read */
	bool has_text;     /* on_text() was called */
	size_t read_count; /* events that could be read */
	size_t said_count; /* of these, those that said something: text, thoughts, calls, the end */
	size_t noise;      /* events that could not */
	struct kb_chat_usage usage;
	void (*on_text)(void *arg, struct kb_sv text); /* never called with nothing */
	void *arg;
};

void kb_chat_reader_init(struct kb_chat_reader *reader,
                         void (*on_text)(void *arg, struct kb_sv text), void *arg);
void kb_chat_reader_fini(struct kb_chat_reader *reader);

/* False: the answer has failed. KB_E_TOO_LARGE: the server says that the prompt is longer than the
 * model's context. KB_E_EXHAUSTED: it says that it is asked too often. KB_E_UPSTREAM: anything
 * else. The sentence goes behind the server's name. */
bool kb_chat_reader_feed(struct kb_chat_reader *reader, struct kb_sv bytes,
                         struct kb_err *err) KB_MUST_CHECK;
/* The body has ended. */
bool kb_chat_reader_end(struct kb_chat_reader *reader, struct kb_err *err) KB_MUST_CHECK;

/* What the body of a refusal says, in the code of our own: KB_E_TOO_LARGE for a prompt beyond the
 * context, else KB_E_INVALID. */
enum kb_errc kb_chat_refusal(struct kb_sv body);

#endif
