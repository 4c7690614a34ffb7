/*
 * Which part of a page is its content.
 *
 * Every text block (the text whose nearest block element is the same) gets a value: prose counts
 * for its length; links, short labels and what its element's class or role calls a sidebar, a
 * comment or an advertisement count against. The element whose blocks sum to most is the content:
 * going up to its parent would take in more furniture than text, going down would lose text. Within
 * it, parts whose own sum is negative go. The idea is that of a maximum subarray, on a tree; names
 * and weights stand in the tables below and were chosen on news pages, blogs and documentation of
 * many sites.
 */
#include "base/hash.h"
#include "parse/html_tree.h"

#include <stdlib.h>
#include <string.h>

enum {
	TOKEN_MAX = 40,
	PROSE_BYTES = 80,    /* a block of this much text and a sentence mark is prose */
	SENTENCE_BYTES = 30, /* a shorter one counts where it ends like a sentence */
	TEASER_BYTES = 600,  /* most text of a teaser beside its links */
	TEASER_LINK_BYTES = 12,
	TEASERS = 3,      /* so many side by side are a list of other pages */
	INDEX_SUM = 300,  /* under this a page has no prose to speak of, and <main> decides */
	FORM_BYTES = 500, /* text of a box that is there for its form */
	LABEL_MAX = 64,
	CAPTION_STEPS = 4,      /* up from a caption to the element that holds its picture */
	CAPTION_NODES = 60,     /* which is small */
	ARTICLE_PARAGRAPHS = 3, /* a page with so much prose is read as an article */
};

/* What a name says of the element that bears it. */
enum verdict { NEUTRAL, FURNITURE, STRONG_FURNITURE };

// clang-format off
/* Whole words of class, id and role, with or without an s: "nav" is furniture, "navy" is not. */
static const char *const furniture_words[] = {
	"ad", "addthis", "agegate", "author", "authorbox", "banner", "bio", "bottombar", "byline", "carousel",
	"complementary", "contentinfo", "copyright", "crumbs", "dateline", "datetime", "dialog", "discussion",
	"donate", "dropdown", "feedback", "flyout", "follow", "followus", "hidden", "lightbox", "login",
	"masthead", "menu", "meta", "metadata", "modal", "more", "mpu", "nav", "navbar", "noprint",
	"offscreen", "overlay", "pager", "paywall", "popup", "print", "pubdate", "published", "rail", "rating",
	"recirc", "recirculation", "register", "replies", "reply", "respond", "screenreader", "search",
	"sharing", "shop", "skip", "skyscraper", "slideshow", "supplemental", "tabs", "tagcloud", "tags",
	"teaser", "timestamp", "toc", "toolbar", "tooltip", "upsell", "utility", "visually",
};
/* Parts of a name that are as good as whole words. */
static const char *const furniture_parts[] = {
	"advert", "author-", "navig", "pagination", "popular", "promo", "read-more", "read_more", "readmore",
	"recommend", "related", "share", "sidebar", "sign-up", "signup", "skip-link", "social", "sponsor",
	"subscri", "tag-list", "taglist", "toc-", "trending", "widget",
};
/* Likewise, and hardly ever given to the text itself. */
static const char *const strong_parts[] = { "footer", "cookie", "consent", "comment", "disqus", "newsletter", "outbrain", "taboola", "breadcrumb" };
// clang-format on

// clang-format off
/* Whole lines that pages put between paragraphs. */
static const char *const labels[] = {
	"advertisement", "advert", "ad", "ads", "sponsored", "share", "share this", "share this article", "tweet",
	"email", "print", "comments", "comment", "loading", "loading...", "read more", "related", "related articles", "close", "caption",
	"facebook", "twitter", "whatsapp", "linkedin", "pinterest", "reddit", "story continues below", "article continues below",
	"you may also like", "you may also like...", "this slideshow requires javascript.", "anzeige", "werbung", "publicit\xc3\xa9", "publicidad", "learn more",
};
/* Words in the names of what stands under a picture. */
static const char *const caption_words[] = { "caption", "credit", "copyright", "photographer" };
static const char *const picture_words[] = { "image", "photo", "picture", "img", "media", "gallery", "slide", "video", "wp", "hero" };
// clang-format on

