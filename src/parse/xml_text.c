/*
 * XML of any kind as text. Elements that hold only text are values: those beside each other under
 * one parent make a row "name: value; name: value", as records do. Text with elements inside it is
 * prose: a paragraph. Attributes are not read.
 */
#include <stdlib.h>
#include <string.h>

#include "parse/format.h"
#include "parse/xml.h"

enum { GROUP_MAX = 2000, LONG_TEXT = 400, NAME_MAX_BYTES = 80 };

struct level {
	bool children; /* it has elements inside */
	bool prose;    /* and text beside them */
};

struct reader {
	struct kb_doc *doc;
	struct kb_buf text;  /* of the element or paragraph in hand */
	struct kb_buf group; /* values gathered for a row */
	struct level levels[KB_XML_DEPTH_MAX + 2];
	int depth;
	int prose; /* depth of the element whose text is a paragraph; 0: none */
};

static void flush(struct reader *r)
{
	if (r->group.n)
		kb_doc_add(r->doc, KB_BLOCK_TABLE, kb_buf_view(&r->group));
	kb_buf_clear(&r->group);
}

static bool is_blank(const struct kb_buf *buf)
{
	return !kb_sv_trim(kb_buf_view(buf)).n;
}

static void start(void *arg, const char *name, const struct kb_xml_attr *attrs, size_t count)
{
	struct reader *r = arg;

	(void)name;
	(void)attrs;
	(void)count;
	if (r->depth > KB_XML_DEPTH_MAX)
		return;
	r->levels[r->depth].children = true;
	r->levels[++r->depth] = (struct level){ 0 };
	if (r->prose)
		return;
	if (!is_blank(&r->text))
		r->prose = r->depth - 1; /* text before an element: prose up to the parent's end */
	else
		kb_buf_clear(&r->text);
}

static void end(void *arg, const char *name)
{
	struct reader *r = arg;
	struct kb_sv value = kb_sv_trim(kb_buf_view(&r->text));
	struct kb_sv label = kb_sv_sub(kb_sv_str(name), 0, NAME_MAX_BYTES);
	bool children = r->levels[r->depth].children;

	if (r->depth)
		r->depth--;
	if (r->prose && r->depth >= r->prose)
		return; /* goes on */
	if (children || r->prose) {
		flush(r);
		kb_doc_add(r->doc, KB_BLOCK_PARAGRAPH, value);
	} else if (value.n > LONG_TEXT) {
		flush(r);
		kb_doc_add(r->doc, KB_BLOCK_PARAGRAPH, value);
	} else if (value.n) {
		if (r->group.n + value.n > GROUP_MAX)
			flush(r);
		if (r->group.n)
			kb_buf_str(&r->group, "; ");
		kb_buf_sv(&r->group, label);
		kb_buf_str(&r->group, ": ");
		kb_buf_sv(&r->group, value);
	}
	r->prose = 0;
	kb_buf_clear(&r->text);
}

static void text(void *arg, struct kb_sv piece)
{
	struct reader *r = arg;

	kb_buf_sv(&r->text, piece);
}

bool kb_xml_read(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	static const struct kb_xml_handler handler = { start, end, text };
	struct kb_sv bytes = kb_input_text(in, doc->arena);
	struct reader *r = KB_NEW(doc->arena, struct reader);
	ptrdiff_t declaration;
	struct kb_xml *xml;
	bool ok;

	/* It is UTF-8 now, whatever it declares. */
	if (kb_sv_starts(bytes, KB_SV("<?xml"))
	    && (declaration = kb_sv_find(bytes, KB_SV("?>"))) >= 0)
		bytes = kb_sv_from(bytes, (size_t)declaration + 2);
	r->doc = doc;
	kb_buf_init(&r->text, doc->text.max);
	kb_buf_init(&r->group, doc->text.max);
	kb_doc_table(doc);
	xml = kb_xml_open(&handler, r);
	kb_xml_feed(xml, kb_sv_trim(bytes));
	ok = kb_xml_close(xml);
	flush(r);
	kb_doc_table_end(doc);
	doc->text.failed |= r->text.failed;
	kb_buf_fini(&r->text);
	kb_buf_fini(&r->group);
	if (!ok && kb_doc_is_empty(doc))
		return kb_fail(err, KB_E_INVALID,
		               "the XML is damaged, nested deeper than %d levels, or has an "
		               "element of over %d attributes",
		               KB_XML_DEPTH_MAX, KB_XML_ATTRS_MAX);
	return true;
}
