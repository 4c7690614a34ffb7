/* Who may go out when: the dispatcher, the manners, the meaning of statuses. */
#include "crawl/crawler.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pool.h"
#include "crawl/browser.h"
#include "crawl/crawler_impl.h"
#include "crawl/films.h"
#include "settings/options.h"

/*
 * How much goes on at a time, each errand to another host. What has lasted longer than SLOW_MS
 * waits for its host and not for us: it no longer takes the place of another one, up to the larger
 * numbers. Of those, hosts that have failed may hold FAILING_MAX, so that a host that nobody has
 * asked yet finds room, however many are dead.
 */
enum {
	QUICK_MAX = 12, /* errands, and as many readings of sources */
	SLOW_MS = 1500,
	ALL_MAX = 64, /* likewise */
	FAILING_MAX = 24,
	ROOM_MS = 250, /* until somebody may have become slow */
	POLL_MS = 1000,
	FOLLOW_POLL_MS = 50, /* while pages are read that may lead to others */
	LINES_MAX = 2000,    /* hosts looked at in one round */
	ROUND_MS = 5,        /* between two rounds: what ends meanwhile is one occasion */
};

/* ---- manners ---- */

void kb_manner_read(struct kb_crawler *crawler, struct kb_arena *arena,
                    const struct kb_agent *agent, struct kb_manner *out)
{
	struct kb_agent_options options;

	kb_agent_options_read(arena, agent->options, crawler->config.log, &options);
	*out = (struct kb_manner){
		.agent_id = agent->id,
		.extra_timeout = options.allow_extra_timeout,
		.gentle = options.is_low_performance_mode_enabled,
		.whole_host = options.use_full_url_crawl,
		.hold = out->hold,
	};
}

static int64_t retry_after(const struct kb_manner *manner, int64_t named_s)
{
	int64_t most_s =
	        manner->gentle ? KB_CRAWLER_GENTLE_RETRY_AFTER_MAX_S : KB_CRAWLER_RETRY_AFTER_MAX_S;

	return KB_MIN(KB_MAX(named_s, INT64_C(0)), most_s) * KB_SECOND_US;
}

bool kb_crawler_insists(struct kb_crawler *crawler, int64_t *nap_ms, const struct kb_err *err)
{
	int64_t until = kb_clock_steady_us(crawler->config.clock) + *nap_ms * 1000;

	if (!kb_err_info(err->code)->outage)
		return false;
	*nap_ms = KB_MIN(*nap_ms * 2, (int64_t)POLL_MS);
	return kb_bell_rest(&crawler->bell, until);
}

void kb_crawler_leave(struct kb_crawler *crawler, struct kb_manner *manner, int64_t pause_us,
                      enum kb_host_outcome outcome)
{
	struct kb_host_hold *hold = &manner->hold;
	int64_t nap_ms = KB_CRAWLER_OUTAGE_NAP_MS;
	struct kb_err err;
	bool ok;

	if (!hold->since)
		return;
	while (!(ok = kb_store_host_leave(crawler->config.store, hold, pause_us, outcome, &err))
	       && kb_crawler_insists(crawler, &nap_ms, &err))
		;
	if (!ok)
		kb_warn(crawler->config.log, "host is held until the hold ends host=%.*s error=%s",
		        KB_SV_ARG(hold->host), err.msg);
	hold->since = 0;
	kb_crawler_wake(crawler); /* somebody's page may be next */
}

/* A browser asks for what a page needs as for the page itself; only the page has a place of its own
 * to keep to. */
struct asking {
	struct kb_crawler *crawler;
	const struct kb_fetch_request *request;
};

static bool browser_may_ask(void *arg, struct kb_arena *arena, const struct kb_url *url,
                            bool is_page, struct kb_err *err)
{
	const struct asking *in = arg;

	return is_page && in->request->may_follow
	               ? in->request->may_follow(in->request->may_follow_arg, arena, url, err)
	               : kb_crawler_may_follow(in->crawler, arena, url, err);
}

static bool fetch(struct kb_crawler *crawler, struct kb_arena *arena,
                  const struct kb_crawler_request *asked, struct kb_fetch_response *out,
                  struct kb_err *err)
{
	const struct kb_fetch_request *request = &asked->fetch;
	struct asking asking = { crawler, request };

