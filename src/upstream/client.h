/*
 * One server of the operator's, asked with JSON over HTTP: what all clients but the chats' share.
 *
 * The address is the operator's own, so the address guard of out/fetch.h has no say; a redirect is
 * an answer like others and not followed. Connections are kept. Each call has one deadline for all
 * its tries; what may pass (no connection, 429, 5xx) is tried again with pauses that spread, and
 * Retry-After is obeyed. A server that keeps failing is left alone (breaker.h), with one log line a
 * change of that. Neither the key nor what a server says in a refusal is ever logged.
 *
 * Calls block and are never made on a loop thread. Any number of threads may call at once.
 */
#ifndef KB_UPSTREAM_CLIENT_H
#define KB_UPSTREAM_CLIENT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/log.h"
#include "out/health.h"

struct kb_upstream;

enum {
	KB_UPSTREAM_CONNECT_MS = 3000,
	KB_UPSTREAM_IDLE_MAX = 8, /* connections kept */
	KB_UPSTREAM_NAME_MAX = 100,
	KB_UPSTREAM_KEY_MAX = 1000,
};

/* One server as the options name it; url NULL: none. */
struct kb_upstream_option {
	const char *what; /* "embed": names the options --embed-url, … in errors */
	const char *url, *name, *key;
};
/* Whether the three fit together; *url is the address with `path` behind it. KB_E_INVALID names the
 * option. */
bool kb_upstream_check(struct kb_arena *arena, const struct kb_upstream_option *option,
                       const char *path, struct kb_sv *url, struct kb_err *err) KB_MUST_CHECK;

/* The address of `text` with `path` behind it. KB_E_INVALID: a sentence that begins with `label`.
 */
bool kb_upstream_address(struct kb_arena *arena, const char *label, const char *text,
                         const char *path, struct kb_sv *out, struct kb_err *err) KB_MUST_CHECK;

struct kb_upstream_config {
	const char *name;         /* "embed_questions": in the log and in the metrics */
	const char *what;         /* "the embedding server", in sentences */
	struct kb_sv url;         /* of kb_upstream_check() */
	const char *key;          /* sent as a bearer token; NULL: none */
	const char *content_type; /* of requests; NULL: JSON */
	const struct kb_log *log;
};

/* Copies what it needs but the names and the log. KB_E_UNSUPPORTED: libcurl is not installed. */
struct kb_upstream *kb_upstream_open(const struct kb_upstream_config *config,
                                     struct kb_err *err) KB_MUST_CHECK;
/* Calls in progress end within a second with KB_E_CANCELLED, and new ones at once. NULL is fine. */
void kb_upstream_cancel(struct kb_upstream *upstream);
/* No call may be in progress. NULL is fine. */
void kb_upstream_close(struct kb_upstream *upstream);

struct kb_upstream_call {
	struct kb_sv body;
	int64_t deadline_us; /* kb_clock_mono_us(), of all tries together */
	int tries;
	bool impatient; /* a server that is too busy now (429, Retry-After) is not tried again */
	const struct kb_cancel *cancel; /* asked about once a second; may be NULL */
	size_t answer_max;              /* bytes; an answer over it is a failure of the server */
	/* Reads the answer. False with KB_E_UPSTREAM: it is not what was asked for, a failure of
	 * the server like any other. */
	bool (*read)(void *arg, struct kb_sv answer, struct kb_err *err);
	void *arg;
};
/* KB_E_INVALID: the server refuses this very request (400, 413, 422) and would again.
 * KB_E_UPSTREAM, KB_E_TIMEOUT: it failed, or is being left alone. KB_E_CANCELLED. */
bool kb_upstream_post(struct kb_upstream *upstream, const struct kb_upstream_call *call,
                      struct kb_err *err) KB_MUST_CHECK;

/* A call whose body is a JSON object that begins with the model's name: the caller writes its other
 * members between the two. Ends the object and frees it, whatever comes of it. */
struct kb_upstream_ask {
	struct kb_buf buf;
	struct kb_jw jw;
};
void kb_upstream_ask_begin(struct kb_upstream_ask *ask, const char *model, size_t bytes_max);
bool kb_upstream_ask_post(struct kb_upstream_ask *ask, struct kb_upstream *upstream,
                          struct kb_upstream_call *call, struct kb_err *err) KB_MUST_CHECK;

void kb_upstream_stats(struct kb_upstream *upstream, struct kb_health_stats *out);

#endif
