/*
 * How the pages of a website are found.
 *
 *   begin: its pages go into the queue ─▶ seed: the pages of its sitemaps ─▶ wait until none waits
 *
 * Its pages lead to each other without us (follow.h). Each step is a lease of its own, or a part of
 * one: whoever dies in one is followed by somebody who goes on with what the rows say.
 */
#include "crawl/kinds.h"
#include "crawl/permit.h"
#include "crawl/reading.h"
#include "crawl/robots.h"
#include "store/robots.h"

enum {
	SITEMAPS_MAX = 100,  /* of one robots.txt */
	LOOK_MIN_MS = 300,   /* between two looks at whether a website is read: */
	LOOK_MAX_MS = 10000, /* a tenth of the time it has taken, within these */
};

/* Pages that a sitemap of the website lists, by the same rules as its links. */
static bool found_in_site(void *arg, const struct kb_listed *listed, size_t count,
                          struct kb_err *err)
{
	struct kb_reading *r = arg;
	struct kb_listed *kept = KB_NEW_ARRAY(r->arena, count, struct kb_listed);
	size_t kept_count = 0;

	for (size_t i = 0; i < count; i++) {
		struct kb_url url;
		struct kb_sv name;

		if (!kb_url_parse(r->arena, listed[i].url, NULL, &url, NULL)
		    || !kb_scope_takes(r->arena, &r->scope, &url, &name))
			continue;
		kept[kept_count] = listed[i];
		kept[kept_count++].url = name;
	}
	return kept_count == 0 || kb_reading_found(r, kept, kept_count, err);
}

/* One that is not there, or no sitemap, is no matter; an outage says nothing of it. */
static bool try_sitemap(struct kb_reading *r, struct kb_sv address, struct kb_err *err)
{
	struct kb_sitemap_report report;
	struct kb_url url;

	if (!kb_url_parse(r->arena, address, &r->scope.roots[1], &url, NULL)
	    || !kb_url_is_web(&url))
		return true;
	return kb_reading_walk(r, kb_url_document(r->arena, &url), &report, found_in_site, err)
	       || (err->code != KB_E_CANCELLED && err->code != KB_E_CONFLICT
	           && !kb_err_info(err->code)->outage);
}

/* What a website begins with that has a list for a start. */
static bool read_start_list(struct kb_reading *r, struct kb_err *err)
{
	struct kb_sv url = r->lease->source.url;
	bool certain;

	if (kb_reading_walk(r, url, &r->report, kb_reading_found, err))
		return true;
	/* Its name only looked like that of a list: it is a page. */
	kb_source_is_list(url, &certain);
	if (err->code != KB_E_UNSUPPORTED || certain)
		return false;
	r->depth = 1;
	if (!kb_list_page(r, err))
		return false;
	r->depth = KB_CRAWLER_SEED_DEPTH;
	return true;
}

/* The sitemaps that robots.txt names, else those that stand where they mostly do. */
static bool seed(struct kb_reading *r, struct kb_err *err)
{
	static const char *const usual[] = { "/sitemap.xml", "/sitemap_index.xml", "sitemap.xml" };
	const struct kb_url *start = &r->scope.roots[1];
	struct kb_robots_file file = { 0 };
	struct kb_sv rest, address;
	bool known, named = false;

	if (r->kind->starts_list && !read_start_list(r, err))
		return false;
	if (!kb_store_robots_get(r->crawler->config.store, r->arena,
	                         kb_crawler_origin(r->arena, start), &file, &known, err))
		return false;
	rest = file.text;
	for (int i = 0; i < SITEMAPS_MAX && kb_robots_sitemap(&rest, &address); i++) {
		named = true;
		if (!try_sitemap(r, address, err))
			return false;
	}
	for (size_t i = 0; !named && i < KB_COUNTOF(usual); i++)
		if ((usual[i][0] == '/' || start->path.n > 1)
		    && !try_sitemap(r, kb_sv_str(usual[i]), err))
			return false;
	return kb_store_crawl_seeded(r->crawler->config.store, r->lease, err);
}

/* anew: it has another start, or none that was read so. */
static bool begin_site(struct kb_reading *r, bool anew, struct kb_err *err)
{
	struct kb_store *store = r->crawler->config.store;
	struct kb_crawl_again again = { .lease = r->lease,
		                        .anew = anew,
		                        .depth = r->kind->starts_list ? KB_CRAWLER_SEED_DEPTH : 1 };
	bool more = true;

	if (!kb_store_crawl_begin(store, r->lease, err))
		return false;
	while (more)
		if (!kb_store_crawl_requeue(store, &again, &more, err))
			return false;
	r->depth = 1;
	if (!r->kind->starts_list
	    && !kb_reading_found(r, &(struct kb_listed){ .url = r->lease->source.url }, 1, err))
		return false;
	r->depth = KB_CRAWLER_SEED_DEPTH;
	kb_crawler_wake(r->crawler);
	return kb_store_crawl_get(store, r->arena, r->lease->source.agent_id, r->lease->source.id,
	                          &r->crawl, err);
}

