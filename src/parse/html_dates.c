/*
 * When a page was written or changed: elements of its head, and its JSON-LD.
 *
 * JSON-LD speaks of much that is not the page: comments, reviews, the articles that a list leads
 * to. Only what stands at the top of a text, or in its @graph, and is a page or a kind of writing
 * is the page itself.
 */
#include "base/json.h"
#include "parse/html.h"
#include "parse/html_tree.h"

static const struct {
	const char *attr, *value;
} metas[] = {
	{ "property", "article:modified_time" },
	{ "property", "article:published_time" },
	{ "property", "og:updated_time" },
	{ "name", "dcterms.modified" },
	{ "name", "dcterms.date" },
	{ "name", "dc.date.modified" },
	{ "name", "dc.date" },
	{ "name", "last-modified" },
	{ "name", "date" },
	{ "itemprop", "dateModified" },
	{ "itemprop", "datePublished" },
	{ "http-equiv", "last-modified" },
};

/* ---- JSON-LD */

/* "NewsArticle", "FAQPage", "https://schema.org/BlogPosting"; none of a Comment, Review, Event. */
static bool is_writing(struct kb_sv type)
{
	static const char *const ends[] = { "Article", "Page",   "Posting", "Report", "Document",
		                            "Work",    "HowTo",  "Recipe",  "Guide",  "Dataset",
		                            "Book",    "Thesis", "Course" };

	for (size_t i = 0; i < KB_COUNTOF(ends); i++)
		if (kb_sv_ends(type, kb_sv_str(ends[i])))
			return true;
	return false;
}

static bool is_page(const json_t *thing)
{
	const json_t *types = kb_json_get(thing, "@type");

	for (size_t i = 0; i < json_array_size(types); i++) {
		const json_t *type = json_array_get(types, i);

		if (json_is_string(type)
		    && is_writing(kb_sv(json_string_value(type), json_string_length(type))))
			return true;
	}
	return is_writing(kb_json_sv(thing, "@type", KB_SV("")));
}

static void read_thing(struct kb_doc *doc, const json_t *thing)
{
	if (!is_page(thing))
		return;
	kb_doc_dated(doc, kb_json_sv(thing, "dateModified", KB_SV("")));
	kb_doc_dated(doc, kb_json_sv(thing, "datePublished", KB_SV("")));
}

static void read_things(struct kb_doc *doc, const json_t *things)
{
	read_thing(doc, things);
	for (size_t i = 0; i < json_array_size(things); i++)
		read_thing(doc, json_array_get(things, i));
}

static void read_stated(struct kb_doc *doc, struct kb_sv text)
{
	struct kb_err err = { 0 }; /* a page with a mistake in it says nothing */
	const json_t *root = kb_json_parse(doc->arena, kb_sv_trim(text), &err);

	if (!root)
		return;
	read_things(doc, root);
	read_things(doc, kb_json_get(root, "@graph"));
	for (size_t i = 0; i < json_array_size(root); i++)
		read_things(doc, kb_json_get(json_array_get(root, i), "@graph"));
}

void kb_html_dates(struct kb_doc *doc, const struct kb_html_tree *tree)
{
	struct kb_sv rest = kb_buf_view(&tree->stated), text;

	for (uint32_t i = 1; i < tree->count; i++) {
		if (tree->nodes[i].tag != KB_TAG_meta)
			continue;
		for (size_t m = 0; m < KB_COUNTOF(metas); m++)
			if (kb_sv_ieq_str(kb_html_attr(tree, i, metas[m].attr), metas[m].value))
				kb_doc_dated(doc, kb_html_attr(tree, i, "content"));
	}
	while (rest.n && kb_sv_split(&rest, KB_HTML_STATED, &text))
		if (text.n)
			read_stated(doc, text);
}
