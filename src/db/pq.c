#include "db/pq.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

/* Loaded once a process, as libcurl is (out/curl.c). */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct kb_pq functions;
static bool loaded;
static char reason[200];

static const struct {
	const char *name;
	size_t offset;
} symbols[] = {
#define SYMBOL(name) { #name, offsetof(struct kb_pq, name) },
	KB_PQ_FUNCTIONS(SYMBOL)
};

static void load(void)
{
	void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		snprintf(reason, sizeof(reason), "%s", dlerror());
		return;
	}
	for (size_t i = 0; i < KB_COUNTOF(symbols); i++) {
		void *address = dlsym(library, symbols[i].name);

		if (!address) {
			snprintf(reason, sizeof(reason), "libpq lacks %s, it is older than 14",
			         symbols[i].name);
			return;
		}
		*(void **)(void *)((char *)&functions + symbols[i].offset) = address;
	}
	loaded = true;
}

const struct kb_pq *kb_pq_load(struct kb_err *err)
{
	pthread_once(&once, load);
	if (loaded)
		return &functions;
	kb_fail(err, KB_E_UNSUPPORTED, "a store on PostgreSQL needs libpq: %s", reason);
	return NULL;
}
