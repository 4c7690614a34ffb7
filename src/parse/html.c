/* The flat tree to blocks: text between block borders, lists, tables, code; and the head's
 * metadata. */
#include "parse/html.h"

#include <libxml/HTMLparser.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "out/url.h"
#include "parse/format.h"
#include "parse/html_tree.h"
#include "parse/ooxml.h"

enum {
	TABLE_COLUMNS_MAX = 200,
	TABLE_ROWS_MAX = 200000,
	SPAN_MAX = 200,       /* of a cell, over columns or rows */
	DATA_CELL_MAX = 1500, /* bytes; a table with longer cells lays out a page */
	ENTITY_MAX = 32,
};

/* How the text in hand will be filed when the next border comes. */
struct writer {
	struct kb_doc *doc;
	const struct kb_html_tree *tree;
	struct kb_buf text;
	int heading;  /* its level, or 0 */
	int fold;     /* the level of a question's heading in the fold we are in; 0: in none */
	int lists;    /* list items we are in */
	int pre;      /* preformatted elements we are in */
	int breaks;   /* line breaks since the last text */
	uint8_t skip; /* flags of nodes that are left out */
	struct kb_url base;
	bool has_base; /* else only whole addresses lead anywhere */
};

/* ---- text */

static void flush(struct writer *w)
{
	if (!w->text.n)
		return;
	if (w->heading)
		kb_doc_heading(w->doc, w->heading, kb_buf_view(&w->text));
	else
		kb_doc_add(w->doc,
		           w->pre     ? KB_BLOCK_CODE
		           : w->lists ? KB_BLOCK_LIST
		                      : KB_BLOCK_PARAGRAPH,
		           kb_buf_view(&w->text));
	kb_buf_clear(&w->text);
	w->breaks = 0;
}

static bool is_blank(struct kb_sv text)
{
	return !kb_sv_trim(text).n;
}

static void add_text(struct writer *w, struct kb_sv text)
{
	if (!w->text.n && !w->pre && is_blank(text))
		return;
	/* A picture of a link mark, as documentation tools put it behind headings. */
	if (w->heading && (kb_sv_eq_str(text, "\xc2\xb6") || kb_sv_eq_str(text, "#")))
		return;
	if (!is_blank(text))
		w->breaks = 0;
	kb_buf_sv(&w->text, text);
}

/* The text of a subtree in one line, for a cell or a caption. */
static void gather(const struct writer *w, uint32_t from, uint32_t end, struct kb_buf *out)
{
	for (uint32_t i = from; i < end; i++) {
		const struct kb_html_node *node = &w->tree->nodes[i];
		enum kb_html_kind kind = kb_html_kind(node->tag);

		if ((node->flags & w->skip) || kind == KB_HTML_SKIP) {
			i = node->end - 1;
			continue;
		}
		if (node->tag == KB_TAG_TEXT)
			kb_buf_sv(out, node->text);
		else if (kind != KB_HTML_INLINE)
			kb_buf_byte(out, ' ');
	}
}

/* ---- pictures */

/* Smaller ones are ornaments: marks of lists, smilies, what counts visitors. */
static bool is_small(const struct writer *w, uint32_t node)
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
static void add_inset(struct writer *w, uint32_t node)
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

static void add_picture(struct writer *w, uint32_t node)
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

/* ---- tables */

/* A table with a header, or with several short cells a row, holds data; any other one lays out the
 * page, and its cells are read as text. */
static bool is_data_table(const struct writer *w, uint32_t table)
{
	const struct kb_html_tree *tree = w->tree;
	uint32_t rows = 0, cells = 0, heads = 0, longest = 0, blocks = 0;
	struct kb_sv role = kb_html_attr(tree, table, "role");

	if (kb_sv_eq_str(role, "presentation") || kb_sv_eq_str(role, "none"))
		return false;
	for (uint32_t i = table + 1; i < tree->nodes[table].end; i++) {
		const struct kb_html_node *node = &tree->nodes[i];
		uint32_t n = 0;

		switch (node->tag) {
		case KB_TAG_table:
		case KB_TAG_form:
			return false;
		case KB_TAG_h1:
		case KB_TAG_h2:
		case KB_TAG_h3:
			blocks += 3;
			break;
		case KB_TAG_p:
			blocks++;
			break;
		case KB_TAG_tr:
			rows++;
			break;
		case KB_TAG_th:
			heads++;
			cells++;
			break;
		case KB_TAG_td:
			cells++;
			for (uint32_t j = i + 1; j < node->end; j++)
				n += (uint32_t)tree->nodes[j].text.n;
			longest = KB_MAX(longest, n);
			break;
		default:
			break;
		}
	}
	if (!rows || cells <= rows)
		return false;
	return heads || (longest < DATA_CELL_MAX && blocks <= cells);
}

