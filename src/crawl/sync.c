/* One reading of a source: which pages it has now. */
#include <stdlib.h>

#include "crawl/crawler_impl.h"
#include "crawl/permit.h"
#include "crawl/robots.h"
#include "crawl/scope.h"
#include "crawl/sitemap.h"
#include "store/crawls.h"
#include "store/robots.h"

enum {
	PARSE_TIMEOUT_S = 30,
	HOST_WAIT_MAX_S = 60, /* a longer pause of its host puts the reading off */
	SITEMAPS_MAX = 100,   /* of one robots.txt */
	LOOK_MIN_MS = 300,    /* between two looks at whether a website is read: */
	LOOK_MAX_MS = 10000,  /* a tenth of the time it has taken, within these */
};
static const char accept_lists[] =
        "application/xml,text/xml,application/rss+xml,application/atom+xml,"
        "text/plain;q=0.8,*/*;q=0.5";

struct sync {
	struct kb_crawler *crawler;
	struct kb_arena *arena;
	const struct kb_source_lease *lease;
	struct kb_agent agent;
	struct kb_source_settings settings;
	struct kb_manner manner;
	struct kb_sitemap_report report;
	int64_t queued; /* errands that were planned */
	int64_t retry_after_s;
	/* Of a website. */
	bool is_site, is_listed; /* is_listed: it begins with what a sitemap or feed names */
	int64_t depth;           /* of the pages that are found now */
	struct kb_crawl crawl;
	struct kb_scope scope;
	int64_t waiting;           /* of its pages; the reading goes on */
	struct kb_sv start_failed; /* why its start could not be read, where that is all of it */
};

static bool wait_for_host(struct sync *s, struct kb_sv url, struct kb_err *err)
{
	struct kb_crawler *crawler = s->crawler;
	struct kb_sv host = kb_page_host(url);
	struct kb_host_turn turn;

	do {
		if (!kb_store_host_enter(crawler->config.store, host, s->manner.agent_id, &turn,
		                         err))
			return false;
		if (turn.hold.since) {
			s->manner.hold = turn.hold;
			return true;
		}
		if (turn.pauses && turn.wait_us > HOST_WAIT_MAX_S * KB_SECOND_US) {
			s->retry_after_s = turn.wait_us / KB_SECOND_US;
			return kb_fail(err, KB_E_UPSTREAM,
			               "the host asked not to be asked for another %" PRId64 " s",
			               s->retry_after_s);
		}
	} while (kb_bell_rest(&crawler->bell,
	                      kb_clock_steady_us(crawler->config.clock) + turn.wait_us));
	return kb_fail(err, KB_E_CANCELLED, "the service stops");
}

/* Waits until the address may be asked for; the host is taken then. Each time the lease is renewed.
 */
static bool take_host(struct sync *s, struct kb_arena *arena, struct kb_sv url, struct kb_err *err)
{
	bool turn_used;

	do {
		if (!kb_store_source_renew(s->crawler->config.store, s->lease,
		                           KB_CRAWLER_LEASE_S * KB_SECOND_US, err))
			return kb_fail(err, KB_E_CANCELLED,
			               "the source is gone or read by somebody else");
		if (!wait_for_host(s, url, err))
			return false;
		if (!kb_crawler_may_ask(s->crawler, arena, &s->manner, url, &turn_used, err)) {
			kb_crawler_leave(s->crawler, &s->manner, 0, KB_HOST_NOT_ASKED);
			return false;
		}
	} while (turn_used);
	return true;
}

/* The walk's way to a file. */
static bool fetch(void *arg, struct kb_arena *arena, struct kb_sv url, struct kb_sitemap_file *out,
                  struct kb_err *err)
{
	struct sync *s = arg;
	struct kb_fetch_response response;
	struct kb_sv refusal;
	bool retry;
	const struct kb_crawler_request request = {
		.fetch = { .url = url,
		           .accept = kb_sv_str(accept_lists),
		           .bytes_max = KB_SITEMAP_BYTES_MAX,
		           .may_follow = kb_crawler_may_follow,
		           .may_follow_arg = s->crawler },
	};

