/*
 * A request and its answer as the application sees them: routes, handlers, responses, streams.
 *
 * When a request is complete (head and body), its route's handler runs on a worker thread and may
 * block; it answers with one kb_respond*() call or opens a stream. The answering calls are safe
 * from any thread and never block (kb_stream_wait excepted). Whatever a request points at lives in
 * its arena until its answer is written.
 */
#ifndef KB_HTTP_REQUEST_H
#define KB_HTTP_REQUEST_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/log.h"

struct kb_http_conn;
struct kb_stream;
struct kb_request;

enum {
	KB_HTTP_LINE_MAX = 8 * 1024,  /* request line */
	KB_HTTP_HEAD_MAX = 32 * 1024, /* request line and all fields */
	KB_HTTP_FIELDS_MAX = 100,
	KB_HTTP_PARAMS_MAX = 6,
	KB_FORM_FIELDS_MAX = 1000,
	KB_FORM_FIELD_BYTES_MAX = 1024 * 1024,    /* one text field */
	KB_FORM_TEXT_BYTES_MAX = 4 * 1024 * 1024, /* all of them */
};

struct kb_http_field {
	struct kb_sv name, value; /* the name in lower case */
};

/* One part of a multipart/form-data body, or one pair of a urlencoded one. A part with a filename
 * (or one that passes KB_FORM_FIELD_BYTES_MAX in a file field) went to disk. */
struct kb_form_part {
	struct kb_sv name;
	struct kb_sv filename;     /* p == NULL: a text field; as sent, untrusted */
	struct kb_sv content_type; /* as sent; empty when missing */
	struct kb_sv value;        /* of a text field */
	const char *path; /* of a file: in the server's temporary directory; the request's end
	                     removes it unless it was renamed away */
	int64_t size;
};

struct kb_route {
	const char *method;
	/* "/api/v1/projects/{projectId}": a name in braces matches one segment; "{name*}" as the
	 * last one matches all that is left. Literal segments come first; a slash at the end of a
	 * request's path makes no difference; GET serves HEAD too. */
	const char *path;
	/* On a worker. Must answer, or open a stream that somebody ends. Never NULL: the requests
	 * that `fast` is not asked about, or leaves, come here. */
	void (*handle)(struct kb_request *req);
	/* On the loop thread, before `handle`, for requests without a body: must not block. Returns
	 * false to leave the request to `handle`. NULL: none. */
	bool (*fast)(struct kb_request *req);
	size_t body_max; /* bytes kept in memory (JSON, urlencoded); 0: a body is read and dropped,
	                    at most 64 KiB */
	bool upload;     /* multipart with files is welcome, up to the server's upload limits */
	int64_t upload_max; /* bytes of one request's files, where that is less; 0: it is not */
	const void *app;    /* the application's own row */
};

struct kb_request {
	struct kb_arena *arena;
	const struct kb_route *route;
	void *app; /* kb_server_config.app */
	struct kb_log log;
	int64_t id;
	const char *name; /* as the log has it, and no other request of any process */

	struct kb_sv method, target; /* target as sent, path and query */
	struct kb_sv path;           /* percent-decoded, without the query */
	struct kb_sv query;          /* raw, without '?' */
	struct kb_sv host;           /* of the Host field; behind a trusted proxy, the client's */
	bool tls;                    /* likewise */
	bool from_proxy;             /* a trusted proxy has passed it on, with fields of its own */
	char peer[64]; /* address without port; behind a trusted proxy, the client's */
	struct kb_sv params[KB_HTTP_PARAMS_MAX]; /* decoded path parameters in order */
	size_t param_count;

	struct kb_http_field *fields;
	size_t field_count;
	struct kb_sv body; /* when it was kept in memory */
	struct kb_form_part *parts;
	size_t part_count;

	int64_t owner; /* whose answer it is, by a number of the application's; 0: anybody's */

	struct kb_http_conn *conn; /* the server's */
	void *user;                /* the application's, NULL at first */
};

/* ---- what a handler asks ---- */

/* The first field of that (lower-case) name, or an empty view with p == NULL. */
struct kb_sv kb_request_field(const struct kb_request *req, const char *name);
/* The first query parameter of that name, decoded into the arena; p == NULL: none. Names match
 * after decoding; "name[]" and "name[0]" are names of their own. */
struct kb_sv kb_request_query(const struct kb_request *req, const char *name);
/* Decodes the next pair of a urlencoded text. Start with *rest = the text. */
bool kb_urlencoded_next(struct kb_arena *arena, struct kb_sv *rest, struct kb_sv *name,
                        struct kb_sv *value);
/* Adds "&name=value", with escapes where the value needs them. */
void kb_urlencoded_add(struct kb_buf *buf, const char *name, struct kb_sv value);

/* Whether its peer has closed the connection, or its direction of it: nobody may wait for the
 * answer. Any thread. */
bool kb_request_deserted(const struct kb_request *req);

/* ---- what it answers ---- */

struct kb_response {
	int status;
	const char *content_type;
	struct kb_sv body;              /* copied; a HEAD request gets only its length */
	struct kb_http_field fields[8]; /* further ones, up to the first empty name */
	int64_t retry_after_s;          /* of a refusal (kb_err_retry_after()); 0: not said */
	bool close;
};
/* Once a request: a second answer is our own mistake. */
void kb_respond(struct kb_request *req, const struct kb_response *response);

/* Sends a file from an open descriptor, which the server then owns; a Range field is honoured
 * (one range, RFC 9110 14.2) when `ranges`. */
void kb_respond_file(struct kb_request *req, const struct kb_response *head, int fd, int64_t size,
                     bool ranges);

/* Starts an answer of unknown length (chunked, or until close for HTTP/1.0). The request and its
 * arena live until kb_stream_end(). Exactly one thread at a time writes. */
struct kb_stream *kb_stream_begin(struct kb_request *req, const struct kb_response *head);
/* false once the peer is gone or too slow; the writer may go on or stop. */
bool kb_stream_write(struct kb_stream *stream, struct kb_sv bytes);
/* For tests, whose streams are longer than any of ours: blocks a worker until fewer than low_bytes
 * wait unsent; false once the peer is gone. */
bool kb_stream_wait(struct kb_stream *stream, size_t low_bytes);
void kb_stream_end(struct kb_stream *stream);

#endif
