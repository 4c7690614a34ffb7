/* One reading of a source: which pages it has now, by its kind, and what became of it. */
#include "crawl/kinds.h"
#include "crawl/reading.h"

/* Removes what is no longer listed, if it was listed to its end. */
static bool remove_unlisted(struct kb_reading *r, struct kb_err *err)
{
	enum { PIECE = 200 };
	int64_t after = 0, removed = PIECE;

	/* Of a website those that its host says are gone have gone already. */
	if (r->kind->is_crawl || !r->settings.remove_unexist_pages || r->report.cut
	    || r->report.unread || r->report.pages == 0)
		return true;
	while (removed == PIECE)
		if (!kb_store_source_drop_unseen(r->crawler->config.store, r->lease, PIECE, &after,
		                                 &removed, err))
			return false;
	return true;
}

/* What a person should know of a reading that went well. */
static struct kb_sv remarks(const struct kb_reading *r)
{
	const struct kb_sitemap_report *report = &r->report;

	KB_ASSERT(r->kind);
	if (r->kind->remarks && report->pages)
		return r->kind->remarks(r);
	if (report->unread)
		return kb_arena_printf(r->arena,
		                       "%" PRId64 " parts of the sitemap could not be read; %s",
		                       report->unread, report->first.msg);
	if (report->pages == 0 && report->elsewhere)
		return kb_arena_printf(r->arena,
		                       "all of its %" PRId64 " addresses are of other sites",
		                       report->elsewhere);
	if (report->pages == 0 && report->guarded)
		return kb_arena_printf(
		        r->arena, "all of its %" PRId64 " addresses hold a user name or password",
		        report->guarded);
	if (report->pages == 0)
		return KB_SV("it lists no address");
	if (report->cut)
		return KB_SV(
		        "it is damaged or larger than what is read of a sitemap; what could be "
		        "read is there");
	if (report->elsewhere)
		return kb_arena_printf(r->arena,
		                       "%" PRId64 " addresses of other sites were left out",
		                       report->elsewhere);
	if (report->guarded)
		return kb_arena_printf(r->arena,
		                       "%" PRId64
		                       " addresses with a user name or password were left out",
		                       report->guarded);
	return KB_SV("");
}

/* What became of it, in words; due_at is only of one that is to go on. */
static struct kb_source_result result_of(const struct kb_reading *r, bool ok,
                                         const struct kb_err *problem)
{
	struct kb_crawler *crawler = r->crawler;
	int64_t now = kb_clock_now_us(crawler->config.clock);
	struct kb_source_result result = { .status = KB_STATUS_OK,
		                           .is_crawl = r->kind && r->kind->is_crawl };

	if (ok && r->look_at) {
		result.status = KB_STATUS_QUEUED;
		result.is_no_try = true;
		result.reason = r->waits_for;
		result.due_at = r->look_at;
	} else if (ok && r->failed_for.n) {
		result.status = KB_STATUS_FAILED;
		result.reason = r->failed_for;
	} else if (ok) {
		/* Nothing to be had of it: the person must see that. */
		if (r->report.pages == 0 && r->report.first.code == KB_OK)
			result.status = KB_STATUS_FAILED;
		result.reason = remarks(r);
	} else if (problem->code == KB_E_CANCELLED || kb_bell_is_stopped(&crawler->bell)) {
		/* Whoever comes next begins anew. */
		result.status = KB_STATUS_QUEUED;
		result.reason = KB_SV("waiting for its turn");
		result.due_at = now;
	} else if (kb_err_info(problem->code)->outage) {
		/* It says nothing of the source. */
		result.status = KB_STATUS_QUEUED;
		result.is_no_try = true;
		result.reason = kb_arena_printf(r->arena, "%s", kb_err_reason(problem));
		result.due_at = now + KB_CRAWLER_OUTAGE_WAIT_S * KB_SECOND_US;
	} else {
		bool again = kb_err_info(problem->code)->retry
		             && r->lease->attempts < KB_CRAWLER_TRIES_MAX;

		result.status = again ? KB_STATUS_QUEUED : KB_STATUS_FAILED;
		result.reason = kb_arena_printf(r->arena, "the sitemap could not be read: %s",
		                                kb_err_reason(problem));
		if (again)
			result.due_at = kb_crawler_retry_at(crawler, &r->manner, r->lease->attempts,
			                                    r->retry_after_s);
	}
	return result;
}

static void finish(struct kb_reading *r, bool ok, const struct kb_err *problem)
{
	struct kb_crawler *crawler = r->crawler;
	const struct kb_source *source = &r->lease->source;
	struct kb_source_result result = result_of(r, ok, problem);
	int64_t nap_ms = KB_CRAWLER_OUTAGE_NAP_MS;
	struct kb_err err;
	bool done;

	if (result.status != KB_STATUS_QUEUED) {
		result.due_at =
		        kb_source_next(&r->settings, kb_clock_now_us(crawler->config.clock));
		atomic_fetch_add(&crawler->sources_read, 1);
	}
	if (!r->look_at)
		kb_info(crawler->config.log,
		        "source read agent=%" PRId64 " source=%" PRId64 " status=%s pages=%" PRId64
		        " queued=%" PRId64 " reason=%.*s",
		        source->agent_id, source->id, kb_status_name(result.status),
		        r->report.pages, r->queued, KB_SV_ARG(result.reason));
	while (!(done = kb_store_source_finish(crawler->config.store, r->lease, &result, &err))
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
	struct kb_reading r = { .crawler = crawler, .arena = arena, .lease = lease };
	struct kb_err err = { 0 };
	bool ok;

	kb_source_settings_read(arena, lease->source.settings, &r.settings);
	ok = kb_store_agent_find(crawler->config.store, arena, lease->source.agent_id, &r.agent,
	                         &err);
	if (ok) {
		kb_manner_read(crawler, arena, &r.agent, &r.manner);
		r.kind = kb_source_kind(lease->source.url, &r.settings, r.manner.whole_host);
		ok = r.kind->list(&r, &err) && remove_unlisted(&r, &err);
	}
	finish(&r, ok, &err);
}
