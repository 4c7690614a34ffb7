#include "blob/s3_call.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/bell.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "blob/s3_read.h"
#include "out/fetch_head.h"
#include "out/handle.h"

enum {
	CONNECT_MS = 3000,
	EXPECT_MS = 200, /* for a server to say that it wants a large body */
	STALL_MS = 10000,
	HASTY_MS = 2000,
	PAUSE_MS = 200,
	PAUSE_MAX_MS = 5000,
	WISH_MAX_MS = 20000, /* of what Retry-After asks for */
	IDLE_MAX = 16,       /* connections kept */
	BODY_MAX =
	        8 << 20, /* of an answer without a sink: a listing of 1,000 has half a megabyte */
	/* A try may take so long, and so much more for each byte. */
	TRY_S = 30,
	BYTES_A_SECOND = 128 << 10,
};

struct kb_s3 {
	const struct kb_bucket *bucket;
	const struct kb_log *log;
	const struct kb_curl *lib;
	struct kb_s3_patience patience;
	char signing[96]; /* what libcurl wants to know of the signature */
	atomic_bool cancelled;
	struct kb_bell stop; /* of pauses; stopped with `cancelled`, which libcurl looks at */

	struct kb_handles handles;
	struct kb_health health;
};

struct kb_s3 *kb_s3_open(const struct kb_bucket *bucket, const struct kb_s3_patience *patience,
                         const struct kb_log *log, struct kb_err *err)
{
	const struct kb_curl *lib = kb_curl_load(err);
	struct kb_s3 *s3;

	if (!lib)
		return NULL;
	s3 = kb_xcalloc(1, sizeof(*s3));
	s3->bucket = bucket;
	s3->log = log;
	s3->lib = lib;
	s3->patience.stall_ms = patience->stall_ms ? patience->stall_ms : STALL_MS;
	s3->patience.pause_ms = patience->pause_ms ? patience->pause_ms : PAUSE_MS;
	snprintf(s3->signing, sizeof(s3->signing), "aws:amz:%s:s3", bucket->region);
	kb_handles_init(&s3->handles, lib,
	                &(struct kb_handles_server){ .host = bucket->host,
	                                             .port = bucket->port,
	                                             .is_address = bucket->is_address,
	                                             .idle_max = IDLE_MAX });
	kb_bell_init(&s3->stop, NULL);
	kb_health_init(&s3->health, "bucket", "the bucket's server", log);
	return s3;
}

void kb_s3_cancel(struct kb_s3 *s3)
{
	atomic_store(&s3->cancelled, true);
	kb_bell_stop(&s3->stop);
}

void kb_s3_close(struct kb_s3 *s3)
{
	if (!s3)
		return;
	kb_handles_fini(&s3->handles);
	kb_bell_fini(&s3->stop);
	kb_health_fini(&s3->health);
	free(s3);
}

void kb_s3_stats(struct kb_s3 *s3, struct kb_health_stats *out)
{
	kb_health_stats(&s3->health, out);
}

/* ---- one try ---- */

struct request {
	struct kb_s3 *s3;
	const struct kb_s3_call *call;
	struct kb_arena *arena;
	CURL *curl;
	struct curl_slist *fields, *resolved;
	struct kb_fetch_head head;
	struct kb_sv date;
	struct kb_buf body; /* what no sink takes: refusals too */
	int64_t length, started_us, moved_us, moved_bytes;
	int64_t wish_ms; /* Retry-After */
	bool stalled;
	struct kb_err sink_err;
};

static size_t on_head(char *bytes, size_t size, size_t count, void *arg)
{
	struct request *r = arg;
	struct kb_sv line = kb_sv(bytes, size * count);

	kb_fetch_head_line(&r->head, r->arena, line);
	if (kb_sv_istarts(line, KB_SV("date:")))
		r->date = kb_arena_sv(r->arena, kb_sv_trim(kb_sv_from(line, 5)));
	if (kb_sv_istarts(line, KB_SV("content-length:"))
	    && !kb_sv_to_int(kb_sv_trim(kb_sv_from(line, 15)), 0, INT64_MAX, &r->length))
		r->length = -1;
	return line.n;
}

static bool is_good(int status)
{
	return status >= 200 && status < 300;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *arg)
{
	struct request *r = arg;
	struct kb_sv piece = kb_sv(bytes, size * count);

	if (is_good(r->head.status) && r->call->sink)
		return r->call->sink->take(r->call->sink->arg, piece, &r->sink_err) ? piece.n : 0;
	kb_buf_sv(&r->body, piece);
	return r->body.failed ? 0 : piece.n;
}

