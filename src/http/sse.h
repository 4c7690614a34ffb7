/* Frames of text/event-stream. Only frames, unless their reader has asked for more: some readers
 * take every line they do not know for content. Pure. */
#ifndef KB_HTTP_SSE_H
#define KB_HTTP_SSE_H

#include "base/buf.h"

/* "event: NAME\ndata: JSON\n\n"; a NULL name leaves the first line out. json is one line. */
void kb_sse_event(struct kb_buf *buf, const char *name, struct kb_sv json);
/* The first line of an event that has an id. */
void kb_sse_id(struct kb_buf *buf, int64_t id);

#endif
