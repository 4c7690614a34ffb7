#include "crawl/hosts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bell.h"

enum { LINES_MAX = 2 };

/* Who has a line to the host, since when. No two are of the same agent. */
struct holder {
	int64_t agent; /* 0: its page is being looked for */
	int64_t since;
};

/* Who waits in kb_hosts_take(), on its stack. */
struct waiter {
	int64_t agent;
	struct waiter *next; /* came later */
};

struct host {
	char *name;
	size_t name_n;
	struct holder holders[LINES_MAX];
	int held;
	struct waiter *waiters;
	int failures;          /* one after the other */
	int64_t free_at;       /* kb_clock_steady_us(), as all times here */
	int64_t second_at;     /* the second line is not tried before */
	int64_t last_agent;    /* served last */
	bool last_was_page;    /* and not a reading of a source */
	int64_t page_wants_it; /* until then: a page was refused lately */
};

#define FAILING_PAUSE_US     KB_SECOND_US /* after the first failure; doubled with each */
#define FAILING_PAUSE_MAX_US (64 * KB_SECOND_US)
#define REMEMBERED_US        (300 * KB_SECOND_US) /* a failure, after the pause */
#define TURNS_US             (5 * KB_SECOND_US)   /* whose turn it is */
#define WANT_US              (2 * KB_SECOND_US)   /* who wants a page tries again sooner */
#define SECOND_PAUSE_US      KB_SECOND_US         /* when nobody else had a page for it */

/* A host is here while somebody has it, waits for it, its pause lasts, or it failed lately: a short
 * list. What else it remembers may be forgotten: then the order begins anew. */
struct kb_hosts {
	pthread_mutex_t lock;
	struct kb_bell changed; /* stopped: closed */
	struct host *v;
	size_t count, capacity;
	int64_t stuck_us;
};

struct kb_hosts *kb_hosts_new(const struct kb_clock *clock, int64_t stuck_us)
{
	struct kb_hosts *hosts = kb_xcalloc(1, sizeof(*hosts));

	hosts->stuck_us = stuck_us;
	pthread_mutex_init(&hosts->lock, NULL);
	kb_bell_init(&hosts->changed, clock);
	return hosts;
}

void kb_hosts_free(struct kb_hosts *hosts)
{
	if (!hosts)
		return;
	for (size_t i = 0; i < hosts->count; i++)
		free(hosts->v[i].name);
	free(hosts->v);
	kb_bell_fini(&hosts->changed);
	pthread_mutex_destroy(&hosts->lock);
	free(hosts);
}

static int64_t now_us(const struct kb_hosts *hosts)
{
	return kb_clock_steady_us(hosts->changed.clock);
}

