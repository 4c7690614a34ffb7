#include "net/curl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

/* The one place of this program that keeps state of its own: the library is loaded once a process.
 */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct kb_curl functions;
static bool loaded;
static char reason[200];

static const struct {
	const char *name;
	size_t offset;
} symbols[] = {
	{ "curl_easy_init", offsetof(struct kb_curl, easy_init) },
	{ "curl_easy_setopt", offsetof(struct kb_curl, easy_setopt) },
	{ "curl_easy_perform", offsetof(struct kb_curl, easy_perform) },
	{ "curl_easy_getinfo", offsetof(struct kb_curl, easy_getinfo) },
	{ "curl_easy_strerror", offsetof(struct kb_curl, easy_strerror) },
	{ "curl_easy_cleanup", offsetof(struct kb_curl, easy_cleanup) },
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
