/* One reading of a source: which pages it has now. */
#include <stdlib.h>

#include "crawl/sitemap.h"
#include "crawl/web_impl.h"

enum {
	PARSE_TIMEOUT_S = 30,
	HOST_WAIT_MAX_S = 60, /* a longer pause of its host puts the reading off */
};
static const char accept_lists[] =
        "application/xml,text/xml,application/rss+xml,application/atom+xml,"
        "text/plain;q=0.8,*/*;q=0.5";

struct sync {
	struct kb_web *web;
	struct kb_arena *arena;
	const struct kb_source_lease *lease;
	struct kb_agent agent;
	struct kb_source_settings settings;
	struct kb_manner manner;
	struct kb_sitemap_report report;
	int64_t queued; /* visits that were planned */
	int64_t retry_after_s;
};

static bool wait_for_host(struct sync *s, struct kb_sv url, struct kb_err *err)
{
	int64_t pause_us;

	if (kb_hosts_take(s->web->hosts, kb_page_host(url), s->manner.agent_id,
	                  HOST_WAIT_MAX_S * KB_SECOND_US, &pause_us))
		return true;
	s->retry_after_s = pause_us / KB_SECOND_US;
	return pause_us ? kb_fail(err, KB_E_UPSTREAM,
	                          "the host asked not to be asked for another %" PRId64 " s",
	                          s->retry_after_s)
	                : kb_fail(err, KB_E_CANCELLED, "the service stops");
}

/* Waits until the address may be asked for; the host is taken then. Each time the lease is renewed.
 */
