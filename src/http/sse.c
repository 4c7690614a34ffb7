/* Frames of text/event-stream. */
#include "http/sse.h"

#include <string.h>

void kb_sse_event(struct kb_buf *buf, const char *name, struct kb_sv json)
{
	KB_ASSERT(json.n > 0 && !memchr(json.p, '\n', json.n) && !memchr(json.p, '\r', json.n));
	if (name) {
		kb_buf_str(buf, "event: ");
		kb_buf_str(buf, name);
		kb_buf_byte(buf, '\n');
	}
	kb_buf_str(buf, "data: ");
	kb_buf_sv(buf, json);
	kb_buf_str(buf, "\n\n");
}

void kb_sse_id(struct kb_buf *buf, int64_t id)
{
	kb_buf_printf(buf, "id: %" PRId64 "\n", id);
}
