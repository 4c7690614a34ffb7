/*
 * XML sitemaps and their indexes, RSS and Atom feeds, and plain text with an address a line;
 * gzip'ed or not. Real ones are damaged in all sorts of ways, so what stands before the damage
 * counts.
 */
#include "parse/sitemap.h"

#include <stdlib.h>
#include <string.h>

#include "base/date.h"
#include "base/utf8.h"
#include "parse/charset.h"
#include "parse/clean.h"
#include "parse/gzip.h"
#include "parse/xml.h"

enum { FIELD_MAX = 8 << 10, LINES_LOOKED_AT = 20 };

/* ---- what is found ---- */

struct list {
	struct kb_arena *arena;
	struct kb_sitemap *out;
	size_t capacity;
};

/* An address without line ends in it; empty when it can be none. */
static struct kb_sv clean_url(struct kb_arena *arena, struct kb_sv text)
{
	struct kb_sv url = kb_sv_trim(text);
	char *copy;
	size_t n = 0;

	if (url.n == 0 || url.n > KB_SITEMAP_URL_MAX)
		return KB_SV("");
	copy = kb_arena_bytes(arena, url.n + 1);
	for (size_t i = 0; i < url.n; i++)
		if (url.p[i] != '\n' && url.p[i] != '\r' && url.p[i] != '\t')
			copy[n++] = url.p[i];
	url = kb_sv(copy, n);
	return kb_clean_is(url, false) ? url : KB_SV("");
}

static void add(struct list *list, const struct kb_sitemap_entry *entry)
{
	struct kb_sitemap *out = list->out;

	if (entry->url.n == 0)
		return;
	if (out->count == KB_SITEMAP_URLS_MAX) {
		out->cut = true;
		return;
	}
	KB_GROW(out->entries, list->capacity, out->count + 1);
	out->entries[out->count++] = *entry;
}

/* ---- XML ---- */

/* Elements that mean something, by their names without a prefix. */
enum tag {
	OTHER,
	URL,
	SITEMAP,
	ITEM,
	ENTRY,
	LOC,
	LINK,
	GUID,
	DATE,
	IMAGE,
};
static const struct {
	const char *name;
	enum tag tag;
} tags[] = {
	{ "url", URL },      { "sitemap", SITEMAP }, { "item", ITEM }, { "entry", ENTRY },
	{ "loc", LOC },      { "link", LINK },       { "guid", GUID }, { "lastmod", DATE },
	{ "updated", DATE }, { "pubDate", DATE },    { "date", DATE }, { "published", DATE },
	{ "image", IMAGE },
};
static const struct {
	const char *name;
	enum kb_sitemap_kind kind;
} roots[] = {
	{ "urlset", KB_SITEMAP_URLS }, { "sitemapindex", KB_SITEMAP_INDEX },
	{ "rss", KB_SITEMAP_FEED },    { "RDF", KB_SITEMAP_FEED },
	{ "feed", KB_SITEMAP_FEED },
};

struct reader {
	struct list list;
	struct kb_buf text; /* of the element in hand */
	enum tag path[KB_XML_DEPTH_MAX + 2];
	int depth;
	bool known, is_permalink;
	struct kb_sitemap_entry entry;
	struct kb_sv guid;
};

static bool is_entry(enum tag tag)
{
	return tag == URL || tag == SITEMAP || tag == ITEM || tag == ENTRY;
}

/* The event reader leaves an escaped '&' of an attribute as a character reference. */
static struct kb_sv attribute_url(struct kb_arena *arena, struct kb_sv value)
{
	struct kb_sv reference = KB_SV("&#38;");
	char *copy = kb_arena_bytes(arena, value.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < value.n; i++) {
		copy[n++] = value.p[i];
		if (kb_sv_starts(kb_sv_from(value, i), reference))
			i += reference.n - 1;
	}
	return clean_url(arena, kb_sv(copy, n));
}

static void start_root(struct reader *r, const char *name)
{
	for (size_t i = 0; i < KB_COUNTOF(roots); i++)
		if (!strcmp(name, roots[i].name)) {
			r->list.out->kind = roots[i].kind;
			r->known = true;
		}
}

