/* The flat tree to blocks: text between block borders, lists, tables, code; and the head's
 * metadata. */
#include "parse/html.h"

#include <libxml/HTMLparser.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "out/url.h"
#include "parse/format.h"
#include "parse/html_writer.h"
#include "parse/ooxml.h"

enum {
	ENTITY_MAX = 32,
};

/* ---- pictures */

/* Smaller ones are ornaments: marks of lists, smilies, what counts visitors. */
static bool is_small(const struct kb_html_writer *w, uint32_t node)
{
	static const char *const sides[] = { "width", "height" };
	enum { SMALL = 64, LARGE = 100000 };

	for (size_t i = 0; i < KB_COUNTOF(sides); i++) {
		struct kb_sv text = kb_html_attr(w->tree, node, sides[i]);
		int64_t n;

		if (kb_sv_ends(text, KB_SV("px")))
			text = kb_sv_sub(text, 0, text.n - 2);
		if (kb_sv_to_int(kb_sv_trim(text), 0, LARGE, &n) && n < SMALL)
			return true;
	}
	return false;
}

/* A picture of a chapter is a part of the same file. */
static void add_inset(struct kb_html_writer *w, uint32_t node)
{
	struct kb_arena *arena = w->doc->arena;
	struct kb_sv address = kb_sv_trim(kb_html_attr(w->tree, node, "src"));
	struct kb_inset inset = { 0 };

	if (!address.n || address.n > KB_INSET_NAME_MAX)
		return;
	inset.name =
	        kb_ooxml_resolve(arena, w->doc->inset_folder, kb_ooxml_unescape(arena, address));
	kb_doc_inset(w->doc, &inset);
}

static void add_picture(struct kb_html_writer *w, uint32_t node)
{
	/* Pages that load their pictures late have a placeholder in the first. */
	static const char *const sources[] = { "data-src", "data-original", "data-lazy-src",
		                               "src" };
	const struct kb_html_tree *tree = w->tree;

	if (is_small(w, node))
		return;
	if (w->doc->wants_insets && w->doc->inset_folder.p)
		add_inset(w, node);
	for (size_t i = 0; i < KB_COUNTOF(sources); i++) {
		struct kb_sv text = kb_sv_trim(kb_html_attr(tree, node, sources[i])), address;
		struct kb_url url;

		if (text.n == 0 || text.n > KB_LINK_BYTES_MAX
		    || !kb_url_parse(w->doc->arena, text, w->has_base ? &w->base : NULL, &url, NULL)
		    || !kb_url_is_web(&url))
			continue;
		address = kb_url_document(w->doc->arena, &url);
		if (address.n <= KB_LINK_BYTES_MAX) {
			kb_doc_picture(w->doc, address, kb_html_attr(tree, node, "alt"));
			return;
		}
	}
}

/* ---- the walk */

/* A block element we are in. */
struct open {
	uint32_t node;
	int fold; /* around it */
};

/* Of a list with numbers that of its first item, else less than 0. */
static int64_t first_of(const struct kb_html_writer *w, const struct kb_html_node *list)
{
	struct kb_sv start = kb_html_attr(w->tree, (uint32_t)(list - w->tree->nodes), "start");
	int64_t first;

	if (list->tag != KB_TAG_ol)
		return -1;
	return kb_sv_to_int(kb_sv_trim(start), 0, KB_ITEM_NUMBER_MAX, &first) ? first : 1;
}

static void enter(struct kb_html_writer *w, const struct kb_html_node *node)
{
	kb_html_flush(w);
	if (node->flags & KB_HTML_FOLDS)
		w->fold = KB_MIN(kb_doc_level(w->doc) + 1, KB_DOC_LEVELS);
	switch (node->tag) {
	case KB_TAG_ul:
	case KB_TAG_ol:
		kb_list_enter(&w->counts, first_of(w, node));
		break;
	case KB_TAG_li:
		w->lists++;
		kb_list_item(&w->counts, w->doc);
		break;
	case KB_TAG_dd:
		w->lists++;
		break;
	case KB_TAG_pre:
	case KB_TAG_xmp:
		w->pre++;
		break;
	case KB_TAG_summary:
		w->heading = w->fold ? w->fold : KB_MIN(kb_doc_level(w->doc) + 1, KB_DOC_LEVELS);
		break;
	default:
		if (kb_html_kind(node->tag) == KB_HTML_HEADING)
			w->heading = node->tag - KB_TAG_h1 + 1;
		break;
	}
}