struct info {
	uint32_t bytes, links,
	        marks;   /* of the block's own text: in all, within links, sentence marks */
	bool has_blocks; /* text blocks lie below it */
	uint8_t verdict;
	float value; /* of its own text */
	float sum;   /* of the subtree */
	float good;  /* positive values in the subtree */
	float prose; /* bytes outside links in the subtree */
	float linked;
};

struct page {
	struct kb_html_tree *tree;
	struct info *info;
};

/* ---- names */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word(const char *word, const char *other)
{
	size_t n = strlen(other);

	return !strncmp(word, other, n) && (!word[n] || (word[n] == 's' && !word[n + 1]));
}

static bool in_list(const char *word, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i][0] == word[0] && is_word(word, list[i]))
			return true;
	return false;
}

/* Takes the next word of a name: split at anything but letters, and where camelCase turns. */
static bool next_word(struct kb_sv *name, char word[TOKEN_MAX])
{
	size_t n = 0;

	while (name->n && !is_letter(name->p[0]))
		*name = kb_sv_from(*name, 1);
	while (name->n && is_letter(name->p[0])) {
		char c = name->p[0];

		if (n && c < 'a' && name->p[-1] >= 'a')
			break;
		if (n + 1 < TOKEN_MAX)
			word[n++] = (char)(c | 0x20);
		*name = kb_sv_from(*name, 1);
	}
	word[n] = 0;
	return n > 0;
}

static bool has_part(struct kb_sv name, const char *const *parts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t n = strlen(parts[i]);

		for (size_t at = 0; at + n <= name.n; at++)
			if ((name.p[at] | 0x20) == parts[i][0]
			    && kb_sv_ieq(kb_sv_sub(name, at, n), kb_sv_str(parts[i])))
				return true;
	}
	return false;
}

static bool has_word(struct kb_sv name, const char *const *list, size_t count)
{
	char word[TOKEN_MAX];

	while (next_word(&name, word))
		if (in_list(word, list, count))
			return true;
	return false;
}

static enum verdict judge_name(struct kb_sv name)
{
	if (has_part(name, strong_parts, KB_COUNTOF(strong_parts)))
		return STRONG_FURNITURE;
	return has_part(name, furniture_parts, KB_COUNTOF(furniture_parts))
	                       || has_word(name, furniture_words, KB_COUNTOF(furniture_words))
	               ? FURNITURE
	               : NEUTRAL;
}

/* What stands under a picture says little without it; what stands under a table or a listing is
 * part of the text. */
static bool is_caption(const struct kb_html_tree *tree, uint32_t i)
{
	struct kb_sv name = kb_html_attr(tree, i, "class");
	uint32_t up = i;

	if (tree->nodes[i].tag != KB_TAG_figcaption
	    && !has_word(name, caption_words, KB_COUNTOF(caption_words)))
		return false;
	if (has_word(name, picture_words, KB_COUNTOF(picture_words)))
		return true;
	for (int steps = 0; steps < CAPTION_STEPS && up; steps++) {
		up = tree->nodes[up].parent;
		if (tree->nodes[up].end - up > CAPTION_NODES)
			return false;
		for (uint32_t j = up; j < tree->nodes[up].end; j++)
			if (tree->nodes[j].tag == KB_TAG_img || tree->nodes[j].tag == KB_TAG_picture
			    || tree->nodes[j].tag == KB_TAG_video
			    || tree->nodes[j].tag == KB_TAG_iframe)
				return true;
	}
	return false;
}

/* A section's id is made of its heading's words. */
static bool is_section(const struct kb_html_tree *tree, uint32_t i)
{
	static const char *const words[] = { "section", "level", "subsection" };

	return tree->nodes[i].tag == KB_TAG_section
	       || has_word(kb_html_attr(tree, i, "class"), words, KB_COUNTOF(words));
}

static enum verdict judge(const struct kb_html_tree *tree, uint32_t i)
{
	enum { ID = 1 };
	static const char *const names[] = { "class", "id", "role" };
	enum verdict verdict = NEUTRAL;