static void start(void *arg, const char *name, const struct kb_xml_attr *attrs, size_t count)
{
	struct reader *r = arg;
	enum tag tag = OTHER;

	if (r->depth > KB_XML_DEPTH_MAX)
		return;
	if (r->depth == 0)
		start_root(r, name);
	for (size_t i = 0; i < KB_COUNTOF(tags); i++)
		if (!strcmp(name, tags[i].name))
			tag = tags[i].tag;
	if (is_entry(tag)) {
		r->entry = (struct kb_sitemap_entry){ .is_list = tag == SITEMAP };
		r->guid = KB_SV("");
	}
	if (tag == GUID)
		r->is_permalink = !kb_sv_eq_str(kb_xml_attr(attrs, count, "isPermaLink"), "false");
	if (tag == LINK && r->path[r->depth] == ENTRY && r->entry.url.n == 0) {
		struct kb_sv rel = kb_xml_attr(attrs, count, "rel");

		if (rel.n == 0 || kb_sv_eq_str(rel, "alternate"))
			r->entry.url =
			        attribute_url(r->list.arena, kb_xml_attr(attrs, count, "href"));
	}
	r->path[++r->depth] = tag;
	kb_buf_clear(&r->text);
}

/* The text of a leaf within an entry. */
static void take_text(struct reader *r, enum tag tag, enum tag parent)
{
	struct kb_sitemap_entry *entry = &r->entry;
	struct kb_sv text = kb_buf_view(&r->text);

	if (tag == LOC && parent == IMAGE) {
		if (entry->image.n == 0)
			entry->image = clean_url(r->list.arena, text);
	} else if (!is_entry(parent)) {
		return;
	} else if ((tag == LOC || tag == LINK) && entry->url.n == 0) {
		entry->url = clean_url(r->list.arena, text);
	} else if (tag == GUID && r->is_permalink) {
		r->guid = clean_url(r->list.arena, text);
	} else if (tag == DATE) {
		entry->modified_at = KB_MAX(entry->modified_at, kb_date_read(text));
	}
}

static void add_entry(struct reader *r)
{
	if (r->entry.url.n == 0)
		r->entry.url = r->guid;
	add(&r->list, &r->entry);
	r->entry = (struct kb_sitemap_entry){ 0 };
	r->guid = KB_SV("");
}

static void end(void *arg, const char *name)
{
	struct reader *r = arg;
	enum tag tag = r->path[r->depth];

	(void)name;
	if (r->depth)
		r->depth--;
	if (is_entry(tag))
		add_entry(r);
	else if (tag != OTHER)
		take_text(r, tag, r->path[r->depth]);
	kb_buf_clear(&r->text);
}

static void text(void *arg, struct kb_sv piece)
{
	struct reader *r = arg;

	if (r->path[r->depth] != OTHER)
		kb_buf_sv(&r->text, piece);
}

/* Whether the '&' at the front begins a reference; many a sitemap has it bare in its addresses. */
static bool is_reference(struct kb_sv text)
{
	size_t i = 1;

	if (i < text.n && text.p[i] == '#')
		i++;
	while (i < text.n && i < 34
	       && ((text.p[i] >= 'a' && text.p[i] <= 'z') || (text.p[i] >= 'A' && text.p[i] <= 'Z')
	           || (text.p[i] >= '0' && text.p[i] <= '9')))
		i++;
	return i > 1 && i < text.n && text.p[i] == ';';
}

/* Hands the bytes on, each bare '&' outside CDATA as "&amp;". */
static bool feed_mended(struct kb_xml *xml, struct kb_sv bytes)
{
	struct kb_sv open = KB_SV("<![CDATA["), close = KB_SV("]]>");
	size_t at = 0, from = 0;

	while (at < bytes.n) {
		char c = bytes.p[at];

		if (c == '<' && kb_sv_starts(kb_sv_from(bytes, at), open)) {
			ptrdiff_t n = kb_sv_find(kb_sv_from(bytes, at), close);

			at = n < 0 ? bytes.n : at + (size_t)n + close.n;
		} else if (c == '&' && !is_reference(kb_sv_sub(bytes, at, 40))) {
			if (!kb_xml_feed(xml, kb_sv_sub(bytes, from, at - from))
			    || !kb_xml_feed(xml, KB_SV("&amp;")))
				return false;
			from = ++at;
		} else {
			at++;
		}
	}
	return kb_xml_feed(xml, kb_sv_from(bytes, from));
}