static uint32_t span_of(const struct writer *w, uint32_t cell, const char *name)
{
	int64_t n;

	if (!kb_sv_to_int(kb_sv_trim(kb_html_attr(w->tree, cell, name)), 1, SPAN_MAX, &n))
		return 1;
	return (uint32_t)n;
}

struct grid {
	struct {
		struct kb_sv text;  /* in the arena */
		uint32_t rows_left; /* it still covers */
	} above[TABLE_COLUMNS_MAX];
	struct kb_sv cells[TABLE_COLUMNS_MAX];
	bool started; /* a body row was written */
};

static void write_row(struct writer *w, struct grid *grid, uint32_t row, bool in_head)
{
	const struct kb_html_tree *tree = w->tree;
	uint32_t column = 0, heads = 0, datas = 0;

	for (uint32_t i = row + 1; i < tree->nodes[row].end; i = tree->nodes[i].end) {
		const struct kb_html_node *node = &tree->nodes[i];
		uint32_t columns, rows;

		if ((node->tag != KB_TAG_td && node->tag != KB_TAG_th) || (node->flags & w->skip))
			continue;
		while (column < TABLE_COLUMNS_MAX && grid->above[column].rows_left) {
			grid->above[column].rows_left--;
			grid->cells[column] = grid->above[column].text;
			column++;
		}
		if (column == TABLE_COLUMNS_MAX)
			break;
		*(node->tag == KB_TAG_th ? &heads : &datas) += 1;
		kb_buf_clear(&w->text);
		gather(w, i + 1, node->end, &w->text);
		columns = span_of(w, i, "colspan");
		rows = span_of(w, i, "rowspan");
		grid->cells[column] = kb_arena_sv(w->doc->arena, kb_sv_trim(kb_buf_view(&w->text)));
		if (rows > 1) {
			grid->above[column].text = grid->cells[column];
			grid->above[column].rows_left = rows - 1;
		}
		for (column++; --columns && column < TABLE_COLUMNS_MAX; column++)
			grid->cells[column] = in_head ? grid->cells[column - 1] : KB_SV("");
	}
	while (column < TABLE_COLUMNS_MAX && grid->above[column].rows_left) {
		grid->above[column].rows_left--;
		grid->cells[column] = grid->above[column].text;
		column++;
	}
	kb_buf_clear(&w->text);
	if (!column)
		return;
	kb_doc_row(w->doc, grid->cells, column,
	           !grid->started && (in_head || (heads && !datas && column > 1)));
	grid->started |= !in_head;
}

static void write_table(struct writer *w, uint32_t table)
{
	const struct kb_html_tree *tree = w->tree;
	struct grid *grid = kb_xcalloc(1, sizeof(*grid));
	uint32_t rows = 0;

	/* The caption first: it says what the rows are. */
	for (uint32_t i = table + 1; i < tree->nodes[table].end; i++)
		if (tree->nodes[i].tag == KB_TAG_caption && !(tree->nodes[i].flags & w->skip)) {
			gather(w, i + 1, tree->nodes[i].end, &w->text);
			flush(w);
			break;
		}
	kb_doc_table(w->doc);
	for (uint32_t i = table + 1; i < tree->nodes[table].end && rows < TABLE_ROWS_MAX; i++) {
		const struct kb_html_node *node = &tree->nodes[i];

		if (node->flags & w->skip) {
			i = node->end - 1;
		} else if (node->tag == KB_TAG_tr) {
			write_row(w, grid, i, tree->nodes[node->parent].tag == KB_TAG_thead);
			rows++;
			i = node->end - 1;
		}
	}
	kb_doc_table_end(w->doc);
	free(grid);
}

/* ---- lists of terms */