/* Libcurl calls it once a second at least. */
static int on_progress(void *arg, curl_off_t down_all, curl_off_t down, curl_off_t up_all,
                       curl_off_t up)
{
	struct request *r = arg;
	int64_t now = kb_clock_mono_us(), moved = (int64_t)down + (int64_t)up;
	int64_t bytes = KB_MAX((int64_t)r->call->body.n, r->length);
	int64_t patience = r->call->is_hasty ? HASTY_MS : r->s3->patience.stall_ms;

	(void)down_all;
	(void)up_all;
	if (moved != r->moved_bytes) {
		r->moved_bytes = moved;
		r->moved_us = now;
	}
	r->stalled = now - r->moved_us > patience * 1000
	             || now - r->started_us > (TRY_S + bytes / BYTES_A_SECOND) * KB_SECOND_US;
	return r->stalled || atomic_load(&r->s3->cancelled);
}

static void add_field(struct request *r, const char *line)
{
	kb_handle_field(r->s3->lib, &r->fields, line);
}

static void set_options(struct request *r)
{
	const struct kb_curl *lib = r->s3->lib;
	const struct kb_bucket *bucket = r->s3->bucket;
	struct kb_sv url = kb_arena_printf(r->arena, "%.*s/%.*s%s%.*s", KB_SV_ARG(bucket->base),
	                                   KB_SV_ARG(r->call->key), r->call->query.n ? "?" : "",
	                                   KB_SV_ARG(r->call->query));

	kb_handle_set(lib, r->curl,
	              &(struct kb_handle_request){
	                      .url = url.p,
	                      .method = r->call->method,
	                      .body = r->call->body,
	                      .fields = r->fields,
	                      .resolved = r->resolved,
	                      .connect_ms = r->call->is_hasty ? HASTY_MS : CONNECT_MS,
	                      .on_head = on_head,
	                      .on_body = on_body,
	                      .on_progress = on_progress,
	                      .arg = r,
	              });
	lib->easy_setopt(r->curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	lib->easy_setopt(r->curl, CURLOPT_BUFFERSIZE, 256L << 10);
	/* Libcurl signs the fields of ours, and one without a value is not sent: so an Expect that
	 * it adds to large bodies is not taken back, but not waited for either. */
	lib->easy_setopt(r->curl, CURLOPT_EXPECT_100_TIMEOUT_MS, (long)EXPECT_MS);
	lib->easy_setopt(r->curl, CURLOPT_AWS_SIGV4, r->s3->signing);
	lib->easy_setopt(r->curl, CURLOPT_USERNAME, bucket->key_id);
	lib->easy_setopt(r->curl, CURLOPT_PASSWORD, bucket->secret);
}

static bool fail(const struct request *r, const char *reason, struct kb_err *err)
{
	return kb_fail(err, KB_E_AWAY, "%.*s: %s", KB_SV_ARG(r->s3->bucket->shown), reason);
}

/* Why the transfer did not end. All of it may pass, but for what is ours. */
static bool explain(const struct request *r, CURLcode code, bool *again, struct kb_err *err)
{
	*again = true;
	if (atomic_load(&r->s3->cancelled)) {
		*again = false;
		return kb_fail(err, KB_E_CANCELLED, "the service is stopping");
	}
	if (r->sink_err.code) {
		*again = false;
		*err = r->sink_err;
		return false;
	}
	if (r->stalled)
		return fail(r, "its server does not answer in time", err);
	if (r->body.failed)
		return fail(r, "its server answers with more than was asked for", err);
	return fail(r, kb_curl_reason(code), err);
}

/* A status that is no good one. */
static bool refuse(struct request *r, bool *again, struct kb_err *err)
{
	struct kb_sv xml = kb_buf_view(&r->body);
	struct kb_s3_refusal refusal = {
		.status = r->head.status,
		.code = kb_s3_text(r->arena, xml, "Code"),
		.region = kb_s3_text(r->arena, xml, "Region"),
		.date = r->date,
		.doing = r->call->doing,
	};

	/* A HEAD that finds nothing has no body, and so no code. */
	if (refusal.status == 404 && (!refusal.code.n || kb_sv_eq_str(refusal.code, "NoSuchKey"))) {
		*again = false;
		return kb_fail(err, KB_E_NOT_FOUND, "%.*s has no object %.*s",
		               KB_SV_ARG(r->s3->bucket->shown), KB_SV_ARG(r->call->key));
	}
	*again = kb_s3_may_pass(&refusal);
	if (*again && r->head.retry_after.n)
		r->wish_ms =
		        KB_MIN(1000
		                       * kb_fetch_retry_after(r->head.retry_after,
		                                              kb_clock_now_us(NULL) / KB_SECOND_US),
		               (int64_t)WISH_MAX_MS);
	fail(r, kb_arena_str(r->arena, kb_s3_explain(r->arena, &refusal)), err);
	if (!*again)
		err->code = KB_E_IO;
	return false;
}

/* What was answered well may still be the wrong bytes. A multipart upload's end may carry an error
 * in a good answer. */
static bool judge(struct request *r, bool *again, struct kb_err *err)
{
	const struct kb_s3_sink *sink = r->call->sink;

	if (!is_good(r->head.status))
		return refuse(r, again, err);
	if (!sink && kb_s3_text(r->arena, kb_buf_view(&r->body), "Code").n)
		return refuse(r, again, err);
	*again = true;
	return !sink || !sink->end || sink->end(sink->arg, err);
}

static bool begin(struct request *r, struct kb_err *err)
{
	char digest[KB_SHA256_HEX];

	r->head = (struct kb_fetch_head){ 0 };
	r->date = KB_SV("");
	r->length = -1;
	r->wish_ms = r->moved_bytes = 0;
	r->stalled = false;
	r->sink_err = (struct kb_err){ 0 };
	kb_buf_clear(&r->body);
	if (r->call->sink && !r->call->sink->begin(r->call->sink->arg, err))
		return false;
	kb_sha256_hex(r->call->body, digest);
	add_field(r, kb_arena_printf(r->arena, "x-amz-content-sha256: %s", digest).p);
	add_field(r, "Content-Type: application/octet-stream");
	return kb_handles_resolve(&r->s3->handles, kb_clock_mono_us() + CONNECT_MS * INT64_C(1000),
	                          &r->s3->cancelled, &r->resolved, err);
}

/* Sends it once. *again: another try may go better. */
static bool send_once(struct request *r, bool *again, struct kb_err *err)
{
	const struct kb_curl *lib = r->s3->lib;
	CURLcode code;
	bool ok;

	*again = true;
	ok = begin(r, err);
	if (ok) {
		r->curl = kb_handles_take(&r->s3->handles);
		ok = r->curl || fail(r, "libcurl gives no handle", err);
	}
	if (ok) {
		set_options(r);
		r->started_us = r->moved_us = kb_clock_mono_us();
		code = lib->easy_perform(r->curl);
		ok = code == CURLE_OK ? judge(r, again, err) : explain(r, code, again, err);
		kb_handles_give(&r->s3->handles, r->curl);
	}
	lib->slist_free_all(r->fields);
	lib->slist_free_all(r->resolved);
	r->fields = r->resolved = NULL;
	return ok;
}

/* ---- tries ---- */

/* False when the service stops. */
static bool pause_before_next(const struct request *r, int attempt)
{
	double ms = (double)KB_MIN((int64_t)r->s3->patience.pause_ms << KB_MIN(attempt, 10),
	                           (int64_t)PAUSE_MAX_MS)
	            * (.5 + .5 * kb_health_chance());

	return kb_bell_rest(&r->s3->stop,
	                    kb_clock_mono_us() + KB_MAX((int64_t)ms, r->wish_ms) * 1000);
}

/* A refusal of this very request, and one damaged object, say that the server does its work. */
static void count(struct request *r, bool ok, bool again, const struct kb_err *why)
{
	static const struct kb_err fine = { 0 };
	bool is_fine = ok || why->code == KB_E_CORRUPT || (!again && why->code != KB_E_CANCELLED);

	kb_health_count(
	        &r->s3->health, is_fine ? &fine : why,
	        &(struct kb_health_request){ .took_us = kb_clock_mono_us() - r->started_us });
}

bool kb_s3_ask(struct kb_s3 *s3, struct kb_arena *arena, const struct kb_s3_call *call,
               struct kb_s3_answer *out, struct kb_err *err)
{
	struct request r = { .s3 = s3, .call = call, .arena = arena };
	struct kb_err why = { 0 };
	bool ok = false;

	kb_buf_init(&r.body, BODY_MAX);
	for (int attempt = 0;; attempt++) {
		bool again;

		if (atomic_load(&s3->cancelled)) {
			kb_fail(&why, KB_E_CANCELLED, "the service is stopping");
			break;
		}
		if (!kb_health_admit(&s3->health, 0, &why)) {
			why.code = KB_E_AWAY;
			break;
		}
		r.started_us = kb_clock_mono_us();
		ok = send_once(&r, &again, &why);
		count(&r, ok, again, &why);
		if (ok || !again || attempt + 1 >= call->tries || !pause_before_next(&r, attempt))
			break;
		kb_debug(s3->log, "bucket is asked again method=%s error=%s", call->method,
		         why.msg);
	}
	*out = (struct kb_s3_answer){ .length = r.length,
		                      .etag = r.head.etag,
		                      .body = ok ? kb_arena_sv(arena, kb_buf_view(&r.body))
		                                 : KB_SV("") };
	kb_buf_fini(&r.body);
	if (!ok && err)
		*err = why;
	return ok;
}