static void leave(struct kb_html_writer *w, const struct open *open)
{
	const struct kb_html_node *node = &w->tree->nodes[open->node];

	kb_html_flush(w);
	if (node->flags & KB_HTML_FOLDS) {
		kb_doc_heading_end(w->doc, w->fold);
		w->fold = open->fold;
	}
	switch (node->tag) {
	case KB_TAG_ul:
	case KB_TAG_ol:
		kb_list_leave(&w->counts);
		break;
	case KB_TAG_li:
	case KB_TAG_dd:
		w->lists--;
		kb_doc_item(w->doc, 0, 0);
		break;
	case KB_TAG_pre:
	case KB_TAG_xmp:
		w->pre--;
		break;
	default:
		if (kb_html_kind(node->tag) == KB_HTML_HEADING)
			w->heading = 0;
		break;
	}
}

static void line_break(struct kb_html_writer *w)
{
	if (w->pre) {
		kb_buf_byte(&w->text, '\n');
		return;
	}
	/* Two in a row end a paragraph. */
	if (w->breaks && !w->heading)
		kb_html_flush(w);
	else if (w->text.n)
		kb_buf_byte(&w->text, ' ');
	w->breaks++;
}

static void write_blocks(struct kb_html_writer *w)
{
	const struct kb_html_tree *tree = w->tree;
	struct open open[KB_HTML_DEPTH_MAX + 2];
	size_t depth = 0;

	for (uint32_t i = 1; i < tree->count; i++) {
		const struct kb_html_node *node = &tree->nodes[i];

		while (depth && tree->nodes[open[depth - 1].node].end <= i)
			leave(w, &open[--depth]);
		if (node->flags & w->skip) {
			i = node->end - 1;
			continue;
		}
		if (node->tag == KB_TAG_TEXT) {
			kb_html_add_text(w, node->text);
			continue;
		}
		switch (kb_html_kind(node->tag)) {
		case KB_HTML_SKIP:
			i = node->end - 1;
			break;
		case KB_HTML_BREAK:
			line_break(w);
			break;
		case KB_HTML_BLOCK:
		case KB_HTML_HEADING:
			if (node->tag == KB_TAG_table && kb_html_is_table(w, i)) {
				kb_html_flush(w);
				kb_html_write_table(w, i);
				i = node->end - 1;
				break;
			}
			if (node->tag == KB_TAG_dl && kb_html_is_pairs(w, i)) {
				kb_html_flush(w);
				kb_html_write_pairs(w, i);
				i = node->end - 1;
				break;
			}
			open[depth++] = (struct open){ .node = i, .fold = w->fold };
			enter(w, node);
			break;
		case KB_HTML_VOID:
			if (node->tag == KB_TAG_img)
				add_picture(w, i);
			break;
		case KB_HTML_INLINE:
			break;
		}
	}
	while (depth)
		leave(w, &open[--depth]);
	kb_html_flush(w);
}

static void write_tree(struct kb_doc *doc, const struct kb_html_tree *tree, struct kb_sv address,
                       uint8_t skip)
{
	struct kb_html_writer w = { .doc = doc, .tree = tree, .skip = skip };

	w.has_base = kb_html_base(doc->arena, tree, address, &w.base);
	kb_buf_init(&w.text, doc->text.max);
	write_blocks(&w);
	kb_buf_fini(&w.text);
}

/* ---- the head */

