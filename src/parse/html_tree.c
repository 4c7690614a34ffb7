/* libxml2's HTML events to the flat tree, and what of it is hidden. */
#include "parse/html_tree.h"

#include <libxml/HTMLparser.h>
#include <libxml/parserInternals.h>
#include <stdlib.h>
#include <string.h>

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
		"class",      "id",         "style",   "hidden",   "aria-hidden", "role",
		"lang",       "href",       "content", "name",     "property",    "itemprop",
		"colspan",    "rowspan",    "bgcolor", "color",    "rel",         "width",
		"height",     "size",       "src",     "alt",      "type",        "xml:lang",
		"http-equiv", "aria-label", "open",    "itemtype",
	};

	for (size_t i = 0; i < KB_COUNTOF(wanted); i++)
		if (wanted[i][0] == name[0] && !strcmp(wanted[i], name))
			return true;
	return false;
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
	uint16_t inside = b->tree->nodes[b->open[b->depth - 1]].tag;
	struct kb_html_node *node;

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

/* ---- what cannot be seen */

/* A CSS length or number that shows nothing: 0, 0px, 0.0em, 0.01. */
static bool is_nothing(struct kb_sv value)
{
	double n = 0, scale = 1;
	bool digits = false, fraction = false;

	for (size_t i = 0; i < value.n; i++) {
		char c = value.p[i];

		if (c >= '0' && c <= '9') {
			digits = true;
			n = fraction ? n + (c - '0') * (scale /= 10) : n * 10 + (c - '0');
		} else if (c == '.' && !fraction) {
			fraction = true;
		} else {
			break;
		}
	}
	return digits && n < 0.02;
}

static bool is_far_away(struct kb_sv value)
{
	return value.n > 4 && value.p[0] == '-' && value.p[1] >= '1' && value.p[2] >= '0'
	       && value.p[2] <= '9' && value.p[3] >= '0' && value.p[3] <= '9';
}

/* A colour as 0xrrggbb, or -1: hexadecimal, rgb(), and the names that matter here. */
static int32_t colour(struct kb_sv value)
{
	static const struct {
		const char *name;
		int32_t rgb;
	} names[] = { { "white", 0xffffff }, { "black", 0 },         { "red", 0xff0000 },
		      { "blue", 0x0000ff },  { "yellow", 0xffff00 }, { "transparent", -1 } };
	int32_t rgb = 0, parts[3] = { 0 };
	int part = 0;

	value = kb_sv_trim(value);
	for (size_t i = 0; i < KB_COUNTOF(names); i++)
		if (kb_sv_istarts(value, kb_sv_str(names[i].name)))
			return names[i].rgb;
	if (value.n >= 4 && value.p[0] == '#') {
		bool narrow = value.n < 7;

		for (size_t i = 1; i < (narrow ? 4u : 7u); i++) {
			char c = (char)(value.p[i] | 0x20);
			int digit = c >= '0' && c <= '9'   ? c - '0'
			            : c >= 'a' && c <= 'f' ? c - 'a' + 10
			                                   : -1;

			if (digit < 0)
				return -1;
			rgb = narrow ? rgb << 8 | digit << 4 | digit : rgb << 4 | digit;
		}
		return rgb;
	}
	if (!kb_sv_istarts(value, KB_SV("rgb")))
		return -1;
	for (size_t i = 0; i < value.n && part < 3; i++) {
		bool digit = value.p[i] >= '0' && value.p[i] <= '9';

		if (digit && parts[part] < 256)
			parts[part] = parts[part] * 10 + (value.p[i] - '0');
		part += digit && (i + 1 == value.n || value.p[i + 1] < '0' || value.p[i + 1] > '9');
	}
	return part == 3 ? (parts[0] & 255) << 16 | (parts[1] & 255) << 8 | (parts[2] & 255) : -1;
}

static bool is_near(int32_t a, int32_t b)
{
	int sum = 0;

	for (int shift = 0; shift < 24; shift += 8)
		sum += abs((a >> shift & 255) - (b >> shift & 255));
	return sum <= 24;
}

