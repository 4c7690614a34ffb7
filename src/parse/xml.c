/* The event reader over libxml2's push parser. */
#include "parse/xml.h"

#include <libxml/parser.h>
#include <stdlib.h>
#include <string.h>

enum { ATTRS_MAX = 64 };

struct kb_xml {
	const struct kb_xml_handler *handler;
	void *arg;
	xmlParserCtxtPtr parser;
	int depth;
	bool broken;
	/* Of the start tag that the text so far ends in. */
	bool in_tag;
	char quote; /* that its value began with, or 0 */
	int attrs;
};

static void on_start(void *ctx, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                     int namespace_count, const xmlChar **namespaces, int count, int defaulted,
                     const xmlChar **values)
{
	struct kb_xml *xml = ctx;
	struct kb_xml_attr attrs[ATTRS_MAX];
	size_t n = 0;

	(void)prefix;
	(void)uri;
	(void)namespace_count;
	(void)namespaces;
	(void)defaulted;
	if (++xml->depth > KB_XML_DEPTH_MAX) {
		xml->broken = true;
		xmlStopParser(xml->parser);
		return;
	}
	/* Five pointers an attribute: name, prefix, address, start and end of the value. */
	for (int i = 0; i < count && n < ATTRS_MAX; i++, values += 5)
		attrs[n++] = (struct kb_xml_attr){ (const char *)values[0],
			                           kb_sv((const char *)values[3],
			                                 (size_t)(values[4] - values[3])) };
	xml->handler->start(xml->arg, (const char *)name, attrs, n);
}

static void on_end(void *ctx, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
	struct kb_xml *xml = ctx;

	(void)prefix;
	(void)uri;
	xml->depth--;
	xml->handler->end(xml->arg, (const char *)name);
}

static void on_text(void *ctx, const xmlChar *text, int n)
{
	struct kb_xml *xml = ctx;

	if (n > 0)
		xml->handler->text(xml->arg, kb_sv((const char *)text, (size_t)n));
}

struct kb_xml *kb_xml_open(const struct kb_xml_handler *handler, void *arg)
{
	struct kb_xml *xml = kb_xcalloc(1, sizeof(*xml));
	/* No handler for entities, and a context that is not the parser itself (else libxml2 looks
	 * them up on its own): none is expanded or loaded. The five of XML itself and character
	 * references are text. */
	xmlSAXHandler sax = { .initialized = XML_SAX2_MAGIC,
		              .startElementNs = on_start,
		              .endElementNs = on_end,
		              .characters = on_text,
		              .ignorableWhitespace = on_text,
		              .cdataBlock = on_text };

	xml->handler = handler;
	xml->arg = arg;
	xml->parser = xmlCreatePushParserCtxt(&sax, xml, NULL, 0, NULL);
	if (!xml->parser) {
		xml->broken = true;
		return xml;
	}
	xmlCtxtUseOptions(xml->parser, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING
	                                       | XML_PARSE_RECOVER);
	return xml;
}

/* libxml2 compares each attribute of an element with those before. In XML no value holds '<', so a
 * count of '=' from there on is one of attributes. */
static bool has_too_many_attrs(struct kb_xml *xml, struct kb_sv piece)
{
	for (size_t i = 0; i < piece.n; i++) {
		char c = piece.p[i];

		if (c == '<') {
			xml->in_tag = true;
			xml->quote = 0;
			xml->attrs = 0;
		} else if (!xml->in_tag) {
			const char *next = memchr(piece.p + i, '<', piece.n - i);

			if (!next)
				return false;
			i = (size_t)(next - piece.p) - 1;
		} else if (xml->quote) {
			xml->quote = c == xml->quote ? 0 : xml->quote;
		} else if (c == '"' || c == '\'') {
			xml->quote = c;
		} else if (c == '>') {
			xml->in_tag = false;
		} else if (c == '=' && ++xml->attrs > KB_XML_ATTRS_MAX) {
			return true;
		}
	}
	return false;
}

bool kb_xml_feed(void *arg, struct kb_sv piece)
{
	struct kb_xml *xml = arg;

	xml->broken |= has_too_many_attrs(xml, piece);
	while (piece.n && !xml->broken) {
		size_t n = KB_MIN(piece.n, (size_t)INT32_MAX / 2);

		xmlParseChunk(xml->parser, piece.p, (int)n, 0);
		piece = kb_sv_from(piece, n);
		/* With RECOVER small mistakes pass; what stops the parser is fatal. */
		xml->broken |= xml->parser->disableSAX == 1 && !xml->parser->wellFormed;
	}
	return !xml->broken;
}

bool kb_xml_close(struct kb_xml *xml)
{
	bool ok;

	if (!xml)
		return false;
	if (xml->parser && !xml->broken)
		xmlParseChunk(xml->parser, NULL, 0, 1);
	ok = xml->parser && !xml->broken && xml->parser->wellFormed;
	/* A DTD's declarations make the parser begin a document of its own. */
	if (xml->parser && xml->parser->myDoc)
		xmlFreeDoc(xml->parser->myDoc);
	xmlFreeParserCtxt(xml->parser);
	free(xml);
	return ok;
}

struct kb_sv kb_xml_attr(const struct kb_xml_attr *attrs, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(attrs[i].name, name))
			return attrs[i].value;
	return (struct kb_sv){ "", 0 };
}
