/*
 * Chat servers: answers that come piece by piece, of any number of calls at once, on one thread.
 *
 *   struct kb_chats       the event loop (libcurl's multi interface on epoll) and its thread
 *   struct kb_chat_line   one model of one server: address, key, limits, how it is doing
 *   struct kb_chat_call   one request, from its place in the line to its end
 *
 * A call goes through these steps; each ends it on a cancellation, on its deadlines, and at stop:
 *
 *   WAITS   for one of the places of the line, by account in turn; a full queue sends one of
 *           the account away that has the most in it (KB_E_BUSY)
 *   SENT    the request is out. What may pass (no connection, 429, 5xx, an answer that cannot be
 *           used) leads to PAUSES while no text has come and tries are left; Retry-After is obeyed
 *   PAUSES  until the next try, by longer and longer times that chance spreads
 *           From SENT back to WAITS where another account has less than its share of the places and
 *           this one more, and no text has come; where some has, but nobody listens any more, it
 *           ends (KB_E_BUSY). How that is judged: turns.h
 *   ENDED   on_end() has been called
 *
 * Deadlines: of the connection (KB_UPSTREAM_CONNECT_MS); first_ms from the start until the server
 * says anything of an answer, waiting and tries included; gap_ms between two things it says, of
 * which empty pieces and comments are none; whole_ms. A server that keeps failing is left alone
 * (health.h). A redirect is an answer like others and not followed; the environment's proxies are
 * not used. Neither the key nor the words of a refusal are ever logged or handed on.
 */
#ifndef KB_UPSTREAM_CHAT_H
#define KB_UPSTREAM_CHAT_H

#include "base/arena.h"
#include "upstream/chat_read.h"
#include "upstream/client.h"

struct kb_chats;
struct kb_chat_line;
struct kb_chat_call;

/* KB_E_UNSUPPORTED: libcurl is not installed. */
struct kb_chats *kb_chats_open(const struct kb_log *log, struct kb_err *err) KB_MUST_CHECK;
/* Calls in progress may take so much longer; then they end with KB_E_CANCELLED, and new ones at
 * once. Any thread; NULL is fine. */
void kb_chats_cancel(struct kb_chats *chats, int64_t grace_ms);
/* Every call has ended and every line is released. NULL is fine. */
void kb_chats_close(struct kb_chats *chats);

struct kb_chat_line_config {
	const char *name;   /* in the log and in the metrics */
	struct kb_sv url;   /* up to and with /chat/completions */
	const char *key;    /* sent as a bearer token; NULL: none */
	struct kb_sv model; /* its name at that server */
	struct kb_sv
	        more; /* members for every request, without braces ("\"top_p\":1"); empty: none */
	int64_t first_ms, gap_ms, whole_ms;
	size_t places, queue_max;
};
enum {
	KB_CHAT_FIRST_MS = 60000,
	KB_CHAT_GAP_MS = 30000,
	KB_CHAT_WHOLE_MS = 300000,
	KB_CHAT_PLACES = 256,
	KB_CHAT_QUEUE_MAX = 1024,
	KB_CHAT_TRIES = 3,
};
/* Copies what it is given. Held once, by the caller. */
struct kb_chat_line *kb_chat_line_open(struct kb_chats *chats,
                                       const struct kb_chat_line_config *config);
/* Whether it was opened with the same. */
bool kb_chat_line_is_of(const struct kb_chat_line *line, const struct kb_chat_line_config *config);
void kb_chat_line_hold(struct kb_chat_line *line);
/* NULL is fine. */
void kb_chat_line_release(struct kb_chat_line *line);

struct kb_chat_line_stats {
	struct kb_health_stats server;
	int64_t placed, waiting, refused;         /* refused: the queue was full */
	int64_t prompt_tokens, completion_tokens; /* as far as the server says */
};
void kb_chat_line_stats(struct kb_chat_line *line, struct kb_chat_line_stats *out);

struct kb_chat_message {
	const char *role; /* "system", "user", "assistant" */
	struct kb_sv text;
	const struct kb_sv *images; /* behind the text, for a model that sees (picture.h) */
	size_t image_count;
};

struct kb_chat_result {
	struct kb_err err; /* KB_OK: the whole answer has come */
	enum kb_chat_finish finish;
	struct kb_chat_usage usage;
	bool has_text;    /* some text came, whatever err says */
	int64_t first_us; /* from the start to the first text; 0: none came */
	int64_t took_us;
	int tries; /* requests sent */
};

struct kb_chat_ask {
	const struct kb_chat_message *messages;
	size_t message_count;
	int64_t max_tokens; /* 0: the server's own limit */
	bool stream;
	/* Called on the loop's thread, one after the other; none of them may block. on_end() is
	 * called exactly once, as the last. Only on_end may not be NULL. */
	void (*on_text)(void *arg, struct kb_sv text);
	void (*on_end)(void *arg, const struct kb_chat_result *result);
	/* Whether anybody listens still; called as the others. NULL: somebody does. */
	bool (*is_heard)(void *arg);
	void *arg;
	int64_t account_id;             /* for whom; 0: for the service itself */
	const struct kb_cancel *cancel; /* of kb_chat_whole() alone, on its thread; may be NULL */
};
/* Never fails but through on_end(). The caller holds the call until kb_chat_release(); what the ask
 * points to is copied. Any thread. */
struct kb_chat_call *kb_chat_start(struct kb_chat_line *line, const struct kb_chat_ask *ask);
/* on_end() comes soon, with KB_E_CANCELLED unless it has ended already. Any thread; NULL is fine.
 */
void kb_chat_cancel(struct kb_chat_call *call);
void kb_chat_release(struct kb_chat_call *call);

/* The same for a thread that may block: the whole text in the arena, at most max_bytes of it. False
 * with the reason in result->err; what it took is in *result in any case. */
bool kb_chat_whole(struct kb_chat_line *line, struct kb_arena *arena, const struct kb_chat_ask *ask,
                   size_t max_bytes, struct kb_sv *text,
                   struct kb_chat_result *result) KB_MUST_CHECK;

#endif