struct paint {
	int32_t colour, background; /* -1: not said */
	bool open_to_style;         /* a stylesheet may paint it otherwise */
};

/* Reads an inline style; true when it hides the element. */
static bool style_hides(struct kb_sv style, struct paint *paint)
{
	struct kb_sv declaration;
	bool no_overflow = false, no_height = false;

	if (!style.n)
		return false;
	while (kb_sv_split(&style, ';', &declaration)) {
		ptrdiff_t colon = kb_sv_find_byte(declaration, ':');
		struct kb_sv key, value;

		if (colon < 0)
			continue;
		key = kb_sv_trim(kb_sv_sub(declaration, 0, (size_t)colon));
		value = kb_sv_trim(kb_sv_from(declaration, (size_t)colon + 1));
		if (kb_sv_ieq_str(key, "display") && kb_sv_istarts(value, KB_SV("none")))
			return true;
		if (kb_sv_ieq_str(key, "visibility")
		    && (kb_sv_istarts(value, KB_SV("hidden"))
		        || kb_sv_istarts(value, KB_SV("collapse"))))
			return true;
		if ((kb_sv_ieq_str(key, "font-size") || kb_sv_ieq_str(key, "opacity"))
		    && is_nothing(value))
			return true;
		if ((kb_sv_ieq_str(key, "text-indent") || kb_sv_ieq_str(key, "left")
		     || kb_sv_ieq_str(key, "top") || kb_sv_ieq_str(key, "margin-left"))
		    && is_far_away(value))
			return true;
		if (kb_sv_ieq_str(key, "overflow") && kb_sv_istarts(value, KB_SV("hidden")))
			no_overflow = true;
		if ((kb_sv_ieq_str(key, "height") || kb_sv_ieq_str(key, "width")
		     || kb_sv_ieq_str(key, "max-height"))
		    && is_nothing(value))
			no_height = true;
		if (kb_sv_ieq_str(key, "color"))
			paint->colour = colour(value);
		if (kb_sv_ieq_str(key, "background-color") || kb_sv_ieq_str(key, "background")) {
			paint->background = colour(value);
			paint->open_to_style |= paint->background < 0;
		}
	}
	return no_overflow && no_height;
}

void kb_html_mark_hidden(struct kb_html_tree *tree)
{
	struct paint *paints = kb_xcalloc(KB_HTML_DEPTH_MAX + 2, sizeof(*paints));

	paints[0] = (struct paint){ .colour = 0, .background = 0xffffff };
	for (uint32_t i = 1; i < tree->count; i++) {
		struct kb_html_node *node = &tree->nodes[i];
		struct paint own = paints[node->depth - 1];
		bool hidden = false;

		if (node->tag == KB_TAG_TEXT) {
			if (own.colour >= 0 && !own.open_to_style
			    && is_near(own.colour, own.background))
				node->flags |= KB_HTML_HIDDEN;
			continue;
		}
		if (node->attr_count) {
			hidden = kb_html_has_attr(tree, i, "hidden")
			         || kb_sv_ieq_str(kb_html_attr(tree, i, "aria-hidden"), "true");
			if (tree->has_styles && i > 2
			    && (kb_html_has_attr(tree, i, "class")
			        || kb_html_has_attr(tree, i, "id")))
				own.open_to_style = true;
			if (kb_html_has_attr(tree, i, "bgcolor")) {
				own.background = colour(kb_html_attr(tree, i, "bgcolor"));
				own.open_to_style |= own.background < 0;
			}
			if (kb_html_has_attr(tree, i, "color"))
				own.colour = colour(kb_html_attr(tree, i, "color"));
			hidden |= style_hides(kb_html_attr(tree, i, "style"), &own);
		}
		paints[node->depth] = own;
		if (hidden) {
			for (uint32_t j = i; j < node->end; j++)
				tree->nodes[j].flags |= KB_HTML_HIDDEN;
			i = node->end - 1;
		}
	}
	free(paints);
}