static const struct {
	const char *attr, *value;
	enum kb_doc_meta meta;
} metas[] = {
	{ "property", "og:title", KB_DOC_TITLE },
	{ "name", "og:title", KB_DOC_TITLE },
	{ "property", "og:description", KB_DOC_DESCRIPTION },
	{ "name", "description", KB_DOC_DESCRIPTION },
	{ "name", "twitter:description", KB_DOC_DESCRIPTION },
	{ "property", "og:image", KB_DOC_IMAGE },
	{ "name", "og:image", KB_DOC_IMAGE },
	{ "property", "og:image:url", KB_DOC_IMAGE },
	{ "name", "twitter:image", KB_DOC_IMAGE },
	{ "http-equiv", "content-language", KB_DOC_LANG },
	{ "property", "og:locale", KB_DOC_LANG },
};

static struct kb_sv text_of(const struct kb_html_tree *tree, uint32_t from, uint32_t end,
                            struct kb_buf *buf)
{
	kb_buf_clear(buf);
	for (uint32_t i = from; i < end; i++)
		if (!(tree->nodes[i].flags & KB_HTML_HIDDEN))
			kb_buf_sv(buf, tree->nodes[i].text);
	return kb_sv_trim(kb_buf_view(buf));
}

/* "Page | Site", "Page - Site", "Page — Site": the site's name is cut off where the page's heading
 * or og:site_name shows which part it is; else at the last separator, if enough is left. */
static struct kb_sv without_site(struct kb_sv title, struct kb_sv heading, struct kb_sv site)
{
	static const char *const separators[] = {
		" | ",        " - ",  " \xe2\x80\x93 ", " \xe2\x80\x94 ",
		" \xc2\xb7 ", " :: ", " \xc2\xbb ",     " \xe2\x80\xa2 "
	};
	struct kb_sv best = title;
	size_t cut = 0;

	if (heading.n && kb_sv_starts(title, heading) && heading.n < title.n) {
		struct kb_sv rest = kb_sv_from(title, heading.n);

		for (size_t s = 0; s < KB_COUNTOF(separators); s++)
			if (kb_sv_starts(rest, kb_sv_str(separators[s])))
				return heading;
	}
	for (size_t s = 0; s < KB_COUNTOF(separators); s++) {
		struct kb_sv mark = kb_sv_str(separators[s]);

		for (size_t at = 1; at + mark.n < title.n; at++) {
			if (!kb_sv_starts(kb_sv_from(title, at), mark))
				continue;
			if (site.n && kb_sv_ieq(kb_sv_trim(kb_sv_sub(title, 0, at)), site))
				return kb_sv_from(title, at + mark.n);
			if (site.n && kb_sv_ieq(kb_sv_trim(kb_sv_from(title, at + mark.n)), site))
				return kb_sv_sub(title, 0, at);
			if (at > cut)
				cut = at;
		}
	}
	if (cut >= 10 && cut * 2 > title.n)
		best = kb_sv_sub(title, 0, cut);
	return kb_sv_trim(best);
}

