#include "out/handle.h"

#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/fault.h"

enum { RESOLVED_S = 60 };

/* ---- one request ---- */

/* A method that has a body always says how long it is, be it empty. */
static bool has_body(const struct kb_handle_request *r)
{
	static const char *const methods[] = { "POST", "PUT", "PATCH" };
	bool has = r->body.p != NULL;

	for (size_t i = 0; r->method && i < KB_COUNTOF(methods); i++)
		has |= strcmp(r->method, methods[i]) == 0;
	return has;
}

static void set_method(const struct kb_curl *lib, CURL *curl, const struct kb_handle_request *r)
{
	if (r->method && strcmp(r->method, "HEAD") == 0) {
		lib->easy_setopt(curl, CURLOPT_NOBODY, 1L);
		return;
	}
	if (has_body(r)) {
		lib->easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.n);
		lib->easy_setopt(curl, CURLOPT_POSTFIELDS, r->body.p ? r->body.p : "");
	}
	if (r->method)
		lib->easy_setopt(curl, CURLOPT_CUSTOMREQUEST, r->method);
}

static size_t drop(char *bytes, size_t size, size_t count, void *arg)
{
	(void)bytes;
	(void)arg;
	return size * count;
}

void kb_handle_set(const struct kb_curl *lib, CURL *curl, const struct kb_handle_request *r)
{
	lib->easy_reset(curl);
	lib->easy_setopt(curl, CURLOPT_URL, r->url);
	lib->easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	lib->easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	lib->easy_setopt(curl, CURLOPT_PROXY, ""); /* not even the environment's */
	lib->easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	set_method(lib, curl, r);
	lib->easy_setopt(curl, CURLOPT_HTTPHEADER, r->fields);
	lib->easy_setopt(curl, CURLOPT_USERAGENT, r->agent ? r->agent : "Docent/" DOCENT_VERSION);
	lib->easy_setopt(curl, CURLOPT_RESOLVE, r->resolved);
	lib->easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)r->whole_ms);
	lib->easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)r->connect_ms);
	lib->easy_setopt(curl, CURLOPT_WRITEFUNCTION, r->on_body ? r->on_body : drop);
	lib->easy_setopt(curl, CURLOPT_WRITEDATA, r->arg);
	if (r->on_head) {
		lib->easy_setopt(curl, CURLOPT_HEADERFUNCTION, r->on_head);
		lib->easy_setopt(curl, CURLOPT_HEADERDATA, r->arg);
	}
	if (r->on_progress) {
		lib->easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
		lib->easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, r->on_progress);
		lib->easy_setopt(curl, CURLOPT_XFERINFODATA, r->arg);
	}
}

/* "host:port:address,address" */
struct curl_slist *kb_handle_resolved(const struct kb_curl *lib, struct kb_sv host, int port,
                                      const struct kb_addresses *addresses)
{
	struct curl_slist *list;
	struct kb_buf buf;

	kb_buf_init(&buf, SIZE_MAX);
	kb_buf_printf(&buf, "%.*s:%d:", KB_SV_ARG(host), port);
	for (size_t i = 0; i < addresses->count; i++) {
		char text[KB_ADDRESS_TEXT];

		kb_buf_printf(&buf, "%s%s", i ? "," : "", kb_address_text(text, &addresses->v[i]));
	}
	kb_buf_byte(&buf, '\0');
	list = lib->slist_append(NULL, kb_buf_view(&buf).p);
	kb_buf_fini(&buf);
	KB_ASSERT(list != NULL);
	return list;
}

void kb_handle_field(const struct kb_curl *lib, struct curl_slist **fields, const char *line)
{
	*fields = lib->slist_append(*fields, line);
	KB_ASSERT(*fields != NULL);
}

/* ---- those of a server ---- */

void kb_handles_init(struct kb_handles *handles, const struct kb_curl *lib,
                     const struct kb_handles_server *server)
{
	*handles = (struct kb_handles){ .lib = lib, .server = *server };
	pthread_mutex_init(&handles->lock, NULL);
}

void kb_handles_fini(struct kb_handles *handles)
{
	if (!handles->lib)
		return;
	for (size_t i = 0; i < handles->idle_count; i++)
		handles->lib->easy_cleanup(handles->idle[i]);
	pthread_mutex_destroy(&handles->lock);
}

CURL *kb_handles_take(struct kb_handles *handles)
{
	CURL *curl = NULL;

	if (kb_fault())
		return NULL;
	pthread_mutex_lock(&handles->lock);
	if (handles->idle_count)
		curl = handles->idle[--handles->idle_count];
	pthread_mutex_unlock(&handles->lock);
	return curl ? curl : handles->lib->easy_init();
}

void kb_handles_give(struct kb_handles *handles, CURL *curl)
{
	handles->lib->easy_reset(
	        curl); /* it keeps its connections, and no pointer of the caller's */
	pthread_mutex_lock(&handles->lock);
	if (handles->idle_count < handles->server.idle_max) {
		handles->idle[handles->idle_count++] = curl;
		curl = NULL;
	}
	pthread_mutex_unlock(&handles->lock);
	if (curl)
		handles->lib->easy_cleanup(curl);
}

bool kb_handles_resolve(struct kb_handles *handles, int64_t deadline_us,
                        const atomic_bool *cancelled, struct curl_slist **out, struct kb_err *err)
{
	const struct kb_handles_server *server = &handles->server;
	struct kb_addresses found;
	struct kb_arena arena = { 0 };
	bool known;

	*out = NULL;
	if (server->is_address)
		return true;
	pthread_mutex_lock(&handles->lock);
	found = handles->addresses;
	known = kb_clock_mono_us() < handles->resolved_until_us;
	pthread_mutex_unlock(&handles->lock);
	if (!known) {
		const char *name = kb_arena_str(&arena, server->host);
		bool ok = kb_resolve(name, deadline_us, cancelled, &found, err);

		kb_arena_fini(&arena);
		if (!ok)
			return false;
		pthread_mutex_lock(&handles->lock);
		handles->addresses = found;
		handles->resolved_until_us = kb_clock_mono_us() + RESOLVED_S * KB_SECOND_US;
		pthread_mutex_unlock(&handles->lock);
	}
	*out = kb_handle_resolved(handles->lib, server->host, server->port, &found);
	return true;
}