	if (!take_host(s, arena, url, err)
	    || !kb_crawler_fetch(s->crawler, arena, &s->manner, &request, &response, err))
		return false;
	*out = (struct kb_sitemap_file){ .fd = response.fd,
		                         .url = response.url,
		                         .content_type = response.content_type };
	if (response.status >= 200 && response.status < 300 && response.fd >= 0)
		return true;
	refusal = kb_crawler_refusal(arena, &response, &retry);
	s->retry_after_s = response.retry_after_s;
	return kb_fail(err, retry ? KB_E_UPSTREAM : KB_E_INVALID, "%.*s", KB_SV_ARG(refusal));
}

static bool found(void *arg, const struct kb_listed *listed, size_t count, struct kb_err *err)
{
	struct sync *s = arg;
	struct kb_listed *kept = KB_NEW_ARRAY(s->arena, count, struct kb_listed);
	int64_t queued;

	for (size_t i = 0; i < count; i++) {
		kept[i] = listed[i];
		if (!s->settings.images)
			kept[i].image = KB_SV("");
	}
	if (!kb_store_source_found(s->crawler->config.store, s->lease,
	                           &(struct kb_listing){
	                                   .v = kept,
	                                   .count = count,
	                                   .add_new = s->settings.create_new_pages
	                                              || s->lease->source.synced_at == 0,
	                                   .revisit = s->settings.revisit,
	                                   .add_images = s->settings.sync_all_images
	                                                 || s->settings.update_existing_images,
	                                   .replace_images = s->settings.update_existing_images,
	                                   .planned = s->queued,
	                                   .pause_us = s->crawler->config.pause_ms * INT64_C(1000),
	                                   .depth = s->depth,
	                                   .pages_most = s->settings.max_pages,
	                           },
	                           &queued, err))
		return false;
	s->queued += queued;
	if (queued)
		kb_crawler_wake(s->crawler);
	return true;
}

/* A single page: the source lists itself. */
static bool single_page(struct sync *s, struct kb_err *err)
{
	s->report.pages = 1;
	return found(s, &(struct kb_listed){ .url = s->lease->source.url }, 1, err);
}

/* What a sitemap or feed lists. */
static bool read_list(struct sync *s, struct kb_sv url, struct kb_sitemap_report *report,
                      bool (*take)(void *arg, const struct kb_listed *listed, size_t count,
                                   struct kb_err *err),
                      struct kb_err *err)
{
	return kb_sitemap_walk(
	        &(struct kb_sitemap_walk){
	                .parser = s->crawler->config.parser,
	                .owner = s->agent.account_id,
	                .timeout_ms = PARSE_TIMEOUT_S * 1000
	                              * (s->manner.extra_timeout ? KB_CRAWLER_EXTRA_TIMES : 1),
	                .fetch = fetch,
	                .found = take,
	                .arg = s,
	        },
	        url, report, err);
}

/* ---- a whole website ----
 *
 *   begin: its pages go into the queue ─▶ seed: the pages of its sitemaps ─▶ wait until none waits
 *
 * Its pages lead to each other without us (follow.h). Each step is a lease of its own, or a part of
 * one: whoever dies in one is followed by somebody who goes on with what the rows say.
 */

/* Pages that a sitemap of the website lists, by the same rules as its links. */
static bool found_in_site(void *arg, const struct kb_listed *listed, size_t count,
                          struct kb_err *err)
{
	struct sync *s = arg;
	struct kb_listed *kept = KB_NEW_ARRAY(s->arena, count, struct kb_listed);
	size_t kept_count = 0;

	for (size_t i = 0; i < count; i++) {
		struct kb_url url;
		struct kb_sv name;

		if (!kb_url_parse(s->arena, listed[i].url, NULL, &url, NULL)
		    || !kb_scope_takes(s->arena, &s->scope, &url, &name))
			continue;
		kept[kept_count] = listed[i];
		kept[kept_count++].url = name;
	}
	return kept_count == 0 || found(s, kept, kept_count, err);
}

/* One that is not there, or no sitemap, is no matter; an outage says nothing of it. */
static bool try_sitemap(struct sync *s, struct kb_sv address, struct kb_err *err)
{
	struct kb_sitemap_report report;
	struct kb_url url;

	if (!kb_url_parse(s->arena, address, &s->scope.roots[1], &url, NULL)
	    || !kb_url_is_web(&url))
		return true;
	return read_list(s, kb_url_document(s->arena, &url), &report, found_in_site, err)
	       || (err->code != KB_E_CANCELLED && err->code != KB_E_CONFLICT
	           && !kb_err_info(err->code)->outage);
}

