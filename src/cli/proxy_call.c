#include <string.h>

#include "cli/proxy.h"
#include "out/curl.h"

struct exchange {
	const struct kb_proxy *proxy;
	struct kb_buf body;
};

static size_t on_body(char *bytes, size_t size, size_t count, void *arg)
{
	struct exchange *x = arg;

	kb_buf_add(&x->body, bytes, size * count);
	return x->body.failed ? 0 : size * count;
}

static int on_progress(void *arg, curl_off_t total, curl_off_t now, curl_off_t up_total,
                       curl_off_t up_now)
{
	const struct exchange *x = arg;

	(void)total;
	(void)now;
	(void)up_total;
	(void)up_now;
	return atomic_load(&x->proxy->stopping);
}

static struct curl_slist *make_fields(const struct kb_proxy *proxy, const struct kb_curl *lib,
                                      struct kb_arena *arena)
{
	const char *texts[] = {
		kb_arena_printf(arena, "Authorization: Bearer %s", proxy->key).p,
		"Content-Type: application/json",
		"Accept: application/json",
	};
	struct curl_slist *fields = NULL;

	for (size_t i = 0; i < KB_COUNTOF(texts); i++) {
		fields = lib->slist_append(fields, texts[i]);
		KB_ASSERT(fields != NULL);
	}
	return fields;
}

static bool perform(struct exchange *x, const struct kb_curl *lib, CURL *curl, long *status,
                    struct kb_err *err)
{
	CURLcode code = lib->easy_perform(curl);

	if (code == CURLE_OK) {
		lib->easy_getinfo(curl, CURLINFO_RESPONSE_CODE, status);
		return true;
	}
	if (x->body.failed)
		return kb_fail(err, KB_E_UPSTREAM, "the service answers with more than %d bytes",
		               KB_PROXY_REPLY_MAX);
	if (atomic_load(&x->proxy->stopping))
		return kb_fail(err, KB_E_CANCELLED, "the proxy is stopping");
	return kb_fail(err, code == CURLE_OPERATION_TIMEDOUT ? KB_E_TIMEOUT : KB_E_UPSTREAM,
	               "the service at %.*s cannot be reached: %s", KB_SV_ARG(x->proxy->base),
	               kb_curl_reason(code));
}

/* {"status":"success","data":…} or {"status":"error","data":{"message":…}}. */
static bool read_reply(struct kb_arena *arena, struct kb_sv body, struct kb_proxy_reply *out,
                       struct kb_err *err)
{
	struct kb_err why;
	json_t *json = kb_json_parse(arena, kb_arena_sv(arena, body), &why);

	if (!json_is_object(json))
		return kb_fail(err, KB_E_UPSTREAM,
		               "the service answered status %d with something else than JSON",
		               out->status);
	out->data = kb_json_get(json, "data");
	out->message = kb_json_sv(out->data, "message", kb_json_sv(json, "message", KB_SV("")));
	return true;
}

bool kb_proxy_call(const struct kb_proxy *proxy, struct kb_arena *arena,
                   const struct kb_proxy_request *request, struct kb_proxy_reply *out,
                   struct kb_err *err)
{
	struct kb_sv url =
	        kb_arena_printf(arena, "%.*s/api/v1/projects/%s%.*s", KB_SV_ARG(proxy->base),
	                        proxy->agent, KB_SV_ARG(request->path));
	const struct kb_curl *lib = kb_curl_load(err);
	struct exchange x = { .proxy = proxy };
	struct curl_slist *fields;
	long status = 0;
	CURL *curl;
	bool ok;

	*out = (struct kb_proxy_reply){ 0 };
	if (!lib)
		return false;
	curl = lib->easy_init();
	if (!curl)
		return kb_fail(err, KB_E_UPSTREAM, "libcurl gives no handle");
	fields = make_fields(proxy, lib, arena);
	kb_buf_init(&x.body, KB_PROXY_REPLY_MAX);
	lib->easy_setopt(curl, CURLOPT_URL, url.p);
	lib->easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
	lib->easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	lib->easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	lib->easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)KB_PROXY_CONNECT_S);
	lib->easy_setopt(curl, CURLOPT_TIMEOUT, (long)request->timeout_s);
	lib->easy_setopt(curl, CURLOPT_USERAGENT, "Docent-proxy/" DOCENT_VERSION);
	lib->easy_setopt(curl, CURLOPT_HTTPHEADER, fields);
	lib->easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
	lib->easy_setopt(curl, CURLOPT_WRITEDATA, &x);
	lib->easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	lib->easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
	lib->easy_setopt(curl, CURLOPT_XFERINFODATA, &x);
	if (request->json.n > 0) {
		lib->easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->json.n);
		lib->easy_setopt(curl, CURLOPT_POSTFIELDS, request->json.p);
	}
	lib->easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
	ok = perform(&x, lib, curl, &status, err);
	out->status = (int)status;
	ok = ok && read_reply(arena, kb_buf_view(&x.body), out, err);
	lib->easy_cleanup(curl);
	lib->slist_free_all(fields);
	kb_buf_fini(&x.body);
	return ok;
}
