/* Which pictures there are in a document, or on a page of the web, and where they stand. */
#ifndef KB_INGEST_INSET_SEARCH_H
#define KB_INGEST_INSET_SEARCH_H

#include "parse/parse.h"

enum { KB_INSETS_WEB_MAX = 20 }; /* pictures of one page of the web: each is fetched */

struct kb_inset_search {
	struct kb_parser *parser;
	const struct kb_cancel *cancel;
	bool on_web; /* the pictures that a page of the web names */
	const struct kb_parse_request *request;
	/* What is found. */
	struct kb_inset *v;
	size_t count;
	struct kb_sv lost; /* empty, or a sentence on pages whose pictures were not found */
};

/* In the arena. KB_E_CANCELLED ends the document's reading; what else it fails for is no failure of
 * the document, which is read without its pictures. */
bool kb_insets_find(struct kb_inset_search *s, struct kb_arena *arena,
                    const struct kb_parsed *parsed, struct kb_err *err) KB_MUST_CHECK;

#endif
