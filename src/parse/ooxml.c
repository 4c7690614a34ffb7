/* Relations, parts and properties of OOXML files. */
#include "parse/ooxml.h"

#include <stdlib.h>
#include <string.h>

struct relations_reader {
	struct kb_arena *arena;
	struct kb_sv folder;
	struct kb_relations found;
	size_t capacity;
	struct kb_relation *v;
};

struct kb_sv kb_ooxml_resolve(struct kb_arena *arena, struct kb_sv folder, struct kb_sv target)
{
	if (kb_sv_starts(target, KB_SV("/")))
		return kb_arena_sv(arena, kb_sv_from(target, 1));
	for (;;) {
		if (kb_sv_starts(target, KB_SV("./"))) {
			target = kb_sv_from(target, 2);
		} else if (kb_sv_starts(target, KB_SV("../")) && folder.n) {
			/* Not above the file's top: then it names no part, and none is found. */
			target = kb_sv_from(target, 3);
			do
				folder.n--;
			while (folder.n && folder.p[folder.n - 1] != '/');
		} else {
			return kb_arena_printf(arena, "%.*s%.*s", KB_SV_ARG(folder),
			                       KB_SV_ARG(target));
		}
	}
}

struct kb_sv kb_ooxml_unescape(struct kb_arena *arena, struct kb_sv address)
{
	char *out = kb_arena_str(arena, address);
	size_t n = 0;

	for (size_t i = 0; i < address.n; i++) {
		unsigned value = 0;

		if (address.p[i] == '%' && i + 2 < address.n) {
			/* What is no figure gives some byte: it only has to name a part. */
			for (size_t k = i + 1; k < i + 3; k++)
				value = value * 16
				        + (unsigned)(address.p[k] <= '9'
				                             ? address.p[k] - '0'
				                             : (address.p[k] | 0x20) - 'a' + 10);
			out[n++] = (char)value;
			i += 2;
		} else if (address.p[i] == '#') {
			break;
		} else {
			out[n++] = address.p[i];
		}
	}
	return kb_sv(out, n);
}

static struct kb_sv folder_of(struct kb_sv part)
{
	while (part.n && part.p[part.n - 1] != '/')
		part.n--;
	return part;
}

struct kb_sv kb_ooxml_own_name(struct kb_sv part)
{
	return kb_sv_from(part, folder_of(part).n);
}

static void relation_start(void *arg, const char *name, const struct kb_xml_attr *attrs,
                           size_t count)
{
	struct relations_reader *r = arg;
	struct kb_sv type = kb_xml_attr(attrs, count, "Type");

	/* What is outside of the file is nothing that we read. */
	if (strcmp(name, "Relationship") != 0 || r->found.count == KB_OOXML_RELATIONS_MAX
	    || kb_sv_eq_str(kb_xml_attr(attrs, count, "TargetMode"), "External"))
		return;
	KB_GROW(r->v, r->capacity, r->found.count + 1);
	r->v[r->found.count++] = (struct kb_relation){
		.id = kb_arena_sv(r->arena, kb_xml_attr(attrs, count, "Id")),
		.target =
		        kb_ooxml_resolve(r->arena, r->folder, kb_xml_attr(attrs, count, "Target")),
		/* Its last word: the address before it is one of two, of ECMA and of ISO. */
		.type = kb_arena_sv(r->arena, kb_sv_from(type, folder_of(type).n)),
	};
}

static void ignore_end(void *arg, const char *name)
{
	(void)arg;
	(void)name;
}

static void ignore_text(void *arg, struct kb_sv text)
{
	(void)arg;
	(void)text;
}

struct kb_relations kb_ooxml_relations(struct kb_zip *zip, struct kb_arena *arena,
                                       struct kb_sv part)
{
	static const struct kb_xml_handler handler = { relation_start, ignore_end, ignore_text };
	struct kb_sv folder = folder_of(part);
	struct relations_reader r = { .arena = arena, .folder = folder };
	struct kb_sv name = kb_arena_printf(arena, "%.*s_rels/%.*s.rels", KB_SV_ARG(folder),
	                                    KB_SV_ARG(kb_sv_from(part, folder.n)));
	struct kb_err ignored;

