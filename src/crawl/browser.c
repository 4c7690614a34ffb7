/*
 * One rendering:
 *
 *   gate ─▶ profile ─▶ process ─▶ page: navigate ─▶ loaded ─▶ settled ─▶ its HTML ─▶ all of it ends
 *
 * Loaded: or half of the time is over. Settled: five seconds of the page's own clock have passed,
 * which jumps from timer to timer and stands still while something is being fetched, or nearly all
 * of the time is over. Each request waits for our word on the way.
 */
#include "crawl/browser.h"

#include <stdlib.h>

#include "base/clock.h"
#include "crawl/browser_impl.h"
#include "crawl/browser_own.h"
#include "crawl/devtools.h"
#include "crawl/own_folder.h"
#include "out/fetch_head.h"
#include "out/gate.h"

enum {
	SETTLE_MS = 5000, /* of the page's clock */
	LAST_MS = 3000,   /* of the time: the page has to be handed over now */
};
#define PROFILE_NAME "docent-browser-"

/* ---- the program ---- */

static const char *const usual[] = {
	"/usr/lib/chromium/chromium", "/usr/bin/chromium-headless-shell", "/usr/bin/chromium",
	"/usr/bin/chromium-browser",  "/usr/bin/google-chrome-stable",    "/usr/bin/google-chrome",
};

bool kb_browser_new(const char *program, struct kb_fetcher *fetcher, struct kb_browser **out,
                    struct kb_err *err)
{
	struct kb_browser *browser = kb_xcalloc(1, sizeof(*browser));
	bool ok = kb_program_init(&browser->program, program, usual, KB_COUNTOF(usual), err);

	*out = NULL;
	if (!ok) {
		free(browser);
		return false;
	}
	if (!browser->program.path) {
		kb_browser_free(browser);
		return true;
	}
	kb_own_folder_sweep(PROFILE_NAME);
	browser->fetcher = fetcher;
	*out = browser;
	return true;
}

void kb_browser_free(struct kb_browser *browser)
{
	if (!browser)
		return;
	kb_program_fini(&browser->program);
	free(browser);
}

const char *kb_browser_program(const struct kb_browser *browser)
{
	return browser ? browser->program.path : NULL;
}

/* ---- the page ---- */

static bool send_only(struct kb_render *r, const char *method, struct kb_sv params,
                      struct kb_err *err)
{
	int64_t id;

	return kb_devtools_send(&r->tools, method, params, &id, err);
}

/* Kinds of requests that bring no text. */
static bool is_needless(struct kb_sv kind)
{
	static const char *const needless[] = { "Image",         "Media",     "Font",
		                                "Ping",          "Other",     "Manifest",
		                                "Prefetch",      "TextTrack", "CSPViolationReport",
		                                "SignedExchange" };

	for (size_t i = 0; i < KB_COUNTOF(needless); i++)
		if (kb_sv_eq_str(kind, needless[i]))
			return true;
	return false;
}

static bool may_ask(struct kb_render *r, struct kb_arena *arena, const json_t *params)
{
	const json_t *asked = kb_json_get(params, "request");
	struct kb_sv kind = kb_json_sv(params, "resourceType", KB_SV(""));
	bool is_page = kb_sv_eq_str(kind, "Document")
	               && kb_sv_eq(kb_json_sv(params, "frameId", KB_SV("")), r->target);
	struct kb_err err = { 0 };
	struct kb_url url;
	bool ok;

	if (is_needless(kind))
		return false;
	ok = kb_url_parse(arena, kb_json_sv(asked, "url", KB_SV("")), NULL, &url, &err)
	     && (kb_url_is_web(&url)
	         || kb_fail(&err, KB_E_INVALID, "only http and https can be fetched"))
	     && r->request->may_ask(r->request->may_ask_arg, arena, &url, is_page, &err);
	if (ok)
		kb_gate_permit(r->gate, &url);
	if (!ok && is_page && !r->refused) {
		r->refused = true;
		r->refusal = err;
	}
	return ok;
}

static struct kb_sv params_of(struct kb_arena *arena, const char *name, struct kb_sv value,
                              const char *more)
{
	struct kb_buf buf;
	struct kb_sv text;
	struct kb_jw jw;

	kb_buf_init(&buf, SIZE_MAX);
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key_sv(&jw, name, value);
	if (more)
		kb_buf_str(&buf, more);
	kb_jw_end(&jw);
	text = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return text;
}

static bool on_request(struct kb_render *r, struct kb_arena *arena, const json_t *params,
                       struct kb_err *err)
{
	struct kb_sv id = kb_json_sv(params, "requestId", KB_SV(""));

