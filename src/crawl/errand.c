/* One errand: what a page's host answers, and what that makes of the page. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "crawl/crawler_impl.h"
#include "crawl/films.h"
#include "crawl/kinds.h"
#include "crawl/page_address.h"
#include "crawl/scope.h"
#include "crawl/walls.h"
#include "settings/settings.h"
#include "store/crawls.h"

enum {
	LIST_HEAD = 4096, /* in which the root of a sitemap must stand */
	FOLLOWED_S = 10,  /* in which a page has mostly been read */
	TRIM_PAGES = 250,
	PLACE_WAIT_S = 1, /* until a browser may be free, or a place for a film */
};

static const char accept_any[] =
        "text/html,application/xhtml+xml,application/pdf;q=0.9,application/xml;q=0.8,*/*;q=0.7";

struct errand {
	struct kb_crawler *crawler;
	struct kb_arena *arena;
	const struct kb_page *page;
	struct kb_agent agent;
	struct kb_source source;
	struct kb_source_settings settings;
	struct kb_manner manner;
	struct kb_crawler_request request;
	struct kb_scope scope; /* of its website, if it has one */
	bool is_start, strayed;
	struct kb_errand result;
};

/* The sentence, and that nothing was lost by it. */
static void fail(struct errand *e, struct kb_sv reason)
{
	e->result.outcome = KB_ERRAND_FAILED;
	e->result.reason = e->page->passages
	                           ? kb_arena_printf(e->arena, "%.*s; what was read before is kept",
	                                             KB_SV_ARG(reason))
	                           : reason;
}

static void fail_or_retry(struct errand *e, struct kb_sv reason, bool retry, int64_t retry_after_s)
{
	fail(e, reason);
	if (!retry || e->page->attempts >= KB_CRAWLER_TRIES_MAX)
		return;
	e->result.outcome = KB_ERRAND_AGAIN;
	e->result.next_try_at =
	        kb_crawler_retry_at(e->crawler, &e->manner, e->page->attempts, retry_after_s);
}

/* The plan's room for documents: those fetched and not yet read count too. */
static bool is_over_limit(struct errand *e, bool *over, struct kb_err *err)
{
	const struct kb_crawler_config *config = &e->crawler->config;
	struct kb_ingest_limits limits = { 0 };
	struct kb_agent_stats stats;

	*over = false;
	if (!config->limits || e->page->passages)
		return true;
	if (!config->limits(config->limits_arg, &e->agent, &limits, err))
		return false;
	if (limits.pages_per_agent == 0)
		return true;
	if (!kb_store_agent_stats(config->store, e->agent.id, &stats, err))
		return false;
	*over = stats.pages_crawled >= limits.pages_per_agent;
	if (*over) {
		e->result.outcome = KB_ERRAND_LIMITED;
		e->result.reason = kb_page_over_plan(e->arena, limits.pages_per_agent);
	}
	return true;
}

/* ---- of a website ---- */

static bool read_site(struct errand *e, bool *over, struct kb_err *err)
{
	const struct kb_page *page = e->page;
	struct kb_crawl crawl;

	*over = false;
	e->result.is_of_crawl = true;
	e->is_start = page->depth == 1;
	if (!kb_store_crawl_get(e->crawler->config.store, e->arena, page->agent_id, page->source_id,
	                        &crawl, err)
	    || !kb_scope_read(e->arena, crawl.began_at ? crawl.url : page->url, crawl.start,
	                      e->manner.whole_host, &e->scope, err))
		return false;
	if (!crawl.is_running || page->passages)
		return true;
	if (crawl.bytes >= e->settings.max_megabytes << 20)
		e->result.reason = kb_arena_printf(e->arena,
		                                   "the website's pages are more than %" PRId64
		                                   " MB (max_megabytes)",
		                                   e->settings.max_megabytes);
	else if (kb_clock_now_us(e->crawler->config.clock) - crawl.began_at
	         > e->settings.max_minutes * 60 * KB_SECOND_US)
		e->result.reason = kb_arena_printf(e->arena,
		                                   "reading the website took more than %" PRId64
		                                   " minutes (max_minutes)",
		                                   e->settings.max_minutes);
	*over = e->result.reason.n > 0;
	if (*over)
		e->result.outcome = KB_ERRAND_LIMITED;
	return true;
}

/* Whoever leads a page of a website out of it is not followed, but from its start. */
static bool may_follow(void *arg, struct kb_arena *arena, const struct kb_url *to,
                       struct kb_err *err)
{
	struct errand *e = arg;
	struct kb_sv name;

