#include "upstream/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bell.h"
#include "base/clock.h"
#include "base/size.h"
#include "out/fetch_head.h"
#include "out/handle.h"
#include "out/url.h"

enum {
	RETRY_MS = 100, /* the first pause between tries; doubled each time, at least half of it */
	ASK_MS = 1000,  /* how often a pause asks whether anybody waits still */
};

struct kb_upstream {
	struct kb_arena arena;
	struct kb_upstream_config config;
	const struct kb_curl *lib;
	struct kb_url url;
	struct curl_slist *fields;
	atomic_bool cancelled;
	struct kb_bell stop; /* of pauses; stopped with `cancelled`, which libcurl looks at */
	struct kb_handles handles;
	struct kb_health health;
};

/* ---- options ---- */

static bool is_printable(struct kb_sv text)
{
	for (size_t i = 0; i < text.n; i++)
		if ((unsigned char)text.p[i] <= ' ' || text.p[i] == 0x7f)
			return false;
	return true;
}

bool kb_upstream_address(struct kb_arena *arena, const char *label, const char *text,
                         const char *path, struct kb_sv *out, struct kb_err *err)
{
	struct kb_err why;
	struct kb_url url;
	struct kb_sv address;

	if (!kb_url_parse(arena, kb_sv_str(text), NULL, &url, &why))
		return kb_fail(err, KB_E_INVALID, "%s: %s", label, why.msg);
	if (!kb_url_is_web(&url))
		return kb_fail(err, KB_E_INVALID,
		               "%s is %.200s; it must begin with http:// or https://", label, text);
	/* The address may hold a password and is not repeated. */
	if (url.username.n || url.password.n)
		return kb_fail(err, KB_E_INVALID,
		               "%s holds a user or password; give the key by itself", label);
	if (url.query.p || url.fragment.p)
		return kb_fail(err, KB_E_INVALID,
		               "%s is %.200s; it must end with its path, which is mostly /v1",
		               label, text);
	address = url.href;
	while (kb_sv_ends(address, KB_SV("/")))
		address.n--;
	*out = kb_arena_printf(arena, "%.*s%s", KB_SV_ARG(address), path);
	return true;
}

bool kb_upstream_check(struct kb_arena *arena, const struct kb_upstream_option *option,
                       const char *path, struct kb_sv *out, struct kb_err *err)
{
	struct kb_sv name = kb_sv_str(option->name), key = kb_sv_str(option->key);

	*out = KB_SV("");
	if (!option->url) {
		if (option->name || option->key)
			return kb_fail(err, KB_E_INVALID, "--%s-%s needs --%s-url", option->what,
			               option->name ? "name" : "key", option->what);
		return true;
	}
	if (!kb_upstream_address(arena, kb_arena_printf(arena, "--%s-url", option->what).p,
	                         option->url, path, out, err))
		return false;
	if (!name.n)
		return kb_fail(err, KB_E_INVALID,
		               "--%s-url needs --%s-name, the model's name at that server",
		               option->what, option->what);
	if (name.n > KB_UPSTREAM_NAME_MAX || !is_printable(name))
		return kb_fail(err, KB_E_INVALID,
		               "--%s-name must be at most %d bytes without blanks", option->what,
		               KB_UPSTREAM_NAME_MAX);
	if (key.n > KB_UPSTREAM_KEY_MAX || !is_printable(key))
		return kb_fail(err, KB_E_INVALID,
		               "--%s-key must be at most %d bytes without blanks", option->what,
		               KB_UPSTREAM_KEY_MAX);
	return true;
}

/* ---- open and close ---- */

static void add_field(struct kb_upstream *up, const char *line)
{
	kb_handle_field(up->lib, &up->fields, line);
}

struct kb_upstream *kb_upstream_open(const struct kb_upstream_config *config, struct kb_err *err)
{
	const struct kb_curl *lib = kb_curl_load(err);
	struct kb_upstream *up;

