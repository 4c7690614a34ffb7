#include "out/resolve.h"

#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cond.h"
#include "base/fault.h"
#include "base/pool.h"

enum { LOOK_EVERY_US = 50000 }; /* at the caller's cancellation */

/* Shared by the caller and the thread; the last one frees it. */
struct lookup {
	pthread_mutex_t mutex;
	pthread_cond_t done_cond;
	bool done, left;
	int code; /* of getaddrinfo */
	bool too_many;
	struct kb_addresses found;
	char name[256];
};

/* Lookups that their callers left. A count of the process, as the resolver's threads are. */
static atomic_int left_behind;

static void lookup_free(struct lookup *l)
{
	pthread_cond_destroy(&l->done_cond);
	pthread_mutex_destroy(&l->mutex);
	free(l);
}

static void collect(struct lookup *l, const struct addrinfo *list)
{
	for (const struct addrinfo *at = list; at; at = at->ai_next) {
		struct kb_address a = { .family = at->ai_family };

		if (at->ai_family == AF_INET)
			memcpy(a.bytes,
			       &((const struct sockaddr_in *)(const void *)at->ai_addr)->sin_addr,
			       4);
		else if (at->ai_family == AF_INET6)
			memcpy(a.bytes,
			       &((const struct sockaddr_in6 *)(const void *)at->ai_addr)->sin6_addr,
			       16);
		else
			continue;
		if (l->found.count == KB_ADDRESSES_MAX) {
			l->too_many = true;
			return;
		}
		l->found.v[l->found.count++] = a;
	}
}

static void *run(void *arg)
{
	struct lookup *l = arg;
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list = NULL;
	bool left;

	l->code = getaddrinfo(l->name, NULL, &hints, &list);
	if (l->code == 0) {
		collect(l, list);
		freeaddrinfo(list);
	}
	pthread_mutex_lock(&l->mutex);
	l->done = true;
	left = l->left;
	pthread_cond_signal(&l->done_cond);
	pthread_mutex_unlock(&l->mutex);
	if (left) {
		atomic_fetch_sub(&left_behind, 1);
		lookup_free(l);
	}
	return NULL;
}

static struct lookup *lookup_new(const char *name)
{
	struct lookup *l = kb_xcalloc(1, sizeof(*l));

	memcpy(l->name, name, strlen(name) + 1);
	pthread_mutex_init(&l->mutex, NULL);
	kb_cond_init(&l->done_cond);
	return l;
}

bool kb_resolve(const char *name, int64_t deadline_us, const atomic_bool *cancelled,
                struct kb_addresses *out, struct kb_err *err)
{
	struct lookup *l;
	pthread_t thread;
	bool ok = false;

	if (kb_fault() || strlen(name) >= sizeof(l->name))
		return kb_fail(err, KB_E_UPSTREAM, "%.100s has no address", name);
	if (atomic_load(&left_behind) >= KB_LOOKUPS_LEFT_MAX)
		return kb_fail(err, KB_E_BUSY, "%d lookups of names are waiting for an answer",
		               KB_LOOKUPS_LEFT_MAX);
	l = lookup_new(name);
	if (!kb_thread_try_start(&thread, "resolve", run, l)) {
		lookup_free(l);
		return kb_fail(err, KB_E_BUSY, "there is no thread left to look up %s", name);
	}
	pthread_detach(thread);
	pthread_mutex_lock(&l->mutex);
	while (!l->done && !atomic_load(cancelled) && kb_clock_mono_us() < deadline_us)
		kb_cond_until(&l->done_cond, &l->mutex, kb_clock_mono_us() + LOOK_EVERY_US);
	if (!l->done) {
		l->left = true;
		atomic_fetch_add(&left_behind, 1);
		pthread_mutex_unlock(&l->mutex);
		if (atomic_load(cancelled))
			return kb_fail(err, KB_E_CANCELLED, "the service is stopping");
		return kb_fail(err, KB_E_TIMEOUT, "the address of %s was not found in time", name);
	}
	pthread_mutex_unlock(&l->mutex);
	if (l->too_many)
		kb_fail(err, KB_E_UPSTREAM, "%s has more than %d addresses", name,
		        KB_ADDRESSES_MAX);
	else if (l->code == EAI_AGAIN)
		kb_fail(err, KB_E_UPSTREAM, "the address of %s cannot be looked up now", name);
	else if (l->code != 0 || l->found.count == 0)
		kb_fail(err, KB_E_UPSTREAM, "%s has no address", name);
	else
		ok = true;
	*out = l->found;
	lookup_free(l);
	return ok;
}
