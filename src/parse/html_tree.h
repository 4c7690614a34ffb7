/*
 * HTML as a flat tree: nodes in document order, so that a subtree is the range [i, nodes[i].end).
 *
 * libxml2's parser repairs the markup and calls us back; we keep only what the reader needs, with
 * caps on depth and count, and nothing here recurses. Scripts and styles are not kept. Node 0 is
 * the root. Views point into the arena.
 */
#ifndef KB_PARSE_HTML_TREE_H
#define KB_PARSE_HTML_TREE_H

#include "base/arena.h"
#include "base/buf.h"

enum {
	KB_HTML_DEPTH_MAX = 400,     /* deeper elements count as part of the one at this depth */
	KB_HTML_NODES_MAX = 4000000, /* the rest of the page is not read */
	KB_HTML_ATTRS_MAX = 1000,    /* of an element; the others are left out */
	KB_HTML_OPEN_MAX = 20000,    /* open elements; a page with more is a bomb and ends there */
};

// clang-format off
/* Elements the reader knows, by what they do to text. X(name, kind) */
#define KB_HTML_TAGS(X) \
	X(a, INLINE) X(abbr, INLINE) X(address, BLOCK) X(area, VOID) X(article, BLOCK) X(aside, BLOCK) \
	X(b, INLINE) X(base, VOID) X(blockquote, BLOCK) X(body, BLOCK) X(br, BREAK) \
	X(button, SKIP) X(canvas, SKIP) X(caption, BLOCK) X(center, BLOCK) X(cite, INLINE) X(code, INLINE) \
	X(dd, BLOCK) X(del, INLINE) X(details, BLOCK) X(dialog, BLOCK) X(dir, BLOCK) X(div, BLOCK) X(dl, BLOCK) \
	X(dt, BLOCK) X(em, INLINE) X(embed, SKIP) X(fieldset, BLOCK) X(figcaption, BLOCK) \
	X(figure, BLOCK) X(font, INLINE) X(footer, BLOCK) X(form, BLOCK) X(frameset, BLOCK) \
	X(h1, HEADING) X(h2, HEADING) X(h3, HEADING) X(h4, HEADING) X(h5, HEADING) X(h6, HEADING) \
	X(head, SKIP) X(header, BLOCK) X(hgroup, BLOCK) X(hr, BLOCK) X(html, BLOCK) X(i, INLINE) X(iframe, SKIP) \
	X(img, VOID) X(input, VOID) X(ins, INLINE) X(kbd, INLINE) X(label, INLINE) X(legend, BLOCK) \
	X(li, BLOCK) X(link, VOID) X(main, BLOCK) X(map, SKIP) X(mark, INLINE) X(math, INLINE) X(menu, BLOCK) X(meta, VOID) \
	X(nav, BLOCK) X(noframes, BLOCK) X(noscript, SKIP) X(object, BLOCK) X(ol, BLOCK) X(optgroup, SKIP) X(option, SKIP) \
	X(p, BLOCK) X(picture, INLINE) X(pre, BLOCK) X(q, INLINE) X(rp, SKIP) X(rt, SKIP) X(ruby, INLINE) X(s, INLINE) X(samp, INLINE) \
	X(script, SKIP) X(section, BLOCK) X(select, SKIP) X(small, INLINE) X(span, INLINE) \
	X(strike, INLINE) X(strong, INLINE) X(style, SKIP) X(sub, INLINE) X(summary, HEADING) \
	X(sup, INLINE) X(svg, SKIP) X(table, BLOCK) X(tbody, BLOCK) X(td, BLOCK) X(template, SKIP) \
	X(textarea, SKIP) X(tfoot, BLOCK) X(th, BLOCK) X(thead, BLOCK) X(time, INLINE) \
	X(title, SKIP) X(tr, BLOCK) X(track, INLINE) X(tt, INLINE) X(u, INLINE) X(ul, BLOCK) X(var, INLINE) \
	X(video, SKIP) X(audio, SKIP) X(wbr, VOID) X(xmp, BLOCK)
// clang-format on

enum kb_html_tag {
	KB_TAG_TEXT, /* not an element */
	KB_TAG_OTHER,
#define KB_X(name, kind) KB_TAG_##name,
	KB_HTML_TAGS(KB_X)
#undef KB_X
	        KB_TAG_COUNT
};

enum kb_html_kind {
	KB_HTML_INLINE,
	KB_HTML_BLOCK,
	KB_HTML_HEADING,
	KB_HTML_VOID,
	KB_HTML_BREAK,
	KB_HTML_SKIP, /* its text is not text of the page */
};

enum kb_html_flag {
	KB_HTML_HIDDEN = 1, /* cannot be seen, as far as the markup says */
	KB_HTML_DROP = 2,   /* not part of the content: html_main.c's judgement */
	KB_HTML_OPENS = 4,  /* a click opens it: that it hides itself does not count */
	KB_HTML_FOLDS = 8,  /* each summary in it is a heading one level below the one around */
};

struct kb_html_attr {
	struct kb_sv name, value; /* name in lower case */
};

struct kb_html_node {
	uint16_t tag;
	uint8_t flags;
	uint16_t depth;
	uint32_t parent, end;
	uint32_t attr, attr_count;
	struct kb_sv text; /* of a text node */
};

struct kb_html_tree {
	struct kb_arena *arena;
	struct kb_html_node *nodes;
	struct kb_html_attr *attrs;
	size_t count, capacity, attr_count, attr_capacity;
	bool has_styles; /* a stylesheet stands in it or is linked */
	/* What it states for programs (JSON-LD): texts of JSON, a KB_HTML_STATED before each. */
	struct kb_buf stated;
};

#define KB_HTML_STATED '\x1e'

/* Parses UTF-8. Never fails: what cannot be understood is text. */
void kb_html_tree_read(struct kb_html_tree *tree, struct kb_arena *arena, struct kb_sv html);
/* The text without the attributes that are too many for their element, html_thin.c. Time that grows
 * with the text. */
struct kb_sv kb_html_thin(struct kb_arena *arena, struct kb_sv html);
void kb_html_tree_fini(struct kb_html_tree *tree);

enum kb_html_kind kb_html_kind(uint16_t tag);
/* Empty when there is none. */
struct kb_sv kb_html_attr(const struct kb_html_tree *tree, uint32_t node, const char *name);
bool kb_html_has_attr(const struct kb_html_tree *tree, uint32_t node, const char *name);

/* Marks what a click opens (html_folds.c); before what cannot be seen. */
void kb_html_mark_folds(struct kb_html_tree *tree);

/* Marks what cannot be seen: attributes, inline style, text in the colour of its background. */
void kb_html_mark_hidden(struct kb_html_tree *tree);

/* Marks what is not main content with KB_HTML_DROP (html_main.c). */
void kb_html_mark_main(struct kb_html_tree *tree);

#endif
