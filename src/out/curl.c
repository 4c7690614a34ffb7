#include "out/curl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* The one place of this program that keeps state of its own: the library is loaded once a process.
 */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct kb_curl functions;
static bool loaded;
static char reason[200];

/* Certificates in place of the system's: SSL_CERT_FILE, as curl's own program has it. */
static const char *trusted;
static __typeof__(&curl_easy_init) plain_init;
static __typeof__(&curl_easy_reset) plain_reset;

static CURL *init_trusting(void)
{
	CURL *curl = plain_init();

	if (curl)
		functions.easy_setopt(curl, CURLOPT_CAINFO, trusted);
	return curl;
}

static void reset_trusting(CURL *curl)
{
	plain_reset(curl);
	functions.easy_setopt(curl, CURLOPT_CAINFO, trusted);
}

static void trust(void)
{
	trusted = getenv("SSL_CERT_FILE");
	if (!trusted || !*trusted)
		return;
	plain_init = functions.easy_init;
	plain_reset = functions.easy_reset;
	functions.easy_init = init_trusting;
	functions.easy_reset = reset_trusting;
}

static const struct {
	const char *name;
	size_t offset;
} symbols[] = {
	{ "curl_easy_init", offsetof(struct kb_curl, easy_init) },
	{ "curl_easy_setopt", offsetof(struct kb_curl, easy_setopt) },
	{ "curl_easy_perform", offsetof(struct kb_curl, easy_perform) },
	{ "curl_easy_getinfo", offsetof(struct kb_curl, easy_getinfo) },
	{ "curl_easy_reset", offsetof(struct kb_curl, easy_reset) },
	{ "curl_easy_cleanup", offsetof(struct kb_curl, easy_cleanup) },
	{ "curl_multi_init", offsetof(struct kb_curl, multi_init) },
	{ "curl_multi_setopt", offsetof(struct kb_curl, multi_setopt) },
	{ "curl_multi_assign", offsetof(struct kb_curl, multi_assign) },
	{ "curl_multi_add_handle", offsetof(struct kb_curl, multi_add_handle) },
	{ "curl_multi_remove_handle", offsetof(struct kb_curl, multi_remove_handle) },
	{ "curl_multi_socket_action", offsetof(struct kb_curl, multi_socket_action) },
	{ "curl_multi_info_read", offsetof(struct kb_curl, multi_info_read) },
	{ "curl_multi_cleanup", offsetof(struct kb_curl, multi_cleanup) },
	{ "curl_slist_append", offsetof(struct kb_curl, slist_append) },
	{ "curl_slist_free_all", offsetof(struct kb_curl, slist_free_all) },
};

static void load(void)
{
	void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
	CURLcode (*global_init)(long flags);

	if (!library) {
		snprintf(reason, sizeof(reason), "%s", dlerror());
		return;
	}
	for (size_t i = 0; i < KB_COUNTOF(symbols); i++) {
		void *address = dlsym(library, symbols[i].name);

		if (!address) {
			snprintf(reason, sizeof(reason), "libcurl lacks %s", symbols[i].name);
			return;
		}
		*(void **)(void *)((char *)&functions + symbols[i].offset) = address;
	}
	trust();
	*(void **)(void *)&global_init = dlsym(library, "curl_global_init");
	loaded = global_init && global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
	if (!loaded)
		snprintf(reason, sizeof(reason), "libcurl does not start");
}

const struct kb_curl *kb_curl_load(struct kb_err *err)
{
	pthread_once(&once, load);
	if (loaded)
		return &functions;
	kb_fail(err, KB_E_UNSUPPORTED, "outbound requests need libcurl: %s", reason);
	return NULL;
}

const char *kb_curl_reason(CURLcode code)
{
	static const struct {
		CURLcode code;
		const char *reason;
	} reasons[] = {
		{ CURLE_COULDNT_RESOLVE_HOST, "its name has no address" },
		{ CURLE_COULDNT_CONNECT, "nobody takes connections there" },
		{ CURLE_OPERATION_TIMEDOUT, "it does not answer in time" },
		{ CURLE_SSL_CONNECT_ERROR, "it does not speak TLS as we do" },
		{ CURLE_PEER_FAILED_VERIFICATION, "its certificate is not trusted" },
		{ CURLE_SSL_CERTPROBLEM, "it wants a certificate of ours" },
		{ CURLE_WEIRD_SERVER_REPLY, "it does not answer in HTTP" },
		{ CURLE_UNSUPPORTED_PROTOCOL, "it does not answer in HTTP" },
		{ CURLE_BAD_CONTENT_ENCODING, "its answer cannot be unpacked" },
		{ CURLE_GOT_NOTHING, "it ends the connection without an answer" },
		{ CURLE_PARTIAL_FILE, "its answer ends too early" },
		{ CURLE_SEND_ERROR, "the connection broke" },
		{ CURLE_RECV_ERROR, "the connection broke" },
	};

	for (size_t i = 0; i < KB_COUNTOF(reasons); i++)
		if (reasons[i].code == code)
			return reasons[i].reason;
	return "the transfer failed";
}