/* Terms with a short value each, and nothing that has blocks of its own. */
static bool is_pairs(const struct writer *w, uint32_t list)
{
	const struct kb_html_tree *tree = w->tree;

	if (tree->nodes[list].flags & KB_HTML_FOLDS)
		return false;
	for (uint32_t i = list + 1; i < tree->nodes[list].end; i++) {
		uint16_t tag = tree->nodes[i].tag;
		enum kb_html_kind kind = kb_html_kind(tag);

		if (kind != KB_HTML_INLINE && kind != KB_HTML_VOID && kind != KB_HTML_BREAK
		    && tag != KB_TAG_dt && tag != KB_TAG_dd && tag != KB_TAG_div && tag != KB_TAG_p)
			return false;
	}
	return true;
}

/* "Weight: 3 kg"; the text in hand is the value. */
static void write_pair(struct writer *w, struct kb_sv term)
{
	struct kb_sv value = kb_sv_trim(kb_buf_view(&w->text));
	const char *mark = !term.n || !value.n ? "" : kb_sv_ends(term, KB_SV(":")) ? " " : ": ";

	kb_doc_add(w->doc, KB_BLOCK_LIST,
	           kb_arena_printf(w->doc->arena, "%.*s%s%.*s", KB_SV_ARG(term), mark,
	                           KB_SV_ARG(value)));
	kb_buf_clear(&w->text);
}

/* Each value behind its term. */
static void write_pairs(struct writer *w, uint32_t list)
{
	const struct kb_html_tree *tree = w->tree;
	struct kb_sv term = KB_SV("");
	bool waits = false; /* the term has no value yet */

	for (uint32_t i = list + 1; i < tree->nodes[list].end; i++) {
		const struct kb_html_node *node = &tree->nodes[i];
		bool is_term = node->tag == KB_TAG_dt, is_left_out = node->flags & w->skip;
		uint32_t end = i + 1;

		if (!is_left_out && !is_term && node->tag != KB_TAG_dd)
			continue;
		/* The next one stands inside where its end was left out. */
		while (end < node->end && tree->nodes[end].tag != KB_TAG_dd
		       && tree->nodes[end].tag != KB_TAG_dt)
			end++;
		if (is_term && waits)
			write_pair(w, term);
		if (!is_left_out)
			gather(w, i + 1, end, &w->text);
		if (is_term) {
			term = kb_arena_sv(w->doc->arena, kb_sv_trim(kb_buf_view(&w->text)));
			kb_buf_clear(&w->text);
		} else if (!is_left_out) {
			write_pair(w, term);
		}
		waits = is_term;
		i = is_left_out ? node->end - 1 : end - 1;
	}
	if (waits)
		write_pair(w, term);
}

/* ---- the walk */

/* A block element we are in. */
struct open {
	uint32_t node;
	int fold; /* around it */
};

static void enter(struct writer *w, const struct kb_html_node *node)
{
	flush(w);
	if (node->flags & KB_HTML_FOLDS)
		w->fold = KB_MIN(kb_doc_level(w->doc) + 1, KB_DOC_LEVELS);
	switch (node->tag) {
	case KB_TAG_li:
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

static void leave(struct writer *w, const struct open *open)
{
	const struct kb_html_node *node = &w->tree->nodes[open->node];

	flush(w);
	if (node->flags & KB_HTML_FOLDS) {
		kb_doc_heading_end(w->doc, w->fold);
		w->fold = open->fold;
	}
	switch (node->tag) {
	case KB_TAG_li:
	case KB_TAG_dd:
		w->lists--;
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

static void line_break(struct writer *w)
{
	if (w->pre) {
		kb_buf_byte(&w->text, '\n');
		return;
	}
	/* Two in a row end a paragraph. */
	if (w->breaks && !w->heading)
		flush(w);
	else if (w->text.n)
		kb_buf_byte(&w->text, ' ');
	w->breaks++;
}

static void write_blocks(struct writer *w)
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
			add_text(w, node->text);
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
			if (node->tag == KB_TAG_table && is_data_table(w, i)) {
				flush(w);
				write_table(w, i);
				i = node->end - 1;
				break;
			}
			if (node->tag == KB_TAG_dl && is_pairs(w, i)) {
				flush(w);
				write_pairs(w, i);
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
	flush(w);
}

static void write_tree(struct kb_doc *doc, const struct kb_html_tree *tree, struct kb_sv address,
                       uint8_t skip)
{
	struct writer w = { .doc = doc, .tree = tree, .skip = skip };

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

	if (is_blank(html))
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