	if (e->result.is_of_crawl && !e->is_start && !kb_scope_takes(arena, &e->scope, to, &name)) {
		e->strayed = true;
		return kb_fail(err, KB_E_INVALID, "it leads out of its website");
	}
	return kb_crawler_may_follow(e->crawler, arena, to, err);
}

/* A page that is somewhere else than where it was looked for is known by where it is. */
static bool take_name(struct errand *e, const struct kb_fetch_response *response,
                      struct kb_err *err)
{
	struct kb_url url;
	struct kb_sv name;

	if (!kb_url_parse(e->arena, response->url, NULL, &url, err))
		return false;
	if (!kb_scope_takes(e->arena, &e->scope, &url, &name)) {
		/* A page of an earlier start, or the start itself, which leads elsewhere. */
		name = kb_page_address(e->arena, &url);
		if (e->is_start
		    && !kb_store_crawl_set_start(e->crawler->config.store, e->page->agent_id,
		                                 e->page->source_id, name, err))
			return false;
	}
	e->result.name = kb_sv_eq(name, e->page->url) ? KB_SV("") : name;
	return true;
}

/* ---- what the host answers ---- */

/* The bytes become a blob; the page goes on to ingestion. */
static bool keep(struct errand *e, const struct kb_fetch_response *response, struct kb_err *err)
{
	struct kb_blob_name *name = KB_NEW(e->arena, struct kb_blob_name);
	size_t n = (size_t)response->bytes;
	void *map = mmap(NULL, n, PROT_READ, MAP_PRIVATE, response->fd, 0);
	bool ok;

	if (map == MAP_FAILED)
		return kb_fail_errno(err, "mapping a page of %zu bytes", n);
	ok = kb_blob_put(e->crawler->config.blobs, kb_sv(map, n), name, err)
	     || kb_blob_blame(e->crawler->config.blobs, err);
	munmap(map, n);
	if (!ok || (e->result.is_of_crawl && !take_name(e, response, err)))
		return false;
	e->result.outcome = KB_ERRAND_FETCHED;
	e->result.robots = (response->noindex ? KB_PAGE_NOINDEX : 0)
	                   | (response->nofollow ? KB_PAGE_NOFOLLOW : 0);
	if (e->request.by == KB_MEANS_BROWSER)
		e->result.rendering = KB_RENDERING_DONE;
	e->result.blob = kb_sv_str(name->hex);
	e->result.size = response->bytes;
	e->result.content_type = response->content_type;
	e->result.etag = response->etag;
	e->result.last_modified = response->last_modified;
	return true;
}

/* Runs inside the store's transaction: the source is read once more, as a list. */
static bool make_list(void *arg, struct kb_arena *arena, struct kb_source *source,
                      struct kb_err *err)
{
	struct errand *e = arg;
	struct kb_source_settings settings;

	if (!kb_sv_eq(source->url, e->page->url))
		return kb_fail(err, KB_E_CONFLICT, "the source has another address now");
	kb_source_settings_read(arena, source->settings, &settings);
	settings.is_list = true;
	source->settings = kb_source_settings_text(arena, &settings);
	source->status = KB_STATUS_QUEUED;
	source->reason = KB_SV("it is a sitemap or feed, waiting for its turn");
	source->due_at = kb_clock_now_us(e->crawler->config.clock);
	return true;
}

/* The address of a source was taken for a page's by its name, and is a sitemap or feed: then that
 * is read, and there is no such page. */
static bool take_list(struct errand *e, const struct kb_fetch_response *response, bool *taken,
                      struct kb_err *err)
{
	struct kb_source after;
	char head[LIST_HEAD];
	ssize_t n;

	*taken = false;
	if (e->settings.is_list || !kb_sv_eq(e->source.url, e->page->url))
		return true;
	n = pread(response->fd, head, sizeof(head), 0);
	if (n <= 0 || !kb_source_is_list_content(kb_sv(head, (size_t)n)))
		return true;
	*taken = true;
	e->result.outcome = KB_ERRAND_GONE;
	return kb_store_source_update(e->crawler->config.store, e->arena,
	                              &(struct kb_source_edit){ .agent_id = e->source.agent_id,
	                                                        .id = e->source.id,
	                                                        .change = make_list,
	                                                        .arg = e },
	                              &after, err);
}

/* Who shows a check for robots in place of the page; NULL: nobody. */
static const char *wall_of(struct errand *e, const struct kb_fetch_response *response)
{
	char *head;
	ssize_t n;

	if (response->wall || response->fd < 0 || response->bytes > KB_WALL_BYTES)
		return response->wall;
	head = kb_arena_bytes(e->arena, KB_WALL_BYTES);
	n = pread(response->fd, head, KB_WALL_BYTES, 0);
	return n > 0 ? kb_wall_of_page(kb_sv(head, (size_t)n)) : NULL;
}