static void read_meta(struct kb_doc *doc, const struct kb_html_tree *tree)
{
	struct kb_buf title, heading;
	struct kb_sv site = KB_SV("");
	uint32_t title_at = 0, heading_at = 0;
	int headings = 0;

	kb_buf_init(&title, doc->text.max);
	kb_buf_init(&heading, doc->text.max);
	for (uint32_t i = 1; i < tree->count; i++) {
		uint16_t tag = tree->nodes[i].tag;

		if (tag == KB_TAG_html)
			kb_doc_meta(doc, KB_DOC_LANG,
			            kb_html_has_attr(tree, i, "lang")
			                    ? kb_html_attr(tree, i, "lang")
			                    : kb_html_attr(tree, i, "xml:lang"));
		else if (tag == KB_TAG_title && !title_at
		         && tree->nodes[tree->nodes[i].parent].tag != KB_TAG_svg)
			title_at = i;
		else if (tag == KB_TAG_h1 && !(tree->nodes[i].flags & KB_HTML_HIDDEN)) {
			heading_at = heading_at ? heading_at : i;
			headings++;
		} else if (tag == KB_TAG_meta
		           && kb_sv_ieq_str(kb_html_attr(tree, i, "property"), "og:site_name"))
			site = kb_sv_trim(kb_html_attr(tree, i, "content"));
	}
	/* The table's order is the order of preference. */
	for (size_t m = 0; m < KB_COUNTOF(metas); m++)
		for (uint32_t i = 1; i < tree->count; i++)
			if (tree->nodes[i].tag == KB_TAG_meta
			    && kb_sv_ieq_str(kb_html_attr(tree, i, metas[m].attr),
			                     metas[m].value)) {
				struct kb_sv content = kb_html_attr(tree, i, "content");

				if (metas[m].meta == KB_DOC_TITLE)
					content = without_site(content, KB_SV(""), site);
				kb_doc_meta(doc, metas[m].meta, content);
			}
	kb_html_dates(doc, tree);
	if (title_at)
		kb_doc_meta(doc, KB_DOC_TITLE,
		            without_site(text_of(tree, title_at, tree->nodes[title_at].end, &title),
		                         headings == 1
		                                 ? text_of(tree, heading_at,
		                                           tree->nodes[heading_at].end, &heading)
		                                 : KB_SV(""),
		                         site));
	if (heading_at)
		kb_doc_meta(doc, KB_DOC_TITLE,
		            text_of(tree, heading_at, tree->nodes[heading_at].end, &heading));
	kb_buf_fini(&title);
	kb_buf_fini(&heading);
}

/* ---- entries */

void kb_html_fragment(struct kb_doc *doc, struct kb_sv html)
{
	struct kb_html_tree tree;

	if (kb_html_is_blank(html))
		return;
	kb_html_tree_read(&tree, doc->arena, html);
	kb_html_mark_folds(&tree);
	kb_html_mark_hidden(&tree);
	write_tree(doc, &tree, KB_SV(""), KB_HTML_HIDDEN);
	kb_html_tree_fini(&tree);
}

void kb_html_entity(struct kb_buf *out, struct kb_sv entity)
{
	char name[ENTITY_MAX];
	const htmlEntityDesc *found;
	uint32_t cp = 0;

	if (entity.n < 3 || entity.n >= ENTITY_MAX || entity.p[0] != '&') {
		kb_buf_sv(out, entity);
		return;
	}
	if (entity.p[1] == '#') {
		bool hex = (entity.p[2] | 0x20) == 'x';

		for (size_t i = hex ? 3 : 2; i < entity.n && entity.p[i] != ';' && cp < 0x110000;
		     i++) {
			char c = (char)(entity.p[i] | 0x20);

			cp = hex ? cp * 16 + (uint32_t)(c >= 'a' ? c - 'a' + 10 : entity.p[i] - '0')
			         : cp * 10 + (uint32_t)(entity.p[i] - '0');
		}
	} else {
		memcpy(name, entity.p + 1, entity.n - 1);
		name[entity.n - 1 - (entity.p[entity.n - 1] == ';')] = 0;
		found = htmlEntityLookup((const xmlChar *)name);
		if (!found) {
			kb_buf_sv(out, entity);
			return;
		}
		cp = found->value;
	}
	{
		char utf8[4];

		kb_buf_add(out, utf8, kb_utf8_encode(cp, utf8));
	}
}

bool kb_html_read(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	struct kb_html_tree tree;

	(void)err;
	kb_html_tree_read(&tree, doc->arena, kb_input_text(in, doc->arena));
	kb_html_mark_folds(&tree);
	if (doc->links)
		kb_html_links(doc->arena, &tree, in->url, doc->links);
	kb_html_tracks(doc, &tree, in->url);
	kb_html_mark_hidden(&tree);
	read_meta(doc, &tree);
	kb_html_mark_main(&tree);
	write_tree(doc, &tree, in->url, KB_HTML_HIDDEN | KB_HTML_DROP);
	/* A page that seems to have no main content keeps all that can be seen. */
	if (kb_doc_is_empty(doc))
		write_tree(doc, &tree, in->url, KB_HTML_HIDDEN);
	kb_html_tree_fini(&tree);
	return true;
}