	return may_ask(r, arena, params)
	               ? send_only(r, "Fetch.continueRequest",
	                           params_of(arena, "requestId", id, NULL), err)
	               : send_only(r, "Fetch.failRequest",
	                           params_of(arena, "requestId", id,
	                                     ",\"errorReason\":\"BlockedByClient\""),
	                           err);
}

/* What the host says of the page itself. */
static void on_response(struct kb_render *r, struct kb_arena *arena, const json_t *params)
{
	json_t *response = kb_json_get(params, "response"), *value;
	const char *name;

	if (!kb_sv_eq_str(kb_json_sv(params, "type", KB_SV("")), "Document")
	    || !kb_sv_eq(kb_json_sv(params, "frameId", KB_SV("")), r->target))
		return;
	r->mime = kb_arena_sv(r->arena, kb_json_sv(response, "mimeType", KB_SV("")));
	kb_fetch_head_line(
	        &r->head, r->arena,
	        kb_arena_printf(arena, "HTTP/1.1 %" PRId64, kb_json_int(response, "status", 0)));
	json_object_foreach(kb_json_get(response, "headers"), name,
	                    value) if (json_is_string(value))
	        kb_fetch_head_line(
	                &r->head, r->arena,
	                kb_arena_printf(arena, "%s: %s", name, json_string_value(value)));
}

static bool on_event(struct kb_render *r, struct kb_arena *arena, const json_t *message,
                     struct kb_err *err)
{
	struct kb_sv method = kb_json_sv(message, "method", KB_SV(""));
	const json_t *params = kb_json_get(message, "params");

	if (kb_sv_eq_str(method, "Fetch.requestPaused"))
		return on_request(r, arena, params, err);
	if (kb_sv_eq_str(method, "Page.javascriptDialogOpening"))
		return send_only(r, "Page.handleJavaScriptDialog", KB_SV("{\"accept\":false}"),
		                 err);
	if (kb_sv_eq_str(method, "Inspector.targetCrashed"))
		return kb_fail(err, KB_E_UPSTREAM, "its scripts break the browser");
	if (kb_sv_eq_str(method, "Network.responseReceived"))
		on_response(r, arena, params);
	r->loaded |= kb_sv_eq_str(method, "Page.loadEventFired");
	r->settled |= kb_sv_eq_str(method, "Emulation.virtualTimeBudgetExpired");
	return true;
}

/* Takes one message; *reply: the one to the request of that id, in the arena. */
static bool take_message(struct kb_render *r, struct kb_arena *arena, int64_t id, json_t **reply,
                         struct kb_err *err)
{
	json_t *message;

	if (!kb_devtools_next(&r->tools, arena, &message, err))
		return false;
	if (kb_json_int(message, "id", 0) == id && id)
		*reply = message;
	else if (!on_event(r, arena, message, err))
		return false;
	if (!r->refused)
		return true;
	*err = r->refusal;
	return false;
}

/* Asks and waits for the reply; its result lives in the rendering's arena. */
static bool call(struct kb_render *r, const char *method, struct kb_sv params, json_t **result,
                 struct kb_err *err)
{
	json_t *reply = NULL;
	int64_t id;
	bool ok = kb_devtools_send(&r->tools, method, params, &id, err);

	while (ok && !reply)
		ok = take_message(r, r->arena, id, &reply, err);
	if (!ok)
		return false;
	*result = kb_json_get(reply, "result");
	return *result || kb_fail(err, KB_E_UPSTREAM, "the browser refuses %s", method);
}

/* Lets things happen until `done`, or so long before the end of its time. */
static bool wait_until(struct kb_render *r, const bool *done, int64_t before_us, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	json_t *none = NULL;
	int64_t deadline_us = r->deadline_us;
	bool ok = true;

	r->deadline_us -= before_us;
	while (ok && !*done) {
		ok = take_message(r, &arena, 0, &none, err);
		kb_arena_reset(&arena);
	}
	r->deadline_us = deadline_us;
	kb_arena_fini(&arena);
	if (!ok && !r->refused && err->code == KB_E_TIMEOUT)
		ok = true; /* what is there has to do */
	return ok;
}

static bool open_page(struct kb_render *r, struct kb_err *err)
{
	json_t *result;

	if (!call(r, "Target.createTarget", KB_SV("{\"url\":\"about:blank\"}"), &result, err))
		return false;
	r->target = kb_json_sv(result, "targetId", KB_SV(""));
	if (!call(r, "Target.attachToTarget",
	          params_of(r->arena, "targetId", r->target, ",\"flatten\":true"), &result, err))
		return false;
	r->tools.session = kb_json_sv(result, "sessionId", KB_SV(""));
	return call(r, "Page.enable", KB_SV(""), &result, err)
	       && call(r, "Network.enable", KB_SV("{\"maxTotalBufferSize\":1}"), &result, err)
	       && call(r, "Fetch.enable", KB_SV("{\"patterns\":[{\"urlPattern\":\"*\"}]}"), &result,
	               err);
}