/* What a website begins with that has a list for a start. */
static bool read_start_list(struct sync *s, struct kb_err *err)
{
	struct kb_sv url = s->lease->source.url;
	bool certain;

	if (read_list(s, url, &s->report, found, err))
		return true;
	/* Its name only looked like that of a list: it is a page. */
	kb_source_is_list(url, &certain);
	if (err->code != KB_E_UNSUPPORTED || certain)
		return false;
	s->depth = 1;
	if (!single_page(s, err))
		return false;
	s->depth = KB_CRAWLER_SEED_DEPTH;
	return true;
}

/* The sitemaps that robots.txt names, else those that stand where they mostly do. */
static bool seed(struct sync *s, struct kb_err *err)
{
	static const char *const usual[] = { "/sitemap.xml", "/sitemap_index.xml", "sitemap.xml" };
	const struct kb_url *start = &s->scope.roots[1];
	struct kb_robots_file file = { 0 };
	struct kb_sv rest, address;
	bool known, named = false;

	if (s->is_listed && !read_start_list(s, err))
		return false;
	if (!kb_store_robots_get(s->crawler->config.store, s->arena,
	                         kb_crawler_origin(s->arena, start), &file, &known, err))
		return false;
	rest = file.text;
	for (int i = 0; i < SITEMAPS_MAX && kb_robots_sitemap(&rest, &address); i++) {
		named = true;
		if (!try_sitemap(s, address, err))
			return false;
	}
	for (size_t i = 0; !named && i < KB_COUNTOF(usual); i++)
		if ((usual[i][0] == '/' || start->path.n > 1)
		    && !try_sitemap(s, kb_sv_str(usual[i]), err))
			return false;
	return kb_store_crawl_seeded(s->crawler->config.store, s->lease, err);
}

/* anew: it has another start, or none that was read so. */
static bool begin_site(struct sync *s, bool anew, struct kb_err *err)
{
	struct kb_store *store = s->crawler->config.store;
	struct kb_crawl_again again = { .lease = s->lease,
		                        .anew = anew,
		                        .depth = s->is_listed ? KB_CRAWLER_SEED_DEPTH : 1 };
	bool more = true;

	if (!kb_store_crawl_begin(store, s->lease, err))
		return false;
	while (more)
		if (!kb_store_crawl_requeue(store, &again, &more, err))
			return false;
	s->depth = 1;
	if (!s->is_listed && !found(s, &(struct kb_listed){ .url = s->lease->source.url }, 1, err))
		return false;
	s->depth = KB_CRAWLER_SEED_DEPTH;
	kb_crawler_wake(s->crawler);
	return kb_store_crawl_get(store, s->arena, s->lease->source.agent_id, s->lease->source.id,
	                          &s->crawl, err);
}

/* robots.txt comes first, as for every page; it names the sitemaps, too. */
static bool read_rules(struct sync *s, struct kb_err *err)
{
	struct kb_sv start = s->scope.roots[1].href;

	if (!take_host(s, s->arena, start, err))
		return err->code == KB_E_FORBIDDEN; /* its page says so */
	kb_crawler_leave(s->crawler, &s->manner, 0, KB_HOST_NOT_ASKED);
	return true;
}

/* Where its start is all there is of it, and cannot be read, that is what became of the source. */
static bool look_at_start(struct sync *s, struct kb_err *err)
{
	const struct kb_source *source = &s->lease->source;
	struct kb_page_list pages;

	if (!kb_store_source_pages(s->crawler->config.store, s->arena, source, 2, &pages, err))
		return false;
	if (pages.count == 1 && pages.v[0].passages == 0)
		s->start_failed = pages.v[0].reason;
	return true;
}

static bool read_site(struct sync *s, struct kb_err *err)
{
	struct kb_store *store = s->crawler->config.store;
	const struct kb_source *source = &s->lease->source;
	bool anew;

	s->is_site = true;
	s->depth = KB_CRAWLER_SEED_DEPTH;
	s->report.pages = 1;
	if (!kb_store_crawl_get(store, s->arena, source->agent_id, source->id, &s->crawl, err))
		return false;
	anew = !s->crawl.began_at || !kb_sv_eq(s->crawl.url, source->url);
	if ((anew || !s->crawl.is_running) && !begin_site(s, anew, err))
		return false;
	if (!kb_store_crawl_waiting(store, source->agent_id, source->id, &s->waiting, err))
		return false;
	/* The start comes first: it tells where the website really is. */
	if (s->waiting && s->crawl.pages <= 1 && !s->is_listed)
		return true;
	if (!s->crawl.is_seeded
	    && (!kb_scope_read(s->arena, source->url, s->crawl.start, s->manner.whole_host,
	                       &s->scope, err)
	        || !read_rules(s, err) || !seed(s, err)
	        || !kb_store_crawl_waiting(store, source->agent_id, source->id, &s->waiting, err)))
		return false;
	return s->waiting || look_at_start(s, err);
}