	switch (tree->nodes[i].tag) {
	case KB_TAG_nav:
	case KB_TAG_footer:
	case KB_TAG_dialog:
		return STRONG_FURNITURE;
	case KB_TAG_aside:
	case KB_TAG_form:
	case KB_TAG_menu:
		return FURNITURE;
	case KB_TAG_p: /* prose is judged by itself, and a heading's id is made of its words */
	case KB_TAG_pre:
	case KB_TAG_h1:
	case KB_TAG_h2:
	case KB_TAG_h3:
	case KB_TAG_h4:
	case KB_TAG_h5:
	case KB_TAG_h6:
	case KB_TAG_dt:
		return is_caption(tree, i) ? FURNITURE : NEUTRAL;
	case KB_TAG_html:
	case KB_TAG_body:
	case KB_TAG_main:
	case KB_TAG_article:
		return NEUTRAL;
	default:
		break;
	}
	if (is_caption(tree, i))
		return FURNITURE;
	for (size_t n = 0; n < KB_COUNTOF(names); n++) {
		struct kb_sv name = kb_html_attr(tree, i, names[n]);

		if (n == ID && is_section(tree, i))
			continue;
		if (name.n)
			verdict = KB_MAX(verdict, judge_name(name));
	}
	return verdict;
}

/* ---- values */

static uint32_t count_marks(struct kb_sv text)
{
	uint32_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (c == ',' || c == '.' || c == ';' || c == '!' || c == '?')
			n++;
		else if (i + 2 < text.n && c >= 0xe3
		         && (!memcmp(text.p + i, "\xe3\x80\x82", 3)
		             || !memcmp(text.p + i, "\xef\xbc\x8c", 3)
		             || !memcmp(text.p + i, "\xe3\x80\x81", 3)))
			n++;
	}
	return n;
}

static uint32_t count_bytes(struct kb_sv text)
{
	uint32_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		n += (unsigned char)text.p[i] > ' ';
	return n;
}

static bool is_block(uint16_t tag)
{
	enum kb_html_kind kind = kb_html_kind(tag);

	return kind == KB_HTML_BLOCK || kind == KB_HTML_HEADING;
}

/* Files each text under its nearest block. */
static void file_texts(struct page *page)
{
	const struct kb_html_tree *tree = page->tree;
	uint32_t block = 0, link_end = 0;

	for (uint32_t i = 1; i < tree->count; i++) {
		const struct kb_html_node *node = &tree->nodes[i];

		while (block && i >= tree->nodes[block].end) {
			do
				block = tree->nodes[block].parent;
			while (block && !is_block(tree->nodes[block].tag));
		}
		if ((node->flags & KB_HTML_HIDDEN) || kb_html_kind(node->tag) == KB_HTML_SKIP) {
			i = node->end - 1;
			continue;
		}
		if (node->tag == KB_TAG_TEXT) {
			struct info *info = &page->info[block];
			uint32_t n = count_bytes(node->text);

			info->bytes += n;
			info->links += i < link_end ? n : 0;
			info->marks += count_marks(node->text);
		} else if (node->tag == KB_TAG_a) {
			link_end = KB_MAX(link_end, node->end);
		} else if (is_block(node->tag)) {
			page->info[block].has_blocks = true;
			block = i;
		}
	}
}

static float value_of(const struct info *info, uint16_t tag)
{
	float plain = (float)(info->bytes - info->links);

	if (!info->bytes)
		return 0;
	if (kb_html_kind(tag) == KB_HTML_HEADING)
		return info->links * 2 > info->bytes ? -15 : -2;
	if (info->links * 3 > info->bytes * 2)
		return -10 - 0.5f * (float)KB_MIN(info->links, 60u);
	if (tag == KB_TAG_pre || tag == KB_TAG_xmp)
		return plain;
	if (plain >= PROSE_BYTES && info->marks)
		return plain - 0.5f * (float)info->links;
	if (plain >= SENTENCE_BYTES && info->marks)
		return plain * 0.5f - 0.5f * (float)info->links;
	if (tag == KB_TAG_td || tag == KB_TAG_th)
		return 0.3f * plain - (float)info->links;
	if (tag == KB_TAG_li)
		return info->links ? -6 : 0;
	return tag == KB_TAG_p ? -3 : -6;
}

static void add_up(struct page *page)
{
	const struct kb_html_tree *tree = page->tree;

	for (uint32_t i = (uint32_t)tree->count; i-- > 1;) {
		struct info *info = &page->info[i];
		struct info *above = &page->info[tree->nodes[i].parent];

		info->value = is_block(tree->nodes[i].tag) ? value_of(info, tree->nodes[i].tag) : 0;
		info->good += KB_MAX(info->value, 0.0f);
		info->prose += (float)(info->bytes - info->links);
		info->linked += (float)info->links;
		info->sum += info->value;
		/* What its name calls furniture counts against its surroundings, unless it is most
		 * of the page; that is known only at the top, so it is done in a second pass. */
		above->good += info->good;
		above->prose += info->prose;
		above->linked += info->linked;
	}
}

