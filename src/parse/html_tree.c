/* libxml2's HTML events to the flat tree. */
#include "parse/html_tree.h"

#include <libxml/HTMLparser.h>
#include <libxml/parserInternals.h>
#include <stdlib.h>
#include <string.h>

enum { STATED_MAX = 1 << 20 }; /* of JSON-LD; what is behind is left out */

struct builder {
	struct kb_html_tree *tree;
	htmlParserCtxtPtr parser;
	uint32_t open[KB_HTML_DEPTH_MAX];
	size_t depth;  /* of open[] */
	size_t beyond; /* elements open below the deepest */
	size_t open_count;
};

static const struct {
	const char *name;
	enum kb_html_kind kind;
} tags[KB_TAG_COUNT] = { [KB_TAG_TEXT] = { "", KB_HTML_INLINE },
	                 [KB_TAG_OTHER] = { "", KB_HTML_INLINE },
#define KB_X(n, k) [KB_TAG_##n] = { #n, KB_HTML_##k },
	                 KB_HTML_TAGS(KB_X)
#undef KB_X
};

enum kb_html_kind kb_html_kind(uint16_t tag)
{
	return tags[tag].kind;
}

/* The table is nearly in order; pages repeat a few names, so the first letter decides quickly. */
static uint16_t tag_of(const char *name)
{
	for (int i = KB_TAG_OTHER + 1; i < KB_TAG_COUNT; i++)
		if (tags[i].name[0] == name[0] && !strcmp(tags[i].name, name))
			return (uint16_t)i;
	return KB_TAG_OTHER;
}

static struct kb_html_node *add_node(struct builder *b, uint16_t tag)
{
	struct kb_html_tree *tree = b->tree;
	struct kb_html_node *node;

	if (tree->count == KB_HTML_NODES_MAX) {
		xmlStopParser(b->parser);
		return NULL;
	}
	KB_GROW(tree->nodes, tree->capacity, tree->count + 1);
	node = &tree->nodes[tree->count];
	*node = (struct kb_html_node){ .tag = tag,
		                       .depth = (uint16_t)b->depth,
		                       .parent = b->open[b->depth - 1],
		                       .end = (uint32_t)tree->count + 1,
		                       .attr = (uint32_t)tree->attr_count };
	tree->count++;
	return node;
}

static void add_attr(struct kb_html_tree *tree, const char *name, const char *value)
{
	struct kb_html_attr *attr;

	KB_GROW(tree->attrs, tree->attr_capacity, tree->attr_count + 1);
	attr = &tree->attrs[tree->attr_count++];
	attr->name = kb_arena_sv(tree->arena, kb_sv_str(name));
	attr->value = kb_arena_sv(tree->arena, kb_sv_str(value));
}

/* The attributes that some reader asks for; the others (data-…, on…) would only cost memory. */
static bool is_wanted(const char *name)
{
	static const char *const wanted[] = {
		"class",         "id",
		"style",         "hidden",
		"aria-hidden",   "role",
		"lang",          "href",
		"content",       "name",
		"property",      "itemprop",
		"colspan",       "rowspan",
		"bgcolor",       "color",
		"rel",           "width",
		"height",        "size",
		"src",           "alt",
		"type",          "xml:lang",
		"http-equiv",    "aria-label",
		"open",          "itemtype",
		"aria-expanded", "aria-controls",
		"data-target",   "data-bs-target",
		"hreflang",      "data-src",
		"data-original", "data-lazy-src",
		"kind",          "srclang",
		"default",       "start",
	};

	for (size_t i = 0; i < KB_COUNTOF(wanted); i++)
		if (wanted[i][0] == name[0] && !strcmp(wanted[i], name))
			return true;
	return false;
}

/*
 * The HTML standard ends a head at the first element that is none of its own. libxml2 2.9 does so
 * for the elements of HTML 4 alone: <main>, <section> and a page's own elements stay in the head
 * where there is no <body>, and nothing there is text.
 */
static void end_head(struct builder *b, uint16_t tag)
{
	struct kb_html_node *parent = &b->tree->nodes[b->open[b->depth - 1]];

	if (parent->tag == KB_TAG_head
	    && (tag == KB_TAG_OTHER || kb_html_kind(tag) == KB_HTML_BLOCK
	        || kb_html_kind(tag) == KB_HTML_HEADING))
		parent->tag = KB_TAG_body;
}

static bool is_stated(const struct kb_html_tree *tree, uint32_t script)
{
	return kb_sv_ieq_str(kb_sv_trim(kb_html_attr(tree, script, "type")), "application/ld+json");
}