	if (!lib)
		return NULL;
	up = kb_xcalloc(1, sizeof(*up));
	up->config = *config;
	up->lib = lib;
	kb_bell_init(&up->stop, NULL);
	kb_health_init(&up->health, config->name, config->what, config->log);
	up->config.url = kb_arena_sv(&up->arena, config->url);
	add_field(up,
	          kb_arena_printf(&up->arena, "Content-Type: %s",
	                          config->content_type ? config->content_type : "application/json")
	                  .p);
	add_field(up, "Accept: application/json");
	add_field(up, "Expect:"); /* no asking before large bodies */
	if (config->key && *config->key)
		add_field(up,
		          kb_arena_printf(&up->arena, "Authorization: Bearer %s", config->key).p);
	if (!kb_url_parse(&up->arena, config->url, NULL, &up->url, err)) {
		kb_upstream_close(up);
		return NULL;
	}
	kb_handles_init(
	        &up->handles, lib,
	        &(struct kb_handles_server){ .host = up->url.host,
	                                     .port = kb_url_port(&up->url),
	                                     .is_address = up->url.host_kind != KB_HOST_DOMAIN,
	                                     .idle_max = KB_UPSTREAM_IDLE_MAX });
	return up;
}

void kb_upstream_cancel(struct kb_upstream *up)
{
	if (!up)
		return;
	atomic_store(&up->cancelled, true);
	kb_bell_stop(&up->stop);
}

void kb_upstream_close(struct kb_upstream *up)
{
	if (!up)
		return;
	kb_handles_fini(&up->handles);
	kb_bell_fini(&up->stop);
	up->lib->slist_free_all(up->fields);
	kb_health_fini(&up->health);
	kb_arena_fini(&up->arena);
	free(up);
}

/* ---- one request ---- */

struct request {
	struct kb_upstream *up;
	const struct kb_upstream_call *call;
	struct kb_arena arena;
	struct kb_fetch_head head;
	struct kb_buf answer;
	struct curl_slist *resolved;
	CURL *curl;
	int64_t wish_ms; /* Retry-After */
};

static size_t on_head(char *bytes, size_t size, size_t count, void *arg)
{
	struct request *r = arg;

	kb_fetch_head_line(&r->head, &r->arena, kb_sv(bytes, size * count));
	return size * count;
}

/* Nobody reads the words of a refusal: they may repeat the key. */
static size_t on_body(char *bytes, size_t size, size_t count, void *arg)
{
	struct request *r = arg;

	if (r->head.status == 200)
		kb_buf_add(&r->answer, bytes, size * count);
	return r->answer.failed ? 0 : size * count;
}

static bool is_cancelled(const struct request *r)
{
	return atomic_load(&r->up->cancelled) || kb_cancelled(r->call->cancel, NULL);
}

static int on_progress(void *arg, curl_off_t total, curl_off_t now, curl_off_t up_total,
                       curl_off_t up_now)
{
	struct request *r = arg;

	(void)total;
	(void)up_total;
	(void)up_now;
	return now > (curl_off_t)r->call->answer_max || is_cancelled(r);
}

static void set_options(struct request *r)
{
	int64_t left_ms = (r->call->deadline_us - kb_clock_mono_us()) / 1000;

	left_ms = KB_MAX(left_ms, (int64_t)1);
	kb_handle_set(r->up->lib, r->curl,
	              &(struct kb_handle_request){
	                      .url = r->up->config.url.p,
	                      .body = r->call->body,
	                      .fields = r->up->fields,
	                      .resolved = r->resolved,
	                      .whole_ms = left_ms,
	                      .connect_ms = KB_MIN(left_ms, (int64_t)KB_UPSTREAM_CONNECT_MS),
	                      .on_head = on_head,
	                      .on_body = on_body,
	                      .on_progress = on_progress,
	                      .arg = r,
	              });
}

static bool explain(const struct request *r, CURLcode code, struct kb_err *err)
{
	const char *what = r->up->config.what;
	char size[KB_SIZE_TEXT];

	if (atomic_load(&r->up->cancelled))
		return kb_fail(err, KB_E_CANCELLED, "the service is stopping");
	if (is_cancelled(r))
		return kb_fail(err, KB_E_CANCELLED, "nobody waits for %s any more", what);
	if (r->answer.failed || code == CURLE_ABORTED_BY_CALLBACK)
		return kb_fail(err, KB_E_UPSTREAM, "%s answers with more than %s", what,
		               kb_size_text(size, (int64_t)r->call->answer_max));
	if (code == CURLE_OPERATION_TIMEDOUT)
		return kb_fail(err, KB_E_TIMEOUT, "%s did not answer in time", what);
	return kb_fail(err, KB_E_UPSTREAM, "%s cannot be asked: %s", what, kb_curl_reason(code));
}

