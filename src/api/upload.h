/* The files that a request brings for its agent. */
#ifndef KB_API_UPLOAD_H
#define KB_API_UPLOAD_H

#include "api/api.h"

struct kb_uploads {
	const struct kb_api_input **v;
	size_t count;
};

/* The parts named file, files, files[] and files[N]. A part without a filename counts too, when it
 * is of a multipart body and not empty. */
void kb_uploads_find(struct kb_call *call, struct kb_uploads *out);

/* Moves them into blob storage and makes the rows of the pages; the array has room for one more. A
 * failure leaves only blobs that nothing names, for the sweep. */
bool kb_uploads_take(struct kb_call *call, const struct kb_uploads *uploads,
                     struct kb_page_new **pages, size_t *count, struct kb_err *err) KB_MUST_CHECK;

#endif
