/* What a source lists by itself: a page, or the addresses in a sitemap or feed. */
#include "crawl/reading.h"

enum {
	PARSE_TIMEOUT_S = 30,
	HOST_WAIT_MAX_S = 60, /* a longer pause of its host puts the reading off */
};
static const char accept_lists[] =
        "application/xml,text/xml,application/rss+xml,application/atom+xml,"
        "text/plain;q=0.8,*/*;q=0.5";

static bool wait_for_host(struct kb_reading *r, struct kb_sv url, struct kb_err *err)
{
	struct kb_crawler *crawler = r->crawler;
	struct kb_sv host = kb_page_host(url);
	struct kb_host_turn turn;

	do {
		if (!kb_store_host_enter(crawler->config.store, host, r->manner.agent_id, &turn,
		                         err))
			return false;
		if (turn.hold.since) {
			r->manner.hold = turn.hold;
			return true;
		}
		if (turn.pauses && turn.wait_us > HOST_WAIT_MAX_S * KB_SECOND_US) {
			r->retry_after_s = turn.wait_us / KB_SECOND_US;
			return kb_fail(err, KB_E_UPSTREAM,
			               "the host asked not to be asked for another %" PRId64 " s",
			               r->retry_after_s);
		}
	} while (kb_bell_rest(&crawler->bell,
	                      kb_clock_steady_us(crawler->config.clock) + turn.wait_us));
	return kb_fail(err, KB_E_CANCELLED, "the service stops");
}

/* Each time the lease is renewed. */
bool kb_reading_take_host(struct kb_reading *r, struct kb_arena *arena, struct kb_sv url,
                          struct kb_err *err)
{
	bool turn_used;

	do {
		if (!kb_store_source_renew(r->crawler->config.store, r->lease,
		                           KB_CRAWLER_LEASE_S * KB_SECOND_US, err))
			return kb_fail(err, KB_E_CANCELLED,
			               "the source is gone or read by somebody else");
		if (!wait_for_host(r, url, err))
			return false;
		if (!kb_crawler_may_ask(r->crawler, arena, &r->manner, url, &turn_used, err)) {
			kb_crawler_leave(r->crawler, &r->manner, 0, KB_HOST_NOT_ASKED);
			return false;
		}
	} while (turn_used);
	return true;
}

/* The walk's way to a file. */
static bool fetch(void *arg, struct kb_arena *arena, struct kb_sv url, struct kb_sitemap_file *out,
                  struct kb_err *err)
{
	struct kb_reading *r = arg;
	struct kb_fetch_response response;
	struct kb_sv refusal;
	bool retry;
	const struct kb_crawler_request request = {
		.fetch = { .url = url,
		           .accept = kb_sv_str(accept_lists),
		           .bytes_max = KB_SITEMAP_BYTES_MAX,
		           .may_follow = kb_crawler_may_follow,
		           .may_follow_arg = r->crawler },
	};

	if (!kb_reading_take_host(r, arena, url, err)
	    || !kb_crawler_fetch(r->crawler, arena, &r->manner, &request, &response, err))
		return false;
	*out = (struct kb_sitemap_file){ .fd = response.fd,
		                         .url = response.url,
		                         .content_type = response.content_type };
	if (response.status >= 200 && response.status < 300 && response.fd >= 0)
		return true;
	refusal = kb_crawler_refusal(arena, &response, &retry);
	r->retry_after_s = response.retry_after_s;
	return kb_fail(err, retry ? KB_E_UPSTREAM : KB_E_INVALID, "%.*s", KB_SV_ARG(refusal));
}

bool kb_reading_found(void *arg, const struct kb_listed *listed, size_t count, struct kb_err *err)
{
	struct kb_reading *r = arg;
	struct kb_listed *kept = KB_NEW_ARRAY(r->arena, count, struct kb_listed);
	int64_t queued;

	for (size_t i = 0; i < count; i++) {
		kept[i] = listed[i];
		if (!r->settings.images)
			kept[i].image = KB_SV("");
	}
	if (!kb_store_source_found(r->crawler->config.store, r->lease,
	                           &(struct kb_listing){
	                                   .v = kept,
	                                   .count = count,
	                                   .add_new = r->settings.create_new_pages
	                                              || r->lease->source.synced_at == 0,
	                                   .refetch = r->settings.refetch,
	                                   .add_images = r->settings.sync_all_images
	                                                 || r->settings.update_existing_images,
	                                   .replace_images = r->settings.update_existing_images,
	                                   .planned = r->queued,
	                                   .pause_us = r->crawler->config.pause_ms * INT64_C(1000),
	                                   .depth = r->depth,
	                                   .pages_most = r->settings.max_pages,
	                           },
	                           &queued, err))
		return false;
	r->queued += queued;
	if (queued)
		kb_crawler_wake(r->crawler);
	return true;
}

/* The source lists itself. */
bool kb_list_page(struct kb_reading *r, struct kb_err *err)
{
	r->report.pages = 1;
	return kb_reading_found(r, &(struct kb_listed){ .url = r->lease->source.url }, 1, err);
}

bool kb_reading_walk(struct kb_reading *r, struct kb_sv url, struct kb_sitemap_report *report,
                     bool (*take)(void *arg, const struct kb_listed *listed, size_t count,
                                  struct kb_err *err),
                     struct kb_err *err)
{
	return kb_sitemap_walk(
	        &(struct kb_sitemap_walk){
	                .parser = r->crawler->config.parser,
	                .owner = r->agent.account_id,
	                .timeout_ms = PARSE_TIMEOUT_S * 1000
	                              * (r->manner.extra_timeout ? KB_CRAWLER_EXTRA_TIMES : 1),
	                .fetch = fetch,
	                .found = take,
	                .arg = r,
	        },
	        url, report, err);
}

bool kb_list_file(struct kb_reading *r, struct kb_err *err)
{
	struct kb_sv url = r->lease->source.url;
	bool certain;

	if (kb_reading_walk(r, url, &r->report, kb_reading_found, err))
		return true;
	/* Its name only looked like that of a list. */
	kb_source_is_list(url, &certain);
	return err->code == KB_E_UNSUPPORTED && !certain && kb_list_page(r, err);
}