/* Sums with the verdicts: furniture gives nothing and costs a little. */
static void sum_up(struct page *page)
{
	const struct kb_html_tree *tree = page->tree;
	float all = page->info[0].good;

	for (uint32_t i = (uint32_t)tree->count; i-- > 1;) {
		struct info *info = &page->info[i];

		if (tree->nodes[i].flags & KB_HTML_DROP)
			info->sum = info->good = 0;
		if ((info->verdict == FURNITURE && info->good < all * 0.4f)
		    || (info->verdict == STRONG_FURNITURE && info->good < all * 0.8f)) {
			page->tree->nodes[i].flags |= KB_HTML_DROP;
			info->sum = -5;
		}
		page->info[tree->nodes[i].parent].sum += info->sum;
	}
}

/* Elements that are part of a text rather than the frame around it. */
static bool is_part(uint16_t tag)
{
	switch (tag) {
	case KB_TAG_div:
	case KB_TAG_section:
	case KB_TAG_article:
	case KB_TAG_main:
	case KB_TAG_body:
	case KB_TAG_html:
	case KB_TAG_form:
	case KB_TAG_td: /* of a table that lays out the page */
		return false;
	default:
		return true;
	}
}

static uint32_t find_main(const struct page *page)
{
	const struct kb_html_tree *tree = page->tree;
	const struct info *all = &page->info[0];
	uint32_t best = 0, declared = 0, body = 0;
	float most = 0;

	for (uint32_t i = 1; i < tree->count; i++) {
		uint16_t tag = tree->nodes[i].tag;

		if (tag == KB_TAG_body && !body)
			body = i;
		if (tag == KB_TAG_main && !declared && !(tree->nodes[i].flags & KB_HTML_HIDDEN))
			declared = i;
		if (tree->nodes[i].flags & KB_HTML_DROP) {
			i = tree->nodes[i].end - 1;
			continue;
		}
		if (is_block(tag) && page->info[i].sum >= most && page->info[i].sum > 0) {
			most = page->info[i].sum;
			best = i;
		}
	}
	if (most < INDEX_SUM && declared)
		return declared;
	if (most < INDEX_SUM && all->linked < all->prose && body)
		return body;
	while (best && is_part(tree->nodes[best].tag) && tree->nodes[best].parent)
		best = tree->nodes[best].parent;
	return best;
}

/* ---- within the content */

static uint32_t block_of(const struct kb_html_tree *tree, uint32_t i)
{
	do
		i = tree->nodes[i].parent;
	while (i && !is_block(tree->nodes[i].tag));
	return i;
}

static void drop(struct kb_html_tree *tree, uint32_t i)
{
	tree->nodes[i].flags |= KB_HTML_DROP;
}

/* Drops a block's own text, not that of the blocks in it. */
static void drop_own(struct kb_html_tree *tree, uint32_t block)
{
	for (uint32_t i = block + 1; i < tree->nodes[block].end; i++)
		if (is_block(tree->nodes[i].tag))
			i = tree->nodes[i].end - 1;
		else if (tree->nodes[i].tag == KB_TAG_TEXT)
			drop(tree, i);
}

/* Parts that are mostly links: lists of further reading, tables of contents. */
static void prune_links(struct page *page, uint32_t main)
{
	struct kb_html_tree *tree = page->tree;

	for (uint32_t i = main + 1; i < tree->nodes[main].end; i++) {
		const struct info *info = &page->info[i];
		uint16_t tag = tree->nodes[i].tag;
		bool list = tag == KB_TAG_ul || tag == KB_TAG_ol || tag == KB_TAG_div
		            || tag == KB_TAG_section;

		if (tree->nodes[i].flags & KB_HTML_DROP) {
			i = tree->nodes[i].end - 1;
		} else if (list && info->linked > 2 * info->prose && info->linked > 20) {
			drop(tree, i);
			i = tree->nodes[i].end - 1;
		}
	}
}

