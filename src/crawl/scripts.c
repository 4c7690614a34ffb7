#include "crawl/scripts.h"

#include <sys/stat.h>
#include <unistd.h>

#include "crawl/films.h"
#include "crawl/shell.h"
#include "crawl/source.h"

enum {
	SHELL_TEXT_BYTES = 8000, /* who says so much has no need of scripts */
	LOOKED_AT = 1 << 20,     /* of the page: what stands before its body may be long */
};

/* Why the text of a page may not be there, by enum kb_rendering. */
static const char *const notes[KB_RENDERING_COUNT] = {
	[KB_RENDERING_DONE] = "",
	[KB_RENDERING_ABSENT] =
	        "it may be written by a script, and no browser (Chromium) can be run "
	        "here",
	[KB_RENDERING_ENDLESS] =
	        "it may be written by a script, which was not done within its time",
	[KB_RENDERING_LARGE] =
	        "it may be written by a script, which wants more memory or more bytes "
	        "than a page may have",
	[KB_RENDERING_BROKEN] = "it may be written by a script, and the browser broke at that",
};

static size_t text_bytes(const struct kb_parsed *parsed)
{
	size_t n = 0;

	for (size_t i = 0; parsed && i < parsed->block_count; i++)
		n += parsed->blocks[i].text.n;
	return n;
}

/* A page that sends its readers on has no text, and wants none. */
static bool is_shell(struct kb_arena *arena, const struct kb_read_page *read)
{
	const struct kb_parsed *parsed = read->parsed;
	struct stat st;
	size_t size;
	char *html;
	ssize_t n;

	if (parsed
	    && (!kb_sv_eq_str(parsed->format, "html") || parsed->links.refresh.n
	        || text_bytes(parsed) > SHELL_TEXT_BYTES))
		return false;
	if (fstat(read->fd, &st) != 0 || st.st_size <= 0)
		return false;
	size = (size_t)KB_MIN((int64_t)st.st_size, (int64_t)LOOKED_AT);
	html = kb_arena_bytes(arena, size);
	n = pread(read->fd, html, size, 0);
	return n > 0 && kb_page_is_shell(kb_sv(html, (size_t)n), parsed != NULL);
}

static bool ask_for_browser(const struct kb_crawler_config *config, struct kb_arena *arena,
                            const struct kb_read_page *read, struct kb_scripted *out,
                            struct kb_err *err)
{
	const struct kb_page *page = read->page;
	enum kb_rendering rendering = page->rendering;
	struct kb_source_settings settings;
	struct kb_source source;

	if (!is_shell(arena, read))
		return true;
	if (!kb_store_source_get(config->store, arena, page->agent_id, page->source_id, &source,
	                         err))
		return false;
	kb_source_settings_read(arena, source.settings, &settings);
	if (!settings.executive_js)
		return true;
	if (rendering == KB_RENDERING_NONE && !config->browser)
		rendering = KB_RENDERING_ABSENT;
	out->wants_browser = rendering == KB_RENDERING_NONE;
	out->note = kb_sv_str(notes[rendering]);
	return true;
}

/* A film's page that was read as a page, because nobody reads films here. */
static bool is_unread_film(const struct kb_crawler_config *config, struct kb_arena *arena,
                           const struct kb_page *page)
{
	struct kb_url url;

	return config->films && !kb_films_can_read(config->films)
	       && kb_url_parse(arena, page->url, NULL, &url, NULL)
	       && kb_films_is_film(config->films, &url);
}

bool kb_crawler_scripts(void *arg, struct kb_arena *arena, const struct kb_read_page *read,
                        struct kb_scripted *out, struct kb_err *err)
{
	const struct kb_crawler_config *config = arg;

	*out = (struct kb_scripted){ 0 };
	if (!ask_for_browser(config, arena, read, out, err))
		return false;
	if (!out->wants_browser && is_unread_film(config, arena, read->page))
		out->note = KB_SV("what is said in the film is not read: yt-dlp is missing here; "
		                  "install yt-dlp");
	return true;
}
