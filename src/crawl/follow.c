#include "crawl/follow.h"

#include <stdlib.h>
#include <string.h>

#include "crawl/films.h"
#include "crawl/page_address.h"
#include "crawl/permit.h"
#include "crawl/robots.h"
#include "crawl/scope.h"
#include "crawl/source.h"
#include "settings/options.h"
#include "store/crawls.h"
#include "store/robots.h"

enum { SIGNPOST_BYTES = 400 }; /* of text: who sends readers on says no more than that he does */

/* One page in hand. */
struct follow {
	const struct kb_crawler_config *config;
	struct kb_arena *arena;
	const struct kb_page *page;
	struct kb_source_settings settings;
	struct kb_scope scope;
	struct kb_robots_file rules; /* of the website's host */
	struct kb_sv origin;
	struct kb_page_found *found;
};

/* How many pages the website may have. Some may turn out to be none, so it is more than the plan
 * has room for. */
static bool read_limits(struct follow *f, const struct kb_agent *agent, struct kb_err *err)
{
	struct kb_ingest_limits limits = { 0 };

	if (f->config->limits && !f->config->limits(f->config->limits_arg, agent, &limits, err))
		return false;
	f->found->pages_most = f->settings.max_pages;
	if (limits.pages_per_agent)
		f->found->pages_most =
		        KB_MIN(f->found->pages_most, limits.pages_per_agent * 2 + 100);
	return true;
}

static bool begin(struct follow *f, bool *follows, struct kb_err *err)
{
	struct kb_store *store = f->config->store;
	struct kb_agent_options options;
	struct kb_source source;
	struct kb_crawl crawl;
	struct kb_agent agent;
	bool found;

	*follows = false;
	if (!kb_store_agent_find(store, f->arena, f->page->agent_id, &agent, err)
	    || !kb_store_source_get(store, f->arena, f->page->agent_id, f->page->source_id, &source,
	                            err)
	    || !kb_store_crawl_get(store, f->arena, source.agent_id, source.id, &crawl, err))
		return false;
	kb_agent_options_read(f->arena, agent.options, f->config->log, &options);
	kb_source_settings_read(f->arena, source.settings, &f->settings);
	if (!crawl.began_at || !kb_sv_eq(crawl.url, source.url)
	    || (source.synced_at && !f->settings.create_new_pages))
		return true;
	*follows = true;
	if (!kb_scope_read(f->arena, crawl.url, crawl.start, options.use_full_url_crawl, &f->scope,
	                   err)
	    || !read_limits(f, &agent, err))
		return false;
	f->origin = kb_crawler_origin(f->arena, &f->scope.roots[1]);
	return kb_store_robots_get(store, f->arena, f->origin, &f->rules, &found, err);
}

static bool is_forbidden(const struct follow *f, const struct kb_url *url)
{
	/* What another host says is asked for when its turn comes. */
	return f->config->fetcher && kb_sv_eq(kb_crawler_origin(f->arena, url), f->origin)
	       && !kb_robots_ask(f->rules.text, kb_fetcher_name(f->config->fetcher),
	                         kb_crawler_path(f->arena, url))
	                   .allowed;
}

/* false: it is none of ours, or left out for a reason that is counted. */
static bool take_link(struct follow *f, struct kb_sv text, int64_t depth, struct kb_page_link *out)
{
	struct kb_page_shape shape;
	struct kb_url url;
	struct kb_sv name;

	if (!kb_url_parse(f->arena, text, NULL, &url, NULL)
	    || !kb_scope_takes(f->arena, &f->scope, &url, &name)
	    || !kb_url_parse(f->arena, name, NULL, &url, NULL) || kb_sv_eq(name, f->page->url))
		return false;
	*out = (struct kb_page_link){ .url = name };
	if (depth > f->settings.max_depth + 1) {
		f->found->deep++;
		return false;
	}
	shape = kb_page_shape(f->arena, &url, depth);
	if (shape.endless) {
		f->found->endless++;
		return false;
	}
	if (is_forbidden(f, &url)) {
		f->found->forbidden++;
		return false;
	}
	out->shape = shape.text;
	out->most = shape.most;
	return true;
}