	/* A part without relations has no such file. */
	if (!kb_ooxml_part(zip, name, &handler, &r, &ignored))
		r.found.count = 0;
	r.found.v = kb_arena_array(arena, r.found.count + 1, sizeof(*r.v));
	if (r.found.count)
		memcpy(r.found.v, r.v, r.found.count * sizeof(*r.v));
	free(r.v);
	return r.found;
}

struct kb_sv kb_ooxml_target(const struct kb_relations *relations, const char *type)
{
	for (size_t i = 0; i < relations->count; i++)
		if (kb_sv_eq_str(relations->v[i].type, type))
			return relations->v[i].target;
	return (struct kb_sv){ "", 0 };
}

struct kb_sv kb_ooxml_target_by_id(const struct kb_relations *relations, struct kb_sv id)
{
	for (size_t i = 0; i < relations->count; i++)
		if (kb_sv_eq(relations->v[i].id, id))
			return relations->v[i].target;
	return (struct kb_sv){ "", 0 };
}

bool kb_ooxml_part(struct kb_zip *zip, struct kb_sv part, const struct kb_xml_handler *handler,
                   void *arg, struct kb_err *err)
{
	ptrdiff_t at = part.n ? kb_zip_find(zip, part) : -1;
	struct kb_xml *xml;
	bool ok;

	if (at < 0)
		return kb_fail(err, KB_E_INVALID, "the document is damaged: it has no part %.*s",
		               KB_SV_ARG(kb_sv_sub(part, 0, 100)));
	xml = kb_xml_open(handler, arg);
	ok = kb_zip_stream(zip, (size_t)at, kb_xml_feed, xml, err);
	kb_xml_close(xml);
	return ok;
}

/* ---- properties */

struct properties_reader {
	struct kb_doc *doc;
	struct kb_buf text;
};

static void property_start(void *arg, const char *name, const struct kb_xml_attr *attrs,
                           size_t count)
{
	struct properties_reader *r = arg;

	(void)name;
	(void)attrs;
	(void)count;
	kb_buf_clear(&r->text);
}

static void property_end(void *arg, const char *name)
{
	static const struct {
		const char *name;
		enum kb_doc_meta meta;
	} metas[] = { { "title", KB_DOC_TITLE },
		      { "description", KB_DOC_DESCRIPTION },
		      { "language", KB_DOC_LANG } };
	struct properties_reader *r = arg;

	for (size_t i = 0; i < KB_COUNTOF(metas); i++)
		if (!strcmp(name, metas[i].name))
			kb_doc_meta(r->doc, metas[i].meta, kb_buf_view(&r->text));
	if (!strcmp(name, "created") || !strcmp(name, "modified") || !strcmp(name, "date")
	    || !strcmp(name, "creation-date"))
		kb_doc_dated(r->doc, kb_buf_view(&r->text));
	kb_buf_clear(&r->text);
}

static void property_text(void *arg, struct kb_sv text)
{
	struct properties_reader *r = arg;

	kb_buf_sv(&r->text, text);
}

void kb_ooxml_properties(struct kb_zip *zip, struct kb_sv part, struct kb_doc *doc)
{
	static const struct kb_xml_handler handler = { property_start, property_end,
		                                       property_text };
	struct properties_reader r = { .doc = doc };
	struct kb_err ignored;

	kb_buf_init(&r.text, KB_DOC_META_MAX);
	/* A file without a title is none the worse: what is damaged here fails nothing. */
	if (kb_zip_find(zip, part) >= 0 && !kb_ooxml_part(zip, part, &handler, &r, &ignored))
		kb_buf_clear(&r.text);
	kb_buf_fini(&r.text);
}
