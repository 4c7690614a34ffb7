/* Where an HTML page leads, what it says to crawlers, and where its films are written down. */
#include <string.h>

#include "out/url.h"
#include "parse/html.h"
#include "parse/html_tree.h"

struct reader {
	struct kb_links *links;
	struct kb_arena *arena;
	const struct kb_html_tree *tree;
	struct kb_url base;
	size_t capacity;
};

/* Whether a list of words, with blanks or commas between, holds the word. */
static bool has_word(struct kb_sv list, const char *word)
{
	size_t start = 0;

	for (size_t i = 0; i <= list.n; i++) {
		if (i < list.n && !strchr(" \t\r\n\f,", list.p[i]))
			continue;
		if (kb_sv_ieq_str(kb_sv_sub(list, start, i - start), word))
			return true;
		start = i + 1;
	}
	return false;
}

/* The absolute address of the web; empty: none. */
static struct kb_sv resolve(struct reader *r, struct kb_sv text)
{
	struct kb_url url;
	struct kb_sv address;

	text = kb_sv_trim(text);
	if (text.n == 0 || text.n > KB_LINK_BYTES_MAX || text.p[0] == '#'
	    || !kb_url_parse(r->arena, text, &r->base, &url, NULL) || !kb_url_is_web(&url))
		return KB_SV("");
	address = kb_url_document(r->arena, &url);
	return address.n <= KB_LINK_BYTES_MAX ? address : KB_SV("");
}

static void add(struct reader *r, struct kb_sv text)
{
	struct kb_sv address = resolve(r, text);
	struct kb_links *links = r->links;

	if (address.n == 0)
		return;
	if (links->count == KB_LINKS_MAX) {
		links->cut = true;
		return;
	}
	if (links->count == r->capacity) {
		size_t capacity = KB_MAX(2 * r->capacity, (size_t)64);
		struct kb_sv *grown = KB_NEW_ARRAY(r->arena, capacity, struct kb_sv);

		if (links->count)
			memcpy(grown, links->v, links->count * sizeof(*grown));
		links->v = grown;
		r->capacity = capacity;
	}
	links->v[links->count++] = address;
}

/* "5; url=/there" and what people make of it. Empty: it loads the page itself anew. */
static struct kb_sv refresh_target(struct kb_sv content)
{
	size_t i = 0;

	while (i < content.n && strchr("0123456789. \t\r\n", content.p[i]))
		i++;
	while (i < content.n && strchr(";, \t\r\n", content.p[i]))
		i++;
	content = kb_sv_from(content, i);
	if (kb_sv_istarts(content, KB_SV("url"))) {
		struct kb_sv rest = kb_sv_trim(kb_sv_from(content, 3));

		if (kb_sv_starts(rest, KB_SV("=")))
			content = kb_sv_trim(kb_sv_from(rest, 1));
	}
	if (content.n && (content.p[0] == '"' || content.p[0] == '\'')) {
		ptrdiff_t end = kb_sv_find_byte(kb_sv_from(content, 1), content.p[0]);

		content = kb_sv_sub(content, 1, end < 0 ? content.n : (size_t)end);
	}
	return content;
}

static void read_meta(struct reader *r, uint32_t node)
{
	struct kb_sv name = kb_html_attr(r->tree, node, "name");
	struct kb_sv content = kb_html_attr(r->tree, node, "content");
	struct kb_links *links = r->links;

	if (kb_sv_ieq_str(name, "robots")) {
		links->noindex |= has_word(content, "noindex") || has_word(content, "none");
		links->nofollow |= has_word(content, "nofollow") || has_word(content, "none");
	} else if (kb_sv_ieq_str(kb_html_attr(r->tree, node, "http-equiv"), "refresh")
	           && links->refresh.n == 0) {
		links->refresh = resolve(r, refresh_target(content));
	}
}

static void read_link(struct reader *r, uint32_t node)
{
	struct kb_sv rel = kb_html_attr(r->tree, node, "rel");
	struct kb_sv href = kb_html_attr(r->tree, node, "href");

	if (has_word(rel, "canonical") && r->links->canonical.n == 0)
		r->links->canonical = resolve(r, href);
	else if (has_word(rel, "next")
	         || (has_word(rel, "alternate") && kb_html_has_attr(r->tree, node, "hreflang")))
		add(r, href);
}

bool kb_html_base(struct kb_arena *arena, const struct kb_html_tree *tree, struct kb_sv address,
                  struct kb_url *out)
{
	bool known = kb_url_parse(arena, address, NULL, out, NULL);

	for (uint32_t i = 1; i < tree->count; i++) {
		struct kb_url base;

		if (tree->nodes[i].tag != KB_TAG_base || !kb_html_has_attr(tree, i, "href"))
			continue;
		if (kb_url_parse(arena, kb_html_attr(tree, i, "href"), known ? out : NULL, &base,
		                 NULL)) {
			*out = base;
			known = true;
		}
		break;
	}
	return known;
}