static int by_url(const void *a, const void *b)
{
	const struct kb_page_link *const *one = a, *const *two = b;
	int order = kb_sv_cmp((*one)->url, (*two)->url);

	return order ? order : (*one > *two) - (*one < *two);
}

/* Each address once, in the order of the page. */
static void drop_repeated(struct follow *f)
{
	struct kb_page_found *found = f->found;
	struct kb_page_link **sorted =
	        KB_NEW_ARRAY(f->arena, found->count + 1, struct kb_page_link *);
	size_t kept = 0;

	for (size_t i = 0; i < found->count; i++)
		sorted[i] = &found->links[i];
	qsort(sorted, found->count, sizeof(*sorted), by_url);
	for (size_t i = 1; i < found->count; i++)
		if (kb_sv_eq(sorted[i]->url, sorted[i - 1]->url)) {
			/* The first of them stays. */
			struct kb_page_link *first = sorted[i - 1];

			sorted[i]->url = KB_SV("");
			sorted[i] = first;
		}
	for (size_t i = 0; i < found->count; i++)
		if (found->links[i].url.n)
			found->links[kept++] = found->links[i];
	found->count = kept;
}

static bool take_links(struct follow *f, const struct kb_links *links, struct kb_err *err)
{
	struct kb_page_found *found = f->found;

	found->links = KB_NEW_ARRAY(f->arena, links->count + 2, struct kb_page_link);
	for (size_t i = 0; i < links->count; i++)
		found->count +=
		        take_link(f, links->v[i], f->page->depth + 1, &found->links[found->count]);
	/* The name that the page gives itself is a link like others. */
	if (links->canonical.n)
		found->count += take_link(f, links->canonical, f->page->depth + 1,
		                          &found->links[found->count]);
	drop_repeated(f);
	return kb_store_crawl_new_links(f->config->store, f->page->agent_id, found->links,
	                                &found->count, err);
}

static size_t text_bytes(const struct kb_parsed *parsed)
{
	size_t n = 0;

	for (size_t i = 0; i < parsed->block_count; i++)
		n += parsed->blocks[i].text.n;
	return n;
}

/* Another address takes the place of the page's: where it sends its readers, or what it says is its
 * own name. */
static bool take_other(struct follow *f, struct kb_sv address, struct kb_page_link *out)
{
	return address.n && take_link(f, address, f->page->depth, out);
}

/* What a video site puts beside a film is not the website that somebody named. */
static bool is_film(const struct follow *f)
{
	struct kb_url url;

	return f->config->films && kb_url_parse(f->arena, f->page->url, NULL, &url, NULL)
	       && kb_films_is_film(f->config->films, &url);
}

bool kb_crawler_follow(void *arg, struct kb_arena *arena, const struct kb_page *page,
                       const struct kb_parsed *parsed, struct kb_followed *out, struct kb_err *err)
{
	struct follow f = { .config = arg, .arena = arena, .page = page };
	const struct kb_links *links = &parsed->links;
	struct kb_links none = { 0 };
	struct kb_page_link other;
	bool follows;

	*out = (struct kb_followed){ 0 };
	if (is_film(&f))
		return true;
	f.found = KB_NEW(arena, struct kb_page_found);
	if (!begin(&f, &follows, err))
		return false;
	if (!follows)
		return true;
	out->found = f.found;
	if (text_bytes(parsed) <= SIGNPOST_BYTES && take_other(&f, links->refresh, &other)) {
		f.found->moved = true;
		f.found->links = kb_arena_copy(arena, &other, sizeof(other));
		f.found->count = 1;
		return true;
	}
	if (!take_links(&f, page->robots & KB_PAGE_NOFOLLOW ? &none : links, err))
		return false;
	/* The start is what somebody named, so it is read whatever it says of itself. */
	if (page->depth == 1)
		return true;
	if (links->noindex || page->robots & KB_PAGE_NOINDEX)
		out->left_out = KB_SV("the page asks not to be found (noindex)");
	return true;
}