static bool judge(struct errand *e, const struct kb_fetch_response *response, struct kb_err *err)
{
	struct kb_sv reason;
	bool retry, gone = response->status == 404 || response->status == 410;
	const char *wall = wall_of(e, response);

	if (wall) {
		fail(e,
		     kb_arena_printf(e->arena,
		                     "the host shows a check for robots in place of the page (%s)",
		                     wall));
		e->result.outcome = KB_ERRAND_LIMITED;
		return true;
	}
	if (response->status >= 200 && response->status < 300) {
		bool taken = false;

		if (response->fd >= 0 && response->bytes > 0)
			return take_list(e, response, &taken, err)
			       && (taken || keep(e, response, err));
		fail(e, KB_SV("the host sent an empty page"));
		return true;
	}
	if (response->status == 304 && e->page->passages) {
		e->result.outcome = KB_ERRAND_UNCHANGED;
		return true;
	}
	reason = kb_crawler_refusal(e->arena, response, &retry);
	if (gone && e->page->passages && e->settings.remove_unexist_pages)
		e->result.outcome = KB_ERRAND_GONE;
	else
		fail_or_retry(e, reason, retry, response->retry_after_s);
	return true;
}

/* This was no errand yet; the next turn is. */
static void come_back(struct errand *e)
{
	e->result.outcome = KB_ERRAND_RELEASED;
	e->result.next_try_at = kb_clock_now_us(e->crawler->config.clock);
}

/* Whether this errand is a browser's. */
static void choose_browser(struct errand *e)
{
	enum kb_rendering *rendering = &e->result.rendering;

	if (*rendering != KB_RENDERING_WANTED)
		return;
	if (!e->settings.executive_js)
		*rendering = KB_RENDERING_NONE;
	else if (!e->crawler->config.browser)
		*rendering = KB_RENDERING_ABSENT;
	else
		e->request.by = KB_MEANS_BROWSER;
}

/* A film of a video site is what is said in it. */
static void choose_film(struct errand *e)
{
	const struct kb_films *films = e->crawler->config.films;
	struct kb_settings settings;
	struct kb_url url;

	if (!films || !kb_films_can_read(films)
	    || !kb_url_parse(e->arena, e->page->url, NULL, &url, NULL)
	    || !kb_films_is_film(films, &url))
		return;
	e->request.by = KB_MEANS_FILMS;
	if (kb_settings_read(e->arena, e->agent.settings, &settings, NULL))
		e->request.film_lang = settings.chatbot_msg_lang;
}

/* What a browser's failure makes of the page: it is read as its host sends it, and says why. */
static bool read_plainly(struct errand *e, const struct kb_err *why)
{
	static const struct {
		enum kb_errc code;
		enum kb_rendering rendering;
	} rows[] = {
		{ KB_E_TIMEOUT, KB_RENDERING_ENDLESS },
		{ KB_E_TOO_LARGE, KB_RENDERING_LARGE },
		{ KB_E_UNSUPPORTED, KB_RENDERING_ABSENT },
		{ KB_E_UPSTREAM, KB_RENDERING_BROKEN },
	};

	for (size_t i = 0; e->request.by == KB_MEANS_BROWSER && i < KB_COUNTOF(rows); i++)
		if (rows[i].code == why->code) {
			e->result.outcome = KB_ERRAND_AGAIN;
			e->result.rendering = rows[i].rendering;
			e->result.reason = kb_arena_printf(e->arena, "%s", why->msg);
			e->result.next_try_at = kb_clock_now_us(e->crawler->config.clock);
			return true;
		}
	return false;
}

static bool go(struct errand *e, struct kb_err *err)
{
	const struct kb_page *page = e->page;
	struct kb_store *store = e->crawler->config.store;
	const struct kb_source_kind *kind;
	struct kb_fetch_response response;
	bool over, ok, turn_used;

	if (!kb_store_agent_find(store, e->arena, page->agent_id, &e->agent, err)
	    || !kb_store_source_get(store, e->arena, page->agent_id, page->source_id, &e->source,
	                            err)
	    || !is_over_limit(e, &over, err))
		return false;
	if (over)
		return true;
	kb_manner_read(e->crawler, e->arena, &e->agent, &e->manner);
	kb_source_settings_read(e->arena, e->source.settings, &e->settings);
	if (page->depth && !read_site(e, &over, err))
		return false;
	if (over)
		return true;
	if (!kb_crawler_may_ask(e->crawler, e->arena, &e->manner, page->url, &turn_used, err))
		return false;
	if (turn_used) {
		come_back(e);
		return true;
	}
	choose_film(e);
	if (e->request.by == KB_MEANS_NONE)
		choose_browser(e);
	e->request.fetch = (struct kb_fetch_request){
		.url = page->url,
		.accept = kb_sv_str(accept_any),
		.etag = page->passages ? page->etag : KB_SV(""),
		.last_modified = page->passages ? page->last_modified : KB_SV(""),
		.may_follow = may_follow,
		.may_follow_arg = e,
	};
	kind = kb_source_kind(e->source.url, &e->settings, e->manner.whole_host);
	ok = kind->bring(e->crawler, e->arena, &e->manner, &e->request, &response, err);
	ok = ok && judge(e, &response, err);
	kb_fd_close(&response.fd);
	return ok;
}

