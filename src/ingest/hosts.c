#include "ingest/hosts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/clock.h"

struct host {
	char *name;
	size_t name_n;
	bool taken;
	int waiting, failures; /* one after the other */
	int64_t free_at;       /* kb_clock_mono_us() */
};

#define FAILING_PAUSE_US     KB_SECOND_US /* after the first failure; doubled with each */
#define FAILING_PAUSE_MAX_US (64 * KB_SECOND_US)
#define REMEMBERED_US        (300 * KB_SECOND_US) /* a failure, after the pause */

/* A host is here while somebody has it, waits for it, its pause lasts, or it failed lately: a short
 * list. */
struct kb_hosts {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct host *v;
	size_t count, capacity;
	bool closed;
};

struct kb_hosts *kb_hosts_new(void)
{
	struct kb_hosts *hosts = kb_xcalloc(1, sizeof(*hosts));
	pthread_condattr_t monotonic;

	pthread_mutex_init(&hosts->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&hosts->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	return hosts;
}

void kb_hosts_free(struct kb_hosts *hosts)
{
	if (!hosts)
		return;
	for (size_t i = 0; i < hosts->count; i++)
		free(hosts->v[i].name);
	free(hosts->v);
	pthread_cond_destroy(&hosts->changed);
	pthread_mutex_destroy(&hosts->lock);
	free(hosts);
}

/* The host, made if missing; until the next call. Drops what is no longer needed on its way. */
static struct host *find(struct kb_hosts *hosts, struct kb_sv name, int64_t now)
{
	for (size_t i = 0; i < hosts->count;) {
		struct host *host = &hosts->v[i];

		if (kb_sv_eq(kb_sv(host->name, host->name_n), name))
			return host;
		if (host->taken || host->waiting
		    || host->free_at + (host->failures ? REMEMBERED_US : 0) > now) {
			i++;
		} else {
			free(host->name);
			*host = hosts->v[--hosts->count];
		}
	}
	KB_GROW(hosts->v, hosts->capacity, hosts->count + 1);
	hosts->v[hosts->count] = (struct host){ .name = kb_xmalloc(name.n + 1), .name_n = name.n };
	if (name.n)
		memcpy(hosts->v[hosts->count].name, name.p, name.n);
	return &hosts->v[hosts->count++];
}

bool kb_hosts_try(struct kb_hosts *hosts, struct kb_sv name, int64_t *wait_us)
{
	int64_t now = kb_clock_mono_us();
	struct host *host;
	bool ok;

	pthread_mutex_lock(&hosts->lock);
	host = find(hosts, name, now);
	ok = !hosts->closed && !host->taken && !host->waiting && host->free_at <= now;
	*wait_us = host->taken || host->waiting ? -1 : KB_MAX(host->free_at - now, INT64_C(0));
	host->taken |= ok;
	pthread_mutex_unlock(&hosts->lock);
	return ok;
}

bool kb_hosts_take(struct kb_hosts *hosts, struct kb_sv name, int64_t max_us, int64_t *pause_us)
{
	bool ok;

	*pause_us = 0;
	pthread_mutex_lock(&hosts->lock);
	find(hosts, name, kb_clock_mono_us())->waiting++;
	for (;;) {
		int64_t now = kb_clock_mono_us(), until;
		struct host *host = find(hosts, name, now);

		ok = !hosts->closed && !host->taken && host->free_at <= now;
		if (!host->taken && host->free_at - now > max_us)
			*pause_us = host->free_at - now;
		if (ok || hosts->closed || *pause_us) {
			host->taken |= ok;
			host->waiting--;
			break;
		}
		/* Its pause may be longer than the next one who gives it back thinks. */
		until = host->taken ? now + KB_SECOND_US : host->free_at;
		pthread_cond_timedwait(
		        &hosts->changed, &hosts->lock,
		        &(struct timespec){ until / KB_SECOND_US, until % KB_SECOND_US * 1000 });
	}
	pthread_mutex_unlock(&hosts->lock);
	return ok;
}

void kb_hosts_give(struct kb_hosts *hosts, struct kb_sv name, int64_t pause_us,
                   enum kb_host_outcome outcome)
{
	int64_t now = kb_clock_mono_us();
	struct host *host;

	pthread_mutex_lock(&hosts->lock);
	host = find(hosts, name, now);
	host->taken = false;
	if (outcome == KB_HOST_FAILED)
		pause_us = KB_MAX(pause_us, KB_MIN(FAILING_PAUSE_US << KB_MIN(host->failures, 10),
		                                   FAILING_PAUSE_MAX_US));
	if (outcome != KB_HOST_NOT_ASKED)
		host->failures = outcome == KB_HOST_FAILED ? host->failures + 1 : 0;
	host->free_at = now + pause_us;
	pthread_cond_broadcast(&hosts->changed);
	pthread_mutex_unlock(&hosts->lock);
}

bool kb_hosts_is_failing(struct kb_hosts *hosts, struct kb_sv name)
{
	bool yes;

	pthread_mutex_lock(&hosts->lock);
	yes = find(hosts, name, kb_clock_mono_us())->failures > 0;
	pthread_mutex_unlock(&hosts->lock);
	return yes;
}

void kb_hosts_close(struct kb_hosts *hosts)
{
	pthread_mutex_lock(&hosts->lock);
	hosts->closed = true;
	pthread_cond_broadcast(&hosts->changed);
	pthread_mutex_unlock(&hosts->lock);
}