/* The host, made if missing; until the next call. Drops what is no longer needed on its way. */
static struct host *find(struct kb_hosts *hosts, struct kb_sv name, int64_t now)
{
	for (size_t i = 0; i < hosts->count;) {
		struct host *host = &hosts->v[i];

		if (kb_sv_eq(kb_sv(host->name, host->name_n), name))
			return host;
		if (host->held || host->waiters
		    || host->free_at + (host->failures ? REMEMBERED_US : TURNS_US) > now) {
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

/* When there is a line for the agent (0: for anybody's page): 0 for now, -1 when somebody else has
 * to be done first. */
static int64_t line_in(const struct kb_hosts *hosts, const struct host *host, int64_t agent,
                       int64_t now)
{
	const struct holder *first = &host->holders[0];
	int64_t at = host->free_at;

	if (host->held == LINES_MAX)
		return -1;
	if (host->held) {
		if (host->failures || first->agent == 0 || first->agent == agent)
			return -1;
		at = KB_MAX(at, first->since + hosts->stuck_us);
		if (agent == 0)
			at = KB_MAX(at, host->second_at);
	}
	return KB_MAX(at - now, INT64_C(0));
}

static void hold(struct host *host, int64_t agent, bool is_page, int64_t now)
{
	host->holders[host->held++] = (struct holder){ .agent = agent, .since = now };
	host->last_was_page = is_page;
	if (agent)
		host->last_agent = agent;
}

bool kb_hosts_try(struct kb_hosts *hosts, struct kb_sv name, struct kb_host_turn *turn,
                  int64_t *wait_us)
{
	int64_t now = now_us(hosts);
	struct host *host;
	bool ok;

	pthread_mutex_lock(&hosts->lock);
	host = find(hosts, name, now);
	*wait_us = line_in(hosts, host, 0, now);
	/* A reading that waits and a page take turns. */
	if (host->waiters && host->last_was_page)
		*wait_us = -1;
	ok = !kb_bell_is_stopped(&hosts->changed) && *wait_us == 0;
	host->page_wants_it = ok ? 0 : now + WANT_US;
	if (ok) {
		*turn = (struct kb_host_turn){ .after = host->last_agent,
			                       .but = host->held ? host->holders[0].agent : 0 };
		hold(host, 0, true, now);
	}
	pthread_mutex_unlock(&hosts->lock);
	return ok;
}

void kb_hosts_name(struct kb_hosts *hosts, struct kb_sv name, int64_t agent)
{
	struct host *host;

	pthread_mutex_lock(&hosts->lock);
	host = find(hosts, name, now_us(hosts));
	for (int i = 0; i < host->held; i++)
		if (host->holders[i].agent == 0)
			host->holders[i].agent = agent;
	host->last_agent = agent;
	pthread_mutex_unlock(&hosts->lock);
}

/* The one of those who wait that goes next: who waits longest, but not the agent that was served
 * last while there are others. */
static const struct waiter *next_waiter(const struct host *host)
{
	for (const struct waiter *w = host->waiters; w; w = w->next)
		if (w->agent != host->last_agent)
			return w;
	return host->waiters;
}

static void leave(struct host *host, const struct waiter *waiter)
{
	struct waiter **place = &host->waiters;

	while (*place && *place != waiter)
		place = &(*place)->next;
	KB_ASSERT(*place); /* who waits is in the list until it leaves */
	*place = waiter->next;
}

/* 0: it is our turn; else when to look again, at the latest. */
static int64_t turn_in(const struct kb_hosts *hosts, const struct host *host,
                       const struct waiter *waiter, int64_t now)
{
	int64_t wait = line_in(hosts, host, waiter->agent, now);

	if (wait != 0)
		return wait < 0 ? KB_SECOND_US : wait;
	if (!host->held && next_waiter(host) != waiter)
		return KB_SECOND_US;
	return host->last_was_page ? 0 : KB_MAX(host->page_wants_it - now, INT64_C(0));
}

bool kb_hosts_take(struct kb_hosts *hosts, struct kb_sv name, int64_t agent, int64_t max_us,
                   int64_t *pause_us)
{
	struct waiter waiter = { .agent = agent }, **last;
	uint64_t heard;
	bool ok;

	*pause_us = 0;
	pthread_mutex_lock(&hosts->lock);
	last = &find(hosts, name, now_us(hosts))->waiters;
	while (*last)
		last = &(*last)->next;
	*last = &waiter;
	heard = kb_bell_rings(&hosts->changed);
	for (;;) {
		bool closed = kb_bell_is_stopped(&hosts->changed);
		int64_t now = now_us(hosts);
		struct host *host = find(hosts, name, now);
		int64_t wait = turn_in(hosts, host, &waiter, now);

		ok = !closed && wait == 0;
		if (!host->held && host->free_at - now > max_us)
			*pause_us = host->free_at - now;
		if (ok || closed || *pause_us) {
			leave(host, &waiter);
			if (ok)
				hold(host, agent, false, now);
			break;
		}
		pthread_mutex_unlock(&hosts->lock);
		kb_bell_wait(&hosts->changed, &heard, now + wait);
		pthread_mutex_lock(&hosts->lock);
	}
	pthread_mutex_unlock(&hosts->lock);
	kb_bell_ring(&hosts->changed); /* the order may be another without us */
	return ok;
}

static void drop_holder(struct host *host, int64_t agent)
{
	int kept = 0;

	for (int i = 0; i < host->held; i++)
		if (host->holders[i].agent != agent)
			host->holders[kept++] = host->holders[i];
	host->held = kept;
}

void kb_hosts_give(struct kb_hosts *hosts, struct kb_sv name, int64_t agent, int64_t pause_us,
                   enum kb_host_outcome outcome)
{
	int64_t now = now_us(hosts);
	struct host *host;

	pthread_mutex_lock(&hosts->lock);
	host = find(hosts, name, now);
	drop_holder(host, agent);
	if (agent == 0)
		host->second_at = now + SECOND_PAUSE_US;
	if (outcome == KB_HOST_FAILED)
		pause_us = KB_MAX(pause_us, KB_MIN(FAILING_PAUSE_US << KB_MIN(host->failures, 10),
		                                   FAILING_PAUSE_MAX_US));
	if (outcome != KB_HOST_NOT_ASKED)
		host->failures = outcome == KB_HOST_FAILED ? host->failures + 1 : 0;
	host->free_at = KB_MAX(host->free_at, now + pause_us);
	pthread_mutex_unlock(&hosts->lock);
	kb_bell_ring(&hosts->changed);
}

bool kb_hosts_is_failing(struct kb_hosts *hosts, struct kb_sv name)
{
	bool yes;

	pthread_mutex_lock(&hosts->lock);
	yes = find(hosts, name, now_us(hosts))->failures > 0;
	pthread_mutex_unlock(&hosts->lock);
	return yes;
}

void kb_hosts_close(struct kb_hosts *hosts)
{
	kb_bell_stop(&hosts->changed);
}
