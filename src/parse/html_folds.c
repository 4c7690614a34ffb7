/*
 * What a click opens: accordions, details, tab pages, lists of questions and answers.
 *
 * A page shows the question and keeps the answer folded until somebody clicks, so the answer's own
 * hiding does not count: a reader can see it. Only where a control stands right before what it
 * opens, and says what it is; the menus of a page's head stay as hidden as they are. The question
 * becomes a heading, one level below the heading it stands under, as far as its container goes.
 */
#include "parse/html_tree.h"

#include <string.h>

enum {
	UP_MAX = 4,        /* steps from a control to the element before its panel */
	SIBLINGS_MAX = 8,  /* passed over on the way to it */
	TITLE_MAX = 300,   /* bytes of what may be a question */
	LONG_ANSWER = 100, /* mean bytes of a list's definitions; shorter ones are pairs */
	HEADING_STEPS = 3, /* up from a button to the heading it stands in */
};

static uint16_t tag_of(const struct kb_html_tree *tree, uint32_t i)
{
	return tree->nodes[i].tag;
}

static bool is_title_tag(uint16_t tag)
{
	return kb_html_kind(tag) == KB_HTML_HEADING || tag == KB_TAG_dt;
}

/* The heading, summary or term that the node stands in; 0: none. */
static uint32_t title_around(const struct kb_html_tree *tree, uint32_t i)
{
	for (int up = 0; up < HEADING_STEPS && i; up++) {
		i = tree->nodes[i].parent;
		if (is_title_tag(tag_of(tree, i)))
			return i;
	}
	return 0;
}

static bool role_is(const struct kb_html_tree *tree, uint32_t i, const char *role)
{
	return kb_sv_ieq_str(kb_html_attr(tree, i, "role"), role);
}

static bool is_control(const struct kb_html_tree *tree, uint32_t i)
{
	if (tag_of(tree, i) == KB_TAG_button || role_is(tree, i, "button"))
		return true;
	return tree->nodes[i].attr_count && kb_html_has_attr(tree, i, "aria-expanded");
}

/* Parts of a page whose folded text is no content. */
static bool is_furniture(const struct kb_html_tree *tree, uint32_t i)
{
	static const char *const roles[] = { "navigation", "banner",  "dialog", "menu",
		                             "menubar",    "listbox", "search", "alertdialog" };

	switch (tag_of(tree, i)) {
	case KB_TAG_nav:
	case KB_TAG_menu:
	case KB_TAG_dialog:
	case KB_TAG_form:
	case KB_TAG_select:
		return true;
	case KB_TAG_header: /* of the page, not of a section */
		return tree->nodes[i].depth <= 3;
	default:
		break;
	}
	for (size_t r = 0; tree->nodes[i].attr_count && r < KB_COUNTOF(roles); r++)
		if (role_is(tree, i, roles[r]))
			return true;
	return false;
}

static bool in_furniture(const struct kb_html_tree *tree, uint32_t i)
{
	for (; i; i = tree->nodes[i].parent)
		if (is_furniture(tree, i))
			return true;
	return false;
}

/* Letters of the subtree's text, and whether it is more than one word. */
static size_t title_bytes(const struct kb_html_tree *tree, uint32_t i, bool *several)
{
	size_t bytes = 0;
	bool blank = false;

	*several = false;
	for (uint32_t j = i; j < tree->nodes[i].end; j++) {
		struct kb_sv text = tree->nodes[j].text;

		for (size_t k = 0; k < text.n; k++) {
			bool is_blank = (unsigned char)text.p[k] <= ' ';

			*several |= bytes && blank && !is_blank;
			blank = is_blank;
			bytes += !is_blank;
		}
		*several |= bytes > 0 && kb_sv_find(text, KB_SV("\xef\xbc\x9f")) >= 0; /* ？ */
	}
	return bytes;
}

static struct kb_sv opened_id(const struct kb_html_tree *tree, uint32_t i)
{
	static const char *const names[] = { "aria-controls", "data-bs-target", "data-target" };
	struct kb_sv id = KB_SV("");

	for (size_t n = 0; n < KB_COUNTOF(names) && !id.n; n++)
		id = kb_sv_trim(kb_html_attr(tree, i, names[n]));
	return kb_sv_starts(id, KB_SV("#")) ? kb_sv_from(id, 1) : id;
}