static void count(struct errand *e)
{
	struct kb_crawler *crawler = e->crawler;

	switch (e->result.outcome) {
	case KB_ERRAND_FETCHED:
		/* Many pages, each of another size, leave holes that nobody else fills. */
		if (atomic_fetch_add(&crawler->fetched, 1) % TRIM_PAGES == TRIM_PAGES - 1)
			kb_heap_trim();
		if (e->result.is_of_crawl)
			atomic_store(&crawler->follow_until,
			             kb_clock_steady_us(crawler->config.clock)
			                     + FOLLOWED_S * KB_SECOND_US);
		break;
	case KB_ERRAND_UNCHANGED:
		atomic_fetch_add(&crawler->unchanged, 1);
		break;
	case KB_ERRAND_AGAIN:
		atomic_fetch_add(&crawler->again, 1);
		break;
	case KB_ERRAND_FAILED:
	case KB_ERRAND_GONE:
		atomic_fetch_add(&crawler->failed, 1);
		break;
	case KB_ERRAND_LIMITED:
	case KB_ERRAND_RELEASED:
		break;
	}
	if (e->result.reason.n)
		kb_info(crawler->config.log,
		        "page not fetched page=%" PRId64 " agent=%" PRId64 " again=%d reason=%.*s",
		        e->page->id, e->page->agent_id, e->result.outcome == KB_ERRAND_AGAIN,
		        KB_SV_ARG(e->result.reason));
}

void kb_crawler_errand(struct kb_crawler *crawler, struct kb_arena *arena,
                       const struct kb_errand_lease *errand_lease)
{
	const struct kb_lease *lease = &errand_lease->page;
	struct errand e = {
		.crawler = crawler,
		.arena = arena,
		.page = &lease->page,
		.manner = { .hold = errand_lease->hold },
		.result = { .agent_id = lease->page.agent_id,
		            .page_id = lease->page.id,
		            .epoch = lease->epoch,
		            .rendering = lease->page.rendering },
	};
	int64_t nap_ms = KB_CRAWLER_OUTAGE_NAP_MS;
	struct kb_err err = { 0 };
	bool ok;

	if (!go(&e, &err)) {
		if (err.code == KB_E_CANCELLED || kb_bell_is_stopped(&crawler->bell)) {
			come_back(&e);
		} else if (kb_err_info(err.code)->outage) {
			/* No place for a browser or a film, or nothing can be kept: no attempt. */
			come_back(&e);
			e.result.next_try_at +=
			        (err.code == KB_E_BUSY ? PLACE_WAIT_S : KB_CRAWLER_OUTAGE_WAIT_S)
			        * KB_SECOND_US;
		} else if (!e.strayed && read_plainly(&e, &err)) {
			kb_crawler_wake(crawler);
		} else if (e.strayed && !lease->page.passages) {
			e.result.outcome = KB_ERRAND_GONE;
			e.result.is_alias = true;
		} else if (err.code == KB_E_FORBIDDEN) {
			fail(&e, kb_arena_printf(arena, "%s", err.msg));
			e.result.outcome = KB_ERRAND_LIMITED;
		} else {
			fail_or_retry(&e, kb_arena_printf(arena, "%s", kb_err_reason(&err)),
			              kb_err_info(err.code)->retry, 0);
		}
	}
	kb_crawler_leave(crawler, &e.manner, 0, KB_HOST_NOT_ASKED);
	count(&e);
	while (!(ok = kb_store_errand_done(crawler->config.store, &e.result, &err))
	       && kb_crawler_insists(crawler, &nap_ms, &err))
		;
	if (!ok)
		kb_error_log(
		        crawler->config.log,
		        "errand not recorded, the page waits for the end of its lease page=%" PRId64
		        " error=%s",
		        lease->page.id, err.msg);
	else if (e.result.outcome == KB_ERRAND_FETCHED)
		crawler->config.woken(crawler->config.woken_arg);
	else if (e.result.outcome == KB_ERRAND_GONE)
		kb_crawler_wake(crawler); /* a source may be due */
}
