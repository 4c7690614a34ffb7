/* What of a parsed document goes into an index, whoever parsed it and whenever: its passages, the
 * title they carry and the words of its name. The same text gives the same passages. */
#ifndef KB_PASSAGES_DOCUMENT_H
#define KB_PASSAGES_DOCUMENT_H

#include "index/index.h"
#include "passages/chunk.h"

/* Where a document is from: an address as readers may see it, or a file's name. */
struct kb_origin {
	struct kb_sv filename, url; /* url: empty: it has none */
};

struct kb_document {
	struct kb_chunks chunks;
	struct kb_sv title, names;
	enum kb_lang lang;
};

/* KB_E_INVALID: there is no text in it. What it gives lives in the arena, or is the origin's or the
 * parsed document's. */
bool kb_document_read(struct kb_arena *arena, const struct kb_origin *origin,
                      const struct kb_parsed *parsed, struct kb_document *out,
                      struct kb_err *err) KB_MUST_CHECK;
/* Gives the bytes of text. */
int64_t kb_document_add(struct kb_segment_writer *writer, int64_t page_id,
                        const struct kb_document *document);

#endif