/* A heading that leads elsewhere, over a line or two. */
static bool is_teaser(const struct page *page, uint32_t i)
{
	const struct kb_html_tree *tree = page->tree;

	if (page->info[i].prose > TEASER_BYTES || page->info[i].linked < TEASER_LINK_BYTES)
		return false;
	for (uint32_t j = i + 1; j < tree->nodes[i].end; j++)
		if (kb_html_kind(tree->nodes[j].tag) == KB_HTML_HEADING) {
			const struct info *heading = &page->info[j];
			bool inside = false;

			for (uint32_t up = j; up > i; up = tree->nodes[up].parent)
				inside |= tree->nodes[up].tag == KB_TAG_a;
			if (heading->bytes && (inside || heading->links * 10 >= heading->bytes * 9))
				return true;
		}
	return false;
}

/* Three or more of them side by side are a list of other pages. */
static void prune_teasers(struct page *page, uint32_t main)
{
	struct kb_html_tree *tree = page->tree;

	for (uint32_t i = main; i < tree->nodes[main].end; i++) {
		uint32_t count = 0;

		if (!is_block(tree->nodes[i].tag) || (tree->nodes[i].flags & KB_HTML_DROP))
			continue;
		for (uint32_t j = i + 1; j < tree->nodes[i].end; j = tree->nodes[j].end)
			count += is_block(tree->nodes[j].tag) && is_teaser(page, j);
		if (count < TEASERS)
			continue;
		for (uint32_t j = i + 1; j < tree->nodes[i].end; j = tree->nodes[j].end)
			if (is_block(tree->nodes[j].tag) && is_teaser(page, j))
				drop(tree, j);
	}
}

/* The box around a form that asks for an address: as far up as it holds little else. */
static void prune_forms(struct page *page, uint32_t main)
{
	struct kb_html_tree *tree = page->tree;

	for (uint32_t i = main + 1; i < tree->nodes[main].end; i++) {
		uint32_t box = 0;

		if (tree->nodes[i].tag != KB_TAG_input
		    || !(kb_sv_ieq_str(kb_html_attr(tree, i, "type"), "email")
		         || kb_sv_ieq_str(kb_html_attr(tree, i, "name"), "email")))
			continue;
		for (uint32_t up = tree->nodes[i].parent; up > main; up = tree->nodes[up].parent)
			if (is_block(tree->nodes[up].tag) && page->info[up].prose < FORM_BYTES)
				box = up;
		if (box)
			drop(tree, box);
	}
}

static bool is_label(struct kb_sv text)
{
	for (size_t i = 0; i < KB_COUNTOF(labels); i++)
		if (kb_sv_ieq_str(text, labels[i]))
			return true;
	return false;
}

/* The beginning of a block's own text. */
static struct kb_sv beginning(const struct kb_html_tree *tree, uint32_t block, char out[LABEL_MAX])
{
	size_t n = 0;

	for (uint32_t i = block + 1; i < tree->nodes[block].end; i++) {
		struct kb_sv text = tree->nodes[i].text;

		if (is_block(tree->nodes[i].tag)) {
			i = tree->nodes[i].end - 1;
			continue;
		}
		for (size_t k = 0; k < text.n && n < LABEL_MAX; k++)
			if (n || (unsigned char)text.p[k] > ' ')
				out[n++] = text.p[k];
	}
	return kb_sv_trim(kb_sv(out, n));
}

static uint64_t hash_own(const struct kb_html_tree *tree, uint32_t block)
{
	uint64_t hash = 0;

	for (uint32_t i = block + 1; i < tree->nodes[block].end; i++)
		if (is_block(tree->nodes[i].tag))
			i = tree->nodes[i].end - 1;
		else if (tree->nodes[i].tag == KB_TAG_TEXT && kb_sv_trim(tree->nodes[i].text).n)
			hash = hash * 31 + kb_hash64(kb_sv_trim(tree->nodes[i].text));
	return hash;
}

struct seen {
	uint64_t *slots;
	size_t mask;
};

/* True when it was there before. */
static bool see(struct seen *seen, uint64_t hash)
{
	hash += !hash;
	for (size_t i = hash & seen->mask;; i = (i + 1) & seen->mask) {
		if (seen->slots[i] == hash)
			return true;
		if (!seen->slots[i]) {
			seen->slots[i] = hash;
			return false;
		}
	}
}

static bool is_prose(const struct info *info)
{
	return info->value >= PROSE_BYTES * 0.5f;
}

