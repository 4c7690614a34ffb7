#include "crawl/scripts.h"

#include <unistd.h>

#include "crawl/films.h"
#include "crawl/source.h"

enum {
	SHELL_TEXT_BYTES =
	        200,           /* a shell says no more than what it is called, and that one waits */
	LOOKED_AT = 256 << 10, /* of the page, for its first script */
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

static bool has_script(struct kb_arena *arena, int fd)
{
	static const struct kb_sv mark = KB_SV_INIT("<script");
	char *head = kb_arena_bytes(arena, LOOKED_AT);
	ssize_t n = pread(fd, head, LOOKED_AT, 0);
	struct kb_sv rest = kb_sv(head, n > 0 ? (size_t)n : 0);
	ptrdiff_t at;

	while ((at = kb_sv_find_byte(rest, '<')) >= 0) {
		rest = kb_sv_from(rest, (size_t)at);
		if (kb_sv_istarts(rest, mark))
			return true;
		rest = kb_sv_from(rest, 1);
	}
	return false;
}

/* A page that sends its readers on has no text, and wants none. */
static bool is_shell(struct kb_arena *arena, const struct kb_read_page *read)
{
	if (read->parsed
	    && (!kb_sv_eq_str(read->parsed->format, "html") || read->parsed->links.refresh.n
	        || text_bytes(read->parsed) > SHELL_TEXT_BYTES))
		return false;
	return has_script(arena, read->fd);
}

static bool ask_for_browser(const struct kb_web_config *config, struct kb_arena *arena,
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
static bool is_unread_film(const struct kb_web_config *config, struct kb_arena *arena,
                           const struct kb_page *page)
{
	struct kb_url url;

	return config->films && !kb_films_can_read(config->films)
	       && kb_url_parse(arena, page->url, NULL, &url, NULL)
	       && kb_films_is_film(config->films, &url);
}

bool kb_web_scripts(void *arg, struct kb_arena *arena, const struct kb_read_page *read,
                    struct kb_scripted *out, struct kb_err *err)
{
	const struct kb_web_config *config = arg;

	*out = (struct kb_scripted){ 0 };
	if (!ask_for_browser(config, arena, read, out, err))
		return false;
	if (!out->wants_browser && is_unread_film(config, arena, read->page))
		out->note = KB_SV("what is said in the film is not read: yt-dlp is missing here; "
		                  "install yt-dlp");
	return true;
}
