/*
 * XML as events, for the formats that are XML inside: streamed, without entities, DTDs or network.
 *
 * Names come without their prefix. Depth is capped; the text of elements comes in pieces. One
 * reader is fed piece by piece, so a document is never in memory as a tree.
 */
#ifndef KB_PARSE_XML_H
#define KB_PARSE_XML_H

#include "base/arena.h"

enum {
	KB_XML_DEPTH_MAX = 256,
	KB_XML_ATTRS_MAX = 1000, /* of an element; more are damage */
};

struct kb_xml_attr {
	const char *name; /* without prefix */
	struct kb_sv value;
};

struct kb_xml_handler {
	void (*start)(void *arg, const char *name, const struct kb_xml_attr *attrs, size_t count);
	void (*end)(void *arg, const char *name);
	void (*text)(void *arg, struct kb_sv text);
};

struct kb_xml;

struct kb_xml *kb_xml_open(const struct kb_xml_handler *handler, void *arg);
/* False when the XML is broken there; what came before was handed on. The type fits
 * kb_zip_stream(). */
bool kb_xml_feed(void *xml, struct kb_sv piece);
/* Ends it; false when the document was not well-formed to its end. NULL is fine. */
bool kb_xml_close(struct kb_xml *xml);

/* The value of an attribute, or an empty view. */
struct kb_sv kb_xml_attr(const struct kb_xml_attr *attrs, size_t count, const char *name);

#endif