/* The element that the control opens, among what follows it or its ancestors; 0: none. */
static uint32_t panel_of(const struct kb_html_tree *tree, uint32_t control)
{
	struct kb_sv id = opened_id(tree, control);
	uint32_t at = control, parent;

	if (!id.n && !kb_html_has_attr(tree, control, "aria-expanded"))
		return 0;

	for (int up = 0; up < UP_MAX && at; up++, at = parent) {
		uint32_t seen = 0;

		parent = tree->nodes[at].parent;
		for (uint32_t next = tree->nodes[at].end;
		     next < tree->nodes[parent].end && seen < SIBLINGS_MAX;
		     next = tree->nodes[next].end) {
			if (tag_of(tree, next) == KB_TAG_TEXT)
				continue;
			seen++;
			if (id.n ? kb_sv_eq(kb_html_attr(tree, next, "id"), id)
			         : kb_html_kind(tag_of(tree, next)) == KB_HTML_BLOCK)
				return next;
			if (!id.n)
				return 0;
		}
		/* Without a name it is the next element of the control or of its heading. */
		if (!id.n && seen)
			return 0;
	}
	return 0;
}

static void read_control(struct kb_html_tree *tree, uint32_t i)
{
	uint32_t title = title_around(tree, i), panel;
	bool several;
	size_t bytes;

	if (title && tag_of(tree, i) == KB_TAG_button)
		tree->nodes[i].tag = KB_TAG_span; /* its words are the heading's */
	bytes = title_bytes(tree, title ? title : i, &several);
	if (!bytes || bytes > TITLE_MAX || (!title && !several) || in_furniture(tree, i))
		return;
	panel = panel_of(tree, i);
	if (!panel || in_furniture(tree, panel))
		return;
	tree->nodes[panel].flags |= KB_HTML_OPENS;
	if (title || is_title_tag(tag_of(tree, i)))
		return;
	tree->nodes[i].tag = KB_TAG_summary;
	tree->nodes[tree->nodes[panel].parent].flags |= KB_HTML_FOLDS;
}

/* Whether the list's definitions are answers rather than values: long ones, or to questions. */
static bool has_answers(const struct kb_html_tree *tree, uint32_t list)
{
	size_t bytes = 0, count = 0;
	bool asks = false;

	for (uint32_t i = list + 1; i < tree->nodes[list].end; i++) {
		const struct kb_html_node *node = &tree->nodes[i];

		if (node->tag == KB_TAG_dl)
			return false;
		if (node->tag != KB_TAG_dd && node->tag != KB_TAG_dt)
			continue;
		count += node->tag == KB_TAG_dd;
		for (uint32_t j = i + 1; j < node->end; j++)
			if (node->tag == KB_TAG_dd)
				bytes += kb_sv_trim(tree->nodes[j].text).n;
			else
				asks |= kb_sv_ends(kb_sv_trim(tree->nodes[j].text), KB_SV("?"));
	}
	return count && (asks || bytes / count >= LONG_ANSWER);
}

static void read_terms(struct kb_html_tree *tree, uint32_t list)
{
	if (!has_answers(tree, list))
		return;
	tree->nodes[list].flags |= KB_HTML_FOLDS;
	for (uint32_t i = list + 1; i < tree->nodes[list].end; i++)
		if (tree->nodes[i].tag == KB_TAG_dt)
			tree->nodes[i].tag = KB_TAG_summary;
}

void kb_html_mark_folds(struct kb_html_tree *tree)
{
	for (uint32_t i = 1; i < tree->count; i++) {
		struct kb_html_node *node = &tree->nodes[i];

		if (node->tag == KB_TAG_TEXT)
			continue;
		if (node->tag == KB_TAG_details)
			node->flags |= KB_HTML_FOLDS;
		else if (node->tag == KB_TAG_dl)
			read_terms(tree, i);
		else if (is_control(tree, i))
			read_control(tree, i);
		if (node->attr_count
		    && (kb_sv_ieq_str(kb_html_attr(tree, i, "hidden"), "until-found")
		        || (role_is(tree, i, "tabpanel") && !in_furniture(tree, i))))
			node->flags |= KB_HTML_OPENS;
	}
}
