/* EPUB: the package file names the chapters in reading order, each is XHTML and a part of its own.
 */
#include <string.h>

#include "parse/charset.h"
#include "parse/format.h"
#include "parse/html.h"
#include "parse/ooxml.h"

enum { ITEMS_MAX = 5000 };
#define CHAPTER_MAX KB_MIB(32)

struct package {
	struct kb_doc *doc;
	struct kb_sv root, folder; /* of the package file */
	struct kb_sv ids[ITEMS_MAX], targets[ITEMS_MAX], spine[ITEMS_MAX];
	size_t item_count, spine_count;
};

static void nothing(void *arg, const char *name)
{
	(void)arg;
	(void)name;
}

static void nothing_text(void *arg, struct kb_sv text)
{
	(void)arg;
	(void)text;
}

static void container_start(void *arg, const char *name, const struct kb_xml_attr *attrs,
                            size_t count)
{
	struct package *p = arg;

	if (!strcmp(name, "rootfile") && !p->root.n)
		p->root = kb_arena_sv(p->doc->arena, kb_xml_attr(attrs, count, "full-path"));
}

static void package_start(void *arg, const char *name, const struct kb_xml_attr *attrs,
                          size_t count)
{
	struct package *p = arg;

	if (!strcmp(name, "item") && p->item_count < ITEMS_MAX) {
		struct kb_sv href =
		        kb_ooxml_unescape(p->doc->arena, kb_xml_attr(attrs, count, "href"));

		p->ids[p->item_count] = kb_arena_sv(p->doc->arena, kb_xml_attr(attrs, count, "id"));
		p->targets[p->item_count++] = kb_arena_printf(
		        p->doc->arena, "%.*s%.*s", KB_SV_ARG(p->folder), KB_SV_ARG(href));
	} else if (!strcmp(name, "itemref") && p->spine_count < ITEMS_MAX) {
		p->spine[p->spine_count++] =
		        kb_arena_sv(p->doc->arena, kb_xml_attr(attrs, count, "idref"));
	}
}

static struct kb_sv target_of(const struct package *p, struct kb_sv id)
{
	for (size_t i = 0; i < p->item_count; i++)
		if (kb_sv_eq(p->ids[i], id))
			return p->targets[i];
	return KB_SV("");
}

static bool read_chapter(struct kb_zip *zip, struct kb_sv name, struct kb_doc *doc,
                         struct kb_err *err)
{
	ptrdiff_t at = kb_zip_find(zip, name);
	struct kb_sv bytes;

	if (at < 0)
		return true; /* a chapter that is not there is no reason to lose the others */
	if (!kb_zip_read(zip, doc->arena, (size_t)at, CHAPTER_MAX, &bytes, err))
		return false;
	doc->inset_folder = kb_sv_sub(name, 0, name.n - kb_ooxml_own_name(name).n);
	kb_doc_unhead(doc);
	kb_html_fragment(doc, kb_charset_to_utf8(doc->arena, bytes, KB_SV(""), NULL));
	return true;
}

bool kb_epub_read(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	static const struct kb_xml_handler container = { container_start, nothing, nothing_text };
	static const struct kb_xml_handler handler = { package_start, nothing, nothing_text };
	struct kb_zip *zip = kb_zip_open(in->bytes, err);
	struct package *p = KB_NEW(doc->arena, struct package);
	bool ok;

	if (!zip)
		return false;
	p->doc = doc;
	ok = kb_ooxml_part(zip, KB_SV("META-INF/container.xml"), &container, p, err);
	if (ok) {
		p->folder = p->root;
		while (p->folder.n && p->folder.p[p->folder.n - 1] != '/')
			p->folder.n--;
		kb_ooxml_properties(zip, p->root, doc);
		ok = kb_ooxml_part(zip, p->root, &handler, p, err);
	}
	for (size_t i = 0; ok && i < p->spine_count; i++)
		ok = read_chapter(zip, target_of(p, p->spine[i]), doc, err);
	kb_zip_close(zip);
	return ok;
}