	if (!crawler->config.fetcher)
		return kb_fail(err, KB_E_INVALID, "this service does not fetch addresses");
	switch (asked->by) {
	case KB_MEANS_NONE:
		break;
	case KB_MEANS_FILMS:
		return kb_films_read(crawler->config.films, arena,
		                     &(struct kb_film_request){ .url = request->url,
		                                                .lang = asked->film_lang,
		                                                .patience = request->patience },
		                     out, err);
	case KB_MEANS_BROWSER:
		return kb_browser_render(crawler->config.browser, arena,
		                         &(struct kb_browser_request){
		                                 .url = request->url,
		                                 .patience = request->patience,
		                                 .plain_browser = request->plain_browser,
		                                 .may_ask = browser_may_ask,
		                                 .may_ask_arg = &asking,
		                         },
		                         out, err);
	}
	return kb_fetch(crawler->config.fetcher, arena, request, out, err);
}

bool kb_crawler_fetch(struct kb_crawler *crawler, struct kb_arena *arena, struct kb_manner *manner,
                      const struct kb_crawler_request *request, struct kb_fetch_response *out,
                      struct kb_err *err)
{
	struct kb_crawler_request asked = *request;
	int64_t began = kb_clock_mono_us(), pause_us;
	int64_t least_ms = manner->gentle ? KB_MAX(crawler->config.pause_ms,
	                                           (int64_t)KB_CRAWLER_GENTLE_PAUSE_MS)
	                                  : crawler->config.pause_ms;
	int64_t most_ms = manner->gentle ? KB_CRAWLER_GENTLE_PAUSE_MAX_MS : KB_CRAWLER_PAUSE_MAX_MS;
	enum kb_host_outcome outcome;
	bool ok;

	*out = (struct kb_fetch_response){ .fd = -1 };
	asked.fetch.patience =
	        kb_fetch_patience(manner->extra_timeout ? KB_CRAWLER_EXTRA_TIMES : 1);
	asked.fetch.plain_browser = manner->gentle;
	ok = fetch(crawler, arena, &asked, out, err);
	pause_us = kb_clock_mono_us() - began;
	pause_us = KB_MAX(KB_MIN(pause_us, most_ms * 1000), least_ms * 1000);
	pause_us = KB_MAX(pause_us, manner->delay_us);
	if (ok && (out->status == 429 || out->status == 503))
		pause_us = KB_MAX(pause_us, retry_after(manner, out->retry_after_s));
	outcome = ok                                                        ? KB_HOST_ANSWERED
	          : asked.by != KB_MEANS_NONE                               ? KB_HOST_NOT_ASKED
	          : err->code == KB_E_TIMEOUT || err->code == KB_E_UPSTREAM ? KB_HOST_FAILED
	                                                                    : KB_HOST_NOT_ASKED;
	kb_crawler_leave(crawler, manner, pause_us, outcome);
	return ok;
}

/* Statuses that have a word of their own. */
static const struct {
	int status;
	const char *word;
	bool retry;
} words[] = {
	{ 401, "it asks for a password" },
	{ 403, "it refuses to show this page" },
	{ 404, "not found" },
	{ 408, "it took too long", true },
	{ 410, "gone" },
	{ 425, "too early", true },
	{ 429, "too many requests", true },
	{ 451, "not for legal reasons" },
	{ 503, "not available right now", true },
};

struct kb_sv kb_crawler_refusal(struct kb_arena *arena, const struct kb_fetch_response *response,
                                bool *retry)
{
	const char *word = response->status >= 500 ? "it has a problem of its own" : NULL;

	*retry = response->status >= 500 && response->status != 501;
	for (size_t i = 0; i < KB_COUNTOF(words); i++)
		if (words[i].status == response->status) {
			word = words[i].word;
			*retry |= words[i].retry;
		}
	return word ? kb_arena_printf(arena, "the host answered %d: %s", response->status, word)
	            : kb_arena_printf(arena, "the host answered %d", response->status);
}

int64_t kb_crawler_retry_at(struct kb_crawler *crawler, const struct kb_manner *manner,
                            int64_t attempts, int64_t retry_after_s)
{
	int64_t tried = KB_MAX(attempts, INT64_C(1)) - 1;
	int64_t pause_us = (int64_t)KB_CRAWLER_RETRY_FIRST_S * KB_SECOND_US;

	for (int64_t i = 0; i < KB_MIN(tried, (int64_t)KB_CRAWLER_TRIES_MAX); i++)
		pause_us *= 4;
	pause_us = KB_MAX(pause_us, retry_after(manner, retry_after_s));
	return kb_clock_now_us(crawler->config.clock) + pause_us;
}

