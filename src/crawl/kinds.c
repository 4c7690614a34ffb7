/* The table of the kinds of source, and which one an address is. */
#include "crawl/kinds.h"

#include <ctype.h>

#include "crawl/reading.h"

enum { ENDING_MAX = 5 };

/* A sitemap or feed is its pages; with whole_host it is only where its website begins. */
enum { LIST, PAGE, SITE, SITE_OF_LIST };
static const struct kb_source_kind kinds[] = {
	[LIST] = { "list", kb_list_file, kb_crawler_fetch },
	[PAGE] = { "page", kb_list_page, kb_crawler_fetch, .has_page = true },
	[SITE] = { "website", kb_list_site, kb_crawler_fetch, kb_site_remarks, .has_page = true,
	           .is_crawl = true },
	[SITE_OF_LIST] = { "list", kb_list_site, kb_crawler_fetch, kb_site_remarks,
	                   .is_crawl = true, .starts_list = true },
};

/* Whether the path's last part is the name of a file: "guide.html", "a.pdf". That of a folder's
 * index is the folder. */
static bool names_file(struct kb_sv url)
{
	struct kb_sv name = kb_page_host(url);
	size_t end = name.p ? (size_t)(name.p - url.p) + name.n : 0, start = end, dot;

	while (end < url.n && url.p[end] != '?' && url.p[end] != '#')
		if (url.p[end++] == '/')
			start = end;
	name = kb_sv_sub(url, start, end - start);
	dot = name.n;
	while (dot > 0 && isalnum((unsigned char)name.p[dot - 1]))
		dot--;
	return dot > 1 && name.p[dot - 1] == '.' && dot < name.n && name.n - dot <= ENDING_MAX
	       && isalpha((unsigned char)name.p[dot]) && !kb_sv_istarts(name, KB_SV("index."))
	       && !kb_sv_istarts(name, KB_SV("default."));
}

const struct kb_source_kind *
kb_source_kind(struct kb_sv url, const struct kb_source_settings *settings, bool whole_host)
{
	bool certain;

	if (settings->is_list || kb_source_is_list(url, &certain))
		return &kinds[whole_host ? SITE_OF_LIST : LIST];
	if (settings->max_pages == 1 || settings->max_depth == 0)
		return &kinds[PAGE];
	return &kinds[whole_host || !names_file(url) ? SITE : PAGE];
}