/* robots.txt comes first, as for every page; it names the sitemaps, too. */
static bool read_rules(struct kb_reading *r, struct kb_err *err)
{
	struct kb_sv start = r->scope.roots[1].href;

	if (!kb_reading_take_host(r, r->arena, start, err))
		return err->code == KB_E_FORBIDDEN; /* its page says so */
	kb_crawler_leave(r->crawler, &r->manner, 0, KB_HOST_NOT_ASKED);
	return true;
}

/* Where its start is all there is of it, and cannot be read, that is what became of the source. */
static bool look_at_start(struct kb_reading *r, struct kb_err *err)
{
	const struct kb_source *source = &r->lease->source;
	struct kb_page_list pages;

	if (!kb_store_source_pages(r->crawler->config.store, r->arena, source, 2, &pages, err))
		return false;
	if (pages.count == 1 && pages.v[0].passages == 0)
		r->failed_for = pages.v[0].reason;
	return true;
}

static bool read(struct kb_reading *r, struct kb_err *err)
{
	struct kb_store *store = r->crawler->config.store;
	const struct kb_source *source = &r->lease->source;
	bool anew;

	r->depth = KB_CRAWLER_SEED_DEPTH;
	r->report.pages = 1;
	if (!kb_store_crawl_get(store, r->arena, source->agent_id, source->id, &r->crawl, err))
		return false;
	anew = !r->crawl.began_at || !kb_sv_eq(r->crawl.url, source->url);
	if ((anew || !r->crawl.is_running) && !begin_site(r, anew, err))
		return false;
	if (!kb_store_crawl_waiting(store, source->agent_id, source->id, &r->waiting, err))
		return false;
	/* The start comes first: it tells where the website really is. */
	if (r->waiting && r->crawl.pages <= 1 && !r->kind->starts_list)
		return true;
	if (!r->crawl.is_seeded
	    && (!kb_scope_read(r->arena, source->url, r->crawl.start, r->manner.whole_host,
	                       &r->scope, err)
	        || !read_rules(r, err) || !seed(r, err)
	        || !kb_store_crawl_waiting(store, source->agent_id, source->id, &r->waiting, err)))
		return false;
	return r->waiting || look_at_start(r, err);
}

/* Its pages are being fetched; their number says how far that is. */
static void look_again(struct kb_reading *r)
{
	int64_t now = kb_clock_now_us(r->crawler->config.clock);
	int64_t pause_us = (now - r->crawl.began_at) / 10;

	pause_us =
	        KB_MIN(KB_MAX(pause_us, LOOK_MIN_MS * INT64_C(1000)), LOOK_MAX_MS * INT64_C(1000));
	r->look_at = now + pause_us;
	r->waits_for = kb_arena_printf(r->arena,
	                               "its pages are being read: %" PRId64 " are known, %" PRId64
	                               " of them wait",
	                               KB_MAX(r->crawl.pages, r->waiting), r->waiting);
}

bool kb_list_site(struct kb_reading *r, struct kb_err *err)
{
	if (!read(r, err))
		return false;
	if (r->waiting)
		look_again(r);
	return true;
}

/* The first of these that is any. */
struct kb_sv kb_site_remarks(const struct kb_reading *r)
{
	const struct kb_crawl *crawl = &r->crawl;
	const struct {
		int64_t count;
		struct kb_sv why;
	} rows[] = {
		{ crawl->crowded,
		  kb_arena_printf(r->arena,
		                  "over the %" PRId64 " pages that max_pages and the plan allow",
		                  crawl->pages) },
		{ crawl->deep,
		  kb_arena_printf(r->arena,
		                  "more than %" PRId64 " links away from the start (max_depth)",
		                  r->settings.max_depth) },
		{ crawl->alike, KB_SV("too many alike, as calendars and searches have them") },
		{ crawl->forbidden, KB_SV("forbidden by robots.txt") },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++)
		if (rows[i].count)
			return kb_arena_printf(r->arena, "links left out: %" PRId64 ", %.*s",
			                       rows[i].count, KB_SV_ARG(rows[i].why));
	return KB_SV("");
}