/* What the source lists. */
static bool list(struct sync *s, struct kb_err *err)
{
	struct kb_sv url = s->lease->source.url;
	bool certain;

	switch (kb_source_kind(url, &s->settings, s->manner.whole_host)) {
	case KB_SOURCE_SITE:
		return read_site(s, err);
	case KB_SOURCE_PAGE:
		return single_page(s, err);
	case KB_SOURCE_LIST:
		s->is_listed = true;
		break;
	}
	if (s->manner.whole_host)
		return read_site(s, err);
	if (read_list(s, url, &s->report, found, err))
		return true;
	/* Its name only looked like that of a list. */
	kb_source_is_list(url, &certain);
	return err->code == KB_E_UNSUPPORTED && !certain && single_page(s, err);
}

/* Removes what is no longer listed, if it was listed to its end. */
static bool remove_unlisted(struct sync *s, struct kb_err *err)
{
	enum { PIECE = 200 };
	int64_t after = 0, removed = PIECE;

	/* Of a website those that its host says are gone have gone already. */
	if (s->is_site || !s->settings.remove_unexist_pages || s->report.cut || s->report.unread
	    || s->report.pages == 0)
		return true;
	while (removed == PIECE)
		if (!kb_store_source_drop_unseen(s->crawler->config.store, s->lease, PIECE, &after,
		                                 &removed, err))
			return false;
	return true;
}

/* What a website has more than was read of it: the first of these that is any. */
static struct kb_sv remarks_on_site(const struct sync *s)
{
	const struct kb_crawl *crawl = &s->crawl;
	const struct {
		int64_t count;
		struct kb_sv why;
	} rows[] = {
		{ crawl->crowded,
		  kb_arena_printf(s->arena,
		                  "over the %" PRId64 " pages that max_pages and the plan allow",
		                  crawl->pages) },
		{ crawl->deep,
		  kb_arena_printf(s->arena,
		                  "more than %" PRId64 " links away from the start (max_depth)",
		                  s->settings.max_depth) },
		{ crawl->alike, KB_SV("too many alike, as calendars and searches have them") },
		{ crawl->forbidden, KB_SV("forbidden by robots.txt") },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++)
		if (rows[i].count)
			return kb_arena_printf(s->arena, "links left out: %" PRId64 ", %.*s",
			                       rows[i].count, KB_SV_ARG(rows[i].why));
	return KB_SV("");
}

/* What a person should know of a reading that went well. */
static struct kb_sv remarks(const struct sync *s)
{
	const struct kb_sitemap_report *report = &s->report;

	if (s->is_site && report->pages)
		return remarks_on_site(s);
	if (report->unread)
		return kb_arena_printf(s->arena,
		                       "%" PRId64 " parts of the sitemap could not be read; %s",
		                       report->unread, report->first.msg);
	if (report->pages == 0 && report->elsewhere)
		return kb_arena_printf(s->arena,
		                       "all of its %" PRId64 " addresses are of other sites",
		                       report->elsewhere);
	if (report->pages == 0 && report->guarded)
		return kb_arena_printf(
		        s->arena, "all of its %" PRId64 " addresses hold a user name or password",
		        report->guarded);
	if (report->pages == 0)
		return KB_SV("it lists no address");
	if (report->cut)
		return KB_SV(
		        "it is damaged or larger than what is read of a sitemap; what could be "
		        "read is there");
	if (report->elsewhere)
		return kb_arena_printf(s->arena,
		                       "%" PRId64 " addresses of other sites were left out",
		                       report->elsewhere);
	if (report->guarded)
		return kb_arena_printf(s->arena,
		                       "%" PRId64
		                       " addresses with a user name or password were left out",
		                       report->guarded);
	return KB_SV("");
}

