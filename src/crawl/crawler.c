/* Who may go out when: the dispatcher, the manners, the meaning of statuses. */
#include "crawl/crawler.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pool.h"
#include "crawl/browser.h"
#include "crawl/films.h"
#include "crawl/crawler_impl.h"
#include "settings/options.h"

/*
 * How much goes on at a time, each visit at another host. What has lasted longer than SLOW_MS waits
 * for its host and not for us: it no longer takes the place of another one, up to the larger
 * numbers. Of those, hosts that have failed may hold FAILING_MAX, so that a host that nobody has
 * asked yet finds room, however many are dead.
 */
enum {
	QUICK_MAX = 12, /* visits, and as many readings of sources */
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

void kb_manner_read(struct kb_web *web, struct kb_arena *arena, const struct kb_agent *agent,
                    struct kb_manner *out)
{
	struct kb_agent_options options;

	kb_agent_options_read(arena, agent->options, web->config.log, &options);
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
	        manner->gentle ? KB_WEB_GENTLE_RETRY_AFTER_MAX_S : KB_WEB_RETRY_AFTER_MAX_S;

	return KB_MIN(KB_MAX(named_s, INT64_C(0)), most_s) * KB_SECOND_US;
}

bool kb_web_insists(struct kb_web *web, int64_t *nap_ms, const struct kb_err *err)
{
	int64_t until = kb_clock_steady_us(web->config.clock) + *nap_ms * 1000;

	if (!kb_err_info(err->code)->outage)
		return false;
	*nap_ms = KB_MIN(*nap_ms * 2, (int64_t)POLL_MS);
	return kb_bell_rest(&web->bell, until);
}

void kb_web_leave(struct kb_web *web, struct kb_manner *manner, int64_t pause_us,
                  enum kb_host_outcome outcome)
{
	struct kb_host_hold *hold = &manner->hold;
	int64_t nap_ms = KB_WEB_OUTAGE_NAP_MS;
	struct kb_err err;
	bool ok;

	if (!hold->since)
		return;
	while (!(ok = kb_store_host_leave(web->config.store, hold, pause_us, outcome, &err))
	       && kb_web_insists(web, &nap_ms, &err))
		;
	if (!ok)
		kb_warn(web->config.log, "host is held until the hold ends host=%.*s error=%s",
		        KB_SV_ARG(hold->host), err.msg);
	hold->since = 0;
	kb_web_wake(web); /* somebody's page may be next */
}

/* A browser asks for what a page needs as for the page itself; only the page has a place of its own
 * to keep to. */
struct asking {
	struct kb_web *web;
	const struct kb_fetch_request *request;
};

static bool browser_may_ask(void *arg, struct kb_arena *arena, const struct kb_url *url,
                            bool is_page, struct kb_err *err)
{
	const struct asking *in = arg;

	return is_page && in->request->may_follow
	               ? in->request->may_follow(in->request->may_follow_arg, arena, url, err)
	               : kb_web_may_follow(in->web, arena, url, err);
}

static bool fetch(struct kb_web *web, struct kb_arena *arena, const struct kb_manner *manner,
                  const struct kb_fetch_request *request, struct kb_fetch_response *out,
                  struct kb_err *err)
{
	struct asking asking = { web, request };

	if (!web->config.fetcher)
		return kb_fail(err, KB_E_INVALID, "this service does not fetch addresses");
	if (manner->is_film)
		return kb_films_read(web->config.films, arena,
		                     &(struct kb_film_request){ .url = request->url,
		                                                .lang = manner->film_lang,
		                                                .patience = request->patience },
		                     out, err);
	if (!manner->by_browser)
		return kb_fetch(web->config.fetcher, arena, request, out, err);
	return kb_browser_render(web->config.browser, arena,
	                         &(struct kb_browser_request){
	                                 .url = request->url,
	                                 .patience = request->patience,
	                                 .plain_browser = request->plain_browser,
	                                 .may_ask = browser_may_ask,
	                                 .may_ask_arg = &asking,
	                         },
	                         out, err);
}

bool kb_web_fetch(struct kb_web *web, struct kb_arena *arena, struct kb_manner *manner,
                  const struct kb_fetch_request *request, struct kb_fetch_response *out,
                  struct kb_err *err)
{
	struct kb_fetch_request asked = *request;
	int64_t began = kb_clock_mono_us(), pause_us;
	int64_t least_ms = manner->gentle
	                           ? KB_MAX(web->config.pause_ms, (int64_t)KB_WEB_GENTLE_PAUSE_MS)
	                           : web->config.pause_ms;
	int64_t most_ms = manner->gentle ? KB_WEB_GENTLE_PAUSE_MAX_MS : KB_WEB_PAUSE_MAX_MS;
	enum kb_host_outcome outcome;
	bool ok;