/* ---- jobs ---- */

struct kb_crawler_job {
	struct kb_crawler *crawler;
	struct kb_arena arena;
	bool is_sync, is_failing; /* its host is */
	int64_t began_us;
	struct kb_crawler_job *next, **place;
	struct kb_errand_lease page;
	struct kb_source_lease source;
};

static void run_job(void *arg)
{
	struct kb_crawler_job *job = arg;
	struct kb_crawler *crawler = job->crawler;

	if (job->is_sync)
		kb_crawler_sync(crawler, &job->arena, &job->source);
	else
		kb_crawler_errand(crawler, &job->arena, &job->page);
	pthread_mutex_lock(&crawler->lock);
	*job->place = job->next;
	if (job->next)
		job->next->place = job->place;
	pthread_mutex_unlock(&crawler->lock);
	kb_crawler_wake(crawler);
	kb_arena_fini(&job->arena);
	free(job);
}

/* There is room for it: the pool has a thread for each job that may be in progress. */
static void begin_job(struct kb_crawler_job *job)
{
	struct kb_crawler *crawler = job->crawler;

	pthread_mutex_lock(&crawler->lock);
	job->began_us = kb_clock_steady_us(crawler->config.clock);
	job->next = crawler->jobs;
	job->place = &crawler->jobs;
	if (job->next)
		job->next->place = &job->next;
	crawler->jobs = job;
	pthread_mutex_unlock(&crawler->lock);
	KB_ASSERT(kb_pool_submit(crawler->pool, run_job, job));
}

/* Lowers *wait_us where there will be room when somebody turns out to be slow. */
static bool has_room(struct kb_crawler *crawler, bool for_sync, int64_t *wait_us)
{
	int64_t slow_before = kb_clock_steady_us(crawler->config.clock) - SLOW_MS * INT64_C(1000);
	int quick = 0, all = 0;
	bool room;

	pthread_mutex_lock(&crawler->lock);
	for (const struct kb_crawler_job *job = crawler->jobs; job; job = job->next) {
		all += job->is_sync == for_sync;
		quick += job->is_sync == for_sync && job->began_us > slow_before;
	}
	pthread_mutex_unlock(&crawler->lock);
	room = !kb_bell_is_stopped(&crawler->bell) && quick < QUICK_MAX && all < ALL_MAX;
	if (!room)
		*wait_us = KB_MIN(*wait_us, ROOM_MS * INT64_C(1000));
	return room;
}

static bool may_ask_failing(struct kb_crawler *crawler)
{
	int count = 0;

	pthread_mutex_lock(&crawler->lock);
	for (const struct kb_crawler_job *job = crawler->jobs; job; job = job->next)
		count += job->is_failing;
	pthread_mutex_unlock(&crawler->lock);
	return count < FAILING_MAX;
}

static struct kb_crawler_job *new_job(struct kb_crawler *crawler, bool is_sync)
{
	struct kb_crawler_job *job = kb_xcalloc(1, sizeof(*job));

	job->crawler = crawler;
	job->is_sync = is_sync;
	return job;
}

static void drop_job(struct kb_crawler_job *job)
{
	kb_arena_fini(&job->arena);
	free(job);
}

/* ---- the dispatcher ---- */

/* Both begin what is due and lower *wait_us to when something else will be. */

static bool begin_syncs(struct kb_crawler *crawler, int64_t *wait_us, struct kb_err *err)
{
	while (has_room(crawler, true, wait_us)) {
		struct kb_crawler_job *job = new_job(crawler, true);
		int64_t due = 0;

		if (!kb_store_source_lease(crawler->config.store, &job->arena,
		                           KB_CRAWLER_LEASE_S * KB_SECOND_US, &job->source, &due,
		                           err)) {
			drop_job(job);
			return false;
		}
		if (!job->source.source.id) {
			drop_job(job);
			if (due)
				*wait_us = KB_MIN(*wait_us,
				                  due - kb_clock_now_us(crawler->config.clock));
			return true;
		}
		begin_job(job);
	}
	return true;
}

static bool begin_errand(struct kb_crawler *crawler, const struct kb_host_line *line,
                         struct kb_err *err)
{
	struct kb_crawler_job *job = new_job(crawler, false);
	bool ok;