static bool take_host(struct sync *s, struct kb_arena *arena, struct kb_sv url, struct kb_err *err)
{
	bool turn_used;

	do {
		if (!kb_store_source_renew(s->web->config.store, s->lease,
		                           KB_WEB_LEASE_S * KB_SECOND_US, err))
			return kb_fail(err, KB_E_CANCELLED,
			               "the source is gone or read by somebody else");
		if (!wait_for_host(s, url, err))
			return false;
		if (!kb_web_may_ask(s->web, arena, &s->manner, url, &turn_used, err)) {
			if (!turn_used)
				kb_hosts_give(s->web->hosts, kb_page_host(url), s->manner.agent_id,
				              0, KB_HOST_NOT_ASKED);
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

	if (!take_host(s, arena, url, err)
	    || !kb_web_fetch(s->web, arena, &s->manner,
	                     &(struct kb_fetch_request){ .url = url,
	                                                 .accept = kb_sv_str(accept_lists),
	                                                 .bytes_max = KB_SITEMAP_BYTES_MAX,
	                                                 .may_follow = kb_web_may_follow,
	                                                 .may_follow_arg = s->web },
	                     &response, err))
		return false;
	*out = (struct kb_sitemap_file){ .fd = response.fd,
		                         .url = response.url,
		                         .content_type = response.content_type };
	if (response.status >= 200 && response.status < 300 && response.fd >= 0)
		return true;
	refusal = kb_web_refusal(arena, &response, &retry);
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
	if (!kb_store_source_found(s->web->config.store, s->lease,
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
	                                   .pause_us = KB_WEB_PAUSE_MS * INT64_C(1000),
	                           },
	                           &queued, err))
		return false;
	s->queued += queued;
	if (queued)
		kb_web_wake(s->web);
	return true;
}

/* A single page: the source lists itself. */
static bool single_page(struct sync *s, struct kb_err *err)
{
	s->report.pages = 1;
	return found(s, &(struct kb_listed){ .url = s->lease->source.url }, 1, err);
}

/*
 * What the source lists. A crawler of whole websites begins here: it is the third way, beside
 * sitemaps and single pages, from a source's address to found().
 */
static bool list(struct sync *s, struct kb_err *err)
{
	struct kb_sv url = s->lease->source.url;
	struct kb_sitemap_walk walk = {
		.parser = s->web->config.parser,
		.owner = s->agent.account_id,
		.timeout_ms =
		        PARSE_TIMEOUT_S * 1000 * (s->manner.extra_timeout ? KB_WEB_EXTRA_TIMES : 1),
		.fetch = fetch,
		.found = found,
		.arg = s,
	};
	bool certain;

	if (!kb_source_is_list(url, &certain) && !s->settings.is_list)
		return single_page(s, err);
	if (kb_sitemap_walk(&walk, url, &s->report, err))
		return true;
	/* Its name only looked like that of a list. */
	return err->code == KB_E_UNSUPPORTED && !certain && single_page(s, err);
}

/* Removes what is no longer listed, if it was listed to its end. */
static bool remove_unlisted(struct sync *s, struct kb_err *err)
{
	enum { PIECE = 200 };
	int64_t removed = PIECE;

	if (!s->settings.remove_unexist_pages || s->report.cut || s->report.unread
	    || s->report.pages == 0)
		return true;
	while (removed == PIECE)
		if (!kb_store_source_drop_unseen(s->web->config.store, s->lease, PIECE, &removed,
		                                 err))
			return false;
	return true;
}

/* What a person should know of a reading that went well. */
static struct kb_sv remarks(const struct sync *s)
{
	const struct kb_sitemap_report *report = &s->report;

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

static void finish(struct sync *s, bool ok, const struct kb_err *problem)
{
	struct kb_web *web = s->web;
	const struct kb_source *source = &s->lease->source;
	struct kb_source_result result = { .status = KB_STATUS_OK };
	struct kb_err err;

	if (ok && s->report.pages == 0 && s->report.first.code == KB_OK) {
		/* Nothing to be had of it: the person must see that. */
		result.status = KB_STATUS_FAILED;
		result.reason = remarks(s);
	} else if (ok) {
		result.reason = remarks(s);
	} else if (problem->code == KB_E_CANCELLED || kb_bell_is_stopped(&web->bell)) {
		/* Whoever comes next begins anew. */
		result.status = KB_STATUS_QUEUED;
		result.reason = KB_SV("waiting for its turn");
		result.due_at = kb_clock_now_us(web->config.clock);
	} else {
		bool again =
		        kb_err_info(problem->code)->retry && s->lease->attempts < KB_WEB_TRIES_MAX;

		result.status = again ? KB_STATUS_QUEUED : KB_STATUS_FAILED;
		result.reason = kb_arena_printf(s->arena, "the sitemap could not be read: %s",
		                                problem->msg);
		if (again)
			result.due_at = kb_web_retry_at(web, &s->manner, s->lease->attempts,
			                                s->retry_after_s);
	}
	if (result.status != KB_STATUS_QUEUED) {
		result.due_at = kb_source_next(&s->settings, kb_clock_now_us(web->config.clock));
		atomic_fetch_add(&web->sources_read, 1);
	}
	kb_info(web->config.log,
	        "source read agent=%" PRId64 " source=%" PRId64 " status=%s pages=%" PRId64
	        " queued=%" PRId64 " reason=%.*s",
	        source->agent_id, source->id, kb_status_name(result.status), s->report.pages,
	        s->queued, KB_SV_ARG(result.reason));
	if (!kb_store_source_finish(web->config.store, s->lease, &result, &err)
	    && err.code != KB_E_CONFLICT && err.code != KB_E_NOT_FOUND)
		kb_error_log(web->config.log,
		             "reading not recorded, the source waits for the end of its lease "
		             "source=%" PRId64 " error=%s",
		             source->id, err.msg);
}

void kb_web_sync(struct kb_web *web, struct kb_arena *arena, const struct kb_source_lease *lease)
{
	struct sync s = { .web = web, .arena = arena, .lease = lease };
	struct kb_err err = { 0 };
	bool ok;

	kb_source_settings_read(arena, lease->source.settings, &s.settings);
	ok = kb_store_agent_find(web->config.store, arena, lease->source.agent_id, &s.agent, &err);
	if (ok)
		kb_manner_read(web, arena, &s.agent, &s.manner);
	ok = ok && list(&s, &err) && remove_unlisted(&s, &err);
	finish(&s, ok, &err);
}
