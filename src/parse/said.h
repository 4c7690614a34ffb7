/*
 * What is said in a recording, joined to paragraphs: at the ends of sentences, and wherever nobody
 * speaks for a while. A paragraph has the moment at which its first words are said. One thread.
 */
#ifndef KB_PARSE_SAID_H
#define KB_PARSE_SAID_H

#include "parse/doc.h"

struct kb_said {
	struct kb_doc *doc;
	struct kb_buf text; /* of the paragraph in hand */
	uint32_t before;    /* the second of the words before */
};

void kb_said_init(struct kb_said *said, struct kb_doc *doc);
/* In the order in which it is said. */
void kb_said_add(struct kb_said *said, uint32_t second, struct kb_sv text);
/* Ends the last paragraph; the document's own errors are its own. */
void kb_said_fini(struct kb_said *said);

#endif
