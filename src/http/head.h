/* Writing a response head: what response.c offers to stream.c. */
#ifndef KB_HTTP_HEAD_H
#define KB_HTTP_HEAD_H

#include "http/conn.h"

struct kb_head_facts {
	int status;
	int64_t length;    /* -1: unknown */
	bool chunked;      /* instead of a length */
	bool close;        /* the connection ends with this answer */
	bool here;         /* on the lane's thread, running this connection */
	struct kb_sv more; /* further lines, each with its CRLF */
};

void kb_head_write(struct kb_buf *buf, struct kb_http_exchange *call,
                   const struct kb_response *response, const struct kb_head_facts *facts);
/* The handler's, or 200. */
int kb_head_status(const struct kb_response *response);
/* Must the connection end with this answer? */
bool kb_head_closes(const struct kb_http_exchange *call, const struct kb_response *response);

#endif
