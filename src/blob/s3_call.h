/*
 * Requests to a bucket: signed, tried again where that may help, within a time that goes with the
 * bytes.
 *
 * The server is the operator's own, so the address guard of out/fetch.h has no say; a redirect is
 * not followed. libcurl signs (AWS signature 4) over a SHA-256 of the body, so that a server takes
 * no bytes that were damaged on their way. What may pass (no connection, no byte for seconds, 5xx,
 * 429, SlowDown) is tried again with pauses that spread, and Retry-After is obeyed. A server that
 * keeps failing is left alone for a while (out/breaker.h): calls then fail at once, so that those
 * who wait for it never are all threads there are.
 *
 * Neither half of the key is ever in a sentence or a log line. A server that may do its work in a
 * moment is KB_E_AWAY, any other failure of the bucket KB_E_IO, as one of a disk is: the sentences
 * are for the operator, not for clients.
 *
 * Calls block and are never made on a loop thread. Any number of threads may call at once.
 */
#ifndef KB_BLOB_S3_CALL_H
#define KB_BLOB_S3_CALL_H

#include "base/log.h"
#include "blob/bucket.h"
#include "out/health.h"

struct kb_s3;

/* How long it is waited for; zeros: the usual. */
struct kb_s3_patience {
	int stall_ms; /* without a byte in either direction */
	int pause_ms; /* before the second try; doubled each time, at least half of it */
};

/* The bucket must outlive it. KB_E_UNSUPPORTED: libcurl is not installed. */
struct kb_s3 *kb_s3_open(const struct kb_bucket *bucket, const struct kb_s3_patience *patience,
                         const struct kb_log *log, struct kb_err *err) KB_MUST_CHECK;
/* Calls in progress end within a second with KB_E_CANCELLED, and new ones at once. */
void kb_s3_cancel(struct kb_s3 *s3);
/* No call may be in progress. NULL is fine. */
void kb_s3_close(struct kb_s3 *s3);

/* Who takes the bytes of an answer. begin: a new try, from the first byte. */
struct kb_s3_sink {
	bool (*begin)(void *arg, struct kb_err *err);
	bool (*take)(void *arg, struct kb_sv bytes, struct kb_err *err);
	/* All bytes are there: are they what was wanted? False: tried again. NULL: they are. */
	bool (*end)(void *arg, struct kb_err *err);
	void *arg;
};

struct kb_s3_call {
	const char *method;
	struct kb_sv key;   /* below the bucket; empty: the bucket itself */
	struct kb_sv query; /* parameters in order, encoded; empty: none */
	struct kb_sv body;  /* of PUT and POST */
	const char *doing;  /* "read", "written", …: in sentences */
	int tries;
	bool is_hasty; /* a second or two, not what is usual: somebody waits for a yes or no */
	const struct kb_s3_sink *sink; /* NULL: the body is in the answer */
};

struct kb_s3_answer {
	int64_t length; /* as the server says; -1: it does not */
	struct kb_sv etag;
	struct kb_sv body; /* up to some megabytes, which is what listings are */
};

/* False: KB_E_NOT_FOUND (the bucket has no such object), KB_E_AWAY, KB_E_IO, KB_E_CANCELLED, or
 * what the sink said. The answer lives in the arena. */
bool kb_s3_ask(struct kb_s3 *s3, struct kb_arena *arena, const struct kb_s3_call *call,
               struct kb_s3_answer *out, struct kb_err *err) KB_MUST_CHECK;

void kb_s3_stats(struct kb_s3 *s3, struct kb_health_stats *out);

#endif