static bool run_page(struct kb_render *r, struct kb_err *err)
{
	json_t *result;
	int64_t whole_us = r->request->patience.whole * KB_SECOND_US;
	struct kb_sv problem;

	if (!call(r, "Page.navigate", params_of(r->arena, "url", r->request->url, NULL), &result,
	          err))
		return false;
	problem = kb_json_sv(result, "errorText", KB_SV(""));
	if (problem.n)
		return kb_fail(err, KB_E_UPSTREAM, "the browser cannot fetch the page (%.*s)",
		               KB_SV_ARG(problem));
	return wait_until(r, &r->loaded, whole_us / 2, err)
	       && call(r, "Emulation.setVirtualTimePolicy",
	               kb_arena_printf(
	                       r->arena,
	                       "{\"policy\":\"pauseIfNetworkFetchesPending\",\"budget\":%d}",
	                       SETTLE_MS),
	               &result, err)
	       && wait_until(r, &r->settled, LAST_MS * INT64_C(1000), err);
}

/* What it has become, under the address where it is. */
static bool take_page(struct kb_render *r, struct kb_fetch_response *out, struct kb_err *err)
{
	json_t *result;
	struct kb_url url;
	struct kb_sv html;
	int64_t root;

	if (!call(r, "Page.getFrameTree", KB_SV(""), &result, err))
		return false;
	out->url = kb_json_sv(kb_json_get(kb_json_get(result, "frameTree"), "frame"), "url",
	                      KB_SV(""));
	if (!kb_url_parse(r->arena, out->url, NULL, &url, err) || !kb_url_is_web(&url))
		return kb_fail(err, KB_E_UPSTREAM, "its scripts lead to no page of the web");
	out->url = kb_url_document(r->arena, &url);
	if (!call(r, "DOM.getDocument", KB_SV("{\"depth\":0}"), &result, err))
		return false;
	root = kb_json_int(kb_json_get(result, "root"), "nodeId", 0);
	if (!call(r, "DOM.getOuterHTML",
	          kb_arena_printf(r->arena, "{\"nodeId\":%" PRId64 ",\"includeShadowDOM\":true}",
	                          root),
	          &result, err))
		return false;
	html = kb_json_sv(result, "outerHTML", KB_SV(""));
	out->status = r->head.status ? r->head.status : 200;
	out->retry_after_s =
	        kb_fetch_retry_after(r->head.retry_after, kb_clock_now_us(NULL) / KB_SECOND_US);
	out->noindex = r->head.noindex;
	out->nofollow = r->head.nofollow;
	out->wall = r->head.wall;
	out->content_type = KB_SV("text/html; charset=utf-8");
	if (out->status < 200 || out->status >= 300)
		return true;
	if (r->mime.n && kb_sv_find(r->mime, KB_SV("html")) < 0)
		return kb_fail(err, KB_E_UPSTREAM, "the page is no HTML but %.*s",
		               KB_SV_ARG(r->mime));
	return kb_program_hand_over(html, "a rendered page", out, err);
}

static bool render(struct kb_render *r, struct kb_fetch_response *out, struct kb_err *err)
{
	struct kb_gate_limits limits = { KB_BROWSER_BYTES_MAX, r->request->patience, false };
	int status;
	bool ok;

	r->gate = kb_gate_open(r->browser->fetcher, &limits, err);
	ok = r->gate && kb_own_folder_make(PROFILE_NAME, KB_USER_BROWSER, &r->profile, err)
	     && kb_render_start(r, err);
	r->tools.goes_on = kb_render_goes_on;
	r->tools.arg = r;
	ok = ok && open_page(r, err) && run_page(r, err) && take_page(r, out, err);
	status = kb_render_end(r);
	if (!ok)
		kb_render_explain_end(r, status, err);
	kb_devtools_fini(&r->tools);
	kb_own_folder_remove(&r->profile);
	kb_gate_close(r->gate);
	return ok;
}

bool kb_browser_render(struct kb_browser *browser, struct kb_arena *arena,
                       const struct kb_browser_request *request, struct kb_fetch_response *out,
                       struct kb_err *err)
{
	struct kb_render r = {
		.browser = browser,
		.arena = arena,
		.request = request,
		.profile = { .fd = -1 },
		.to = -1,
		.from = -1,
		.deadline_us = kb_clock_mono_us() + request->patience.whole * KB_SECOND_US,
	};
	bool ok;

	*out = (struct kb_fetch_response){ .fd = -1 };
	if (!kb_program_enter(&browser->program, KB_BROWSERS_MAX))
		return kb_fail(err, KB_E_BUSY, "all browsers are busy");
	ok = render(&r, out, err);
	kb_program_leave(&browser->program);
	return ok;
}