static bool read_xml(struct kb_arena *arena, struct kb_sv bytes, struct kb_sitemap *out,
                     struct kb_err *err)
{
	static const struct kb_xml_handler handler = { start, end, text };
	struct reader *r = KB_NEW(arena, struct reader);
	struct kb_xml *xml;
	ptrdiff_t declaration;
	bool ok;

	/* It is UTF-8 now, whatever it declares. */
	if (kb_sv_starts(bytes, KB_SV("<?xml"))
	    && (declaration = kb_sv_find(bytes, KB_SV("?>"))) >= 0)
		bytes = kb_sv_trim(kb_sv_from(bytes, (size_t)declaration + 2));
	r->list = (struct list){ .arena = arena, .out = out };
	kb_buf_init(&r->text, FIELD_MAX);
	xml = kb_xml_open(&handler, r);
	ok = feed_mended(xml, bytes);
	ok = kb_xml_close(xml) && ok;
	/* The entry that the damage is in, if its address was whole. */
	if (!ok)
		add_entry(r);
	out->damaged |= !ok;
	kb_buf_fini(&r->text);
	if (!r->known) {
		out->count = 0;
		return kb_fail(err, KB_E_UNSUPPORTED,
		               "it is no sitemap, feed or list of addresses");
	}
	return true;
}

/* ---- text ---- */

static bool read_text(struct kb_arena *arena, struct kb_sv bytes, struct kb_sitemap *out,
                      struct kb_err *err)
{
	struct list list = { .arena = arena, .out = out };
	struct kb_sv rest = bytes, line;
	size_t looked_at = 0;

	out->kind = KB_SITEMAP_TEXT;
	while (kb_sv_split(&rest, '\n', &line)) {
		line = kb_sv_trim(line);
		if (line.n == 0 || line.p[0] == '#')
			continue;
		looked_at++;
		if (kb_sv_istarts(line, KB_SV("http://")) || kb_sv_istarts(line, KB_SV("https://")))
			add(&list, &(struct kb_sitemap_entry){ .url = clean_url(arena, line) });
		/* Prose that begins with an address is still prose. */
		if (looked_at == LINES_LOOKED_AT && out->count < looked_at / 2)
			break;
	}
	if (out->count == 0 || out->count < KB_MIN(looked_at, (size_t)LINES_LOOKED_AT) / 2) {
		out->count = 0;
		return kb_fail(err, KB_E_UNSUPPORTED,
		               "it is no sitemap, feed or list of addresses");
	}
	return true;
}

static void free_entries(void *entries)
{
	free(entries);
}

bool kb_sitemap_read(const struct kb_parse_input *in, struct kb_arena *arena,
                     struct kb_sitemap *out, struct kb_err *err)
{
	struct kb_sv bytes = in->bytes;
	bool whole = true, ok;

	*out = (struct kb_sitemap){ 0 };
	if (kb_sv_starts(bytes, KB_SV("\x1f\x8b")))
		kb_gzip_inflate_some(arena, bytes, KB_SITEMAP_BYTES_MAX, &bytes, &whole);
	else if (bytes.n > KB_SITEMAP_BYTES_MAX) {
		bytes = kb_sv_sub(bytes, 0, KB_SITEMAP_BYTES_MAX);
		whole = false;
	}
	out->cut = !whole;
	bytes = kb_sv_trim(kb_charset_to_utf8(arena, bytes, in->content_type, NULL));
	if (bytes.n == 0)
		return kb_fail(err, KB_E_UNSUPPORTED, "it is empty");
	ok = bytes.p[0] == '<' ? read_xml(arena, bytes, out, err)
	                       : read_text(arena, bytes, out, err);
	if (out->entries)
		kb_arena_on_fini(arena, free_entries, out->entries);
	return ok;
}