static void on_start(void *arg, const xmlChar *name, const xmlChar **attrs)
{
	struct builder *b = arg;
	uint16_t tag = tag_of((const char *)name);
	struct kb_html_node *node;

	if (++b->open_count > KB_HTML_OPEN_MAX) {
		xmlStopParser(b->parser);
		return;
	}
	if (b->depth == KB_HTML_DEPTH_MAX) {
		b->beyond++;
		return;
	}
	end_head(b, tag);
	node = add_node(b, tag);
	if (!node)
		return;
	for (size_t i = 0; attrs && attrs[i]; i += 2)
		if (is_wanted((const char *)attrs[i])) {
			add_attr(b->tree, (const char *)attrs[i],
			         attrs[i + 1] ? (const char *)attrs[i + 1] : "");
			node->attr_count++;
		}
	if (tag == KB_TAG_style
	    || (tag == KB_TAG_link
	        && kb_sv_ieq_str(kb_html_attr(b->tree, (uint32_t)b->tree->count - 1, "rel"),
	                         "stylesheet")))
		b->tree->has_styles = true;
	if (tag == KB_TAG_script && is_stated(b->tree, (uint32_t)b->tree->count - 1))
		kb_buf_byte(&b->tree->stated, KB_HTML_STATED);
	b->open[b->depth++] = (uint32_t)b->tree->count - 1;
}

static void on_end(void *arg, const xmlChar *name)
{
	struct builder *b = arg;

	(void)name; /* libxml2 closes in order, implied ends included */
	if (b->open_count)
		b->open_count--;
	if (b->beyond) {
		b->beyond--;
		return;
	}
	if (b->depth > 1) {
		b->depth--;
		b->tree->nodes[b->open[b->depth]].end = (uint32_t)b->tree->count;
	}
}

static void on_text(void *arg, const xmlChar *text, int n)
{
	struct builder *b = arg;
	uint32_t in = b->open[b->depth - 1];
	uint16_t inside = b->tree->nodes[in].tag;
	struct kb_html_node *node;

	if (n > 0 && inside == KB_TAG_script && is_stated(b->tree, in))
		kb_buf_add(&b->tree->stated, text, (size_t)n);
	if (n <= 0 || inside == KB_TAG_script || inside == KB_TAG_style)
		return;
	node = add_node(b, KB_TAG_TEXT);
	if (node)
		node->text = kb_arena_sv(b->tree->arena, kb_sv((const char *)text, (size_t)n));
}

void kb_html_tree_read(struct kb_html_tree *tree, struct kb_arena *arena, struct kb_sv html)
{
	htmlSAXHandler sax = { .startElement = on_start,
		               .endElement = on_end,
		               .characters = on_text,
		               .ignorableWhitespace = on_text };
	struct builder b = { .tree = tree, .depth = 1 };

	memset(tree, 0, sizeof(*tree));
	tree->arena = arena;
	kb_buf_init(&tree->stated, STATED_MAX);
	KB_GROW(tree->nodes, tree->capacity, html.n / 40 + 16);
	tree->nodes[0] = (struct kb_html_node){ .tag = KB_TAG_OTHER, .end = 1 };
	tree->count = 1;
	html = kb_html_thin(arena, html);
	if (!html.n || html.n > INT32_MAX)
		return;
	b.parser = htmlCreateMemoryParserCtxt(html.p, (int)html.n);
	if (!b.parser)
		return;
	if (b.parser->sax)
		memcpy(b.parser->sax, &sax, sizeof(sax));
	b.parser->userData = &b;
	htmlCtxtUseOptions(b.parser, HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING
	                                     | HTML_PARSE_NONET | HTML_PARSE_IGNORE_ENC);
	xmlSwitchEncoding(b.parser, XML_CHAR_ENCODING_UTF8);
	htmlParseDocument(b.parser);
	htmlFreeParserCtxt(b.parser);
	while (b.depth > 1)
		tree->nodes[b.open[--b.depth]].end = (uint32_t)tree->count;
	tree->nodes[0].end = (uint32_t)tree->count;
}

void kb_html_tree_fini(struct kb_html_tree *tree)
{
	free(tree->nodes);
	free(tree->attrs);
	kb_buf_fini(&tree->stated);
	tree->nodes = NULL;
	tree->attrs = NULL;
}

static const struct kb_html_attr *find_attr(const struct kb_html_tree *tree, uint32_t node,
                                            const char *name)
{
	const struct kb_html_node *n = &tree->nodes[node];

	for (uint32_t i = n->attr; i < n->attr + n->attr_count; i++)
		if (kb_sv_eq_str(tree->attrs[i].name, name))
			return &tree->attrs[i];
	return NULL;
}

struct kb_sv kb_html_attr(const struct kb_html_tree *tree, uint32_t node, const char *name)
{
	const struct kb_html_attr *attr = find_attr(tree, node, name);

	return attr ? attr->value : (struct kb_sv){ "", 0 };
}

bool kb_html_has_attr(const struct kb_html_tree *tree, uint32_t node, const char *name)
{
	return find_attr(tree, node, name) != NULL;
}