/* Its pages are being fetched; their number says how far that is. */
static void look_again(const struct sync *s, struct kb_source_result *result)
{
	int64_t now = kb_clock_now_us(s->crawler->config.clock);
	int64_t pause_us = (now - s->crawl.began_at) / 10;

	pause_us =
	        KB_MIN(KB_MAX(pause_us, LOOK_MIN_MS * INT64_C(1000)), LOOK_MAX_MS * INT64_C(1000));
	result->status = KB_STATUS_QUEUED;
	result->is_no_try = true;
	result->due_at = now + pause_us;
	result->reason = kb_arena_printf(s->arena,
	                                 "its pages are being read: %" PRId64 " are known, %" PRId64
	                                 " of them wait",
	                                 KB_MAX(s->crawl.pages, s->waiting), s->waiting);
}

static void finish(struct sync *s, bool ok, const struct kb_err *problem)
{
	struct kb_crawler *crawler = s->crawler;
	const struct kb_source *source = &s->lease->source;
	struct kb_source_result result = { .status = KB_STATUS_OK, .is_crawl = s->is_site };
	int64_t nap_ms = KB_CRAWLER_OUTAGE_NAP_MS;
	struct kb_err err;
	bool done;

	if (ok && s->waiting) {
		look_again(s, &result);
	} else if (ok && s->start_failed.n) {
		result.status = KB_STATUS_FAILED;
		result.reason = s->start_failed;
	} else if (ok && s->report.pages == 0 && s->report.first.code == KB_OK) {
		/* Nothing to be had of it: the person must see that. */
		result.status = KB_STATUS_FAILED;
		result.reason = remarks(s);
	} else if (ok) {
		result.reason = remarks(s);
	} else if (problem->code == KB_E_CANCELLED || kb_bell_is_stopped(&crawler->bell)) {
		/* Whoever comes next begins anew. */
		result.status = KB_STATUS_QUEUED;
		result.reason = KB_SV("waiting for its turn");
		result.due_at = kb_clock_now_us(crawler->config.clock);
	} else if (kb_err_info(problem->code)->outage) {
		/* It says nothing of the source. */
		result.status = KB_STATUS_QUEUED;
		result.is_no_try = true;
		result.reason = kb_arena_printf(s->arena, "%s", kb_err_reason(problem));
		result.due_at = kb_clock_now_us(crawler->config.clock)
		                + KB_CRAWLER_OUTAGE_WAIT_S * KB_SECOND_US;
	} else {
		bool again = kb_err_info(problem->code)->retry
		             && s->lease->attempts < KB_CRAWLER_TRIES_MAX;

		result.status = again ? KB_STATUS_QUEUED : KB_STATUS_FAILED;
		result.reason = kb_arena_printf(s->arena, "the sitemap could not be read: %s",
		                                kb_err_reason(problem));
		if (again)
			result.due_at = kb_crawler_retry_at(crawler, &s->manner, s->lease->attempts,
			                                    s->retry_after_s);
	}
	if (result.status != KB_STATUS_QUEUED) {
		result.due_at =
		        kb_source_next(&s->settings, kb_clock_now_us(crawler->config.clock));
		atomic_fetch_add(&crawler->sources_read, 1);
	}
	if (s->waiting == 0)
		kb_info(crawler->config.log,
		        "source read agent=%" PRId64 " source=%" PRId64 " status=%s pages=%" PRId64
		        " queued=%" PRId64 " reason=%.*s",
		        source->agent_id, source->id, kb_status_name(result.status),
		        s->report.pages, s->queued, KB_SV_ARG(result.reason));
	while (!(done = kb_store_source_finish(crawler->config.store, s->lease, &result, &err))
	       && kb_crawler_insists(crawler, &nap_ms, &err))
		;
	if (!done && err.code != KB_E_CONFLICT && err.code != KB_E_NOT_FOUND)
		kb_error_log(crawler->config.log,
		             "reading not recorded, the source waits for the end of its lease "
		             "source=%" PRId64 " error=%s",
		             source->id, err.msg);
}

void kb_crawler_sync(struct kb_crawler *crawler, struct kb_arena *arena,
                     const struct kb_source_lease *lease)
{
	struct sync s = { .crawler = crawler, .arena = arena, .lease = lease };
	struct kb_err err = { 0 };
	bool ok;

	kb_source_settings_read(arena, lease->source.settings, &s.settings);
	ok = kb_store_agent_find(crawler->config.store, arena, lease->source.agent_id, &s.agent,
	                         &err);
	if (ok)
		kb_manner_read(crawler, arena, &s.agent, &s.manner);
	ok = ok && list(&s, &err) && remove_unlisted(&s, &err);
	finish(&s, ok, &err);
}