	*out = (struct kb_fetch_response){ .fd = -1 };
	asked.patience = kb_fetch_patience(manner->extra_timeout ? KB_WEB_EXTRA_TIMES : 1);
	asked.plain_browser = manner->gentle;
	ok = fetch(web, arena, manner, &asked, out, err);
	pause_us = kb_clock_mono_us() - began;
	pause_us = KB_MAX(KB_MIN(pause_us, most_ms * 1000), least_ms * 1000);
	pause_us = KB_MAX(pause_us, manner->delay_us);
	if (ok && (out->status == 429 || out->status == 503))
		pause_us = KB_MAX(pause_us, retry_after(manner, out->retry_after_s));
	outcome = ok                                                        ? KB_HOST_ANSWERED
	          : manner->by_browser || manner->is_film                   ? KB_HOST_NOT_ASKED
	          : err->code == KB_E_TIMEOUT || err->code == KB_E_UPSTREAM ? KB_HOST_FAILED
	                                                                    : KB_HOST_NOT_ASKED;
	kb_web_leave(web, manner, pause_us, outcome);
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

struct kb_sv kb_web_refusal(struct kb_arena *arena, const struct kb_fetch_response *response,
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

int64_t kb_web_retry_at(struct kb_web *web, const struct kb_manner *manner, int64_t attempts,
                        int64_t retry_after_s)
{
	int64_t tried = KB_MAX(attempts, INT64_C(1)) - 1;
	int64_t pause_us = (int64_t)KB_WEB_RETRY_FIRST_S * KB_SECOND_US;

	for (int64_t i = 0; i < KB_MIN(tried, (int64_t)KB_WEB_TRIES_MAX); i++)
		pause_us *= 4;
	pause_us = KB_MAX(pause_us, retry_after(manner, retry_after_s));
	return kb_clock_now_us(web->config.clock) + pause_us;
}

/* ---- jobs ---- */

struct kb_web_job {
	struct kb_web *web;
	struct kb_arena arena;
	bool is_sync, is_failing; /* its host is */
	int64_t began_us;
	struct kb_web_job *next, **place;
	struct kb_visit_lease page;
	struct kb_source_lease source;
};

static void run_job(void *arg)
{
	struct kb_web_job *job = arg;
	struct kb_web *web = job->web;

	if (job->is_sync)
		kb_web_sync(web, &job->arena, &job->source);
	else
		kb_web_visit(web, &job->arena, &job->page);
	pthread_mutex_lock(&web->lock);
	*job->place = job->next;
	if (job->next)
		job->next->place = job->place;
	pthread_mutex_unlock(&web->lock);
	kb_web_wake(web);
	kb_arena_fini(&job->arena);
	free(job);
}

/* There is room for it: the pool has a thread for each job that may be in progress. */
static void begin_job(struct kb_web_job *job)
{
	struct kb_web *web = job->web;

	pthread_mutex_lock(&web->lock);
	job->began_us = kb_clock_steady_us(web->config.clock);
	job->next = web->jobs;
	job->place = &web->jobs;
	if (job->next)
		job->next->place = &job->next;
	web->jobs = job;
	pthread_mutex_unlock(&web->lock);
	KB_ASSERT(kb_pool_submit(web->pool, run_job, job));
}

/* Lowers *wait_us where there will be room when somebody turns out to be slow. */
static bool has_room(struct kb_web *web, bool for_sync, int64_t *wait_us)
{
	int64_t slow_before = kb_clock_steady_us(web->config.clock) - SLOW_MS * INT64_C(1000);
	int quick = 0, all = 0;
	bool room;

	pthread_mutex_lock(&web->lock);
	for (const struct kb_web_job *job = web->jobs; job; job = job->next) {
		all += job->is_sync == for_sync;
		quick += job->is_sync == for_sync && job->began_us > slow_before;
	}
	pthread_mutex_unlock(&web->lock);
	room = !kb_bell_is_stopped(&web->bell) && quick < QUICK_MAX && all < ALL_MAX;
	if (!room)
		*wait_us = KB_MIN(*wait_us, ROOM_MS * INT64_C(1000));
	return room;
}

static bool may_ask_failing(struct kb_web *web)
{
	int count = 0;

	pthread_mutex_lock(&web->lock);
	for (const struct kb_web_job *job = web->jobs; job; job = job->next)
		count += job->is_failing;
	pthread_mutex_unlock(&web->lock);
	return count < FAILING_MAX;
}

static struct kb_web_job *new_job(struct kb_web *web, bool is_sync)
{
	struct kb_web_job *job = kb_xcalloc(1, sizeof(*job));

	job->web = web;
	job->is_sync = is_sync;
	return job;
}

static void drop_job(struct kb_web_job *job)
{
	kb_arena_fini(&job->arena);
	free(job);
}

/* ---- the dispatcher ---- */

/* Both begin what is due and lower *wait_us to when something else will be. */

static bool begin_syncs(struct kb_web *web, int64_t *wait_us, struct kb_err *err)
{
	while (has_room(web, true, wait_us)) {
		struct kb_web_job *job = new_job(web, true);
		int64_t due = 0;

		if (!kb_store_source_lease(web->config.store, &job->arena,
		                           KB_WEB_LEASE_S * KB_SECOND_US, &job->source, &due,
		                           err)) {
			drop_job(job);
			return false;
		}
		if (!job->source.source.id) {
			drop_job(job);
			if (due)
				*wait_us =
				        KB_MIN(*wait_us, due - kb_clock_now_us(web->config.clock));
			return true;
		}
		begin_job(job);
	}
	return true;
}

static bool begin_visit(struct kb_web *web, const struct kb_host_line *line, struct kb_err *err)
{
	struct kb_web_job *job = new_job(web, false);
	bool ok;

	job->is_failing = line->is_failing;
	ok = kb_store_visit_lease(web->config.store, &job->arena, line->host,
	                          KB_WEB_LEASE_S * KB_SECOND_US, &job->page, err);
	if (ok && job->page.page.page.id)
		begin_job(job);
	else
		drop_job(job);
	return ok;
}

static bool begin_visits(struct kb_web *web, int64_t *wait_us, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_host_line *lines;
	size_t count;
	int64_t now = kb_clock_now_us(web->config.clock);
	bool ok;

	if (!has_room(web, false, wait_us))
		return true;
	ok = kb_store_host_lines(web->config.store, &arena, LINES_MAX, &lines, &count, err);
	for (size_t i = 0; ok && i < count && has_room(web, false, wait_us); i++) {
		if (lines[i].due_at > now) {
			*wait_us = KB_MIN(*wait_us, lines[i].due_at - now);
			break;
		}
		if (lines[i].is_failing && !may_ask_failing(web))
			*wait_us = KB_MIN(*wait_us, ROOM_MS * INT64_C(1000));
		else if (lines[i].wait_us)
			*wait_us = KB_MIN(*wait_us, lines[i].wait_us);
		else
			ok = begin_visit(web, &lines[i], err);
	}
	kb_arena_fini(&arena);
	return ok;
}

static void wait_for_work(struct kb_web *web, uint64_t *heard, int64_t us)
{
	int64_t now = kb_clock_steady_us(web->config.clock);

	if (now < atomic_load(&web->follow_until))
		us = KB_MIN(us, FOLLOW_POLL_MS * INT64_C(1000));
	if (kb_bell_rest(&web->bell, now + ROUND_MS * INT64_C(1000)))
		kb_bell_wait(&web->bell, heard, now + KB_MAX(us, INT64_C(1000)));
}

static void fail_to_look(struct kb_web *web, const struct kb_err *err)
{
	int64_t now = kb_clock_steady_us(web->config.clock);

	kb_error_log(web->config.log, "cannot look for visits error=%s", err->msg);
	kb_bell_rest(&web->bell, now + POLL_MS * INT64_C(1000));
}

static void *dispatch(void *arg)
{
	struct kb_web *web = arg;
	uint64_t heard = 0;

	while (!kb_bell_is_stopped(&web->bell)) {
		int64_t wait_us = POLL_MS * INT64_C(1000);
		struct kb_err err = { 0 };

		if (!begin_syncs(web, &wait_us, &err) || !begin_visits(web, &wait_us, &err))
			fail_to_look(web, &err);
		else
			wait_for_work(web, &heard, wait_us);
	}
	return NULL;
}

/* ---- start and stop ---- */

struct kb_web *kb_web_start(const struct kb_web_config *config)
{
	struct kb_web *web = kb_xcalloc(1, sizeof(*web));

	web->config = *config;
	web->pool = kb_pool_open("fetch", 2 * ALL_MAX, 2 * ALL_MAX);
	pthread_mutex_init(&web->lock, NULL);
	kb_bell_init(&web->bell, config->clock);
	web->dispatcher = kb_thread_start("visits", dispatch, web);
	return web;
}

void kb_web_stop(struct kb_web *web)
{
	if (!web)
		return;
	kb_bell_stop(&web->bell);
	pthread_join(web->dispatcher, NULL);
	kb_pool_close(web->pool);
	kb_bell_fini(&web->bell);
	pthread_mutex_destroy(&web->lock);
	free(web);
}

void kb_web_wake(struct kb_web *web)
{
	kb_bell_ring(&web->bell);
}

void kb_web_stats(struct kb_web *web, struct kb_web_stats *out)
{
	*out = (struct kb_web_stats){
		.fetched = atomic_load(&web->fetched),
		.unchanged = atomic_load(&web->unchanged),
		.failed = atomic_load(&web->failed),
		.again = atomic_load(&web->again),
		.sources_read = atomic_load(&web->sources_read),
	};
}
