/*
 * Pictures within documents, read and described by a model that sees: the insets of PDF, Word,
 * PowerPoint, OpenDocument and EPUB (parse.h), and what pages of the web show.
 *
 * What the model says of a picture stands behind or before the text that it stands at, in blocks of
 * its own, which become passages of their own; with its page and its place on that, where the
 * format has them. A picture that the model does not see is read by OCR; one in which OCR finds no
 * words leaves nothing behind. Each picture is shown once, however often it stands in the document.
 *
 * Takes minutes, so this is not for a thread that others wait for. A call blocks, and asks `cancel`
 * several times a second on its own thread.
 */
#ifndef KB_INGEST_INSETS_H
#define KB_INGEST_INSETS_H

#include "ingest/sight.h"
#include "view/pictures.h"

enum { KB_INSETS_BYTES_MAX = 64 << 20 }; /* of a document's pictures, as they are shown */

struct kb_insets {
	struct kb_sight *sight; /* with a model */
	struct kb_sv lang;      /* ISO 639 code, likely the document's; may be empty */
	int timeout_ms;         /* for a picture */
	const struct kb_cancel *cancel;
	/* For a page of the web: where its pictures come from. NULL: the document holds them. */
	struct kb_pictures *pictures;
	struct kb_blobs *blobs;
	int64_t agent_id;
	/* What came of it: empty, or a sentence on pictures that were not seen. */
	struct kb_sv note;
};

/* Whether the document may hold any; of a PDF nobody knows yet. */
bool kb_insets_are_likely(const struct kb_parsed *parsed, bool is_web);

/* Puts what its pictures show between the blocks of parsed. False: cancelled. */
bool kb_insets_read(struct kb_insets *insets, struct kb_arena *arena,
                    const struct kb_parse_request *request, struct kb_parsed *parsed,
                    struct kb_err *err) KB_MUST_CHECK;

#endif
