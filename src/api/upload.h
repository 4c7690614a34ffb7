/* The documents that a request to create or update an agent brings: files, and an address. */
#ifndef KB_API_UPLOAD_H
#define KB_API_UPLOAD_H

#include "api/api.h"

struct kb_uploads {
	const struct kb_input **v;
	size_t count;
};

/* The parts named file, files, files[] and files[N]. A part without a filename counts too, when it
 * is of a multipart body and not empty. */
void kb_uploads_find(struct kb_call *call, struct kb_uploads *out);

/* What a person would call the file: no path, no control characters, never empty. */
struct kb_sv kb_upload_name(struct kb_arena *arena, struct kb_sv name);

/* Moves them into blob storage and makes the rows of the pages; with url also one for that address.
 * A failure leaves only blobs that nothing names, for the sweep. */
bool kb_uploads_take(struct kb_call *call, const struct kb_uploads *uploads, struct kb_sv url,
                     struct kb_page_new **pages, size_t *count, struct kb_err *err) KB_MUST_CHECK;

/* Files belong to the agent's source of uploads. */
bool kb_uploads_set_source(struct kb_call *call, int64_t agent_id, struct kb_page_new *pages,
                           size_t count, struct kb_err *err) KB_MUST_CHECK;

#endif
