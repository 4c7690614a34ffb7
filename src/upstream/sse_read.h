/*
 * Reading text/event-stream, however its bytes are cut: what a model's server says piece by piece.
 *
 * Only the data of events counts; several data lines are joined by line ends. Comments, names, ids
 * and retry lines are passed over, as are lines of other kinds. Lines end in LF, CRLF or CR. What
 * was not closed by an empty line is an event too once the stream has ended, because some servers
 * leave that line out. Pure; one thread at a time.
 */
#ifndef KB_UPSTREAM_SSE_READ_H
#define KB_UPSTREAM_SSE_READ_H

#include "base/buf.h"

struct kb_sse_reader {
	struct kb_buf line, data; /* unfinished ones */
	bool has_data;
	bool cr;    /* the last byte was a CR: an LF after it belongs to it */
	bool begun; /* the byte order mark has been looked for */
	bool (*event)(void *arg, struct kb_sv data, struct kb_err *err);
	void *arg;
};

/* event: called with each event's data, which it may not keep; false ends the reading. max: bytes
 * of a line, and of an event's data. */
void kb_sse_reader_init(struct kb_sse_reader *reader, size_t max,
                        bool (*event)(void *arg, struct kb_sv data, struct kb_err *err), void *arg);
void kb_sse_reader_fini(struct kb_sse_reader *reader);

/* False with what event() said, or with KB_E_UPSTREAM: an event is too long. */
bool kb_sse_reader_feed(struct kb_sse_reader *reader, struct kb_sv bytes,
                        struct kb_err *err) KB_MUST_CHECK;
/* The stream has ended. */
bool kb_sse_reader_end(struct kb_sse_reader *reader, struct kb_err *err) KB_MUST_CHECK;

#endif
