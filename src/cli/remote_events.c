#include "cli/remote_events.h"

#include "base/clock.h"
#include "upstream/sse_read.h"

enum {
	EVENT_MAX = 4 << 20,
	CONNECT_S = 10,
	OK = 200,
};
/* The service sends a comment every 15 s where it has nothing to tell. */
#define SILENCE_US (60 * KB_SECOND_US)

struct following {
	const struct kb_remote *remote;
	const struct kb_remote_stream *stream;
	CURL *curl;
	struct kb_sse_reader reader;
	int64_t heard_us;
	bool enough;
	struct kb_err err; /* code 0: none */
};

static bool on_event(void *arg, struct kb_sv data, struct kb_err *err)
{
	struct following *f = arg;
	struct kb_arena arena = { 0 };
	const json_t *json = kb_json_parse(&arena, data, err);

	if (json)
		f->stream->event(f->stream->arg, json);
	kb_arena_fini(&arena);
	return json != NULL;
}

static bool goes_on(struct following *f)
{
	if (!f->enough && !f->stream->tick(f->stream->arg, &f->err))
		f->enough = true;
	return !f->enough;
}

static size_t on_bytes(char *bytes, size_t size, size_t count, void *arg)
{
	struct following *f = arg;
	size_t n = size * count;
	long status = 0;

	f->heard_us = kb_clock_mono_us();
	f->remote->lib->easy_getinfo(f->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status != OK)
		return n; /* its reason is asked for once more, as a call */
	if (!kb_sse_reader_feed(&f->reader, kb_sv(bytes, n), &f->err))
		return 0;
	return goes_on(f) ? n : 0;
}

/* Called about once a second, whatever comes. */
static int on_second(void *arg, curl_off_t total, curl_off_t got, curl_off_t to_send,
                     curl_off_t sent)
{
	struct following *f = arg;

	(void)total;
	(void)got;
	(void)to_send;
	(void)sent;
	if (kb_clock_mono_us() - f->heard_us > SILENCE_US)
		kb_fail(&f->err, KB_E_UPSTREAM, "%s has said nothing for a minute", f->remote->url);
	return f->err.code || !goes_on(f);
}

static CURLcode perform(struct following *f, const char *url, long *status)
{
	const struct kb_curl *lib = f->remote->lib;
	struct kb_arena arena = { 0 };
	struct curl_slist *fields;
	CURLcode code;

	fields = lib->slist_append(
	        NULL, kb_arena_printf(&arena, "Authorization: Bearer %s", f->remote->key).p);
	fields = lib->slist_append(fields, "Accept: text/event-stream");
	lib->easy_setopt(f->curl, CURLOPT_URL, url);
	lib->easy_setopt(f->curl, CURLOPT_HTTPHEADER, fields);
	lib->easy_setopt(f->curl, CURLOPT_PROTOCOLS_STR, "http,https");
	lib->easy_setopt(f->curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
	lib->easy_setopt(f->curl, CURLOPT_WRITEFUNCTION, on_bytes);
	lib->easy_setopt(f->curl, CURLOPT_WRITEDATA, f);
	lib->easy_setopt(f->curl, CURLOPT_NOPROGRESS, 0L);
	lib->easy_setopt(f->curl, CURLOPT_XFERINFOFUNCTION, on_second);
	lib->easy_setopt(f->curl, CURLOPT_XFERINFODATA, f);
	code = lib->easy_perform(f->curl);
	lib->easy_getinfo(f->curl, CURLINFO_RESPONSE_CODE, status);
	lib->slist_free_all(fields);
	kb_arena_fini(&arena);
	return code;
}

bool kb_remote_follow(struct kb_remote *remote, const char *path,
                      const struct kb_remote_stream *stream, struct kb_err *err)
{
	struct following f = { .remote = remote, .stream = stream, .heard_us = kb_clock_mono_us() };
	struct kb_arena arena = { 0 };
	long status = 0;
	CURLcode code;
	bool ok;

	f.curl = remote->lib->easy_init();
	KB_ASSERT(f.curl);
	kb_sse_reader_init(&f.reader, EVENT_MAX, on_event, &f);
	code = perform(&f, kb_remote_address(remote, &arena, path), &status);
	if (f.err.code) {
		*err = f.err;
		ok = false;
	} else if (f.enough || (code == CURLE_OK && status == OK)) {
		ok = true;
	} else if (code == CURLE_OK) {
		ok = kb_remote_call(remote, &arena, path, NULL, err) != NULL;
	} else {
		ok = kb_fail(err, KB_E_UPSTREAM, "cannot reach %s: %s", remote->url,
		             kb_curl_reason(code));
	}
	remote->lib->easy_cleanup(f.curl);
	kb_sse_reader_fini(&f.reader);
	kb_arena_fini(&arena);
	return ok;
}