	job->is_failing = line->is_failing;
	ok = kb_store_errand_lease(crawler->config.store, &job->arena, line->host,
	                           KB_CRAWLER_LEASE_S * KB_SECOND_US, &job->page, err);
	if (ok && job->page.page.page.id)
		begin_job(job);
	else
		drop_job(job);
	return ok;
}

static bool begin_errands(struct kb_crawler *crawler, int64_t *wait_us, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_host_line *lines;
	size_t count;
	int64_t now = kb_clock_now_us(crawler->config.clock);
	bool ok;

	if (!has_room(crawler, false, wait_us))
		return true;
	ok = kb_store_host_lines(crawler->config.store, &arena, LINES_MAX, &lines, &count, err);
	for (size_t i = 0; ok && i < count && has_room(crawler, false, wait_us); i++) {
		if (lines[i].due_at > now) {
			*wait_us = KB_MIN(*wait_us, lines[i].due_at - now);
			break;
		}
		if (lines[i].is_failing && !may_ask_failing(crawler))
			*wait_us = KB_MIN(*wait_us, ROOM_MS * INT64_C(1000));
		else if (lines[i].wait_us)
			*wait_us = KB_MIN(*wait_us, lines[i].wait_us);
		else
			ok = begin_errand(crawler, &lines[i], err);
	}
	kb_arena_fini(&arena);
	return ok;
}

static void wait_for_work(struct kb_crawler *crawler, uint64_t *heard, int64_t us)
{
	int64_t now = kb_clock_steady_us(crawler->config.clock);

	if (now < atomic_load(&crawler->follow_until))
		us = KB_MIN(us, FOLLOW_POLL_MS * INT64_C(1000));
	if (kb_bell_rest(&crawler->bell, now + ROUND_MS * INT64_C(1000)))
		kb_bell_wait(&crawler->bell, heard, now + KB_MAX(us, INT64_C(1000)));
}

static void fail_to_look(struct kb_crawler *crawler, const struct kb_err *err)
{
	int64_t now = kb_clock_steady_us(crawler->config.clock);

	kb_error_log(crawler->config.log, "cannot look for errands error=%s", err->msg);
	kb_bell_rest(&crawler->bell, now + POLL_MS * INT64_C(1000));
}

static void *dispatch(void *arg)
{
	struct kb_crawler *crawler = arg;
	uint64_t heard = 0;

	while (!kb_bell_is_stopped(&crawler->bell)) {
		int64_t wait_us = POLL_MS * INT64_C(1000);
		struct kb_err err = { 0 };

		if (!begin_syncs(crawler, &wait_us, &err)
		    || !begin_errands(crawler, &wait_us, &err))
			fail_to_look(crawler, &err);
		else
			wait_for_work(crawler, &heard, wait_us);
	}
	return NULL;
}

/* ---- start and stop ---- */

struct kb_crawler *kb_crawler_start(const struct kb_crawler_config *config)
{
	struct kb_crawler *crawler = kb_xcalloc(1, sizeof(*crawler));

	crawler->config = *config;
	crawler->pool = kb_pool_open("fetch", 2 * ALL_MAX, 2 * ALL_MAX);
	pthread_mutex_init(&crawler->lock, NULL);
	kb_bell_init(&crawler->bell, config->clock);
	crawler->dispatcher = kb_thread_start("errands", dispatch, crawler);
	return crawler;
}

void kb_crawler_stop(struct kb_crawler *crawler)
{
	if (!crawler)
		return;
	kb_bell_stop(&crawler->bell);
	pthread_join(crawler->dispatcher, NULL);
	kb_pool_close(crawler->pool);
	kb_bell_fini(&crawler->bell);
	pthread_mutex_destroy(&crawler->lock);
	free(crawler);
}

void kb_crawler_wake(struct kb_crawler *crawler)
{
	kb_bell_ring(&crawler->bell);
}

void kb_crawler_stats(struct kb_crawler *crawler, struct kb_crawler_stats *out)
{
	*out = (struct kb_crawler_stats){
		.fetched = atomic_load(&crawler->fetched),
		.unchanged = atomic_load(&crawler->unchanged),
		.failed = atomic_load(&crawler->failed),
		.again = atomic_load(&crawler->again),
		.sources_read = atomic_load(&crawler->sources_read),
	};
}
