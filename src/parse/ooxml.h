/* What Word, Excel and PowerPoint files have in common: parts of a zip that point at each other. */
#ifndef KB_PARSE_OOXML_H
#define KB_PARSE_OOXML_H

#include "parse/doc.h"
#include "parse/xml.h"
#include "parse/zip.h"

enum { KB_OOXML_RELATIONS_MAX = 20000 };

struct kb_relation {
	struct kb_sv id, target; /* target: name of the part, resolved */
	struct kb_sv type;       /* last part of the type's address: "officeDocument" */
};

struct kb_relations {
	struct kb_relation *v; /* in the arena */
	size_t count;
};

/* The relations of a part ("" for the file itself); none when it has none. */
struct kb_relations kb_ooxml_relations(struct kb_zip *zip, struct kb_arena *arena,
                                       struct kb_sv part);
/* The target of the first relation of that type, or an empty view. */
struct kb_sv kb_ooxml_target(const struct kb_relations *relations, const char *type);
struct kb_sv kb_ooxml_target_by_id(const struct kb_relations *relations, struct kb_sv id);

/* "../media/a.png" seen from "ppt/slides/" is "ppt/media/a.png"; "/word/x" is "word/x". */
struct kb_sv kb_ooxml_resolve(struct kb_arena *arena, struct kb_sv folder, struct kb_sv target);
/* "%20" in an address is a blank in a part's name; what follows '#' is none of it. */
struct kb_sv kb_ooxml_unescape(struct kb_arena *arena, struct kb_sv address);
/* What follows the folder. */
struct kb_sv kb_ooxml_own_name(struct kb_sv part);

/* Streams a part through a handler. False with a sentence when it is not there or its bytes are
 * damaged. Broken XML is no failure: what stood before the break was handed on. */
bool kb_ooxml_part(struct kb_zip *zip, struct kb_sv part, const struct kb_xml_handler *handler,
                   void *arg, struct kb_err *err) KB_MUST_CHECK;

/* Title, language and description of docProps/core.xml or meta.xml into the document. */
void kb_ooxml_properties(struct kb_zip *zip, struct kb_sv part, struct kb_doc *doc);

#endif
