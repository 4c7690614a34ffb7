/* Who may go out when: the dispatcher, the manners, the meaning of statuses. */
#include "crawl/web.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/pool.h"
#include "crawl/browser.h"
#include "crawl/web_impl.h"
#include "settings/options.h"
#include "store/hosts.h"

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
	HOLD_S = 120,        /* longer than any fetch of a host lasts */
	ENTER_MS = 1000,     /* a wait for another process that is not worth coming back for */
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
	};
}

static int64_t retry_after(const struct kb_manner *manner, int64_t named_s)
{
	int64_t most_s =
	        manner->gentle ? KB_WEB_GENTLE_RETRY_AFTER_MAX_S : KB_WEB_RETRY_AFTER_MAX_S;

	return KB_MIN(KB_MAX(named_s, INT64_C(0)), most_s) * KB_SECOND_US;
}

/* The turn among processes. A short wait is waited for; *put_off_us is a longer one. */
static bool enter_host(struct kb_web *web, const struct kb_host_hold *hold,
                       const struct kb_manner *manner, int64_t *put_off_us, struct kb_err *err)
{
	int64_t hold_us = HOLD_S * (manner->extra_timeout ? KB_WEB_EXTRA_TIMES : 1) * KB_SECOND_US;
	int64_t until = kb_clock_mono_us() + ENTER_MS * 1000, wait_us;

	*put_off_us = 0;
	for (;;) {
		if (!kb_store_host_enter(web->config.store, hold, hold_us, &wait_us, err))
			return false;
		if (wait_us == 0)
			return true;
		if (kb_clock_mono_us() + wait_us > until || kb_bell_is_stopped(&web->bell))
			break;
		usleep((useconds_t)wait_us);
	}
	*put_off_us = wait_us;
	return kb_fail(err, KB_E_BUSY, "its host is to be left alone for another %" PRId64 " s",
	               wait_us / KB_SECOND_US + 1);
}

static void leave_host(struct kb_web *web, const struct kb_host_hold *hold, int64_t pause_us)
{
	struct kb_err err;

	if (!kb_store_host_leave(web->config.store, hold, pause_us, &err))
		kb_warn(web->config.log, "host is held until the hold ends host=%.*s error=%s",
		        KB_SV_ARG(hold->host), err.msg);
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
	struct kb_host_hold hold = { kb_page_host(request->url), kb_sv_str(web->name) };
	enum kb_host_outcome outcome;
	bool ok;

	*out = (struct kb_fetch_response){ .fd = -1 };
	if (!enter_host(web, &hold, manner, &manner->put_off_us, err)) {
		kb_hosts_give(web->hosts, hold.host, manner->agent_id, manner->put_off_us,
		              KB_HOST_NOT_ASKED);
		return false;
	}
	asked.patience = kb_fetch_patience(manner->extra_timeout ? KB_WEB_EXTRA_TIMES : 1);
	asked.plain_browser = manner->gentle;
	ok = fetch(web, arena, manner, &asked, out, err);
	pause_us = kb_clock_mono_us() - began;
	pause_us = KB_MAX(KB_MIN(pause_us, most_ms * 1000), least_ms * 1000);
	pause_us = KB_MAX(pause_us, manner->delay_us);
	if (ok && (out->status == 429 || out->status == 503))
		pause_us = KB_MAX(pause_us, retry_after(manner, out->retry_after_s));
	outcome = ok                                                        ? KB_HOST_ANSWERED
	          : manner->by_browser                                      ? KB_HOST_NOT_ASKED
	          : err->code == KB_E_TIMEOUT || err->code == KB_E_UPSTREAM ? KB_HOST_FAILED
	                                                                    : KB_HOST_NOT_ASKED;
	leave_host(web, &hold, pause_us);
	kb_hosts_give(web->hosts, hold.host, manner->agent_id, pause_us, outcome);
	kb_web_wake(web); /* somebody's page may be next */
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
	struct kb_lease page;
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

static bool begin_visit(struct kb_web *web, struct kb_sv host, const struct kb_host_turn *turn,
                        bool is_failing, struct kb_err *err)
{
	struct kb_web_job *job = new_job(web, false);
	bool found = false;

	job->is_failing = is_failing;
	if (kb_store_visit_lease(
	            web->config.store, &job->arena,
	            &(struct kb_visit_wish){ .host = host,
	                                     .after = turn->after,
	                                     .but = turn->but,
	                                     .lease_us = KB_WEB_LEASE_S * KB_SECOND_US },
	            &job->page, &found, err)
	    && found) {
		kb_hosts_name(web->hosts, host, job->page.page.agent_id);
		begin_job(job);
		return true;
	}
	kb_hosts_give(web->hosts, host, 0, 0, KB_HOST_NOT_ASKED);
	drop_job(job);
	return !found && err->code == KB_OK;
}

static bool begin_visits(struct kb_web *web, int64_t *wait_us, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_host_line *lines;
	struct kb_host_turn turn;
	size_t count;
	int64_t now = kb_clock_now_us(web->config.clock), wait;
	bool ok;

	if (!has_room(web, false, wait_us))
		return true;
	ok = kb_store_host_lines(web->config.store, &arena, LINES_MAX, &lines, &count, err);
	for (size_t i = 0; ok && i < count && has_room(web, false, wait_us); i++) {
		bool is_failing = kb_hosts_is_failing(web->hosts, lines[i].host);

		if (lines[i].due_at > now) {
			*wait_us = KB_MIN(*wait_us, lines[i].due_at - now);
			break;
		}
		if (is_failing && !may_ask_failing(web))
			*wait_us = KB_MIN(*wait_us, ROOM_MS * INT64_C(1000));
		else if (kb_hosts_try(web->hosts, lines[i].host, &turn, &wait))
			ok = begin_visit(web, lines[i].host, &turn, is_failing, err);
		else if (wait >= 0)
			*wait_us = KB_MIN(*wait_us, wait);
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

static void *dispatch(void *arg)
{
	struct kb_web *web = arg;
	uint64_t heard = 0;

	while (!kb_bell_is_stopped(&web->bell)) {
		int64_t wait_us = POLL_MS * INT64_C(1000);
		struct kb_err err = { 0 };

		if (!begin_syncs(web, &wait_us, &err) || !begin_visits(web, &wait_us, &err))
			kb_error_log(web->config.log, "cannot look for visits error=%s", err.msg);
		wait_for_work(web, &heard, wait_us);
	}
	return NULL;
}

/* ---- start and stop ---- */

struct kb_web *kb_web_start(const struct kb_web_config *config)
{
	struct kb_web *web = kb_xcalloc(1, sizeof(*web));

	web->config = *config;
	kb_random_text(web->name, KB_WEB_NAME);
	web->hosts = kb_hosts_new(config->clock, KB_WEB_STUCK_MS * INT64_C(1000));
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
	kb_hosts_close(web->hosts);
	pthread_join(web->dispatcher, NULL);
	kb_pool_close(web->pool);
	kb_hosts_free(web->hosts);
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