static bool is_text_tag(uint16_t tag)
{
	return tag != KB_TAG_li && tag != KB_TAG_td && tag != KB_TAG_th && tag != KB_TAG_dd
	       && tag != KB_TAG_dt && tag != KB_TAG_pre && tag != KB_TAG_xmp
	       && kb_html_kind(tag) != KB_HTML_HEADING;
}

static bool is_in_list(const struct kb_html_tree *tree, uint32_t i, uint32_t main)
{
	for (; i > main; i = tree->nodes[i].parent)
		if (tree->nodes[i].tag == KB_TAG_li || tree->nodes[i].tag == KB_TAG_dd
		    || tree->nodes[i].tag == KB_TAG_td)
			return true;
	return false;
}

/* What the paragraphs of the content are, for its blocks to be judged by. */
struct pruning {
	const struct page *page;
	uint32_t main;
	uint32_t first, last, prose; /* of the paragraphs, and how many */
	struct seen seen;
};

static void count_prose(struct pruning *p)
{
	const struct kb_html_tree *tree = p->page->tree;

	for (uint32_t i = p->main; i < tree->nodes[p->main].end; i++) {
		const struct info *info = &p->page->info[i];

		if (tree->nodes[i].flags & KB_HTML_DROP) {
			i = tree->nodes[i].end - 1;
		} else if (info->bytes && is_prose(info)) {
			p->first = p->first ? p->first : i;
			p->last = i;
			p->prose++;
		}
	}
}

static bool has_code(const struct kb_html_tree *tree, uint32_t i)
{
	for (uint32_t j = i + 1; j < tree->nodes[i].end; j++)
		if (tree->nodes[j].tag == KB_TAG_code)
			return true;
	return false;
}

/* A line that is only a link, or mostly and no sentence: "Read more: …". Documentation says "See
 * f()". */
static bool is_link_line(const struct pruning *p, uint32_t i, struct kb_sv text)
{
	const struct info *info = &p->page->info[i];

	if (!is_text_tag(p->page->tree->nodes[i].tag))
		return false;
	return (info->links * 20 >= info->bytes * 19 && !kb_sv_istarts(text, KB_SV("http")))
	       || (info->links * 2 > info->bytes && !info->marks && !has_code(p->page->tree, i));
}

/* Sentences that stood before, word by word. Rows of lists and tables may be alike. */
static bool is_said_twice(struct pruning *p, uint32_t i)
{
	const struct kb_html_tree *tree = p->page->tree;
	const struct info *info = &p->page->info[i];

	return info->bytes >= PROSE_BYTES * 3 / 4 && info->marks && is_text_tag(tree->nodes[i].tag)
	       && !is_in_list(tree, i, p->main) && see(&p->seen, hash_own(tree, i));
}

/* Steps and points of a list, and the line that leads to them. */
static bool is_listed(const struct pruning *p, uint32_t i)
{
	const struct kb_html_tree *tree = p->page->tree;
	uint32_t next = tree->nodes[i].end;

	while (next < tree->nodes[p->main].end && tree->nodes[next].tag == KB_TAG_TEXT)
		next++;
	if (tree->nodes[i].tag == KB_TAG_li)
		return !p->page->info[i].links
		       || tree->nodes[tree->nodes[i].parent].tag == KB_TAG_ol;
	return !p->page->info[i].links && next < tree->nodes[p->main].end
	       && (tree->nodes[next].tag == KB_TAG_ul || tree->nodes[next].tag == KB_TAG_ol);
}

/* A short line before the first paragraph of an article: place, date, author. */
static bool is_ahead(const struct pruning *p, uint32_t i)
{
	uint16_t tag = p->page->tree->nodes[i].tag;

	return p->prose >= ARTICLE_PARAGRAPHS && i < p->first
	       && p->page->info[i].bytes < PROSE_BYTES && kb_html_kind(tag) != KB_HTML_HEADING
	       && tag != KB_TAG_pre && tag != KB_TAG_td && !is_listed(p, i);
}

/* A short line without a sentence behind the last: buttons, the author. */
static bool is_behind(const struct pruning *p, uint32_t i)
{
	const struct info *info = &p->page->info[i];

	return p->prose >= ARTICLE_PARAGRAPHS && i > p->last
	       && is_text_tag(p->page->tree->nodes[i].tag) && info->bytes < SENTENCE_BYTES * 2
	       && !info->marks;
}