static bool read_answer(struct request *r, struct kb_err *err)
{
	int status = r->head.status;

	if (status == 200)
		return r->call->read(r->call->arg, kb_buf_view(&r->answer), err);
	if (status == 429 || status == 503)
		r->wish_ms = 1000
		             * kb_fetch_retry_after(r->head.retry_after,
		                                    kb_clock_now_us(NULL) / KB_SECOND_US);
	if (status == 400 || status == 413 || status == 422)
		return kb_fail(err, KB_E_INVALID, "%s refuses the request with %d",
		               r->up->config.what, status);
	return kb_fail(err, KB_E_UPSTREAM, "%s answers %d", r->up->config.what, status);
}

/* Sends it once. */
static bool send_once(struct request *r, struct kb_err *err)
{
	struct kb_upstream *up = r->up;
	CURLcode code;
	bool ok;

	r->head = (struct kb_fetch_head){ 0 };
	r->wish_ms = 0;
	kb_buf_clear(&r->answer);
	if (!kb_handles_resolve(&up->handles, r->call->deadline_us, &up->cancelled, &r->resolved,
	                        err))
		return false;
	r->curl = kb_handles_take(&up->handles);
	if (!r->curl)
		return kb_fail(err, KB_E_UPSTREAM, "libcurl gives no handle");
	set_options(r);
	code = up->lib->easy_perform(r->curl);
	ok = code == CURLE_OK ? read_answer(r, err) : explain(r, code, err);
	kb_handles_give(&up->handles, r->curl);
	up->lib->slist_free_all(r->resolved);
	r->resolved = NULL;
	return ok;
}

/* ---- tries ---- */

/* False when there is no time left for another try after the pause, or the service stops. */
static bool wait_for_next(const struct request *r, int attempt)
{
	double ms =
	        (double)((int64_t)RETRY_MS << KB_MIN(attempt, 10)) * (.5 + .5 * kb_health_chance());
	int64_t until = kb_clock_mono_us() + KB_MAX((int64_t)ms, r->wish_ms) * 1000;

	if (until >= r->call->deadline_us)
		return false;
	for (int64_t now; (now = kb_clock_mono_us()) < until && !is_cancelled(r);)
		(void)kb_bell_rest(&r->up->stop,
		                   r->call->cancel ? KB_MIN(until, now + ASK_MS * 1000) : until);
	return !is_cancelled(r);
}

static bool may_pass(const struct request *r, const struct kb_err *err)
{
	int status = r->head.status;

	if (err->code == KB_E_INVALID || err->code == KB_E_CANCELLED
	    || (r->call->impatient && (status == 429 || r->wish_ms)))
		return false;
	/* Below 400 it was sent but not answered as it should be, or never sent. */
	return status == 0 || status == 200 || status == 429 || status >= 500;
}

bool kb_upstream_post(struct kb_upstream *up, const struct kb_upstream_call *call,
                      struct kb_err *err)
{
	struct request r = { .up = up, .call = call };
	struct kb_err why = { 0 }, fine = { 0 };
	bool ok = false;

	kb_buf_init(&r.answer, call->answer_max);
	for (int attempt = 0;; attempt++) {
		int64_t start = kb_clock_mono_us();

		if (atomic_load(&up->cancelled)) {
			kb_fail(&why, KB_E_CANCELLED, "the service is stopping");
			break;
		}
		if (!kb_health_admit(&up->health, 0, &why))
			break;
		ok = send_once(&r, &why);
		kb_health_count(&up->health, ok ? &fine : &why,
		                &(struct kb_health_request){ .took_us = kb_clock_mono_us() - start,
		                                             .wish_ms = r.wish_ms });
		if (ok || attempt + 1 >= call->tries || !may_pass(&r, &why)
		    || !wait_for_next(&r, attempt))
			break;
	}
	kb_buf_fini(&r.answer);
	kb_arena_fini(&r.arena);
	if (!ok && err)
		*err = why;
	return ok;
}

void kb_upstream_ask_begin(struct kb_upstream_ask *ask, const char *model, size_t bytes_max)
{
	kb_buf_init(&ask->buf, bytes_max);
	kb_jw_init(&ask->jw, &ask->buf);
	kb_jw_object(&ask->jw);
	kb_jw_key_str(&ask->jw, "model", model);
}

bool kb_upstream_ask_post(struct kb_upstream_ask *ask, struct kb_upstream *up,
                          struct kb_upstream_call *call, struct kb_err *err)
{
	bool ok;

	kb_jw_end(&ask->jw);
	ok = kb_buf_done(&ask->buf, &call->body, err) && kb_upstream_post(up, call, err);
	kb_buf_fini(&ask->buf);
	return ok;
}

void kb_upstream_stats(struct kb_upstream *up, struct kb_health_stats *out)
{
	kb_health_stats(&up->health, out);
}