void kb_html_links(struct kb_arena *arena, const struct kb_html_tree *tree, struct kb_sv address,
                   struct kb_links *out)
{
	struct reader r = { .links = out, .arena = arena, .tree = tree };

	if (address.n == 0 || !kb_html_base(arena, tree, address, &r.base))
		return;
	for (uint32_t i = 1; i < tree->count; i++)
		switch (tree->nodes[i].tag) {
		case KB_TAG_a:
		case KB_TAG_area:
			if (!has_word(kb_html_attr(tree, i, "rel"), "nofollow"))
				add(&r, kb_html_attr(tree, i, "href"));
			break;
		case KB_TAG_link:
			read_link(&r, i);
			break;
		case KB_TAG_meta:
			read_meta(&r, i);
			break;
		default:
			break;
		}
	/* Its other words count, these do not. */
	if (out->nofollow)
		out->count = 0;
}

/* ---- what is said in its films */

/* "de" of "de-AT". */
static struct kb_sv language(struct kb_sv tag)
{
	ptrdiff_t end = kb_sv_find_byte(tag, '-');

	return end < 0 ? tag : kb_sv_sub(tag, 0, (size_t)end);
}

static struct kb_sv page_language(const struct kb_html_tree *tree)
{
	for (uint32_t i = 1; i < tree->count; i++)
		if (tree->nodes[i].tag == KB_TAG_html)
			return language(kb_html_attr(tree, i, "lang"));
	return KB_SV("");
}

/* How much a track is to be preferred; 0: it says nothing of what is said. */
static int track_rank(const struct kb_html_tree *tree, uint32_t node, struct kb_sv lang)
{
	struct kb_sv kind = kb_html_attr(tree, node, "kind");
	struct kb_sv own = language(kb_html_attr(tree, node, "srclang"));

	if (tree->nodes[node].tag != KB_TAG_track
	    || (kind.n && !kb_sv_ieq_str(kind, "subtitles") && !kb_sv_ieq_str(kind, "captions")))
		return 0;
	return 1 + (lang.n && kb_sv_ieq(own, lang) ? 2 : 0)
	       + kb_html_has_attr(tree, node, "default");
}

static void add_track(struct reader *r, struct kb_doc *doc, struct kb_sv text)
{
	struct kb_sv address = resolve(r, text);

	if (address.n)
		kb_doc_track(doc, address);
}

static void add_film(struct reader *r, struct kb_doc *doc, uint32_t film, struct kb_sv lang)
{
	const struct kb_html_tree *tree = r->tree;
	uint32_t best = 0;
	int most = 0;

	for (uint32_t i = film + 1; i < tree->nodes[film].end; i++) {
		int rank = track_rank(tree, i, lang);

		if (rank > most) {
			most = rank;
			best = i;
		}
	}
	if (best)
		add_track(r, doc, kb_html_attr(tree, best, "src"));
}

/* A link to a file of subtitles, beside a film. */
static bool is_subtitles(struct kb_arena *arena, struct kb_sv href)
{
	struct kb_sv path = href;
	char *lower;

	for (size_t i = 0; i < path.n; i++)
		if (path.p[i] == '?' || path.p[i] == '#')
			path.n = i;
	if (path.n < 5 || path.n > KB_LINK_BYTES_MAX)
		return false;
	path = kb_sv_from(path, path.n - 4);
	lower = kb_arena_str(arena, path);
	for (size_t i = 0; i < path.n; i++)
		lower[i] = (char)(lower[i] | 0x20);
	return !strcmp(lower, ".vtt") || !strcmp(lower, ".srt");
}

void kb_html_tracks(struct kb_doc *doc, const struct kb_html_tree *tree, struct kb_sv address)
{
	struct reader r = { .arena = doc->arena, .tree = tree };
	struct kb_sv lang;
	bool plays = false;

	for (uint32_t i = 1; i < tree->count && !plays; i++)
		plays = tree->nodes[i].tag == KB_TAG_video || tree->nodes[i].tag == KB_TAG_audio
		        || tree->nodes[i].tag == KB_TAG_iframe;
	if (!plays || address.n == 0 || !kb_html_base(doc->arena, tree, address, &r.base))
		return;
	lang = page_language(tree);
	for (uint32_t i = 1; i < tree->count; i++)
		if (tree->nodes[i].tag == KB_TAG_video || tree->nodes[i].tag == KB_TAG_audio)
			add_film(&r, doc, i, lang);
		else if (tree->nodes[i].tag == KB_TAG_a
		         && is_subtitles(doc->arena, kb_html_attr(tree, i, "href")))
			add_track(&r, doc, kb_html_attr(tree, i, "href"));
}