/* In this order: what is dropped as a label or a link was never said before. */
static bool is_noise(struct pruning *p, uint32_t i)
{
	char label[LABEL_MAX];
	struct kb_sv text = beginning(p->page->tree, i, label);

	return (text.n < LABEL_MAX && is_label(text)) || is_link_line(p, i, text)
	       || is_said_twice(p, i) || is_ahead(p, i) || is_behind(p, i);
}

/* Block by block: labels, lines that are only a link, words said twice, and the short lines around
 * an article. */
static void prune_blocks(struct page *page, uint32_t main)
{
	struct kb_html_tree *tree = page->tree;
	struct pruning p = { .page = page, .main = main, .seen = { NULL, 1 } };

	while (p.seen.mask < (size_t)(tree->nodes[main].end - main))
		p.seen.mask *= 2;
	p.seen.slots = kb_xcalloc(p.seen.mask * 2, sizeof(*p.seen.slots));
	p.seen.mask = p.seen.mask * 2 - 1;
	count_prose(&p);
	for (uint32_t i = main; i < tree->nodes[main].end; i++)
		if (tree->nodes[i].flags & KB_HTML_DROP)
			i = tree->nodes[i].end - 1;
		else if (page->info[i].bytes && is_block(tree->nodes[i].tag) && is_noise(&p, i))
			drop_own(tree, i);
	free(p.seen.slots);
}

/* Headings with nothing under them. */
static void prune_headings(struct page *page, uint32_t main)
{
	struct kb_html_tree *tree = page->tree;
	uint32_t left = 0; /* bytes kept behind the place in hand */

	for (uint32_t i = tree->nodes[main].end; i-- > main;) {
		bool dropped = false;

		for (uint32_t up = i; up > main && !dropped; up = tree->nodes[up].parent)
			dropped = tree->nodes[up].flags & (KB_HTML_DROP | KB_HTML_HIDDEN);
		if (dropped)
			continue;
		if (kb_html_kind(tree->nodes[i].tag) == KB_HTML_HEADING && !left)
			drop(tree, i);
		else if (tree->nodes[i].tag == KB_TAG_TEXT
		         && kb_html_kind(tree->nodes[block_of(tree, i)].tag) != KB_HTML_HEADING)
			left += count_bytes(tree->nodes[i].text);
		if (left)
			break;
	}
}

/* The page's own heading, where it stands before the content rather than in it; or 0. */
static uint32_t title_of(const struct page *page, uint32_t main)
{
	const struct kb_html_tree *tree = page->tree;
	uint32_t found = 0;

	for (uint32_t i = 1; i < tree->nodes[main].end; i++)
		if (tree->nodes[i].flags & (KB_HTML_DROP | KB_HTML_HIDDEN))
			i = tree->nodes[i].end - 1;
		else if (tree->nodes[i].tag == KB_TAG_h1 && page->info[i].bytes
		         && page->info[i].links * 2 < page->info[i].bytes)
			found = i;
	return found < main ? found : 0;
}

static void keep_only(struct kb_html_tree *tree, uint32_t main, uint32_t title)
{
	for (uint32_t i = 1; i < tree->count; i++) {
		bool around = i <= title && title < tree->nodes[i].end;
		bool within = title && i > title && i < tree->nodes[title].end;

		if ((i < main ? tree->nodes[i].end <= main : i >= tree->nodes[main].end)
		    && !(title && around) && !within)
			drop(tree, i);
	}
}

void kb_html_mark_main(struct kb_html_tree *tree)
{
	struct page page = { .tree = tree,
		             .info = kb_xcalloc(tree->count + 1, sizeof(struct info)) };
	uint32_t main;

	for (uint32_t i = 1; i < tree->count; i++)
		if (tree->nodes[i].attr_count || is_block(tree->nodes[i].tag))
			page.info[i].verdict = (uint8_t)judge(tree, i);
	file_texts(&page);
	add_up(&page);
	prune_teasers(&page, 0);
	sum_up(&page);
	main = find_main(&page);
	if (main) {
		prune_forms(&page, main);
		if (page.info[main].prose
		    > page.info[main].linked) /* else it is an index of pages */
			prune_links(&page, main);
		prune_blocks(&page, main);
		prune_headings(&page, main);
		keep_only(tree, main, title_of(&page, main));
	}
	free(page.info);
}
